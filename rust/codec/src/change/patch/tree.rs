//! Follows paths in the tree, opens what they lead into, and changes it. Everything is checked before anything is changed.

use std::borrow::Cow;

use super::error::{KEY, NEW, PatchErrorKind, check_same, no_key, no_step, shown};
use super::node::{Body, Child, Entries, EntryNames, TreeNode};
use super::slices::edit_slice;
use super::source::Raw;
use super::{Emit, Patch};
use crate::change::model::{Change, ChangePart, Op};
use crate::event::Event;
use crate::kind::Kind;
use crate::limits::MAX_DEPTH;
use crate::path::{self, Nowhere, Path, PathStep, Step, shown_step};
use crate::reader::Reader;

/// The position of a value in the tree: the number of a node, and the index of an element or the number of an entry in
/// it. `None` for the whole value.
type Position = Option<(u32, usize)>;

impl<'a> Patch<'a> {
    /// Applies a change. Counts in `followed` how many steps of its path could be followed.
    pub(super) fn edit(
        &mut self,
        change: &Change<'a>,
        same: impl FnOnce(&[u8], &[u8]) -> bool,
        followed: &mut usize,
    ) -> Result<(), PatchErrorKind> {
        let steps = change.path.steps();
        let (op, depth) = (change.op, steps.len());
        let Some((&last, outer)) = steps.split_last() else {
            if op != Op::Set {
                return Err(PatchErrorKind::only_set("the whole value", op));
            }
            let new = self.new_value(change, None, 0)?;
            self.check_old(self.root, change.old, same)?;
            self.root = new;
            return Ok(());
        };
        let number = self.follow(outer, followed)?;
        let node = &self.nodes[number as usize];
        match (&node.body, op) {
            (Body::Texts(_) | Body::Packed(_), _) => {
                let index = index(last, node.kind())?;
                *followed = depth;
                edit_slice(&mut self.sources, &mut self.nodes[number as usize], index, change, same)
            }
            (Body::Entries(entries), Op::Insert | Op::Remove) if entries.names == EntryNames::Properties => {
                *followed = depth;
                Err(PatchErrorKind::only_set("a property of an object", op))
            }
            (Body::Entries(_), Op::Insert) => self.insert_entry(number, last, change, depth),
            (Body::Array { element: of, elements }, Op::Insert) => {
                let (of, count) = (*of, elements.len());
                let found = index(last, Kind::Array)?;
                let index = usize::try_from(found).ok().filter(|&index| index <= count);
                let index = index.ok_or_else(|| PatchErrorKind::no_place(Kind::Array, count, found))?;
                *followed = depth;
                let new = self.new_value(change, of, depth)?;
                if let Body::Array { elements, .. } = &mut self.nodes[number as usize].body {
                    elements.replace(index..index, &[new]);
                }
                Ok(())
            }
            (body, Op::Set) => {
                let of = if let Body::Array { element, .. } = body { *element } else { None };
                let (part, child) = self.child(node, last)?;
                *followed = depth;
                let new = self.new_value(change, of, depth)?;
                self.check_old(child, change.old, same)?;
                self.put(Some((number, part)), new);
                Ok(())
            }
            (body, Op::Remove) => {
                let (part, child) = self.child(node, last)?;
                let index = match body {
                    Body::Entries(entries) => self.index_of(entries, part as u32, change.index)?,
                    _ => part,
                };
                *followed = depth;
                self.check_old(child, change.old, same)?;
                match &mut self.nodes[number as usize].body {
                    Body::Array { elements, .. } => elements.replace(index..index + 1, &[]),
                    Body::Entries(entries) => entries.remove(index, self.sources.bytes(entries.key(part as u32))),
                    Body::Texts(_) | Body::Packed(_) => unreachable!("dealt with above"),
                }
                Ok(())
            }
        }
    }

    /// Opens everything that the outer steps of a path lead into. Returns the number of the last node.
    fn follow(&mut self, outer: &[PathStep<'_>], followed: &mut usize) -> Result<u32, PatchErrorKind> {
        let mut at = self.open(None, self.root)?;
        for &step in outer {
            let node = &self.nodes[at as usize];
            if let Body::Texts(_) | Body::Packed(_) = node.body {
                let more = outer.len() - *followed;
                return Err(no_step(Nowhere::TooLong { kind: node.kind(), more }, step));
            }
            let (part, child) = self.child(node, step)?;
            *followed += 1;
            at = self.open(Some((at, part)), child)?;
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
                Body::Array { elements, .. } => elements.replace(part..part + 1, &[child]),
                Body::Entries(entries) => entries.entries[part].1 = child,
                Body::Texts(_) | Body::Packed(_) => unreachable!("nothing in it is a value"),
            },
        }
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
        let (count, names) = (entries.order.len(), entries.names);
        if entries.by_key(key).is_some() {
            let text = format!("expected a new key, found the existing key {}", shown(key));
            return Err(PatchErrorKind::Place(text));
        }
        let index = change.index.unwrap_or(count);
        if index > count {
            return Err(PatchErrorKind::no_place(Kind::Dictionary, count, index as i64));
        }
        let of_key = if let EntryNames::Keys(of) = names { of } else { None };
        let raw = self.value(KEY, key, of_key, depth)?;
        let new = self.new_value(change, None, depth)?;
        self.entries(number).insert(index, (raw, key), new);
        Ok(())
    }

    /// Finds the index of an entry in the order of its Dictionary. If `index` is given, it must be the same.
    fn index_of(&self, entries: &Entries<'_>, entry: u32, index: Option<usize>) -> Result<usize, PatchErrorKind> {
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
        let added = self.sources.add(bytes);
        let (raw, inner_depth) = added.map_err(|error| PatchErrorKind::Value(path::broken(what, &error)))?;
        let padding = raw.len() - bytes.len();
        if padding > 0 {
            return Err(PatchErrorKind::unpadded(what, padding));
        }
        let found = self.sources.kind(raw);
        if let Some(expected) = of.filter(|&kind| kind != found) {
            return Err(PatchErrorKind::other_kind(what, expected, found));
        }
        let found = depth + inner_depth;
        if found > MAX_DEPTH {
            let text = format!("expected at most {MAX_DEPTH} levels of nesting, found {found}");
            return Err(PatchErrorKind::Place(text));
        }
        Ok(raw)
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

    fn entries(&mut self, number: u32) -> &mut Entries<'a> {
        match &mut self.nodes[number as usize].body {
            Body::Entries(entries) => entries,
            _ => unreachable!("a Dictionary"),
        }
    }

    /// Returns a path that was followed up to its last step, for a message.
    #[cold]
    pub(super) fn path(&self, steps: &[PathStep<'_>]) -> Path {
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
    let name = match step {
        PathStep::Index(_) => None,
        PathStep::Key(bytes) => Reader::new(bytes).next_event().ok().flatten(),
        PathStep::Property(name) => Some(Event::StringName(name)),
    };
    let shown = match (&node.body, name) {
        (Body::Entries(entries), Some(Event::String(name) | Event::StringName(name)))
            if entries.names == EntryNames::Properties =>
        {
            Some(Step::to_property(name))
        }
        (Body::Entries(_), _) => None,
        _ => index(step, node.kind()).ok().and_then(|index| usize::try_from(index).ok()).map(Step::Index),
    };
    shown.unwrap_or_else(|| Step::Key(shown_step(step)))
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
    let broken = |error| PatchErrorKind::Path(path::broken(path::STEP, &error));
    let Some(Event::Int(index)) = reader.next_event().map_err(broken)? else { return Err(no_index()) };
    reader.check_end().map_err(broken)?;
    Ok(index)
}
