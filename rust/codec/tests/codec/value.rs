//! `Value` beside events: what is read into one is written again as it was.

use proptest::prelude::*;
use varbatch_codec::{
    CodecErrorKind, Dialect, DoubleValue, Kind, OwnedValue, Reader, Real, Value, Width, Writer, frames, validate,
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
    let value = OwnedValue::<R>::read(&mut reader).expect("a value");
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
            assert_eq!(Value::read(&mut reader()).err(), validate(reader()).err(), "{}, {len} bytes", vector.name);
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
    assert_eq!((error.expected, error.found), (Kind::Bool, Kind::Int));
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
    let read = || Value::read(&mut Reader::new(&bytes).with_objects(true)).expect("deep");
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
