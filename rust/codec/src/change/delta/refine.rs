//! Finds where two byte strings differ, many bytes at a time.

use std::array;
use std::ops::Range;

/// Bytes compared at once: one bit each in a word.
const BLOCK_LEN: usize = u64::BITS as usize;

type Block = [u8; BLOCK_LEN];

/// Calls `found` with each run of bytes that differ between two strings of the same length, in order.
///
/// A single equal byte between two that differ may be reported as different.
#[inline]
pub(super) fn differing_runs(a: &[u8], b: &[u8], mut found: impl FnMut(Range<usize>)) {
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
    u64::from_le_bytes(array::from_fn(|index| {
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
#[path = "../../../tests/unit/refine.rs"]
mod tests;
