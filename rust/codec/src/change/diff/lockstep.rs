//! The state of a walk: two Readers in lockstep, and the small steps that everything else is built from.

use std::ops::Range;

use super::align::Hunk;
use super::same::Same;
use crate::change::model::{Changes, Edit};
use crate::error::CodecError;
use crate::kind::{Kind, WORD, Width};
use crate::path::PathStep;
use crate::reader::{Reader, Skim};

/// How many times the bytes of both may be read in vain, to check whether a value is the same or to find what was
/// inserted. Beyond that, the walk only compares in order.
const EFFORT: usize = 4;

/// The indices of the two sides: whatever both have is an array of two.
pub(super) const BEFORE: usize = 0;
pub(super) const AFTER: usize = 1;

/// How [`diff`](crate::change::diff()) reads both values.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiffOptions {
    /// Reads objects with properties instead of refusing them.
    pub allow_objects: bool,
    /// The caller's width of `real_t`. Packed arrays of another width are replaced as a whole.
    pub real: Width,
}

/// The error of a comparison: one of the two inputs is not exactly one value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {error}", match .kind { DiffErrorKind::Before => "before", DiffErrorKind::After => "after" })]
pub struct DiffError {
    kind: DiffErrorKind,
    error: CodecError,
}

impl DiffError {
    /// Returns which of the two it is.
    pub fn kind(&self) -> DiffErrorKind {
        self.kind
    }

    /// Returns the error in that input.
    pub fn into_error(self) -> CodecError {
        self.error
    }
}

/// One of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DiffErrorKind {
    /// The first one.
    Before,
    /// The second one.
    After,
}

/// Makes the errors of one side.
pub(super) fn of(side: usize) -> impl FnOnce(CodecError) -> DiffError {
    let kind = if side == BEFORE { DiffErrorKind::Before } else { DiffErrorKind::After };
    move |error| DiffError { kind, error }
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
    /// The step to the current part, and its number in the reported paths; 0 for none.
    pub step: PathStep<'a>,
    pub number: u32,
    /// The keys of all its steps that were given a number.
    pub keys: Vec<&'a [u8]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairForm {
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
        (open.step, open.number) = (step, 0);
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
}
