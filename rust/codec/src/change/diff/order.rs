//! Steps through elements and entries in lockstep. Where one side has others, finds which of them belong together.

use std::ops::Range;

use super::align::{Hunk, Parts, Ranges, align, are_alike, gap};
use super::lockstep::{AFTER, BEFORE, DiffError, Lockstep, PairForm, Stretch, of};
use super::sink::{Difference, Sink, Unit};
use crate::error::CodecError;
use crate::path::PathStep;
use crate::reader::Skim;

impl<'a, S: Sink<'a>> Lockstep<'a, S> {
    /// Passes the next elements of two arrays that are the same, or compares the next two.
    pub fn element(&mut self) -> Result<(), DiffError> {
        let pairs = self.pairs_ahead()?;
        let Some(open) = self.open.last().filter(|_| pairs > 0) else { return Ok(()) };
        let (is_planned, index) = (open.is_planned || !open.plan.is_empty(), open.index);
        let (count, len) = self.same_values(pairs)?;
        if count > 0 {
            self.pass(count, len);
            self.take_pairs(count);
        } else if is_planned || !self.plan_elements()? {
            self.trail.to(PathStep::Index(index));
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
            self.trail.to(PathStep::Key(key));
            return self.differing_value();
        }
        // The keys differ, or no effort remains to pass equal ones.
        let [before, after] = self.at();
        let (old, new) = (self.next_len(BEFORE)?, self.next_len(AFTER)?);
        let key = self.readers[BEFORE].bytes(before, before + old);
        if key == self.readers[AFTER].bytes(after, after + new) {
            self.trail.to(PathStep::Key(key));
            self.pass(1, old);
            self.take_pairs(1);
            return self.value();
        }
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        if !open.is_planned {
            return self.plan_entries();
        }
        // `align` took two different keys for the same.
        if let Some(Stretch::Pairs(remaining)) = open.plan.last_mut() {
            *remaining -= 1;
        }
        open.plan.extend([Stretch::Inserted(1), Stretch::Removed(1)]);
        Ok(())
    }

    /// Returns how many of the next parts are pairs. If only one side has the next part, passes it and returns 0.
    fn pairs_ahead(&mut self) -> Result<usize, DiffError> {
        let Some(open) = self.open.last_mut() else { return Ok(0) };
        let stretch = match (open.plan.last_mut(), open.remaining) {
            (None, [_, 0]) => Stretch::Removed(1),
            (None, [0, _]) => Stretch::Inserted(1),
            (None, [old, new]) => return Ok(old.min(new)),
            (Some(Stretch::Pairs(0)), _) => {
                open.plan.pop();
                return Ok(0);
            }
            (Some(Stretch::Pairs(count)), _) => return Ok(*count),
            (Some(stretch), _) => {
                let next = *stretch;
                *stretch.count() -= 1;
                if *stretch.count() == 0 {
                    open.plan.pop();
                }
                next
            }
        };
        open.is_one_sided = true;
        let side = if matches!(stretch, Stretch::Inserted(_)) { AFTER } else { BEFORE };
        self.one_sided(side, matches!(stretch, Stretch::ReportedRemoved(_)))?;
        Ok(0)
    }

    /// Passes the next part of one side, and reports it unless `is_reported`.
    fn one_sided(&mut self, side: usize, is_reported: bool) -> Result<(), DiffError> {
        let Some(open) = self.open.last() else { return Ok(()) };
        let (form, index) = (open.form, open.index);
        let reader = &mut self.readers[side];
        let start = reader.position();
        let mut unit = Unit::Value;
        self.trail.to(PathStep::Index(index));
        if form == PairForm::Dictionary {
            reader.skip_value().map_err(of(side))?;
            let key = reader.bytes(start, reader.position());
            self.trail.to(PathStep::Key(key));
            unit = Unit::Entry { key_len: key.len(), index };
        }
        reader.skip_value().map_err(of(side))?;
        let mut ranges = self.at().map(|at| at..at);
        ranges[side].start = start;
        let [before, after] = ranges;
        if !is_reported {
            self.report(Difference { unit, before, after });
        }
        self.take([1 - side, side], side);
        Ok(())
    }

    /// Returns the length of the next value of one side.
    fn next_len(&mut self, side: usize) -> Result<usize, DiffError> {
        let start = self.readers[side].position();
        Ok(self.lookahead[side].end_of(start).map_err(of(side))? - start)
    }

    /// Plans what comes, from two elements on that differ. Returns false if all that can be said is that they are a pair.
    fn plan_elements(&mut self) -> Result<bool, DiffError> {
        let Some(open) = self.open.last() else { return Ok(false) };
        let (remaining, is_whole) = (open.remaining, open.remaining[0] != open.remaining[1]);
        if self.effort == 0 || remaining == [1, 1] {
            return Ok(false);
        }
        let start = self.at();
        let mut ranges = [Vec::new(), Vec::new()];
        let mut ends = start;
        // If both have as many: up to the next two that are the same.
        while ranges[0].len() < remaining[0] || ranges[1].len() < remaining[1] {
            for side in [BEFORE, AFTER] {
                if ranges[side].len() < remaining[side] {
                    let range = next(&mut self.lookahead[side], ends[side]).map_err(of(side))?;
                    ends[side] = range.end;
                    ranges[side].push(range);
                }
            }
            if (ends[0] - start[0]) + (ends[1] - start[1]) > self.effort {
                self.effort = 0;
                return Ok(false);
            }
            let last = |side: usize| ranges[side].last().and_then(|range| self.bytes[side].get(range.clone()));
            if !is_whole && last(BEFORE) == last(AFTER) {
                ranges.iter_mut().for_each(|ranges| _ = ranges.pop());
                break;
            }
        }
        self.effort -= ((ends[0] - start[0]) + (ends[1] - start[1])).min(self.effort);
        if ranges[0].len() == 1 && ranges[1].len() == 1 && !is_whole {
            return Ok(false);
        }
        let [old, new] = self.ranges(ranges);
        let suffix = old.common_suffix(&new);
        let mut plan = Vec::new();
        let mut done = 0;
        for hunk in align(&old, &new, 0, suffix) {
            let pairs = hunk.before.len().min(hunk.after.len());
            let first = gap(&hunk, |i, j| are_alike(old.part(i), new.part(j)));
            plan.push(Stretch::Pairs(hunk.before.start - done + first));
            plan.push(Stretch::Removed(hunk.before.len() - pairs));
            plan.push(Stretch::Inserted(hunk.after.len() - pairs));
            plan.push(Stretch::Pairs(pairs - first));
            done = hunk.before.end;
        }
        plan.push(Stretch::Pairs(old.len() - done));
        self.set_plan(plan, is_whole);
        Ok(true)
    }

    fn ranges(&self, [old, new]: [Vec<Range<usize>>; 2]) -> [Ranges<'a>; 2] {
        [Ranges { bytes: self.bytes[BEFORE], ranges: old }, Ranges { bytes: self.bytes[AFTER], ranges: new }]
    }

    fn set_plan(&mut self, mut plan: Vec<Stretch>, is_planned: bool) {
        plan.retain_mut(|stretch| *stretch.count() > 0);
        plan.reverse();
        if let Some(open) = self.open.last_mut() {
            (open.plan, open.is_planned) = (plan, is_planned);
        }
    }

    /// Finds which of the remaining keys both sides have, in the same order.
    fn plan_entries(&mut self) -> Result<(), DiffError> {
        let Some(open) = self.open.last() else { return Ok(()) };
        let (remaining, index, start) = (open.remaining, open.index, self.at());
        let [before, after] = &mut self.lookahead;
        let old = keys(before, start[0], remaining[0], self.effort).map_err(DiffError::before)?;
        let new = keys(after, start[1], remaining[1], self.effort).map_err(DiffError::after)?;
        let (Some((old, old_ends)), Some((new, new_ends))) = (old, new) else {
            self.effort = 0;
            self.set_plan(vec![Stretch::Removed(remaining[0]), Stretch::Inserted(remaining[1])], true);
            return Ok(());
        };
        let read = |start: usize, ends: &[usize]| ends.last().map_or(0, |end| end - start);
        self.effort = self.effort.saturating_sub(read(start[0], &old_ends) + read(start[1], &new_ends));
        let [old, new] = self.ranges([old, new]);
        let suffix = old.common_suffix(&new);
        let (mut plan, mut done, mut removed) = (Vec::new(), 0, 0);
        for Hunk { before, after } in align(&old, &new, 0, suffix) {
            plan.push(Stretch::Pairs(before.start - done));
            let count = before.len();
            plan.push(if S::HAS_PATHS { Stretch::ReportedRemoved(count) } else { Stretch::Removed(count) });
            plan.push(Stretch::Inserted(after.len()));
            done = before.end;
            // A key that has moved must be removed before it is inserted again.
            for at in before.filter(|_| S::HAS_PATHS) {
                let (key, end) = (old.ranges[at].clone(), old_ends[at]);
                self.trail.to(PathStep::Key(&self.bytes[BEFORE][key.clone()]));
                let unit = Unit::Entry { key_len: key.len(), index: index + at - removed };
                self.sink
                    .change(&mut self.trail, Difference { unit, before: key.start..end, after: start[1]..start[1] });
                removed += 1;
            }
        }
        plan.push(Stretch::Pairs(remaining[0] - done));
        self.set_plan(plan, true);
        Ok(())
    }
}

/// Returns the range of the value that begins at `start`.
fn next(lookahead: &mut Skim<'_>, start: usize) -> Result<Range<usize>, CodecError> {
    Ok(start..lookahead.end_of(start)?)
}

/// The ranges of keys, and the ends of their values.
type Keys = (Vec<Range<usize>>, Vec<usize>);

/// Finds the keys of the next entries; `None` if that takes more than `max` bytes.
fn keys(lookahead: &mut Skim<'_>, start: usize, count: usize, max: usize) -> Result<Option<Keys>, CodecError> {
    let (mut keys, mut ends) = (Vec::new(), Vec::new());
    let mut at = start;
    for _ in 0..count {
        let key = next(lookahead, at)?;
        at = next(lookahead, key.end)?.end;
        if at - start > max {
            return Ok(None);
        }
        keys.push(key);
        ends.push(at);
    }
    Ok(Some((keys, ends)))
}
