//! Guards: a `Value` in a type is what was sent, wherever serde reads it from: the bytes, the buffer of `flatten`, `tag` and
//! `untagged`, or another format.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};
use varbatch_codec::serde::{from_slice, read, to_vec};
use varbatch_codec::{CodecErrorKind, DoubleValue, Reader, Value};

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Flat {
    name: String,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Request {
    Echo { value: Value },
    Quit,
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
enum Either {
    Number(u8),
    Other(Value),
}

/// The bytes of an int, 7: as a PackedByteArray or an Array they are not that int.
const SEVEN: [u8; 8] = [2, 0, 0, 0, 7, 0, 0, 0];

/// Values that a buffer of serde keeps as they are.
fn plain_values() -> Vec<Value> {
    let list = Value::from(vec![Value::from(true), 5.into(), 0.5.into(), "a".into(), Value::Nil]);
    let nested = Value::dictionary([("list", list.clone()), ("empty", Value::array([0; 0]))]);
    vec![Value::Nil, (-1).into(), Value::array(SEVEN), list, nested, "".into()]
}

fn flat(x: &Value) -> Vec<u8> {
    Value::dictionary([("name", "Ann".into()), ("x", x.clone())]).encode().expect("a Dictionary")
}

#[test]
fn a_value_that_serde_buffers_stays_itself() {
    for value in plain_values() {
        let of_type = Flat { name: "Ann".into(), rest: [("x".into(), value.clone())].into() };
        assert_eq!(from_slice(&flat(&value)).as_ref(), Ok(&of_type));
        assert_eq!(to_vec(&of_type), Ok(flat(&value)));
        let of_type = Request::Echo { value: value.clone() };
        let bytes = to_vec(&of_type).expect("a request");
        assert_eq!(Value::decode(&bytes), Ok(Value::dictionary([("op", "echo".into()), ("value", value.clone())])));
        assert_eq!(from_slice(&bytes), Ok(of_type));
        let bytes = value.encode().expect("a value");
        assert_eq!(from_slice(&bytes), Ok(Either::Other(value.clone())));
        assert_eq!(to_vec(&Either::Other(value)), Ok(bytes));
    }
    assert_eq!(from_slice(&Value::from(5).encode().expect("an int")), Ok(Either::Number(5)));
    assert_eq!(from_slice(&to_vec(&Request::Quit).expect("a request")), Ok(Request::Quit));
}

#[test]
fn what_serde_has_no_form_for_becomes_its_parts_in_a_buffer() {
    let read = |value: Value| from_slice::<Flat>(&flat(&value)).expect("is read").rest.remove("x");
    assert_eq!(read(Value::Vector3([1.0, 2.5, -3.0])), Some(Value::array([1.0, 2.5, -3.0])));
    assert_eq!(read(Value::Vector2i([1, 2])), Some(Value::array([1, 2])));
    assert_eq!(read(vec!["a".to_owned()].into()), Some(Value::array(["a"])));
    assert_eq!(read(Value::StringName("a".into())), Some("a".into()));
    assert_eq!(read(SEVEN.to_vec().into()), Some(Value::array(SEVEN)));
    // And is written back whole from a type that serde does not buffer.
    let of_type = Flat { name: "Ann".into(), rest: [("x".into(), Value::Vector3([1.0, 2.5, -3.0]))].into() };
    assert_eq!(to_vec(&of_type), Ok(flat(&of_type.rest["x"])));
}

#[test]
fn bytes_in_bytes_bring_no_object_past_the_refusal() {
    let object = Value::Object { class: "Node".into(), properties: vec![("script".into(), "res://x.gd".into())] };
    let bytes = object.encode().expect("an object");
    let array = Value::array(bytes.iter().copied());
    for sent in [bytes.into(), array.clone()] {
        let read = from_slice::<Flat>(&flat(&sent)).expect("bytes are no object");
        assert_eq!(read.rest["x"], array);
        assert_eq!(from_slice(&sent.encode().expect("bytes")), Ok(Either::Other(array.clone())));
    }
    let refused = |error: varbatch_codec::CodecError| assert_eq!(error.kind(), &CodecErrorKind::ObjectRefused);
    refused(from_slice::<Flat>(&flat(&object)).expect_err("an object"));
    refused(from_slice::<Vec<Value>>(&Value::from(vec![object]).encode().expect("an Array")).expect_err("an object"));
}

#[test]
fn other_formats_have_the_parts_of_a_value() {
    let json = |value: &Value| serde_json::to_string(value).expect("has a form");
    for (value, expected) in [
        (Value::Int(5), "5"),
        (Value::Nil, "null"),
        (Value::StringName("a".into()), "\"a\""),
        (Value::Vector3([1.0, 2.5, -3.0]), "[1.0,2.5,-3.0]"),
        (Value::Color([0.5; 4]), "[0.5,0.5,0.5,0.5]"),
        (Value::PackedVector2Array(vec![[1.0, 2.0]]), "[[1.0,2.0]]"),
        (Value::PackedInt64Array(vec![1 << 40]), "[1099511627776]"),
        (vec!["a".to_owned()].into(), "[\"a\"]"),
        (SEVEN.to_vec().into(), "[2,0,0,0,7,0,0,0]"),
        (Value::Rid(7), "7"),
        (Value::ObjectId(u64::MAX), "18446744073709551615"),
        (
            Value::NodePath { names: vec!["a".into(), "b".into()], subnames: vec!["c".into()], absolute: true },
            "\"/a/b:c\"",
        ),
        (Value::Object { class: "Node".into(), properties: vec![("hp".into(), 3.into())] }, "{\"hp\":3}"),
        (Value::dictionary([("a", Value::array([1, 2]))]), "{\"a\":[1,2]}"),
    ] {
        assert_eq!(json(&value), expected);
    }
    assert!(serde_json::to_string(&Value::Callable).is_err());
    assert_eq!(serde_json::to_string(&DoubleValue::Vector2([0.1, 2.0])).expect("has a form"), "[0.1,2.0]");
    let text = "{\"a\":[true,5,-5,0.5,\"x\",null],\"b\":{}}";
    let read: Value = serde_json::from_str(text).expect("is read");
    let list = vec![true.into(), 5.into(), (-5).into(), 0.5.into(), "x".into(), Value::Nil];
    assert_eq!(read, Value::dictionary([("a", Value::from(list)), ("b", Value::dictionary::<&str>([]))]));
    assert_eq!(json(&read), text);
    assert!(serde_json::from_str::<Value>("18446744073709551615").is_err(), "beyond an int of the engine");
    // A byte array of another format is one, too.
    let bytes = serde::de::value::BytesDeserializer::<serde::de::value::Error>::new(&SEVEN);
    assert_eq!(Value::deserialize(bytes), Ok(SEVEN.to_vec().into()));
}

/// A type that has the name by which this format knows a `Value`.
#[derive(Debug, Deserialize)]
#[serde(rename = "$varbatch_codec::Value")]
struct Fake(#[expect(dead_code)] u8);

/// Gives its bytes where a `Value` is asked for, after another type was written.
struct Given(Vec<u8>);

impl Serialize for Given {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Bytes<'b>(&'b [u8]);
        impl Serialize for Bytes<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                to_vec(&Flat { name: String::new(), rest: BTreeMap::new() }).expect("is written");
                serializer.serialize_bytes(self.0)
            }
        }
        serializer.serialize_newtype_struct("$varbatch_codec::Value", &Bytes(&self.0))
    }
}

#[test]
fn only_a_value_gives_and_gets_encoded_bytes() {
    let object = Value::Object { class: "Node".into(), properties: Vec::new() };
    for bytes in [object.encode().expect("is encoded"), vec![1, 2, 3]] {
        let written = to_vec(&(Given(bytes.clone()), 1)).expect("is written");
        assert_eq!(Value::decode(&written), Ok(vec![Value::from(bytes), 1.into()].into()));
    }
    // What was said of one value holds for no other.
    from_slice::<Fake>(&to_vec("text").expect("is written")).expect_err("a text");
    assert_eq!(serde_json::to_string(&Value::from(SEVEN.to_vec())).expect("is written"), "[2,0,0,0,7,0,0,0]");
}

#[test]
fn a_reader_gives_one_value() {
    let bytes = to_vec(&Value::from(SEVEN.to_vec())).expect("is written").repeat(2);
    let mut reader = Reader::new(&bytes);
    assert_eq!(read::<Value>(&mut reader), Ok(SEVEN.to_vec().into()));
    let texts = [
        read::<Value>(&mut reader).expect_err("ended").to_string(),
        read::<Option<i32>>(&mut reader).expect_err("ended").to_string(),
        read::<serde::de::IgnoredAny>(&mut reader).expect_err("ended").to_string(),
    ];
    assert!(texts.iter().all(|text| text == "expected another value, at byte 16"), "{texts:?}");
}
