//! Applies changes to a value: what [`diff`](crate::diff) finds, or a person writes.
//!
//! The value is a tree that is made where paths lead: all else of it stays the bytes that it was, and is copied once,
//! when the result is filled in. All bytes, those of the value and those of the changes, go through a
//! [`Reader`] before anything is made of them, once, and a container is passed once more when a path
//! leads into it. Then each change costs its own bytes and its path, if they come in order or in the opposite order.
//! Nothing here calls itself.
//!
//! ```
//! use varbatch_codec::patch::{Change, Op, Patch};
//!
//! // [7] becomes [7, 8], as Godot 4 encodes them.
//! let before = [28, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0];
//! let (index, new) = ([2, 0, 0, 0, 1, 0, 0, 0], [2, 0, 0, 0, 8, 0, 0, 0]);
//! let insert = Change { path: &[&index], op: Op::Insert, index: None, old: None, new: Some(&new) };
//!
//! let mut patch = Patch::new(&before)?;
//! patch.apply(&insert, |_, _| false)?;
//! assert_eq!(patch.plan()?.to_vec(), [&[28, 0, 0, 0, 2, 0, 0, 0], &before[8..], &new].concat());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod edit;
mod emit;
mod error;
mod gap;
mod node;
mod slices;
mod source;

pub use self::error::{PatchError, PatchErrorKind, StepKind};

pub(crate) use self::node::builtin;

use self::emit::Emit;
use self::error::key_step;
use self::node::{Body, Child, Names, Node};
use self::source::Sources;
use crate::error::{CodecError, CodecErrorKind};
use crate::event::Event;
use crate::limits::MAX_VALUE_LEN;
use crate::path::{Path, Step};
use crate::plan::Plan;
use crate::reader::Reader;

/// What a change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Another value in the place of one.
    Set,
    /// An element or entry more.
    Insert,
    /// An element or entry less.
    Remove,
}

impl Op {
    /// As scripts name it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Insert => "insert",
            Self::Remove => "remove",
        }
    }
}

/// One change. All values are encoded by the rules of Godot 4, as `var_to_bytes` encodes them.
///
/// It is about the state that the changes before it have left, as in a JSON Patch (RFC 6902).
///
/// - Empty path: `set` alone, and it is the whole value.
/// - Array: `insert` puts the element before that of the index, which may be the number of elements.
/// - Dictionary: a key is that of the same bytes. As in the engine, a String is the same key as a StringName of the
///   same text.
/// - Object: `set` alone.
/// - Packed array: `old` and `new` are packed arrays of the same type, and the last step is the index of the first
///   element. `set` replaces as many elements as there are in both, `insert` puts those of `new` before the index,
///   `remove` takes as many away as `old` has.
///
/// A typed container takes what is of its type, but for the values of a Dictionary, of which the engine takes any. Of objects the
/// bytes do not show that: what is typed by a class takes
/// all.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The way to what changes, outermost first: an int to an element of an array, the key to an entry of a
    /// Dictionary, a String or StringName to a property of an object.
    pub path: &'a [&'a [u8]],
    /// What it does.
    pub op: Op,
    /// Of an entry of a Dictionary that is inserted: where in the order it is put, at the end for `None`. Of one that
    /// is removed: where it has to be, anywhere for `None`. Else nobody looks at it.
    pub index: Option<usize>,
    /// What has to be there, for `set` and `remove`. `None`: anything.
    pub old: Option<&'a [u8]>,
    /// What comes, for `set` and `insert`.
    pub new: Option<&'a [u8]>,
}

/// A value that changes are applied to.
#[derive(Debug)]
pub struct Patch<'a> {
    sources: Sources<'a>,
    nodes: Vec<Node<'a>>,
    root: Child,
    /// How many changes there were.
    changes: usize,
}

impl<'a> Patch<'a> {
    /// Begins with a value, of which nothing is kept but a borrow. Objects with properties are read, and none is made.
    ///
    /// # Errors
    /// If there is no value, or there are bytes behind it.
    pub fn new(before: &'a [u8]) -> Result<Self, CodecError> {
        let mut sources = Sources::default();
        let root = Child::Raw(sources.add(before)?.raw);
        Ok(Self { sources, nodes: Vec::new(), root, changes: 0 })
    }

    /// Applies a change. `same` is asked whether two encoded values are the same, what is there and the old one of
    /// the change, if their bytes are not.
    ///
    /// # Errors
    /// If the change does not fit. Then nothing has changed.
    pub fn apply(&mut self, change: &Change<'a>, same: impl FnOnce(&[u8], &[u8]) -> bool) -> Result<(), PatchError> {
        let number = self.changes;
        self.changes += 1;
        self.edit(change, same).map_err(|(steps, kind)| {
            let path = self.path(&change.path[..steps]);
            PatchError { change: number, path, kind }
        })
    }

    /// The value as it is now: counts and padding are written anew, all else is borrowed, or copied where it is short.
    ///
    /// # Errors
    /// If it takes more bytes than a value may.
    pub fn plan(&self) -> Result<Plan<'_>, CodecError> {
        let plan = Emit::new(&self.sources, &self.nodes).value(self.root);
        let found = plan.len();
        if found > MAX_VALUE_LEN {
            return Err(CodecError::new(found, CodecErrorKind::TooLarge { found }));
        }
        Ok(plan)
    }

    /// A path that was followed up to its last step, for a message.
    #[cold]
    fn path(&self, steps: &[&[u8]]) -> Path {
        let mut found = Vec::with_capacity(steps.len());
        let mut at = self.root;
        for step in steps {
            let Child::Node(number) = at else { break };
            let node = &self.nodes[number as usize];
            found.push(Self::step(node, step));
            match self.child(node, step) {
                Ok((_, child)) => at = child,
                Err(_) => break,
            }
        }
        found.into_iter().rev().fold(Path::default(), Path::within)
    }

    fn step(node: &Node<'_>, step: &[u8]) -> Step {
        let event = Reader::new(step).next_event().ok().flatten();
        match (&node.body, event) {
            (Body::Entries(entries), Some(Event::String(name) | Event::StringName(name)))
                if entries.names == Names::Properties =>
            {
                Step::to_property(name)
            }
            (Body::Array { .. } | Body::Texts(_) | Body::Packed(_), Some(Event::Int(index))) => {
                usize::try_from(index).map_or_else(|_| key_step(step), Step::Index)
            }
            _ => key_step(step),
        }
    }
}
