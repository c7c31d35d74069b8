//! Guards: keys of a store sort as their values do, and are equal exactly where Godot 4.6.3 takes two values for one key
//! of a Dictionary; bytes that are no key are refused, and all others lead back to themselves.

use std::cmp::Ordering;

use proptest::prelude::*;
use varbatch_codec::key::{from_key, prefix_range, to_exact_key, to_key};
use varbatch_codec::transcode::Translation;
use varbatch_codec::{Dialect, ElementType, Event, Kind, Shape, Text, Width};

use crate::support::random::Random;
use crate::support::steps::{read, write, write_in};
use crate::support::times;
use crate::support::value::{Value, any_value, cases};
use crate::support::vectors::{self, hex, rows};
use crate::support::wire::{doubles, floats, string, words};

/// Two values as Godot 4.6.3 writes them, and whether its `{a: 1}.has(b)` takes them for one key or two.
const PAIRS: &str = r#"
"a" and &"a" | 04000000 01000000 61000000 | 15000000 01000000 61000000 | one
"" and &"" | 04000000 00000000 | 15000000 00000000 | one
"a" and ^"a" | 04000000 01000000 61000000 | 16000000 01000080 00000000 00000000 01000000 61000000 | two
["a"] and [&"a"] | 1c000000 01000000 04000000 01000000 61000000 | 1c000000 01000000 15000000 01000000 61000000 | two
[["a"]] and [[&"a"]] | 1c000000 01000000 1c000000 01000000 04000000 01000000 61000000 | 1c000000 01000000 1c000000 01000000 15000000 01000000 61000000 | two
{"a": 1} and {&"a": 1} | 1b000000 01000000 04000000 01000000 61000000 02000000 01000000 | 1b000000 01000000 15000000 01000000 61000000 02000000 01000000 | one
{1: "a"} and {1: &"a"} | 1b000000 01000000 02000000 01000000 04000000 01000000 61000000 | 1b000000 01000000 02000000 01000000 15000000 01000000 61000000 | two
{["a"]: 1} and {[&"a"]: 1} | 1b000000 01000000 1c000000 01000000 04000000 01000000 61000000 02000000 01000000 | 1b000000 01000000 1c000000 01000000 15000000 01000000 61000000 02000000 01000000 | two
{{"a": 1}: 1} and {{&"a": 1}: 1} | 1b000000 01000000 1b000000 01000000 04000000 01000000 61000000 02000000 01000000 02000000 01000000 | 1b000000 01000000 1b000000 01000000 15000000 01000000 61000000 02000000 01000000 02000000 01000000 | one
{1: [{"a": 1}]} and {1: [{&"a": 1}]} | 1b000000 01000000 02000000 01000000 1c000000 01000000 1b000000 01000000 04000000 01000000 61000000 02000000 01000000 | 1b000000 01000000 02000000 01000000 1c000000 01000000 1b000000 01000000 15000000 01000000 61000000 02000000 01000000 | one
[{1: &"a", &"a": 1}] and [{1: &"a", "a": 1}] | 1c000000 01000000 1b000000 02000000 02000000 01000000 15000000 01000000 61000000 15000000 01000000 61000000 02000000 01000000 | 1c000000 01000000 1b000000 02000000 02000000 01000000 15000000 01000000 61000000 04000000 01000000 61000000 02000000 01000000 | one
1 and 1.0 | 02000000 01000000 | 03000000 0000803f | two
1 and true | 02000000 01000000 | 01000000 01000000 | two
[1] and [1.0] | 1c000000 01000000 02000000 01000000 | 1c000000 01000000 03000000 0000803f | two
0 and null | 02000000 00000000 | 00000000 | two
"" and null | 04000000 00000000 | 00000000 | two
false and null | 01000000 00000000 | 00000000 | two
{} and [] | 1b000000 00000000 | 1c000000 00000000 | two
0.0 and -0.0 | 03000000 00000000 | 03000000 00000080 | one
0.0 and 5e-324 | 03000000 00000000 | 03000100 01000000 00000000 | two
[0.0] and [-0.0] | 1c000000 01000000 03000000 00000000 | 1c000000 01000000 03000000 00000080 | one
{1: 0.0} and {1: -0.0} | 1b000000 01000000 02000000 01000000 03000000 00000000 | 1b000000 01000000 02000000 01000000 03000000 00000080 | one
{0.0: 1} and {-0.0: 1} | 1b000000 01000000 03000000 00000000 02000000 01000000 | 1b000000 01000000 03000000 00000080 02000000 01000000 | one
Vector2(0, 0) and Vector2(0, -0) | 05000000 00000000 00000000 | 05000000 00000000 00000080 | one
[Vector2(0, 0)] and [Vector2(0, -0)] | 1c000000 01000000 05000000 00000000 00000000 | 1c000000 01000000 05000000 00000000 00000080 | one
Color(0, 0, 0, 0) and Color(-0, 0, 0, 0) | 14000000 00000000 00000000 00000000 00000000 | 14000000 00000080 00000000 00000000 00000000 | one
Transform3D and one with -0 | 12000000 0000803f 00000000 00000000 00000000 0000803f 00000000 00000000 00000000 0000803f 00000000 00000000 00000000 | 12000000 0000803f 00000000 00000000 00000000 0000803f 00000000 00000000 00000000 0000803f 00000080 00000080 00000080 | one
PackedFloat32Array([0]) and ([-0]) | 20000000 01000000 00000000 | 20000000 01000000 00000080 | one
PackedFloat64Array([0]) and ([-0]) | 21000000 01000000 00000000 00000000 | 21000000 01000000 00000000 00000080 | one
PackedVector2Array([(0, 0)]) and ([(-0, 0)]) | 23000000 01000000 00000000 00000000 | 23000000 01000000 00000080 00000000 | one
PackedColorArray of 0 and -0 | 25000000 01000000 00000000 00000000 00000000 00000000 | 25000000 01000000 00000080 00000000 00000000 00000000 | one
[PackedFloat32Array([0])] and ([-0]) | 1c000000 01000000 20000000 01000000 00000000 | 1c000000 01000000 20000000 01000000 00000080 | one
NaN and NaN | 03000100 00000000 0000f87f | 03000100 00000000 0000f87f | one
NaN and another NaN | 03000100 00000000 0000f87f | 03000100 45230100 0000f8ff | one
NaN and inf | 03000100 00000000 0000f87f | 03000000 0000807f | two
Vector2 of NaNs | 05000000 0000c07f 0000803f | 05000000 0000c0ff 0000803f | one
Color of NaNs | 14000000 0000c07f 00000000 00000000 00000000 | 14000000 0000c0ff 00000000 00000000 00000000 | one
[Vector2 of NaNs] | 1c000000 01000000 05000000 0000c07f 0000803f | 1c000000 01000000 05000000 0000c0ff 0000803f | one
PackedFloat32Array of NaNs | 20000000 01000000 0000c07f | 20000000 01000000 0000c0ff | one
PackedFloat64Array of NaNs | 21000000 01000000 00000000 0000f87f | 21000000 01000000 45230100 0000f8ff | one
PackedVector2Array of NaNs | 23000000 01000000 0000c07f 0000803f | 23000000 01000000 0000c0ff 0000803f | one
{NaN: 1} | 1b000000 01000000 03000100 00000000 0000f87f 02000000 01000000 | 1b000000 01000000 03000100 45230100 0000f8ff 02000000 01000000 | one
Array[int] and Array[float], empty | 1c000100 02000000 00000000 | 1c000100 03000000 00000000 | one
Array[int] and Array, empty | 1c000100 02000000 00000000 | 1c000000 00000000 | one
Array[int]([1]) and [1] | 1c000100 02000000 01000000 02000000 01000000 | 1c000000 01000000 02000000 01000000 | one
[Array[int]([1])] and [[1]] | 1c000000 01000000 1c000100 02000000 01000000 02000000 01000000 | 1c000000 01000000 1c000000 01000000 02000000 01000000 | one
Array[String](["a"]) and ["a"] | 1c000100 04000000 01000000 04000000 01000000 61000000 | 1c000000 01000000 04000000 01000000 61000000 | one
Array[StringName]([&"a"]) and [&"a"] | 1c000100 15000000 01000000 15000000 01000000 61000000 | 1c000000 01000000 15000000 01000000 61000000 | one
Array[StringName]([&"a"]) and ["a"] | 1c000100 15000000 01000000 15000000 01000000 61000000 | 1c000000 01000000 04000000 01000000 61000000 | two
Array[Node] and Array[Resource], empty | 1c000200 11000000 456e636f 6465644f 626a6563 74417349 44000000 00000000 | 1c000200 11000000 456e636f 6465644f 626a6563 74417349 44000000 00000000 | one
Dictionary[int, int] and Dictionary, empty | 1b000500 02000000 02000000 00000000 | 1b000000 00000000 | one
Dictionary[String, int] and Dictionary[StringName, int] | 1b000500 04000000 02000000 01000000 04000000 01000000 61000000 02000000 01000000 | 1b000500 15000000 02000000 01000000 15000000 01000000 61000000 02000000 01000000 | one
Dictionary[StringName, int] and {"a": 1} | 1b000500 15000000 02000000 01000000 15000000 01000000 61000000 02000000 01000000 | 1b000000 01000000 04000000 01000000 61000000 02000000 01000000 | one
{1: 2, 3: 4} and {3: 4, 1: 2} | 1b000000 02000000 02000000 01000000 02000000 02000000 02000000 03000000 02000000 04000000 | 1b000000 02000000 02000000 03000000 02000000 04000000 02000000 01000000 02000000 02000000 | two
PackedStringArray(["a"]) and ["a"] | 22000000 01000000 02000000 61000000 | 1c000000 01000000 04000000 01000000 61000000 | two
PackedInt32Array([1]) and PackedInt64Array([1]) | 1e000000 01000000 01000000 | 1f000000 01000000 01000000 00000000 | two
PackedByteArray() and PackedInt32Array() | 1d000000 00000000 | 1e000000 00000000 | two
Vector2(1, 1) and Vector2i(1, 1) | 05000000 0000803f 0000803f | 06000000 01000000 01000000 | two
Vector2(1, 1) and the next one | 05000000 0000803f 0000803f | 05000000 0100803f 0000803f | two
^"/a" and ^"a" | 16000000 01000080 00000000 01000000 01000000 61000000 | 16000000 01000080 00000000 00000000 01000000 61000000 | two
^"a:b" and ^"a/b" | 16000000 01000080 01000000 00000000 01000000 61000000 01000000 62000000 | 16000000 02000080 00000000 00000000 01000000 61000000 01000000 62000000 | two
"#;

/// Keys that the engine never finds again, as a NaN is an element or the value of an entry. A store finds them.
const NEVER_FOUND: [&str; 2] = [
    "1c000000 01000000 03000100 00000000 0000f87f",                   // [NaN]
    "1b000000 01000000 02000000 01000000 03000100 00000000 0000f87f", // {1: NaN}
];

fn key(buffer: &[u8]) -> Vec<u8> {
    to_key(buffer).unwrap_or_else(|error| panic!("{buffer:02x?}: {error}"))
}

fn key_of(event: Event<'_>) -> Vec<u8> {
    key(&write(&[event]).expect("a value"))
}

/// Returns the buffer of a key, and checks that it has that key.
#[track_caller]
fn back(key: &[u8]) -> Vec<u8> {
    let buffer = from_key(key).unwrap_or_else(|| panic!("{key:02x?} is refused"));
    assert_eq!(to_key(&buffer).as_deref(), Ok(key), "the key of {buffer:02x?}");
    buffer
}

/// Checks that the keys of all pairs of values compare as the values do.
#[track_caller]
fn assert_order<T: std::fmt::Debug>(values: &[T], key: impl Fn(&T) -> Vec<u8>, compare: impl Fn(&T, &T) -> Ordering) {
    let keys: Vec<_> = values.iter().map(key).collect();
    for (a, a_key) in values.iter().zip(&keys) {
        back(a_key);
        for (b, b_key) in values.iter().zip(&keys) {
            assert_eq!(a_key.cmp(b_key), compare(a, b), "{a:?} and {b:?}");
        }
    }
}

/// -0.0 is 0.0, and NaN comes last.
fn compare(a: &f64, b: &f64) -> Ordering {
    a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

fn some_ints(random: &mut Random) -> Vec<i64> {
    let edges = [0, i32::MIN.into(), i32::MAX.into(), u32::MAX.into(), i64::MIN + 1, i64::MAX - 1];
    let near = edges.iter().flat_map(|edge| [edge - 1, *edge, edge + 1]);
    near.chain((0..times(60, 6)).map(|_| random.next() as i64 >> random.below(64))).collect()
}

fn some_floats(random: &mut Random) -> Vec<f64> {
    let edges = [0.0, 5e-324, f64::MIN_POSITIVE, 0.1, 1.0, 1.0 + f64::EPSILON, f64::MAX, f64::INFINITY, f64::NAN];
    let both = edges.iter().flat_map(|edge| [*edge, -edge]);
    both.chain((0..times(60, 6)).map(|_| f64::from_bits(random.next()))).collect()
}

#[test]
fn keys_of_numbers_sort_as_the_numbers() {
    let mut random = Random::new(20_270_101);
    assert_order(&some_ints(&mut random), |value| key_of(Event::Int(*value)), Ord::cmp);
    assert_order(&some_floats(&mut random), |value| key_of(Event::Float(*value)), compare);
    assert_order(&[false, true], |value| key_of(Event::Bool(*value)), Ord::cmp);
}

#[test]
fn keys_of_texts_sort_by_code_points() {
    let mut random = Random::new(20_270_102);
    let chars =
        ['a', 'b', '\u{1}', '\u{7f}', 'ß', '\u{7ff}', '日', '\u{d7ff}', '\u{e000}', '\u{ffff}', '😀', '\u{10ffff}'];
    let mut texts: Vec<Vec<char>> = vec![vec![]];
    texts.extend((0..times(150, 10)).map(|_| (0..random.below(5)).map(|_| random.pick(&chars)).collect()));
    let text = |chars: &Vec<char>| key_of(Event::String(Text::Utf8(&String::from_iter(chars))));
    assert_order(&texts, text, Ord::cmp);
}

#[test]
fn keys_of_vectors_sort_by_component_after_component() {
    let mut random = Random::new(20_270_103);
    for (id, len) in [(6, 2), (10, 3), (13, 4)] {
        let few = [i32::MIN, -2, -1, 0, 1, 255, 256, i32::MAX];
        let vectors: Vec<Vec<i32>> =
            (0..times(150, 10)).map(|_| (0..len).map(|_| random.pick(&few)).collect()).collect();
        let of = |vector: &Vec<i32>| {
            let vector: Vec<_> = vector.iter().map(|int| *int as u32).collect();
            key(&[words(&[id]), words(&vector)].concat())
        };
        assert_order(&vectors, of, Ord::cmp);
    }
    let few = [f64::NEG_INFINITY, -1.5, -1.0, -0.0, 0.0, 1e-9, 0.1, 1.0, f64::INFINITY, f64::NAN];
    let vectors: Vec<[f64; 2]> = (0..times(150, 10)).map(|_| [random.pick(&few), random.pick(&few)]).collect();
    let by_components = |a: &[f64; 2], b: &[f64; 2]| compare(&a[0], &b[0]).then(compare(&a[1], &b[1]));
    assert_order(&vectors, |vector| key(&[words(&[5 | 1 << 16]), doubles(vector)].concat()), by_components);
    let singles: Vec<[f32; 2]> = vectors.iter().map(|vector| vector.map(|float| float as f32)).collect();
    let widened = |a: &[f32; 2], b: &[f32; 2]| by_components(&a.map(f64::from), &b.map(f64::from));
    assert_order(&singles, |vector| key(&[words(&[5]), floats(vector)].concat()), widened);
}

#[test]
fn values_have_one_key_where_the_engine_says_so() {
    let (mut compared, mut wide) = (0, 0);
    for [name, a, b, answer] in rows(PAIRS) {
        let (a, b) = (hex(a), hex(b));
        assert_eq!(key(&a) == key(&b), answer == "one", "{name}: {a:02x?} and {b:02x?}");
        compared += 1;
        // An engine with double precision has the same keys.
        let [a_wide, b_wide] = [&a, &b].map(|bytes| widened(bytes));
        wide += usize::from(a_wide != a);
        assert_eq!([key(&a_wide), key(&b_wide)], [key(&a), key(&b)], "{name} in 64 bits");
    }
    assert!(compared > 55 && wide > 7, "{compared} pairs, {wide} of them with real_t");
    for value in NEVER_FOUND {
        back(&key(&hex(value)));
    }
}

fn widened(bytes: &[u8]) -> Vec<u8> {
    Translation::new(Dialect::GODOT_4, Dialect::GODOT_4_DOUBLE).bytes(bytes).expect("a value").0
}

#[test]
fn a_key_has_the_form_that_files_have() {
    for (buffer, form) in [
        ("00000000", "00"),
        ("01000000 01000000", "01 01"),
        ("02000000 05000000", "02 8000000000000005"),
        ("02000000 ffffffff", "02 7fffffffffffffff"),
        ("03000000 0000803f", "03 bff0000000000000"),
        ("03000000 000080bf", "03 400fffffffffffff"),
        ("03000100 01000000 0000f0ff", "03 fff8000000000000"),
        ("15000000 01000000 61000000", "04 61"),
        ("04000000 07000000 efbbbfefbbbf6100", "04 61"),
        ("05000000 00000080 000000c0", "05 8000000000000000 3fffffffffffffff"),
        ("06000000 01000000 feffffff", "06 80000001 7ffffffe"),
        (
            "14000000 0000803f 00000000 00000000 0000803f",
            "14 bff0000000000000 8000000000000000 8000000000000000 bff0000000000000",
        ),
        ("1d000000 01000000 07000000", "1d 01000000 07000000"),
        ("20000000 02000000 0000c0ff 00000080", "20 02000000 0000c07f 00000000"),
        ("1c000100 02000000 01000000 02000000 05000000", "1c 01000000 02000000 05000000"),
        ("1c000000 01000000 05000000 0000803f 00000080", "1c 01000000 05000100 00000000 0000f03f 00000000 00000000"),
        ("23000000 01000000 0000803f 00000080", "23 01000000 00000000 0000f03f 00000000 00000000"),
    ] {
        assert_eq!(key(&hex(buffer)), hex(form), "{buffer}");
    }
}

/// Whether the value surely is its own canonical form, and whether it holds what no key can.
fn judge(events: &[Event<'_>]) -> (bool, bool) {
    let is_refused = |event: &Event<'_>| {
        matches!(
            event,
            Event::Object { .. } | Event::ObjectId(_) | Event::Callable | Event::Signal { .. } | Event::Rid(_)
        )
    };
    let is_odd = |float: f64| float.is_nan() || float.to_bits() == (-0.0_f64).to_bits();
    let is_plain = |event: &Event<'_>| match event {
        Event::StringName(_) => false,
        Event::Float(float) => !is_odd(*float),
        // At worst these are halves of other scalars, and the value counts as odd.
        Event::Components(plain) | Event::Packed(plain) => {
            let words = plain.bytes.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word).into());
            let wide = plain.bytes.as_chunks().0.iter().map(|word| f64::from_le_bytes(*word));
            !words.chain(wide).any(is_odd)
        }
        Event::Array { element, .. } => *element == ElementType::Any,
        Event::Dictionary { key, value, .. } => [*key, *value] == [ElementType::Any; 2],
        _ => true,
    };
    (events.iter().all(is_plain), events.iter().any(is_refused))
}

/// Checks that the key of a value leads back to it, or that it has none. Returns whether it came back as it was.
#[track_caller]
fn assert_key(bytes: &[u8], name: &str) -> bool {
    let Ok((events, consumed)) = read(bytes) else {
        assert!(to_key(bytes).is_err(), "{name}: it is no value");
        return false;
    };
    let (is_canonical, is_refused) = judge(&events);
    let found = to_key(bytes);
    assert_eq!(found.is_err(), is_refused || consumed < bytes.len(), "{name}: {found:?}");
    let Ok(key) = found else { return false };
    let buffer = back(&key);
    if !is_canonical || write(&events).as_deref() != Ok(bytes) {
        return false;
    }
    let is_back = buffer == bytes || widened(&buffer) == bytes;
    assert!(is_back, "{name}: {bytes:02x?} came back as {buffer:02x?}");
    true
}

#[test]
fn every_vector_has_a_key_that_leads_back() {
    let kept = vectors::buffers().filter(|vector| assert_key(&vector.bytes, vector.name)).count();
    let wide = vectors::double_encoded().into_iter().filter_map(|vector| Some((vector.name, vector.bytes?)));
    let kept_wide = wide.filter(|(name, bytes)| assert_key(bytes, name)).count();
    assert!(kept > 150 && kept_wide > 20, "{kept} and {kept_wide} vectors came back as they were");
}

#[test]
fn what_no_key_can_be_is_an_error_with_its_path() {
    let text = |bytes: &str| to_key(&hex(bytes)).expect_err("no key").to_string();
    let refused = "expected a key without objects, Callables, Signals and RIDs, found";
    assert_eq!(text("17000000 0700000000000000"), format!("{refused} RID, at byte 0"));
    assert_eq!(text("1c000000 02000000 00000000 19000000"), format!("{refused} Callable, at byte 12 inside [1]"));
    assert_eq!(text("18000000 01000000 41000000 00000000"), format!("{refused} Object, at byte 0"));
    assert_eq!(text("02000000 01000000 00"), "expected nothing after the value, found 1 byte, at byte 8");
    assert_eq!(text(""), "expected 4 more bytes for a header, found 0, at byte 0");
    let deep = |levels| [words(&[28, 1]).repeat(levels), words(&[0])].concat();
    back(&key(&deep(1000)));
    assert!(to_key(&deep(2000)).is_err() && to_key(&[28].repeat(4000)).is_err());
}

/// What an engine has, and would read as another value.
#[test]
fn texts_that_are_read_as_others_are_no_exact_keys() {
    for (bytes, is_exact) in [
        ("04000000 04000000 efbbbf61", false),                            // "\uFEFFa"
        ("15000000 04000000 efbbbf61", false),                            // &"\uFEFFa"
        ("04000000 04000000 61efbbbf", true),                             // "a\uFEFF"
        ("04000000 02000000 61000000", false),                            // "a\0"
        ("04000000 03000000 61006200", false),                            // "a\0b"
        ("04000000 01000000 61000000", true),                             // "a"
        ("04000000 00000000", true),                                      // ""
        ("1c000000 01000000 04000000 04000000 efbbbf61", false),          // ["\uFEFFa"]
        ("22000000 01000000 05000000 efbbbf61 00000000", false),          // PackedStringArray
        ("22000000 02000000 02000000 61000000 01000000 00000000", true),  // of "a" and ""
        ("22000000 01000000 04000000 61006200", false),                   // of "a\0b"
        ("16000000 01000080 00000000 00000000 04000000 efbbbf61", false), // NodePath
        ("16000000 01000080 01000000 00000000 01000000 61000000 01000000 62000000", true), // ^"a:b"
        ("1b000000 01000000 15000000 01000000 61000000 04000000 03000000 61006200", false), // {&"a": "a\0b"}
        ("02000000 01000000", true),
        ("1c000000 02000000 22000000 00000000 16000000 01000080 00000000 00000000 01000000 61000000", true),
    ] {
        let (buffer, key) = (hex(bytes), to_exact_key(&hex(bytes)));
        assert_eq!(key.is_ok(), is_exact, "{bytes}: {key:?}");
        assert!(key.is_err() || key == to_key(&buffer), "{bytes}");
        assert!(to_key(&buffer).is_ok(), "{bytes}");
    }
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn every_value_has_a_key_that_leads_back(value in any_value(Width::Single), wide in any_value(Width::Double)) {
        assert_key(&write(&value.events()).expect("a value"), "single");
        assert_key(&write_in(Dialect::GODOT_4_DOUBLE, &wide.events()).expect("a value"), "double");
    }

    #[test]
    fn both_precisions_have_the_same_keys(value in any_value(Width::Single)) {
        let bytes = write(&value.events()).expect("a value");
        if let Ok(key) = to_key(&bytes) {
            prop_assert_eq!(to_key(&widened(&bytes)), Ok(key));
        }
    }
}

#[test]
fn a_prefix_has_the_strings_that_begin_with_it() {
    let mut random = Random::new(20_270_106);
    let chars = ['a', 'b', '\u{7f}', 'é', '\u{ffff}', '\u{10ffff}'];
    let mut text = |most| -> String { (0..random.below(most)).map(|_| random.pick(&chars)).collect() };
    let others = [words(&[0]), words(&[3, 0]), words(&[5, 0, 0]), [words(&[28, 1]), string("a")].concat()];
    let mut found = 0;
    for _ in 0..times(3000, 30) {
        let (prefix, text) = (text(3), text(6));
        let range = prefix_range(&prefix);
        assert_eq!(range.start, key(&string(&prefix)));
        let is_in = range.contains(&key(&string(&text)));
        assert_eq!(is_in, text.starts_with(&prefix), "{prefix:?} of {text:?}");
        found += usize::from(is_in);
        assert!(!others.iter().any(|other| range.contains(&key(other))));
    }
    assert!(cfg!(miri) || found > 300, "{found} in their range");
}

/// Components of a scalar that the table does not have today would need a form.
#[test]
fn every_kind_has_a_form() {
    for kind in Kind::ALL {
        if let Shape::Components { .. } = kind.shape() {
            for width in [Width::Single, Width::Double] {
                let len = kind.shape().element_len(width).expect("components");
                let value = Value::plain(kind, width, (1..=len as u8).collect());
                let dialect = Dialect { real: width, ..Dialect::GODOT_4 };
                let bytes = write_in(dialect, &value.events()).expect("a value");
                assert_eq!(back(&key(&bytes)), bytes, "{}", kind.name());
            }
        }
    }
}
