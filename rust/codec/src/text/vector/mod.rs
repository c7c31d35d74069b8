//! The kernels that take text of any length. Written once, compiled for each instruction set by `kernels`.

mod check;
pub(super) mod lanes;
pub(super) mod pack;
pub(super) mod unpack;

use std::mem::MaybeUninit;

use super::scalar::{RUN, pack_room};
use super::{ascii, scalar};

/// Characters that are measured together, in 32-bit lanes.
const SUM_RUN: usize = 1 << 10;

/// Bytes that are counted in 8-bit lanes, which hold up to 255.
const COUNT_RUN: usize = 128;

/// See [`scalar::utf8_len`]. The compiler turns both passes over a run into vectors.
///
/// ```text
/// for each run of SUM_RUN characters:
///     seen = all characters ORed
///     seen < 2^7    run.len()                                                 ASCII
///     seen < 2^21   run.len() + how many are > 0x7f + how many > 0x7ff + how many > 0xffff
///     else          the scalar kernel: some take five bytes or more
/// ```
#[inline(always)]
pub(super) fn utf8_len(chars: &[u32]) -> usize {
    chars
        .chunks(SUM_RUN)
        .map(|run| match run.iter().fold(0, |seen, &c| seen | c) {
            0..=0x7f => run.len(),
            0x80..=0x1f_ffff => {
                let longer = |c: i32| i32::from(c > 0x7f) + i32::from(c > 0x7ff) + i32::from(c > 0xffff);
                run.len() + run.iter().map(|&c| longer(c as i32)).sum::<i32>() as usize
            }
            _ => scalar::utf8_len(run),
        })
        .sum()
}

/// See [`scalar::encode`].
///
/// ```text
/// for each run of RUN characters, at the offset that the runs before it have reached:
///     all ASCII and a whole run   narrow: one byte a character
///     else                        pack, into dest if pack_room bytes remain, else into a buffer, then copy
///     pack returns None           the scalar kernel
/// the last offset is dest.len(), or panic
/// ```
#[inline(always)]
pub(super) fn encode(chars: &[u32], dest: &mut [MaybeUninit<u8>]) {
    let mut at = 0;
    for run in chars.chunks(RUN) {
        at += encode_run(run, &mut dest[at..]);
    }
    assert!(at == dest.len(), "text takes fewer bytes than planned");
}

/// Encodes up to [`RUN`] characters at the start of `dest`, may write anything after them, and returns their length.
#[inline(always)]
fn encode_run(run: &[u32], dest: &mut [MaybeUninit<u8>]) -> usize {
    if let (Some(run), Some(place)) = (run.first_chunk::<RUN>(), dest.first_chunk_mut::<RUN>())
        && lanes::narrow(run, place)
    {
        return RUN;
    }
    let room = pack_room(run.len());
    let mut buffer = [const { MaybeUninit::uninit() }; pack_room(RUN)];
    let fits = dest.len() >= room;
    match pack::pack(run, if fits { dest } else { &mut buffer[..room] }) {
        Some(len) if fits => len,
        Some(len) => {
            dest.get_mut(..len).expect("text takes more bytes than planned").copy_from_slice(&buffer[..len]);
            len
        }
        None => {
            let len = scalar::utf8_len(run);
            scalar::encode(run, dest.get_mut(..len).expect("text takes more bytes than planned"));
            len
        }
    }
}

/// See [`scalar::is_text`].
///
/// ```text
/// skip whole runs of RUN bytes in 0x01..=0x7f
/// check the rest
/// ```
#[inline(always)]
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let (runs, _) = bytes.as_chunks::<RUN>();
    let plain = runs.iter().take_while(|run| ascii::is_plain(run)).count();
    check::is_text(&bytes[plain * RUN..])
}

/// See [`scalar::utf32_len`].
///
/// ```text
/// count the bytes that are not 0b10xx_xxxx, continuation bytes: as signed numbers, those from -64 on
/// ```
#[inline(always)]
pub(super) fn utf32_len(text: &str) -> usize {
    let count = |run: &[u8]| run.iter().map(|&byte| u8::from(byte as i8 >= -64)).sum::<u8>();
    text.as_bytes().chunks(COUNT_RUN).map(|run| usize::from(count(run))).sum()
}
