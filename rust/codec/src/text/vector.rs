//! The kernels in vectors: written once, compiled for each set of instructions in [`kernels`](super::kernels).

use std::mem::MaybeUninit;

use super::kernels::{RUN, pack_room};
use super::{ascii, check, lanes, pack, scalar};

/// Characters whose lengths are summed in 32 bits.
const SUM_RUN: usize = 1 << 10;

/// Bytes whose lead bytes are counted in 8 bits.
const COUNT_RUN: usize = 128;

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

#[inline(always)]
pub(super) fn encode(chars: &[u32], dest: &mut [MaybeUninit<u8>]) {
    let mut at = 0;
    for run in chars.chunks(RUN) {
        at += encode_run(run, &mut dest[at..]);
    }
    assert!(at == dest.len(), "text takes fewer bytes than planned");
}

/// Writes up to [`RUN`] characters to the start of `dest`, and perhaps something behind them; gives the length.
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

#[inline(always)]
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let (runs, _) = bytes.as_chunks::<RUN>();
    let plain = runs.iter().take_while(|run| ascii::is_plain(run)).count();
    check::is_text(&bytes[plain * RUN..])
}

#[inline(always)]
pub(super) fn utf32_len(text: &str) -> usize {
    let count = |run: &[u8]| run.iter().map(|&byte| u8::from(byte as i8 >= -64)).sum::<u8>();
    text.as_bytes().chunks(COUNT_RUN).map(|run| usize::from(count(run))).sum()
}
