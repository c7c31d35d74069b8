//! Follows paths in the tree, opens what they lead into, and changes it. Everything is checked before anything is changed.

use std::borrow::Cow;

use super::node::{Body, Child, Entries, EntryNames, Notes, Raw, TreeNode, read_part};
use super::slices::edit_slice;
use super::{
    Emit, Fit, KEY, NEW, Patch, Same, check_same, missing, no_key, no_place, no_step, only_set, other_kind, shown,
};
use crate::change::{Change, ChangePart, Op};
use crate::path::{self};
use crate::{Event, Kind, MAX_DEPTH, Nowhere, Path, PathStep, Reader, Step, shown_step};

/// A node's number, and the index of its element or the number of its entry; `None` for the whole value.
type Position = Option<(u32, usize)>;

impl<'a> Patch<'a> {
    /// Applies a change. Counts in `followed` how many steps of its path could be followed.
    pub(super) fn edit(&mut self, change: &Change<'a>, same: impl Same, followed: &mut usize) -> Fit<()> {
        let steps = change.path.steps();
        let (op, depth) = (change.op, steps.len());
        let Some((&last, outer)) = steps.split_last() else {
            if op != Op::Set {
                return Err(only_set("the whole value", op));
            }
            let new = new_value(change, None, 0, &mut self.notes)?;
            self.check_old(self.root, change.old, same)?;
            self.root = new;
            return Ok(());
        };
        let number = self.follow(outer, followed)?;
        let node = &mut self.nodes[number as usize];
        match (&mut node.body, op) {
            (Body::Texts(_) | Body::Packed(_), _) => {
                let index = index(last, node.kind)?;
                *followed = depth;
                edit_slice(node, index, change, same)
            }
            (Body::Entries(entries), Op::Insert | Op::Remove) if entries.names == EntryNames::Properties => {
                *followed = depth;
                Err(only_set("a property of an object", op))
            }
            (Body::Entries(entries), Op::Insert) => insert_entry(entries, last, change, depth, &mut self.notes),
            (Body::Array { element, elements }, Op::Insert) => {
                let (found, count) = (index(last, Kind::Array)?, elements.len());
                let index = usize::try_from(found).ok().filter(|&index| index <= count);
                let index = index.ok_or_else(|| no_place(Kind::Array, count, found))?;
                *followed = depth;
                elements.replace(index..index, &[new_value(change, *element, depth, &mut self.notes)?]);
                Ok(())
            }
            (body, Op::Set) => {
                let of = if let Body::Array { element, .. } = body { *element } else { None };
                let (part, child) = child(node, last)?;
                *followed = depth;
                let new = new_value(change, of, depth, &mut self.notes)?;
                self.check_old(child, change.old, same)?;
                self.put(Some((number, part)), new);
                Ok(())
            }
            (_, Op::Remove) => {
                let (part, child) = child(node, last)?;
                let index = match &node.body {
                    Body::Entries(entries) => index_of(entries, part as u32, change.index)?,
                    _ => part,
                };
                *followed = depth;
                self.check_old(child, change.old, same)?;
                match &mut self.nodes[number as usize].body {
                    Body::Array { elements, .. } => elements.replace(index..index + 1, &[]),
                    Body::Entries(entries) => entries.remove(index, part as u32),
                    Body::Texts(_) | Body::Packed(_) => unreachable!("dealt with above"),
                }
                Ok(())
            }
        }
    }

    /// Opens everything that the outer steps of a path lead into. Returns the number of the last node.
    fn follow(&mut self, outer: &[PathStep<'_>], followed: &mut usize) -> Fit<u32> {
        let mut at = self.open(None, self.root)?;
        for &step in outer {
            let node = &self.nodes[at as usize];
            if let Body::Texts(_) | Body::Packed(_) = node.body {
                let more = outer.len() - *followed;
                return Err(no_step(Nowhere::TooLong { kind: node.kind, more }, step));
            }
            let (part, child) = child(node, step)?;
            *followed += 1;
            at = self.open(Some((at, part)), child)?;
        }
        Ok(at)
    }

    /// Returns the number of the node at a position. Turns bytes there into a node.
    fn open(&mut self, position: Position, child: Child<'a>) -> Fit<u32> {
        let raw = match child {
            Child::Node(number) => return Ok(number),
            Child::Raw(raw) => raw,
        };
        let number = self.nodes.len() as u32;
        self.nodes.push(TreeNode::open(raw, &self.notes)?);
        self.put(position, Child::Node(number));
        Ok(number)
    }

    fn put(&mut self, position: Position, child: Child<'a>) {
        match position {
            None => self.root = child,
            Some((node, part)) => match &mut self.nodes[node as usize].body {
                Body::Array { elements, .. } => elements.replace(part..part + 1, &[child]),
                Body::Entries(entries) => entries.entries[part].1 = child,
                Body::Texts(_) | Body::Packed(_) => unreachable!("nothing in it is a value"),
            },
        }
    }

    fn check_old(&self, child: Child<'a>, old: Option<ChangePart<'_>>, same: impl Same) -> Fit<()> {
        let Some(old) = old else { return Ok(()) };
        let there = match child {
            Child::Raw(raw) => Cow::Borrowed(raw.bytes()),
            Child::Node(_) => Cow::Owned(Emit::new(&self.nodes).value(child).to_vec()),
        };
        check_same(&there, &old.to_value(), same)
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
            match child(node, step) {
                Ok((_, child)) => at = child,
                Err(_) => break,
            }
        }
        found.into_iter().rev().fold(Path::default(), Path::within)
    }
}

/// Finds the part that a step leads to: the index of the element or the number of the entry, and its value.
fn child<'a>(node: &TreeNode<'a>, step: PathStep<'_>) -> Fit<(usize, Child<'a>)> {
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
        Body::Texts(_) | Body::Packed(_) => Err(no_step(Nowhere::NotInside(node.kind), step)),
    }
}

fn insert_entry<'a>(
    entries: &mut Entries<'a>,
    step: PathStep<'a>,
    change: &Change<'a>,
    depth: usize,
    notes: &mut Notes,
) -> Fit<()> {
    let PathStep::Key(key) = step else { return Err(no_key(step)) };
    if entries.by_key(key).is_some() {
        return Err(format!("expected a new key, found the existing key {}", shown(key)));
    }
    let count = entries.order.len();
    let index = change.index.unwrap_or(count);
    if index > count {
        return Err(no_place(Kind::Dictionary, count, index as i64));
    }
    let of = if let EntryNames::Keys(of) = entries.names { of } else { None };
    let key = value(KEY, key, of, depth, notes)?;
    entries.insert(index, key, new_value(change, None, depth, notes)?);
    Ok(())
}

/// Finds the index of an entry in the order of its Dictionary. If `index` is given, it must be the same.
fn index_of(entries: &Entries<'_>, entry: u32, index: Option<usize>) -> Fit<usize> {
    let Some(index) = index else { return Ok(entries.index_of(entry)) };
    let key = |number| shown(entries.key(number).bytes());
    let found = match entries.order.get(index) {
        Some(found) if found == entry => return Ok(index),
        Some(found) => key(found),
        None => format!("{} entries", entries.order.len()),
    };
    let key = key(entry);
    Err(format!("expected key {key} at index {index} of the Dictionary, found {found}"))
}

/// Takes the new value of a change, if it fits there.
fn new_value<'a>(change: &Change<'a>, of: Option<Kind>, depth: usize, notes: &mut Notes) -> Fit<Child<'a>> {
    let new = change.new.ok_or_else(|| missing("a new value", change.op))?;
    let kind = match new {
        ChangePart::Value { bytes, .. } => return Ok(Child::Raw(value(NEW, bytes, of, depth, notes)?)),
        ChangePart::Elements(plain) => plain.kind,
        ChangePart::Texts { .. } => Kind::PackedStringArray,
    };
    Err(format!("expected an encoded value as {NEW}, found elements of {}", kind.name()))
}

/// Takes a value that will be `depth` containers deep, where all values must be of this kind.
fn value<'a>(what: &str, bytes: &'a [u8], of: Option<Kind>, depth: usize, notes: &mut Notes) -> Fit<Raw<'a>> {
    let found = depth + read_part(what, bytes, notes)?;
    let raw = Raw::from(bytes);
    if let Some(expected) = of.filter(|&kind| kind != raw.kind()) {
        return Err(other_kind(what, expected, raw.kind()));
    }
    if found > MAX_DEPTH {
        return Err(format!("expected at most {MAX_DEPTH} levels of nesting, found {found}"));
    }
    Ok(raw)
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
        _ => index(step, node.kind).ok().and_then(|index| usize::try_from(index).ok()).map(Step::Index),
    };
    shown.unwrap_or_else(|| Step::Key(shown_step(step)))
}

fn index(step: PathStep<'_>, kind: Kind) -> Fit<i64> {
    let no_index = || no_step(Nowhere::NoIndex(kind), step);
    let bytes = match step {
        PathStep::Index(index) => return Ok(index as i64),
        PathStep::Property(_) => return Err(no_index()),
        PathStep::Key(bytes) => bytes,
    };
    let mut reader = Reader::new(bytes).with_objects(true);
    let broken = |error| path::broken(path::STEP, &error);
    let Some(Event::Int(index)) = reader.next_event().map_err(broken)? else { return Err(no_index()) };
    reader.check_end().map_err(broken)?;
    Ok(index)
}
