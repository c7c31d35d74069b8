//! Guards: the bytes are those of a real engine, both ways, for every type.

use varbatch_codec::{CodecErrorKind, Dialect, ElementType, Engine, Event, Kind, Reader, Text};

use crate::support::model::{self, Verdict};
use crate::support::steps::{chars, read, rest, texts_of, write, write_single};
use crate::support::value::Value;
use crate::support::vectors::{self, Decoded};

/// What the engine drops on read: one leading byte-order mark (FORMAT.md, section 4).
const LOSES_ITS_MARK: [&str; 6] = [
    "string_array_bom_first",
    "string_array_bom_only",
    "string_array_bom_twice",
    "string_bom_first",
    "string_bom_only",
    "string_name_bom_first",
];

/// What the engine writes and then refuses to read: lone surrogates (FORMAT.md, section 4).
fn unreadable() -> [(&'static str, Value); 5] {
    [
        ("string_array_lone_high_surrogate", Value::Texts(vec![vec![0xd83d]])),
        ("string_array_lone_low_surrogate", Value::Texts(vec![vec![0xde00]])),
        ("string_array_surrogate_inside", Value::Texts(vec![vec![0x6f, 0x6b], vec![0x61, 0xdc00, 0x62]])),
        ("string_lone_surrogate", Value::String(vec![0x61, 0xdc00, 0x62])),
        ("string_name_lone_surrogate", Value::StringName(vec![0xde00])),
    ]
}

#[test]
fn what_the_engine_writes_comes_back_byte_for_byte() {
    let mut compared = 0;
    for vector in vectors::written() {
        let name = vector.name;
        if LOSES_ITS_MARK.contains(&name) || unreadable().iter().any(|(other, _)| *other == name) {
            continue;
        }
        let mut reader = Reader::new(&vector.bytes).with_objects(vector.allow_objects);
        let events = rest(&mut reader).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(reader.position(), vector.bytes.len(), "{name}: consumed");
        let again = write(&events).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again, vector.bytes, "{name}: written back");
        compared += 1;
    }
    assert_eq!(compared, vectors::written().count() - LOSES_ITS_MARK.len() - unreadable().len());
}

#[test]
fn one_leading_byte_order_mark_is_lost() {
    for vector in vectors::written().filter(|vector| LOSES_ITS_MARK.contains(&vector.name)) {
        let (mut events, consumed) = read(&vector.bytes).expect(vector.name);
        assert_eq!(consumed, vector.bytes.len(), "{}", vector.name);
        assert_ne!(write(&events).expect(vector.name), vector.bytes, "{}", vector.name);
        // With the mark put back, it is what the engine had.
        let index = events.len().min(2) - 1;
        let marked = [vec![0xfeff], chars(texts_of(&events[index])[0])].concat();
        let text = Text::Utf32(&marked);
        events[index] = match events[index] {
            Event::String(_) => Event::String(text),
            Event::StringName(_) => Event::StringName(text),
            _ => Event::Text(text),
        };
        assert_eq!(write(&events).expect(vector.name), vector.bytes, "{}", vector.name);
    }
}

#[test]
fn lone_surrogates_are_written_as_the_engine_does_and_refused_as_the_engine_does() {
    for (name, value) in unreadable() {
        let vector = vectors::written().find(|vector| vector.name == name).expect(name);
        assert_eq!(write(&value.events()).expect(name), vector.bytes, "{name}");
        let error = read(&vector.bytes).expect_err(name);
        assert!(matches!(error.kind(), CodecErrorKind::Malformed { found: 0xed, .. }), "{name}: {error}");
    }
}

/// Arrays in one another, `depth` of them around `inner`.
fn nested(inner: Value, depth: usize) -> Value {
    (0..depth).fold(inner, |inner, _| Value::array(vec![inner]))
}

fn nested_dictionaries(depth: usize) -> Value {
    (0..depth).fold(Value::dictionary(vec![]), |inner, _| Value::dictionary(vec![(Value::Int(0), inner)]))
}

#[test]
fn what_lies_too_deep_is_refused_where_the_engine_refuses_it() {
    let mut tried = 0;
    for vector in vectors::encoded().into_iter().filter(|vector| vector.name.ends_with("_deep")) {
        let (value, fails_at) = match vector.name {
            "array_1025_deep" => (nested(Value::array(vec![]), 1024), 0),
            "array_1026_deep" => (nested(Value::array(vec![]), 1025), 1025 * 8),
            "int_1024_deep" => (nested(Value::Int(7), 1024), 0),
            "int_1025_deep" => (nested(Value::Int(7), 1025), 1025 * 8),
            "dictionary_1025_deep" => (nested_dictionaries(1024), 0),
            // The key of the entry that lies too deep comes first.
            "dictionary_1026_deep" => (nested_dictionaries(1025), 1024 * 16 + 8),
            _ => continue,
        };
        tried += 1;
        match (write(&value.events()), vector.bytes) {
            (Ok(found), Some(bytes)) => assert_eq!(found, bytes, "{}", vector.name),
            (Err(error), None) => {
                assert_eq!((error.kind().clone(), error.at()), (CodecErrorKind::TooDeep, fails_at), "{}", vector.name);
            }
            (found, bytes) => panic!("{}: {found:?}, by the engine {bytes:?}", vector.name),
        }
    }
    assert_eq!(tried, 6);
    assert_eq!(vectors::encoded().iter().filter(|vector| vector.bytes.is_none()).count(), 3, "each was looked at");
}

/// Reads what an engine was given, as the engine does; gives how many values are written again as the engine does. `again`
/// gives what we write, unless the engine cannot write the same: it makes objects of properties, and writes all that they
/// have. What is refused for its class, only the engine can know.
pub fn assert_read_alike(
    engine: Engine,
    all: impl IntoIterator<Item = Decoded>,
    is_refused_class: fn(&str) -> bool,
    again: fn(&Decoded, &[Event<'_>]) -> Option<Vec<u8>>,
) -> usize {
    let mut compared = 0;
    for vector in all.into_iter().filter(|vector| vector.verdict.is_some() || !is_refused_class(vector.name)) {
        let name = vector.name;
        let expected =
            vector.verdict.as_ref().map_or(Verdict::Refused, |accepted| Verdict::Accepted(accepted.consumed));
        let verdict = model::verdict_of(engine, &vector.bytes, vector.allow_objects);
        assert_eq!(verdict, expected, "{name}: by the model");
        let dialect = Dialect::of(engine);
        let mut reader = Reader::new(&vector.bytes).with_dialect(dialect).with_objects(vector.allow_objects);
        match (&vector.verdict, rest(&mut reader)) {
            (None, Err(error)) => assert!(error.at() <= vector.bytes.len() + 3, "{name}: {error}"),
            (None, Ok(events)) => panic!("{name}: the engine refuses it, read as {events:?}"),
            (Some(_), Err(error)) => panic!("{name}: the engine reads it: {error}"),
            (Some(accepted), Ok(events)) => {
                assert_eq!(reader.position(), accepted.consumed, "{name}: consumed");
                // An id is one where all objects are full.
                let is_object = |event: &Event<'_>| match event {
                    Event::Object { .. } => true,
                    Event::ObjectId(id) => vector.allow_objects && *id != 0,
                    _ => false,
                };
                if !events.iter().any(is_object)
                    && let Some(again) = again(&vector, &events)
                {
                    assert_eq!(again, accepted.again, "{name}: written back");
                    compared += 1;
                }
            }
        }
    }
    compared
}

#[test]
fn verdict_consumed_bytes_and_value_are_those_of_the_engine() {
    let compared = assert_read_alike(
        Engine::Godot4,
        vectors::decoded(),
        |_| false,
        |vector, events| {
            let kept: Vec<_> = events.iter().map(|event| as_kept(event, vector.allow_objects)).collect();
            Some(write_single(&kept))
        },
    );
    assert!(compared > 100, "{compared} compared");
}

/// What the engine keeps of an event: where objects are not allowed, all of them are of one class.
fn as_kept<'a>(event: &Event<'a>, allow_objects: bool) -> Event<'a> {
    let kept = |element| match element {
        ElementType::Builtin(Kind::Object) | ElementType::Class(_) | ElementType::Script(_) if !allow_objects => {
            ElementType::Class(Text::Utf8("EncodedObjectAsID"))
        }
        element => element,
    };
    match *event {
        Event::Array { element, count } => Event::Array { element: kept(element), count },
        Event::Dictionary { key, value, count } => Event::Dictionary { key: kept(key), value: kept(value), count },
        event => event,
    }
}

#[test]
fn no_kind_is_without_vectors() {
    for kind in Kind::ALL {
        let count = vectors::written().filter(|vector| vector.bytes[0] == kind.id()).count();
        let enough = if matches!(kind, Kind::Nil) { 3 } else { 2 };
        assert!(count >= enough, "{}: {count} vectors", kind.name());
    }
}

#[test]
fn no_form_of_an_element_type_is_without_vectors() {
    let form = |element| match element {
        ElementType::Any => 0,
        ElementType::Builtin(_) => 1,
        ElementType::Class(_) => 2,
        ElementType::Script(_) => 3,
    };
    let (mut arrays, mut dictionaries) = ([0; 4], [[0; 4]; 4]);
    let vectors: Vec<_> = vectors::buffers().collect();
    for vector in vectors.iter().filter(|vector| model::verdict(&vector.bytes, true) != Verdict::Refused) {
        let (events, _) = read(&vector.bytes).expect(vector.name);
        match events[0] {
            Event::Array { element, .. } => arrays[form(element)] += 1,
            Event::Dictionary { key, value, .. } => dictionaries[form(key)][form(value)] += 1,
            _ => {}
        }
    }
    assert!(arrays.into_iter().chain(dictionaries.into_iter().flatten()).all(|count| count > 0), "{dictionaries:?}");
}
