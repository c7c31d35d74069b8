//! The walk itself: passes, enters or reports one pair of values after another.

use std::collections::HashSet;
use std::ops::Range;

use super::keys::is_plain_text;
use super::lockstep::{AFTER, BEFORE, DiffError, DiffErrorKind, Lockstep, OpenPair, PairForm, of};
use super::sink::{Difference, Sink, Slice, Unit};
use crate::event::{Event, Text};
use crate::kind::{Kind, WORD};
use crate::path::PathStep;
use crate::reader::Reader;
use crate::validate::validate;

impl<'a, S: Sink<'a>> Lockstep<'a, S> {
    /// Walks over both values. Also returns where each of them ends.
    pub fn run(mut self) -> Result<(S, [usize; 2]), DiffError> {
        match self.walk() {
            Ok(()) => Ok((self.sink, [0, 1].map(|side| self.readers[side].position()))),
            Err(error) => Err(self.first_error(error)),
        }
    }

    /// Finds the first error of the value in which the walk stopped.
    #[cold]
    fn first_error(&self, error: DiffError) -> DiffError {
        let side = if error.kind() == DiffErrorKind::Before { BEFORE } else { AFTER };
        let whole = Reader::new(self.bytes[side]).with_objects(self.readers[side].allows_objects());
        validate(whole).map_err(of(side)).err().unwrap_or(error)
    }

    fn walk(&mut self) -> Result<(), DiffError> {
        self.value()?;
        while let Some(open) = self.open.last() {
            if self.sink.is_full() {
                return self.finish([0, 0]);
            }
            if open.remaining == [0, 0] {
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
        self.readers[BEFORE].finish_value(depths[BEFORE]).map_err(DiffError::before)?;
        self.readers[AFTER].finish_value(depths[AFTER]).map_err(DiffError::after)
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
        let old = self.readers[BEFORE].next_event().map_err(DiffError::before)?;
        let new = self.readers[AFTER].next_event().map_err(DiffError::after)?;
        let (Some(old), Some(new)) = (old, new) else { return Ok(()) };
        let end = self.at();
        let heads = [start[0]..end[0], start[1]..end[1]];
        match (old, new) {
            (Event::Array { element, count: old }, Event::Array { count: new, .. }) if self.is_same_head(&heads) => {
                self.enter(PairForm::Array, element.builtin(), [old, new], &heads);
                return Ok(());
            }
            (Event::Dictionary { key, count: old, .. }, Event::Dictionary { count: new, .. })
                if self.is_same_head(&heads) =>
            {
                self.enter(PairForm::Dictionary, key.builtin(), [old, new], &heads);
                return Ok(());
            }
            (Event::Object { count, .. }, Event::Object { count: new, .. })
                if count == new && self.is_same_head(&heads) && self.has_same_names(count)? =>
            {
                self.enter(PairForm::Object, None, [count, new], &heads);
                return Ok(());
            }
            (Event::PackedStrings { count: old }, Event::PackedStrings { count: new }) if self.is_same_head(&heads) => {
                return self.texts([old, new], start);
            }
            (Event::Packed(old), Event::Packed(new))
                if self.is_same_head(&start.map(|start| start..start + 2 * WORD))
                    && (!old.kind.shape().is_real() || self.sink.real().is_none_or(|real| real == old.width)) =>
            {
                let slice = |plain, start| Slice { at: start + 2 * WORD, plain };
                self.packed(slice(old, start[0]), slice(new, start[1]));
                return Ok(());
            }
            _ => {}
        }
        self.finish(depths)?;
        let end = self.at();
        let (before, after) = (start[0]..end[0], start[1]..end[1]);
        if self.bytes[BEFORE][before.clone()] != self.bytes[AFTER][after.clone()] {
            self.report(Difference { unit: Unit::Value, before, after });
        }
        Ok(())
    }

    /// Returns true if two heads differ only in the count at their end. Patching rewrites the count, so it must have no
    /// flag.
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
            self.sink.derived(first[0] - WORD..first[0], first[1] - WORD..first[1]);
        }
        self.open.push(OpenPair {
            form,
            remaining: counts,
            index: 0,
            plan: Vec::new(),
            is_planned: false,
            is_one_sided: false,
            start: [heads[0].start, heads[1].start],
            first,
            counts,
            of,
            is_unfit: false,
            reported: self.sink.checkpoint(),
            entered: Vec::new(),
        });
        self.trail.enter();
    }

    /// Leaves the innermost container, which has no remaining parts. Reports it as a whole if patching would refuse the
    /// changes of its parts, or turn them into something else.
    fn close(&mut self) -> Result<(), DiffError> {
        let (Some(open), keys) = (self.open.pop(), self.trail.leave()) else { return Ok(()) };
        if !S::HAS_PATHS {
            return Ok(());
        }
        let end = self.at();
        let (before, after) = (open.start[0]..end[0], open.start[1]..end[1]);
        let has_changes = self.sink.checkpoint() != open.reported;
        if has_changes && (open.is_unfit || !self.lead_to_one_entry(&open, &keys)?) {
            self.sink.restore(&mut self.trail, open.reported);
            self.report(Difference { unit: Unit::Value, before: before.clone(), after: after.clone() });
        }
        if let Some(outer) = self.open.last_mut() {
            outer.entered.push([before, after]);
        }
        Ok(())
    }

    /// Returns true if two objects that both sides have entered have the same properties in the same order. If changes
    /// have paths, each name must lead to one property.
    fn has_same_names(&mut self, count: usize) -> Result<bool, DiffError> {
        let [mut before, mut after] = self.readers.clone();
        let (start, mut is_same) = (before.position(), true);
        let mut seen = HashSet::new();
        for _ in 0..count {
            let names = [before.position(), after.position()];
            before.next_event().map_err(DiffError::before)?;
            after.next_event().map_err(DiffError::after)?;
            let (old, new) = (before.bytes(names[0], before.position()), after.bytes(names[1], after.position()));
            let leads_there = !S::HAS_PATHS || is_plain_text(old) && seen.insert(old);
            if old != new || !leads_there || before.position() - start > self.effort {
                is_same = false;
                break;
            }
            before.skip_value().map_err(DiffError::before)?;
            after.skip_value().map_err(DiffError::after)?;
        }
        self.effort = self.effort.saturating_sub(before.position() - start);
        Ok(is_same)
    }

    /// Compares the next property of both objects, whose names are the same.
    fn property(&mut self) -> Result<(), DiffError> {
        let name = self.readers[BEFORE].next_event().map_err(DiffError::before)?;
        self.readers[AFTER].next_event().map_err(DiffError::after)?;
        let name = if let Some(Event::Text(name)) = name { name } else { Text::Utf8("") };
        self.trail.to(PathStep::Property(name));
        self.take_pairs(1);
        self.value()
    }
}
