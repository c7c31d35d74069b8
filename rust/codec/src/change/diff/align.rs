//! Finds which parts of two sequences correspond.
//!
//! The result is a hint: callers compare the parts that it takes for equal.

use std::collections::HashMap;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Token};
use xxhash_rust::xxh3::xxh3_64;

use crate::change::bytes::{common_prefix, common_suffix};

/// Max parts of both sequences together that are matched one by one. With more, only one gap is searched for.
const MAX_MATCHED: usize = 1 << 18;

/// A run of one sequence and the run of the other that replaces it, as indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    pub before: Range<usize>,
    pub after: Range<usize>,
}

/// A sequence of parts, as bytes.
pub(super) trait Parts {
    fn len(&self) -> usize;
    fn part(&self, index: usize) -> &[u8];

    /// Returns how many parts at the start of both are the same.
    fn common_prefix(&self, other: &Self) -> usize {
        let max = self.len().min(other.len());
        (0..max).take_while(|&at| self.part(at) == other.part(at)).count()
    }

    /// Returns how many parts at the end of both are the same.
    fn common_suffix(&self, other: &Self) -> usize {
        let (len, other_len) = (self.len(), other.len());
        (1..=len.min(other_len)).take_while(|&at| self.part(len - at) == other.part(other_len - at)).count()
    }
}

/// Parts of `bytes` at any offsets.
pub(super) struct Ranges<'a> {
    pub bytes: &'a [u8],
    pub ranges: Vec<Range<usize>>,
}

impl Parts for Ranges<'_> {
    fn len(&self) -> usize {
        self.ranges.len()
    }

    fn part(&self, index: usize) -> &[u8] {
        &self.bytes[self.ranges[index].clone()]
    }
}

/// Parts of the same size, one after the other.
#[derive(Clone, Copy)]
pub(super) struct Fixed<'a> {
    pub bytes: &'a [u8],
    pub size: usize,
}

impl Parts for Fixed<'_> {
    fn len(&self) -> usize {
        self.bytes.len() / self.size
    }

    fn part(&self, index: usize) -> &[u8] {
        &self.bytes[index * self.size..][..self.size]
    }

    fn common_prefix(&self, other: &Self) -> usize {
        common_prefix(self.bytes, other.bytes) / self.size
    }

    fn common_suffix(&self, other: &Self) -> usize {
        common_suffix(self.bytes, other.bytes) / self.size
    }
}

/// A range of the parts.
struct Window<'p, P> {
    parts: &'p P,
    range: Range<usize>,
}

impl<P: Parts> Parts for Window<'_, P> {
    fn len(&self) -> usize {
        self.range.len()
    }

    fn part(&self, index: usize) -> &[u8] {
        self.parts.part(self.range.start + index)
    }
}

/// Returns the runs that differ, in order.
pub(super) fn align(before: &impl Parts, after: &impl Parts, prefix: usize, suffix: usize) -> Vec<Hunk> {
    let before = Window { parts: before, range: prefix..before.len() - suffix };
    let after = Window { parts: after, range: prefix..after.len() - suffix };
    if before.len() == 0 && after.len() == 0 {
        return Vec::new();
    }
    if before.len() == 0 || after.len() == 0 || before.len() + after.len() > MAX_MATCHED {
        return vec![Hunk { before: before.range, after: after.range }];
    }
    let mut numbers = HashMap::with_capacity(before.len() + after.len());
    let mut tokens = |parts: &dyn Fn(usize) -> u64, count: usize| -> Vec<Token> {
        let number = |index| {
            let next = numbers.len() as u32;
            Token(*numbers.entry(parts(index)).or_insert(next))
        };
        (0..count).map(number).collect()
    };
    // Parts with the same hash are taken for equal: see above.
    let old = tokens(&|index| xxh3_64(before.part(index)), before.len());
    let new = tokens(&|index| xxh3_64(after.part(index)), after.len());
    let mut diff = Diff::default();
    diff.compute_with(Algorithm::Myers, &old, &new, numbers.len() as u32);
    let range = |range: Range<u32>| prefix + range.start as usize..prefix + range.end as usize;
    diff.hunks().map(|hunk| Hunk { before: range(hunk.before), after: range(hunk.after) }).collect()
}

/// Returns how many pairs a hunk has at its start. The other pairs are at its end; the inserted or removed parts are
/// between the two. `alike` decides whether two parts may be a pair.
pub(super) fn gap(hunk: &Hunk, alike: impl Fn(usize, usize) -> bool) -> usize {
    let (old, new) = (hunk.before.len(), hunk.after.len());
    let pairs = old.min(new);
    if old == new {
        return pairs;
    }
    // Starts with all pairs at the end; each step moves one pair to the start.
    let at_start = |at| alike(hunk.before.start + at, hunk.after.start + at);
    let at_end = |at| alike(hunk.before.start + at + old - pairs, hunk.after.start + at + new - pairs);
    let (mut best, mut best_score, mut score) = (0, 0, 0);
    for at in 0..pairs {
        score += i64::from(at_start(at)) - i64::from(at_end(at));
        // Ties go to the latest position: appended elements come last.
        if score >= best_score {
            (best, best_score) = (at + 1, score);
        }
    }
    best
}

/// Returns true if most bytes of two values are the same.
pub(super) fn are_alike(a: &[u8], b: &[u8]) -> bool {
    let prefix = common_prefix(a, b);
    let suffix = common_suffix(&a[prefix..], &b[prefix..]);
    2 * (prefix + suffix) >= a.len().max(b.len())
}
