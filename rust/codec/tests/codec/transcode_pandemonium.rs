//! Guards: what Pandemonium would drop or misread is written in another form or told, and so is what Godot 4 has once.

use varbatch_codec::transcode::Translation;
use varbatch_codec::{Borrowed, Dialect, ElementType, Engine, Event, Kind, OwnedType, Value, Writer};

use crate::support::foreign::{DOUBLE, GODOT_3, GODOT_4, PANDEMONIUM, assert_becomes, translate};
use crate::support::wire::{doubles, floats, object, string, text, words};

const OLDER: Dialect = Dialect::of(Engine::Pandemonium38);
const OLDEST: Dialect = Dialect::of(Engine::Pandemonium35);

/// Translates for Pandemonium; fails unless exactly these lines are told.
#[track_caller]
fn assert_told(from: Dialect, to: Dialect, bytes: &[u8], lines: &str) {
    assert_eq!(translate(from, to, bytes).1, lines);
}

#[test]
fn a_writer_refuses_what_pandemonium_would_drop() {
    let ints = || Value::Array { element: OwnedType::Builtin(Kind::Int), elements: vec![] };
    let of = |elements| Value::Array { element: OwnedType::Builtin(Kind::Array), elements };
    let written = |value: &Value| {
        let mut writer = Writer::new(PANDEMONIUM);
        let start = writer.mark();
        value.write(&mut writer).map_err(|error| error.to_string())?;
        writer.end_value(start).expect("is whole");
        Ok::<_, String>(writer.into_plan().to_vec())
    };
    assert_eq!(written(&of(vec![ints(), ints()])), Ok(words(&[27, 27, 2, 27, 2, 0, 27, 2, 0])));
    let untyped = || Value::Array { element: OwnedType::Any, elements: vec![] };
    let text = "expected a type that Pandemonium 5 has, found Array of typed and untyped Arrays, at byte ";
    assert_eq!(written(&of(vec![ints(), untyped()])), Err(format!("{text}24")));
    assert_eq!(written(&of(vec![untyped(), ints()])), Err(format!("{text}20")));
    // Values that are encoded before as well; those of another writer do not tell.
    let mut writer = Writer::new(PANDEMONIUM);
    let element = ElementType::Builtin(Kind::Array);
    writer.write(Event::Array { element, count: 2 }).expect("writes");
    let mut other = Writer::new(PANDEMONIUM).with_depth(1);
    other.write(Event::Array { element: ElementType::Any, count: 0 }).expect("writes");
    assert!(writer.append(other, 1).is_err());
    let (typed, untyped) = (words(&[27, 2, 0]), words(&[26, 0]));
    writer.encoded(&typed, Borrowed).expect("writes");
    assert_eq!(writer.encoded(&untyped, Borrowed).expect_err("is untyped").to_string(), format!("{text}24"));
}

#[test]
fn an_array_of_arrays_some_of_which_become_untyped_does_so_too() {
    // A script is no type there.
    let script = [words(&[0x3_001c]), text("res://a.gd"), words(&[0])].concat();
    let of_script = [words(&[0x1_001c, 28, 2]), script, words(&[0x1_001c, 2, 0])].concat();
    let lines = "2 typed containers became untyped, the first at byte 0";
    assert_becomes(GODOT_4, PANDEMONIUM, &of_script, &words(&[26, 2, 26, 0, 27, 2, 0]), lines);
}

#[test]
fn an_array_of_any_objects_names_the_class_of_all() {
    // Pandemonium takes no object for one of the class "".
    let there = |count: &[u32]| [words(&[27, 23, 24]), text("Object"), words(count)].concat();
    assert_becomes(GODOT_4, PANDEMONIUM, &words(&[0x1_001c, 24, 1, 0]), &there(&[1, 0]), "");
    let unnamed = [words(&[0x2_001c]), text(""), words(&[0])].concat();
    assert_becomes(GODOT_4, PANDEMONIUM, &unnamed, &there(&[0]), "");
}

#[test]
fn of_an_element_type_the_low_byte_counts() {
    assert_becomes(PANDEMONIUM, GODOT_4, &words(&[27, 0x1002, 1, 2, 7]), &words(&[0x1_001c, 2, 1, 2, 7]), "");
    assert_becomes(PANDEMONIUM, GODOT_4, &words(&[28, 0x10_001d, 0]), &words(&[0x1_001c, 29, 0]), "");
    assert!(Translation::new(GODOT_4, GODOT_4).bytes(&words(&[0x1_001c, 0x1002, 0])).is_err());
}

#[test]
fn what_pandemonium_misreads_is_told() {
    let one = |at: &str| format!("1 value is written that Pandemonium itself misreads, at byte {at}");
    let vector4 = |id| [words(&[id]), floats(&[1.0, 2.0, 3.0, 4.0])].concat();
    for (id, to) in [(12, PANDEMONIUM), (13, PANDEMONIUM), (12, OLDER), (13, OLDER)] {
        // Alone or last it is read right.
        assert_told(GODOT_4, to, &vector4(id), "");
        assert_told(GODOT_4, to, &[words(&[28, 2, 2, 7]), vector4(id)].concat(), "");
        let key = [words(&[27, 1]), string("k"), vector4(id)].concat();
        assert_told(GODOT_4, to, &key, "");
        assert_told(GODOT_4, to, &[words(&[28, 2]), vector4(id), words(&[0])].concat(), &one("8 inside [0]"));
        let followed = [words(&[28, 2]), key, words(&[0])].concat();
        assert_told(GODOT_4, to, &followed, &one("28 inside [0][\"k\"]"));
        assert_told(GODOT_4, GODOT_4, &followed, "");
    }
    let two = [words(&[0x1_001c, 12, 3]), vector4(12).repeat(3)].concat();
    let lines = "2 values are written that Pandemonium itself misreads, the first at byte 12 inside [0]";
    assert_told(GODOT_4, PANDEMONIUM, &two, lines);
    // A property, and 64-bit components.
    let node = object(24, "Node", &[("a", vector4(12)), ("b", words(&[0]))]);
    assert_told(GODOT_4, PANDEMONIUM, &node, &one("24 inside .a"));
    let wide = [words(&[28, 2, 0x1_000c]), doubles(&[1.0, 2.0, 3.0, 4.0]), words(&[0])].concat();
    assert_told(DOUBLE, PANDEMONIUM, &wide, &one("8 inside [0]"));
}

#[test]
fn a_projection_needs_what_follows_it() {
    let projection = [words(&[19]), floats(&[0.0; 16])].concat();
    let with = |count: u32, ints: u32| {
        let values = projection.repeat(count as usize);
        [words(&[28, count + 1]), values, words(&[30, ints]), words(&vec![0; ints as usize])].concat()
    };
    let one = "1 value is written that Pandemonium itself misreads, at byte ";
    assert_told(GODOT_4, PANDEMONIUM, &projection, &format!("{one}0"));
    // 184 bytes are the head of a pool with 44 ints.
    assert_told(GODOT_4, PANDEMONIUM, &with(1, 43), &format!("{one}8 inside [0]"));
    assert_told(GODOT_4, PANDEMONIUM, &with(1, 44), "");
    assert_told(GODOT_4, OLDER, &with(1, 43), &format!("{one}8 inside [0]"));
    assert_told(GODOT_4, GODOT_4, &with(1, 43), "");
    assert_told(GODOT_4, PANDEMONIUM, &with(9, 44), "");
    assert_told(GODOT_4, PANDEMONIUM, &with(9, 43), &format!("{one}552 inside [8]"));
    let lines = "3 values are written that Pandemonium itself misreads, the first at byte 416 inside [6]";
    assert_told(GODOT_4, PANDEMONIUM, &with(9, 0), lines);
    // The length of the output counts: a RID has no id there. Losses are told in the order of their places.
    let rids = |count: u32| [words(&[28, count + 1]), projection.clone(), words(&[23, 7, 0]).repeat(count as usize)];
    let lines = "; 45 RIDs lost their ids, the first at byte 76 inside [1]";
    assert_told(GODOT_4, PANDEMONIUM, &rids(45).concat(), &format!("{one}8 inside [0]{lines}"));
    assert_told(GODOT_4, PANDEMONIUM, &rids(46).concat(), &lines[2..].replace("45", "46"));
    let found_late = [words(&[28, 3]), projection.clone(), words(&[12]), floats(&[0.0; 4]), words(&[0])].concat();
    let lines = "2 values are written that Pandemonium itself misreads, the first at byte 8 inside [0]";
    assert_told(GODOT_4, PANDEMONIUM, &found_late, lines);
}

#[test]
fn a_w_that_is_not_the_z_is_told() {
    let line = "1 value is written that Pandemonium itself misreads, at byte 0";
    let array = |w| [words(&[38, 2]), floats(&[1.0, 2.0, 3.0, 3.0, 1.0, 2.0, 3.0, w])].concat();
    for to in [PANDEMONIUM, OLDER] {
        assert_told(GODOT_4, to, &array(4.0), line);
        assert_told(GODOT_4, to, &array(3.0), "");
        assert_told(GODOT_4, to, &words(&[38, 0]), "");
    }
    let wide = |w| [words(&[0x1_0026, 1]), doubles(&[1.0, 2.0, 3.0, w])].concat();
    assert_told(DOUBLE, PANDEMONIUM, &wide(4.0), line);
    assert_told(DOUBLE, PANDEMONIUM, &wide(3.0), "");
}

#[test]
fn keys_that_are_one_in_godot_4_are_told() {
    let name = |id, of: &str| [words(&[id]), text(of)].concat();
    let line = "1 key is the same as an earlier one, whose value is lost, at byte 24 inside [key 1]";
    for (from, dictionary, id) in [(PANDEMONIUM, 25, 24), (OLDER, 25, 24), (OLDEST, 22, 21)] {
        let both = [words(&[dictionary, 2]), string("k"), words(&[0]), name(id, "k"), words(&[0])].concat();
        assert_told(from, GODOT_4, &both, line);
        assert_told(from, GODOT_3, &both, line);
        assert_told(from, from, &both, "");
        let other = [words(&[dictionary, 2]), string("k"), name(id, "l"), name(id, "l"), string("k")].concat();
        assert_told(from, GODOT_4, &other, "");
    }
    // In the one order or the other, in many Dictionaries; those in one another have keys of their own.
    let inner = [words(&[25, 2]), name(24, "a"), words(&[0]), string("a"), words(&[0])].concat();
    let outer = [words(&[25, 3]), string("a"), inner.clone(), string("b"), inner, name(24, "b"), words(&[0])].concat();
    let lines =
        "3 keys are the same as earlier ones, whose values are lost, the first at byte 44 inside [\"a\"][key 1]";
    assert_told(PANDEMONIUM, GODOT_4, &outer, lines);
    // In Godot 3 each Dictionary is a key of its own, and so was a null object.
    let dictionaries = words(&[18, 3, 18, 1, 2, 5, 0, 0, 18, 1, 2, 5, 0, 0, 18, 1, 2, 6, 0, 0]);
    let line = "1 key is the same as an earlier one, whose value is lost, at byte 32 inside [key 1]";
    assert_told(GODOT_3, GODOT_4, &dictionaries, line);
    assert_told(GODOT_3, PANDEMONIUM, &dictionaries, "");
    let nulls = words(&[18, 2, 0, 0, 0x1_0011, 0, 0, 0]);
    assert_told(GODOT_3, GODOT_4, &nulls, &line.replace("32", "16"));
    // Two equal Arrays are one key there as well, unless there are Dictionaries in them.
    assert_told(GODOT_3, GODOT_4, &words(&[18, 2, 19, 1, 0, 0, 19, 1, 0, 0]), "");
    let arrays = words(&[18, 2, 19, 1, 18, 0, 0, 19, 1, 18, 0, 0]);
    assert_told(GODOT_3, GODOT_4, &arrays, &line.replace("32", "28"));
    // An object is a key of its own in Godot 4, too.
    let objects = words(&[18, 2, 19, 2, 18, 0, 0x1_0011, 7, 0, 0, 19, 2, 18, 0, 0x1_0011, 7, 0, 0]);
    assert_told(GODOT_3, GODOT_4, &objects, "");
    let values = words(&[18, 2, 2, 1, 18, 0, 2, 2, 18, 0]);
    assert_told(GODOT_3, GODOT_4, &values, "");
}

#[test]
fn text_before_3_8_is_that_of_godot_3() {
    let lossy = "1 text has U+FFFD for what is no character, at byte 0";
    for (pair, repaired, line) in
        [(&b"\xed\xa0\xbd\xed\xb8\x80"[..], "\u{1f600}", ""), (b"a\xed\xa0\xbd", "a\u{fffd}", lossy)]
    {
        let name = |id, of: &[u8]| [words(&[id]), text(of)].concat();
        for id in [4, 21] {
            assert_becomes(OLDEST, GODOT_4, &name(id, pair), &name(id, repaired.as_bytes()), line);
            assert_becomes(OLDEST, GODOT_3, &name(id, pair), &name(4, repaired.as_bytes()), line);
        }
        for strict in [OLDER, PANDEMONIUM] {
            assert!(Translation::new(strict, GODOT_4).bytes(&name(4, pair)).is_err());
            assert!(Translation::new(strict, GODOT_4).bytes(&name(24, pair)).is_err());
        }
    }
}
