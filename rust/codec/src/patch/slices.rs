//! Changes of packed arrays: of a run of elements, which is a packed array of its own.

use std::ops::Range;

use super::edit::{NEW, OLD, check_same};
use super::error::PatchErrorKind;
use super::gap::GapBuffer;
use super::node::{Body, Node, Packed, WORD, texts};
use super::source::{Raw, Sources};
use super::{Change, Op, Patch};
use crate::dialect::{FLAG_64, Width};
use crate::error::{CodecError, CodecErrorKind};
use crate::event::{Event, Plain};
use crate::reader::Reader;

impl<'a> Patch<'a> {
    /// Changes the elements of a packed array from an index on.
    pub(super) fn edit_slice(
        &mut self,
        number: u32,
        found: i64,
        change: &Change<'a>,
        same: impl FnOnce(&[u8], &[u8]) -> bool,
    ) -> Result<(), PatchErrorKind> {
        let Self { sources, nodes, .. } = self;
        let node = &mut nodes[number as usize];
        let (kind, count, op) = (node.kind(), node.len(), change.op);
        let needed = |what, bytes: Option<&'a [u8]>| bytes.ok_or(PatchErrorKind::Missing { what, op: op.name() });
        let new = match op {
            Op::Remove => None,
            _ => Some(slice(node, NEW, needed("a new value", change.new)?)?),
        };
        let old = match op {
            Op::Insert => None,
            Op::Remove => Some(needed("an old value", change.old)?),
            Op::Set => change.old,
        };
        let old_count = old.map(|old| slice(node, OLD, old)).transpose()?;
        let gone = match (old_count, new) {
            (Some(expected), Some(found)) if expected != found => {
                return Err(PatchErrorKind::OtherCount { kind, expected, found });
            }
            (Some(old), _) => old,
            (None, new) if op == Op::Set => new.unwrap_or_default(),
            (None, _) => 0,
        };
        let start = usize::try_from(found).ok().filter(|&start| start <= count);
        let Some(start) = start else {
            return Err(match op {
                Op::Insert => PatchErrorKind::NoPlace { kind, count, found },
                _ => PatchErrorKind::NoElement { kind, count, found },
            });
        };
        if gone > count - start {
            return Err(PatchErrorKind::NoElements { kind, expected: gone, found: count - start });
        }
        let range = start..start + gone;
        if let Some(old) = old {
            check_same(&encoded(sources, node, range.clone()), old, same)?;
        }
        let new = change.new.filter(|_| new.is_some());
        match &mut node.body {
            Body::Packed(packed) => packed.replace(range, new),
            Body::Texts(all) => replace_texts(sources, all, range, new),
            Body::Array { .. } | Body::Entries(_) => unreachable!("a packed array"),
        }
        Ok(())
    }
}

/// How many elements there are in what has to be of the type of the array.
fn slice(node: &Node<'_>, what: &'static str, bytes: &[u8]) -> Result<usize, PatchErrorKind> {
    let broken = |error| PatchErrorKind::Broken { what, error };
    let mut reader = Reader::new(bytes);
    let found = reader.peek_kind().map_err(broken)?;
    if found != node.kind() {
        return Err(PatchErrorKind::OtherKind { what, expected: node.kind(), found });
    }
    let event = reader.next_event().map_err(broken)?;
    reader.finish_value(0).map_err(broken)?;
    let end = reader.position();
    match bytes.len().checked_sub(end) {
        None => return Err(PatchErrorKind::Unpadded { what, expected: end - bytes.len() }),
        Some(0) => {}
        Some(found) => return Err(broken(CodecError::new(end, CodecErrorKind::Behind { found }))),
    }
    match (event, &node.body) {
        (Some(Event::Packed(plain)), Body::Packed(packed)) => {
            let bits = |width| if width == Width::Double { 64 } else { 32 };
            let (expected, found) = (bits(packed.width), bits(plain.width));
            let other = PatchErrorKind::OtherWidth { what, kind: packed.kind, expected, found };
            if plain.width == packed.width { Ok(plain.count) } else { Err(other) }
        }
        (Some(Event::PackedStrings { count }), _) => Ok(count),
        _ => unreachable!("the kind is that of a packed array"),
    }
}

/// Elements of a packed array as one of its own.
fn encoded(sources: &Sources<'_>, node: &Node<'_>, range: Range<usize>) -> Vec<u8> {
    let count = (range.len() as u32).to_le_bytes();
    let mut bytes = vec![node.kind().id(), 0, 0, 0];
    bytes.extend(count);
    match &node.body {
        Body::Packed(packed) => {
            let (front, back) = packed.bytes.pieces(packed.range(range));
            bytes.extend([front, back].concat());
            if packed.width == Width::Double {
                bytes[2] = (FLAG_64 >> 16) as u8;
            }
            bytes.resize(bytes.len().next_multiple_of(WORD), 0);
        }
        Body::Texts(all) => {
            let (front, back) = all.pieces(range);
            front.iter().chain(back).for_each(|&text| bytes.extend(sources.bytes(text)));
        }
        Body::Array { .. } | Body::Entries(_) => unreachable!("a packed array"),
    }
    bytes
}

impl Packed {
    /// Where elements are, in bytes.
    fn range(&self, elements: Range<usize>) -> Range<usize> {
        let len = self.element_len();
        elements.start * len..elements.end * len
    }

    fn replace(&mut self, elements: Range<usize>, new: Option<&[u8]>) {
        let event = new.and_then(|new| Reader::new(new).next_event().ok().flatten());
        let with = if let Some(Event::Packed(Plain { bytes, .. })) = event { bytes } else { &[] };
        self.bytes.replace(self.range(elements), with);
    }
}

fn replace_texts<'a>(sources: &mut Sources<'a>, all: &mut GapBuffer<Raw>, range: Range<usize>, new: Option<&'a [u8]>) {
    let new = new.map(|new| Raw::part(sources.add_read(new), 0..new.len()));
    let with = new.map(|new| texts(sources, new)).unwrap_or_default();
    all.replace(range, &with);
}
