//! The value as a tree: follows paths, opens what they lead into, and changes it. Everything is checked before anything is changed.

use std::borrow::Cow;

use super::emit::Emit;
use super::error::{KEY, NEW, PatchErrorKind, check_same, no_key, no_step, shown};
use super::gap::GapBuffer;
use super::node::{Body, Child, Entries, EntryNames, TreeNode};
use super::slices::edit_slice;
use super::source::{Raw, Sources};
use crate::change::model::{Change, ChangePart, Op};
use crate::error::{CodecError, CodecErrorKind};
use crate::event::Event;
use crate::kind::Kind;
use crate::limits::MAX_DEPTH;
use crate::nowhere::{self, Nowhere};
use crate::path::{Path, PathStep, Step, shown_step};
use crate::plan::Plan;
use crate::reader::Reader;

/// How many steps of a path could be followed, and why the change does not fit.
type Failure = (usize, PatchErrorKind);

/// The position of a value in the tree: the number of a node, and the index of an element or the number of an entry in
/// it. `None` for the whole value.
type Position = Option<(u32, usize)>;

/// A value that changes are applied to. Parts that no path leads into stay bytes.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    sources: Sources<'a>,
    nodes: Vec<TreeNode<'a>>,
    root: Child,
}

impl<'a> Tree<'a> {
    pub fn new(before: &'a [u8]) -> Result<Self, CodecError> {
        let mut sources = Sources::default();
        let root = Child::Raw(sources.add(before)?.raw);
        Ok(Self { sources, nodes: Vec::new(), root })
    }

    pub fn plan(&self) -> Plan<'_> {
        Emit::new(&self.sources, &self.nodes).value(self.root)
    }

    pub fn edit(&mut self, change: &Change<'a>, same: impl FnOnce(&[u8], &[u8]) -> bool) -> Result<(), Failure> {
        let steps = change.path.steps();
        let depth = steps.len();
        let Some((&last, outer)) = steps.split_last() else {
            if change.op != Op::Set {
                return Err((0, PatchErrorKind::only_set("the whole value", change.op)));
            }
            return self.set(None, self.root, None, change, 0, same).map_err(|reason| (0, reason));
        };
        let number = self.follow(&steps, outer.len())?;
        let node = &self.nodes[number as usize];
        let (at_node, at_part) = (|reason| (outer.len(), reason), |reason| (depth, reason));
        match (&node.body, change.op) {
            (Body::Texts(_) | Body::Packed(_), _) => {
                let index = index(last, node.kind()).map_err(at_node)?;
                edit_slice(&mut self.sources, &mut self.nodes[number as usize], index, change, same).map_err(at_part)
            }
            (body, Op::Set) => {
                let of = if let Body::Array { element, .. } = body { *element } else { None };
                let (part, child) = self.child(node, last).map_err(at_node)?;
                self.set(Some((number, part)), child, of, change, depth, same).map_err(at_part)
            }
            (Body::Array { element: of, elements }, Op::Insert) => {
                let (of, count) = (*of, elements.len());
                let found = index(last, Kind::Array).map_err(at_node)?;
                let index = usize::try_from(found).ok().filter(|&index| index <= count);
                let no_place = || at_node(PatchErrorKind::no_place(Kind::Array, count, found));
                let index = index.ok_or_else(no_place)?;
                let new = self.new_value(change, of, depth).map_err(at_part)?;
                self.elements(number).replace(index..index, &[new]);
                Ok(())
            }
            (Body::Array { .. }, Op::Remove) => {
                let (index, child) = self.child(node, last).map_err(at_node)?;
                self.check_old(child, change.old, same).map_err(at_part)?;
                self.elements(number).replace(index..index + 1, &[]);
                Ok(())
            }
            (Body::Entries(entries), _) if entries.names == EntryNames::Properties => {
                Err(at_part(PatchErrorKind::only_set("a property of an object", change.op)))
            }
            (Body::Entries(_), Op::Insert) => self.insert_entry(number, last, change, depth).map_err(at_node),
            (Body::Entries(_), Op::Remove) => {
                let (entry, child) = self.child(node, last).map_err(at_node)?;
                let index = self.index_of(node, entry as u32, change.index).map_err(at_node)?;
                self.check_old(child, change.old, same).map_err(at_part)?;
                self.remove_entry(number, entry as u32, index);
                Ok(())
            }
        }
    }

    /// Opens everything that the first `count` steps of a path lead into. Returns the number of the last node.
    fn follow(&mut self, steps: &[PathStep<'_>], count: usize) -> Result<u32, Failure> {
        let mut at = self.open(None, self.root).map_err(|reason| (0, reason))?;
        for (followed, &step) in steps[..count].iter().enumerate() {
            let node = &self.nodes[at as usize];
            let (part, child) = match &node.body {
                Body::Texts(_) | Body::Packed(_) => {
                    let more = steps.len() - followed - 1;
                    return Err((followed, PatchErrorKind::Path(nowhere::too_long(node.kind(), more))));
                }
                _ => self.child(node, step).map_err(|kind| (followed, kind))?,
            };
            at = self.open(Some((at, part)), child).map_err(|kind| (followed + 1, kind))?;
        }
        Ok(at)
    }

    /// Returns the number of the node at a position. Turns bytes there into a node.
    fn open(&mut self, position: Position, child: Child) -> Result<u32, PatchErrorKind> {
        let raw = match child {
            Child::Node(number) => return Ok(number),
            Child::Raw(raw) => raw,
        };
        let number = self.nodes.len() as u32;
        self.nodes.push(TreeNode::open(&self.sources, raw)?);
        self.put(position, Child::Node(number));
        Ok(number)
    }

    /// Finds the part of a container that a step leads to: the index of the element or the number of the entry, and its
    /// value.
    fn child(&self, node: &TreeNode<'_>, step: PathStep<'_>) -> Result<(usize, Child), PatchErrorKind> {
        match &node.body {
            Body::Entries(entries) => {
                let number = entries.find(step)?;
                Ok((number as usize, entries.value(number)))
            }
            Body::Array { elements, .. } => {
                let found = index(step, Kind::Array)?;
                let index = usize::try_from(found).ok();
                let element = index.and_then(|index| Some((index, elements.get(index)?)));
                let (kind, count) = (Kind::Array, elements.len());
                element.ok_or_else(|| no_step(Nowhere::NoElement { kind, count, found }, step))
            }
            Body::Texts(_) | Body::Packed(_) => Err(no_step(Nowhere::NotInside(node.kind()), step)),
        }
    }

    fn put(&mut self, position: Position, child: Child) {
        match position {
            None => self.root = child,
            Some((node, part)) => match &mut self.nodes[node as usize].body {
                Body::Array { elements, .. } => elements.set(part, child),
                Body::Entries(entries) => entries.set(part as u32, child),
                Body::Texts(_) | Body::Packed(_) => unreachable!("nothing in it is a value"),
            },
        }
    }

    fn set(
        &mut self,
        position: Position,
        child: Child,
        of: Option<Kind>,
        change: &Change<'a>,
        depth: usize,
        same: impl FnOnce(&[u8], &[u8]) -> bool,
    ) -> Result<(), PatchErrorKind> {
        let new = self.new_value(change, of, depth)?;
        self.check_old(child, change.old, same)?;
        self.put(position, new);
        Ok(())
    }

    fn insert_entry(
        &mut self,
        number: u32,
        step: PathStep<'a>,
        change: &Change<'a>,
        depth: usize,
    ) -> Result<(), PatchErrorKind> {
        let PathStep::Key(key) = step else {
            return Err(no_key(step));
        };
        let entries = self.entries(number);
        let count = entries.order.len();
        let of_key = if let EntryNames::Keys(of) = entries.names { of } else { None };
        if entries.by_key(key).is_some() {
            let text = format!("expected a new key, found the existing key {}", shown(key));
            return Err(PatchErrorKind::Place(text));
        }
        let index = change.index.unwrap_or(count);
        if index > count {
            return Err(PatchErrorKind::no_place(Kind::Dictionary, count, index as i64));
        }
        let raw = self.value(KEY, key, of_key, depth)?;
        let new = self.new_value(change, None, depth)?;
        self.entries(number).insert(index, (raw, key), new);
        Ok(())
    }

    /// Finds the index of an entry in the order of its Dictionary. If `index` is given, it must be the same.
    fn index_of(&self, node: &TreeNode<'_>, entry: u32, index: Option<usize>) -> Result<usize, PatchErrorKind> {
        let Body::Entries(entries) = &node.body else { unreachable!("a Dictionary") };
        let Some(index) = index else { return Ok(entries.order.find(entry).expect("it is in the order")) };
        let key = |number| shown(self.sources.bytes(entries.key(number)));
        let found = match entries.order.get(index) {
            Some(found) if found == entry => return Ok(index),
            Some(found) => key(found),
            None => format!("{} entries", entries.order.len()),
        };
        let key = key(entry);
        Err(PatchErrorKind::Place(format!("expected key {key} at index {index} of the Dictionary, found {found}")))
    }

    fn remove_entry(&mut self, number: u32, entry: u32, index: usize) {
        let key = self.entries(number).key(entry);
        let bytes = self.sources.bytes(key);
        self.entries(number).remove(index, bytes);
    }

    /// Takes the new value of a change, if it fits there.
    fn new_value(&mut self, change: &Change<'a>, of: Option<Kind>, depth: usize) -> Result<Child, PatchErrorKind> {
        let new = change.new.ok_or_else(|| PatchErrorKind::missing("a new value", change.op))?;
        let kind = match new {
            ChangePart::Value { bytes, .. } => return Ok(Child::Raw(self.value(NEW, bytes, of, depth)?)),
            ChangePart::Elements(plain) => plain.kind,
            ChangePart::Texts { .. } => Kind::PackedStringArray,
        };
        let text = format!("expected an encoded value as {NEW}, found elements of {}", kind.name());
        Err(PatchErrorKind::Value(text))
    }

    /// Takes a value that will be `depth` containers deep, where all values must be of this kind.
    fn value(&mut self, what: &str, bytes: &'a [u8], of: Option<Kind>, depth: usize) -> Result<Raw, PatchErrorKind> {
        let survey = self.sources.add(bytes);
        let survey = survey.map_err(|error| PatchErrorKind::Value(nowhere::broken(what, &error)))?;
        let padding = survey.raw.end as usize - bytes.len();
        if padding > 0 {
            return Err(PatchErrorKind::unpadded(what, padding));
        }
        if let Some(expected) = of.filter(|&kind| kind != survey.kind) {
            return Err(PatchErrorKind::other_kind(what, expected, survey.kind));
        }
        let found = depth + survey.depth;
        if found > MAX_DEPTH {
            let text = format!("expected at most {MAX_DEPTH} levels of nesting, found {found}");
            return Err(PatchErrorKind::Place(text));
        }
        Ok(survey.raw)
    }

    fn check_old(
        &self,
        child: Child,
        old: Option<ChangePart<'_>>,
        same: impl FnOnce(&[u8], &[u8]) -> bool,
    ) -> Result<(), PatchErrorKind> {
        let Some(old) = old else { return Ok(()) };
        let there = match child {
            Child::Raw(raw) => Cow::Borrowed(self.sources.bytes(raw)),
            Child::Node(_) => Cow::Owned(Emit::new(&self.sources, &self.nodes).value(child).to_vec()),
        };
        check_same(&there, &old.to_value(), same)
    }

    fn elements(&mut self, number: u32) -> &mut GapBuffer<Child> {
        match &mut self.nodes[number as usize].body {
            Body::Array { elements, .. } => elements,
            _ => unreachable!("an Array"),
        }
    }

    fn entries(&mut self, number: u32) -> &mut Entries<'a> {
        match &mut self.nodes[number as usize].body {
            Body::Entries(entries) => entries,
            _ => unreachable!("a Dictionary"),
        }
    }

    /// Returns a path that was followed up to its last step, for a message.
    #[cold]
    pub fn path(&self, steps: &[PathStep<'_>]) -> Path {
        let mut found = Vec::with_capacity(steps.len());
        let mut at = self.root;
        for &step in steps {
            let Child::Node(number) = at else { break };
            let node = &self.nodes[number as usize];
            found.push(shown_in(node, step));
            match self.child(node, step) {
                Ok((_, child)) => at = child,
                Err(_) => break,
            }
        }
        found.into_iter().rev().fold(Path::default(), Path::within)
    }
}

/// Formats a step for messages, by the container that it starts from.
fn shown_in(node: &TreeNode<'_>, step: PathStep<'_>) -> Step {
    let event = match step {
        PathStep::Index(index) => Some(Event::Int(index as i64)),
        PathStep::Key(bytes) => Reader::new(bytes).next_event().ok().flatten(),
        PathStep::Property(name) => Some(Event::StringName(name)),
    };
    match (&node.body, event) {
        (Body::Entries(entries), Some(Event::String(name) | Event::StringName(name)))
            if entries.names == EntryNames::Properties =>
        {
            Step::to_property(name)
        }
        (Body::Array { .. } | Body::Texts(_) | Body::Packed(_), Some(Event::Int(index))) => {
            usize::try_from(index).map_or_else(|_| Step::Key(index.to_string()), Step::Index)
        }
        _ => Step::Key(shown_step(step)),
    }
}

/// Reads a step that must be the index of an element.
fn index(step: PathStep<'_>, kind: Kind) -> Result<i64, PatchErrorKind> {
    let no_index = || no_step(Nowhere::NoIndex(kind), step);
    let bytes = match step {
        PathStep::Index(index) => return Ok(index as i64),
        PathStep::Property(_) => return Err(no_index()),
        PathStep::Key(bytes) => bytes,
    };
    let mut reader = Reader::new(bytes).with_objects(true);
    let broken = |error| PatchErrorKind::Path(nowhere::broken(nowhere::STEP, &error));
    let Some(Event::Int(index)) = reader.next_event().map_err(broken)? else { return Err(no_index()) };
    match reader.left() {
        0 => Ok(index),
        found => Err(broken(CodecError::new(reader.position(), CodecErrorKind::Behind { found }))),
    }
}
