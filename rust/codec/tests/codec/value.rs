//! `Value` beside events: what is read into one is written again as it was.

use proptest::prelude::*;
use varbatch_codec::limits::MAX_DEPTH;
use varbatch_codec::{
    CodecErrorKind, Dialect, DoubleValue, Kind, OwnedType, OwnedValue, Reader, Real, Value, Width, Writer, frames,
    validate,
};

use super::support::memory::most_held;
use super::support::steps::write;
use super::support::value::{any_value, cases};
use super::support::wire::words;
use super::support::{on_a_stack, vectors};

/// Bytes, by way of a value.
fn again<R: Real>(bytes: &[u8]) -> Vec<u8> {
    let mut reader = Reader::new(bytes).with_objects(true);
    let kind = reader.peek_kind();
    let value = OwnedValue::<R>::read_nested(&mut reader, MAX_DEPTH).expect("a value");
    assert_eq!((Ok(value.kind()), reader.position()), (kind, bytes.len()));
    value.encode().expect("was read")
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn any_value_is_written_as_it_was_read(value in any_value(Width::Single)) {
        let bytes = write(&value.events()).expect("a value");
        prop_assert_eq!(again::<f32>(&bytes), bytes);
    }

    #[test]
    fn any_value_of_a_double_build_is_written_as_it_was_read(value in any_value(Width::Double)) {
        let bytes = write(&value.events()).expect("a value");
        prop_assert_eq!(again::<f64>(&bytes), bytes);
    }
}

#[test]
fn each_truncation_fails_as_it_does_for_a_reader() {
    for vector in vectors::written() {
        // Of a long value some two thousand.
        for len in (0..=vector.bytes.len()).step_by(1 + vector.bytes.len() / 2000) {
            let reader = || Reader::new(&vector.bytes[..len]).with_objects(true);
            assert_eq!(
                Value::read_nested(&mut reader(), MAX_DEPTH).err(),
                validate(reader()).err(),
                "{}, {len} bytes",
                vector.name
            );
        }
    }
}

#[test]
fn objects_are_refused_unless_the_reader_allows_them() {
    let node = Value::Object { class: "Node".into(), properties: vec![("name".into(), "a".into())] };
    let bytes = node.encode().expect("a class and a property");
    assert_eq!(Value::decode(&bytes).expect_err("refused").kind(), &CodecErrorKind::ObjectRefused);
    assert_eq!(Value::read(&mut Reader::new(&bytes).with_objects(true)), Ok(node));
    let nameless = Value::Object { class: String::new(), properties: Vec::new() };
    assert!(matches!(nameless.encode().expect_err("no class").kind(), CodecErrorKind::Order { .. }));
}

#[test]
fn entries_keep_their_order_and_their_duplicates() {
    let entries = [("b", 1), ("a", 2), ("b", 3)].map(|(key, value)| (key, Value::Int(value)));
    let value = Value::dictionary(entries);
    let again = Value::decode(&value.encode().expect("a Dictionary")).expect("the same");
    assert_eq!(again, value);
    assert_eq!((again.get("b"), again.get("c")), (Some(&Value::Int(3)), None));
    assert_eq!(Value::Nil.get("b"), None);
    let entries = Vec::<(Value, Value)>::try_from(again).expect("a Dictionary");
    let keys: Vec<_> = entries.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, [Some("b"), Some("a"), Some("b")]);
}

#[test]
fn a_value_is_looked_into_by_keys_and_indices() {
    let list = Value::from(vec![Value::from(true), 7.into(), 0.5.into(), Value::StringName("a".into())]);
    let entries = [("list", list), ("none", Value::Nil)];
    let value = Value::dictionary(entries.clone());
    assert_eq!(value.as_dictionary().map(<[_]>::len), Some(2));
    assert_eq!(value["list"].as_array().map(<[_]>::len), Some(4));
    let found = |index: usize| {
        let found = &value["list"][index];
        (found.as_bool(), found.as_i64(), found.as_f64(), found.as_str())
    };
    assert_eq!([0, 1].map(found), [(Some(true), None, None, None), (None, Some(7), Some(7.0), None)]);
    assert_eq!([2, 3].map(found), [(None, None, Some(0.5), None), (None, None, None, Some("a"))]);
    assert_eq!((&value["list"][4], &value["other"]["x"], &value[0]), (&Value::Nil, &Value::Nil, &Value::Nil));
    assert_eq!((value.get("none"), value.get("other"), value.as_array()), (Some(&Value::Nil), None, None));
}

#[test]
fn rust_types_convert_and_others_say_so() {
    assert_eq!(Value::from(3_u8), Value::Int(3));
    assert_eq!(Value::from(0.5_f32), Value::Float(0.5));
    assert_eq!(Value::from(Some("a")), Value::String("a".into()));
    assert_eq!((Value::from(None::<bool>), Value::from(())), (Value::Nil, Value::default()));
    assert_eq!(Value::array([1, 2]), Value::from(vec![Value::Int(1), Value::Int(2)]));
    assert_eq!(Value::from(vec![1_u8, 2]), Value::PackedByteArray(vec![1, 2]));
    assert_eq!(i64::try_from(Value::Int(-1)), Ok(-1));
    assert_eq!(String::try_from(Value::from("a")), Ok("a".into()));
    assert_eq!(String::try_from(&Value::from("a")), Ok("a".into()));
    assert_eq!(Vec::<Value>::try_from(Value::array([1])), Ok(vec![Value::Int(1)]));
    let error = bool::try_from(Value::Int(1)).expect_err("an int");
    assert_eq!((error.expected, &*error.found), ("bool", "int"));
    assert_eq!(error.to_string(), "expected bool, found int");
}

#[test]
fn components_of_the_other_width_are_converted() {
    let narrow = Value::Vector3([0.5, -1.0, 1e30]).encode().expect("a Vector3");
    let wide = DoubleValue::Vector3([0.5, -1.0, f64::from(1e30_f32)]);
    assert_eq!(DoubleValue::decode(&narrow), Ok(wide.clone()));
    assert_eq!(Value::decode(&wide.encode().expect("a Vector3")), Ok(Value::Vector3([0.5, -1.0, 1e30])));
    let list = DoubleValue::PackedVector2Array(vec![[1.0, 2.0], [3.0, f64::MAX]]);
    let narrow = Value::PackedVector2Array(vec![[1.0, 2.0], [3.0, f32::INFINITY]]);
    assert_eq!(Value::decode(&list.encode().expect("two vectors")), Ok(narrow));
    assert_eq!(Value::decode(&words(&[35, 0])), Ok(Value::PackedVector2Array(Vec::new())));
}

#[test]
fn frames_are_those_of_put_var() {
    let bytes = [Value::Int(1), Value::from("a")].map(|value| value.encode_frame().expect("short")).concat();
    assert_eq!(bytes, words(&[8, 2, 1, 12, 4, 1, u32::from(b'a')]));
    let values: Vec<_> = frames::read(&bytes).map(|frame| Value::decode(frame.expect("whole").payload)).collect();
    assert_eq!(values, [Ok(Value::Int(1)), Ok(Value::from("a"))]);
}

#[test]
fn the_other_engines_values_are_read_and_written() {
    let mut writer = Writer::new(Dialect::GODOT_3);
    let (start, value) = (writer.mark(), Value::array([Value::from(2.5_f32), Value::Vector2([1.0, 2.0])]));
    value.write(&mut writer).expect("has both types");
    writer.end_value(start).expect("is complete");
    let bytes = writer.into_plan().to_vec();
    assert_eq!(Value::read(&mut Reader::new(&bytes).with_dialect(Dialect::GODOT_3)), Ok(value));
    let error = Value::Vector2i([1, 2]).write(&mut Writer::new(Dialect::GODOT_3)).expect_err("no such type");
    assert!(matches!(error.kind(), CodecErrorKind::NoSuchType { what: "Vector2i", .. }));
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(Value::Nil, |inner, level| match level % 3 {
        0 => Value::array([inner]),
        1 => Value::dictionary([(Value::Nil, inner)]),
        _ => Value::Object { class: "Node".into(), properties: vec![("a".into(), inner)] },
    })
}

/// Reading and writing take no stack for levels; what is derived takes less than half of what a thread of tokio has.
#[test]
fn the_deepest_value_needs_little_stack_and_a_deeper_one_is_refused() {
    let bytes = nested(1024).encode().expect("as deep as the engine goes");
    let read = || Value::read_nested(&mut Reader::new(&bytes).with_objects(true), MAX_DEPTH).expect("deep");
    on_a_stack(64 << 10, || {
        let value = read();
        assert_eq!(value.encode().expect("deep").len(), bytes.len());
        std::mem::forget(value);
    });
    on_a_stack(1 << 20, || {
        let value = read();
        assert_eq!(value.clone(), value);
        assert!(format!("{value:?}").len() > 1024);
    });
    assert_eq!(nested(1025).encode().expect_err("too deep").kind(), &CodecErrorKind::TooDeep);
}

#[test]
fn a_value_takes_no_memory_that_its_bytes_do_not_pay_for() {
    assert!(size_of::<Value>() <= 80, "{} bytes", size_of::<Value>());
    let count = 0x7fff_ffff_u32;
    for kind in Kind::ALL {
        for tail in [0, 1000] {
            let bytes = [words(&[u32::from(kind.id()), count, count]), vec![0; tail]].concat();
            let (held, _) = most_held(|| Value::read(&mut Reader::new(&bytes).with_objects(true)).map(drop));
            assert!(held <= 1024 + 20 * bytes.len(), "{held} bytes for {} of {}", bytes.len(), kind.name());
        }
    }
    for elements in [0, 1, 10, 1000, 100_000] {
        let bytes = [words(&[28, elements]), vec![0; 4 * elements as usize]].concat();
        let (held, value) = most_held(|| Value::decode(&bytes));
        assert_eq!(value.map(|value| value.kind()), Ok(Kind::Array));
        assert!(held <= 1024 + 20 * bytes.len(), "{held} bytes for {}", bytes.len());
    }
}

/// A program as its author debugs it: the stack of a thread, and code that nobody optimised around it.
#[test]
fn hostile_nesting_overflows_no_stack() {
    let mut bytes = [words(&[28, 1])].concat().repeat(1024);
    bytes.extend(words(&[0]));
    on_a_stack(256 << 10, || {
        let Ok(value) = Value::decode(&bytes) else { return };
        assert_eq!(value.clone(), value);
        assert!(format!("{value:?}").len() > 1024);
    });
    let error = Value::decode(&bytes).expect_err("too deep").to_string();
    let expected = "expected at most 128 levels of nesting, found one more, at byte 1024 inside ";
    assert!(error.starts_with(expected) && error.ends_with("[0][0]"), "{error}");
    for levels in [128, 129] {
        let bytes = nested(levels).encode().expect("not too deep");
        let read = |max| Value::read_nested(&mut Reader::new(&bytes).with_objects(true), max).is_ok();
        assert_eq!((read(128), read(129), read(0)), (levels == 128, true, false));
    }
}

#[test]
fn a_reader_in_the_middle_or_at_the_end_gives_no_panic() {
    let bytes =
        Value::Object { class: "A".into(), properties: vec![("b".into(), 1.into())] }.encode().expect("an object");
    let mut reader = Reader::new(&bytes).with_objects(true);
    reader.next_event().expect("its head");
    assert_eq!(Value::read(&mut reader), Ok("b".into()));
    assert_eq!(Value::read(&mut reader), Ok(1.into()));
    assert!(Value::read(&mut reader).is_err());
}

#[test]
fn texts_that_would_be_cut_are_refused() {
    let node =
        |class: &str, name: &str| Value::Object { class: class.into(), properties: vec![(name.into(), 1.into())] };
    for text in ["a\0b", "\0", "a\0", "\u{feff}", "\u{feff}a"] {
        let typed = OwnedType::Class(text.into());
        for value in [
            Value::from(text),
            Value::StringName(text.into()),
            Value::NodePath { names: vec![text.into()], subnames: Vec::new(), absolute: false },
            Value::NodePath { names: Vec::new(), subnames: vec![text.into()], absolute: false },
            Value::Signal { name: text.into(), object: 0 },
            vec!["a".to_owned(), text.into()].into(),
            Value::dictionary([(text, 1.into()), ("a", 2.into())]),
            node(text, "a"),
            node("Node", text),
            Value::Array { element: typed.clone(), elements: Vec::new() },
            Value::Dictionary { key: OwnedType::Any, value: typed.clone(), entries: Vec::new() },
            Value::Dictionary { key: typed.clone(), value: OwnedType::Any, entries: Vec::new() },
        ] {
            let error = value.encode().expect_err("cannot be read back");
            assert!(error.to_string().starts_with("expected a text without NUL"), "{error}");
            #[cfg(feature = "serde")]
            varbatch_codec::serde::to_vec(&value).expect_err("nor by serde");
        }
        #[cfg(feature = "serde")]
        varbatch_codec::serde::to_vec(text).expect_err("cannot be read back");
    }
    let kept = Value::from("a\u{feff}\u{1}");
    assert_eq!(Value::decode(&kept.encode().expect("a text")), Ok(kept));
}

#[test]
fn an_error_names_no_argument_of_a_script() {
    let node = Value::Object { class: "Node".into(), properties: Vec::new() };
    let error = Value::decode(&node.encode().expect("an object")).expect_err("refused").to_string();
    assert_eq!(error, "expected no object with properties, as objects are not allowed, found one, at byte 0");
}

#[test]
fn a_value_is_changed_in_place() {
    let mut save =
        Value::dictionary([("player", Value::dictionary([("hp", Value::Int(1))])), ("tags", Value::array(["a"]))]);
    let player = save.get_mut("player").expect("it is there");
    assert_eq!(player.insert("hp", 2), Ok(Value::Int(1)));
    assert_eq!(player.insert("name", "Ann"), Ok(Value::Nil));
    *player.entry("wings").expect("a Dictionary") = true.into();
    save.get_mut("tags").and_then(Value::as_array_mut).expect("an Array").push("b".into());
    save.as_dictionary_mut().expect("a Dictionary").reverse();
    let shown = r#"{"tags": ["a", "b"], "player": {"hp": 2, "name": "Ann", "wings": true}}"#;
    assert_eq!(save.to_string(), shown);
    assert_eq!(save.get_mut("other"), None);
    assert_eq!(save.get_mut("tags").and_then(|tags| tags.get_mut("a")), None);
    let error = Value::Int(1).insert("a", 1).expect_err("an int");
    assert_eq!(error.to_string(), "expected Dictionary, found int");
    // Of several, the last; a new key has the type of the others.
    let mut twice = Value::dictionary([("a", Value::Int(1)), ("a", Value::Int(2))]);
    assert_eq!(twice.insert("a", 3), Ok(Value::Int(2)));
    let names = OwnedType::Builtin(Kind::StringName);
    let mut typed = Value::Dictionary { key: names, value: OwnedType::Any, entries: Vec::new() };
    typed.insert("a", ()).expect("a Dictionary");
    let object = Value::Object { class: "Node".into(), properties: vec![("at".into(), Value::Vector2([1.0, 2.5]))] };
    let all = Value::from(vec![typed, object, Value::Float(1.0), "a\"\n".into(), vec![1_u8].into()]);
    assert_eq!(
        all.to_string(),
        r#"[{&"a": null}, Node{"at": Vector2([1.0, 2.5])}, 1.0, "a\"\n", PackedByteArray([1])]"#
    );
}

#[test]
fn numbers_and_vectors_convert_if_they_fit() {
    let int = Value::Int(300);
    assert_eq!((i16::try_from(&int), u16::try_from(&int), usize::try_from(&int)), (Ok(300), Ok(300), Ok(300)));
    assert_eq!(u8::try_from(&int).map_err(|error| error.to_string()), Err("expected u8, found 300".into()));
    assert_eq!(
        u8::try_from(&Value::from("a")).map_err(|error| error.to_string()),
        Err("expected int, found String".into())
    );
    assert_eq!(<[f32; 3]>::try_from(Value::Vector3([1.0, 2.0, 3.0])), Ok([1.0, 2.0, 3.0]));
    assert_eq!(<[i32; 2]>::try_from(Value::Vector2i([1, 2])), Ok([1, 2]));
    assert!(<[f32; 2]>::try_from(Value::Vector3([1.0, 2.0, 3.0])).is_err());
}
