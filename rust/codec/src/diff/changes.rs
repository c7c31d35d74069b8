//! Changes with their paths, as a user is told them.

use std::ops::Range;

use super::found::{Found, Mark, Sink, Slice, Trail, What};
use super::same::common_prefix;
use crate::dialect::Width;
use crate::event::{Plain, Text};
use crate::kind::Kind;
use crate::patch::Op;

/// So many changes are told however small the values are; beyond it, one for so many bytes of both. A change takes about as much
/// memory in the engine.
const MOST: usize = 100_000;
const BYTES_A_CHANGE: usize = 256;

/// The same for the elements of one packed array.
const MOST_OF_ARRAY: usize = 10_000;

/// What differs between two values, in order.
#[derive(Debug)]
pub struct Changes<'a> {
    before: &'a [u8],
    after: &'a [u8],
    real: Width,
    most: usize,
    ways: Vec<Way<'a>>,
    changes: Vec<Change<'a>>,
}

/// A step, and what it starts from.
#[derive(Clone, Copy, Debug)]
pub struct Way<'a> {
    /// The number of the step before it; `None` from the outermost value.
    pub from: Option<usize>,
    /// The step.
    pub step: Step<'a>,
}

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step<'a> {
    /// To this element of an array.
    Index(usize),
    /// To the value of the key that is encoded like this, and where that begins in its buffer.
    Key(&'a [u8]),
    /// To the property of this name.
    Property(Text<'a>),
}

/// A difference.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The number of the last step to what is changed; `None` for all of it.
    pub way: Option<usize>,
    /// What has to be done.
    pub op: Op,
    /// Of an entry of a Dictionary that is inserted or removed: where in the order it is.
    pub index: Option<usize>,
    /// What was there, unless something is inserted.
    pub old: Option<Piece<'a>>,
    /// What is there, unless something is removed.
    pub new: Option<Piece<'a>>,
}

/// A part of a value.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a> {
    /// A whole value, and where it begins in its buffer.
    Value {
        /// The offset, in bytes.
        at: usize,
        /// The value.
        bytes: &'a [u8],
    },
    /// Elements of a packed array.
    Elements(Plain<'a>),
    /// Elements of a PackedStringArray.
    Texts(Texts<'a>),
}

/// Some texts of a PackedStringArray, as they are encoded.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// How many.
    pub count: usize,
    /// Each with its length before it, and its padding.
    pub bytes: &'a [u8],
}

impl Texts<'_> {
    /// The array of these alone.
    pub fn to_value(&self) -> Vec<u8> {
        let head = [u32::from(Kind::PackedStringArray.id()), self.count as u32].map(u32::to_le_bytes);
        [head.as_flattened(), self.bytes].concat()
    }
}

impl<'a> Changes<'a> {
    pub(super) fn new(before: &'a [u8], after: &'a [u8], real: Width) -> Self {
        let most = MOST + (before.len() + after.len()) / BYTES_A_CHANGE;
        Self { before, after, real, most, ways: Vec::new(), changes: Vec::new() }
    }

    /// The changes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Change<'a>> {
        self.changes.iter()
    }

    /// Every step on the way to a change, by its number. A step comes behind the one before it.
    pub fn ways(&self) -> &[Way<'a>] {
        &self.ways
    }

    /// The steps to a change, outermost first.
    pub fn path(&self, change: &Change<'a>) -> Vec<Step<'a>> {
        let way = |number: &Option<usize>| number.map(|number| self.ways[number]);
        let mut steps: Vec<_> =
            std::iter::successors(way(&change.way), |last| way(&last.from)).map(|way| way.step).collect();
        steps.reverse();
        steps
    }

    /// Tells all as one change if there are too many.
    pub(super) fn finish(&mut self) {
        if self.is_full() {
            self.ways.clear();
            self.changes.clear();
            let whole = |bytes| Some(Piece::Value { at: 0, bytes });
            let (old, new) = (whole(self.before), whole(self.after));
            self.changes.push(Change { way: None, op: Op::Set, index: None, old, new });
        }
    }

    /// The number of the last step of a trail.
    fn number(&mut self, trail: &mut Trail<'a>) -> Option<usize> {
        let known = trail.levels.iter().rposition(|level| level.number.is_some());
        let mut from = known.and_then(|at| trail.levels[at].number);
        for level in &mut trail.levels[known.map_or(0, |at| at + 1)..] {
            self.ways.push(Way { from: from.map(|from| from as usize), step: level.step });
            from = Some(self.ways.len() as u32 - 1);
            level.number = from;
            if let Step::Key(key) = level.step {
                level.keys.push(key);
            }
        }
        from.map(|from| from as usize)
    }

    fn piece(bytes: &'a [u8], range: Range<usize>, what: &What, count: usize) -> Option<Piece<'a>> {
        let of = |range: Range<usize>| &bytes[range.start.min(bytes.len())..range.end.min(bytes.len())];
        if range.is_empty() {
            return None;
        }
        Some(match *what {
            What::Value => Piece::Value { at: range.start, bytes: of(range) },
            What::Entry { key_len, .. } => Piece::Value { at: range.start + key_len, bytes: &of(range)[key_len..] },
            What::Texts { .. } => Piece::Texts(Texts { count, bytes: of(range) }),
            What::Elements { kind, width } => {
                let size = kind.shape().element_len(width).unwrap_or(1);
                Piece::Elements(Plain { kind, width, count: range.len() / size, bytes: of(range) })
            }
        })
    }
}

impl<'a> Sink<'a> for Changes<'a> {
    fn takes(&self, width: Width) -> bool {
        width == self.real
    }

    fn real(&self) -> Width {
        self.real
    }

    fn is_full(&self) -> bool {
        self.changes.len() > self.most
    }

    fn needs_ways(&self) -> bool {
        true
    }

    fn mark(&self) -> Mark {
        Mark { ways: self.ways.len(), changes: self.changes.len() }
    }

    fn forget(&mut self, trail: &mut Trail<'a>, Mark { ways, changes }: Mark) {
        self.ways.truncate(ways);
        self.changes.truncate(changes);
        let is_gone = |number: &mut u32| *number as usize >= ways;
        trail.levels.iter_mut().for_each(|level| _ = level.number.take_if(is_gone));
    }

    fn change(&mut self, trail: &mut Trail<'a>, Found { op, what, before, after }: Found) {
        let way = self.number(trail);
        let (old, new, index) = match what {
            What::Texts { old, new } => (old, new, None),
            What::Entry { index, .. } => (1, 1, Some(index)),
            _ => (1, 1, None),
        };
        let old = Self::piece(self.before, before, &what, old);
        let new = Self::piece(self.after, after, &what, new);
        self.changes.push(Change { way, op, index, old, new });
    }

    fn elements(&mut self, trail: &mut Trail<'a>, first: usize, old: Slice<'a>, new: Slice<'a>) {
        let Slice { kind, width, .. } = old;
        let size = kind.shape().element_len(width).unwrap_or(1);
        let count = old.bytes.len() / size;
        let most = MOST_OF_ARRAY + old.bytes.len() / BYTES_A_CHANGE;
        let is_same = |at: usize| old.bytes[at * size..][..size] == new.bytes[at * size..][..size];
        self.number(trail);
        let (ways, changes) = (self.ways.len(), self.changes.len());
        let mut put = |this: &mut Self, run: Range<usize>| {
            let bytes = |slice: Slice<'a>| slice.at + run.start * size..slice.at + run.end * size;
            let (before, after) = (bytes(old), bytes(new));
            trail.enter();
            trail.to(Step::Index(first + run.start));
            this.change(trail, Found { op: Op::Set, what: What::Elements { kind, width }, before, after });
            trail.leave();
        };
        let mut at = 0;
        let mut first_changed = None;
        loop {
            at += common_prefix(&old.bytes[at * size..], &new.bytes[at * size..]) / size;
            if at >= count {
                return;
            }
            let start = at;
            while at < count && !is_same(at) {
                at += 1;
            }
            let from = *first_changed.get_or_insert(start);
            if self.changes.len() - changes == most {
                // As many as would tell nobody anything.
                self.ways.truncate(ways);
                self.changes.truncate(changes);
                return put(self, from..count);
            }
            put(self, start..at);
        }
    }

    fn derived(&mut self, _: Range<usize>, _: Range<usize>) {}
}
