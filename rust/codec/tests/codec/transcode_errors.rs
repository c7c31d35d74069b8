//! Guards: what cannot be translated is refused with what it is, where it sits in the bytes and inside what; and nothing
//! of it is left.
//!
//! Guards: objects get the names that their class and properties have in the other engine, each its own, and lose what
//! the other engine could not find.

use varbatch_codec::transcode::{Losses, Lost, Translation};
use varbatch_codec::{CodecError, CodecErrorKind, Dialect, ElementType, Event, Reader, Text, Writer, validate};

use crate::support::foreign::{GODOT_3, GODOT_4, PANDEMONIUM, assert_becomes, translate};
use crate::support::memory::most_held;
use crate::support::steps::read;
use crate::support::vectors;
use crate::support::wire::{object, string, text, words};

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

fn nil() -> Vec<u8> {
    words(&[0])
}

#[track_caller]
fn assert_object_becomes(bytes: &[u8], expected: &[u8], lines: &str) {
    assert_becomes(GODOT_3, GODOT_4, bytes, expected, lines);
}

/// Both ways between Godot 3 and Godot 4.
#[track_caller]
fn assert_both_ways(godot_3: &[u8], godot_4: &[u8]) {
    assert_object_becomes(godot_3, godot_4, "");
    assert_becomes(GODOT_4, GODOT_3, godot_4, godot_3, "");
}

#[test]
fn a_property_is_of_the_object_that_it_stands_in() {
    // Area { gravity_vec, custom: [Button { pressed, custom: Spatial {} , pressed }, Node {}], gravity_vec }
    let tree = |ids: [u32; 2], classes: [&str; 3], gravity: &str, pressed: &str| {
        let empty = object(ids[0], "Node", &[]);
        let spatial = object(ids[0], classes[2], &[]);
        let with_gravity = object(ids[0], classes[2], &[("gravity_vec", nil())]);
        let button =
            [(pressed, nil()), ("custom", spatial), (pressed, nil()), ("inner", with_gravity), (pressed, nil())];
        let button = object(ids[0], classes[1], &button);
        let array = [words(&[ids[1], 2]), button, empty.clone()].concat();
        let properties = [(gravity, nil()), ("custom", array), (gravity, nil()), ("last", empty), (gravity, nil())];
        object(ids[0], classes[0], &properties)
    };
    let old = tree([17, 19], ["Area", "Button", "Spatial"], "gravity_vec", "pressed");
    let new = tree([24, 28], ["Area3D", "Button", "Node3D"], "gravity_direction", "button_pressed");
    assert_both_ways(&old, &new);
}

#[test]
fn what_is_held_of_objects_is_as_much_as_they_are_deep() {
    let many = [words(&[19, 50_000]), object(17, "Node", &[("a", nil())]).repeat(50_000)].concat();
    let held = |to| {
        let mut writer = Writer::new(to);
        let translation = Translation::new(GODOT_3, to);
        let (held, len) = most_held(|| translation.value(&many, 0, &mut writer, &mut Losses::default()));
        assert_eq!(len, Ok(many.len()));
        held
    };
    // The names of classes are read once: here, and not in what is measured.
    held(GODOT_4);
    // Pandemonium has all their names.
    assert!(held(GODOT_4) < held(PANDEMONIUM) + 1000);
}

#[test]
fn a_script_of_godot_3_is_left_out() {
    let source = [("script/source", string("extends Node")), ("script", nil())];
    let script = object(17, "GDScript", &source);
    let bytes = object(17, "Spatial", &[("a", words(&[2, 1])), ("script", script), ("b", words(&[2, 2]))]);
    let there = object(24, "Node3D", &[("a", words(&[2, 1])), ("script", nil()), ("b", words(&[2, 2]))]);
    assert_object_becomes(&bytes, &there, "1 script of an object was left out, at byte 48 inside .script");
    // As the last property, inside of containers, and more than one.
    let last = object(17, "Node", &[("script", object(17, "GDScript", &source))]);
    let both = [words(&[19, 3]), last.clone(), last, words(&[2, 5])].concat();
    let there = object(24, "Node", &[("script", nil())]);
    let there = [words(&[28, 3]), there.clone(), there, words(&[2, 5])].concat();
    assert_object_becomes(&both, &there, "2 scripts of objects were left out, the first at byte 36 inside [0].script");
}

#[test]
fn an_object_or_script_that_is_null_stays_null() {
    for null in [nil(), words(&[0x1_0011, 0, 0]), words(&[17, 0])] {
        assert_object_becomes(&[words(&[19, 1]), null.clone()].concat(), &words(&[28, 1, 0]), "");
        let bytes = object(17, "Node", &[("script", null)]);
        assert_object_becomes(&bytes, &object(24, "Node", &[("script", nil())]), "");
    }
}

#[test]
fn what_is_in_a_script_is_looked_at_by_nobody() {
    // Its text is no UTF-8 of Godot 4; it has a script of its own.
    let inner = object(17, "GDScript", &[("script/source", string(b"\xed\xa0\xbd")), ("script", object(17, "X", &[]))]);
    let bytes = object(17, "Node", &[("script", inner)]);
    let there = object(24, "Node", &[("script", nil())]);
    assert_object_becomes(&bytes, &there, "1 script of an object was left out, at byte 28 inside .script");
}

#[test]
fn a_key_that_is_called_script_is_kept() {
    let bytes = |id| [words(&[id, 1]), string("script"), string("res://a.gd")].concat();
    assert_both_ways(&bytes(18), &bytes(27));
}

#[test]
fn an_object_of_a_class_that_is_gone_becomes_null() {
    let noise = object(17, "OpenSimplexNoise", &[("seed", words(&[2, 1])), ("octaves", words(&[2, 3]))]);
    let all = [words(&[19, 3]), noise.clone(), words(&[2, 5]), object(17, "OpenSimplexNoise", &[])].concat();
    let lines = "2 objects of classes that are gone became null, the first at byte 8 inside [0]";
    assert_object_becomes(&all, &words(&[28, 3, 0, 2, 5, 0]), lines);
    let inside = object(17, "Area", &[("noise", noise), ("gravity_vec", nil())]);
    let there = object(24, "Area3D", &[("noise", nil()), ("gravity_direction", nil())]);
    assert_object_becomes(&inside, &there, "1 object of a class that is gone became null, at byte 28 inside .noise");
    // Pandemonium has what Godot 3 has.
    let (there, lines) = translate(GODOT_3, PANDEMONIUM, &all);
    assert_eq!((there.len(), lines.as_str()), (all.len(), ""));
    let (_, losses) = Translation::new(GODOT_3, GODOT_4).bytes(&all).expect("translates");
    assert!(losses.iter().all(|loss| loss.what == Lost::Object));
}

#[test]
fn metadata_are_kept_and_told_as_ignored() {
    let object = |id, name| object(id, "Node", &[("a", nil()), (name, words(&[18, 0]))]);
    let (there, lines) = translate(GODOT_3, GODOT_4, &object(17, "__meta__"));
    assert_eq!(there[there.len() - 20..], [text("__meta__"), words(&[27, 0])].concat());
    assert_eq!(lines, "1 object has metadata that are ignored, at byte 28");
    // Elsewhere it is read as it was written.
    assert_eq!(translate(GODOT_3, PANDEMONIUM, &object(17, "__meta__")).1, "");
}

#[test]
fn ids_and_typed_arrays_of_objects_are_kept() {
    assert_both_ways(&words(&[0x1_0011, 7, 9]), &words(&[0x1_0018, 7, 9]));
    let ids = words(&[0x1_001b, 23, 1, 0x1_0017, 7, 9]);
    let there = [words(&[0x2_001c]), text("EncodedObjectAsID"), words(&[1, 0x1_0018, 7, 9])].concat();
    assert_becomes(PANDEMONIUM, GODOT_4, &ids, &there, "");
    let element = ElementType::Class(Text::Utf8("EncodedObjectAsID"));
    assert_eq!(read(&there).expect("reads").0[0], Event::Array { element, count: 1 });
    assert_becomes(GODOT_4, PANDEMONIUM, &there, &ids, "");
}
