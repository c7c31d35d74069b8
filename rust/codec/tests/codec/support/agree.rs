//! The Reader beside the model.

use varbatch_codec::{
    CodecError, CodecErrorKind, Dialect, ElementType, Engine, Event, Flat, Kind, Reader, Text, Width, validate,
};

use super::arrays;
use super::memory;
use super::model::{self, Verdict};
use super::steps::{self, assert_same, chars, plain_of, read_of, texts_of, write_of, write_single};

/// Reads `bytes` and fails unless all is as the model says.
#[track_caller]
pub fn assert_agrees(bytes: &[u8], allow_objects: bool) -> Verdict {
    assert_agrees_of(Engine::Godot4, bytes, allow_objects)
}

/// As [`assert_agrees`], by the rules of an engine.
#[track_caller]
pub fn assert_agrees_of(engine: Engine, bytes: &[u8], allow_objects: bool) -> Verdict {
    let verdict = model::verdict_of(engine, bytes, allow_objects);
    let reader = || Reader::new(bytes).with_dialect(Dialect::of(engine)).with_objects(allow_objects);
    let (mut events, mut parts) = (Vec::new(), 0);
    let mut reading = reader();
    let number = bytes.first().filter(|_| bytes.len() >= 4);
    let peeked = reading.peek_kind();
    assert_eq!(peeked.as_ref().ok().copied(), number.and_then(|&number| engine.kind(number)), "{bytes:02x?}");
    let end = loop {
        match reading.next_event() {
            Ok(Some(event)) => {
                let (texts, values, names) = steps::parts(&event);
                parts += texts + values * (1 + names);
                assert!(4 * parts <= bytes.len(), "{parts} parts announced in {bytes:02x?}");
                events.push(event);
            }
            Ok(None) => break Ok(reading.position()),
            Err(error) => break Err(error),
        }
    };
    if engine == Engine::Godot4 {
        assert_flat(bytes, &events, end.as_ref().ok().copied());
    }
    match (verdict, &end) {
        (Verdict::Accepted(expected), Ok(consumed)) => {
            assert_eq!(*consumed, expected, "consumed of {bytes:02x?}");
            assert!(expected <= bytes.len() + 3, "past the padding of {bytes:02x?}");
            for plain in events.iter().filter_map(plain_of) {
                let element_len = plain.kind.shape().element_len(plain.width).expect("plain data");
                assert_eq!(plain.bytes.len(), plain.count * element_len, "payload in {bytes:02x?}");
            }
            assert_comes_back(engine, &events);
        }
        (Verdict::Refused, Err(error)) => {
            assert!(peeked.is_ok() || peeked.as_ref().err() == Some(error), "{peeked:?}: {bytes:02x?}");
            // Never at a padding that is missing, which is counted nevertheless.
            assert!(error.at() <= bytes.len(), "{error}: {bytes:02x?}");
            let position = reading.position();
            assert_eq!(reading.next_event().as_ref(), Err(error), "not the same error again: {bytes:02x?}");
            assert_eq!(reading.position(), position, "read on: {bytes:02x?}");
            let moved = validate(reader().with_base(1000)).expect_err("the same bytes");
            let expected = (1000 + error.at(), error.kind(), error.path());
            assert_eq!((moved.at(), moved.kind(), moved.path()), expected, "{bytes:02x?}");
        }
        (verdict, end) => panic!("{verdict:?} by the model, found {end:?}: {engine:?} {bytes:02x?}"),
    }
    let trusting = validate(reader().with_trusted_counts());
    assert_eq!(trusting.as_ref().ok(), end.as_ref().ok(), "counts are trusted, of {bytes:02x?}");
    let is_count = |error: &CodecError| matches!(error.kind(), CodecErrorKind::ShortCount { .. });
    assert!(!trusting.as_ref().is_err_and(is_count), "{trusting:?} of {bytes:02x?}");
    if !end.as_ref().is_err_and(is_count) {
        assert_eq!(trusting, end, "counts are trusted, of {bytes:02x?}");
    }
    assert_eq!(validate(reader()), end, "validate, of {bytes:02x?}");
    verdict
}

/// What is read without a Reader's state is what a Reader reads, and every value that can be is read so. What is written
/// without a Writer's state is what a Writer writes.
#[track_caller]
fn assert_flat(bytes: &[u8], events: &[Event<'_>], end: Option<usize>) {
    let (mut found, mut deepest) = (Vec::new(), 0);
    let rest = flat_events(bytes, 0, &mut deepest, &mut found);
    if deepest == MAX_NESTED {
        return;
    }
    let is_flat = |event: &Event<'_>| match event {
        Event::Array { element, .. } => has_no_class(element),
        Event::Dictionary { key, value, .. } => has_no_class(key) && has_no_class(value),
        // Also of a form that is not.
        Event::Object { .. } | Event::NodePath { .. } => false,
        // Also that of an object without a class, which is not.
        Event::ObjectId(id) => *id != 0,
        _ => true,
    };
    assert!(rest.is_some() || end.is_none() || !events.iter().all(is_flat), "not flat: {bytes:02x?}");
    if let Some(rest) = rest {
        // As text, in which a NaN is the same as itself.
        assert_eq!(format!("{found:?}"), format!("{events:?}"), "flat, of {bytes:02x?}");
        assert_eq!(Some(bytes.len() - rest.len()), end.map(|end| end.min(bytes.len())), "flat, of {bytes:02x?}");
    }
    for (event, flat) in found.iter().filter_map(|event| Some((event, Flat::of(*event)?))) {
        if plain_of(event).is_some_and(|plain| !plain.has_width(Width::Single)) {
            continue;
        }
        let written = memory::filled(flat.size(), |dest| flat.fill(dest));
        assert_eq!(written, write_single(&[*event]), "{event:?}");
    }
}

/// Containers inside one another in which flat values are looked for.
const MAX_NESTED: usize = 8;

fn flat_events<'a>(
    bytes: &'a [u8],
    nested: usize,
    deepest: &mut usize,
    found: &mut Vec<Event<'a>>,
) -> Option<&'a [u8]> {
    *deepest = nested.max(*deepest);
    if nested == MAX_NESTED {
        return None;
    }
    let (event, mut rest) = Reader::flat(bytes)?;
    found.push(event);
    let (texts, values, _) = steps::parts(&event);
    for _ in 0..texts {
        found.push(Event::Text(Text::Utf8(Reader::flat_text(&mut rest)?)));
    }
    for _ in 0..values {
        rest = flat_events(rest, nested + 1, deepest, found)?;
    }
    Some(rest)
}

fn has_no_class(element: &ElementType<'_>) -> bool {
    matches!(element, ElementType::Any | ElementType::Builtin(_))
}

/// What was read can be written, and is then read whole and as the same but for a second byte-order mark.
#[track_caller]
fn assert_comes_back(engine: Engine, events: &[Event<'_>]) {
    // Before Pandemonium 5 only arrays of vectors say what is in them, and such are not written.
    let is_typed = |event: &Event<'_>| matches!(event, Event::Array { element, .. } if *element != ElementType::Any);
    let is_older = engine != Engine::Godot4 && engine != Engine::Pandemonium;
    let refused = match engine {
        _ if is_older && events.iter().any(is_typed) => Some("typed Array"),
        Engine::Pandemonium if !arrays::mixed(events, &|_| true).is_empty() => {
            Some("Array of typed and untyped Arrays")
        }
        _ => None,
    };
    if let Some(what) = refused {
        let error = write_of(engine, events).expect_err(what);
        return assert_eq!(*error.kind(), CodecErrorKind::NoSuchType { engine, what });
    }
    // Others than Godot 4 have only narrow components.
    let is_godot_4 = engine == Engine::Godot4;
    let written =
        if is_godot_4 { write_single(events) } else { write_of(engine, events).expect("writes what it has read") };
    if is_marked(events) {
        return;
    }
    let (again, consumed) = read_of(engine, &written).expect("reads what it has written");
    assert_eq!(consumed, written.len());
    assert_eq!(write_of(engine, &again).as_ref(), Ok(&written));
    if events.iter().filter_map(plain_of).any(|plain| plain.width == Width::Double) {
        return;
    }
    let expected = nil_for_null(events).into_iter();
    let expected: Vec<_> = if is_godot_4 { expected.collect() } else { expected.map(object_for_any).collect() };
    assert_same(&again, &expected);
}

/// Whether a text would lose a byte-order mark.
fn is_marked(events: &[Event<'_>]) -> bool {
    events.iter().flat_map(texts_of).any(|text| chars(text).first() == Some(&0xfeff))
}

/// An Array of any objects names their class.
fn object_for_any(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Array { element: ElementType::Builtin(Kind::Object) | ElementType::Class(Text::Utf8("")), count } => {
            Event::Array { element: ElementType::Class(Text::Utf8("Object")), count }
        }
        event => event,
    }
}

/// A null object is null.
fn nil_for_null<'a>(events: &[Event<'a>]) -> Vec<Event<'a>> {
    let nil = |event: &Event<'a>| if matches!(event, Event::ObjectId(0)) { Event::Nil } else { *event };
    events.iter().map(nil).collect()
}
