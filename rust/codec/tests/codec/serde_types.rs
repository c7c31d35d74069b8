//! Rust types to bytes and back, against the values that say the same.

use std::collections::BTreeMap;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Serialize, Serializer};
use varbatch_codec::serde::{
    PackedByteArray, PackedInt32Array, PackedStringArray, PackedVector2Array, Quaternion, StringName, Transform3D,
    Vector2i, Vector3, from_slice, from_value, read as from_events, to_value, to_vec,
};
use varbatch_codec::{Dialect, DoubleValue, OwnedType, Reader, Value};

use super::support::{on_a_stack, vectors};

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Player {
    name: String,
    hp: u8,
    speed: f32,
    position: Value,
    #[serde(default)]
    home: Option<(i32, i32)>,
    inventory: Vec<Item>,
    stats: BTreeMap<String, i64>,
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
enum Item {
    Lamp,
    Arrows(u32),
    Sword { sharp: bool, names: Vec<String> },
    Pair(u8, u8),
}

fn player() -> (Player, Value) {
    let sword = Item::Sword { sharp: true, names: vec!["Sting".into()] };
    let player = Player {
        name: "Ann".into(),
        hp: 200,
        speed: 0.5,
        position: Value::Vector3([1.0, 2.0, 3.0]),
        home: Some((-4, 5)),
        inventory: vec![Item::Lamp, Item::Arrows(12), sword, Item::Pair(1, 2)],
        stats: [("luck".into(), -3)].into(),
    };
    let sword = Value::dictionary([("sharp", true.into()), ("names", Value::array(["Sting"]))]);
    let inventory = vec![
        "Lamp".into(),
        Value::dictionary([("Arrows", 12.into())]),
        Value::dictionary([("Sword", sword)]),
        Value::dictionary([("Pair", Value::array([1, 2]))]),
    ];
    let value = Value::dictionary([
        ("name", "Ann".into()),
        ("hp", 200.into()),
        ("speed", 0.5.into()),
        ("position", Value::Vector3([1.0, 2.0, 3.0])),
        ("home", Value::array([-4, 5])),
        ("inventory", Value::from(inventory)),
        ("stats", Value::dictionary([("luck", (-3).into())])),
    ]);
    (player, value)
}

/// The type is written as the value, and read from it.
fn check<T: DeserializeOwned + Serialize + PartialEq + std::fmt::Debug>(of_type: T, value: impl Into<Value>) {
    let bytes = value.into().encode().expect("a value");
    assert_eq!(Value::decode(&to_vec(&of_type).expect("is written")), Value::decode(&bytes));
    assert_eq!(to_vec(&of_type).expect("is written"), bytes);
    assert_eq!(from_slice::<T>(&bytes).expect("is read"), of_type);
}

fn read<T: DeserializeOwned>(value: impl Into<Value>) -> Result<T, String> {
    from_slice(&value.into().encode().expect("a value")).map_err(|error| error.to_string())
}

#[test]
fn types_are_written_as_values_and_read_from_them() {
    let (of_type, value) = player();
    check(of_type, value);
    check((), ());
    check(None::<bool>, ());
    check(Some(i64::MIN), i64::MIN);
    check('ß', "ß");
    check(1.5_f64, 1.5);
    check([1_u16, 2], Value::array([1, 2]));
    check(Vec::<u8>::new(), Value::array([0; 0]));
    check((true, String::new()), vec![Value::from(true), "".into()]);
    check(BTreeMap::from([(3_u8, ()), (4, ())]), vec![(3.into(), Value::Nil), (4.into(), Value::Nil)]);
    check(Value::StringName("a".into()), Value::StringName("a".into()));
}

/// The value of each vector stays what it is beside another one.
fn check_vectors() {
    for vector in vectors::written() {
        let Ok(value) = Value::read_nested(&mut Reader::new(&vector.bytes).with_objects(true), 1024) else { continue };
        let values = [Value::Int(1), value];
        let Ok(bytes) = to_vec(&values) else {
            // It is as deep as can be on its own.
            assert!(Value::from(values.to_vec()).encode().is_err(), "{}", vector.name);
            continue;
        };
        assert_eq!(Ok(bytes.as_slice()), Value::from(values.to_vec()).encode().as_deref(), "{}", vector.name);
        let reader = || Reader::new(&bytes).with_objects(true);
        match Value::read(&mut reader()) {
            Ok(read) => {
                let again: Vec<Value> = from_events(&mut reader()).expect("two values");
                assert_eq!(Value::from(again).encode(), read.encode(), "{}", vector.name);
            }
            Err(error) => assert!(error.to_string().contains(" levels of nesting"), "{error}"),
        }
    }
}

#[test]
fn a_field_of_a_value_keeps_each_type() {
    // The deepest value, in code that nobody optimised.
    on_a_stack(8 << 20, check_vectors);
    let wide = [DoubleValue::Vector2([0.1, 2.0])];
    let bytes = to_vec(&wide).expect("a value");
    assert_eq!(from_slice::<Vec<DoubleValue>>(&bytes).as_deref(), Ok(&wide[..]));
    // Another format has the parts.
    let (of_type, _) = player();
    let text = serde_json::to_string(&of_type).expect("is written");
    let of_parts = Player { position: Value::array([1.0, 2.0, 3.0]), ..of_type };
    assert_eq!(serde_json::from_str::<Player>(&text).expect("is read"), of_parts);
    assert_eq!(
        from_slice::<serde_json::Value>(&to_vec(&[1]).expect("an int")).expect("is read"),
        serde_json::json!([1])
    );
}

#[test]
fn what_only_the_engine_has_is_read_as_its_parts() {
    assert_eq!(read(Value::Vector2i([3, -4])), Ok((3, -4)));
    assert_eq!(read(Value::Color([0.5, 0.25, 0.0, 1.0])), Ok([0.5_f32, 0.25, 0.0, 1.0]));
    assert_eq!(read(vec![1_u8, 255]), Ok(vec![1_u8, 255]));
    assert_eq!(read(vec![i64::MAX]), Ok(vec![i64::MAX]));
    assert_eq!(read(vec![1.5_f32]), Ok([1.5_f64]));
    assert_eq!(read(Value::PackedVector2Array(vec![[1.0, 2.0], [3.0, 4.0]])), Ok(vec![(1.0, 2.0), (3.0, 4.0)]));
    // One element is a sequence of one, too.
    assert_eq!(read(Value::PackedVector2Array(vec![[1.0, 2.0]])), Ok([[1.0_f32, 2.0]]));
    assert_eq!(read(vec!["a".to_owned(), "b".into()]), Ok(["a".to_owned(), "b".into()]));
    assert_eq!(read(Value::StringName("a".into())), Ok("a".to_owned()));
    for (names, subnames, absolute, path) in [(2, 1, true, "/n/n:s"), (1, 0, false, "n"), (0, 2, false, ":s:s")] {
        let (names, subnames) = (vec!["n".into(); names], vec!["s".into(); subnames]);
        assert_eq!(read(Value::NodePath { names, subnames, absolute }), Ok(path.to_owned()));
    }
    assert_eq!(read(Value::Rid(u64::MAX)), Ok(u64::MAX));
    let element = OwnedType::Builtin(varbatch_codec::Kind::Int);
    assert_eq!(read(Value::Array { element, elements: vec![7.into()] }), Ok([7]));
    let object = Value::Object { class: "Node".into(), properties: vec![("hp".into(), 3.into())] };
    let bytes = object.encode().expect("an object");
    assert!(from_slice::<BTreeMap<String, u8>>(&bytes).is_err());
    let properties = from_events::<BTreeMap<String, u8>>(&mut Reader::new(&bytes).with_objects(true));
    assert_eq!(properties, Ok([("hp".into(), 3)].into()));
    // Bytes are lent, and so are texts.
    let bytes = Value::from(vec![1_u8, 2, 3]).encode().expect("bytes");
    assert_eq!(from_slice::<&[u8]>(&bytes), Ok(&[1, 2, 3][..]));
    assert_eq!(from_slice::<&str>(&Value::from("ab").encode().expect("a text")), Ok("ab"));
    let old = [19, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0, 0];
    let reader = || Reader::new(&old).with_dialect(Dialect::GODOT_3);
    assert_eq!(
        from_events::<Vec<Value>>(&mut reader()),
        Value::read(&mut reader()).map(|value| value.as_array().expect("an Array").to_vec())
    );
    let old = [4, 0, 0, 0, 1, 0, 0, 0, b'x', 0, 0, 0];
    assert_eq!(from_events::<&str>(&mut Reader::new(&old).with_dialect(Dialect::GODOT_3)), Ok("x"));
}

#[test]
fn parts_of_no_use_are_passed() {
    #[derive(Debug, Deserialize, PartialEq)]
    struct Only {
        last: bool,
    }
    let (_, player) = player();
    let words = Value::from(vec!["a".to_owned(); 3]);
    let entries = [("player", player), ("words", words), ("last", true.into())];
    assert_eq!(read(Value::dictionary(entries)), Ok(Only { last: true }));
    assert!(read::<Vec<IgnoredAny>>(vec!["a".to_owned(); 3]).is_ok_and(|words| words.len() == 3));
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    let bad = |hp: Value| Value::dictionary([("all", Value::from(vec![1.into(), hp]))]);
    type All = BTreeMap<String, Vec<u8>>;
    assert_eq!(read::<All>(bad(2.into())).map(|all| all["all"].clone()), Ok(vec![1, 2]));
    for (value, expected) in [
        (bad(300.into()), "invalid value: integer `300`, expected u8, at byte 36 inside [\"all\"][1]"),
        (bad("x".into()), "invalid type: string \"x\", expected u8, at byte 36 inside [\"all\"][1]"),
        (
            bad(Value::Callable),
            "expected a value that serde has a form for, found Callable, at byte 36 inside [\"all\"][1]",
        ),
    ] {
        assert_eq!(read::<All>(value), Err(expected.into()));
    }
    let three = Value::array([1, 2, 3]);
    let expected = "invalid length 3, expected 1 fewer, at byte 8 inside [0]";
    assert_eq!(read::<[(u8, u8); 1]>(vec![three.clone()]), Err(expected.into()));
    assert!(read::<(u8, u8, u8, u8)>(three).is_err_and(|error| error.starts_with("invalid length 3, ")));
    assert!(read::<Item>(Value::dictionary([("Lamp", Value::Nil), ("Arrows", 1.into())])).is_err());
    assert!(read::<Item>("Axe").is_err_and(|error| error.starts_with("unknown variant `Axe`")));
    let cut = [28, 0, 0, 0, 1, 0, 0, 0, 2, 0];
    let expected = "expected at least 4 more bytes for 1 elements of Array, found 2, at byte 8";
    assert_eq!(from_slice::<Vec<u8>>(&cut).map_err(|error| error.to_string()), Err(expected.into()));
    let expected = "expected at most 9223372036854775807, found 9223372036854775808";
    assert!(to_vec(&(1_u64 << 63)).is_err_and(|error| error.to_string().starts_with(expected)));
}

#[test]
fn counts_are_those_of_the_parts() {
    /// Says how many parts come, and gives others.
    struct Parts(Option<usize>, u8);
    impl Serialize for Parts {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut seq = serializer.serialize_seq(self.0)?;
            for part in 0..self.1 {
                seq.serialize_element(&[part])?;
            }
            seq.end()
        }
    }
    for count in 0..3_u8 {
        let parts = (0..count).map(|part| Value::array([i32::from(part)]));
        let expected = Value::from(vec![Value::array(parts), true.into()]).encode().expect("an Array");
        for announced in [None, Some(0), Some(1), Some(2), Some(3)] {
            let bytes = to_vec(&(Parts(announced, count), true));
            match announced {
                Some(announced) if announced != usize::from(count) => assert!(bytes.is_err(), "{announced}, {count}"),
                _ => assert_eq!(bytes.as_ref(), Ok(&expected)),
            }
        }
    }
    #[derive(Serialize)]
    struct Flat {
        a: u8,
        #[serde(flatten)]
        more: BTreeMap<String, u8>,
    }
    let flat = Flat { a: 1, more: [("b".into(), 2)].into() };
    let expected = Value::dictionary([("a", 1.into()), ("b", 2.into())]);
    assert_eq!(to_vec(&flat), expected.encode());
}

/// Of a type that says wrong things nothing is written, whether it says how many parts come or not.
#[test]
fn keys_and_values_come_in_turn_and_nothing_after_an_error() {
    struct Turns(Option<usize>, &'static str);
    impl Serialize for Turns {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(self.0)?;
            for turn in self.1.chars() {
                match turn {
                    'k' => map.serialize_key("key")?,
                    'v' => map.serialize_value(&1)?,
                    _ => drop(map.serialize_key("a\0")),
                }
            }
            map.end()
        }
    }
    for turns in ["", "kv", "kvkv", "k", "v", "kk", "kvv", "kvk", "vk", "xkv", "kvx", "kx"] {
        let count = turns.matches(['k', 'x']).count();
        for announced in [None, Some(count)] {
            let written = to_vec(&(Turns(announced, turns), 2));
            assert_eq!(written.is_ok(), matches!(turns, "" | "kv" | "kvkv"), "{turns}, {announced:?}: {written:?}");
        }
    }
    #[derive(Serialize)]
    enum Named {
        #[serde(rename = "A\0B")]
        One(i32),
        #[serde(rename = "\u{feff}C")]
        Two { x: i32 },
    }
    for named in [Named::One(1), Named::Two { x: 1 }] {
        let error = to_vec(&named).expect_err("a name that no reader gives back").to_string();
        assert!(error.starts_with("expected a text without NUL"), "{error}");
    }
}

#[test]
fn types_that_hold_themselves_end_before_the_stack_does() {
    #[derive(Debug, Deserialize)]
    struct Nest(#[allow(dead_code)] Vec<Nest>);
    let nested = |levels| (0..levels).fold(Value::array([0; 0]), |inner, _| vec![inner].into());
    assert!(read::<Nest>(nested(127)).is_ok());
    assert!(read::<Nest>(nested(200)).is_err_and(|error| error.starts_with("expected at most 128 levels")));
    assert!(read::<IgnoredAny>(nested(1000)).is_ok());
    #[derive(Debug, Deserialize)]
    enum Chain {
        End,
        Link(#[allow(dead_code)] Box<Chain>),
    }
    let linked = |links| (0..links).fold(Value::from("End"), |inner, _| Value::dictionary([("Link", inner)]));
    assert!(read::<Chain>(linked(127)).is_ok());
    assert!(read::<Chain>(linked(200)).is_err_and(|error| error.starts_with("expected at most 128 levels")));
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
struct Native {
    id: StringName,
    at: Vector3,
    tile: Vector2i,
    pose: Transform3D,
    path: PackedVector2Array,
    counts: PackedInt32Array,
    names: PackedStringArray,
    bytes: PackedByteArray,
}

#[test]
fn types_of_the_engine_are_written_as_they_were_read() {
    let native = Native {
        id: StringName("orc".into()),
        at: Vector3([1.0, -2.5, 1e30]),
        tile: Vector2i([3, -4]),
        path: PackedVector2Array(vec![[1.0, 2.0], [3.0, 4.0]]),
        counts: PackedInt32Array(vec![-1, 2]),
        names: PackedStringArray(vec!["a".into()]),
        bytes: PackedByteArray(vec![2, 0, 0, 0, 7, 0, 0, 0]),
        ..Native::default()
    };
    let value = Value::dictionary([
        ("id", Value::StringName("orc".into())),
        ("at", Value::Vector3([1.0, -2.5, 1e30])),
        ("tile", Value::Vector2i([3, -4])),
        ("pose", Value::Transform3D([0.0; 12])),
        ("path", Value::PackedVector2Array(vec![[1.0, 2.0], [3.0, 4.0]])),
        ("counts", vec![-1, 2].into()),
        ("names", vec!["a".to_owned()].into()),
        ("bytes", vec![2_u8, 0, 0, 0, 7, 0, 0, 0].into()),
    ]);
    check(native.clone(), value.clone());
    assert_eq!(from_value(&value).as_ref(), Ok(&native));
    assert_eq!(to_value(&native), Ok(value));
    // As other formats have them, and the buffers of serde.
    let text = serde_json::to_string(&native).expect("has a form");
    assert_eq!(serde_json::from_str::<Native>(&text).expect("is read"), native);
    let error = read::<Vec<Vector3>>(vec![Value::Vector3([0.0; 3]), 1.into()]).expect_err("an int");
    assert_eq!(error, "expected Vector3, found int, at byte 24 inside [1]");
    assert!(read::<Quaternion>(Value::Vector4([0.0; 4])).is_err(), "another type of the same numbers");
}

#[test]
fn a_value_converts_to_a_type_and_back() {
    let (of_type, value) = player();
    assert_eq!(to_value(&of_type).as_ref(), Ok(&value));
    assert_eq!(from_value(&value), Ok(of_type));
    let node = Value::Object { class: "Node".into(), properties: vec![("hp".into(), 3.into())] };
    assert_eq!(from_value(&node), Ok(BTreeMap::from([("hp".to_owned(), 3)])));
    assert_eq!(to_value(&node), Ok(node));
    let error = from_value::<Vec<u8>, _>(&Value::array([1, 300])).expect_err("beyond a byte").to_string();
    assert!(error.starts_with("invalid value: integer `300`, expected u8, at byte 16"), "{error}");
}

#[path = "../../examples/save_editor/main.rs"]
#[allow(dead_code)] // Its `main`.
mod save_editor;

#[test]
fn the_save_editor_changes_what_it_says_and_nothing_else() {
    let save = |hp: i64, position| {
        let player = Value::dictionary([
            ("name", "Ann".into()),
            ("class", Value::StringName("mage".into())),
            ("hp", hp.into()),
            ("position", Value::Vector3(position)),
            ("equipment", Value::from(vec![Value::StringName("lamp".into()), Value::Color([0.5; 4])])),
        ]);
        let item = Value::Object { class: "Resource".into(), properties: vec![("price".into(), 3.into())] };
        let save =
            Value::dictionary([("seed", Value::Vector2i([1, 2])), ("player", player), ("items", vec![item].into())]);
        [Value::from("version 1"), save].map(|value| value.encode_frame().expect("a value")).concat()
    };
    let edited = save_editor::edited(&save(1, [1.0, 2.0, 3.0])).expect("a save");
    assert!(edited == save(100, [0.0; 3]));
}
