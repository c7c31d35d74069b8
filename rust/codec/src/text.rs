//! Text between the engine's UTF-32 and the wire's UTF-8, in scalar code.
//!
//! The engine's strings are `char32_t` that nothing guards: lone surrogates and values beyond U+10FFFF can occur. They
//! are written as `String::utf8` writes them (`core/string/ustring.cpp`) and refused on the way back, as
//! `String::append_utf8` refuses them.

use std::mem::MaybeUninit;

/// The engine's replacement for what has no UTF-8, U+FFFD.
const REPLACEMENT: u32 = 0xfffd;

/// Bytes that `chars` take in UTF-8, without a NUL.
pub fn utf8_len(chars: &[u32]) -> usize {
    chars.iter().map(|&c| char_len(c)).sum()
}

/// Bytes of one character. Sums of comparisons, so that the loop over them is vectorised.
#[inline]
fn char_len(c: u32) -> usize {
    // Beyond 31 bits the engine writes the replacement character, three bytes.
    let longer = usize::from(c > 0x7f)
        + usize::from(c > 0x7ff)
        + usize::from(c > 0xffff)
        + usize::from(c > 0x1f_ffff)
        + usize::from(c > 0x3ff_ffff);
    1 + longer - 3 * usize::from(c > 0x7fff_ffff)
}

/// Writes one character as UTF-8, up to six bytes, and returns how many.
#[inline]
fn encode_char(c: u32, out: &mut [u8; 6]) -> usize {
    let c = if c > 0x7fff_ffff { REPLACEMENT } else { c };
    let len = char_len(c);
    if len == 1 {
        out[0] = c as u8;
        return 1;
    }
    // The lead byte has `len` high bits set, then a zero; the others carry six bits each.
    let lead = 0xff00_u32 >> len;
    out[0] = (lead | (c >> (6 * (len - 1)))) as u8;
    for (index, byte) in out[1..len].iter_mut().enumerate() {
        *byte = 0x80 | ((c >> (6 * (len - 2 - index))) & 0x3f) as u8;
    }
    len
}

/// Writes `chars` as UTF-8 over the whole of `dest`.
///
/// # Panics
/// If `dest` is not [`utf8_len`] bytes long.
pub fn encode(chars: &[u32], dest: &mut [MaybeUninit<u8>]) {
    if chars.len() == dest.len() {
        for (byte, &c) in dest.iter_mut().zip(chars) {
            byte.write(c as u8);
        }
        return;
    }
    let mut at = 0;
    let mut buffer = [0; 6];
    for &c in chars {
        let len = encode_char(c, &mut buffer);
        dest[at..at + len].write_copy_of_slice(&buffer[..len]);
        at += len;
    }
    assert_eq!(at, dest.len(), "text takes other than the planned bytes");
}

/// Appends `chars` as UTF-8.
pub fn append(chars: &[u32], out: &mut Vec<u8>) {
    let mut buffer = [0; 6];
    for &c in chars {
        let len = encode_char(c, &mut buffer);
        out.extend_from_slice(&buffer[..len]);
    }
}

/// The text in `bytes`, as the engine reads it: without one leading byte-order mark, up to the first NUL.
///
/// # Errors
/// The offset in `bytes` of the first byte that is no UTF-8. What follows a NUL is not looked at.
pub fn decode(bytes: &[u8]) -> Result<&str, usize> {
    let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let text = &bytes[start..];
    let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
    std::str::from_utf8(&text[..end]).map_err(|error| start + error.valid_up_to())
}

/// Characters of `text`: the length of the engine's String, without its NUL.
pub fn utf32_len(text: &str) -> usize {
    text.chars().count()
}

/// Writes `text` as UTF-32 over the whole of `dest`.
///
/// # Panics
/// If `dest` is not [`utf32_len`] characters long.
pub fn write_utf32(text: &str, dest: &mut [MaybeUninit<u32>]) {
    if text.len() == dest.len() {
        for (slot, byte) in dest.iter_mut().zip(text.bytes()) {
            slot.write(u32::from(byte));
        }
        return;
    }
    let mut slots = dest.iter_mut();
    for c in text.chars() {
        slots.next().expect("text has more characters than planned").write(u32::from(c));
    }
    assert!(slots.next().is_none(), "text has fewer characters than planned");
}
