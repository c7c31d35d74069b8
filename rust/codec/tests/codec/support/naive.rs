//! The writing half of the format once more, as plainly as it can be said: what the Writer and `fill` must give.

use varbatch_codec::{Engine, Kind, Width};

use super::numbers::{self, TYPED_ARRAY};
use super::value::{Element, Value};

/// One value.
pub fn value(of: &Value) -> Vec<u8> {
    value_of(Engine::Godot4, of)
}

/// One value by the rules of an engine, which has a type for each part of it.
pub fn value_of(engine: Engine, of: &Value) -> Vec<u8> {
    let number = |kind| u32::from(numbers::number(engine, kind).expect("a type of the engine"));
    let mut out = Vec::new();
    match of {
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
            word(&mut out, number(kind.id()) | flag);
            if kind.id() >= Kind::PackedByteArray.id() {
                word(&mut out, *count as u32);
            }
            out.extend(bytes);
            pad(&mut out);
        }
        Value::Texts(texts) => {
            word(&mut out, number(34));
            word(&mut out, texts.len() as u32);
            for chars in texts {
                let mut text = utf8(chars);
                text.push(0);
                word(&mut out, text.len() as u32);
                out.extend(text);
                pad(&mut out);
            }
        }
        Value::String(chars) => {
            word(&mut out, 4);
            string(&mut out, chars);
        }
        Value::StringName(chars) => {
            word(&mut out, number(21));
            string(&mut out, chars);
        }
        Value::NodePath { names, subnames, absolute } => {
            word(&mut out, number(22));
            word(&mut out, 0x8000_0000 + names.len() as u32);
            word(&mut out, subnames.len() as u32);
            word(&mut out, if *absolute { 1 } else { 0 });
            names.iter().chain(subnames).for_each(|name| string(&mut out, name));
        }
        Value::Rid(id) => {
            word(&mut out, number(23));
            // Other engines write no id.
            if engine == Engine::Godot4 {
                out.extend(id.to_le_bytes());
            }
        }
        Value::Callable => word(&mut out, number(25)),
        Value::Signal { name, object } => {
            word(&mut out, number(26));
            string(&mut out, name);
            out.extend(object.to_le_bytes());
        }
        Value::ObjectId(id) => {
            word(&mut out, 0x10000 + number(24));
            out.extend(id.to_le_bytes());
        }
        Value::Object { class, properties } => {
            word(&mut out, number(24));
            string(&mut out, class);
            word(&mut out, properties.len() as u32);
            for (name, property) in properties {
                string(&mut out, name);
                out.extend(value_of(engine, property));
            }
        }
        Value::Dictionary { key, value: of_value, entries } => {
            word(&mut out, number(27) + 0x1_0000 * form(key) + 0x4_0000 * form(of_value));
            element(&mut out, key);
            element(&mut out, of_value);
            word(&mut out, entries.len() as u32);
            entries.iter().flat_map(|(key, one)| [key, one]).for_each(|one| out.extend(value_of(engine, one)));
        }
        Value::Array { element: of_all, elements } => {
            if engine == Engine::Pandemonium && form(of_all) > 0 {
                typed_array(&mut out, of_all, elements);
            } else {
                word(&mut out, number(28) + 0x1_0000 * form(of_all));
                element(&mut out, of_all);
            }
            word(&mut out, elements.len() as u32);
            elements.iter().for_each(|one| out.extend(value_of(engine, one)));
        }
    }
    out
}

/// Whether it is an Array that says what is in it.
fn is_typed(value: &Value) -> bool {
    matches!(value, Value::Array { element, .. } if form(element) > 0)
}

fn form(element: &Element) -> u32 {
    match element {
        Element::Any => 0,
        Element::Builtin(_) => 1,
        Element::Class(_) => 2,
        Element::Script(_) => 3,
    }
}

fn element(out: &mut Vec<u8>, element: &Element) {
    match element {
        Element::Any => {}
        Element::Builtin(kind) => word(out, u32::from(kind.id())),
        Element::Class(text) | Element::Script(text) => string(out, text),
    }
}

/// The class of any object: "Object".
const OBJECT: [u32; 6] = [0x4f, 0x62, 0x6a, 0x65, 0x63, 0x74];

/// The head of a typed array of Pandemonium 5, up to its count.
fn typed_array(out: &mut Vec<u8>, element: &Element, elements: &[Value]) {
    let number = |kind| u32::from(numbers::number(Engine::Pandemonium, kind).expect("a type of the engine"));
    word(out, number(TYPED_ARRAY));
    let class: &[u32] = match element {
        Element::Builtin(Kind::Array) if elements.iter().any(is_typed) => return word(out, number(TYPED_ARRAY)),
        Element::Builtin(kind) if *kind != Kind::Object => return word(out, number(kind.id())),
        Element::Builtin(_) => &OBJECT,
        Element::Class(class) if class.is_empty() => &OBJECT,
        Element::Class(class) => class,
        Element::Any | Element::Script(_) => panic!("not {element:?}"),
    };
    word(out, number(24));
    // The class is a value: a StringName.
    word(out, number(21));
    string(out, class);
}

fn string(out: &mut Vec<u8>, chars: &[u32]) {
    let text = utf8(chars);
    word(out, text.len() as u32);
    out.extend(text);
    pad(out);
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
