//! Elements and entries in lockstep, and which of them belong together where one side has others.

use std::ops::Range;

use super::align::{Hunk, Parts, Ranges, align, are_alike, gap};
use super::changes::Step;
use super::found::{Found, Sink, What};
use super::lockstep::{Failed, Form, Lockstep, Side, of};
use crate::error::CodecError;
use crate::patch::Op;
use crate::reader::Skim;

/// What to do with the next parts of two containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// So many of each belong together.
    Pairs(usize),
    /// So many of `before` are in it alone.
    Removed(usize),
    /// The same, but they were told already.
    ToldRemoved(usize),
    /// So many of `after` are in it alone.
    Inserted(usize),
}

impl<'a, S: Sink<'a>> Lockstep<'a, S> {
    /// The next of the elements of two arrays.
    pub fn element(&mut self) -> Result<(), Failed> {
        let pairs = self.pairs_ahead()?;
        let Some(frame) = self.frames.last().filter(|_| pairs > 0) else { return Ok(()) };
        let is_ordered = frame.is_ordered || !frame.runs.is_empty();
        let index = frame.index;
        let (count, len) = self.same_values(pairs)?;
        if count > 0 {
            self.pass(count, len);
            self.take_pairs(count);
        } else if is_ordered || !self.order_elements()? {
            self.trail.to(Step::Index(index));
            self.take_pairs(1);
            self.differing_value()?;
        }
        Ok(())
    }

    /// The next of the entries of two Dictionaries.
    pub fn entry(&mut self) -> Result<(), Failed> {
        let pairs = self.pairs_ahead()?;
        if pairs == 0 {
            return Ok(());
        }
        let (count, len) = self.same_values(2 * pairs)?;
        if count > 0 {
            let key = self.before.bytes(self.scouts.0.last, self.scouts.0.end);
            self.pass(count, len);
            self.take_pairs(count.div_ceil(2));
            if !count.is_multiple_of(2) {
                self.trail.to(Step::Key(key));
                return self.differing_value();
            }
            return Ok(());
        }
        // The keys differ, or there is no more effort to spend on equal ones.
        let (old, new) = (self.next_len(Side::Before)?, self.next_len(Side::After)?);
        let (before, after) = self.at();
        let key = self.before.bytes(before, before + old);
        if key == self.after.bytes(after, after + new) {
            self.trail.to(Step::Key(key));
            self.pass(1, old);
            self.take_pairs(1);
            return self.value();
        }
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        if !frame.is_ordered {
            return self.order_entries();
        }
        // Two keys that were taken for the same.
        if let Some(Run::Pairs(left)) = frame.runs.last_mut() {
            *left -= 1;
        }
        frame.runs.extend([Run::Inserted(1), Run::Removed(1)]);
        Ok(())
    }

    /// How many of the next parts belong together in pairs. None if the next is one that only one side has, which is then dealt
    /// with.
    fn pairs_ahead(&mut self) -> Result<usize, Failed> {
        let Some(frame) = self.frames.last_mut() else { return Ok(0) };
        let run = match (frame.runs.last_mut(), frame.left) {
            (None, (_, 0)) => Run::Removed(1),
            (None, (0, _)) => Run::Inserted(1),
            (None, (old, new)) => return Ok(old.min(new)),
            (Some(Run::Pairs(0)), _) => {
                frame.runs.pop();
                return Ok(0);
            }
            (Some(Run::Pairs(count)), _) => return Ok(*count),
            (Some(run), _) => {
                let next = *run;
                let (Run::Pairs(left) | Run::Removed(left) | Run::ToldRemoved(left) | Run::Inserted(left)) = run;
                *left -= 1;
                if *left == 0 {
                    frame.runs.pop();
                }
                next
            }
        };
        let side = if matches!(run, Run::Inserted(_)) { Side::After } else { Side::Before };
        self.one_sided(side, matches!(run, Run::ToldRemoved(_)))?;
        Ok(0)
    }

    /// Tells the next part of one side, unless it was told already.
    fn one_sided(&mut self, side: Side, is_told: bool) -> Result<(), Failed> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (form, index) = (frame.form, frame.index);
        let (reader, op) = match side {
            Side::Before => (&mut self.before, Op::Remove),
            Side::After => (&mut self.after, Op::Insert),
        };
        let start = reader.position();
        let mut what = What::Value;
        self.trail.to(Step::Index(index));
        if form == Form::Dictionary {
            reader.skip_value().map_err(of(side))?;
            let key = reader.bytes(start, reader.position());
            self.trail.to(Step::Key(key));
            what = What::Entry { key_len: key.len(), index };
        }
        reader.skip_value().map_err(of(side))?;
        let (before, after) = self.at();
        let (before, after) = match side {
            Side::Before => (start..before, after..after),
            Side::After => (before..before, start..after),
        };
        if !is_told {
            self.tell(Found { op, what, before, after });
        }
        match side {
            Side::Before => self.take((1, 0), 0),
            Side::After => self.take((0, 1), 1),
        }
        Ok(())
    }

    /// The length of the next value of one side.
    fn next_len(&mut self, side: Side) -> Result<usize, Failed> {
        let (start, scout) = match side {
            Side::Before => (self.before.position(), &mut self.scouts.0),
            Side::After => (self.after.position(), &mut self.scouts.1),
        };
        Ok(scout.end_of(start).map_err(of(side))? - start)
    }

    /// Looks at what comes, from two elements on that differ. Whether there is anything to say about them but that they are a pair.
    fn order_elements(&mut self) -> Result<bool, Failed> {
        let Some(frame) = self.frames.last() else { return Ok(false) };
        let (left, is_whole) = (frame.left, frame.left.0 != frame.left.1);
        if self.effort == 0 || left == (1, 1) {
            return Ok(false);
        }
        let start = self.at();
        let (mut old, mut new) = (Vec::new(), Vec::new());
        let mut ends = start;
        // Where both have as many: up to the next two that are the same.
        while old.len() < left.0 || new.len() < left.1 {
            if old.len() < left.0 {
                old.push(next(&mut self.scouts.0, ends.0).map_err(of(Side::Before))?);
                ends.0 = old[old.len() - 1].end;
            }
            if new.len() < left.1 {
                new.push(next(&mut self.scouts.1, ends.1).map_err(of(Side::After))?);
                ends.1 = new[new.len() - 1].end;
            }
            let read = (ends.0 - start.0) + (ends.1 - start.1);
            if read > self.effort {
                self.effort = 0;
                return Ok(false);
            }
            let at = old.len() - 1;
            if !is_whole && self.bytes.0.get(old[at].clone()) == self.bytes.1.get(new[at].clone()) {
                old.pop();
                new.pop();
                break;
            }
        }
        self.effort -= ((ends.0 - start.0) + (ends.1 - start.1)).min(self.effort);
        if old.len() == 1 && new.len() == 1 && !is_whole {
            return Ok(false);
        }
        let old = Ranges { bytes: self.bytes.0, ranges: old };
        let new = Ranges { bytes: self.bytes.1, ranges: new };
        let suffix = old.common_suffix(&new);
        let mut runs = Vec::new();
        let mut done = 0;
        for hunk in align(&old, &new, 0, suffix) {
            let pairs = hunk.before.len().min(hunk.after.len());
            let first = gap(&hunk, |i, j| are_alike(old.part(i), new.part(j)));
            runs.push(Run::Pairs(hunk.before.start - done + first));
            runs.push(Run::Removed(hunk.before.len() - pairs));
            runs.push(Run::Inserted(hunk.after.len() - pairs));
            runs.push(Run::Pairs(pairs - first));
            done = hunk.before.end;
        }
        runs.push(Run::Pairs(old.len() - done));
        self.set_runs(runs, is_whole);
        Ok(true)
    }

    fn set_runs(&mut self, mut runs: Vec<Run>, is_ordered: bool) {
        runs.retain(|run| !matches!(run, Run::Pairs(0) | Run::Removed(0) | Run::ToldRemoved(0) | Run::Inserted(0)));
        runs.reverse();
        if let Some(frame) = self.frames.last_mut() {
            frame.runs = runs;
            frame.is_ordered = is_ordered;
        }
    }

    /// Finds which keys of those to come both have, in the same order.
    fn order_entries(&mut self) -> Result<(), Failed> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (left, index, start) = (frame.left, frame.index, self.at());
        let old = keys(&mut self.scouts.0, start.0, left.0, self.effort).map_err(of(Side::Before))?;
        let new = keys(&mut self.scouts.1, start.1, left.1, self.effort).map_err(of(Side::After))?;
        let (Some((old, old_ends)), Some((new, new_ends))) = (old, new) else {
            self.effort = 0;
            self.set_runs(vec![Run::Removed(left.0), Run::Inserted(left.1)], true);
            return Ok(());
        };
        let read = |start: usize, ends: &[usize]| ends.last().map_or(0, |end| end - start);
        self.effort = self.effort.saturating_sub(read(start.0, &old_ends) + read(start.1, &new_ends));
        let old = Ranges { bytes: self.bytes.0, ranges: old };
        let new = Ranges { bytes: self.bytes.1, ranges: new };
        let suffix = old.common_suffix(&new);
        let (mut runs, mut done, mut removed) = (Vec::new(), 0, 0);
        for Hunk { before, after } in align(&old, &new, 0, suffix) {
            runs.push(Run::Pairs(before.start - done));
            let is_told = self.sink.needs_ways();
            runs.push(if is_told { Run::ToldRemoved(before.len()) } else { Run::Removed(before.len()) });
            runs.push(Run::Inserted(after.len()));
            done = before.end;
            // A key that has moved must be gone before it is there again.
            for at in before {
                let (key, end) = (old.ranges[at].clone(), old_ends[at]);
                self.trail.to(Step::Key(&self.bytes.0[key.clone()]));
                let what = What::Entry { key_len: key.len(), index: index + at - removed };
                let found = Found { op: Op::Remove, what, before: key.start..end, after: start.1..start.1 };
                self.sink.removed_early(&mut self.trail, found);
                removed += 1;
            }
        }
        runs.push(Run::Pairs(left.0 - done));
        self.set_runs(runs, true);
        Ok(())
    }
}

/// Where the value that begins at `start` is.
fn next(scout: &mut Skim<'_>, start: usize) -> Result<Range<usize>, CodecError> {
    Ok(start..scout.end_of(start)?)
}

/// Where keys are, and where their values end.
type Keys = (Vec<Range<usize>>, Vec<usize>);

/// Those of the next entries; `None` if it takes more bytes than `most` to find out.
fn keys(scout: &mut Skim<'_>, start: usize, count: usize, most: usize) -> Result<Option<Keys>, CodecError> {
    let (mut keys, mut ends) = (Vec::new(), Vec::new());
    let mut at = start;
    for _ in 0..count {
        let key = next(scout, at)?;
        at = next(scout, key.end)?.end;
        if at - start > most {
            return Ok(None);
        }
        keys.push(key);
        ends.push(at);
    }
    Ok(Some((keys, ends)))
}
