//! Changes runs of elements of packed arrays.

use std::ops::Range;

use super::error::{NEW, OLD, PatchErrorKind, check_same};
use super::node::{Body, Packed, TreeNode, texts};
use super::source::Sources;
use crate::change::model::{Change, ChangePart, Op, packed_array};
use crate::event::Event;
use crate::kind::{Kind, WORD, Width};
use crate::path::{self, Nowhere};
use crate::reader::Reader;

/// Changes the elements of a packed array from an index on.
pub(super) fn edit_slice<'a>(
    sources: &mut Sources<'a>,
    node: &mut TreeNode<'a>,
    found: i64,
    change: &Change<'a>,
    same: impl FnOnce(&[u8], &[u8]) -> bool,
) -> Result<(), PatchErrorKind> {
    let (kind, count, op) = (node.kind(), node.len(), change.op);
    let needed = |what, part: Option<ChangePart<'a>>| part.ok_or_else(|| PatchErrorKind::missing(what, op));
    let new = match op {
        Op::Remove => None,
        _ => Some(needed("a new value", change.new)?),
    };
    let new_count = new.map(|new| check(node, NEW, new)).transpose()?;
    let old = match op {
        Op::Insert => None,
        Op::Remove => Some(needed("an old value", change.old)?),
        Op::Set => change.old,
    };
    let old_count = old.map(|old| check(node, OLD, old)).transpose()?;
    let gone = match (old_count, new_count) {
        (Some(expected), Some(found)) if expected != found => {
            let name = kind.name();
            let text = format!("expected as many new elements of {name} as old ones ({expected}), found {found}");
            return Err(PatchErrorKind::Value(text));
        }
        (Some(old), _) => old,
        (None, new) if op == Op::Set => new.unwrap_or_default(),
        (None, _) => 0,
    };
    let start = usize::try_from(found).ok().filter(|&start| start <= count);
    let Some(start) = start else {
        return Err(match op {
            Op::Insert => PatchErrorKind::no_place(kind, count, found),
            _ => PatchErrorKind::Path(Nowhere::NoElement { kind, count, found }.text(String::new)),
        });
    };
    let found = count - start;
    if gone > found {
        let text = format!("expected {gone} elements of {} from this index on, found {found}", kind.name());
        return Err(PatchErrorKind::Place(text));
    }
    let range = start..start + gone;
    if let Some(old) = old {
        check_same(&encoded(sources, node, range.clone()), &old.to_value(), same)?;
    }
    let new = new.map_or(&[][..], payload);
    match &mut node.body {
        Body::Packed(packed) => {
            let len = packed.element_len * new_count.unwrap_or_default();
            packed.bytes.replace(packed.range(range), &new[..len]);
        }
        Body::Texts(all) => {
            let new = sources.add_read(new);
            all.replace(range, &texts(sources, new));
        }
        Body::Array { .. } | Body::Entries(_) => unreachable!("a packed array"),
    }
    Ok(())
}

/// Checks that a part holds elements of the array's type. Returns their number.
fn check(node: &TreeNode<'_>, what: &str, part: ChangePart<'_>) -> Result<usize, PatchErrorKind> {
    let broken = |error| PatchErrorKind::Value(path::broken(what, &error));
    let bytes = part.to_value();
    let mut reader = Reader::new(&bytes);
    let found = reader.peek_kind().map_err(broken)?;
    if found != node.kind() {
        return Err(PatchErrorKind::other_kind(what, node.kind(), found));
    }
    let event = reader.next_event().map_err(broken)?;
    reader.finish_value(0).map_err(broken)?;
    let end = reader.position();
    if end > bytes.len() {
        return Err(PatchErrorKind::unpadded(what, end - bytes.len()));
    }
    reader.check_end().map_err(broken)?;
    match (event, &node.body) {
        (Some(Event::Packed(plain)), Body::Packed(packed)) if plain.width != packed.width => {
            let bits = |width| if width == Width::Double { 64 } else { 32 };
            let (name, expected, found) = (packed.kind.name(), bits(packed.width), bits(plain.width));
            let text = format!("expected {name} with components of {expected} bits as {what}, found {found} bits");
            Err(PatchErrorKind::Value(text))
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

/// Encodes elements of a packed array as a separate array.
fn encoded(sources: &Sources<'_>, node: &TreeNode<'_>, range: Range<usize>) -> Vec<u8> {
    let count = range.len();
    match &node.body {
        Body::Packed(packed) => {
            let pieces: Vec<_> = packed.bytes.pieces(packed.range(range)).collect();
            packed_array(packed.kind, packed.width, count, &pieces)
        }
        Body::Texts(all) => {
            let texts: Vec<_> = all.pieces(range).flatten().map(|&text| sources.bytes(text)).collect();
            packed_array(Kind::PackedStringArray, Width::Single, count, &texts)
        }
        Body::Array { .. } | Body::Entries(_) => unreachable!("a packed array"),
    }
}

impl Packed {
    /// Returns the byte range of elements.
    fn range(&self, elements: Range<usize>) -> Range<usize> {
        elements.start * self.element_len..elements.end * self.element_len
    }
}
