//! Applies changes to a value, without recursion: from [`diff`](crate::change::diff()), or written by hand.
//!
//! Values that paths lead into become nodes of a tree; all else stays bytes, which are copied once, into the result. A
//! [`Reader`](crate::Reader) reads all bytes once before anything is made of them, so that nothing fails afterwards; a
//! container is skimmed once more when a path leads into it. Then a change costs its bytes and its path, if in order.

mod blocks;
mod node;
mod slices;
mod tree;

use self::node::{Body, Child, Notes, Raw, TreeNode, read_all};
use super::{Change, Changes, Op};
use crate::path::{Nowhere, shown_step, shown_value};
use crate::{Borrowed, CodecError, CodecErrorKind, Kind, MAX_VALUE_LEN, Path, PathStep, Plan, Reader};

/// Applies all changes to a value. Fails if it is not exactly one, a change does not fit, or the result is too long.
pub fn patch(before: &[u8], changes: &Changes<'_>) -> Result<Vec<u8>, PatchError> {
    let of_value = |text| PatchError { change: None, path: Path::default(), text };
    let mut patch = Patch::new(before).map_err(|error| of_value(format!("before: {error}")))?;
    for change in changes.iter() {
        patch.apply(&change, |_, _| false)?;
    }
    let plan = patch.plan().map_err(|error| of_value(error.to_string()))?;
    Ok(plan.to_vec())
}

/// A value that changes are applied to, as a tree. Parts that no path leads into stay bytes.
///
/// ```
/// use varbatch_codec::PathStep;
/// use varbatch_codec::change::{Change, ChangePart, ChangePath, Op, Patch};
///
/// // [7] becomes [7, 8], as Godot 4 encodes them.
/// let before = [28, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0];
/// let (path, eight) = ([PathStep::Index(1)], [2, 0, 0, 0, 8, 0, 0, 0]);
/// let new = Some(ChangePart::Value { at: 0, bytes: &eight });
/// let insert = Change { path: ChangePath::new(&path), op: Op::Insert, index: None, old: None, new };
///
/// let mut patch = Patch::new(&before)?;
/// patch.apply(&insert, |_, _| false)?;
/// assert_eq!(patch.plan()?.to_vec(), [&[28, 0, 0, 0, 2, 0, 0, 0], &before[8..], &eight].concat());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Patch<'a> {
    notes: Notes,
    nodes: Vec<TreeNode<'a>>,
    root: Child<'a>,
    /// The number of changes so far.
    changes: usize,
}

impl<'a> Patch<'a> {
    /// Starts with a value, which is borrowed; its objects are not instantiated. Fails if it is not exactly one value.
    pub fn new(before: &'a [u8]) -> Result<Self, CodecError> {
        let mut notes = Notes::new();
        read_all(before, &mut notes)?;
        Ok(Self { notes, nodes: Vec::new(), root: Child::Raw(before.into()), changes: 0 })
    }

    /// Applies a change, or nothing if it fails. `same` tells if the current and an old value of other bytes are one.
    pub fn apply(&mut self, change: &Change<'a>, same: impl FnOnce(&[u8], &[u8]) -> bool) -> Result<(), PatchError> {
        let (number, mut followed) = (self.changes, 0);
        self.changes += 1;
        self.edit(change, same, &mut followed).map_err(|text| {
            let path = self.path(&change.path.steps()[..followed]);
            PatchError { change: Some(number), path, text }
        })
    }

    /// Returns the plan of the current value, which borrows all but what is short. Fails if the value is too long.
    pub fn plan(&self) -> Result<Plan<'_>, CodecError> {
        let plan = Emit::new(&self.nodes).value(self.root);
        let found = plan.len();
        if found > MAX_VALUE_LEN {
            return Err(CodecError::new(found, CodecErrorKind::TooLarge { found }));
        }
        Ok(plan)
    }
}

/// Turns a tree into a plan. Adjacent bytes of a buffer become one piece. Nodes that are not fully written are on a stack.
struct Emit<'p, 'a> {
    nodes: &'p [TreeNode<'a>],
    plan: Plan<'p>,
    /// Bytes that are not written yet, as adjacent ones may follow.
    pending: Option<Raw<'p>>,
    /// The open nodes, and the index of the next part of each.
    open: Vec<(&'p TreeNode<'a>, usize)>,
}

impl<'p, 'a> Emit<'p, 'a> {
    fn new(nodes: &'p [TreeNode<'a>]) -> Self {
        Self { nodes, plan: Plan::default(), pending: None, open: Vec::new() }
    }

    fn value(mut self, root: Child<'p>) -> Plan<'p> {
        self.child(root);
        while let Some((node, next)) = self.open.last_mut() {
            let (node, index) = (*node, *next);
            *next += 1;
            if !self.part(node, index) {
                self.open.pop();
            }
        }
        self.flush();
        self.plan
    }

    /// Writes a part of a node. Returns false if it has no such part.
    fn part(&mut self, node: &'p TreeNode<'a>, index: usize) -> bool {
        match &node.body {
            Body::Array { elements, .. } => elements.get(index).map(|child| self.child(child)),
            Body::Texts(texts) => texts.get(index).map(|text| self.raw(text)),
            Body::Entries(entries) => entries.order.get(index).map(|number| {
                self.raw(entries.key(number));
                self.child(entries.value(number));
            }),
            Body::Packed(_) => None,
        }
        .is_some()
    }

    fn child(&mut self, child: Child<'p>) {
        match child {
            Child::Raw(raw) => self.raw(raw),
            Child::Node(number) => self.begin(&self.nodes[number as usize]),
        }
    }

    fn begin(&mut self, node: &'p TreeNode<'a>) {
        let count = node.len();
        if count == node.counted {
            self.raw(node.head);
        } else {
            self.raw(node.head.within(0..node.head.bytes().len() - crate::kind::WORD));
            self.flush();
            // Sources and changes may have more parts than fit in a count, but then `Patch::plan` refuses the result.
            self.plan.words([count as u32]);
        }
        if let Body::Packed(packed) = &node.body {
            self.flush();
            let len = packed.bytes.len();
            packed.bytes.pieces(0..len).for_each(|piece| self.plan.bytes(piece, Borrowed));
            self.plan.pad(len);
        } else {
            self.open.push((node, 0));
        }
    }

    fn raw(&mut self, raw: Raw<'p>) {
        let joined = self.pending.and_then(|pending| pending.joined(raw));
        if joined.is_none() {
            self.flush();
        }
        self.pending = joined.or(Some(raw));
    }

    fn flush(&mut self) {
        if let Some(raw) = self.pending.take() {
            self.plan.bytes(raw.bytes(), Borrowed);
            // The last PackedByteArray of a buffer may lack its padding. Everything else ends at a multiple of four.
            self.plan.pad(raw.bytes().len());
        }
    }
}

/// How messages name the parts of a change.
const OLD: &str = "the old value";
const NEW: &str = "the new value";
const KEY: &str = "the key";

/// A change that cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}{}{path}", .change.map(|change| format!(", in change {change}")).unwrap_or_default())]
pub struct PatchError {
    /// The index of the change, or `None` if the error is in no change.
    pub change: Option<usize>,
    /// The path of the change, as far as it could be followed.
    pub path: Path,
    /// What was expected and what was found.
    pub text: String,
}

/// The text of an error says what was expected and what was found.
type Fit<T> = Result<T, String>;

fn only_set(place: &str, found: Op) -> String {
    format!("expected \"set\" for {place}, found \"{}\"", found.name())
}

fn no_place(kind: Kind, count: usize, found: i64) -> String {
    format!("expected an index from 0 to {count} to insert into {}, found {found}", kind.name())
}

fn missing(what: &str, op: Op) -> String {
    format!("expected {what} for \"{}\", found none", op.name())
}

fn other_kind(what: &str, expected: Kind, found: Kind) -> String {
    format!("expected {} as {what}, found {}", expected.name(), found.name())
}

/// Decides whether the current value and the old value of a change are the same, though their bytes differ.
trait Same: FnOnce(&[u8], &[u8]) -> bool {}
impl<F: FnOnce(&[u8], &[u8]) -> bool> Same for F {}

fn no_step(why: Nowhere, step: PathStep<'_>) -> String {
    why.text(|| shown_step(step))
}

/// Makes the error of a step that is no key, where one must be.
fn no_key(step: PathStep<'_>) -> String {
    let found = shown_step(step);
    format!("expected an encoded value as the key of an entry, found {found}")
}

fn shown(bytes: &[u8]) -> String {
    shown_value(Reader::new(bytes))
}

/// Checks that the current value is the old value: its bytes are the same, or `same` returns true.
fn check_same(there: &[u8], old: &[u8], same: impl Same) -> Fit<()> {
    if there == old || same(there, old) {
        return Ok(());
    }
    let (expected, found) = (shown(old), shown(there));
    let another = if expected == found { "another " } else { "" };
    Err(format!("expected the old value {expected}, found {another}{found}"))
}
