//! Steps through elements and entries in lockstep. Guesses which belong together; those are compared all the same.

use super::align::{Hunk, Offsets, Parts, align, are_alike, one_sided};
use super::{AFTER, BEFORE, DiffError, Lockstep, PairForm, Unit, of};
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
