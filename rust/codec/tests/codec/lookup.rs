//! Guards: a lookup finds what decoding all and following the path would find, by any path of any value.

use varbatch_codec::lookup::{Key, Seek, Target, lookup};
use varbatch_codec::{Dialect, Engine, PathStep};

use crate::support::looked_up::looked_up;
use crate::support::nearly;
use crate::support::random::Random;
use crate::support::vectors::{self, hex};

#[test]
fn every_value_of_every_vector_is_found_at_its_path() {
    vectors::all().for_each(|vector| looked_up(&vector.bytes, vector.engine));
}

#[test]
fn every_value_of_nested_ones_is_found_at_its_path() {
    let mut random = Random::new(20_261_122);
    for engine in Engine::ALL {
        for _ in 0..if engine == Engine::Godot4 { 20_000 } else { 5_000 } {
            looked_up(&nearly::value_of(engine, &mut random, 4, 10), engine);
        }
    }
}

const A: &str = "04000000 01000000 61000000";
const B: &str = "04000000 01000000 62000000";
const NAME_A: &str = "15000000 01000000 61000000";

fn int(value: u32) -> String {
    format!("02000000 {}", value.to_le_bytes().map(|byte| format!("{byte:02x}")).concat())
}

/// A step of Godot 4.
fn seek(bytes: &[u8]) -> Seek<'_> {
    Seek::Key(Key::of(bytes, Dialect::GODOT_4).expect("a key"))
}

/// What a path of encoded values leads to, or the error.
#[track_caller]
fn at(bytes: &str, path: &[&str]) -> Result<(usize, String), String> {
    let (bytes, path): (_, Vec<_>) = (hex(bytes), path.iter().map(|step| hex(step)).collect());
    let path: Vec<_> = path.iter().map(|step| seek(step)).collect();
    match lookup(&bytes, 100, Dialect::GODOT_4, &path) {
        Ok(Target::Value { at, bytes }) => Ok((at, format!("{bytes:02x?}"))),
        Ok(Target::Element { at, plain }) => Ok((at, format!("{:02x?}", plain.bytes))),
        Ok(Target::Text { at, text }) => Ok((at, text.to_utf8().into_owned())),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn of_a_key_or_property_that_is_there_twice_the_first_counts() {
    let twice = format!("1b000000 03000000 {A} {} {B} {} {NAME_A} {}", int(1), int(2), int(3));
    assert_eq!(at(&twice, &[A]).map(|(at, _)| at), Ok(100 + 8 + 12));
    assert_eq!(at(&twice, &[A]), at(&twice, &[NAME_A]), "a String is the same key as a StringName");
    assert_eq!(at(&twice, &[B]).map(|(at, _)| at), Ok(100 + 8 + 12 + 8 + 12));
    // The engine writes a null for each freed object.
    let nulls = format!("1b000000 03000000 00000000 {} 00000000 {} {A} 63000000", int(1), int(2));
    assert_eq!(at(&nulls, &["00000000"]).map(|(at, _)| at), Ok(100 + 8 + 4 + 8 + 4));
    let object =
        format!("18000000 01000000 43000000 02000000 01000000 61000000 {} 01000000 61000000 {}", int(1), int(2));
    assert_eq!(at(&object, &[A]).map(|(at, _)| at), Ok(100 + 16 + 8));
}

#[test]
fn keys_are_the_same_as_in_the_engine() {
    // 1 as 64 bits, 0.5 as 64 bits, a Vector2 with -0, not a number.
    let wide = "02000100 01000000 00000000";
    let half = "03000100 00000000 0000e03f";
    let zero = "05000000 00000080 00000080";
    let nan = "03000100 01000000 0000f8ff";
    let keys = format!("1b000000 04000000 {wide} 00000000 {half} 00000000 {zero} 00000000 {nan} 00000000");
    assert!(at(&keys, &[&int(1)]).is_ok());
    assert!(at(&keys, &["03000000 0000003f"]).is_ok());
    assert!(at(&keys, &["05000000 00000000 00000000"]).is_ok());
    assert!(at(&keys, &["03000000 0000c07f"]).is_ok());
    assert_eq!(at(&keys, &["03000000 0000803f"]), Err("expected an existing key, found no key 1.0".into()));
}

#[test]
fn what_leads_nowhere_is_said_with_its_path() {
    let texts = "22000000 01000000 02000000 61000000";
    let list = format!("1c000000 02000000 {texts} {}", int(7));
    let whole = format!("1b000000 01000000 {A} {list}");
    let container = "expected an Array, a Dictionary, an object or a packed array, found int inside [\"a\"][1]";
    let end = "expected the path to end at an element of PackedStringArray, found 1 more step inside [\"a\"][0][0]";
    let (zero, one, two) = (&int(0)[..], &int(1)[..], &int(2)[..]);
    for (path, error) in [
        (&[B][..], "expected an existing key, found no key \"b\""),
        (&[A, A], "expected an int as the index of an element of Array, found \"a\" inside [\"a\"]"),
        (&[A, two], "expected the index of one of 2 elements of Array, found 2 inside [\"a\"]"),
        (&[A, one, A], container),
        (&[A, zero, zero, A], end),
        (&[A, zero, one], "expected the index of one of 1 elements of PackedStringArray, found 1 inside [\"a\"][0]"),
    ] {
        assert_eq!(at(&whole, path), Err(error.into()));
    }
    let broken = Key::of(&hex("63000000"), Dialect::GODOT_4).expect_err("no value").to_string();
    assert!(broken.contains("expected an encoded value as a step of the path, found a broken one"));
}

#[test]
fn damage_counts_where_the_path_leads_through_it() {
    let whole = format!("1b000000 02000000 {A} 1c000000 02000000 {} 63000000", int(7));
    assert_eq!(at(&whole, &[A, &int(0)]).map(|(at, _)| at), Ok(100 + 8 + 12 + 8));
    let error = "expected a type from 0 to 38, found 99, at byte 136";
    assert_eq!(at(&whole, &[A, &int(1)]), Err(format!("{error} inside [\"a\"][1]")));
    assert_eq!(at(&whole, &[A]), Err(format!("{error} inside [\"a\"]")));
    // Any key might still come.
    assert_eq!(at(&whole, &[B]), Err(error.into()));
    for cut in 0..hex(&whole).len() {
        let cut = &hex(&whole)[..cut];
        let (key, index) = (hex(A), hex(&int(0)));
        let found = lookup(cut, 0, Dialect::GODOT_4, &[seek(&key), seek(&index)]);
        assert_eq!(found.is_ok(), cut.len() >= 36, "{} bytes: {found:?}", cut.len());
    }
}

#[test]
fn a_condition_holds_for_one_key_alone() {
    let bytes = hex(&format!("1b000000 03000000 {A} {} {B} {} 00000000 {}", int(1), int(2), int(3)));
    let find =
        |is: &dyn Fn(PathStep<'_>) -> bool| lookup(&bytes, 0, Dialect::GODOT_4, &[Seek::Where { is, name: "so" }]);
    let is_nil = |step: PathStep<'_>| matches!(step, PathStep::Key([0, 0, 0, 0]));
    let is_text = |step: PathStep<'_>| matches!(step, PathStep::Key([4, ..]));
    assert_eq!(find(&is_nil), Ok(Target::Value { at: bytes.len() - 8, bytes: &hex(&int(3)) }));
    assert_eq!(find(&is_text).unwrap_err().to_string(), "expected a unique key, found key so more than once");
    assert_eq!(find(&|_| false).unwrap_err().to_string(), "expected an existing key, found no key so");
    let key = lookup(&bytes, 0, Dialect::GODOT_4, &[Seek::KeyOf(1)]);
    assert_eq!(key, Ok(Target::Value { at: 28, bytes: &hex(B) }));
    let none = lookup(&bytes, 0, Dialect::GODOT_4, &[Seek::KeyOf(3)]).unwrap_err().to_string();
    assert_eq!(none, "expected an existing key, found no key number 3");
}
