//! Guards: what another engine keeps less of is told, with how often and where first, and nothing else is.

use varbatch_codec::transcode::{Losses, Lost, Translation};
use varbatch_codec::{Dialect, Engine};

use crate::support::translated::{DOUBLE, GODOT_3, GODOT_4, PANDEMONIUM, assert_becomes, translate};
use crate::support::wire::{doubles, floats, object, string, text, words};
use crate::text_loose::ROWS;

fn losses(from: Dialect, to: Dialect, bytes: &[u8]) -> Losses {
    Translation::new(from, to).bytes(bytes).expect("translates").1
}

#[test]
fn a_rid_loses_its_id() {
    let bytes = words(&[28, 2, 23, 7, 0, 23, 0, 1]);
    let expected = words(&[19, 2, 16, 16]);
    let line = "2 RIDs lost their ids, the first at byte 8 inside [0]";
    assert_becomes(GODOT_4, GODOT_3, &bytes, &expected, line);
    assert_becomes(GODOT_4, PANDEMONIUM, &bytes, &words(&[26, 2, 22, 22]), line);
    let losses = losses(GODOT_4, GODOT_3, &bytes);
    assert!(losses.iter().map(|loss| (loss.what, loss.count, loss.at)).eq([(Lost::Rid, 2, 8)]));
    // None has nothing to lose.
    assert_becomes(GODOT_4, GODOT_3, &words(&[23, 0, 0]), &words(&[16]), "");
    assert_becomes(GODOT_3, GODOT_4, &words(&[16]), &words(&[23, 0, 0]), "");
}

#[test]
fn an_absolute_path_without_names_becomes_empty() {
    let root = words(&[22, 0x8000_0000, 0, 1]);
    let line = "1 NodePath \"/\" became empty, at byte 0";
    for (to, id) in [(GODOT_3, 15), (PANDEMONIUM, 21), (Dialect::of(Engine::Pandemonium35), 18)] {
        let (bytes, losses) = translate(GODOT_4, to, &root);
        assert_eq!(bytes[..12], words(&[id, 0x8000_0000, 0]));
        assert_eq!(losses, line);
        // With a name, or if it is not absolute, it is what it was.
        let path = |id| [words(&[id, 0x8000_0001, 0, 1]), text("a")].concat();
        assert_becomes(GODOT_4, to, &path(22), &path(id), "");
        assert_becomes(GODOT_4, to, &words(&[22, 0x8000_0000, 0, 0]), &words(&[id, 0x8000_0000, 0, 0]), "");
    }
    assert_becomes(GODOT_4, GODOT_4, &root, &root, "");
    // Godot 3 reads it as empty, so that nothing is lost behind that.
    let root_of_3 = words(&[15, 0x8000_0000, 0, 1]);
    assert_becomes(GODOT_3, GODOT_4, &root_of_3, &words(&[22, 0x8000_0000, 0, 0]), "");
}

#[test]
fn a_typed_array_becomes_untyped_where_there_are_none() {
    let ints = words(&[0x1_001c, 2, 2, 2, 5, 2, 6]);
    let line = "1 typed container became untyped, at byte 0";
    assert_becomes(GODOT_4, GODOT_3, &ints, &words(&[19, 2, 2, 5, 2, 6]), line);
    assert_becomes(GODOT_4, Dialect::of(Engine::Pandemonium38), &ints, &words(&[26, 2, 2, 5, 2, 6]), line);
    assert_becomes(GODOT_4, Dialect::of(Engine::Pandemonium35), &ints, &words(&[23, 2, 2, 5, 2, 6]), line);
    assert_becomes(GODOT_4, PANDEMONIUM, &ints, &words(&[27, 2, 2, 2, 5, 2, 6]), "");
    // What says that its elements may be anything is untyped.
    assert_becomes(GODOT_4, GODOT_3, &words(&[0x1_001c, 0, 1, 0]), &words(&[19, 1, 0]), "");
    let of_script = [words(&[0x3_001c]), text("res://a.gd"), words(&[1, 0])].concat();
    for (to, id) in [(GODOT_3, 19), (PANDEMONIUM, 26)] {
        assert_becomes(GODOT_4, to, &of_script, &words(&[id, 1, 0]), line);
    }
    let of_class = [words(&[0x2_001c]), text("Node"), words(&[0])].concat();
    assert_becomes(GODOT_4, GODOT_3, &of_class, &words(&[19, 0]), line);
    let of_class_there = [words(&[27, 23, 24]), text("Node"), words(&[0])].concat();
    assert_becomes(GODOT_4, PANDEMONIUM, &of_class, &of_class_there, "");
}

#[test]
fn a_typed_dictionary_is_one_that_became_untyped() {
    // Dictionary[String, int], and of keys or values alone.
    let line = "1 typed container became untyped, at byte 0";
    for (header, types) in [(0x5_001b, vec![4, 2]), (0x1_001b, vec![4]), (0x4_001b, vec![2])] {
        let bytes = [words(&[header]), words(&types), words(&[0])].concat();
        for (to, id) in [(GODOT_3, 18), (PANDEMONIUM, 25)] {
            assert_becomes(GODOT_4, to, &bytes, &words(&[id, 0]), line);
        }
        assert_becomes(GODOT_4, DOUBLE, &bytes, &bytes, "");
    }
}

#[test]
fn components_are_rounded_with_a_word_and_only_if_they_change() {
    let wide = |x| [words(&[0x1_0005]), doubles(&[0.5, x])].concat();
    let narrow = |x| [words(&[5]), floats(&[0.5, x])].concat();
    let line = "1 value was rounded to 32 bits, at byte 0";
    assert_becomes(DOUBLE, GODOT_4, &wide(0.1), &narrow(0.1), line);
    assert_becomes(DOUBLE, GODOT_3, &wide(0.1), &narrow(0.1), line);
    let infinite = "1 value is too large for 32 bits and became infinite, at byte 0";
    assert_becomes(DOUBLE, GODOT_4, &wide(1e300), &narrow(f32::INFINITY), infinite);
    assert_becomes(DOUBLE, GODOT_3, &wide(-1e39), &narrow(f32::NEG_INFINITY), infinite);
    assert_becomes(DOUBLE, GODOT_3, &wide(f32::MAX.into()), &narrow(f32::MAX), "");
    let both = [words(&[0x1_0005]), doubles(&[0.1, 1e39])].concat();
    let there = [words(&[5]), floats(&[0.1, f32::INFINITY])].concat();
    assert_becomes(DOUBLE, GODOT_4, &both, &there, infinite);
    assert_becomes(DOUBLE, GODOT_4, &wide(1e-300), &narrow(0.0), line);
    for exact in [0.25, -0.0, f64::INFINITY, f64::NEG_INFINITY, 16_777_216.0] {
        assert_becomes(DOUBLE, GODOT_4, &wide(exact), &narrow(exact as f32), "");
        assert_becomes(GODOT_4, DOUBLE, &narrow(exact as f32), &wide(exact), "");
    }
    assert_eq!(translate(DOUBLE, GODOT_4, &wide(f64::NAN)).1, "");
    // One of many, in an array, behind others.
    let array = [words(&[28, 2, 2, 1, 0x1_0023, 3]), doubles(&[1.0, 2.0, 3.0, 4.0, 5.0, 1.0 / 3.0])].concat();
    let there = [words(&[19, 2, 2, 1, 24, 3]), floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 1.0 / 3.0])].concat();
    assert_becomes(DOUBLE, GODOT_3, &array, &there, "1 value was rounded to 32 bits, at byte 16 inside [1]");
}

#[test]
fn what_is_no_character_is_told_wherever_the_text_is() {
    let lone = b"a\xed\xa0\xbd";
    let repaired = "a\u{fffd}";
    let one = "1 text has U+FFFD for what is no character, at byte ";
    let of = |at: &str| format!("{one}{at}");
    for to in [GODOT_4, PANDEMONIUM, GODOT_3] {
        let id = |kind| to.engine.id(kind).expect("each has it").into();
        use varbatch_codec::Kind::{Dictionary, NodePath, Object, PackedStringArray};
        assert_becomes(GODOT_3, to, &string(lone), &string(repaired), &of("0"));
        let array = |id, text_of: &[u8]| [words(&[id, 2]), text(b"ok\0"), text([text_of, b"\0"].concat())].concat();
        let strings = array(id(PackedStringArray), repaired.as_bytes());
        assert_becomes(GODOT_3, to, &array(23, lone), &strings, &of("16"));
        let path = |id, name: &[u8]| [words(&[id, 0x8000_0001, 0, 0]), text(name)].concat();
        assert_becomes(GODOT_3, to, &path(15, lone), &path(id(NodePath), repaired.as_bytes()), &of("16"));
        let entry = |id, key: &[u8]| [words(&[id, 1]), string(key), words(&[0])].concat();
        let there = entry(id(Dictionary), repaired.as_bytes());
        assert_becomes(GODOT_3, to, &entry(18, lone), &there, &of("8 inside [key 0]"));
        let class = |id, class: &[u8]| object(id, class, &[]);
        let there = class(id(Object), repaired.as_bytes());
        assert_becomes(GODOT_3, to, &class(17, lone), &there, &of("0"));
        let property = |id, name: &[u8]| [words(&[id]), text("Node"), words(&[1]), text(name), words(&[0])].concat();
        let there = property(id(Object), repaired.as_bytes());
        assert_becomes(GODOT_3, to, &property(17, lone), &there, &of("16"));
    }
}

#[test]
fn what_is_repaired_whole_is_no_loss() {
    for (bytes, repaired) in ROWS {
        if let Ok((there, is_lossy)) = repaired
            && !bytes.contains(&0)
        {
            let line = if is_lossy { "1 text has U+FFFD for what is no character, at byte 0" } else { "" };
            assert_becomes(GODOT_3, GODOT_4, &string(bytes), &string(there), line);
        }
    }
}

#[test]
fn a_string_name_is_a_string_where_there_are_none() {
    let bytes = [words(&[28, 1, 21]), text("ab")].concat();
    assert_becomes(GODOT_4, GODOT_3, &bytes, &[words(&[19, 1, 4]), text("ab")].concat(), "");
    assert_becomes(GODOT_4, PANDEMONIUM, &bytes, &[words(&[26, 1, 24]), text("ab")].concat(), "");
}

#[test]
fn each_kind_of_loss_is_told_once_in_the_order_of_the_first() {
    let rid = words(&[23, 1, 0]);
    let root = words(&[22, 0x8000_0000, 0, 1]);
    let bytes = [words(&[28, 5]), rid.clone(), root.clone(), rid.clone(), words(&[0x1_001c, 2, 0]), root].concat();
    let mut all = losses(GODOT_4, GODOT_3, &bytes);
    let lines = |losses: &Losses| losses.iter().map(ToString::to_string).collect::<Vec<_>>();
    let expected = [
        "2 RIDs lost their ids, the first at byte 8 inside [0]",
        "2 NodePaths \"/\" became empty, the first at byte 20 inside [1]",
        "1 typed container became untyped, at byte 48 inside [3]",
    ];
    assert_eq!((lines(&all), all.iter().len()), (expected.map(String::from).to_vec(), 3));
    // What is appended lies behind it.
    let more = [words(&[28, 2]), rid, words(&[0x1_0005]), doubles(&[0.1, 0.0])].concat();
    all.append(losses(DOUBLE, GODOT_3, &more));
    assert_eq!(lines(&all)[0], "3 RIDs lost their ids, the first at byte 8 inside [0]");
    assert_eq!(lines(&all)[3], "1 value was rounded to 32 bits, at byte 20 inside [1]");
}
