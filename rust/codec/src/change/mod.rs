//! Compares two values. The result is a list of changes, or compact bytes.
//!
//! - [`diff()`] compares two encoded values; [`patch()`] applies the [`Changes`] to the first and returns the second.
//! - [`edits`] returns the bytes that differ; [`delta`] encodes them, to turn the first buffer into the second.
//!
//! ```
//! use varbatch_codec::change::{DiffOptions, diff, patch};
//!
//! let (before, after) = ([2, 0, 0, 0, 7, 0, 0, 0], [2, 0, 0, 0, 8, 0, 0, 0]); // 7 and 8, as Godot 4 encodes them.
//! let changes = diff(&before, &after, DiffOptions::default())?;
//! assert_eq!(patch(&before, &changes)?, after);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bytes;
pub mod delta;
mod diff;
mod patch;

use std::borrow::Cow;
use std::iter;
use std::ops::Range;

pub use self::diff::{DiffError, DiffOptions, diff, edits};
pub use self::patch::{Patch, PatchError, patch};
use crate::{FLAG_64, Kind, PathStep, Plain, WORD, Width};

/// What a change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Replaces a value by another.
    Set,
    /// Adds an element or entry.
    Insert,
    /// Removes an element or entry.
    Remove,
}

impl Op {
    /// All, in order.
    pub const ALL: [Self; 3] = [Self::Set, Self::Insert, Self::Remove];

    /// Returns the name that scripts use.
    pub const fn name(self) -> &'static str {
        ["set", "insert", "remove"][self as usize]
    }
}

/// One change of a value, from [`diff`](crate::change::diff()) or for [`Patch`]. Values are encoded by the rules of
/// Godot 4. A change refers to the state that the changes before it produced, as in a JSON Patch (RFC 6902).
///
/// - Empty path: only `set`, which replaces the whole value.
/// - Array: `insert` puts the element before the one at the index, which may equal the number of elements.
/// - Dictionary: keys are compared by their bytes. As in the engine, a String is the same key as a StringName of the same text.
/// - Object: only `set`.
/// - Packed array: `old` and `new` are elements, and the last step is the index of the first. `set` replaces elements
///   one for one, `insert` puts those of `new` before the index, `remove` removes as many as `old` has.
///
/// Typed containers only take elements and keys of their type (of a class: any object), and any values, as the engine.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The path to what changes.
    pub path: ChangePath<'a>,
    /// What the change does.
    pub op: Op,
    /// The index of a Dictionary's entry, where `insert` puts and `remove` expects it. `None`: at the end, anywhere.
    pub index: Option<usize>,
    /// The value that `set` and `remove` expect to find; `None` accepts any. Not used by `insert`.
    pub old: Option<ChangePart<'a>>,
    /// The value that `set` and `insert` write. Not used by `remove`.
    pub new: Option<ChangePart<'a>>,
}

/// The path of a change. Changes of one diff share the steps that their paths have in common.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChangePath<'a> {
    steps: &'a [PathStep<'a>],
    /// For each step the number of the step before it in a path, counted from 1; 0 for none. Empty if `steps` is a path itself.
    parents: &'a [u32],
    /// The number of the last step, counted from 1; 0 for an empty path.
    last: u32,
}

impl<'a> ChangePath<'a> {
    /// Returns the path of these steps, outermost first.
    pub fn new(steps: &'a [PathStep<'a>]) -> Self {
        Self { steps, parents: &[], last: steps.len() as u32 }
    }

    /// Returns the steps, outermost first.
    pub fn steps(self) -> Cow<'a, [PathStep<'a>]> {
        if self.parents.is_empty() {
            return self.steps.into();
        }
        let mut steps: Vec<_> = self.indices().map(|index| self.steps[index]).collect();
        steps.reverse();
        steps.into()
    }

    /// Returns the indices of the steps in [`Changes::steps`], innermost first, so that callers can convert each once.
    pub fn indices(self) -> impl Iterator<Item = usize> {
        let index = |number: u32| number.checked_sub(1).map(|index| index as usize);
        let outer = move |&inner: &usize| index(self.parents.get(inner).copied().unwrap_or(inner as u32));
        iter::successors(index(self.last), outer)
    }
}

/// The old or the new value of a change.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum ChangePart<'a> {
    /// A whole encoded value, at its offset in bytes in the `before` or `after` that was compared; `patch` ignores it.
    Value { at: usize, bytes: &'a [u8] },
    /// Elements of a packed array.
    Elements(Plain<'a>),
    /// So many elements of a PackedStringArray, each text as it is encoded: its length, its characters, its padding.
    Texts { count: usize, bytes: &'a [u8] },
}

impl<'a> ChangePart<'a> {
    /// Returns the part as an encoded value; elements become a packed array.
    pub fn to_value(self) -> Cow<'a, [u8]> {
        match self {
            Self::Value { bytes, .. } => bytes.into(),
            Self::Elements(plain) => packed_array(plain.kind, plain.width, plain.count, &[plain.bytes]).into(),
            Self::Texts { count, bytes } => {
                packed_array(Kind::PackedStringArray, Width::Single, count, &[bytes]).into()
            }
        }
    }
}

/// Encodes a packed array from the bytes of its elements, in pieces.
fn packed_array(kind: Kind, width: Width, count: usize, elements: &[&[u8]]) -> Vec<u8> {
    let flag = if width == Width::Double { FLAG_64 } else { 0 };
    let head = [u32::from(kind.id()) | flag, count as u32].map(u32::to_le_bytes);
    let mut bytes = [head.as_flattened(), &elements.concat()].concat();
    bytes.resize(bytes.len().next_multiple_of(WORD), 0);
    bytes
}

/// The changes from one value to another, in order.
#[derive(Clone, Debug, Default)]
pub struct Changes<'a> {
    steps: Vec<PathStep<'a>>,
    /// See [`ChangePath::parents`].
    parents: Vec<u32>,
    /// The number of the last step of each change, and the change without its path.
    changes: Vec<(u32, Change<'a>)>,
}

impl<'a> Changes<'a> {
    /// Iterates over the changes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Change<'_>> {
        let path = |last| ChangePath { steps: &self.steps, parents: &self.parents, last };
        self.changes.iter().map(move |&(last, change)| Change { path: path(last), ..change })
    }

    /// Returns all steps, each once. A step comes after the one before it in a path.
    pub fn steps(&self) -> &[PathStep<'a>] {
        &self.steps
    }

    fn counts(&self) -> (usize, usize) {
        (self.steps.len(), self.changes.len())
    }

    fn truncate(&mut self, (steps, changes): (usize, usize)) {
        self.steps.truncate(steps);
        self.parents.truncate(steps);
        self.changes.truncate(changes);
    }

    /// Adds a step after `parent`; 0 means none. Returns the number of the step.
    fn push_step(&mut self, parent: u32, step: PathStep<'a>) -> u32 {
        self.steps.push(step);
        self.parents.push(parent);
        self.steps.len() as u32
    }
}

/// Bytes of `before` that bytes of `after` replace; either may be empty. Between two edits, both have the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The replaced bytes.
    pub before: Range<usize>,
    /// The bytes that replace them.
    pub after: Range<usize>,
}
