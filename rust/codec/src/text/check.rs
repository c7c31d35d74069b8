//! Whether bytes are UTF-8, sixteen at a time.
//!
//! After Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte" (2021). What is wrong with two
//! bytes that follow each other shows in three of their four halves. Each half selects, from a table, a set of errors
//! that it allows; an error in all three sets has happened. What is left is whether the third and fourth bytes of a
//! character are there: a second continuation byte is an "error" that must happen exactly where one of these is due.

use super::lanes::{self, Lanes};

const TOO_SHORT: u8 = 1 << 0;
const TOO_LONG: u8 = 1 << 1;
const OVERLONG_3: u8 = 1 << 2;
const TOO_LARGE: u8 = 1 << 3;
const SURROGATE: u8 = 1 << 4;
const OVERLONG_2: u8 = 1 << 5;
/// Beyond U+13FFFF; with the same bit, a four-byte form of what takes three.
const TOO_LARGE_1000: u8 = 1 << 6;
const OVERLONG_4: u8 = 1 << 6;
const TWO_CONTINUATIONS: u8 = 1 << 7;

/// What the lower half of the first byte says nothing about.
const CARRY: u8 = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS;

/// By the upper half of the first byte.
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

/// By the lower half of the first byte.
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

/// By the upper half of the second byte.
const SECOND_HIGH: [u8; 16] = {
    let mut sets = [TOO_SHORT; 16];
    let any = TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS;
    sets[8] = any | OVERLONG_3 | TOO_LARGE_1000 | OVERLONG_4;
    sets[9] = any | OVERLONG_3 | TOO_LARGE;
    sets[10] = any | SURROGATE | TOO_LARGE;
    sets[11] = any | SURROGATE | TOO_LARGE;
    sets
};

/// Whether `bytes` are UTF-8 without a NUL.
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
    // The zeros behind the end take the place of what may be missing there.
    let last = lanes::load(bytes, bytes.len() - rest.len());
    errors = errors.or(self::errors(before, last));
    let zeros = match bytes.last_chunk() {
        Some(&last) => Lanes::of_bytes(last).zero_bytes(),
        None if rest.contains(&0) => return false,
        None => none,
    };
    errors.or(zeros).is_zero()
}

/// What is wrong with bytes that follow others: 0 for each that is right.
#[inline(always)]
fn errors(before: Lanes, bytes: Lanes) -> Lanes {
    let half = Lanes::all_bytes(0x0f);
    let [first, second, third] = bytes.earlier(before);
    let sets = Lanes::of_bytes(FIRST_HIGH).pick(first.shr::<4>().and(half));
    let sets = sets.and(Lanes::of_bytes(FIRST_LOW).pick(first.and(half)));
    let sets = sets.and(Lanes::of_bytes(SECOND_HIGH).pick(bytes.shr::<4>().and(half)));
    // The upper bit of each byte that must be the third of a character, or the fourth.
    let due = second.less(Lanes::all_bytes(0xe0 - 0x80)).or(third.less(Lanes::all_bytes(0xf0 - 0x80)));
    sets.xor(due.and(Lanes::all_bytes(TWO_CONTINUATIONS)))
}
