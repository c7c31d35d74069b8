//! Guards: objects get the names that their class and properties have in the other engine, each its own, and lose what
//! the other engine could not find.

use varbatch_codec::transcode::{Losses, Lost, Translation};
use varbatch_codec::{ElementType, Event, Text, Writer};

use crate::support::allocator::most_held;
use crate::support::steps::read;
use crate::support::translated::{self, GODOT_3, GODOT_4, PANDEMONIUM, translate};
use crate::support::wire::{object, string, text, words};

fn nil() -> Vec<u8> {
    words(&[0])
}

#[track_caller]
fn assert_becomes(bytes: &[u8], expected: &[u8], lines: &str) {
    translated::assert_becomes(GODOT_3, GODOT_4, bytes, expected, lines);
}

/// Both ways between Godot 3 and Godot 4.
#[track_caller]
fn assert_both_ways(godot_3: &[u8], godot_4: &[u8]) {
    assert_becomes(godot_3, godot_4, "");
    translated::assert_becomes(GODOT_4, GODOT_3, godot_4, godot_3, "");
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
    assert_becomes(&bytes, &there, "1 script of an object was left out, at byte 48 inside .script");
    // As the last property, inside of containers, and more than one.
    let last = object(17, "Node", &[("script", object(17, "GDScript", &source))]);
    let both = [words(&[19, 3]), last.clone(), last, words(&[2, 5])].concat();
    let there = object(24, "Node", &[("script", nil())]);
    let there = [words(&[28, 3]), there.clone(), there, words(&[2, 5])].concat();
    assert_becomes(&both, &there, "2 scripts of objects were left out, the first at byte 36 inside [0].script");
}

#[test]
fn an_object_or_script_that_is_null_stays_null() {
    for null in [nil(), words(&[0x1_0011, 0, 0]), words(&[17, 0])] {
        assert_becomes(&[words(&[19, 1]), null.clone()].concat(), &words(&[28, 1, 0]), "");
        let bytes = object(17, "Node", &[("script", null)]);
        assert_becomes(&bytes, &object(24, "Node", &[("script", nil())]), "");
    }
}

#[test]
fn what_is_in_a_script_is_looked_at_by_nobody() {
    // Its text is no UTF-8 of Godot 4; it has a script of its own.
    let inner = object(17, "GDScript", &[("script/source", string(b"\xed\xa0\xbd")), ("script", object(17, "X", &[]))]);
    let bytes = object(17, "Node", &[("script", inner)]);
    let there = object(24, "Node", &[("script", nil())]);
    assert_becomes(&bytes, &there, "1 script of an object was left out, at byte 28 inside .script");
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
    assert_becomes(&all, &words(&[28, 3, 0, 2, 5, 0]), lines);
    let inside = object(17, "Area", &[("noise", noise), ("gravity_vec", nil())]);
    let there = object(24, "Area3D", &[("noise", nil()), ("gravity_direction", nil())]);
    assert_becomes(&inside, &there, "1 object of a class that is gone became null, at byte 28 inside .noise");
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
    translated::assert_becomes(PANDEMONIUM, GODOT_4, &ids, &there, "");
    let element = ElementType::Class(Text::Utf8("EncodedObjectAsID"));
    assert_eq!(read(&there).expect("reads").0[0], Event::Array { element, count: 1 });
    translated::assert_becomes(GODOT_4, PANDEMONIUM, &there, &ids, "");
}
