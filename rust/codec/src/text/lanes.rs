//! Sixteen bytes, or four characters, at once: the few operations that the compiler does not vectorize by itself.
//!
//! `Lanes` has the same methods for x86-64 and for aarch64, each one or two instructions, so that all algorithms are
//! written once.
//!
//! Required of the processor: on x86-64, `pick`, `earlier` and `join` need SSSE3. `load`, `check`, `pack` and `unpack`
//! use them, so only the sets in `kernels` may call these. The rest needs SSE2 or NEON, which every x86-64 and every
//! aarch64 that an engine runs on has.

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::mem::MaybeUninit;

#[cfg(target_arch = "aarch64")]
pub(super) use neon::Lanes;
#[cfg(target_arch = "x86_64")]
pub(super) use x86::Lanes;

/// Indices for `pick`: those from N on move the bytes of a block N bytes to the front, with zeros after them.
const LAST: [u8; 32] = {
    let mut indices = [0x80; 32];
    let mut index = 0;
    while index < 16 {
        indices[index] = index as u8;
        index += 1;
    }
    indices
};

/// Loads the 16 bytes from `at` on, with zeros after the end.
///
/// ```text
/// 16 or more from at on:   load the first 16
/// 16 or more in all:       load the last 16, move those before at out
/// else:                    padded
/// ```
///
/// # Panics
/// If `at` is past the end.
#[inline(always)]
pub(super) fn load(bytes: &[u8], at: usize) -> Lanes {
    let rest = &bytes[at..];
    match (rest.first_chunk(), bytes.last_chunk()) {
        (Some(&block), _) => Lanes::of_bytes(block),
        (None, Some(&last)) => {
            let indices = LAST[16 - rest.len()..].first_chunk().expect("16 indices or more");
            Lanes::of_bytes(last).pick(Lanes::of_bytes(*indices))
        }
        (None, None) => Lanes::of_bytes(padded(rest)),
    }
}

/// Loads fewer than 16 bytes, with zeros after them.
///
/// ```text
/// 8 and more:   the first 8 | the last 8, moved to their offset; they may overlap
/// 4 and more:   the first 4 | the last 4, moved to their offset
/// else:         byte by byte
/// ```
#[inline(always)]
fn padded(bytes: &[u8]) -> [u8; 16] {
    let len = bytes.len();
    let word = if let (Some(&first), Some(&last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u128::from(u64::from_le_bytes(first)) | u128::from(u64::from_le_bytes(last)) << (8 * (len - 8))
    } else if let (Some(&first), Some(&last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u128::from(u32::from_le_bytes(first)) | u128::from(u32::from_le_bytes(last)) << (8 * (len - 4))
    } else {
        bytes.iter().rev().fold(0, |word, &byte| word << 8 | u128::from(byte))
    };
    word.to_le_bytes()
}

/// Writes the low byte of each character. True if all are ASCII; otherwise the bytes are meaningless.
///
/// ```text
/// sixteen at a time, then eight or four:   seen |= the characters; write them narrowed
/// all are ASCII if seen < 2^7
/// ```
#[inline(always)]
pub(super) fn narrow<const N: usize>(chars: &[u32; N], dest: &mut [MaybeUninit<u8>; N]) -> bool {
    let mut seen = Lanes::all_words(0);
    let mut four = |chars: &[u32; 4]| {
        let chars = Lanes::of_words(*chars);
        seen = seen.or(chars);
        chars
    };
    let (runs, rest) = chars.as_chunks::<16>();
    let (places, last) = dest.as_chunks_mut::<16>();
    for (run, place) in runs.iter().zip(places) {
        let [a, b, c, d] = run.as_chunks().0 else { unreachable!("four of four") };
        place.write_copy_of_slice(&Lanes::narrow([four(a), four(b), four(c), four(d)]).bytes());
    }
    match (rest.as_chunks().0, last.len()) {
        ([a, b], 8) => {
            let (a, b) = (four(a), four(b));
            last.write_copy_of_slice(&Lanes::narrow([a, b, a, b]).bytes()[..8]);
        }
        (all, _) => {
            for (a, place) in all.iter().zip(last.as_chunks_mut::<4>().0) {
                let a = four(a);
                place.write_copy_of_slice(&Lanes::narrow([a; 4]).bytes()[..4]);
            }
        }
    }
    seen.shr::<7>().is_zero()
}

/// Writes each byte as a character. True if all are ASCII.
///
/// ```text
/// sixteen at a time, then four:   seen |= the bytes; write them widened
/// all are ASCII if no byte of seen has its high bit
/// ```
#[inline(always)]
pub(super) fn widen<const N: usize>(bytes: &[u8; N], dest: &mut [MaybeUninit<u32>; N]) -> bool {
    let mut seen = Lanes::all_bytes(0);
    let (runs, rest) = bytes.as_chunks::<16>();
    let (places, last) = dest.as_chunks_mut::<16>();
    for (run, place) in runs.iter().zip(places) {
        let run = Lanes::of_bytes(*run);
        seen = seen.or(run);
        let chars = run.widen();
        for (chars, place) in chars.into_iter().zip(place.as_chunks_mut::<4>().0) {
            place.write_copy_of_slice(&chars.words());
        }
    }
    for (run, place) in rest.as_chunks::<4>().0.iter().zip(last.as_chunks_mut::<4>().0) {
        let run = Lanes::of_words([u32::from_le_bytes(*run), 0, 0, 0]);
        seen = seen.or(run);
        place.write_copy_of_slice(&run.widen()[0].words());
    }
    seen.and(Lanes::all_bytes(0x80)).is_zero()
}

/// True if all are ASCII and none is a NUL.
///
/// ```text
/// no byte | (byte == 0) has its high bit
/// ```
#[inline(always)]
pub(super) fn is_plain(bytes: &[u8; 16]) -> bool {
    let bytes = Lanes::of_bytes(*bytes);
    bytes.or(bytes.zero_bytes()).and(Lanes::all_bytes(0x80)).is_zero()
}
