//! UTF-8 to UTF-32, four bytes at a time.
//!
//! For each four bytes, the characters that begin in them are written: one shuffle gives each character a word of its
//! own, with its last byte lowest. Which one, the lead bytes among these and the next four bytes say. So no step waits
//! for the length of a character before it.

use std::mem::MaybeUninit;

use super::ascii;
use super::lanes::{self, Lanes};

/// Bytes that are looked at for being ASCII.
const ASCII_RUN: usize = 64;

/// For eight bytes, of which a bit says whether it is a lead byte.
struct Windows {
    /// Which byte comes to each place, for the characters that begin in the first four bytes.
    indices: [[u8; 16]; 256],
    /// How many these are.
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

/// Writes `text` as UTF-32 over the whole of `dest`.
///
/// # Panics
/// If `text` has not as many characters as `dest`.
#[inline(always)]
pub(super) fn unpack(text: &str, dest: &mut [MaybeUninit<u32>]) {
    let text = text.as_bytes();
    let (mut at, mut written) = (0, 0);
    // Four slots are written to each time, though not all with what stays.
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
        // The last four bytes only say where the character before them ends.
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
    // Up to three characters are left, among the last 16 bytes.
    let tail = lanes::load(text, text.len().saturating_sub(16));
    let tail_len = text.len().min(16);
    let mut leads = tail.leads() & ((1 << tail_len) - 1);
    let count = tail_len.checked_sub(text.len() - at).map(|done| (leads >> done).count_ones() as usize);
    assert!(count == Some(dest.len() - written), "text has other than the planned characters");
    let tail = u128::from_le_bytes(tail.bytes());
    // As many are written again where none is left, which costs less than to look.
    for slot in dest.iter_mut().rev().take(3) {
        let start = leads.ilog2();
        leads ^= 1 << start;
        slot.write(point((tail >> (8 * start)) as u32));
    }
}

/// The characters whose bytes are these, the last lowest.
#[inline(always)]
fn points(bytes: Lanes) -> Lanes {
    // Bit 6 says of the third byte from the end that it is a lead byte. Then its bit 5 is no part of the character.
    let mark = bytes.and(Lanes::all_words(0x40_0000)).shr::<1>();
    bytes.and(Lanes::all_words(0x073f_3f7f)).xor(mark).join()
}

/// The character at the start of four bytes.
#[inline(always)]
fn point(bytes: u32) -> u32 {
    /// For the upper half of a lead byte: bits to drop behind the character, and bits of it.
    const FORMS: [(u32, u32); 16] = {
        let mut forms = [(18, 7); 16];
        (forms[12], forms[13], forms[14], forms[15]) = ((12, 11), (12, 11), (6, 16), (0, 21));
        forms
    };
    let word = bytes.swap_bytes();
    let bits = (word & 0x7f00_0000) >> 6 | (word & 0x3f_0000) >> 4 | (word & 0x3f00) >> 2 | word & 0x3f;
    let (drop, count) = FORMS[(word >> 28) as usize];
    bits >> drop & ((1 << count) - 1)
}
