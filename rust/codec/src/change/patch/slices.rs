//! Changes runs of elements of packed arrays.

use std::ops::Range;

use super::node::{Body, Notes, Packed, READ, TreeNode, read_part, texts};
use super::{Fit, NEW, OLD, Same, check_same, missing, no_place, other_kind};
use crate::change::{Change, ChangePart, Op, packed_array};
use crate::path::{self, Nowhere};
use crate::{Event, Kind, Reader, WORD, Width};

pub(super) fn edit_slice<'a>(node: &mut TreeNode<'a>, found: i64, change: &Change<'a>, same: impl Same) -> Fit<()> {
    let (kind, count, op) = (node.kind, node.len(), change.op);
    let needed = |what, part: Option<ChangePart<'a>>| part.ok_or_else(|| missing(what, op)).map(Some);
    let new = if op == Op::Remove { None } else { needed("a new value", change.new)? };
    let new_count = new.map(|new| check(node, NEW, new)).transpose()?;
    let old = match op {
        Op::Insert => None,
        Op::Remove => needed("an old value", change.old)?,
        Op::Set => change.old,
    };
    let old_count = old.map(|old| check(node, OLD, old)).transpose()?;
    let gone = if op == Op::Insert { 0 } else { old_count.or(new_count).unwrap_or_default() };
    if let (Op::Set, Some(found)) = (op, new_count.filter(|&count| count != gone)) {
        return Err(format!("expected as many new elements of {} as old ones ({gone}), found {found}", kind.name()));
    }
    let Some(start) = usize::try_from(found).ok().filter(|&start| start <= count) else {
        return Err(match op {
            Op::Insert => no_place(kind, count, found),
            _ => Nowhere::NoElement { kind, count, found }.text(String::new),
        });
    };
    let found = count - start;
    if gone > found {
        return Err(format!("expected {gone} elements of {} from this index on, found {found}", kind.name()));
    }
    let range = start..start + gone;
    if let Some(old) = old {
        check_same(&encoded(node, range.clone()), &old.to_value(), same)?;
    }
    let (new, new_count) = (new.map_or(&[][..], payload), new_count.unwrap_or_default());
    match &mut node.body {
        Body::Packed(packed) => {
            packed.bytes.replace(packed.range(range), &new[..packed.element_len * new_count]);
        }
        Body::Texts(all) => all.replace(range, &texts(new.into(), 0, new_count)),
        Body::Array { .. } | Body::Entries(_) => unreachable!("a packed array"),
    }
    Ok(())
}

/// Checks that a part holds elements of the array's type. Returns their number.
fn check(node: &TreeNode<'_>, what: &str, part: ChangePart<'_>) -> Fit<usize> {
    let bytes = part.to_value();
    let mut reader = Reader::new(&bytes);
    let found = reader.peek_kind().map_err(|error| path::broken(what, &error))?;
    if found != node.kind {
        return Err(other_kind(what, node.kind, found));
    }
    read_part(what, &bytes, &mut Notes::new())?;
    match (reader.next_event().expect(READ), &node.body) {
        (Some(Event::Packed(plain)), Body::Packed(packed)) if plain.width != packed.width => {
            let bits = |width| if width == Width::Double { 64 } else { 32 };
            let (name, expected, found) = (node.kind.name(), bits(packed.width), bits(plain.width));
            Err(format!("expected {name} with components of {expected} bits as {what}, found {found} bits"))
        }
        (Some(Event::Packed(plain)), _) => Ok(plain.count),
        (Some(Event::PackedStrings { count }), _) => Ok(count),
        _ => unreachable!("the kind is that of a packed array"),
    }
}

/// Returns the bytes of the elements of a checked part, possibly with padding.
fn payload(part: ChangePart<'_>) -> &[u8] {
    match part {
        ChangePart::Value { bytes, .. } => &bytes[2 * WORD..],
        ChangePart::Elements(plain) => plain.bytes,
        ChangePart::Texts { bytes, .. } => bytes,
    }
}

fn encoded(node: &TreeNode<'_>, range: Range<usize>) -> Vec<u8> {
    let count = range.len();
    match &node.body {
        Body::Packed(packed) => {
            let pieces: Vec<_> = packed.bytes.pieces(packed.range(range)).collect();
            packed_array(node.kind, packed.width, count, &pieces)
        }
        Body::Texts(all) => {
            let texts: Vec<_> = all.pieces(range).flatten().map(|text| text.bytes()).collect();
            packed_array(Kind::PackedStringArray, Width::Single, count, &texts)
        }
        Body::Array { .. } | Body::Entries(_) => unreachable!("a packed array"),
    }
}

impl Packed {
    fn range(&self, elements: Range<usize>) -> Range<usize> {
        elements.start * self.element_len..elements.end * self.element_len
    }
}
