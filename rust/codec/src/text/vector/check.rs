//! Validates UTF-8, sixteen bytes at a time, after Keiser and Lemire, "Validating UTF-8 in less than one instruction
//! per byte" (2021).
//!
//! Every fault of two adjacent bytes shows in three of their four nibbles. Each nibble selects, from its own table,
//! the set of faults that it is compatible with; a fault in all three sets is present. That leaves the third and
//! fourth bytes of characters: two adjacent continuation bytes count as a "fault" that must occur exactly where one is
//! due.
//!
//! ```text
//! for each block of 16 bytes, then for the last bytes with zeros after them:
//!     first, second, third = the bytes one, two and three before each byte, from this block and the last
//!     sets   = FIRST_HIGH[first >> 4] & FIRST_LOW[first & 15] & SECOND_HIGH[byte >> 4]
//!     due    = second >= 0xe0 or third >= 0xf0       this byte is the third or fourth of a character
//!     faults = sets ^ (TWO_CONTINUATIONS if due)
//!     any fault, or a byte that is NUL: not text
//! ```
//!
//! The zeros after the end are not continuation bytes, so a character that is cut off there is a fault as well.

use super::lanes::{self, Lanes};

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

/// See [`scalar::is_text`](crate::text::scalar::is_text).
#[inline(always)]
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let none = Lanes::all_bytes(0);
    let (mut errors, mut before) = (none, none);
    let (blocks, rest) = bytes.as_chunks::<16>();
    for &block in blocks {
        let block = Lanes::of_bytes(block);
        errors = errors.or(block.zero_bytes()).or(self::errors(before, block));
        before = block;
    }
    let last = lanes::load(bytes, bytes.len() - rest.len());
    errors = errors.or(self::errors(before, last));
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
fn errors(before: Lanes, bytes: Lanes) -> Lanes {
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
