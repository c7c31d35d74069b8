//! Events of whole values, and what they borrow.

use std::mem::MaybeUninit;

use varbatch_codec::{Dialect, ElementType, Error, Event, Plain, Reader, Text, Writer};

/// All events of the value at the start of `bytes`, and the bytes that it takes.
pub fn read(bytes: &[u8], allow_objects: bool) -> Result<(Vec<Event<'_>>, usize), Error> {
    let mut reader = Reader::new(bytes).allow_objects(allow_objects);
    let mut events = Vec::new();
    while let Some(event) = reader.next_event()? {
        events.push(event);
    }
    Ok((events, reader.position()))
}

/// The bytes that the value at the start of `bytes` takes, with nothing read of it but its size.
pub fn validated(bytes: &[u8], allow_objects: bool) -> Result<usize, Error> {
    varbatch_codec::validate(Reader::new(bytes).allow_objects(allow_objects))
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

/// Whether two runs of events are the same. Floats are compared bit by bit: a NaN is itself, 0.0 is not -0.0.
pub fn same(left: &[Event<'_>], right: &[Event<'_>]) -> bool {
    let pair = |pair: (&Event<'_>, &Event<'_>)| match pair {
        (Event::Float(left), Event::Float(right)) => left.to_bits() == right.to_bits(),
        (left, right) => left == right,
    };
    left.len() == right.len() && left.iter().zip(right).all(pair)
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
pub fn texts_of<'a>(event: &Event<'a>) -> Vec<&'a str> {
    let mut texts = Vec::new();
    map_texts(event, |text| {
        match text {
            Text::Utf8(utf8) => texts.push(utf8),
            Text::Utf32(_) => panic!("the Reader gave UTF-32"),
        }
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
