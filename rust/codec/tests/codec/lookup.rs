//! Guards: a lookup finds what decoding all and following the path would find, by any path of any value; `find` leads
//! where `lookup` does, in sound, cut and changed buffers, unless a typed container is in the way.

use varbatch_codec::lookup::{Found, Key, LookupError, Seek, Target, find, lookup};
use varbatch_codec::{CodecError, Dialect, Engine, Kind, PathStep, Reader};

use crate::support::looked_up::looked_up;
use crate::support::random::Random;
use crate::support::vectors::{self, hex};
use crate::support::wire::{string, words};
use crate::support::{nearly, times};

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

/// A text of one letter, of the type with this id.
fn letter(id: u32, letter: usize) -> Vec<u8> {
    words(&[id, 1, u32::from(b'a') + letter as u32])
}

/// An encoded step: an int, or a text of one letter.
fn step(random: &mut Random) -> Vec<u8> {
    match random.below(2) {
        0 => words(&[2, random.below(4) as u32]),
        _ => letter(random.pick(&[4, 21]), random.below(3)),
    }
}

/// Encodes a Dictionary or an Array of small ones, with single letters as keys.
fn nested(random: &mut Random, depth: usize, slips: usize, bytes: &mut Vec<u8>) {
    let count = random.below(4);
    match random.below(if depth == 0 { 1 } else { 3 }) {
        0 => bytes.extend(nearly::value(random, 0, slips)),
        1 => {
            bytes.extend(words(&[28, count as u32]));
            (0..count).for_each(|_| nested(random, depth - 1, slips, bytes));
        }
        _ => {
            bytes.extend(words(&[27, count as u32]));
            for index in 0..count {
                // Another key may be anything.
                let is_letter = random.below(5) > 0;
                let key =
                    if is_letter { letter(random.pick(&[4, 21]), index) } else { nearly::value(random, 0, slips) };
                bytes.extend(key);
                nested(random, depth - 1, slips, bytes);
            }
        }
    }
}

/// What `find` comes to by a path of encoded keys.
fn found<'a>(bytes: &'a [u8], path: &[&[u8]]) -> Result<Found<'a>, CodecError> {
    let keys = path.iter().map(|step| Key::of(step, Dialect::GODOT_4).expect("a key"));
    find(bytes, 7, Dialect::GODOT_4, &keys.collect::<Vec<_>>())
}

#[test]
fn find_leads_where_lookup_does() {
    let (mut random, mut found_count, mut damaged) = (Random::new(20_261_123), 0, 0);
    for _ in 0..times(200_000, 200) {
        let mut bytes = Vec::new();
        nested(&mut random, 3, 1000, &mut bytes);
        match random.below(4) {
            0 => bytes.truncate(random.below(bytes.len() + 1)),
            1 if !bytes.is_empty() => {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
            _ => {}
        }
        let steps: Vec<_> = (0..random.below(4)).map(|_| step(&mut random)).collect();
        let path: Vec<_> = steps.iter().map(Vec::as_slice).collect();
        let keys: Vec<_> = path.iter().map(|step| Key::of(step, Dialect::GODOT_4).expect("a key")).collect();
        let seeks: Vec<_> = keys.iter().copied().map(Seek::Key).collect();
        let found = find(&bytes, 7, Dialect::GODOT_4, &keys);
        match lookup(&bytes, 7, Dialect::GODOT_4, &seeks) {
            Ok(target) if found == Ok(Found::Target(target)) => found_count += 1,
            Err(LookupError::NoStep { .. }) if found == Ok(Found::Nothing) => {}
            Err(LookupError::Damaged(error)) if found.as_ref() == Err(&error) => damaged += 1,
            // A type that a slip gave a container, which is then read to its end.
            expected => {
                let is_damaged = Reader::new(&bytes).with_objects(true).skip_value().is_err();
                let is_typed = match found {
                    Ok(found) => matches!(found, Found::Mistyped { .. } | Found::OtherKey { .. }),
                    Err(_) => is_damaged,
                };
                assert!(is_typed, "{expected:?}, found {found:?}: {path:02x?} in {bytes:02x?}");
            }
        }
    }
    assert!(found_count > times(20_000, 10) && damaged > times(1000, 1), "{found_count} found, {damaged} damaged");
}

#[test]
fn a_key_that_is_no_utf8_behind_the_one_found_is_not_looked_at() {
    // {"é": 1, a text that is not UTF-8: 2}
    let bytes = [words(&[27, 2]), string("é"), words(&[2, 1]), string(b"\xff"), words(&[2, 2])].concat();
    let target = Target::Value { at: 27, bytes: &bytes[20..28] };
    assert_eq!(found(&bytes, &[&string("é")]), Ok(Found::Target(target)));
}

#[test]
fn a_key_is_compared_as_it_is_read() {
    // Reading takes away one byte-order mark, of a key and of a step.
    let text = |marks: usize| string([&b"\xef\xbb\xbf".repeat(marks)[..], b"a"].concat());
    let int = words(&[2, 7]);
    let bytes = [words(&[27, 2]), text(1), int.clone(), text(2), int.clone()].concat();
    let first = 8 + text(1).len();
    for (marks, at) in [(0, first), (1, first), (2, first + int.len() + text(2).len())] {
        let target = Target::Value { at: 7 + at, bytes: &bytes[at..][..int.len()] };
        assert_eq!(found(&bytes, &[&text(marks)]), Ok(Found::Target(target)), "{marks} marks");
    }
}

/// Encodes an Array of `count` elements of which most have the same layout, and some are Arrays like it.
fn long(random: &mut Random, count: usize, depth: usize, bytes: &mut Vec<u8>) {
    bytes.extend(words(&[28, count as u32]));
    let (mut like, mut other) = (Vec::new(), Vec::new());
    nested(random, 2, 0, &mut like);
    nested(random, 1, 0, &mut other);
    let inner = random.below(count);
    for index in 0..count {
        match random.below(100) {
            _ if index == inner && depth > 0 => {
                let count = 512 + random.below(3);
                long(random, count, depth - 1, bytes);
            }
            0 => bytes.extend(&other),
            1 => nested(random, 2, 0, bytes),
            _ => bytes.extend(&like),
        }
    }
}

#[test]
fn long_arrays_are_passed_as_a_reader_passes_them() {
    let (mut random, mut sound, mut damaged) = (Random::new(20_261_124), 0, 0);
    let (head, key, value) = ([words(&[27, 2]), letter(4, 0)].concat(), letter(4, 1), words(&[2, 7]));
    for round in 0..times(3000, 60) {
        let (mut array, count) = (Vec::new(), 500 + random.below(30));
        long(&mut random, count, round % 3, &mut array);
        if random.below(3) == 0 {
            let at = random.below(array.len());
            array[at] = random.below(256) as u8;
        }
        let bytes = [&head[..], &array, &key, &value].concat();
        let found = found(&bytes, &[&key]);
        let mut reader = Reader::new(&bytes[head.len()..]).with_objects(true).with_trusted_counts();
        let read = reader.skip_value();
        if read.is_ok() && reader.position() == array.len() {
            sound += 1;
            let at = bytes.len() - value.len();
            assert_eq!(found, Ok(Found::Target(Target::Value { at: at + 7, bytes: &bytes[at..] })));
        } else {
            damaged += 1;
        }
    }
    assert!(sound > times(1500, 20) && damaged > times(100, 3), "{sound} sound, {damaged} damaged");
}

#[test]
fn what_decoding_converts_is_not_passed() {
    // Array[float] of 1.0, the int 7 and 2.0; Dictionary[float, Variant] of the int 1 and a bool; an untyped one of the
    // key Array[float] of the int 7.
    let array = words(&[0x0001_001c, 3, 3, 3, 0x3f80_0000, 2, 7, 3, 0x4000_0000]);
    let index = |index| words(&[2, index]);
    let mistyped = |bytes| Ok(Found::Mistyped { step: 0, at: 7, bytes });
    let at = |at: usize, bytes| Ok(Found::Target(Target::Value { at: 7 + at, bytes }));
    assert_eq!(found(&array, &[&index(0)]), at(12, &array[12..20]));
    assert_eq!(found(&array, &[&index(1)]), mistyped(&array));
    assert_eq!(found(&array, &[&index(2)]), mistyped(&array));
    assert_eq!(found(&array, &[&index(3)]), Ok(Found::Nothing));
    let floats = words(&[0x0001_001b, 3, 2, 3, 0x3f80_0000, 0, 2, 7, 0]);
    let (one, seven) = (words(&[3, 0x3f80_0000]), words(&[3, 0x40e0_0000]));
    assert_eq!(found(&floats, &[&one]), at(20, &floats[20..24]));
    assert_eq!(found(&floats, &[&seven]), mistyped(&floats));
    assert_eq!(found(&floats, &[&index(1)]), Ok(Found::OtherKey { step: 0, kind: Kind::Float }));
    let inner = words(&[27, 1, 0x0001_001c, 3, 1, 2, 7, 0]);
    assert_eq!(found(&inner, &[&words(&[28, 1, 2, 7])]), mistyped(&inner));
    assert_eq!(found(&inner, &[&words(&[27, 0])]), Ok(Found::Nothing));
    // Containers are the same key whatever their types.
    let typed = words(&[27, 1, 0x0001_001c, 2, 1, 2, 7, 0]);
    assert_eq!(found(&typed, &[&words(&[28, 1, 2, 7])]), at(28, &typed[28..]));
    let strings = [words(&[0x0001_001b, 4, 1]), letter(21, 0), words(&[2, 7])].concat();
    assert_eq!(found(&strings, &[&letter(4, 0)]), at(24, &strings[24..]));
}
