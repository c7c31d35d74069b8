//! Converts text between the engine's UTF-32 and the wire's UTF-8.
//!
//! The engine's strings may hold lone surrogates and values beyond U+10FFFF. They are written as `String::utf8` writes
//! them, and refused when they are read, as by `String::append_utf8` (`core/string/ustring.cpp`).
//!
//! ```text
//! short text    -> ascii     straight code, the same on every processor, inlined into its callers
//! any other     -> kernels   the best set that the processor has
//!                    vector    the algorithms, written once: encode, decode
//!                      lanes   16 bytes at once, in the instructions of each architecture
//! rare or bad   -> scalar    plain code: the oracle in tests, finds the offset of an error
//! Godot 3       -> loose     what only Godot 3 takes for UTF-8
//! ```

// For vector instructions, code that only some processors can run, and what the kernels have checked or written.
#![allow(unsafe_code)]
#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "wasm32")),
    allow(dead_code, unused_macros, reason = "only kernels need it, and other processors have none")
)]

mod ascii;
mod kernels;
mod loose;
mod scalar;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "wasm32"))]
mod vector;

use std::mem::MaybeUninit;

use self::ascii::SHORT;
/// True if [`decode`] returns the bytes as they are.
pub(crate) use self::ascii::is_plain_short as is_plain;
use self::kernels::best;
#[cfg(feature = "internals")]
pub use self::kernels::{Kernels, available};
pub use self::loose::Loose;
use self::scalar::pack_room;
use crate::kind::{WORD, padded};

pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// Max characters of a text that [`append_short`] takes: it encodes them without measuring them first.
pub(crate) const SHORT_CHARS: usize = SHORT;

/// Returns the bytes that `chars` take in UTF-8, without a NUL.
#[inline]
pub fn utf8_len(chars: &[u32]) -> usize {
    (best().utf8_len)(chars)
}

/// Fills `dest` with `chars` as UTF-8. Panics if it is not [`utf8_len`] bytes long.
#[inline]
pub fn encode(chars: &[u32], dest: &mut [MaybeUninit<u8>]) {
    (best().encode)(chars, dest);
}

/// Appends up to [`SHORT_CHARS`] characters or panics: length, UTF-8 and padding, `nul` (0 or 1) of which it counts.
#[inline]
pub(crate) fn append_short(chars: &[u32], nul: usize, out: &mut Vec<u8>) {
    assert!(chars.len() <= SHORT_CHARS && nul <= 1);
    let room = WORD..WORD + SHORT_CHARS + WORD;
    let Some(dest) = out.spare_capacity_mut().get_mut(room) else { return append_tight(chars, nul, out) };
    if ascii::narrow_short(chars, dest) {
        // SAFETY: `narrow_short` wrote a byte a character.
        unsafe { close(chars.len(), nul, out) };
    } else {
        append_wide(chars, nul, out);
    }
}

/// Does the same without room for any short text. Makes no more than is needed: most small values would have to move.
#[inline(never)]
fn append_tight(chars: &[u32], nul: usize, out: &mut Vec<u8>) {
    out.reserve(WORD + chars.len() + WORD);
    if ascii::narrow_short(chars, &mut out.spare_capacity_mut()[WORD..]) {
        // SAFETY: As in `append_short`.
        unsafe { close(chars.len(), nul, out) };
    } else {
        append_wide(chars, nul, out);
    }
}

#[inline(never)]
fn append_wide(chars: &[u32], nul: usize, out: &mut Vec<u8>) {
    out.reserve(WORD + pack_room(chars.len()));
    let packed = (best().pack)(chars, &mut out.spare_capacity_mut()[WORD..]);
    let len = packed.unwrap_or_else(|| {
        let len = scalar::utf8_len(chars);
        out.reserve(WORD + len + WORD);
        encode(chars, &mut out.spare_capacity_mut()[WORD..][..len]);
        len
    });
    // SAFETY: `pack` or `encode` wrote them.
    unsafe { close(len, nul, out) };
}

/// Writes what stands around a text of `len` bytes.
///
/// # Safety
/// The text is in the spare capacity, after a word.
#[inline(always)]
unsafe fn close(len: usize, nul: usize, out: &mut Vec<u8>) {
    let dest = &mut out.spare_capacity_mut()[..WORD + len + WORD];
    dest[..WORD].write_copy_of_slice(&((len + nul) as u32).to_le_bytes());
    dest[WORD + len..].write_copy_of_slice(&[0; WORD]);
    // SAFETY: all up to the last zero is written, and the next multiple of four is not after it.
    unsafe { out.set_len(out.len() + WORD + padded(len + nul)) };
}

/// Appends `chars` as UTF-8. `len` is their [`utf8_len`].
pub(crate) fn append(chars: &[u32], len: usize, out: &mut Vec<u8>) {
    out.reserve(len);
    encode(chars, &mut out.spare_capacity_mut()[..len]);
    // SAFETY: `reserve` made room for `len` bytes, and `encode` has written each of them, or panicked.
    unsafe { out.set_len(out.len() + len) };
}

/// Returns the text in `bytes` as the engine reads it: without one leading byte-order mark, up to the first NUL, behind
/// which nothing is checked. Fails with the offset in `bytes` of the first byte that is not UTF-8.
#[inline]
pub fn decode(bytes: &[u8]) -> Result<&str, usize> {
    // Each text of a PackedStringArray ends with a NUL, which its length counts.
    let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    if text.len() <= SHORT && ascii::is_plain_short(text) {
        // SAFETY: ASCII is UTF-8.
        return Ok(unsafe { std::str::from_utf8_unchecked(text) });
    }
    decode_any(text)
}

#[inline(never)]
fn decode_any(bytes: &[u8]) -> Result<&str, usize> {
    let start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    let text = &bytes[start..];
    if (best().is_text)(text) {
        // SAFETY: `is_text` of any kernel is true for UTF-8 only.
        return Ok(unsafe { std::str::from_utf8_unchecked(text) });
    }
    scalar::decode(text).map_err(|offset| start + offset)
}

/// Returns the text in `bytes` as Godot 3 reads it, for bytes that [`decode`] refuses. Fails like that.
#[cold]
pub(crate) fn decode_loose(bytes: &[u8]) -> Result<Loose<'_>, usize> {
    let start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    Loose::new(&bytes[start..]).map_err(|offset| start + offset)
}

/// Returns the characters of `text`: the length of the engine's String, without its NUL.
#[inline]
pub fn utf32_len(text: &str) -> usize {
    if text.len() <= SHORT { ascii::count_short(text.as_bytes()) } else { (best().utf32_len)(text) }
}

/// Fills `dest` with `text` as UTF-32. Panics if it is not [`utf32_len`] characters long.
#[inline]
pub fn write_utf32(text: &str, dest: &mut [MaybeUninit<u32>]) {
    if text.len() == dest.len() && text.len() <= SHORT {
        // As many characters as bytes: all are ASCII.
        assert!(ascii::widen_short(text.as_bytes(), dest), "text has fewer characters than planned");
        return;
    }
    // The vectors of Wasm gain nothing for few bytes.
    let is_plain = cfg!(target_arch = "wasm32") && text.len() <= SHORT;
    if is_plain { scalar::write_utf32(text, dest) } else { (best().write_utf32)(text, dest) }
}
