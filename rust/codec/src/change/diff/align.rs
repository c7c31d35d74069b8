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

/// A sequence of parts in the bytes of a value, one after the other.
#[derive(Clone, Copy)]
pub(super) struct Parts<'p> {
    pub bytes: &'p [u8],
    pub count: usize,
    pub offsets: Offsets<'p>,
}

/// Where parts begin.
#[derive(Clone, Copy)]
pub(super) enum Offsets<'p> {
    /// All have the same size.
    Every { at: usize, size: usize },
    /// Each is the first of as many values, or the only one. These are the offsets of all values, then the end.
    Each { offsets: &'p [usize], values: usize },
}

impl<'p> Parts<'p> {
    /// Returns the offset of a part, or of what follows the last.
    fn start(&self, index: usize) -> usize {
        match self.offsets {
            Offsets::Every { at, size } => at + index * size,
            Offsets::Each { offsets, values } => offsets[values * index],
        }
    }

    /// Returns the range of all parts, with what is between them.
    pub fn range(&self) -> Range<usize> {
        self.start(0)..self.start(self.count)
    }

    pub fn part(&self, index: usize) -> &'p [u8] {
        let end = match self.offsets {
            Offsets::Every { at, size } => at + (index + 1) * size,
            Offsets::Each { offsets, values } => offsets[values * index + 1],
        };
        &self.bytes[self.start(index)..end]
    }

    pub fn slice(self, parts: Range<usize>) -> Self {
        let offsets = match self.offsets {
            Offsets::Every { size, .. } => Offsets::Every { at: self.start(parts.start), size },
            Offsets::Each { offsets, values } => Offsets::Each { offsets: &offsets[values * parts.start..], values },
        };
        Self { count: parts.len(), offsets, ..self }
    }

    /// Returns how many parts at the start of both are the same.
    pub fn common_prefix(self, other: Self) -> usize {
        if let Offsets::Every { size, .. } = self.offsets {
            return common_prefix(&self.bytes[self.range()], &other.bytes[other.range()]) / size;
        }
        let max = self.count.min(other.count);
        (0..max).take_while(|&at| self.part(at) == other.part(at)).count()
    }

    /// Returns how many parts at the start of both differ, of as many.
    pub fn differing_prefix(self, other: Self) -> usize {
        if let Offsets::Every { size, .. } = self.offsets {
            let [old, new] = [self, other].map(|parts| parts.bytes[parts.range()].chunks_exact(size));
            return old.zip(new).take_while(|(old, new)| old != new).count();
        }
        (0..self.count).take_while(|&at| self.part(at) != other.part(at)).count()
    }

    /// Returns how many parts at the end of both are the same.
    fn common_suffix(self, other: Self) -> usize {
        if let Offsets::Every { size, .. } = self.offsets {
            return common_suffix(&self.bytes[self.range()], &other.bytes[other.range()]) / size;
        }
        let max = self.count.min(other.count);
        (1..=max).take_while(|&at| self.part(self.count - at) == other.part(other.count - at)).count()
    }
}

/// Returns the runs that differ, in order.
pub(super) fn align(before: Parts<'_>, after: Parts<'_>) -> Vec<Hunk> {
    let prefix = before.common_prefix(after);
    let suffix = before.common_suffix(after).min(before.count.min(after.count) - prefix);
    let (old, new) = (prefix..before.count - suffix, prefix..after.count - suffix);
    if old.is_empty() || new.is_empty() || old.len() + new.len() > MAX_MATCHED {
        return vec![Hunk { before: old, after: new }];
    }
    let mut numbers = HashMap::with_capacity(old.len() + new.len());
    let mut tokens = |parts: Parts<'_>, range: Range<usize>| -> Vec<Token> {
        let number = |index| {
            let next = numbers.len() as u32;
            // Parts with the same hash are taken for equal: see above.
            Token(*numbers.entry(xxh3_64(parts.part(index))).or_insert(next))
        };
        range.map(number).collect()
    };
    let (old, new) = (tokens(before, old), tokens(after, new));
    let mut diff = Diff::default();
    diff.compute_with(Algorithm::Myers, &old, &new, numbers.len() as u32);
    let range = |range: Range<u32>| prefix + range.start as usize..prefix + range.end as usize;
    diff.hunks().map(|hunk| Hunk { before: range(hunk.before), after: range(hunk.after) }).collect()
}

/// Returns the runs that only one of both sequences has, in order: all other parts are pairs. `alike` decides whether
/// two parts that differ may be a pair.
pub(super) fn one_sided(before: Parts<'_>, after: Parts<'_>, alike: fn(&[u8], &[u8]) -> bool) -> Vec<Hunk> {
    let mut hunks = align(before, after);
    hunks.retain(|hunk| hunk.before.len() != hunk.after.len());
    for Hunk { before: old, after: new } in &mut hunks {
        let pairs = old.len().min(new.len());
        let alike = |i, j| i64::from(alike(before.part(old.start + i), after.part(new.start + j)));
        // Starts with all pairs behind the run; each step moves one pair before it.
        let (mut first, mut best_score, mut score) = (0, 0, 0);
        for at in 0..pairs {
            score += alike(at, at) - alike(at + old.len() - pairs, at + new.len() - pairs);
            // Ties go to the latest position: appended elements come last.
            if score >= best_score {
                (first, best_score) = (at + 1, score);
            }
        }
        let last = pairs - first;
        (*old, *new) = (old.start + first..old.end - last, new.start + first..new.end - last);
    }
    hunks
}

/// Returns true if most bytes of two values are the same.
pub(super) fn are_alike(a: &[u8], b: &[u8]) -> bool {
    let prefix = common_prefix(a, b);
    let suffix = common_suffix(&a[prefix..], &b[prefix..]);
    2 * (prefix + suffix) >= a.len().max(b.len())
}
