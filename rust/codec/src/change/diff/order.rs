//! Steps through elements and entries in lockstep. Guesses which belong together; those are compared all the same.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, Token};
use xxhash_rust::xxh3::xxh3_64;

use super::{AFTER, BEFORE, DiffError, Lockstep, PairForm, Unit, of};
use crate::change::Edit;
use crate::change::bytes::{common_prefix, common_suffix};
use crate::path::PathStep;

impl<'a> Lockstep<'a> {
    /// Passes the next elements of two arrays that are the same, or compares the next two.
    pub fn element(&mut self) -> Result<(), DiffError> {
        let pairs = self.pairs_ahead()?;
        if pairs == 0 {
            return Ok(());
        }
        let (count, len) = self.same_values(pairs)?;
        if count > 0 {
            self.pass(count, len);
            self.take_pairs(count);
        } else if self.is_planned() || !self.plan()? {
            let index = self.top().done[AFTER];
            self.to(PathStep::Index(index));
            self.take_pairs(1);
            return self.differing_value();
        }
        Ok(())
    }

    /// Passes the next entries of two Dictionaries that are the same, or compares the values of the next two.
    pub fn entry(&mut self) -> Result<(), DiffError> {
        let pairs = self.pairs_ahead()?;
        if pairs == 0 {
            return Ok(());
        }
        let (count, len) = self.same_values(2 * pairs)?;
        if count > 0 {
            let key = self.readers[BEFORE].bytes(self.lookahead[BEFORE].last, self.lookahead[BEFORE].end);
            self.pass(count, len);
            self.take_pairs(count.div_ceil(2));
            if count.is_multiple_of(2) {
                return Ok(());
            }
            self.to(PathStep::Key(key));
            return self.differing_value();
        }
        // The keys differ, or no effort remains to pass equal ones.
        let key = self.next_key(BEFORE)?;
        if key == self.next_key(AFTER)? {
            self.to(PathStep::Key(key));
            self.pass(1, key.len());
            self.take_pairs(1);
            return self.value();
        }
        if !self.is_planned() {
            return self.plan().map(drop);
        }
        // `align` took two different keys for the same.
        self.pass_one(BEFORE, false)?;
        self.pass_one(AFTER, false)
    }

    /// Returns how many of the next parts are pairs. If only one side has the next part, passes it and returns 0.
    fn pairs_ahead(&mut self) -> Result<usize, DiffError> {
        let open = self.top();
        let done = open.done;
        while open.plan.pop_if(|hunk| hunk.before.end <= done[BEFORE] && hunk.after.end <= done[AFTER]).is_some() {}
        let (pairs, removed_to) = match open.plan.last() {
            Some(hunk) => (hunk.before.start.saturating_sub(done[BEFORE]), hunk.before.end),
            None => ((open.counts[0] - done[0]).min(open.counts[1] - done[1]), open.counts[BEFORE]),
        };
        if pairs == 0 {
            let is_removed = done[BEFORE] < removed_to;
            let is_reported = is_removed && open.is_reported;
            self.pass_one(if is_removed { BEFORE } else { AFTER }, is_reported)?;
        }
        Ok(pairs)
    }

    /// Passes the next part of one side, and reports it unless `is_reported`.
    fn pass_one(&mut self, side: usize, is_reported: bool) -> Result<(), DiffError> {
        let open = self.top();
        let (form, index) = (open.form, open.done[AFTER]);
        open.is_one_sided = true;
        open.done[side] += 1;
        let reader = &mut self.readers[side];
        let start = reader.position();
        let (mut unit, mut step) = (Unit::Value, PathStep::Index(index));
        if form == PairForm::Dictionary {
            reader.skip_value().map_err(of(side))?;
            let key = reader.bytes(start, reader.position());
            (unit, step) = (Unit::Entry { key_len: key.len(), index }, PathStep::Key(key));
        }
        reader.skip_value().map_err(of(side))?;
        let mut ranges = self.at().map(|at| at..at);
        ranges[side].start = start;
        self.to(step);
        if !is_reported {
            self.report(unit, ranges);
        }
        Ok(())
    }

    fn next_key(&mut self, side: usize) -> Result<&'a [u8], DiffError> {
        let start = self.readers[side].position();
        let end = self.lookahead[side].end_of(start).map_err(of(side))?;
        Ok(self.readers[side].bytes(start, end))
    }

    /// True if it is known whether the next parts are pairs.
    fn is_planned(&mut self) -> bool {
        let open = self.top();
        open.done[BEFORE] < open.planned_to
    }

    /// Plans what comes after two parts that differ: what only one side has. Returns false if the two are just a pair.
    fn plan(&mut self) -> Result<bool, DiffError> {
        let (start, open) = (self.at(), self.top());
        let (done, is_array) = (open.done, open.form == PairForm::Array);
        let remaining = [0, 1].map(|side| open.counts[side] - done[side]);
        // If both have as many elements: up to the next two that are the same.
        let is_whole = !is_array || remaining[0] != remaining[1];
        if is_array && (self.effort == 0 || remaining == [1, 1]) {
            return Ok(false);
        }
        let (values, turn) = if is_array { (1, 1) } else { (2, usize::MAX) };
        let (mut offsets, mut counts) = ([Vec::with_capacity(8), Vec::with_capacity(8)], [0, 0]);
        offsets.iter_mut().zip(start).for_each(|(offsets, at)| offsets.push(at));
        while counts != remaining {
            for side in [BEFORE, AFTER] {
                let more = turn.min(remaining[side] - counts[side]);
                counts[side] += more;
                if !self.look_ahead(side, values * more, &mut offsets[side])? {
                    if !is_array {
                        let all = Hunk { before: 0..remaining[0], after: 0..remaining[1] };
                        self.set_plan(vec![all], usize::MAX, false);
                    }
                    return Ok(!is_array);
                }
            }
            let last = |side: usize| &self.bytes[side][offsets[side][counts[side] - 1]..offsets[side][counts[side]]];
            if !is_whole && last(BEFORE) == last(AFTER) {
                counts = counts.map(|count| count - 1);
                break;
            }
        }
        if !is_whole && counts == [1, 1] {
            return Ok(false);
        }
        let parts = [0, 1].map(|side| {
            let offsets = Offsets::Each { offsets: &offsets[side], values };
            Parts { bytes: self.bytes[side], count: counts[side], offsets }
        });
        let hunks = if is_array { one_sided(parts[0], parts[1], are_alike) } else { align(parts[0], parts[1]) };
        let is_reported = !is_array && self.has_paths();
        if is_reported {
            // A key that has moved must be removed before it is inserted again.
            for (removed, at) in hunks.iter().flat_map(|hunk| hunk.before.clone()).enumerate() {
                let (entry, key_len) = (parts[BEFORE].slice(at..at + 1).range(), parts[BEFORE].part(at).len());
                self.to(PathStep::Key(&self.bytes[BEFORE][entry.start..][..key_len]));
                let unit = Unit::Entry { key_len, index: done[AFTER] + at - removed };
                self.report(unit, [entry, start[AFTER]..start[AFTER]]);
            }
        }
        self.set_plan(hunks, if is_whole { usize::MAX } else { counts[BEFORE] }, is_reported);
        Ok(true)
    }

    /// Finds the ends of the next values of one side, after these offsets. Returns false if that takes too much effort.
    #[inline]
    fn look_ahead(&mut self, side: usize, count: usize, offsets: &mut Vec<usize>) -> Result<bool, DiffError> {
        let mut at = offsets[offsets.len() - 1];
        for _ in 0..count {
            let end = self.lookahead[side].end_of(at).map_err(of(side))?;
            if end - at > self.effort {
                self.effort = 0;
                return Ok(false);
            }
            self.effort -= end - at;
            offsets.push(end);
            at = end;
        }
        Ok(true)
    }

    /// Sets the plan of the next parts, from which the indices count.
    fn set_plan(&mut self, hunks: Vec<Hunk>, count: usize, is_reported: bool) {
        let open = self.top();
        let [old, new] = open.done;
        let shifted = |Hunk { before, after }| Hunk {
            before: before.start + old..before.end + old,
            after: after.start + new..after.end + new,
        };
        open.plan = hunks.into_iter().rev().map(shifted).collect();
        open.planned_to = count.saturating_add(old);
        open.is_reported = is_reported;
    }
}

/// Max parts of both sequences together that are matched one by one. With more, only one gap is searched for.
const MAX_MATCHED: usize = 1 << 18;

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

/// Returns the runs that differ, in order.
fn align(before: Parts<'_>, after: Parts<'_>) -> Vec<Hunk> {
    let prefix = before.common_prefix(after);
    let suffix = before.common_suffix(after).min(before.count.min(after.count) - prefix);
    let (old, new) = (prefix..before.count - suffix, prefix..after.count - suffix);
    if old.is_empty() || new.is_empty() || old.len() + new.len() > MAX_MATCHED {
        return vec![Hunk { before: old, after: new }];
    }
    let mut numbers = std::collections::HashMap::with_capacity(old.len() + new.len());
    let mut tokens = |parts: Parts<'_>, range: Range<usize>| -> Vec<Token> {
        let number = |index| {
            let next = numbers.len() as u32;
            // Parts with the same hash are taken for equal.
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

fn are_alike(a: &[u8], b: &[u8]) -> bool {
    let prefix = common_prefix(a, b);
    let suffix = common_suffix(&a[prefix..], &b[prefix..]);
    2 * (prefix + suffix) >= a.len().max(b.len())
}
