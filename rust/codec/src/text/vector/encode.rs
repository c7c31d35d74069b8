//! Encodes UTF-32 as UTF-8: measures runs of characters, narrows those of ASCII, and packs others four at a time.

use std::mem::MaybeUninit;

use super::lanes::{Lanes, narrow};
use crate::text::scalar::{self, RUN, pack_room};

/// Characters that are measured together, in 32-bit lanes.
const SUM_RUN: usize = 1 << 10;

/// See [`scalar::utf8_len`]. The compiler turns both passes over a run into vectors.
#[inline(always)]
pub fn utf8_len(chars: &[u32]) -> usize {
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
pub fn encode(chars: &[u32], dest: &mut [MaybeUninit<u8>]) {
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
        && narrow(run, place)
    {
        return RUN;
    }
    let room = pack_room(run.len());
    let mut buffer = [const { MaybeUninit::uninit() }; pack_room(RUN)];
    let fits = dest.len() >= room;
    match pack(run, if fits { dest } else { &mut buffer[..room] }) {
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

/// Tables for packing four characters, by their `lengths`.
struct Packs {
    /// The index in the spread characters of each byte to write; 0x80, which picks a zero, after the last.
    indices: [[u8; 16]; 256],
    /// Bytes that all four take.
    len: [u8; 256],
}

static PACKS: Packs = {
    let mut packs = Packs { indices: [[0x80; 16]; 256], len: [0; 256] };
    let mut lengths = 0;
    while lengths < 256 {
        let (mut at, mut lane) = (0, 0);
        while lane < 4 {
            let mut remaining = 1 + (lengths >> lane & 1) + 2 * (lengths >> (4 + lane) & 1);
            while remaining > 0 {
                remaining -= 1;
                packs.indices[lengths][at] = (4 * lane + remaining) as u8;
                at += 1;
            }
            lane += 1;
        }
        packs.len[lengths] = at as u8;
        lengths += 1;
    }
    packs
};

/// See [`Kernels::pack`](crate::text::Kernels::pack).
///
/// ```text
/// for each four characters:
///     spread  = each character as its UTF-8 bytes within its 32-bit word, the last byte lowest
///                   U+0041  00 00 00 41      U+00e9  00 00 c3 a9      U+65e5  00 e6 97 a5
///     lengths = the length less one of each, in two bits:   bits 0..4 low bits, bits 4..8 high bits
///     dest[at..at + 16] = the bytes of spread in the order PACKS.indices[lengths]: 41 c3 a9 e6 97 a5 ...
///     at += PACKS.len[lengths]             the next store overwrites the rest
/// one to three characters at the end: the same, with NULs after them that are not counted
/// None if a character is 2^21 or more, as its bytes are wrong then
/// panic if dest is shorter than pack_room
/// ```
#[inline(always)]
pub fn pack(chars: &[u32], dest: &mut [MaybeUninit<u8>]) -> Option<usize> {
    let (blocks, rest) = chars.as_chunks::<4>();
    let mut seen = Lanes::all_words(0);
    let mut at = 0;
    for &block in blocks {
        let chars = Lanes::of_words(block);
        seen = seen.or(chars);
        let (bytes, len) = four(chars);
        dest[at..at + 16].write_copy_of_slice(&bytes.bytes());
        at += len;
    }
    if !rest.is_empty() {
        let mut block = [0; 4];
        block[..rest.len()].copy_from_slice(rest);
        let chars = Lanes::of_words(block);
        seen = seen.or(chars);
        let (bytes, len) = four(chars);
        dest[at..at + 16].write_copy_of_slice(&bytes.bytes());
        at += len - (4 - rest.len());
    }
    seen.shr::<21>().is_zero().then_some(at)
}

/// Packs four characters. Returns their bytes and how many there are.
///
/// ```text
/// two, three, four = all ones in the words of characters of at least that length
/// low    = bits 0..6   at bit 0  | bits 6..12  at bit 8
/// high   = bits 12..18 at bit 16 | bits 18..21 at bit 24
/// marks  = by length:  0    c0 80    e0 80 80    f0 80 80 80
/// spread = low | high | marks | bit 6 at bit 6 if the length is one
/// ```
#[inline(always)]
fn four(chars: Lanes) -> (Lanes, usize) {
    let (two, three, four) = (chars.above(0x7f), chars.above(0x7ff), chars.above(0xffff));
    let part = |lanes: Lanes, mask| lanes.and(Lanes::all_words(mask));
    let low = part(chars, 0x3f).or(part(chars.shl::<2>(), 0x3f00));
    let high = part(chars.shl::<4>(), 0x3f_0000).or(part(chars.shl::<6>(), 0x700_0000));
    // XOR with the marks of each length turns those of the length below into its own.
    let marks = part(two, 0xc080).xor(part(three, 0xe0_4000)).xor(part(four, 0xf060_0000));
    // Subtracts all ones or nothing: never below 0.
    let seventh = part(chars, 0x40).less(two);
    let spread = low.or(high).or(marks).or(seventh);
    let lengths = two.xor(three).xor(four).signs() | three.signs() << 4;
    (spread.pick(Lanes::of_bytes(PACKS.indices[lengths])), usize::from(PACKS.len[lengths]))
}
