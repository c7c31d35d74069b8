//! Builds small values without a [`Build`](super::Build), which takes as long to make as their work.

use varbatch_codec::{ElementType, Event, Kind, Plain, Reader, fill};

use super::{components, utf8};
use crate::engine::{Memory, REAL, Slot, SlotType};
use crate::value::string_cache;

/// Max bytes of a small value.
const SMALL_VALUE: usize = 4 << 10;

/// Containers inside one another that [`build_flat`] builds at most.
pub const MOST_NESTED: usize = 4;

/// Builds a small value that [`Reader::flat`] reads, in which at most `nested` containers that are not empty are inside one
/// another. Returns `false` if the bytes are another value or none; the slot may hold a part of it then.
#[inline(always)]
pub fn build_flat<'a>(
    bytes: &'a [u8],
    slot: &mut Slot,
    nested: usize,
    set_text: impl FnOnce(&mut Slot, Kind, &'a str),
) -> bool {
    bytes.len() < SMALL_VALUE && build(bytes, slot, nested, set_text).is_some()
}

/// Builds a value inside another one, and returns the bytes after it.
#[inline(never)]
fn part<'a>(bytes: &'a [u8], slot: &mut Slot, nested: usize) -> Option<&'a [u8]> {
    build(bytes, slot, nested, string_cache::set_text)
}

#[inline(always)]
fn build<'a>(
    bytes: &'a [u8],
    slot: &mut Slot,
    nested: usize,
    set_text: impl FnOnce(&mut Slot, Kind, &'a str),
) -> Option<&'a [u8]> {
    let (event, rest) = Reader::flat(bytes)?;
    match event {
        Event::Nil => slot.clear(),
        Event::Bool(value) => slot.set_bool(value),
        Event::Int(value) => slot.set_int(value),
        Event::Float(value) => slot.set_float(value),
        Event::Components(plain) => components(slot, plain),
        Event::Packed(plain) => packed(plain, slot.set_packed(plain.kind, plain.count)),
        Event::String(text) => set_text(slot, Kind::String, utf8(text)),
        Event::StringName(text) => set_text(slot, Kind::StringName, utf8(text)),
        Event::Rid(id) => slot.set_rid(id),
        Event::ObjectId(id) => slot.set_object_id(id),
        Event::Callable => slot.set_callable(),
        Event::Signal { name, object } => return slot.set_signal(utf8(name), object).then_some(rest),
        Event::PackedStrings { count } => return strings(slot, count, rest),
        Event::Array { element, count } => return elements(slot, kind_of(element)?, count, rest, nested),
        Event::Dictionary { key, value, count } => {
            return entries(slot, (kind_of(key)?, kind_of(value)?), count, rest, nested);
        }
        _ => return None,
    }
    Some(rest)
}

#[inline(always)]
fn packed(plain: Plain<'_>, dest: Memory<'_>) {
    if plain.has_width(REAL) { fill::copy(plain.bytes, dest) } else { fill::plain(plain, REAL, dest) }
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

#[inline(never)]
fn strings<'a>(slot: &mut Slot, count: usize, mut rest: &'a [u8]) -> Option<&'a [u8]> {
    for string in slot.set_strings(count) {
        string.set(Reader::flat_text(&mut rest)?);
    }
    Some(rest)
}

#[inline(never)]
fn elements<'a>(slot: &mut Slot, kind: Kind, count: usize, mut rest: &'a [u8], nested: usize) -> Option<&'a [u8]> {
    let nested = within(nested, count)?;
    let elements = match kind {
        Kind::Nil => slot.set_array(count),
        _ => slot.set_typed_array(&SlotType::of(kind)).grow(count),
    };
    for element in elements {
        rest = part(rest, element, nested)?;
        is_of(element, kind)?;
    }
    Some(rest)
}

#[inline(never)]
fn entries<'a>(
    slot: &mut Slot,
    (key, value): (Kind, Kind),
    count: usize,
    mut rest: &'a [u8],
    nested: usize,
) -> Option<&'a [u8]> {
    let nested = within(nested, count)?;
    let (mut dictionary, mut own_key) = (slot.set_dictionary(), Slot::new());
    if (key, value) != (Kind::Nil, Kind::Nil) {
        dictionary.set_types(&SlotType::of(key), &SlotType::of(value));
    }
    for _ in 0..count {
        rest = part(rest, &mut own_key, nested)?;
        is_of(&own_key, key)?;
        // Values are not checked, as by the engine.
        rest = part(rest, dictionary.entry(&own_key), nested)?;
    }
    Some(rest)
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
