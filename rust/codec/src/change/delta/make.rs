//! Makes a delta from edits: trims them to the bytes that differ, joins runs where that costs less, and writes tokens.

use std::ops::Range;

use super::token::{CODE_BITS, LONG, Output, write_number, write_token};
use super::{VERSION, hash};
use crate::change::Edit;
use crate::change::bytes::{common_prefix, common_suffix};
use crate::plan::{Borrowed, Plan};

/// Bytes compared at once: one bit each in a word.
const BLOCK_LEN: usize = u64::BITS as usize;

type Block = [u8; BLOCK_LEN];

/// Equal bytes between two runs that are written as if they differed: a token takes one byte or more.
const JOIN_LEN: usize = 1;

/// Returns the delta that turns `before` into `after`, whose short parts are copied into the plan, long ones borrowed.
///
/// The edits must be in order and must not overlap, and all bytes outside of them must be the same in both. Panics if a
/// range is out of bounds or overlaps the one before it, or the distance between two differs; debug builds also if the
/// bytes between them differ. Edits may cover more than differs: that costs time and little space. The delta is at most
/// [`MAX_OVERHEAD`](super::MAX_OVERHEAD) bytes longer than `after`, and at most 14 bytes long if both are equal.
/// [`apply`](super::apply()) takes it if `after` is not over [`MAX_VALUE_LEN`](crate::limits::MAX_VALUE_LEN).
pub fn make<'a>(before: &[u8], after: &'a [u8], edits: impl IntoIterator<Item = Edit>) -> Plan<'a> {
    let mut head = vec![VERSION];
    head.extend_from_slice(&hash(before).to_le_bytes());
    write_number(after.len() as u64, &mut head);
    tokens(before, after, edits, head)
}

pub(super) fn tokens<'a>(
    before: &[u8],
    after: &'a [u8],
    edits: impl IntoIterator<Item = Edit>,
    head: Vec<u8>,
) -> Plan<'a> {
    let mut output = Output::default();
    output.small.extend_from_slice(&head);
    let pending = Edit { before: 0..0, after: 0..0 };
    let mut tokens = Tokens { after, head, output, first: None, done: 0, pending };
    let (mut before_at, mut after_at) = (0, 0);
    for Edit { before: old, after: new } in edits {
        assert_same(before, after, before_at..old.start, after_at..new.start);
        (before_at, after_at) = (old.end, new.end);
        let (old_bytes, new_bytes) = (&before[old.clone()], &after[new.clone()]);
        if old.len() == new.len() {
            differing_runs(old_bytes, new_bytes, |run| tokens.add(shifted(&run, old.start), shifted(&run, new.start)));
        } else {
            let start = common_prefix(old_bytes, new_bytes);
            let end = common_suffix(&old_bytes[start..], &new_bytes[start..]);
            tokens.add(old.start + start..old.end - end, new.start + start..new.end - end);
        }
    }
    assert_same(before, after, before_at..before.len(), after_at..after.len());
    tokens.finish()
}

/// Panics unless two ranges between edits are valid and of the same length.
#[track_caller]
fn assert_same(before: &[u8], after: &[u8], old: Range<usize>, new: Range<usize>) {
    let is_valid = old.start <= old.end && new.start <= new.end && old.len() == new.len();
    assert!(is_valid, "edits leave bytes {old:?} of one and {new:?} of the other as they are");
    debug_assert!(before[old.clone()] == after[new.clone()], "bytes {old:?} and {new:?} between edits differ");
}

fn shifted(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

struct Tokens<'a> {
    after: &'a [u8],
    head: Vec<u8>,
    output: Output<'a>,
    /// The offsets of the first run, in the base and in the result.
    first: Option<(usize, usize)>,
    /// The offset in the base up to which tokens are written.
    done: usize,
    /// The last run, which may still grow. Both ranges are empty before the first one.
    pending: Edit,
}

impl<'a> Tokens<'a> {
    #[inline(always)]
    fn add(&mut self, before: Range<usize>, after: Range<usize>) {
        if before.start - self.pending.before.end > JOIN_LEN || self.has_none() {
            self.write();
            self.pending.before.start = before.start;
            self.pending.after.start = after.start;
        }
        self.pending.before.end = before.end;
        self.pending.after.end = after.end;
    }

    #[inline(always)]
    fn has_none(&self) -> bool {
        self.pending.before.is_empty() && self.pending.after.is_empty()
    }

    #[inline(always)]
    fn write(&mut self) {
        if self.has_none() {
            return;
        }
        let Edit { before, after } = &self.pending;
        self.first.get_or_insert((before.start, after.start));
        let (copy, skip, insert) = (before.start - self.done, before.len(), after.len());
        self.done = before.end;
        let literals = &self.after[after.start..];
        match literals.first_chunk() {
            // If everything moves a little, most tokens are like this: one byte and its literals, in one word.
            Some(&literals) if skip == insert && insert < LONG && copy < 1 << (7 - CODE_BITS) => {
                let token = (copy << CODE_BITS | insert) as u64;
                let word = u64::from_le_bytes(literals) << 8 | token;
                self.output.start_of_block(&word.to_le_bytes(), 1 + insert);
            }
            _ => {
                write_token(copy, skip, insert, &mut self.output.small);
                self.output.start_of(literals, insert);
            }
        }
    }

    fn finish(mut self) -> Plan<'a> {
        self.write();
        let plan = self.output.into_plan();
        let Some((before, after)) = self.first else { return plan };
        // Many tokens may take more bytes than they save.
        let (skip, literals) = (self.pending.before.end - before, &self.after[after..self.pending.after.end]);
        let mut start = self.head;
        write_token(before, skip, literals.len(), &mut start);
        if start.len() + literals.len() >= plan.len() {
            return plan;
        }
        let mut plan = Plan::default();
        plan.small(&start);
        plan.bytes(literals, Borrowed);
        plan
    }
}

/// Calls `found` with each run of bytes that differ, in order. One equal byte between two may count as different.
#[inline]
fn differing_runs(a: &[u8], b: &[u8], mut found: impl FnMut(Range<usize>)) {
    debug_assert_eq!(a.len(), b.len());
    let (a_blocks, a_rest) = a.as_chunks::<BLOCK_LEN>();
    let (b_blocks, b_rest) = b.as_chunks::<BLOCK_LEN>();
    for (index, (a, b)) in a_blocks.iter().zip(b_blocks).enumerate() {
        if !is_same(a, b) {
            block_runs(a, b, index * BLOCK_LEN, &mut found);
        }
    }
    if a_rest != b_rest {
        let (mut a, mut b) = ([0; BLOCK_LEN], [0; BLOCK_LEN]);
        a[..a_rest.len()].copy_from_slice(a_rest);
        b[..b_rest.len()].copy_from_slice(b_rest);
        block_runs(&a, &b, a_blocks.len() * BLOCK_LEN, &mut found);
    }
}

#[inline(always)]
fn block_runs(a: &Block, b: &Block, start: usize, found: &mut impl FnMut(Range<usize>)) {
    let mut bits = differing_bytes(a, b);
    // Fills all gaps of one byte at once.
    bits |= bits << 1 & bits >> 1;
    let mut at = 0;
    while bits != 0 {
        let same = bits.trailing_zeros();
        bits >>= same;
        let differ = bits.trailing_ones();
        let run = at + same;
        at = run + differ;
        found(start + run as usize..start + at as usize);
        bits = bits.checked_shr(differ).unwrap_or(0);
    }
}

/// Returns a mask with a bit for each byte that differs, the lowest for the first.
#[inline(always)]
fn differing_bytes(a: &Block, b: &Block) -> u64 {
    let (a, b) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
    u64::from_le_bytes(std::array::from_fn(|index| {
        nonzero_bytes(u64::from_le_bytes(a[index]) ^ u64::from_le_bytes(b[index]))
    }))
}

/// True if all bytes are the same. Comparing arrays would call the C library for each block.
#[inline(always)]
fn is_same(a: &Block, b: &Block) -> bool {
    let (a, b) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
    a.iter().zip(b).fold(0, |bits, (&a, &b)| bits | (u64::from_le_bytes(a) ^ u64::from_le_bytes(b))) == 0
}

/// Returns a mask with a bit for each byte of a word that is not 0.
fn nonzero_bytes(word: u64) -> u8 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    // The upper bit of each byte: it is set, or the bits below it carry into it.
    let upper = (((word & LOW) + LOW) | word) & !LOW;
    // The last byte of the product has the eight bits side by side; no two of its terms overlap.
    (((upper >> 7).wrapping_mul(0x0102_0408_1020_4080)) >> 56) as u8
}

#[cfg(test)]
#[path = "../../../tests/unit/differing.rs"]
mod tests;
