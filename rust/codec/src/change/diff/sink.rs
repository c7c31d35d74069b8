//! What a walk finds, and what takes it.

use std::ops::Range;

use crate::change::model::{ChangeStep, Edit, Op};
use crate::event::Plain;
use crate::kind::Width;

/// Bytes of one side that bytes of the other replace. Either range may be empty.
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

/// What the bytes of a [`Difference`] are.
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

/// Takes what a walk finds, in order.
pub(super) trait Sink<'a> {
    /// True if changes are reported with paths. Each path must then lead to one value, and an entry that is removed must be reported
    /// before one of the same key is inserted.
    const HAS_PATHS: bool;

    /// Returns the width of `real_t` that packed arrays must have to be reported by element; `None` for any.
    fn real(&self) -> Option<Width>;

    /// Returns true if further changes are of no use.
    fn is_full(&self) -> bool;

    /// Takes a change of what `trail` leads to.
    fn change(&mut self, trail: &mut Trail<'a>, difference: Difference<'a>);

    /// Returns how much was taken so far.
    fn checkpoint(&self) -> Checkpoint;

    /// Drops all that was taken since.
    fn restore(&mut self, trail: &mut Trail<'a>, checkpoint: Checkpoint);

    /// Takes two runs of as many elements of a packed array, which differ. `trail` leads to the array, where the first of them has
    /// this index.
    fn elements(&mut self, trail: &mut Trail<'a>, first: usize, old: Slice<'a>, new: Slice<'a>);

    /// Takes bytes that follow from the changes: a count, padding.
    fn derived(&mut self, before: Range<usize>, after: Range<usize>);
}

/// Steps and changes that a [`Sink`] has taken.
pub(super) type Checkpoint = (usize, usize);

/// The path to where the walk is: a step for each container that it is in.
#[derive(Default)]
pub(super) struct Trail<'a> {
    pub levels: Vec<TrailLevel<'a>>,
}

/// A step, and the number that a [`Sink`] has given to it; 0 for none.
pub(super) struct TrailLevel<'a> {
    pub step: ChangeStep<'a>,
    pub number: u32,
    /// The keys among all steps at this level that were given a number.
    pub keys: Vec<&'a [u8]>,
}

impl<'a> Trail<'a> {
    pub fn enter(&mut self) {
        self.levels.push(TrailLevel { step: ChangeStep::Index(0), number: 0, keys: Vec::new() });
    }

    /// Leaves the innermost container. Returns the keys in it that changes were reported with.
    pub fn leave(&mut self) -> Vec<&'a [u8]> {
        self.levels.pop().map(|level| level.keys).unwrap_or_default()
    }

    /// Sets the step from the innermost container.
    pub fn to(&mut self, step: ChangeStep<'a>) {
        if let Some(level) = self.levels.last_mut() {
            (level.step, level.number) = (step, 0);
        }
    }
}

/// Takes only the bytes that differ.
#[derive(Default)]
pub(super) struct Edits(pub Vec<Edit>);

impl<'a> Sink<'a> for Edits {
    const HAS_PATHS: bool = false;

    fn real(&self) -> Option<Width> {
        None
    }

    fn is_full(&self) -> bool {
        false
    }

    fn change(&mut self, _: &mut Trail<'a>, Difference { before, after, .. }: Difference<'a>) {
        self.derived(before, after);
    }

    fn checkpoint(&self) -> Checkpoint {
        (0, self.0.len())
    }

    fn restore(&mut self, _: &mut Trail<'a>, (_, edits): Checkpoint) {
        self.0.truncate(edits);
    }

    fn elements(&mut self, _: &mut Trail<'a>, _: usize, old: Slice<'a>, new: Slice<'a>) {
        self.derived(old.range(), new.range());
    }

    fn derived(&mut self, before: Range<usize>, after: Range<usize>) {
        self.0.push(Edit { before, after });
    }
}
