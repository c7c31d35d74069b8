//! Finds which parts of two sequences belong together, in time that grows with the parts alone.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::change::Edit;
use crate::change::bytes::{common_prefix, common_suffix};

/// How many parts in a row are looked for in the other sequence, first to last: long runs are rarely the same by chance.
/// Powers of two.
const RUNS: [usize; 4] = [32, 8, 2, 1];

/// The min length of such a run in a packed array, in bytes: shorter ones are more often the same by chance.
const MIN_RUN_LEN: usize = 8;

/// Max runs of each sequence that are sorted at once. In longer sequences, only runs whose hashes say so are looked for.
const MAX_RUNS: usize = 1 << 17;

/// A run of one sequence and the run of the other that replaces it, as indices.
pub(super) type Hunk = Edit;

/// A sequence of parts in the bytes of a value, one after the other.
#[derive(Clone, Copy)]
pub(super) struct Parts<'p> {
    pub bytes: &'p [u8],
    pub count: usize,
    pub offsets: Offsets<'p>,
}

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

    fn common_suffix(self, other: Self) -> usize {
        if let Offsets::Every { size, .. } = self.offsets {
            return common_suffix(&self.bytes[self.range()], &other.bytes[other.range()]) / size;
        }
        let max = self.count.min(other.count);
        (1..=max).take_while(|&at| self.part(self.count - at) == other.part(other.count - at)).count()
    }
}

/// Returns the runs that differ, in order. Takes time in proportion to the parts, however often some occur.
pub(super) fn align(before: Parts<'_>, after: Parts<'_>) -> Vec<Hunk> {
    let prefix = before.common_prefix(after);
    let suffix = before.common_suffix(after).min(before.count.min(after.count) - prefix);
    let mut hunks = vec![Hunk { before: prefix..before.count - suffix, after: prefix..after.count - suffix }];
    let min = if let Offsets::Every { size, .. } = before.offsets { MIN_RUN_LEN.div_ceil(size) } else { 1 };
    for len in RUNS.into_iter().filter(|&len| len >= min) {
        hunks = hunks.into_iter().flat_map(|hunk| split(before, after, hunk, len)).collect();
    }
    hunks
}

/// Splits a run that differs where both sequences have the same parts, at least `len` in a row.
fn split(before: Parts<'_>, after: Parts<'_>, Hunk { before: old, after: new }: Hunk, len: usize) -> Vec<Hunk> {
    let (mut hunks, mut done) = (Vec::new(), (old.start, new.start));
    for (i, j) in ascending(&shared_runs(before.slice(old.clone()), after.slice(new.clone()), len)) {
        let (i, j) = (i + old.start, j + new.start);
        if i < done.0 || j < done.1 {
            continue;
        }
        let same = before.slice(i..old.end).common_prefix(after.slice(j..new.end));
        if same > 0 {
            let back = before.slice(done.0..i).common_suffix(after.slice(done.1..j));
            hunks.push(Hunk { before: done.0..i - back, after: done.1..j - back });
            done = (i + same, j + same);
        }
    }
    hunks.push(Hunk { before: done.0..old.end, after: done.1..new.end });
    hunks.retain(|hunk| !hunk.before.is_empty() || !hunk.after.is_empty());
    hunks
}

/// Returns where runs of `len` parts begin that occur as often in both sequences: the first with the first, and so on.
/// If none does, of those that are nearest to each other. Sorted by the first sequence. Runs with the same hash are taken
/// for equal.
fn shared_runs(before: Parts<'_>, after: Parts<'_>, len: usize) -> Vec<(usize, usize)> {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    if before.count < len || after.count < len {
        return Vec::new();
    }
    let (mut runs, oldest_factor) = (Vec::new(), FACTOR.wrapping_pow(len as u32));
    let mask = (before.count.max(after.count) / MAX_RUNS + 1).next_power_of_two() as u64 - 1;
    for (parts, base) in [(before, 0), (after, before.count)] {
        let (mut recent, mut hash, max) = ([0; RUNS[0]], 0_u64, runs.len() + MAX_RUNS);
        for at in 0..parts.count {
            let part = xxh3_64(parts.part(at));
            let oldest = std::mem::replace(&mut recent[at & (len - 1)], part);
            hash = hash.wrapping_mul(FACTOR).wrapping_add(part).wrapping_sub(oldest.wrapping_mul(oldest_factor));
            if at + 1 >= len && hash & mask == 0 && runs.len() < max {
                runs.push((hash, base + at + 1 - len));
            }
        }
    }
    runs.sort_unstable();
    let groups = runs.chunk_by(|one, next| one.0 == next.0);
    let sides: Vec<_> = groups.map(|same| same.split_at(same.partition_point(|run| run.1 < before.count))).collect();
    let as_often = sides.iter().filter(|(old, new)| old.len() == new.len());
    let mut shared: Vec<_> =
        as_often.flat_map(|(old, new)| old.iter().zip(*new)).map(|(old, new)| (old.1, new.1)).collect();
    if shared.is_empty() {
        shared.extend(sides.iter().flat_map(|(old, new)| {
            old.iter().filter_map(|old_run| {
                let near = nearest(new, old_run.1 + before.count)?;
                (nearest(old, near - before.count)? == old_run.1).then_some((old_run.1, near))
            })
        }));
    }
    shared.iter_mut().for_each(|pair| pair.1 -= before.count);
    shared.sort_unstable();
    shared
}

/// Returns the position of a sorted list that is nearest to `at`.
fn nearest(runs: &[(u64, usize)], at: usize) -> Option<usize> {
    let behind = runs.partition_point(|run| run.1 < at);
    runs[behind.saturating_sub(1)..runs.len().min(behind + 1)]
        .iter()
        .map(|run| run.1)
        .min_by_key(|near| near.abs_diff(at))
}

/// Returns the most of these pairs that ascend in the second number too.
fn ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The pair that ends the best choice of each length, and the one before each pair in the best choice that it ends.
    let (mut ends, mut previous) = (Vec::<usize>::new(), Vec::with_capacity(pairs.len()));
    for (at, &(_, new)) in pairs.iter().enumerate() {
        let len = ends.partition_point(|&end| pairs[end].1 < new);
        previous.push(len.checked_sub(1).map(|len| ends[len]));
        if len == ends.len() {
            ends.push(at);
        } else {
            ends[len] = at;
        }
    }
    let mut chosen: Vec<_> =
        std::iter::successors(ends.last().copied(), |&at| previous[at]).map(|at| pairs[at]).collect();
    chosen.reverse();
    chosen
}

/// Returns the runs that only one sequence has, in order; the rest are pairs, which differ only if they are `alike`.
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

pub(super) fn are_alike(a: &[u8], b: &[u8]) -> bool {
    let prefix = common_prefix(a, b);
    let suffix = common_suffix(&a[prefix..], &b[prefix..]);
    2 * (prefix + suffix) >= a.len().max(b.len())
}
