//! The walk itself: passes, enters or reports one pair of values after another. Packed arrays are compared at once.

use std::ops::Range;

use super::align::{Hunk, Offsets, Parts, one_sided};
use super::keys::is_plain_text;
use super::{AFTER, BEFORE, BYTES_A_CHANGE, DiffError, Lockstep, OpenPair, PairForm, Unit, of};
use crate::{Event, Kind, PathStep, Plain, Reader, Text, WORD, Width, validate};

/// Runs of elements in one packed array that are always reported, plus one per [`BYTES_A_CHANGE`] bytes.
const MAX_RUNS: usize = 10_000;

impl<'a> Lockstep<'a> {
    pub fn run(mut self) -> Result<Self, DiffError> {
        let walked = self.walk();
        walked.map_err(|error| self.first_error(error)).map(|()| self)
    }

    /// Finds the first error of the value in which the walk stopped.
    #[cold]
    fn first_error(&self, error: DiffError) -> DiffError {
        let side = if let DiffError::Before(_) = error { BEFORE } else { AFTER };
        let whole = Reader::new(self.bytes[side]).with_objects(self.readers[side].allows_objects());
        validate(whole).map_err(of(side)).err().unwrap_or(error)
    }

    fn walk(&mut self) -> Result<(), DiffError> {
        self.value()?;
        while let Some(open) = self.open.last() {
            if self.is_full() {
                return self.finish([0, 0]);
            }
            if open.done == open.counts {
                self.close()?;
                continue;
            }
            match open.form {
                PairForm::Array => self.element()?,
                PairForm::Dictionary => self.entry()?,
                PairForm::Object => self.property()?,
            }
        }
        Ok(())
    }

    /// Passes the rest of the values at these depths.
    fn finish(&mut self, depths: [usize; 2]) -> Result<(), DiffError> {
        self.readers[BEFORE].finish_value(depths[BEFORE]).map_err(of(BEFORE))?;
        self.readers[AFTER].finish_value(depths[AFTER]).map_err(of(AFTER))
    }

    /// Passes the next value of both if it is the same; otherwise enters or reports it.
    pub fn value(&mut self) -> Result<(), DiffError> {
        match self.same_values(1)? {
            (1, len) => self.pass(1, len),
            _ => self.differing_value()?,
        }
        Ok(())
    }

    /// Enters or reports the next value of both. They are known to differ, or no effort remains to check.
    pub fn differing_value(&mut self) -> Result<(), DiffError> {
        let start = self.at();
        let depths = [0, 1].map(|side| self.readers[side].depth());
        let old = self.readers[BEFORE].next_event().map_err(of(BEFORE))?;
        let new = self.readers[AFTER].next_event().map_err(of(AFTER))?;
        let (Some(old), Some(new)) = (old, new) else { return Ok(()) };
        let end = self.at();
        let heads = [0, 1].map(|side| start[side]..end[side]);
        let container = match (old, new) {
            (Event::Array { element, count: old }, Event::Array { count: new, .. }) => {
                Some((PairForm::Array, element.builtin(), [old, new]))
            }
            (Event::Dictionary { key, count: old, .. }, Event::Dictionary { count: new, .. }) => {
                Some((PairForm::Dictionary, key.builtin(), [old, new]))
            }
            (Event::Object { count: old, .. }, Event::Object { count: new, .. }) if old == new => {
                Some((PairForm::Object, None, [old, new]))
            }
            (Event::PackedStrings { count: old }, Event::PackedStrings { count: new }) if self.is_same_head(&heads) => {
                return self.texts([old, new], start);
            }
            (Event::Packed(old), Event::Packed(new))
                if self.is_same_head(&start.map(|start| start..start + 2 * WORD))
                    && self.options.is_none_or(|options| old.has_width(options.real)) =>
            {
                self.packed([old, new], start);
                return Ok(());
            }
            _ => None,
        };
        if let Some((form, of, counts)) = container
            && self.is_same_head(&heads)
        {
            self.enter(form, of, counts, &heads);
            return Ok(());
        }
        self.finish(depths)?;
        let end = self.at();
        let ranges = [0, 1].map(|side| start[side]..end[side]);
        if self.bytes[BEFORE][ranges[BEFORE].clone()] != self.bytes[AFTER][ranges[AFTER].clone()] {
            self.report(Unit::Value, ranges);
        }
        Ok(())
    }

    /// True if two heads differ only in the count at their end, which must have no flag, as patching rewrites it.
    fn is_same_head(&self, heads: &[Range<usize>; 2]) -> bool {
        let split = |side: usize| {
            let head = &heads[side];
            self.readers[side].bytes(head.start, head.end).split_last_chunk::<WORD>()
        };
        let (Some((old, &old_count)), Some((new, &new_count))) = (split(BEFORE), split(AFTER)) else { return false };
        let is_plain = |count| u32::from_le_bytes(count) <= i32::MAX as u32;
        old == new && (old_count == new_count || is_plain(old_count) && is_plain(new_count))
    }

    fn enter(&mut self, form: PairForm, of: Option<Kind>, counts: [usize; 2], heads: &[Range<usize>; 2]) {
        let first = [heads[0].end, heads[1].end];
        if counts[0] != counts[1] {
            self.derived(first.map(|first| first - WORD..first));
        }
        self.open.push(OpenPair {
            form,
            counts,
            start: [heads[0].start, heads[1].start],
            first,
            of,
            reported: self.changes.counts(),
            ..OpenPair::default()
        });
    }

    /// Leaves the innermost container, at its end. Reports it as a whole if patching would not get it from its changes.
    fn close(&mut self) -> Result<(), DiffError> {
        let Some(mut open) = self.open.pop().filter(|_| self.has_paths()) else { return Ok(()) };
        let end = self.at();
        let ranges = [0, 1].map(|side| open.start[side]..end[side]);
        let has_changes = self.changes.counts() != open.reported;
        if has_changes && (open.is_unfit || !self.lead_to_one_entry(&mut open)?) {
            self.restore(open.reported);
            self.report(Unit::Value, ranges.clone());
        }
        if let Some(outer) = self.open.last_mut() {
            outer.entered.push(ranges);
        }
        Ok(())
    }

    /// Compares the next property of both objects. From names that differ on, compares the rest as a whole.
    fn property(&mut self) -> Result<(), DiffError> {
        let start = self.at();
        let name = self.readers[BEFORE].next_event().map_err(of(BEFORE))?;
        self.readers[AFTER].next_event().map_err(of(AFTER))?;
        let end = self.at();
        let [old, new] = [BEFORE, AFTER].map(|side| self.readers[side].bytes(start[side], end[side]));
        self.to(PathStep::Property(if let Some(Event::Text(name)) = name { name } else { Text::Utf8("") }));
        self.take_pairs(1);
        let depth = self.open.len() - 1;
        let open = self.top();
        open.is_unfit |= old != new || !is_plain_text(old);
        open.keys.push(old);
        if old == new {
            return self.value();
        }
        open.done = open.counts;
        self.finish([depth; 2])?;
        let end = self.at();
        self.report(Unit::Value, [0, 1].map(|side| start[side]..end[side]));
        Ok(())
    }

    /// Compares two packed arrays of the same kind that begin at `start`, which both Readers have passed.
    pub fn packed(&mut self, plain: [Plain<'a>; 2], start: [usize; 2]) {
        let (kind, width) = (plain[BEFORE].kind, plain[BEFORE].width);
        let size = kind.shape().element_len(width).unwrap_or(1);
        let parts = [BEFORE, AFTER].map(|side| {
            let offsets = Offsets::Every { at: start[side] + 2 * WORD, size };
            Parts { bytes: self.bytes[side], count: plain[side].count, offsets }
        });
        self.elements(kind, width, parts);
        let end = self.at();
        let padding = [BEFORE, AFTER].map(|side| parts[side].range().end..end[side]);
        if self.bytes[BEFORE][padding[BEFORE].clone()] != self.bytes[AFTER][padding[AFTER].clone()] {
            self.derived(padding);
        }
    }

    /// Compares two PackedStringArrays that begin at `start`. The Readers are at the first text.
    pub fn texts(&mut self, counts: [usize; 2], start: [usize; 2]) -> Result<(), DiffError> {
        let mut offsets = start.map(|start| vec![start + 2 * WORD]);
        for side in [BEFORE, AFTER] {
            offsets[side].reserve_exact(counts[side]);
            for _ in 0..counts[side] {
                self.readers[side].pass_text().map_err(of(side))?;
                offsets[side].push(self.readers[side].position());
            }
        }
        let parts = |side: usize| {
            let offsets = Offsets::Each { offsets: &offsets[side], values: 1 };
            Parts { bytes: self.bytes[side], count: counts[side], offsets }
        };
        self.elements(Kind::PackedStringArray, Width::Single, [parts(BEFORE), parts(AFTER)]);
        Ok(())
    }

    fn elements(&mut self, kind: Kind, width: Width, [old, new]: [Parts<'_>; 2]) {
        let mut hunks = Vec::new();
        if old.count != new.count {
            self.derived([old, new].map(|parts| parts.range().start - WORD..parts.range().start));
            hunks = one_sided(old, new, |old, new| old == new);
        }
        hunks.push(Hunk { before: old.count..old.count, after: new.count..new.count });
        let mut done = (0, 0);
        for Hunk { before, after } in hunks {
            let unit = |first, counts| Unit::Elements { kind, width, first, counts };
            self.pairs(unit, done.1, old.slice(done.0..before.start), new.slice(done.1..after.start));
            if before.len() != after.len() {
                let parts = [old.slice(before.clone()), new.slice(after.clone())];
                self.report(unit(after.start, parts.map(|parts| parts.count)), parts.map(|parts| parts.range()));
            }
            done = (before.end, after.end);
        }
    }

    /// Compares as many elements of both. `first` is the index of the first of them.
    fn pairs(&mut self, unit: impl Fn(usize, [usize; 2]) -> Unit, first: usize, old: Parts<'_>, new: Parts<'_>) {
        let count = old.count;
        let ranges = |run: Range<usize>| [old, new].map(|parts| parts.slice(run.clone()).range());
        let mut max = usize::MAX;
        if let Offsets::Every { .. } = old.offsets {
            if !self.has_paths() {
                if old.bytes[old.range()] != new.bytes[new.range()] {
                    self.report(unit(first, [count, count]), ranges(0..count));
                }
                return;
            }
            max = MAX_RUNS + old.range().len() / BYTES_A_CHANGE;
        }
        let known = self.changes.counts();
        let (mut at, mut first_changed) = (0, None);
        loop {
            at += old.slice(at..count).common_prefix(new.slice(at..count));
            if at == count {
                return;
            }
            let mut start = at;
            at += old.slice(at..count).differing_prefix(new.slice(at..count));
            let from = *first_changed.get_or_insert(start);
            if self.changes.counts().1 - known.1 == max {
                // Too many runs: one run replaces them all.
                self.restore(known);
                (start, at) = (from, count);
            }
            self.report(unit(first + start, [at - start; 2]), ranges(start..at));
        }
    }
}
