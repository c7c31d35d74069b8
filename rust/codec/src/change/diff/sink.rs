//! The differences that a walk finds, and the trait that takes them.

use std::ops::Range;

use crate::change::model::{Edit, Op};
use crate::event::Plain;
use crate::kind::Width;
use crate::path::PathStep;

/// Bytes of `before` that bytes of `after` replace. Either range may be empty.
pub(super) struct Difference<'a> {
    pub unit: Unit<'a>,
    pub before: Range<usize>,
    pub after: Range<usize>,
}

impl Difference<'_> {
    pub fn op(&self) -> Op {
        match (self.before.is_empty(), self.after.is_empty()) {
            (true, _) => Op::Insert,
            (_, true) => Op::Remove,
            _ => Op::Set,
        }
    }
}

/// The meaning of the bytes of a [`Difference`].
pub(super) enum Unit<'a> {
    /// A value.
    Value,
    /// An entry of a Dictionary, beginning with its key, and its position in the order.
    Entry { key_len: usize, index: usize },
    /// Texts of a PackedStringArray, with the count of each side.
    Texts { counts: [usize; 2] },
    /// Elements of this packed array.
    Elements(Plain<'a>),
}

/// Elements of a packed array, and their offset in the buffer.
#[derive(Clone, Copy)]
pub(super) struct Slice<'a> {
    pub at: usize,
    pub plain: Plain<'a>,
}

impl<'a> Slice<'a> {
    /// Returns the bytes of one element.
    pub fn size(&self) -> usize {
        self.plain.kind.shape().element_len(self.plain.width).unwrap_or(1)
    }

    pub fn part(self, elements: &Range<usize>) -> Self {
        let size = self.size();
        let bytes = &self.plain.bytes[elements.start * size..elements.end * size];
        Self { at: self.at + elements.start * size, plain: Plain { count: elements.len(), bytes, ..self.plain } }
    }

    pub fn range(&self) -> Range<usize> {
        self.at..self.at + self.plain.bytes.len()
    }
}

/// Takes what a walk finds, in order. By default, each change is only bytes.
pub(super) trait Sink<'a> {
    /// True if changes are reported with paths. Then each path must lead to one value, and a removed entry must be
    /// reported before one with the same key is inserted.
    const HAS_PATHS: bool;

    /// Takes bytes that follow from the changes: counts and padding.
    fn derived(&mut self, before: Range<usize>, after: Range<usize>);

    /// Returns the width of `real_t` that packed arrays must have to be reported by element; `None` for any.
    fn real(&self) -> Option<Width> {
        None
    }

    /// True if further changes are not needed.
    fn is_full(&self) -> bool {
        false
    }

    /// Takes a change of what `trail` leads to.
    fn change(&mut self, _trail: &mut Trail<'a>, Difference { before, after, .. }: Difference<'a>) {
        self.derived(before, after);
    }

    /// Takes two runs of a packed array that differ and have the same number of elements. `trail` leads to the array,
    /// in which `first` is the index of the first element.
    fn elements(&mut self, _trail: &mut Trail<'a>, _first: usize, old: Slice<'a>, new: Slice<'a>) {
        self.derived(old.range(), new.range());
    }

    /// Returns the current state, for [`Self::restore`]. Only for changes with paths.
    fn checkpoint(&self) -> Checkpoint {
        Checkpoint::default()
    }

    /// Drops everything that was taken since `checkpoint`.
    fn restore(&mut self, _trail: &mut Trail<'a>, _checkpoint: Checkpoint) {}
}

/// The number of steps and of changes that a [`Sink`] has taken.
pub(super) type Checkpoint = (usize, usize);

/// The path to the current position of the walk: a step for each open container.
#[derive(Default)]
pub(super) struct Trail<'a> {
    pub levels: Vec<TrailLevel<'a>>,
}

/// A step, and the number that a [`Sink`] gave it; 0 for none.
pub(super) struct TrailLevel<'a> {
    pub step: PathStep<'a>,
    pub number: u32,
    /// The keys of all steps at this level that were given a number.
    pub keys: Vec<&'a [u8]>,
}

impl<'a> Trail<'a> {
    pub fn enter(&mut self) {
        self.levels.push(TrailLevel { step: PathStep::Index(0), number: 0, keys: Vec::new() });
    }

    /// Leaves the innermost container. Returns the keys in it that are part of a reported path.
    pub fn leave(&mut self) -> Vec<&'a [u8]> {
        self.levels.pop().map(|level| level.keys).unwrap_or_default()
    }

    /// Sets the step from the innermost container.
    pub fn to(&mut self, step: PathStep<'a>) {
        if let Some(level) = self.levels.last_mut() {
            (level.step, level.number) = (step, 0);
        }
    }
}

/// Collects only the bytes that differ.
#[derive(Default)]
pub(super) struct Edits(pub Vec<Edit>);

impl<'a> Sink<'a> for Edits {
    const HAS_PATHS: bool = false;

    fn derived(&mut self, before: Range<usize>, after: Range<usize>) {
        self.0.push(Edit { before, after });
    }
}
