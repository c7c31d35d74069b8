//! The writing half of the format once more, as plainly as it can be said: what the Writer and `fill` must give.

use varbatch_codec::{Kind, Width};

use super::value::Value;

/// One value.
pub fn value(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    match value {
        Value::Nil => word(&mut out, 0),
        Value::Bool(value) => {
            word(&mut out, 1);
            word(&mut out, if *value { 1 } else { 0 });
        }
        Value::Int(value) if (-0x8000_0000..=0x7fff_ffff).contains(value) => {
            word(&mut out, 2);
            out.extend((*value as i32).to_le_bytes());
        }
        Value::Int(value) => {
            word(&mut out, 0x10002);
            out.extend(value.to_le_bytes());
        }
        Value::Float(value) if f64::from(*value as f32) == *value => {
            word(&mut out, 3);
            out.extend((*value as f32).to_le_bytes());
        }
        Value::Float(value) => {
            word(&mut out, 0x10003);
            out.extend(value.to_le_bytes());
        }
        Value::Plain { kind, width, count, bytes } => {
            let flag = if *width == Width::Double { 0x10000 } else { 0 };
            word(&mut out, u32::from(kind.id()) | flag);
            if kind.id() >= Kind::PackedByteArray.id() {
                word(&mut out, *count as u32);
            }
            out.extend(bytes);
            pad(&mut out);
        }
        Value::Texts(texts) => {
            word(&mut out, 34);
            word(&mut out, texts.len() as u32);
            for chars in texts {
                let mut text = utf8(chars);
                text.push(0);
                word(&mut out, text.len() as u32);
                out.extend(text);
                pad(&mut out);
            }
        }
    }
    out
}

/// Text, with the five and six byte forms that UTF-8 once had; beyond 31 bits U+FFFD.
pub fn utf8(chars: &[u32]) -> Vec<u8> {
    let mut out = Vec::new();
    for &c in chars {
        let tail = |shift: u32| 0x80 | ((c >> shift) & 0x3f) as u8;
        match c {
            0..=0x7f => out.push(c as u8),
            0x80..=0x7ff => out.extend([0xc0 | (c >> 6) as u8, tail(0)]),
            0x800..=0xffff => out.extend([0xe0 | (c >> 12) as u8, tail(6), tail(0)]),
            0x1_0000..=0x1f_ffff => out.extend([0xf0 | (c >> 18) as u8, tail(12), tail(6), tail(0)]),
            0x20_0000..=0x3ff_ffff => out.extend([0xf8 | (c >> 24) as u8, tail(18), tail(12), tail(6), tail(0)]),
            0x400_0000..=0x7fff_ffff => {
                out.extend([0xfc | (c >> 30) as u8, tail(24), tail(18), tail(12), tail(6), tail(0)]);
            }
            0x8000_0000.. => out.extend([0xef, 0xbf, 0xbd]),
        }
    }
    out
}

fn word(out: &mut Vec<u8>, word: u32) {
    out.extend(word.to_le_bytes());
}

fn pad(out: &mut Vec<u8>) {
    while !out.len().is_multiple_of(4) {
        out.push(0);
    }
}
