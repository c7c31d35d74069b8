//! What a walk finds, and what takes it.

use std::ops::Range;

use super::changes::Step;
use crate::delta::Edit;
use crate::dialect::Width;
use crate::kind::Kind;
use crate::patch::Op;

/// A change, by the bytes that go and those that come. Either may be empty.
pub(super) struct Found {
    pub op: Op,
    pub what: What,
    pub before: Range<usize>,
    pub after: Range<usize>,
}

/// What the bytes are.
pub(super) enum What {
    /// A value.
    Value,
    /// An entry of a Dictionary, its key in front, and where in the order it is.
    Entry { key_len: usize, index: usize },
    /// Texts of a PackedStringArray, and how many there are of each.
    Texts { old: usize, new: usize },
    /// Elements of a packed array.
    Elements { kind: Kind, width: Width },
}

/// Elements of a packed array.
#[derive(Clone, Copy)]
pub(super) struct Slice<'a> {
    pub kind: Kind,
    pub width: Width,
    /// Where they begin in the buffer.
    pub at: usize,
    pub bytes: &'a [u8],
}

/// What takes what a walk finds, in order.
pub(super) trait Sink<'a> {
    /// Whether changes of arrays with components of this width can be told by element.
    fn takes(&self, width: Width) -> bool;

    /// The width of `real_t` of whoever writes what is told.
    fn real(&self) -> Width {
        Width::Single
    }

    /// Whether there is no use in going on.
    fn is_full(&self) -> bool;

    /// Takes a change of what `trail` leads to.
    fn change(&mut self, trail: &mut Trail<'a>, found: Found);

    /// Whether changes are told by their ways: each has to lead to one place, and an entry that is removed has to be told before one
    /// of the same key is inserted.
    fn needs_ways(&self) -> bool;

    /// How much was taken so far.
    fn mark(&self) -> Mark {
        Mark::default()
    }

    /// Drops all that was taken since.
    fn forget(&mut self, _: &mut Trail<'a>, _: Mark) {}

    /// Takes an entry that is removed, if it needs that early.
    fn removed_early(&mut self, trail: &mut Trail<'a>, found: Found) {
        if self.needs_ways() {
            self.change(trail, found);
        }
    }

    /// Takes as many elements of packed arrays, not all of which are the same. `trail` leads to the array, where the first of them
    /// has this index.
    fn elements(&mut self, trail: &mut Trail<'a>, first: usize, old: Slice<'a>, new: Slice<'a>);

    /// Takes bytes that follow from the changes: a count, padding.
    fn derived(&mut self, before: Range<usize>, after: Range<usize>);
}

/// How much a [`Sink`] had taken at some moment.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Mark {
    pub ways: usize,
    pub changes: usize,
}

/// The way to where the walk is: a step for each container that it is in.
#[derive(Default)]
pub(super) struct Trail<'a> {
    pub levels: Vec<Level<'a>>,
}

/// A step, and the number that [`super::Changes`] has given to it.
pub(super) struct Level<'a> {
    pub step: Step<'a>,
    pub number: Option<u32>,
    /// The keys among all steps at this level that were given one.
    pub keys: Vec<&'a [u8]>,
}

impl<'a> Trail<'a> {
    pub fn enter(&mut self) {
        self.levels.push(Level { step: Step::Index(0), number: None, keys: Vec::new() });
    }

    /// Leaves the innermost container. Returns the keys that steps from it were told with.
    pub fn leave(&mut self) -> Vec<&'a [u8]> {
        self.levels.pop().map(|level| level.keys).unwrap_or_default()
    }

    /// The step from the innermost container.
    pub fn to(&mut self, step: Step<'a>) {
        if let Some(level) = self.levels.last_mut() {
            (level.step, level.number) = (step, None);
        }
    }
}

/// The bytes alone.
#[derive(Default)]
pub(super) struct Edits(pub Vec<Edit>);

impl<'a> Sink<'a> for Edits {
    fn takes(&self, _: Width) -> bool {
        true
    }

    fn is_full(&self) -> bool {
        false
    }

    fn needs_ways(&self) -> bool {
        false
    }

    fn change(&mut self, _: &mut Trail<'a>, Found { before, after, .. }: Found) {
        self.derived(before, after);
    }

    fn elements(&mut self, _: &mut Trail<'a>, _: usize, old: Slice<'a>, new: Slice<'a>) {
        self.derived(old.at..old.at + old.bytes.len(), new.at..new.at + new.bytes.len());
    }

    fn derived(&mut self, before: Range<usize>, after: Range<usize>) {
        self.0.push(Edit { before, after });
    }
}
