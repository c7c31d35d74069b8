//! Tokens: how they are written and read, and the plans that are made of them.

use crate::{Borrowed, INLINE_LEN, Plan};

/// The code of a token whose literals have another length than the bytes that they replace.
pub(super) const OTHER_LEN: usize = 0;

/// The code of a token whose length, minus this, follows. The code of a shorter token is its length.
pub(super) const LONG: usize = 7;

/// Bits of the code in a token, below the number of bytes to copy.
pub(super) const CODE_BITS: u32 = 3;

/// Appends a number below 2^63: unsigned LEB128 (seven bits per byte, lowest first) in as few bytes as possible.
#[inline]
pub(super) fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number that [`write_number`] has written at `at`, and advances `at` past it.
#[inline(always)]
fn read_number(bytes: &[u8], at: &mut usize) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
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
    // In 64 bits, as a copy may take nearly all of 32.
    write_number((copy as u64) << CODE_BITS | code as u64, out);
    match code {
        OTHER_LEN => {
            write_number(skip as u64, out);
            write_number(insert as u64, out);
        }
        LONG => write_number((insert - LONG) as u64, out),
        _ => {}
    }
}

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
        let copy = (token >> CODE_BITS) as usize;
        match token as usize & ((1 << CODE_BITS) - 1) {
            OTHER_LEN => {
                let skip = read_number(tokens, at) as usize;
                Self { copy, skip, insert: read_number(tokens, at) as usize }
            }
            LONG => {
                let len = LONG + read_number(tokens, at) as usize;
                Self { copy, skip: len, insert: len }
            }
            len => Self { copy, skip: len, insert: len },
        }
    }
}

/// A plan, and small parts that follow it. Branching on an unpredictable length takes longer than copying: so a short
/// part is copied with the bytes after it, in a length that the compiler knows; then those are cut off.
#[derive(Default)]
pub(super) struct Output<'a> {
    plan: Plan<'a>,
    pub(super) small: Vec<u8>,
}

impl<'a> Output<'a> {
    /// Adds the first `len` bytes of `bytes`. Panics if there are fewer.
    #[inline(always)]
    pub(super) fn start_of(&mut self, bytes: &'a [u8], len: usize) {
        match bytes.first_chunk::<INLINE_LEN>() {
            Some(block) if len <= INLINE_LEN => self.start_of_block(block, len),
            _ => self.any(&bytes[..len]),
        }
    }

    #[inline(always)]
    pub(super) fn start_of_block<const N: usize>(&mut self, block: &[u8; N], len: usize) {
        let end = self.small.len() + len;
        self.small.extend_from_slice(block);
        self.small.truncate(end);
    }

    fn any(&mut self, bytes: &'a [u8]) {
        if bytes.len() <= INLINE_LEN {
            self.small.extend_from_slice(bytes);
        } else {
            self.plan.small(&self.small);
            self.small.clear();
            self.plan.bytes(bytes, Borrowed);
        }
    }

    pub(super) fn into_plan(mut self) -> Plan<'a> {
        self.plan.small(&self.small);
        self.plan
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/token.rs"]
mod tests;
