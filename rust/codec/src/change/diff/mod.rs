//! Compares two values: two Readers in lockstep, each on the bytes of one.
//!
//! Both are always at the same point of the same type tree. Equal bytes are compared as memory and passed; containers
//! with the same head are entered; everything else is a [`Change`](crate::change::Change). No value is built. `order`
//! finds elements and entries that only one side has, with bounded effort.

mod align;
mod keys;
mod order;
mod walk;

use std::ops::Range;

use self::align::Hunk;
use super::bytes::Same;
use super::{Change, ChangePart, ChangePath, Changes, Edit, Op};
use crate::{CodecError, Kind, Kinds, PathStep, Plain, Reader, Skim, WORD, Width};

/// The indices of the two sides: whatever both have is an array of two.
const BEFORE: usize = 0;
const AFTER: usize = 1;

/// How [`diff`](diff()) reads both values.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiffOptions {
    /// Reads objects with properties instead of refusing them.
    pub allow_objects: bool,
    /// The caller's width of `real_t`. Packed arrays of another width are replaced as a whole.
    pub real: Width,
}

/// The error of a comparison: one of the two inputs is not exactly one value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiffError {
    /// It is the first one.
    #[error("before: {0}")]
    Before(CodecError),
    /// It is the second one.
    #[error("after: {0}")]
    After(CodecError),
}

fn of(side: usize) -> fn(CodecError) -> DiffError {
    if side == BEFORE { DiffError::Before } else { DiffError::After }
}

/// Returns the changes that turn `before` into `after`, in the order of their bytes, for
/// [`patch`](crate::change::patch()) if an engine wrote both. One replaces the whole value if they would take far more
/// memory. Fails if one is not exactly one value; equal bytes are only read for their lengths.
pub fn diff<'a>(before: &'a [u8], after: &'a [u8], options: DiffOptions) -> Result<Changes<'a>, DiffError> {
    let mut walked = Lockstep::new(before, after, Some(options)).run()?;
    for side in [BEFORE, AFTER] {
        walked.readers[side].check_end().map_err(of(side))?;
    }
    if walked.is_full() {
        walked.changes = Changes::default();
        let [old, new] = walked.bytes.map(|bytes| Some(ChangePart::Value { at: 0, bytes }));
        walked.changes.changes.push((0, Change { path: ChangePath::default(), op: Op::Set, index: None, old, new }));
    }
    Ok(walked.changes)
}

/// Returns the bytes that differ, in order. Takes any bytes: those that are no value, or follow one, differ as a whole.
pub fn edits(before: &[u8], after: &[u8]) -> Vec<Edit> {
    if before == after {
        return Vec::new();
    }
    let (ends, mut edits) = match Lockstep::new(before, after, None).run() {
        Ok(walked) => (walked.at(), walked.edits),
        Err(_) => ([0, 0], Vec::new()),
    };
    edits.push(Edit { before: ends[BEFORE]..before.len(), after: ends[AFTER]..after.len() });
    edits
}

/// How many times both may be read in vain to find equal or inserted values. After that, the walk compares in order.
const EFFORT: usize = 4;

/// Changes that are always reported, plus one per [`BYTES_A_CHANGE`] input bytes. A change takes about as much memory in the engine.
const MAX_CHANGES: usize = 100_000;
const BYTES_A_CHANGE: usize = 256;

/// The meaning of bytes that differ.
#[derive(Clone, Copy)]
enum Unit {
    Value,
    /// An entry of a Dictionary, beginning with its key, and its position in the order.
    Entry {
        key_len: usize,
        index: usize,
    },
    /// Elements of a packed array: the index of the first, and the count of each side.
    Elements {
        kind: Kind,
        width: Width,
        first: usize,
        counts: [usize; 2],
    },
}

/// The state of a walk, and what was found: changes with their paths, or only the bytes that differ.
struct Lockstep<'a> {
    readers: [Reader<'a>; 2],
    lookahead: [Skim<'a>; 2],
    bytes: [&'a [u8]; 2],
    same: Same<'a>,
    /// The containers around the next values, outermost first.
    open: Vec<OpenPair<'a>>,
    /// How changes are reported with their paths. `None` if only edits are collected.
    options: Option<DiffOptions>,
    changes: Changes<'a>,
    edits: Vec<Edit>,
    /// Bytes that may still be read in vain.
    effort: usize,
}

/// A container that both sides have entered.
#[derive(Default)]
struct OpenPair<'a> {
    form: PairForm,
    /// The number of parts, and how many were passed: as many of `after` are in the patched container so far.
    counts: [usize; 2],
    done: [usize; 2],
    /// The next runs that only one side has, last first. All other parts are pairs.
    plan: Vec<Hunk>,
    /// The index in `before` up to which `plan` says everything.
    planned_to: usize,
    /// True if the changes that remove parts of `plan` are already reported.
    is_reported: bool,
    /// True if one side has elements or entries that the other does not have.
    is_one_sided: bool,
    /// The offsets of the container and of the first value in it.
    start: [usize; 2],
    first: [usize; 2],
    /// The type of the elements of an Array or of the keys of a Dictionary, if they have one.
    of: Option<Kind>,
    /// True if patching would refuse one of the changes.
    is_unfit: bool,
    /// The numbers of steps and changes that were reported before the container.
    reported: (usize, usize),
    /// The containers inside it that were entered.
    entered: Vec<[Range<usize>; 2]>,
    /// The step to the current part, `None` before the first, and its number in the reported paths, 0 for none.
    step: Option<PathStep<'a>>,
    number: u32,
    /// The keys of all its steps that were given a number; of an object, the names of all properties so far.
    keys: Vec<&'a [u8]>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PairForm {
    #[default]
    Array,
    Dictionary,
    Object,
}

impl<'a> Lockstep<'a> {
    fn new(before: &'a [u8], after: &'a [u8], options: Option<DiffOptions>) -> Self {
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
    fn at(&self) -> [usize; 2] {
        [0, 1].map(|side| self.readers[side].position().min(self.bytes[side].len()))
    }

    fn pass(&mut self, count: usize, len: usize) {
        self.readers[BEFORE].pass_values(count, len);
        self.readers[AFTER].pass_values(count, len);
    }

    fn top(&mut self) -> &mut OpenPair<'a> {
        self.open.last_mut().expect("the walk is in a container")
    }

    fn to(&mut self, step: PathStep<'a>) {
        let open = self.top();
        (open.step, open.number) = (Some(step), 0);
    }

    /// Marks the next `count` pairs of the innermost container as done.
    fn take_pairs(&mut self, count: usize) {
        self.top().done.iter_mut().for_each(|done| *done += count);
    }

    /// Returns how many of the next values, up to `max`, are the same in both, and their length. More may be the same.
    fn same_values(&mut self, max: usize) -> Result<(usize, usize), DiffError> {
        let [before, after] = self.at();
        let mut run = self.same.run(before, after, WORD);
        if run < WORD || self.effort == 0 {
            return Ok((0, 0));
        }
        let lookahead = &mut self.lookahead[BEFORE];
        lookahead.start(before, self.open.len());
        loop {
            lookahead.search(before + run, max, Kinds::ANY).map_err(of(BEFORE))?;
            if lookahead.count == max {
                break;
            }
            let len = lookahead.at - before;
            run = self.same.run(before, after, len);
            if run < len {
                self.effort = self.effort.saturating_sub(lookahead.at - lookahead.end);
                break;
            }
        }
        Ok((lookahead.count, lookahead.end - before))
    }

    /// True if changes have paths: each must lead to one value, and a key be removed before it is inserted again.
    fn has_paths(&self) -> bool {
        self.options.is_some()
    }

    /// True if there are so many changes that one replaces the whole value.
    fn is_full(&self) -> bool {
        let len = self.bytes[BEFORE].len() + self.bytes[AFTER].len();
        self.changes.counts().1 > MAX_CHANGES + len / BYTES_A_CHANGE
    }

    /// Takes bytes that follow from the changes: counts and padding.
    fn derived(&mut self, [before, after]: [Range<usize>; 2]) {
        if !self.has_paths() {
            self.edits.push(Edit { before, after });
        }
    }

    /// Reports that bytes of `before` are replaced by bytes of `after`, where the path leads. Either may be empty.
    fn report(&mut self, unit: Unit, [before, after]: [Range<usize>; 2]) {
        if !self.has_paths() {
            return self.derived([before, after]);
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
        self.changes.changes.push((last, Change { path: ChangePath::default(), op, index, old, new }));
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

    /// Drops all changes but the first ones, as [`Changes::counts`] has counted them, and all steps inside the current part.
    fn restore(&mut self, (steps, changes): (usize, usize)) {
        let current = self.open.last().map_or(0, |open| open.number as usize);
        self.changes.truncate((steps.max(current), changes));
    }
}
