//! ASCII text: loops over long runs, which the compiler vectorizes for whatever their caller is compiled for, and
//! straight code for short texts, which is the same on every processor and inlined into its callers.
//!
//! Short texts are taken in blocks of N, two of which may overlap, so that there is no loop over single bytes:
//!
//! ```text
//! 33 to 64   all:    each 16, then the last 16
//! 17 to 32   ends:   the first 16, the last 16
//!  9 to 16   ends:   the first 8, the last 8
//!  4 to  8   ends:   the first 4, the last 4
//!  0 to  3   all:    one by one
//! ```

use std::mem::MaybeUninit;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "wasm32")))]
use self::{is_plain as is_plain_block, narrow_loop as narrow, widen_loop as widen};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "wasm32"))]
use super::vector::lanes::{is_plain as is_plain_block, narrow, widen};

/// Writes the low byte of each character. True if all are ASCII.
#[inline(always)]
fn narrow_loop<const N: usize>(chars: &[u32; N], dest: &mut [MaybeUninit<u8>; N]) -> bool {
    let mut seen = 0;
    for (slot, &c) in dest.iter_mut().zip(chars) {
        slot.write(c as u8);
        seen |= c;
    }
    seen < 0x80
}

/// Writes each byte as a character. True if all are ASCII.
#[inline(always)]
pub(super) fn widen_loop<const N: usize>(bytes: &[u8; N], dest: &mut [MaybeUninit<u32>; N]) -> bool {
    let mut seen = 0;
    for (slot, &byte) in dest.iter_mut().zip(bytes) {
        slot.write(u32::from(byte));
        seen |= byte;
    }
    seen < 0x80
}

#[inline(always)]
pub(super) fn is_ascii<const N: usize>(bytes: &[u8; N]) -> bool {
    bytes.iter().fold(0, |seen, &byte| seen | byte) < 0x80
}

/// True if all are ASCII and none is a NUL.
#[inline(always)]
pub(super) fn is_plain<const N: usize>(bytes: &[u8; N]) -> bool {
    !bytes.iter().fold(false, |other, &byte| other | (byte.wrapping_sub(1) >= 0x7f))
}

/// Max characters or bytes of a short text.
pub(super) const SHORT: usize = 64;

/// Writes the low byte of each character to the start of `dest`. True if all are ASCII: if not, the bytes mean nothing.
#[inline]
pub(super) fn narrow_short(chars: &[u32], dest: &mut [MaybeUninit<u8>]) -> bool {
    let dest = &mut dest[..chars.len()];
    match chars.len() {
        33.. => all::<16, _, _>(chars, dest, narrow),
        17.. => ends::<16, _, _>(chars, dest, narrow),
        9.. => ends::<8, _, _>(chars, dest, narrow),
        4.. => ends::<4, _, _>(chars, dest, narrow),
        _ => all::<1, _, _>(chars, dest, narrow_loop),
    }
}

/// Writes each byte as a character to the start of `dest`. True if all are ASCII.
#[inline]
pub(super) fn widen_short(bytes: &[u8], dest: &mut [MaybeUninit<u32>]) -> bool {
    let dest = &mut dest[..bytes.len()];
    match bytes.len() {
        33.. => all::<16, _, _>(bytes, dest, widen),
        17.. => ends::<16, _, _>(bytes, dest, widen),
        9.. => ends::<8, _, _>(bytes, dest, widen),
        4.. => ends::<4, _, _>(bytes, dest, widen),
        _ => all::<1, _, _>(bytes, dest, widen_loop),
    }
}

/// Runs `work` on each `N` elements and then on the last `N`, which may overlap those before. True if all are good.
#[inline(always)]
fn all<const N: usize, A, B>(from: &[A], to: &mut [B], work: impl Fn(&[A; N], &mut [B; N]) -> bool) -> bool {
    let chunks = from.as_chunks().0.iter().zip(to.as_chunks_mut().0);
    let good = chunks.fold(true, |good, (from, to)| good & work(from, to));
    match (from.last_chunk(), to.last_chunk_mut()) {
        (Some(from), Some(to)) => good & work(from, to),
        _ => good,
    }
}

/// Runs `work` on the first and the last `N` elements: on all, if there are `N` to `2 * N`. True if both are good.
#[inline(always)]
fn ends<const N: usize, A, B>(from: &[A], to: &mut [B], work: impl Fn(&[A; N], &mut [B; N]) -> bool) -> bool {
    let good = from.first_chunk().zip(to.first_chunk_mut()).is_none_or(|(from, to)| work(from, to));
    good & from.last_chunk().zip(to.last_chunk_mut()).is_none_or(|(from, to)| work(from, to))
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// True if all are ASCII and none is a NUL. Fastest for short texts.
#[inline]
pub(crate) fn is_plain_short(bytes: &[u8]) -> bool {
    // The high bits of bytes that are not ASCII. If there are none, the subtraction sets one only if a byte is 0.
    let other = |word: u64| (word.wrapping_sub(LOW) | word) & HIGH;
    if let (Some(first), Some(last)) = (bytes.first_chunk::<16>(), bytes.last_chunk::<16>()) {
        let blocks = bytes.as_chunks::<16>().0.iter().skip(1);
        blocks.fold(is_plain_block(first) & is_plain_block(last), |plain, block| plain & is_plain_block(block))
    } else if let (Some(&first), Some(&last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        other(u64::from_le_bytes(first)) | other(u64::from_le_bytes(last)) == 0
    } else if let (Some(&first), Some(&last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        other(u64::from(u32::from_le_bytes(first)) << 32 | u64::from(u32::from_le_bytes(last))) == 0
    } else {
        bytes.iter().all(|&byte| byte.wrapping_sub(1) < 0x7f)
    }
}

/// Counts the bytes that are not continuation bytes, of up to [`SHORT`].
///
/// ```text
/// for each 8 bytes as a word:   sum += 1 in each byte whose high bits are 0b10
/// the last bytes:               the last 8 as a word, less those that were counted
/// len - the bytes of sum added up, by one multiplication
/// ```
#[inline]
pub(super) fn count_short(bytes: &[u8]) -> usize {
    // A bit for each continuation byte.
    let inner = |word: u64| (word >> 7) & !(word >> 6) & LOW;
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(0, |sum, &word| sum + inner(u64::from_le_bytes(word)));
    let sum = match bytes.last_chunk::<8>() {
        // The shift drops the bytes that were counted.
        Some(_) if rest.is_empty() => sum,
        Some(&last) => sum + inner(u64::from_le_bytes(last) >> (8 * (8 - rest.len()))),
        None => return bytes.iter().filter(|&&byte| byte as i8 >= -64).count(),
    };
    bytes.len() - (sum.wrapping_mul(LOW) >> 56) as usize
}
