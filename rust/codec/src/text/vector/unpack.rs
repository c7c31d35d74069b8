//! Decodes UTF-8 to UTF-32, four bytes at a time. The text is valid: a `str`.
//!
//! Each step writes the characters that begin in four bytes. It needs the lead bytes among these and the next four, and
//! no character's length, so that no step waits for the one before it.
//!
//! ```text
//! while four bytes and four slots remain:
//!     64 bytes are ASCII and 64 slots remain:  widen them, continue after them
//!     block = the next 16 bytes, zeros after the end
//!     three times, as the last four bytes of the block serve only as the next four:
//!         leads  = a bit for each lead byte among the first eight of block
//!         spread = the bytes of block in the order WINDOWS.indices[leads]: each character in a word of its own,
//!                  the last byte lowest
//!                      41 c3 a9 e6|97 a5 ..    leads 0b..001011    00000041 0000c3a9 00e697a5 00000000
//!         dest[written..written + 4] = points(spread)
//!         written += WINDOWS.count[leads]      the next store overwrites the rest
//!         block   = block without its first four bytes
//! as many leads remain as dest has slots, up to three, or panic
//! the same for these, by way of a buffer
//! ```

use std::mem::MaybeUninit;

use super::lanes::{self, Lanes};
use crate::text::ascii;

/// Bytes that are checked at once for being ASCII.
const ASCII_RUN: usize = 64;

/// Tables for spreading the characters that begin in the first four of eight bytes, by the `leads` of the eight.
struct Windows {
    /// The index of the byte that goes to each byte of the words; 0x80, which picks a zero, in the rest.
    indices: [[u8; 16]; 256],
    /// The number of these characters.
    count: [u8; 256],
}

static WINDOWS: Windows = {
    let mut windows = Windows { indices: [[0x80; 16]; 256], count: [0; 256] };
    let mut leads = 0_usize;
    while leads < 256 {
        let (mut start, mut lane) = (0, 0);
        while start < 4 {
            if leads >> start & 1 == 1 {
                let mut end = start + 1;
                while end < start + 4 && leads >> end & 1 == 0 {
                    end += 1;
                }
                let mut at = start;
                while at < end {
                    windows.indices[leads][4 * lane + (end - 1 - at)] = at as u8;
                    at += 1;
                }
                lane += 1;
            }
            start += 1;
        }
        windows.count[leads] = lane as u8;
        leads += 1;
    }
    windows
};

/// See [`scalar::write_utf32`](crate::text::scalar::write_utf32).
#[inline(always)]
pub(in crate::text) fn unpack(text: &str, dest: &mut [MaybeUninit<u32>]) {
    let text = text.as_bytes();
    let (mut at, mut written) = (0, 0);
    // A step writes four slots, of which the next one overwrites those that got no character.
    'text: while at + 4 <= text.len() && written + 4 <= dest.len() {
        if let Some(slots) = dest[written..].first_chunk_mut::<ASCII_RUN>()
            && let Some(run) = text[at..].first_chunk::<ASCII_RUN>()
            && ascii::is_ascii(run)
        {
            ascii::widen_loop(run, slots);
            at += ASCII_RUN;
            written += ASCII_RUN;
            continue;
        }
        let mut block = lanes::load(text, at);
        let mut leads = block.leads();
        for _ in 0..3 {
            if at + 4 > text.len() || written + 4 > dest.len() {
                break 'text;
            }
            let chars = points(block.pick(Lanes::of_bytes(WINDOWS.indices[leads & 0xff])));
            dest[written..written + 4].write_copy_of_slice(&chars.words());
            written += usize::from(WINDOWS.count[leads & 0xff]);
            at += 4;
            (block, leads) = (block.skip_word(), leads >> 4);
        }
    }
    // The characters that remain begin in the next twelve bytes.
    let mut block = lanes::load(text, at);
    let mut leads = block.leads();
    let count = (leads & ((1 << (text.len() - at).min(16)) - 1)).count_ones() as usize;
    assert!(count == dest.len() - written, "text has other than the planned characters");
    let (mut tail, mut found) = ([0; 12], 0);
    for _ in 0..3 {
        let chars = points(block.pick(Lanes::of_bytes(WINDOWS.indices[leads & 0xff])));
        tail[found..found + 4].copy_from_slice(&chars.words());
        found += usize::from(WINDOWS.count[leads & 0xff]);
        (block, leads) = (block.skip_word(), leads >> 4);
    }
    for (slot, c) in dest[written..].iter_mut().zip(tail) {
        slot.write(c);
    }
}

/// Returns the characters whose UTF-8 bytes are in `bytes`, a word each, the last byte lowest.
///
/// ```text
/// keep 6 bits of bytes 0 to 2 (bit 6 of byte 0 too, for ASCII) and 3 bits of byte 3
/// clear what a lead byte has of its mark within these: bit 5 of byte 2, if its bit 6 says that it is a lead byte
/// join the groups of bits
/// ```
#[inline(always)]
fn points(bytes: Lanes) -> Lanes {
    let mark = bytes.and(Lanes::all_words(0x40_0000)).shr::<1>();
    bytes.and(Lanes::all_words(0x073f_3f7f)).xor(mark).join()
}
