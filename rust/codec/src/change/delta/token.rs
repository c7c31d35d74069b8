//! Tokens: how they are written and read, and how plans of many short parts are made.

use crate::limits::INLINE_LEN;
use crate::plan::{Borrowed, Plan};

/// The code of a token whose literals have another length than the bytes that they replace.
pub(super) const OTHER_LEN: usize = 0;

/// The code of a token whose length, minus this, follows. The code of a shorter token is its length.
pub(super) const LONG: usize = 7;

/// Bits of the code in a token, below the number of bytes to copy.
pub(super) const CODE_BITS: u32 = 3;

/// Appends a number below 2^63: unsigned LEB128 (seven bits per byte, lowest first) in as few bytes as possible.
#[inline]
pub(super) fn write_number(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number that [`write_number`] has written at `at`, and advances `at` past it.
#[inline(always)]
fn read_number(bytes: &[u8], at: &mut usize) -> usize {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        number |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number;
        }
        shift += 7;
    }
}

/// Writes a token without its literals: `copy` bytes of the base are kept, `insert` literals replace `skip` bytes.
#[inline(always)]
pub(super) fn write_token(copy: usize, skip: usize, insert: usize, out: &mut Vec<u8>) {
    let code = if skip != insert { OTHER_LEN } else { insert.min(LONG) };
    write_number(copy << CODE_BITS | code, out);
    match code {
        OTHER_LEN => {
            write_number(skip, out);
            write_number(insert, out);
        }
        LONG => write_number(insert - LONG, out),
        _ => {}
    }
}

/// A token without its literals.
pub(super) struct Token {
    pub(super) copy: usize,
    pub(super) skip: usize,
    pub(super) insert: usize,
}

impl Token {
    /// Reads a token that [`write_token`] has written, and advances `at` past it.
    #[inline(always)]
    pub(super) fn read(tokens: &[u8], at: &mut usize) -> Self {
        let token = read_number(tokens, at);
        let copy = token >> CODE_BITS;
        match token & ((1 << CODE_BITS) - 1) {
            OTHER_LEN => {
                let skip = read_number(tokens, at);
                Self { copy, skip, insert: read_number(tokens, at) }
            }
            LONG => {
                let len = LONG + read_number(tokens, at);
                Self { copy, skip: len, insert: len }
            }
            len => Self { copy, skip: len, insert: len },
        }
    }
}

/// Appends the first `len` bytes of `bytes` to a plan.
///
/// The length of the next part cannot be predicted, and branching on it takes longer than copying it. So a short part
/// is copied together with the bytes after it, in a length that the compiler knows; then those bytes are cut off.
///
/// # Panics
/// If there are fewer bytes.
#[inline(always)]
pub(super) fn append_start<'a>(plan: &mut Plan<'a>, bytes: &'a [u8], len: usize) {
    match bytes.first_chunk::<INLINE_LEN>() {
        Some(block) if len <= INLINE_LEN => append_start_of_block(plan, block, len),
        _ => plan.bytes(&bytes[..len], Borrowed),
    }
}

/// Appends the first `len` bytes of a block to a plan.
#[inline(always)]
pub(super) fn append_start_of_block<const N: usize>(plan: &mut Plan<'_>, block: &[u8; N], len: usize) {
    plan.small_by(|small| {
        let end = small.len() + len;
        small.extend_from_slice(block);
        small.truncate(end);
    });
}
