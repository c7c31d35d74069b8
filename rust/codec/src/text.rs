//! Text between the engine's UTF-32 and the wire's UTF-8, in scalar code.
//!
//! The engine's strings are `char32_t` that nothing guards: lone surrogates and values beyond U+10FFFF can occur. They
//! are written as `String::utf8` writes them (`core/string/ustring.cpp`) and refused on the way back, as
//! `String::append_utf8` refuses them.

use std::ffi::CStr;
use std::mem::MaybeUninit;

use crate::event::Text;

/// The engine's replacement for what has no UTF-8, U+FFFD.
const REPLACEMENT: u32 = 0xfffd;

/// Bytes that `chars` take in UTF-8, without a NUL.
pub fn utf8_len(chars: &[u32]) -> usize {
    // Blocks whose sum fits in 32 bits: the loop over one is vectorised.
    chars.chunks(1 << 16).map(|block| block.iter().map(|&c| char_len(c)).sum::<u32>() as usize).sum()
}

/// Bytes of one character, as a sum of comparisons.
#[inline]
fn char_len(c: u32) -> u32 {
    let longer = u32::from(c > 0x7f)
        + u32::from(c > 0x7ff)
        + u32::from(c > 0xffff)
        + u32::from(c > 0x1f_ffff)
        + u32::from(c > 0x3ff_ffff);
    // Beyond 31 bits the engine writes the replacement character, three bytes.
    1 + longer - 3 * u32::from(c > 0x7fff_ffff)
}

/// A place for a byte, which may have no value yet.
pub(crate) trait Place {
    fn put(&mut self, byte: u8);
}

impl Place for u8 {
    #[inline]
    fn put(&mut self, byte: u8) {
        *self = byte;
    }
}

impl Place for MaybeUninit<u8> {
    #[inline]
    fn put(&mut self, byte: u8) {
        self.write(byte);
    }
}

/// Writes `chars` as UTF-8 over the whole of `dest`.
///
/// # Panics
/// If `dest` is not [`utf8_len`] bytes long.
pub fn encode(chars: &[u32], dest: &mut [MaybeUninit<u8>]) {
    encode_to(chars, dest);
}

/// Appends `chars` as UTF-8, which takes `len` bytes.
pub(crate) fn append(chars: &[u32], len: usize, out: &mut Vec<u8>) {
    let at = out.len();
    out.resize(at + len, 0);
    encode_to(chars, &mut out[at..]);
}

fn encode_to<P: Place>(chars: &[u32], dest: &mut [P]) {
    if chars.len() == dest.len() {
        // As many bytes as characters: all are ASCII.
        let mut seen = 0;
        for (place, &c) in dest.iter_mut().zip(chars) {
            place.put(c as u8);
            seen |= c;
        }
        assert!(seen < 0x80, "text takes more bytes than planned");
        return;
    }
    let mut rest = dest;
    for &c in chars {
        rest = match c {
            0..=0x7f => lead::<_, 1>(rest, 0, c),
            0x80..=0x7ff => lead::<_, 2>(rest, 0xc0, c),
            0x800..=0xffff => lead::<_, 3>(rest, 0xe0, c),
            0x1_0000..=0x1f_ffff => lead::<_, 4>(rest, 0xf0, c),
            0x20_0000..=0x3ff_ffff => lead::<_, 5>(rest, 0xf8, c),
            0x400_0000..=0x7fff_ffff => lead::<_, 6>(rest, 0xfc, c),
            0x8000_0000.. => lead::<_, 3>(rest, 0xe0, REPLACEMENT),
        };
    }
    assert!(rest.is_empty(), "text takes fewer bytes than planned");
}

/// Writes a character of `N` bytes: the high bits behind the mark of the length, then six bits a byte.
#[inline(always)]
fn lead<P: Place, const N: usize>(dest: &mut [P], mark: u8, c: u32) -> &mut [P] {
    let (bytes, rest) = dest.split_first_chunk_mut::<N>().expect("text takes more bytes than planned");
    bytes[0].put(mark | (c >> (6 * (N - 1))) as u8);
    for (index, byte) in bytes.iter_mut().enumerate().skip(1) {
        byte.put(0x80 | (c >> (6 * (N - 1 - index))) as u8 & 0x3f);
    }
    rest
}

/// The text in `bytes`, as the engine reads it: without one leading byte-order mark, up to the first NUL.
///
/// # Errors
/// The offset in `bytes` of the first byte that is no UTF-8. What follows a NUL is not looked at.
pub fn decode(bytes: &[u8]) -> Result<&str, usize> {
    let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let text = &bytes[start..];
    let text = CStr::from_bytes_until_nul(text).map_or(text, CStr::to_bytes);
    std::str::from_utf8(text).map_err(|error| start + error.valid_up_to())
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
        let mut seen = 0;
        for (slot, byte) in dest.iter_mut().zip(text.bytes()) {
            slot.write(u32::from(byte));
            seen |= byte;
        }
        assert!(seen < 0x80, "text has fewer characters than planned");
        return;
    }
    let (mut chars, mut count) = (text.chars(), 0);
    for (slot, c) in dest.iter_mut().zip(&mut chars) {
        slot.write(u32::from(c));
        count += 1;
    }
    assert!(count == dest.len() && chars.next().is_none(), "text has other than the planned characters");
}

/// Characters of a text that an error shows.
const SHOWN_CHARS: usize = 40;

/// Text as an error shows it: quoted as in JSON.
pub(crate) fn quoted(text: Text<'_>) -> String {
    let escaped = escaped(text);
    match escaped.strip_suffix(ELLIPSIS) {
        Some(escaped) => format!("\"{escaped}\"{ELLIPSIS}"),
        None => format!("\"{escaped}\""),
    }
}

/// What stands for the rest of a long text.
const ELLIPSIS: &str = "...";

/// Text on one line, with escapes as in JSON, and not longer than a line can take.
pub(crate) fn escaped(text: Text<'_>) -> String {
    let chars: Vec<char> = match text {
        Text::Utf8(text) => text.chars().take(SHOWN_CHARS + 1).collect(),
        Text::Utf32(chars) => {
            chars.iter().take(SHOWN_CHARS + 1).map(|&c| char::from_u32(c).unwrap_or('\u{fffd}')).collect()
        }
    };
    let mut escaped = String::new();
    for &c in chars.iter().take(SHOWN_CHARS) {
        match c {
            '"' | '\\' => escaped.extend(['\\', c]),
            '\n' => escaped += "\\n",
            '\r' => escaped += "\\r",
            '\t' => escaped += "\\t",
            c if c.is_control() => escaped += &format!("\\u{:04x}", u32::from(c)),
            c => escaped.push(c),
        }
    }
    if chars.len() > SHOWN_CHARS {
        escaped += ELLIPSIS;
    }
    escaped
}
