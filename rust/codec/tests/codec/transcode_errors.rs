//! Guards: what cannot be translated is refused with what it is, where it sits in the bytes and inside what; and nothing
//! of it is left.

use varbatch_codec::transcode::{Losses, Translation};
use varbatch_codec::{CodecError, CodecErrorKind, Dialect, Reader, Writer, validate};

use crate::support::steps::read;
use crate::support::translated::assert_becomes;
use crate::support::vectors;
use crate::support::wire::{object, string, words};

fn error(from: Dialect, to: Dialect, bytes: &[u8]) -> CodecError {
    Translation::new(from, to).bytes(bytes).expect_err("no such value")
}

#[test]
fn a_key_and_a_property_without_a_home_are_found() {
    let vector = words(&[10, 1, 2, 3]);
    for (bytes, place) in [
        ([words(&[27, 1]), vector.clone(), words(&[0])].concat(), "at byte 8 inside [key 0]"),
        ([words(&[27, 1]), words(&[2, 7]), vector.clone()].concat(), "at byte 16 inside [7]"),
        (object(24, "Node", &[("a", words(&[0])), ("where", vector)]), "at byte 40 inside .where"),
    ] {
        let line = format!("expected a type that Godot 3 has, found Vector3i, {place}");
        assert_eq!(error(Dialect::GODOT_4, Dialect::GODOT_3, &bytes).to_string(), line);
    }
}

#[test]
fn a_type_of_elements_without_a_home_is_lost_with_no_element_of_it() {
    let empty = words(&[28, 1, 0x1_001c, 25, 0]);
    for (to, id) in [(Dialect::GODOT_3, 19), (Dialect::PANDEMONIUM, 26)] {
        let line = "1 typed container became untyped, at byte 8 inside [0]";
        assert_becomes(Dialect::GODOT_4, to, &empty, &words(&[id, 1, id, 0]), line);
        let error = error(Dialect::GODOT_4, to, &words(&[28, 1, 0x1_001c, 25, 1, 25]));
        assert_eq!(error.at(), 20, "{error}");
    }
}

#[test]
fn damage_is_that_of_the_reader() {
    let mut failed = 0;
    let mut check = |from: Dialect, bytes: &[u8], allow_objects| {
        let reader = || Reader::new(bytes).with_dialect(from).with_objects(allow_objects);
        let Err(expected) = validate(reader()) else { return };
        for to in [Dialect::GODOT_4, Dialect::GODOT_3, Dialect::PANDEMONIUM] {
            let translation = Translation { allow_objects, ..Translation::new(from, to) };
            let found = translation.bytes(bytes).expect_err("damaged");
            // What has no home may come before it.
            if !matches!(found.kind(), CodecErrorKind::NoSuchType { .. }) {
                assert_eq!(found, expected, "{bytes:02x?}");
                failed += 1;
            }
        }
    };
    for vector in vectors::all() {
        let from = Dialect::of(vector.engine);
        check(from, &vector.bytes, vector.allow_objects);
        check(from, &vector.bytes[..vector.bytes.len() / 2], true);
    }
    assert!(failed > 500, "{failed} failed");
}

#[test]
fn what_follows_a_value_is_left_and_its_length_is_told() {
    let value = [words(&[19, 1]), string("abc")].concat();
    let bytes = [&value[..], &[0xff; 5]].concat();
    let line = format!("1 value was followed by bytes that are none of its, at byte {}", value.len());
    let there = [words(&[28, 1]), string("abc")].concat();
    assert_becomes(Dialect::GODOT_3, Dialect::GODOT_4, &bytes, &there, &line);
    let mut writer = Writer::new(Dialect::GODOT_4);
    let translation = Translation::new(Dialect::GODOT_3, Dialect::GODOT_4);
    assert_eq!(translation.value(&bytes, 0, &mut writer, &mut Losses::default()), Ok(value.len()));
}

#[test]
fn a_value_that_fails_leaves_what_was_before_it() {
    let translation = Translation::new(Dialect::GODOT_4, Dialect::GODOT_3);
    let mut writer = Writer::new(Dialect::GODOT_3);
    let mut losses = Losses::default();
    let (good, bad) = (words(&[2, 5]), words(&[28, 2, 2, 1, 6, 0, 0]));
    for round in 0..3 {
        let start = writer.mark();
        translation.value(&good, 0, &mut writer, &mut losses).expect("an int");
        writer.end_value(start).expect("whole");
        let start = writer.mark();
        let error = translation.value(&bad, 1000, &mut writer, &mut losses).expect_err("a Vector2i");
        assert_eq!(error.at(), 1000 + 16, "round {round}");
        writer.drop_value(start);
    }
    assert_eq!(writer.into_plan().to_vec(), good.repeat(3));
}

#[test]
fn the_deepest_values_are_translated_and_no_deeper_ones() {
    let nested = |id, levels: usize, inner: &[u8]| [words(&[id, 1]).repeat(levels), inner.to_vec()].concat();
    for (from, to, ids) in [
        (Dialect::GODOT_3, Dialect::GODOT_4, [19, 28]),
        (Dialect::GODOT_4, Dialect::PANDEMONIUM, [28, 26]),
        (Dialect::PANDEMONIUM, Dialect::GODOT_4_DOUBLE, [26, 28]),
    ] {
        let deepest = nested(ids[0], 1024, &words(&[2, 7]));
        let (there, _) = Translation::new(from, to).bytes(&deepest).expect("deep");
        assert_eq!(there, nested(ids[1], 1024, &words(&[2, 7])));
        let error = error(from, to, &nested(ids[0], 1025, &words(&[2, 7])));
        assert_eq!((error.kind(), error.at()), (&CodecErrorKind::TooDeep, 1025 * 8));
    }
    // A pool of vectors becomes an Array, whose elements lie one deeper.
    let pool = |count| words(&[&[34, count][..], &[1; 4][..2 * count as usize]].concat());
    for (levels, count, fits) in [(1023, 2, true), (1024, 0, true), (1024, 1, false)] {
        let bytes = nested(26, levels, &pool(count));
        let result = Translation::new(Dialect::PANDEMONIUM, Dialect::GODOT_4).bytes(&bytes);
        assert_eq!(result.is_ok(), fits, "{levels} levels");
        match result {
            Ok((there, _)) => assert_eq!(read(&there).expect("reads").1, there.len()),
            Err(error) => assert_eq!((error.kind(), error.at()), (&CodecErrorKind::TooDeep, levels * 8 + 8)),
        }
    }
}
