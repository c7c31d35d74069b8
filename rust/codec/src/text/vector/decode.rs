//! Decodes UTF-8: validates it, counts its characters, and writes them as UTF-32.

use std::mem::MaybeUninit;

use super::lanes::{Lanes, load};
use crate::text::ascii;
use crate::text::scalar::{self, RUN};

/// See [`scalar::is_text`](crate::text::scalar::is_text).
#[inline(always)]
pub fn is_text(bytes: &[u8]) -> bool {
    let (runs, _) = bytes.as_chunks::<RUN>();
    let plain = runs.iter().take_while(|run| ascii::is_plain(run)).count();
    check(&bytes[plain * RUN..])
}

const TOO_SHORT: u8 = 1 << 0;
const TOO_LONG: u8 = 1 << 1;
const OVERLONG_3: u8 = 1 << 2;
const TOO_LARGE: u8 = 1 << 3;
const SURROGATE: u8 = 1 << 4;
const OVERLONG_2: u8 = 1 << 5;
/// Beyond U+13FFFF. Shares its bit with [`OVERLONG_4`], as no byte pair can be both.
const TOO_LARGE_1000: u8 = 1 << 6;
const OVERLONG_4: u8 = 1 << 6;
const TWO_CONTINUATIONS: u8 = 1 << 7;

/// Faults that any low nibble of the first byte is compatible with.
const CARRY: u8 = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS;

/// By the high nibble of the first byte.
const FIRST_HIGH: [u8; 16] = {
    let mut sets = [TOO_LONG; 16];
    let mut half = 8;
    while half < 12 {
        sets[half] = TWO_CONTINUATIONS;
        half += 1;
    }
    sets[12] = TOO_SHORT | OVERLONG_2;
    sets[13] = TOO_SHORT;
    sets[14] = TOO_SHORT | OVERLONG_3 | SURROGATE;
    sets[15] = TOO_SHORT | TOO_LARGE | TOO_LARGE_1000 | OVERLONG_4;
    sets
};

/// By the low nibble of the first byte.
const FIRST_LOW: [u8; 16] = {
    let mut sets = [CARRY | TOO_LARGE | TOO_LARGE_1000; 16];
    sets[0] = CARRY | OVERLONG_3 | OVERLONG_2 | OVERLONG_4;
    sets[1] = CARRY | OVERLONG_2;
    sets[2] = CARRY;
    sets[3] = CARRY;
    sets[4] = CARRY | TOO_LARGE;
    sets[13] |= SURROGATE;
    sets
};

/// By the high nibble of the second byte.
const SECOND_HIGH: [u8; 16] = {
    let mut sets = [TOO_SHORT; 16];
    let any = TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS;
    sets[8] = any | OVERLONG_3 | TOO_LARGE_1000 | OVERLONG_4;
    sets[9] = any | OVERLONG_3 | TOO_LARGE;
    sets[10] = any | SURROGATE | TOO_LARGE;
    sets[11] = any | SURROGATE | TOO_LARGE;
    sets
};

/// After Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte" (2021): 16 bytes at a time.
///
/// Every fault of two adjacent bytes shows in three of their four nibbles. Each nibble selects, from its own table, the
/// set of faults that it is compatible with; a fault in all three sets is present. That leaves the third and fourth
/// bytes of characters: two adjacent continuation bytes count as a "fault" that must occur exactly where one is due.
///
/// ```text
/// for each block of 16 bytes, then for the last bytes with zeros after them:
///     first, second, third = the bytes one, two and three before each byte, from this block and the last
///     sets   = FIRST_HIGH[first >> 4] & FIRST_LOW[first & 15] & SECOND_HIGH[byte >> 4]
///     due    = second >= 0xe0 or third >= 0xf0       this byte is the third or fourth of a character
///     faults = sets ^ (TWO_CONTINUATIONS if due)
///     any fault, or a byte that is NUL: not text
/// ```
///
/// The zeros after the end are not continuation bytes, so a character that is cut off there is a fault as well.
#[inline(always)]
fn check(bytes: &[u8]) -> bool {
    let none = Lanes::all_bytes(0);
    let (mut errors, mut before) = (none, none);
    let (blocks, rest) = bytes.as_chunks::<16>();
    for &block in blocks {
        let block = Lanes::of_bytes(block);
        errors = errors.or(block.zero_bytes()).or(faults(before, block));
        before = block;
    }
    let last = load(bytes, bytes.len() - rest.len());
    errors = errors.or(faults(before, last));
    // `load` pads with zeros, so NULs are looked for in the last 16 bytes themselves.
    let zeros = match bytes.last_chunk() {
        Some(&last) => Lanes::of_bytes(last).zero_bytes(),
        None if rest.contains(&0) => return false,
        None => none,
    };
    errors.or(zeros).is_zero()
}

/// Returns the faults of each of `bytes`, which follow `before`: 0 if there is none.
#[inline(always)]
fn faults(before: Lanes, bytes: Lanes) -> Lanes {
    let half = Lanes::all_bytes(0x0f);
    let (first, second) = (bytes.earlier::<15>(before), bytes.earlier::<14>(before));
    let third = bytes.earlier::<13>(before);
    let sets = Lanes::of_bytes(FIRST_HIGH).pick(first.shr::<4>().and(half));
    let sets = sets.and(Lanes::of_bytes(FIRST_LOW).pick(first.and(half)));
    let sets = sets.and(Lanes::of_bytes(SECOND_HIGH).pick(bytes.shr::<4>().and(half)));
    // `due` in the high bit: saturating subtraction leaves it set for 0xe0 or 0xf0 and above.
    let due = second.less(Lanes::all_bytes(0xe0 - 0x80)).or(third.less(Lanes::all_bytes(0xf0 - 0x80)));
    sets.xor(due.and(Lanes::all_bytes(TWO_CONTINUATIONS)))
}

/// Bytes that are counted in 8-bit lanes, which hold up to 255.
const COUNT_RUN: usize = 128;

/// See [`scalar::utf32_len`](crate::text::scalar::utf32_len).
///
/// ```text
/// count the bytes that are not 0b10xx_xxxx, continuation bytes: as signed numbers, those from -64 on
/// ```
#[inline(always)]
pub fn utf32_len(text: &str) -> usize {
    let count = |run: &[u8]| run.iter().map(|&byte| u8::from(byte as i8 >= -64)).sum::<u8>();
    text.as_bytes().chunks(COUNT_RUN).map(|run| usize::from(count(run))).sum()
}

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
///
/// Each step writes the characters that begin in four bytes. It needs the lead bytes among these and the next four, and
/// no character's length, so that no step waits for the one before it.
///
/// ```text
/// while four bytes and four slots remain:
///     64 bytes are ASCII and 64 slots remain:  widen them, continue after them
///     block = the next 16 bytes, zeros after the end
///     three times, as the last four bytes of the block serve only as the next four:
///         leads  = a bit for each lead byte among the first eight of block
///         spread = the bytes of block in the order WINDOWS.indices[leads]: each character in a word of its own,
///                  the last byte lowest
///                      41 c3 a9 e6|97 a5 ..    leads 0b..001011    00000041 0000c3a9 00e697a5 00000000
///         dest[written..written + 4] = points(spread)
///         written += WINDOWS.count[leads]      the next store overwrites the rest
///         block   = block without its first four bytes
/// the scalar kernel for the few characters that remain
/// ```
#[inline(always)]
pub fn unpack(text: &str, dest: &mut [MaybeUninit<u32>]) {
    let bytes = text.as_bytes();
    let (mut at, mut written) = (0, 0);
    // A step writes four slots, of which the next one overwrites those that got no character.
    'text: while at + 4 <= bytes.len() && written + 4 <= dest.len() {
        if let Some(slots) = dest[written..].first_chunk_mut::<RUN>()
            && let Some(run) = bytes[at..].first_chunk::<RUN>()
            && ascii::is_ascii(run)
        {
            ascii::widen_loop(run, slots);
            at += RUN;
            written += RUN;
            continue;
        }
        let mut block = load(bytes, at);
        let mut leads = block.leads();
        for _ in 0..3 {
            if at + 4 > bytes.len() || written + 4 > dest.len() {
                break 'text;
            }
            let chars = points(block.pick(Lanes::of_bytes(WINDOWS.indices[leads & 0xff])));
            dest[written..written + 4].write_copy_of_slice(&chars.words());
            written += usize::from(WINDOWS.count[leads & 0xff]);
            at += 4;
            (block, leads) = (block.skip_word(), leads >> 4);
        }
    }
    // The few that remain. What began before `at` is written.
    scalar::write_utf32(&text[text.ceil_char_boundary(at)..], &mut dest[written..]);
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
