//! Text between the engine's UTF-32 and the wire's UTF-8.
//!
//! The engine's strings are `char32_t` that nothing guards: lone surrogates and values beyond U+10FFFF can occur. They
//! are written as `String::utf8` writes them (`core/string/ustring.cpp`) and refused on the way back, as
//! `String::append_utf8` refuses them.
//!
//! Most texts are short and ASCII: what these need is inlined into the caller. All others go through the `kernels`
//! that are the best for the processor. What is rare goes through `scalar`, which says where an error is.

// In vectors, for calls of what the processor was found to have, and for what was checked or written by them.
#![allow(unsafe_code)]

mod ascii;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod check;
mod kernels;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod lanes;
mod loose;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod pack;
mod scalar;
mod shown;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod unpack;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod vector;

use std::mem::MaybeUninit;

use self::ascii::SHORT;
#[doc(hidden)]
pub use self::kernels::{Kernels, available};
use self::kernels::{best, pack_room};
pub use self::loose::Loose;
pub(crate) use self::shown::{escaped, quoted};

/// The byte-order mark.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Characters up to which a text is encoded at once, without being measured before.
pub(crate) const SHORT_CHARS: usize = SHORT;

/// Bytes that `chars` take in UTF-8, without a NUL.
#[inline]
pub fn utf8_len(chars: &[u32]) -> usize {
    (best().utf8_len)(chars)
}

/// Writes `chars` as UTF-8 over the whole of `dest`.
///
/// # Panics
/// If `dest` is not [`utf8_len`] bytes long.
#[inline]
pub fn encode(chars: &[u32], dest: &mut [MaybeUninit<u8>]) {
    (best().encode)(chars, dest);
}

/// Appends up to [`SHORT_CHARS`] characters as UTF-8.
///
/// # Panics
/// If there are more.
#[inline]
pub(crate) fn append_short(chars: &[u32], out: &mut Vec<u8>) {
    assert!(chars.len() <= SHORT_CHARS);
    out.reserve(chars.len());
    if ascii::narrow_short(chars, out.spare_capacity_mut()) {
        // SAFETY: there was room for as many bytes as characters, and each of these was written.
        unsafe { out.set_len(out.len() + chars.len()) };
    } else {
        append_wide(chars, out);
    }
}

#[inline(never)]
fn append_wide(chars: &[u32], out: &mut Vec<u8>) {
    out.reserve(pack_room(chars.len()));
    match (best().pack)(chars, out.spare_capacity_mut()) {
        // SAFETY: `pack` has written as many bytes as it says, to the room behind the vector's end.
        Some(len) => unsafe { out.set_len(out.len() + len) },
        None => append(chars, scalar::utf8_len(chars), out),
    }
}

/// Appends `chars` as UTF-8, which takes `len` bytes.
pub(crate) fn append(chars: &[u32], len: usize, out: &mut Vec<u8>) {
    out.reserve(len);
    encode(chars, &mut out.spare_capacity_mut()[..len]);
    // SAFETY: there was room for `len` bytes, and `encode` has written each of them, or panicked.
    unsafe { out.set_len(out.len() + len) };
}

/// The text in `bytes`, as the engine reads it: without one leading byte-order mark, up to the first NUL.
///
/// # Errors
/// The offset in `bytes` of the first byte that is no UTF-8. What follows a NUL is not looked at.
#[inline]
pub fn decode(bytes: &[u8]) -> Result<&str, usize> {
    // In a PackedStringArray each text ends with a NUL, which only says once more where it ends.
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
        // SAFETY: all kernels give true for UTF-8 only.
        return Ok(unsafe { std::str::from_utf8_unchecked(text) });
    }
    scalar::decode(text).map_err(|offset| start + offset)
}

/// As [`decode`], as Godot 3 reads it.
///
/// # Errors
/// As [`decode`].
#[cold]
pub(crate) fn decode_loose(bytes: &[u8]) -> Result<Loose<'_>, usize> {
    let start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    Loose::new(&bytes[start..]).map_err(|offset| start + offset)
}

/// Characters of `text`: the length of the engine's String, without its NUL.
#[inline]
pub fn utf32_len(text: &str) -> usize {
    if text.len() <= SHORT { ascii::count_short(text.as_bytes()) } else { (best().utf32_len)(text) }
}

/// Writes `text` as UTF-32 over the whole of `dest`.
///
/// # Panics
/// If `dest` is not [`utf32_len`] characters long.
#[inline]
pub fn write_utf32(text: &str, dest: &mut [MaybeUninit<u32>]) {
    if text.len() == dest.len() && text.len() <= SHORT {
        // As many characters as bytes: all are ASCII.
        assert!(ascii::widen_short(text.as_bytes(), dest), "text has fewer characters than planned");
        return;
    }
    (best().write_utf32)(text, dest);
}
