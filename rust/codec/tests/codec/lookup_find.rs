//! Guards: `find` leads where `lookup` does, in sound, cut and changed buffers, unless a typed container is in the way.

use varbatch_codec::lookup::{Found, Key, LookupErrorKind, Seek, Target, find, lookup};
use varbatch_codec::{CodecError, Dialect, Kind, Reader};

use crate::support::nearly;
use crate::support::random::Random;
use crate::support::times;
use crate::support::wire::{string, words};

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
            Err(error) if matches!(error.kind(), LookupErrorKind::NoStep(_)) && found == Ok(Found::Nothing) => {}
            Err(error) if matches!(error.kind(), LookupErrorKind::Damaged(inner) if found.as_ref() == Err(inner)) => {
                damaged += 1;
            }
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
fn an_error_names_the_whole_path() {
    // {"a": [1, a value of no type]}
    let bytes = [words(&[27, 1]), letter(4, 0), words(&[28, 2, 2, 1, 99, 0])].concat();
    let error = found(&bytes, &[&letter(4, 0), &words(&[2, 1])]).unwrap_err().to_string();
    assert!(error.ends_with("at byte 43 inside [\"a\"][1]"), "{error}");
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
}
