//! Builds small values without a [`Build`](super::Build), which takes as long to make as their work.

use varbatch_codec::{ElementType, Event, Kind, Plain, Reader, fill};

use super::{components, utf8};
use crate::engine::{Memory, REAL, Slot, SlotType};
use crate::value::string_cache::{Texts, set_text, with_kept};

/// Max bytes of a small value, and of one without values or names inside.
const SMALL_VALUE: usize = 4 << 10;
const SMALL_PLAIN: usize = 256 << 10;

/// Containers inside one another that [`build_flat`] builds at most.
pub const MOST_NESTED: usize = 4;

/// Builds a small value that [`Reader::flat`] reads, with at most `nested` full containers in one another. Without
/// `texts`, the cache between values is used. `false` for other bytes, and if some follow the value; the slot may hold a
/// part of it then.
#[inline(always)]
pub fn build_flat(bytes: &[u8], slot: &mut Slot, nested: usize, texts: Option<&mut Texts>) -> bool {
    let nested = if bytes.len() < SMALL_VALUE { nested } else { 0 };
    bytes.len() < SMALL_PLAIN && build(bytes, slot, nested, texts).is_some_and(<[u8]>::is_empty)
}

/// Builds a value inside another one, and returns the bytes after it.
#[inline(never)]
fn part<'a>(bytes: &'a [u8], slot: &mut Slot, nested: usize, texts: &mut Texts) -> Option<&'a [u8]> {
    build(bytes, slot, nested, Some(texts))
}

#[inline(always)]
fn build<'a>(bytes: &'a [u8], slot: &mut Slot, nested: usize, texts: Option<&mut Texts>) -> Option<&'a [u8]> {
    let (event, rest) = Reader::flat(bytes)?;
    let set = |slot: &mut Slot, kind, text, texts: Option<&mut Texts>| match texts {
        Some(texts) => texts.set(slot, kind, text),
        None => set_text(slot, kind, text),
    };
    match event {
        Event::Nil => slot.clear(),
        Event::Bool(value) => slot.set_bool(value),
        Event::Int(value) => slot.set_int(value),
        Event::Float(value) => slot.set_float(value),
        Event::Components(plain) => components(slot, plain),
        Event::Packed(plain) => packed(plain, slot.set_packed(plain.kind, plain.count)),
        Event::String(text) => set(slot, Kind::String, utf8(text), texts),
        Event::StringName(text) => set(slot, Kind::StringName, utf8(text), texts),
        Event::Rid(id) => slot.set_rid(id),
        Event::ObjectId(id) => slot.set_object_id(id),
        Event::Callable => slot.set_callable(),
        Event::Signal { name, object } => return slot.set_signal(utf8(name), object).then_some(rest),
        Event::PackedStrings { count } => return strings(slot, count, rest),
        Event::Array { element: ElementType::Any, count: 0 } => _ = slot.set_array(0),
        Event::Dictionary { key: ElementType::Any, value: ElementType::Any, count: 0 } => _ = slot.set_dictionary(),
        event => {
            return match texts {
                Some(texts) => parts(event, rest, bytes, slot, nested, texts),
                None => with_kept(|texts| parts(event, rest, bytes, slot, nested, texts)),
            };
        }
    }
    Some(rest)
}

#[inline(always)]
fn packed(plain: Plain<'_>, dest: Memory<'_>) {
    if plain.has_width(REAL) { fill::copy(plain.bytes, dest) } else { fill::plain(plain, REAL, dest) }
}

#[inline(never)]
fn strings<'a>(slot: &mut Slot, count: usize, mut rest: &'a [u8]) -> Option<&'a [u8]> {
    for string in slot.set_strings(count) {
        string.set(Reader::flat_text(&mut rest)?);
    }
    Some(rest)
}

/// Builds a value of several parts: `rest` is what follows its head.
#[inline(never)]
fn parts<'a>(
    event: Event<'a>,
    mut rest: &'a [u8],
    bytes: &'a [u8],
    slot: &mut Slot,
    nested: usize,
    texts: &mut Texts,
) -> Option<&'a [u8]> {
    match event {
        Event::NodePath { names, subnames, .. } => {
            for _ in 0..names + subnames {
                Reader::flat_text(&mut rest)?;
            }
            texts.set_node_path(slot, &bytes[..bytes.len() - rest.len()]);
        }
        Event::Array { element, count } => {
            let (kind, nested) = (kind_of(element)?, within(nested, count)?);
            let elements = match kind {
                Kind::Nil => slot.set_array(count),
                _ => slot.set_typed_array(&SlotType::of(kind)).grow(count),
            };
            for element in elements {
                rest = part(rest, element, nested, texts)?;
                is_of(element, kind)?;
            }
        }
        Event::Dictionary { key, value, count } => {
            let (kind, value_kind, nested) = (kind_of(key)?, kind_of(value)?, within(nested, count)?);
            let (mut dictionary, mut own_key) = (slot.set_dictionary(), Slot::new());
            if (kind, value_kind) != (Kind::Nil, Kind::Nil) {
                dictionary.set_types(&SlotType::of(kind), &SlotType::of(value_kind));
            }
            for _ in 0..count {
                let key = match text_of(rest) {
                    Some((kind, text, after)) => {
                        rest = after;
                        texts.get(&mut own_key, kind, text)
                    }
                    None => {
                        rest = part(rest, &mut own_key, nested, texts)?;
                        &own_key
                    }
                };
                is_of(key, kind)?;
                // Values are not checked, as by the engine.
                rest = part(rest, dictionary.entry(key), nested, texts)?;
            }
        }
        _ => return None,
    }
    Some(rest)
}

/// Returns a String or StringName, and the bytes after it.
#[inline(always)]
fn text_of(bytes: &[u8]) -> Option<(Kind, &str, &[u8])> {
    let (&[id, ..], mut rest) = bytes.split_first_chunk::<4>()?;
    let kind = [Kind::String, Kind::StringName].into_iter().find(|kind| kind.id() == id)?;
    let text = Reader::flat_text(&mut rest)?;
    Some((kind, text, rest))
}

/// Returns the type of elements, `Nil` if they may be of any. Objects have a class, too.
#[inline(always)]
fn kind_of(element: ElementType<'_>) -> Option<Kind> {
    match element {
        ElementType::Any => Some(Kind::Nil),
        ElementType::Builtin(kind) if kind != Kind::Object => Some(kind),
        _ => None,
    }
}

/// Returns how many containers may be in one another in a container of `count` parts.
#[inline(always)]
fn within(nested: usize, count: usize) -> Option<usize> {
    if count == 0 { Some(0) } else { nested.checked_sub(1) }
}

/// Returns `None` if a value must be converted to fit a container of this kind.
#[inline(always)]
fn is_of(value: &Slot, kind: Kind) -> Option<()> {
    (kind == Kind::Nil || value.value().view().kind() == kind).then_some(())
}
