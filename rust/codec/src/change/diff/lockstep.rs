//! The state of a walk: two Readers in lockstep, the small steps that everything else is built from, and what was found:
//! changes with their paths, or only the bytes that differ.

use std::ops::Range;

use super::align::Hunk;
use super::{AFTER, BEFORE, DiffError, DiffOptions, of};
use crate::change::bytes::Same;
use crate::change::model::{Change, ChangePart, ChangePath, Changes, Edit, Op};
use crate::event::Plain;
use crate::kind::{Kind, WORD, Width};
use crate::path::PathStep;
use crate::reader::{Reader, Skim};

/// How many times the bytes of both may be read in vain, to check whether a value is the same or to find what was
/// inserted. Beyond that, the walk only compares in order.
const EFFORT: usize = 4;

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

pub(super) struct Lockstep<'a> {
    pub readers: [Reader<'a>; 2],
    pub lookahead: [Skim<'a>; 2],
    pub bytes: [&'a [u8]; 2],
    pub same: Same<'a>,
    /// The containers around the next values, outermost first.
    pub open: Vec<OpenPair<'a>>,
    /// How changes are reported with their paths. `None` if only edits are collected.
    pub options: Option<DiffOptions>,
    pub changes: Changes<'a>,
    pub edits: Vec<Edit>,
    /// Bytes that may still be read in vain.
    pub effort: usize,
}

/// A container that both sides have entered.
#[derive(Default)]
pub(super) struct OpenPair<'a> {
    pub form: PairForm,
    /// The number of elements, entries or properties, and how many of them were passed. As many as were passed of
    /// `after` are in the patched container so far.
    pub counts: [usize; 2],
    pub done: [usize; 2],
    /// The next runs that only one side has, last first. All other parts are pairs.
    pub plan: Vec<Hunk>,
    /// The index in `before` up to which `plan` says everything.
    pub planned_to: usize,
    /// True if the changes that remove parts of `plan` are already reported.
    pub is_reported: bool,
    /// True if one side has elements or entries that the other does not have.
    pub is_one_sided: bool,
    /// The offsets of the container and of the first value in it.
    pub start: [usize; 2],
    pub first: [usize; 2],
    /// The type of the elements of an Array or of the keys of a Dictionary, if they have one.
    pub of: Option<Kind>,
    /// True if patching would refuse one of the changes.
    pub is_unfit: bool,
    /// The numbers of steps and changes that were reported before the container.
    pub reported: (usize, usize),
    /// The containers inside it that were entered.
    pub entered: Vec<[Range<usize>; 2]>,
    /// The step to the current part, `None` before the first, and its number in the reported paths, 0 for none.
    pub step: Option<PathStep<'a>>,
    pub number: u32,
    /// The keys of all its steps that were given a number.
    pub keys: Vec<&'a [u8]>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PairForm {
    #[default]
    Array,
    Dictionary,
    Object,
}

impl<'a> Lockstep<'a> {
    pub fn new(before: &'a [u8], after: &'a [u8], options: Option<DiffOptions>) -> Self {
        let bytes = [before, after];
        let allow_objects = options.is_none_or(|options| options.allow_objects);
        let readers = bytes.map(|bytes| Reader::new(bytes).with_objects(allow_objects));
        Self {
            lookahead: [readers[0].skim(), readers[1].skim()],
            readers,
            bytes,
            same: Same::new(before, after),
            open: Vec::new(),
            options,
            changes: Changes::default(),
            edits: Vec::new(),
            effort: (before.len() + after.len()).saturating_mul(EFFORT),
        }
    }

    /// Returns the positions of both Readers. The padding at the very end may be missing.
    pub fn at(&self) -> [usize; 2] {
        [0, 1].map(|side| self.readers[side].position().min(self.bytes[side].len()))
    }

    pub fn pass(&mut self, count: usize, len: usize) {
        self.readers[BEFORE].pass_values(count, len);
        self.readers[AFTER].pass_values(count, len);
    }

    /// Returns the innermost container.
    ///
    /// # Panics
    /// If there is none.
    pub fn top(&mut self) -> &mut OpenPair<'a> {
        self.open.last_mut().expect("the walk is in a container")
    }

    /// Sets the step from the innermost container.
    pub fn to(&mut self, step: PathStep<'a>) {
        let open = self.top();
        (open.step, open.number) = (Some(step), 0);
    }

    /// Marks the next `count` pairs of the innermost container as done.
    pub fn take_pairs(&mut self, count: usize) {
        self.top().done.iter_mut().for_each(|done| *done += count);
    }

    /// Returns how many of the next values, up to `max` of the container, are the same in both, and their total length.
    /// The value after them may be the same, too.
    pub fn same_values(&mut self, max: usize) -> Result<(usize, usize), DiffError> {
        let [before, after] = self.at();
        let mut run = self.same.run(before, after, WORD);
        if run < WORD || self.effort == 0 {
            return Ok((0, 0));
        }
        let lookahead = &mut self.lookahead[BEFORE];
        lookahead.start(before, self.open.len());
        loop {
            lookahead.search(before + run, max).map_err(of(BEFORE))?;
            if lookahead.count == max {
                break;
            }
            let len = lookahead.position() - before;
            run = self.same.run(before, after, len);
            if run < len {
                self.effort = self.effort.saturating_sub(lookahead.position() - lookahead.end);
                break;
            }
        }
        Ok((lookahead.count, lookahead.end - before))
    }

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
            let step = open.step.expect("the walk is in a part");
            last = self.changes.push_step(last, step);
            open.number = last;
            if let PathStep::Key(key) = step {
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
