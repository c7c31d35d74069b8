//! Collects what a walk finds: changes with their paths, or only the bytes that differ.

use std::ops::Range;

use super::lockstep::{AFTER, BEFORE, Lockstep, PairForm};
use crate::change::model::{Change, ChangePart, ChangePath, Changes, Edit, Op};
use crate::event::Plain;
use crate::kind::{Kind, Width};
use crate::path::PathStep;

/// Changes that are always reported, plus one per [`BYTES_A_CHANGE`] input bytes. A change takes about as much memory in the engine.
const MAX_CHANGES: usize = 100_000;
pub(super) const BYTES_A_CHANGE: usize = 256;

/// The meaning of bytes that differ.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    /// A value.
    Value,
    /// An entry of a Dictionary, beginning with its key, and its position in the order.
    Entry { key_len: usize, index: usize },
    /// Elements of a packed array: the index of the first, and the count of each side.
    Elements { kind: Kind, width: Width, first: usize, counts: [usize; 2] },
}

impl<'a> Lockstep<'a> {
    /// True if changes are reported with their paths. Then each path must lead to one value, and a removed entry must
    /// be reported before one with the same key is inserted.
    pub fn has_paths(&self) -> bool {
        self.options.is_some()
    }

    /// True if there are so many changes that one replaces the whole value.
    pub fn is_full(&self) -> bool {
        let len = self.bytes[BEFORE].len() + self.bytes[AFTER].len();
        self.changes.counts().1 > MAX_CHANGES + len / BYTES_A_CHANGE
    }

    /// Returns all changes, or one that replaces everything if there are too many.
    pub fn into_changes(mut self) -> Changes<'a> {
        if self.is_full() {
            self.changes = Changes::default();
            let [old, new] = self.bytes.map(|bytes| Some(ChangePart::Value { at: 0, bytes }));
            self.changes.push(0, Change { path: ChangePath::default(), op: Op::Set, index: None, old, new });
        }
        self.changes
    }

    /// Takes bytes that follow from the changes: counts and padding.
    pub fn derived(&mut self, [before, after]: [Range<usize>; 2]) {
        if !self.has_paths() {
            self.edits.push(Edit { before, after });
        }
    }

    /// Reports that bytes of `before` are replaced by bytes of `after`, of which either may be empty: a change of what
    /// the path leads to.
    pub fn report(&mut self, unit: Unit, [before, after]: [Range<usize>; 2]) {
        if !self.has_paths() {
            self.edits.push(Edit { before, after });
            return;
        }
        let op = match (before.is_empty(), after.is_empty()) {
            (true, _) => Op::Insert,
            (_, true) => Op::Remove,
            _ => Op::Set,
        };
        if let Some(open) = self.open.last_mut() {
            // The new part begins with the element, or with the key.
            let is_checked = match unit {
                Unit::Value => open.form == PairForm::Array && op != Op::Remove,
                Unit::Entry { .. } => op == Op::Insert,
                Unit::Elements { .. } => false,
            };
            let id = self.bytes[AFTER].get(after.start);
            open.is_unfit |= is_checked && open.of.is_some_and(|of| id != Some(&of.id()));
        }
        let (mut last, mut index) = (self.number(), None);
        match unit {
            Unit::Value => {}
            Unit::Entry { index: at, .. } => index = Some(at),
            Unit::Elements { first, .. } => last = self.changes.push_step(last, PathStep::Index(first)),
        }
        let (old, new) = (self.part(BEFORE, unit, before), self.part(AFTER, unit, after));
        self.changes.push(last, Change { path: ChangePath::default(), op, index, old, new });
    }

    /// Returns the number of the last step of the path. Adds steps that have no number.
    fn number(&mut self) -> u32 {
        let known = self.open.iter().rposition(|open| open.number > 0);
        let mut last = known.map_or(0, |at| self.open[at].number);
        for open in &mut self.open[known.map_or(0, |at| at + 1)..] {
            last = self.changes.push_step(last, open.step);
            open.number = last;
            if let PathStep::Key(key) = open.step {
                open.keys.push(key);
            }
        }
        last
    }

    /// Returns the part of one side; `None` if there is none.
    fn part(&self, side: usize, unit: Unit, range: Range<usize>) -> Option<ChangePart<'a>> {
        let (at, bytes) = (range.start, self.readers[side].bytes(range.start, range.end));
        let part = match unit {
            Unit::Value => ChangePart::Value { at, bytes },
            Unit::Entry { key_len, .. } => ChangePart::Value { at: at + key_len, bytes: bytes.get(key_len..)? },
            Unit::Elements { kind: Kind::PackedStringArray, counts, .. } => {
                ChangePart::Texts { count: counts[side], bytes }
            }
            Unit::Elements { kind, width, counts, .. } => {
                ChangePart::Elements(Plain { kind, width, count: counts[side], bytes })
            }
        };
        (!range.is_empty()).then_some(part)
    }

    /// Drops all steps and changes but the first ones, as [`Changes::counts`] has counted them.
    pub fn restore(&mut self, counts: (usize, usize)) {
        self.changes.truncate(counts);
        for open in &mut self.open {
            if open.number as usize > counts.0 {
                open.number = 0;
            }
        }
    }
}
