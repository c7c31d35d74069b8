//! Whole values through the Reader and the Writer.

use varbatch_codec::{
    CodecError, Copied, Dialect, ElementType, Engine, Event, Plain, Reader, Text, Width, Writer, fill, validate,
};

use super::memory::filled;
use super::naive;
use super::value::Value;

/// All events of the value at the start of `bytes`, and the bytes that it took. Objects are allowed.
pub fn read(bytes: &[u8]) -> Result<(Vec<Event<'_>>, usize), CodecError> {
    read_of(Engine::Godot4, bytes)
}

/// As [`read`], by the rules of an engine.
pub fn read_of(engine: Engine, bytes: &[u8]) -> Result<(Vec<Event<'_>>, usize), CodecError> {
    let mut reader = Reader::new(bytes).with_dialect(Dialect::of(engine)).with_objects(true);
    let events = rest(&mut reader)?;
    Ok((events, reader.position()))
}

/// All events that `reader` has left.
pub fn rest<'a>(reader: &mut Reader<'a>) -> Result<Vec<Event<'a>>, CodecError> {
    let mut events = Vec::new();
    while let Some(event) = reader.next_event()? {
        events.push(event);
    }
    assert_eq!(reader.next_event()?, None, "an event came after the last");
    Ok(events)
}

/// One value from its events, in the dialect of its components.
pub fn write(events: &[Event<'_>]) -> Result<Vec<u8>, CodecError> {
    write_in(dialect(events), events)
}

/// As [`write`], by the rules of an engine, with narrow components.
pub fn write_of(engine: Engine, events: &[Event<'_>]) -> Result<Vec<u8>, CodecError> {
    write_in(Dialect::of(engine), events)
}

/// Both ways, beside the plain code and the rules, by reference and by copies.
#[track_caller]
pub fn assert_both_ways(dialect: Dialect, value: &Value) {
    let (engine, events) = (dialect.engine, value.events());
    let bytes = naive::value_of(engine, value);
    let (found, consumed) = read_of(engine, &bytes).expect("reads what is written to the rules");
    assert_eq!(consumed, bytes.len());
    assert_same(&found, &events);
    let reader = Reader::new(&bytes).with_dialect(dialect).with_objects(true);
    assert_eq!(validate(reader), Ok(bytes.len()));
    // From what was read it is written once more, with text as UTF-8 then.
    for events in [events, found] {
        assert_eq!(write_in(dialect, &events).as_ref(), Ok(&bytes), "{value:?} of {}", engine.name());
        let mut writer = Writer::new(dialect);
        events.iter().try_for_each(|&event| writer.write_as(event, Copied)).expect("writes");
        assert_eq!(writer.into_plan().to_vec(), bytes, "copied at once");
    }
}

pub fn write_in(dialect: Dialect, events: &[Event<'_>]) -> Result<Vec<u8>, CodecError> {
    let mut writer = Writer::new(dialect);
    let start = writer.mark();
    for &event in events {
        writer.write(event)?;
    }
    writer.end_value(start)?;
    let plan = writer.into_plan();
    let bytes = plan.to_vec();
    assert_eq!(bytes.len(), plan.len(), "planned and filled length differ");
    Ok(bytes)
}

/// The value as a single-precision build of the engine holds and writes it.
pub fn write_single(events: &[Event<'_>]) -> Vec<u8> {
    let mut writer = Writer::new(Dialect::GODOT_4);
    let start = writer.mark();
    for &event in events {
        let wide = plain_of(&event).filter(|plain| plain.width == Width::Double);
        let narrowed = wide.map(|plain| {
            let len = plain.count * plain.kind.shape().element_len(Width::Single).expect("plain data");
            filled(len, |dest| fill::plain(plain, Width::Single, dest))
        });
        let single = |plain| Plain { width: Width::Single, bytes: narrowed.as_deref().expect("narrowed"), ..plain };
        let event = match (event, &narrowed) {
            (Event::Components(plain), Some(_)) => Event::Components(single(plain)),
            (Event::Packed(plain), Some(_)) => Event::Packed(single(plain)),
            (event, _) => event,
        };
        writer.write_as(event, Copied).expect("writes what it has read");
    }
    writer.end_value(start).expect("writes what it has read");
    writer.into_plan().to_vec()
}

/// The dialect that writes components as wide as these.
pub fn dialect(events: &[Event<'_>]) -> Dialect {
    let double = events.iter().filter_map(plain_of).any(|plain| plain.width == Width::Double);
    if double { Dialect::GODOT_4_DOUBLE } else { Dialect::GODOT_4 }
}

/// The plain data of an event that has some.
pub fn plain_of<'a>(event: &Event<'a>) -> Option<Plain<'a>> {
    match event {
        Event::Components(plain) | Event::Packed(plain) => Some(*plain),
        _ => None,
    }
}

/// The texts in an event: of its own, its name, its class, those of its types.
pub fn texts_of<'a>(event: &Event<'a>) -> Vec<Text<'a>> {
    let of_type = |element| match element {
        ElementType::Class(text) | ElementType::Script(text) => Some(text),
        _ => None,
    };
    match *event {
        Event::String(text) | Event::StringName(text) | Event::Text(text) => vec![text],
        Event::Signal { name, .. } => vec![name],
        Event::Object { class, .. } => vec![class],
        Event::Array { element, .. } => of_type(element).into_iter().collect(),
        Event::Dictionary { key, value, .. } => of_type(key).into_iter().chain(of_type(value)).collect(),
        _ => vec![],
    }
}

/// What an event announces: texts, then values, each behind as many names.
pub fn parts(event: &Event<'_>) -> (usize, usize, usize) {
    match *event {
        Event::Array { count, .. } => (0, count, 0),
        Event::Dictionary { count, .. } => (0, 2 * count, 0),
        Event::Object { count, .. } => (0, count, 1),
        Event::PackedStrings { count } => (count, 0, 0),
        Event::NodePath { names, subnames, .. } => (names + subnames, 0, 0),
        _ => (0, 0, 0),
    }
}

/// Fails unless two runs of events are the same. Floats are compared bit by bit: a NaN is itself, 0.0 is not -0.0.
/// Texts are compared by their characters.
#[track_caller]
pub fn assert_same(found: &[Event<'_>], expected: &[Event<'_>]) {
    let all = found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| is_same(a, b));
    assert!(all, "found {found:?}\nexpected {expected:?}");
}

fn is_same(a: &Event<'_>, b: &Event<'_>) -> bool {
    match (a, b) {
        (Event::Float(a), Event::Float(b)) => a.to_bits() == b.to_bits(),
        _ => a == b || (!texts_of(a).is_empty() && shown(a) == shown(b)),
    }
}

/// An event with its texts as characters.
fn shown(event: &Event<'_>) -> String {
    let texts = texts_of(event).into_iter();
    texts.fold(format!("{event:?}"), |shown, text| {
        shown.replacen(&format!("{text:?}"), &format!("{:?}", chars(text)), 1)
    })
}

/// The characters of a text, however it is held.
pub fn chars(text: Text<'_>) -> Vec<u32> {
    match text {
        Text::Utf8(text) => text.chars().map(u32::from).collect(),
        Text::Loose(text) => text.chars().map(u32::from).collect(),
        Text::Utf32(chars) => chars.to_vec(),
    }
}
