//! Events of whole values, and what they borrow.

use std::mem::MaybeUninit;

use varbatch_codec::{CodecError, Dialect, ElementType, Engine, Event, Kind, Plain, Reader, Text, Writer};

use super::numbers;

/// A reader by the rules of an engine.
pub fn reader(bytes: &[u8], engine: Engine, allow_objects: bool) -> Reader<'_> {
    Reader::new(bytes).with_dialect(Dialect::of(engine)).with_objects(allow_objects)
}

/// All events of the value at the start of `bytes`, and the bytes that it takes.
pub fn read(bytes: &[u8], engine: Engine, allow_objects: bool) -> Result<(Vec<Event<'_>>, usize), CodecError> {
    let mut reader = reader(bytes, engine, allow_objects);
    let mut events = Vec::new();
    while let Some(event) = reader.next_event()? {
        events.push(event);
    }
    Ok((events, reader.position()))
}

/// The bytes that the value at the start of `bytes` takes, with nothing read of it but its size.
pub fn validated(bytes: &[u8], engine: Engine, allow_objects: bool) -> Result<usize, CodecError> {
    varbatch_codec::validate(reader(bytes, engine, allow_objects))
}

/// Whether an event that begins at `at` is an array whose elements have no headers.
pub fn is_bare(bytes: &[u8], engine: Engine, at: usize, event: &Event<'_>) -> bool {
    matches!(event, Event::Array { .. }) && numbers::bare(engine, bytes[at]).is_some()
}

/// Whether an engine has arrays that say what is in them, so that it can write this.
pub fn is_written(engine: Engine, event: &Event<'_>) -> bool {
    let any = |element| element == ElementType::Any;
    match *event {
        _ if matches!(engine, Engine::Godot4 | Engine::Pandemonium) => true,
        Event::Array { element, .. } => any(element),
        _ => true,
    }
}

/// Whether an Array of this may have any objects in it. Pandemonium names their class.
pub fn is_any_object(element: ElementType<'_>) -> bool {
    match element {
        ElementType::Builtin(kind) => kind == Kind::Object,
        ElementType::Class(class) => class.is_empty(),
        _ => false,
    }
}

/// One value from its events.
pub fn write(events: &[Event<'_>], dialect: Dialect) -> Vec<u8> {
    let mut writer = Writer::new(dialect);
    let start = writer.mark();
    write_all(&mut writer, events);
    writer.end_value(start).expect("ends what it has written");
    let plan = writer.into_plan();
    let bytes = plan.to_vec();
    assert_eq!(bytes.len(), plan.len(), "planned and filled length differ");
    bytes
}

pub fn write_all<'a>(writer: &mut Writer<'a>, events: &[Event<'a>]) {
    events.iter().for_each(|&event| writer.write(event).expect("writes what the Reader gave"));
}

/// Whether two runs of events are the same. Floats are compared bit by bit: a NaN is itself, 0.0 is not -0.0. Texts are
/// compared by their characters.
pub fn same(left: &[Event<'_>], right: &[Event<'_>]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same_event(left, right))
}

pub fn same_event(left: &Event<'_>, right: &Event<'_>) -> bool {
    match (left, right) {
        (Event::Float(left), Event::Float(right)) => left.to_bits() == right.to_bits(),
        (left, right) => {
            let (texts, other) = (texts_of(left), texts_of(right));
            let none = |_| Text::Utf8("");
            texts.len() == other.len()
                && texts.iter().zip(other).all(|(text, other)| text.to_utf8() == other.to_utf8())
                && (texts.is_empty() && left == right || map_texts(left, none) == map_texts(right, none))
        }
    }
}

/// Whether a text would lose a byte-order mark when it is read: it changes each time.
pub fn is_marked(events: &[Event<'_>]) -> bool {
    events.iter().flat_map(texts_of).any(|text| text.to_utf8().starts_with('\u{feff}'))
}

/// How many headers, texts and names an event announces, itself not counted.
pub fn announced(event: &Event<'_>) -> usize {
    match *event {
        Event::NodePath { names, subnames, .. } => names + subnames,
        Event::Object { count, .. } | Event::Dictionary { count, .. } => 2 * count,
        Event::Array { count, .. } | Event::PackedStrings { count } => count,
        _ => 0,
    }
}

/// The plain data of an event that has some.
pub fn plain_of<'a>(event: &Event<'a>) -> Option<Plain<'a>> {
    match *event {
        Event::Components(plain) | Event::Packed(plain) => Some(plain),
        _ => None,
    }
}

/// The event with what `change` makes of its texts, in the order of the wire.
pub fn map_texts<'a>(event: &Event<'a>, mut change: impl FnMut(Text<'a>) -> Text<'a>) -> Event<'a> {
    let element = |element: ElementType<'a>, change: &mut dyn FnMut(Text<'a>) -> Text<'a>| match element {
        ElementType::Class(text) => ElementType::Class(change(text)),
        ElementType::Script(text) => ElementType::Script(change(text)),
        other => other,
    };
    match *event {
        Event::String(text) => Event::String(change(text)),
        Event::StringName(text) => Event::StringName(change(text)),
        Event::Text(text) => Event::Text(change(text)),
        Event::Signal { name, object } => Event::Signal { name: change(name), object },
        Event::Object { class, count } => Event::Object { class: change(class), count },
        Event::Array { element: of, count } => Event::Array { element: element(of, &mut change), count },
        Event::Dictionary { key, value, count } => {
            let key = element(key, &mut change);
            Event::Dictionary { key, value: element(value, &mut change), count }
        }
        other => other,
    }
}

/// All texts of an event.
pub fn texts_of<'a>(event: &Event<'a>) -> Vec<Text<'a>> {
    let mut texts = Vec::new();
    map_texts(event, |text| {
        texts.push(text);
        text
    });
    texts
}

/// The `len` elements that `write` writes.
pub fn filled<T: Copy>(len: usize, old: T, write: impl FnOnce(&mut [MaybeUninit<T>])) -> Vec<T> {
    let mut memory = vec![MaybeUninit::new(old); len];
    write(&mut memory);
    // SAFETY: every element has had a value from the start.
    memory.into_iter().map(|element| unsafe { element.assume_init() }).collect()
}
