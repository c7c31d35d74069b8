//! Guards: the bytes are those of a real engine, Godot 4 or Godot 3, both ways, for every type.

use varbatch_codec::{CodecErrorKind, Dialect, ElementType, Engine, Event, Kind, Reader, Text};

use crate::support::model::{self, Verdict};
use crate::support::numbers;
use crate::support::steps::{chars, read, read_of, rest, texts_of, write, write_of, write_single};
use crate::support::value::Value;
use crate::support::vectors::{self, Decoded};

/// What the engine drops on read: one leading byte-order mark (FORMAT.md, section 4).
fn loses_its_mark(name: &str) -> bool {
    name.contains("_bom_") && !name.ends_with("_inside")
}

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
        if loses_its_mark(name) || unreadable().iter().any(|(other, _)| *other == name) {
            continue;
        }
        let mut reader = Reader::new(&vector.bytes).with_objects(vector.allow_objects);
        let events = rest(&mut reader).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(reader.position(), vector.bytes.len(), "{name}: consumed");
        let again = write(&events).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again, vector.bytes, "{name}: written back");
        compared += 1;
    }
    assert_eq!(compared, vectors::written().count() - 6 - unreadable().len());
}

#[test]
fn one_leading_byte_order_mark_is_lost() {
    for vector in vectors::written().filter(|vector| loses_its_mark(vector.name)) {
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

/// Those that the engine writes, one level less deep, are written above.
#[test]
fn what_the_engine_finds_too_deep_is_refused() {
    let arrays = |depth, inner| (0..depth).fold(inner, |inner, _| Value::array(vec![inner]));
    let entries = |depth, inner| (0..depth).fold(inner, |inner, _| Value::dictionary(vec![(Value::Int(0), inner)]));
    let failed = vectors::encoded().into_iter().filter(|vector| vector.bytes.is_none());
    let mut names = Vec::new();
    for name in failed.map(|vector| vector.name) {
        let value = match name {
            "array_1026_deep" => arrays(1025, Value::array(vec![])),
            "int_1025_deep" => arrays(1025, Value::Int(7)),
            "dictionary_1026_deep" => entries(1025, Value::dictionary(vec![])),
            _ => panic!("{name}"),
        };
        assert_eq!(*write(&value.events()).expect_err(name).kind(), CodecErrorKind::TooDeep, "{name}");
        names.push(name);
    }
    assert_eq!(names.len(), 3, "{names:?}");
}

/// Reads what an engine was given, as the engine does; gives how many values are written again as the engine does. `again`
/// gives what we write, unless the engine cannot write the same: it makes objects of properties, and writes all that they
/// have. What is refused for its class, only the engine can know.
fn assert_read_alike(
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
fn no_type_of_an_engine_is_without_vectors() {
    let all: Vec<_> = vectors::all().collect();
    for engine in Engine::ALL {
        let ids = 0..numbers::types(engine).len() as u8;
        let has = |id: &u8| all.iter().any(|vector| vector.engine == engine && vector.bytes.first() == Some(id));
        // What is in older versions as in 5 is not there again.
        let is_older = [Engine::Pandemonium38, Engine::Pandemonium35].contains(&engine);
        let enough = if is_older { 9 } else { ids.len() };
        assert!(ids.filter(has).count() >= enough, "{}", engine.name());
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

/// Whether the answer is that of 3.2 alone, which has no limit of depth and writes surrogates as they are.
fn is_old(name: &str) -> bool {
    name.contains(" (3.2)")
}

fn is_loose(events: &[Event<'_>]) -> bool {
    events.iter().flat_map(texts_of).any(|text| matches!(text, Text::Loose(_)))
}

/// The engine has equal keys once.
fn merges_keys(name: &str) -> bool {
    name.starts_with("dictionary_") && (name.contains("_twice") || name.contains("_zeros"))
}

/// Refused for their class, which only the engine can know.
fn has_no_such_class(name: &str) -> bool {
    ["object_unknown_class", "object_virtual_class", "object_class_of_godot_4"].iter().any(|of| name.starts_with(of))
}

#[test]
fn what_godot_3_writes_comes_back_byte_for_byte() {
    let (mut same, mut repaired, mut marked) = (0, 0, 0);
    for vector in vectors::godot_3_encoded() {
        let name = vector.name;
        let Some(bytes) = vector.bytes.filter(|_| !is_old(name) || !name.contains("_deep")) else { continue };
        let (events, consumed) = read_of(Engine::Godot3, &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(consumed, bytes.len(), "{name}: consumed");
        let again = write_of(Engine::Godot3, &events).unwrap_or_else(|error| panic!("{name}: {error}"));
        if is_loose(&events) {
            let (written, _) = read_of(Engine::Godot3, &again).expect(name);
            let texts = |events: &[Event<'_>]| events.iter().flat_map(texts_of).map(chars).collect::<Vec<_>>();
            assert_eq!(texts(&written), texts(&events), "{name}: repaired");
            assert!(!is_loose(&written), "{name}: not repaired");
            repaired += 1;
        } else if name.starts_with("node_path_root") {
            // Written as absolute, and read as empty.
            assert_eq!((again.len(), &again[12..16]), (bytes.len(), &[0; 4][..]), "{name}");
        } else if name.contains("_bom_") && again != bytes {
            // The engine drops it on read, once.
            let mark = bytes.windows(3).position(|bytes| bytes == b"\xef\xbb\xbf").expect("a byte-order mark");
            assert!(mark.is_multiple_of(4), "{name}: not at the start of a text");
            marked += 1;
        } else {
            assert_eq!(again, bytes, "{name}: written back");
            same += 1;
        }
    }
    assert!(same > 200 && repaired >= 5 && marked >= 1, "{same} the same, {repaired} repaired, {marked} marked");
}

#[test]
fn verdict_consumed_bytes_and_value_are_those_of_godot_3() {
    let all = vectors::godot_3_decoded().into_iter().filter(|vector| !is_old(vector.name));
    // The engine writes keys once, and what is no character in its own way.
    let compared = assert_read_alike(Engine::Godot3, all, has_no_such_class, |vector, events| {
        let is_same = !is_loose(events) && !merges_keys(vector.name);
        is_same.then(|| write_of(Engine::Godot3, events).expect(vector.name))
    });
    assert!(compared > 100, "{compared} compared");
}
