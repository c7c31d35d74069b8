//! The state of a walk: two Readers in lockstep, and the small steps that everything else is built from.

use std::ops::Range;

use super::same::Same;
use super::sink::{Checkpoint, Difference, Sink, Trail};
use crate::change::model::Op;
use crate::error::CodecError;
use crate::kind::Kind;
use crate::kind::WORD;
use crate::reader::{Reader, Skim};

/// How many times the bytes of both may be read in vain, to check whether a value is the same or to find what was
/// inserted. Beyond that, the walk only compares in order.
const EFFORT: usize = 4;

/// The indices of the two sides: whatever both have is an array of two.
pub(super) const BEFORE: usize = 0;
pub(super) const AFTER: usize = 1;

/// The error of a comparison: one of the two inputs is not exactly one value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {error}", match .kind { DiffErrorKind::Before => "before", DiffErrorKind::After => "after" })]
pub struct DiffError {
    kind: DiffErrorKind,
    error: CodecError,
}

impl DiffError {
    pub(super) fn before(error: CodecError) -> Self {
        Self { kind: DiffErrorKind::Before, error }
    }

    pub(super) fn after(error: CodecError) -> Self {
        Self { kind: DiffErrorKind::After, error }
    }

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
pub(super) fn of(side: usize) -> fn(CodecError) -> DiffError {
    if side == BEFORE { DiffError::before } else { DiffError::after }
}

pub(super) struct Lockstep<'a, S> {
    pub readers: [Reader<'a>; 2],
    pub lookahead: [Skim<'a>; 2],
    pub bytes: [&'a [u8]; 2],
    pub same: Same<'a>,
    /// The containers around the next values, outermost first.
    pub open: Vec<OpenPair>,
    pub trail: Trail<'a>,
    pub sink: S,
    /// Bytes that may still be read in vain.
    pub effort: usize,
}

/// A container that both sides have entered.
pub(super) struct OpenPair {
    pub form: PairForm,
    /// The remaining elements, entries or properties.
    pub remaining: [usize; 2],
    /// The index of the next one in the patched container.
    pub index: usize,
    /// What to do with the remaining ones, last first. If empty, they are compared in pairs.
    pub plan: Vec<Stretch>,
    /// True if `plan` covers all remaining ones.
    pub is_planned: bool,
    /// True if one side has elements or entries that the other does not have.
    pub is_one_sided: bool,
    /// The offsets of the container and of the first value in it.
    pub start: [usize; 2],
    pub first: [usize; 2],
    /// The number of elements, entries or properties.
    pub counts: [usize; 2],
    /// The type of the elements of an Array or of the keys of a Dictionary, if they have one.
    pub of: Option<Kind>,
    /// True if patching would refuse one of the changes.
    pub is_unfit: bool,
    /// What was reported before the container.
    pub reported: Checkpoint,
    /// The containers inside it that were entered.
    pub entered: Vec<[Range<usize>; 2]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairForm {
    Array,
    Dictionary,
    Object,
}

/// What to do with the next parts of two containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stretch {
    /// This many pairs that belong together.
    Pairs(usize),
    /// Parts that only `before` has.
    Removed(usize),
    /// Parts that only `before` has, already reported.
    ReportedRemoved(usize),
    /// Parts that only `after` has.
    Inserted(usize),
}

impl Stretch {
    pub fn count(&mut self) -> &mut usize {
        let (Self::Pairs(count) | Self::Removed(count) | Self::ReportedRemoved(count) | Self::Inserted(count)) = self;
        count
    }
}

impl<'a, S: Sink<'a>> Lockstep<'a, S> {
    pub fn new(before: &'a [u8], after: &'a [u8], allow_objects: bool, sink: S) -> Self {
        let bytes = [before, after];
        let readers = bytes.map(|bytes| Reader::new(bytes).with_objects(allow_objects));
        Self {
            lookahead: [readers[0].skim(), readers[1].skim()],
            readers,
            bytes,
            same: Same::new(before, after),
            open: Vec::new(),
            trail: Trail::default(),
            sink,
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

    /// Reports a change of a part of the innermost container.
    pub fn report(&mut self, difference: Difference<'a>) {
        if let Some(open) = self.open.last_mut() {
            // The new part begins with the element, or with the key.
            let is_checked = match open.form {
                PairForm::Array => difference.op() != Op::Remove,
                PairForm::Dictionary => difference.op() == Op::Insert,
                PairForm::Object => false,
            };
            let id = self.bytes[AFTER].get(difference.after.start);
            open.is_unfit |= is_checked && open.of.is_some_and(|of| id != Some(&of.id()));
        }
        self.sink.change(&mut self.trail, difference);
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
            lookahead.search(before + run, max).map_err(DiffError::before)?;
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

    /// Marks the next `count` parts of both containers as done.
    pub fn take_pairs(&mut self, count: usize) {
        self.take([count, count], count);
        if let Some(open) = self.open.last_mut()
            && let Some(Stretch::Pairs(remaining)) = open.plan.last_mut()
        {
            *remaining -= count;
            if *remaining == 0 {
                open.plan.pop();
            }
        }
    }

    /// Like [`Self::take_pairs`] with a count for each side, of which `result` remain after patching.
    pub fn take(&mut self, counts: [usize; 2], result: usize) {
        if let Some(open) = self.open.last_mut() {
            open.remaining = [open.remaining[0] - counts[0], open.remaining[1] - counts[1]];
            open.index += result;
        }
    }
}
