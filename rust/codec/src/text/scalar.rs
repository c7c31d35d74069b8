//! The kernels as plain code: the oracle of the others, their fallback in rare cases, and the finder of error offsets.

use std::ffi::CStr;
use std::mem::MaybeUninit;

/// U+FFFD, which the engine writes for characters that no UTF-8 form can hold.
const REPLACEMENT: u32 = 0xfffd;

pub(super) fn utf8_len(chars: &[u32]) -> usize {
    chars.iter().map(|&c| char_len(c)).sum()
}

fn char_len(c: u32) -> usize {
    match c {
        0..=0x7f => 1,
        0x80..=0x7ff => 2,
        0x800..=0xffff => 3,
        0x1_0000..=0x1f_ffff => 4,
        0x20_0000..=0x3ff_ffff => 5,
        0x400_0000..=0x7fff_ffff => 6,
        // Beyond 31 bits the engine writes the replacement character.
        0x8000_0000.. => 3,
    }
}

/// Fills `dest` with `chars` as UTF-8. Panics if it is not [`utf8_len`] bytes long.
pub(super) fn encode(chars: &[u32], dest: &mut [MaybeUninit<u8>]) {
    let mut rest = dest;
    for &c in chars {
        rest = match c {
            0..=0x7f => lead::<1>(rest, 0, c),
            0x80..=0x7ff => lead::<2>(rest, 0xc0, c),
            0x800..=0xffff => lead::<3>(rest, 0xe0, c),
            0x1_0000..=0x1f_ffff => lead::<4>(rest, 0xf0, c),
            0x20_0000..=0x3ff_ffff => lead::<5>(rest, 0xf8, c),
            0x400_0000..=0x7fff_ffff => lead::<6>(rest, 0xfc, c),
            0x8000_0000.. => lead::<3>(rest, 0xe0, REPLACEMENT),
        };
    }
    assert!(rest.is_empty(), "text takes fewer bytes than planned");
}

/// Characters, or bytes of ASCII, that the vectors take at once.
pub(super) const RUN: usize = 64;

/// Bytes that the destination of `pack` must have for `count` characters.
pub(super) const fn pack_room(count: usize) -> usize {
    4 * count + 16
}

/// Writes a character in `N` bytes: the mark of the length and the highest bits, then six bits a byte.
#[inline(always)]
fn lead<const N: usize>(dest: &mut [MaybeUninit<u8>], mark: u8, c: u32) -> &mut [MaybeUninit<u8>] {
    let (bytes, rest) = dest.split_first_chunk_mut::<N>().expect("text takes more bytes than planned");
    bytes[0].write(mark | (c >> (6 * (N - 1))) as u8);
    for (index, byte) in bytes.iter_mut().enumerate().skip(1) {
        byte.write(0x80 | (c >> (6 * (N - 1 - index))) as u8 & 0x3f);
    }
    rest
}

/// True if `bytes` are UTF-8 without a NUL.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok()
}

/// Returns the text in `bytes` up to the first NUL, or the offset of the first byte that is not UTF-8.
pub(super) fn decode(bytes: &[u8]) -> Result<&str, usize> {
    let text = CStr::from_bytes_until_nul(bytes).map_or(bytes, CStr::to_bytes);
    std::str::from_utf8(text).map_err(|error| error.valid_up_to())
}

pub(super) fn utf32_len(text: &str) -> usize {
    text.chars().count()
}

/// Fills `dest` with `text` as UTF-32. Panics if `text` has more or fewer characters.
pub(super) fn write_utf32(text: &str, dest: &mut [MaybeUninit<u32>]) {
    let (mut chars, mut count) = (text.chars(), 0);
    for (slot, c) in dest.iter_mut().zip(&mut chars) {
        slot.write(u32::from(c));
        count += 1;
    }
    assert!(count == dest.len() && chars.next().is_none(), "text has other than the planned characters");
}
