//! Changes of arrays, dictionaries and objects: follows a path, and opens what it leads into. All is checked before
//! anything is changed.

use std::borrow::Cow;

use super::emit::Emit;
use super::error::{PatchErrorKind, StepKind, shown};
use super::node::{Body, Child, Names, Node};
use super::source::Raw;
use super::{Change, Op, Patch};
use crate::error::{CodecError, CodecErrorKind};
use crate::event::Event;
use crate::kind::Kind;
use crate::limits::MAX_DEPTH;
use crate::reader::Reader;

/// Why a change does not fit, and how many steps of its path lead to where.
type Failure = (usize, PatchErrorKind);

/// Where a value is: the number of a node, and in it the index of an element or the number of an entry. `None`: the
/// whole value.
type Place = Option<(u32, usize)>;

/// How a change calls what it has.
pub(super) const OLD: &str = "the old value";
pub(super) const NEW: &str = "the new value";
const KEY: &str = "the key";

impl<'a> Patch<'a> {
    pub(super) fn edit(&mut self, change: &Change<'a>, same: impl FnOnce(&[u8], &[u8]) -> bool) -> Result<(), Failure> {
        let Some((&last, way)) = change.path.split_last() else {
            if change.op != Op::Set {
                return Err((0, PatchErrorKind::OnlySet { place: "the whole value", found: change.op.name() }));
            }
            return self.set(None, self.root, None, change, same).map_err(|kind| (0, kind));
        };
        let number = self.follow(change.path, way.len())?;
        let node = &self.nodes[number as usize];
        let (at_node, at_part) = (|kind| (way.len(), kind), |kind| (change.path.len(), kind));
        match (&node.body, change.op) {
            (Body::Texts(_) | Body::Packed(_), _) => {
                let index = index(last, node.kind()).map_err(at_node)?;
                self.edit_slice(number, index, change, same).map_err(at_part)
            }
            (Body::Array { element: of, .. }, Op::Set) => {
                let (of, (index, child)) = (*of, self.child(node, last).map_err(at_node)?);
                self.set(Some((number, index)), child, of, change, same).map_err(at_part)
            }
            (Body::Entries(_), Op::Set) => {
                let (entry, child) = self.child(node, last).map_err(at_node)?;
                self.set(Some((number, entry)), child, None, change, same).map_err(at_part)
            }
            (Body::Array { element: of, elements }, Op::Insert) => {
                let (of, count) = (*of, elements.len());
                let found = index(last, Kind::Array).map_err(at_node)?;
                let place = usize::try_from(found).ok().filter(|&index| index <= count);
                let no_place = PatchErrorKind::NoPlace { kind: Kind::Array, count, found };
                let place = place.ok_or(no_place).map_err(at_node)?;
                let new = self.new_value(change, of).map_err(at_part)?;
                self.elements(number).replace(place..place, &[new]);
                Ok(())
            }
            (Body::Array { .. }, Op::Remove) => {
                let (index, child) = self.child(node, last).map_err(at_node)?;
                self.check_old(child, change.old, same).map_err(at_part)?;
                self.elements(number).replace(index..index + 1, &[]);
                Ok(())
            }
            (Body::Entries(entries), _) if entries.names == Names::Properties => {
                Err(at_part(PatchErrorKind::OnlySet { place: "a property of an object", found: change.op.name() }))
            }
            (Body::Entries(_), Op::Insert) => self.insert_entry(number, last, change).map_err(at_node),
            (Body::Entries(_), Op::Remove) => {
                let (entry, child) = self.child(node, last).map_err(at_node)?;
                let index = self.place_of(node, entry as u32, change.index).map_err(at_node)?;
                self.check_old(child, change.old, same).map_err(at_part)?;
                self.remove_entry(number, entry as u32, index);
                Ok(())
            }
        }
    }

    /// Opens all that the first steps of a path lead into; gives the number of the last node.
    fn follow(&mut self, path: &[&[u8]], steps: usize) -> Result<u32, Failure> {
        let mut at = self.open(None, self.root).map_err(|kind| (0, kind))?;
        for (followed, step) in path[..steps].iter().enumerate() {
            let node = &self.nodes[at as usize];
            let (part, child) = match &node.body {
                Body::Texts(_) | Body::Packed(_) => {
                    let more = path.len() - followed - 1;
                    return Err((followed, PatchErrorKind::TooLong { kind: node.kind(), more }));
                }
                _ => self.child(node, step).map_err(|kind| (followed, kind))?,
            };
            at = self.open(Some((at, part)), child).map_err(|kind| (followed + 1, kind))?;
        }
        Ok(at)
    }

    /// The number of the node of what is at a place, which it becomes if it is none.
    fn open(&mut self, place: Place, child: Child) -> Result<u32, PatchErrorKind> {
        let raw = match child {
            Child::Node(number) => return Ok(number),
            Child::Raw(raw) => raw,
        };
        let number = self.nodes.len() as u32;
        self.nodes.push(Node::open(&self.sources, raw)?);
        self.put(place, Child::Node(number));
        Ok(number)
    }

    /// The part of a container that a step leads to: the index of the element or the number of the entry, and what is
    /// there.
    pub(super) fn child(&self, node: &Node<'_>, step: &[u8]) -> Result<(usize, Child), PatchErrorKind> {
        match &node.body {
            Body::Entries(entries) => {
                let number = entries.find(step)?;
                Ok((number as usize, entries.value(number)))
            }
            Body::Array { elements, .. } => {
                let found = index(step, Kind::Array)?;
                let index = usize::try_from(found).ok();
                let element = index.and_then(|index| Some((index, elements.get(index)?)));
                element.ok_or(PatchErrorKind::NoElement { kind: Kind::Array, count: elements.len(), found })
            }
            Body::Texts(_) | Body::Packed(_) => Err(PatchErrorKind::NotInside { found: node.kind() }),
        }
    }

    fn put(&mut self, place: Place, child: Child) {
        match place {
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
        place: Place,
        child: Child,
        of: Option<Kind>,
        change: &Change<'a>,
        same: impl FnOnce(&[u8], &[u8]) -> bool,
    ) -> Result<(), PatchErrorKind> {
        let new = self.new_value(change, of)?;
        self.check_old(child, change.old, same)?;
        self.put(place, new);
        Ok(())
    }

    fn insert_entry(&mut self, number: u32, key: &'a [u8], change: &Change<'a>) -> Result<(), PatchErrorKind> {
        let entries = self.entries(number);
        let count = entries.order.len();
        let of_key = if let Names::Keys(of) = entries.names { of } else { None };
        if entries.number(key).is_some() {
            return Err(PatchErrorKind::KeyThere { found: shown(key) });
        }
        let index = change.index.unwrap_or(count);
        if index > count {
            return Err(PatchErrorKind::NoPlace { kind: Kind::Dictionary, count, found: index as i64 });
        }
        let raw = self.value(KEY, key, of_key, change.path.len())?;
        let new = self.new_value(change, None)?;
        self.entries(number).insert(index, (raw, key), new);
        Ok(())
    }

    /// Where in the order of a Dictionary an entry is, if it is where it has to be.
    fn place_of(&self, node: &Node<'_>, entry: u32, index: Option<usize>) -> Result<usize, PatchErrorKind> {
        let Body::Entries(entries) = &node.body else { unreachable!("a Dictionary") };
        let Some(index) = index else { return Ok(entries.order.find(entry).expect("it is in the order")) };
        let key = |number| shown(self.sources.bytes(entries.key(number)));
        match entries.order.get(index) {
            Some(found) if found == entry => Ok(index),
            Some(found) => Err(PatchErrorKind::OtherPlace { key: key(entry), index, found: key(found) }),
            None => {
                let found = format!("{} entries", entries.order.len());
                Err(PatchErrorKind::OtherPlace { key: key(entry), index, found })
            }
        }
    }

    fn remove_entry(&mut self, number: u32, entry: u32, index: usize) {
        let key = self.entries(number).key(entry);
        let bytes = self.sources.bytes(key);
        self.entries(number).remove(index, bytes);
    }

    /// The new value of a change, if it fits where it is to be.
    fn new_value(&mut self, change: &Change<'a>, of: Option<Kind>) -> Result<Child, PatchErrorKind> {
        let new = change.new.ok_or(PatchErrorKind::Missing { what: "a new value", op: change.op.name() })?;
        Ok(Child::Raw(self.value(NEW, new, of, change.path.len())?))
    }

    /// A value that is to be `depth` containers deep, where values have to be of one kind or may be of any.
    fn value(
        &mut self,
        what: &'static str,
        bytes: &'a [u8],
        of: Option<Kind>,
        depth: usize,
    ) -> Result<Raw, PatchErrorKind> {
        let survey = self.sources.add(bytes).map_err(|error| PatchErrorKind::Broken { what, error })?;
        let padding = survey.raw.end as usize - bytes.len();
        if padding > 0 {
            return Err(PatchErrorKind::Unpadded { what, expected: padding });
        }
        if let Some(expected) = of.filter(|&kind| kind != survey.kind) {
            return Err(PatchErrorKind::OtherKind { what, expected, found: survey.kind });
        }
        let found = depth + survey.depth;
        if found > MAX_DEPTH { Err(PatchErrorKind::TooDeep { found }) } else { Ok(survey.raw) }
    }

    fn check_old(
        &self,
        child: Child,
        old: Option<&[u8]>,
        same: impl FnOnce(&[u8], &[u8]) -> bool,
    ) -> Result<(), PatchErrorKind> {
        let Some(old) = old else { return Ok(()) };
        let there = match child {
            Child::Raw(raw) => Cow::Borrowed(self.sources.bytes(raw)),
            Child::Node(_) => Cow::Owned(Emit::new(&self.sources, &self.nodes).value(child).to_vec()),
        };
        check_same(&there, old, same)
    }

    fn elements(&mut self, number: u32) -> &mut super::gap::GapBuffer<Child> {
        match &mut self.nodes[number as usize].body {
            Body::Array { elements, .. } => elements,
            _ => unreachable!("an Array"),
        }
    }

    fn entries(&mut self, number: u32) -> &mut super::node::Entries<'a> {
        match &mut self.nodes[number as usize].body {
            Body::Entries(entries) => entries,
            _ => unreachable!("a Dictionary"),
        }
    }
}

/// Whether what is there is the old value, by its bytes or by who knows better.
pub(super) fn check_same(
    there: &[u8],
    old: &[u8],
    same: impl FnOnce(&[u8], &[u8]) -> bool,
) -> Result<(), PatchErrorKind> {
    if there == old || same(there, old) {
        return Ok(());
    }
    Err(PatchErrorKind::OtherOld { expected: shown(old), found: shown(there) })
}

/// A step that is the index of an element.
fn index(step: &[u8], kind: Kind) -> Result<i64, PatchErrorKind> {
    let mut reader = Reader::new(step).with_objects(true);
    let broken = |error| PatchErrorKind::Broken { what: "a step of the path", error };
    let Some(Event::Int(index)) = reader.next_event().map_err(broken)? else {
        return Err(PatchErrorKind::WrongStep { expected: StepKind::Index(kind), found: shown(step) });
    };
    match reader.left() {
        0 => Ok(index),
        found => Err(broken(CodecError::new(reader.position(), CodecErrorKind::Behind { found }))),
    }
}
