//! UTF-32 to UTF-8, four characters at a time.
//!
//! Each character is spread over the four bytes of its word, six bits a byte, the last byte lowest. Then one shuffle
//! brings the bytes of all four together: which one, the lengths of the characters say.

use std::mem::MaybeUninit;

use super::lanes::Lanes;

/// For the lengths of four characters, each less one, their lower bits first, then their upper bits.
struct Packs {
    /// Which byte of the spread characters comes to each place.
    indices: [[u8; 16]; 256],
    /// Bytes of all four.
    len: [u8; 256],
}

static PACKS: Packs = {
    let mut packs = Packs { indices: [[0x80; 16]; 256], len: [0; 256] };
    let mut lengths = 0;
    while lengths < 256 {
        let (mut at, mut lane) = (0, 0);
        while lane < 4 {
            let mut left = 1 + (lengths >> lane & 1) + 2 * (lengths >> (4 + lane) & 1);
            while left > 0 {
                left -= 1;
                packs.indices[lengths][at] = (4 * lane + left) as u8;
                at += 1;
            }
            lane += 1;
        }
        packs.len[lengths] = at as u8;
        lengths += 1;
    }
    packs
};

/// Writes `chars` as UTF-8 to the start of `dest`, and perhaps something behind it; gives the length. `None` if a
/// character takes more than four bytes.
///
/// # Panics
/// If `dest` is not as long as [`pack_room`](super::kernels::pack_room) says.
#[inline(always)]
pub(super) fn pack(chars: &[u32], dest: &mut [MaybeUninit<u8>]) -> Option<usize> {
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
    // What is too long was written as something else: the caller does it again.
    seen.shr::<21>().is_zero().then_some(at)
}

#[inline(always)]
fn four(chars: Lanes) -> (Lanes, usize) {
    let (two, three, four) = (chars.above(0x7f), chars.above(0x7ff), chars.above(0xffff));
    let part = |lanes: Lanes, mask| lanes.and(Lanes::all_words(mask));
    let low = part(chars, 0x3f).or(part(chars.shl::<2>(), 0x3f00));
    let high = part(chars.shl::<4>(), 0x3f_0000).or(part(chars.shl::<6>(), 0x700_0000));
    // The marks of each length, less those of the length before it.
    let marks = part(two, 0xc080).xor(part(three, 0xe0_4000)).xor(part(four, 0xf060_0000));
    // Of a single byte, seven bits.
    let seventh = part(chars, 0x40).and_not(two);
    let spread = low.or(high).or(marks).or(seventh);
    let lengths = two.xor(three).xor(four).signs() | three.signs() << 4;
    (spread.pick(Lanes::of_bytes(PACKS.indices[lengths])), usize::from(PACKS.len[lengths]))
}
