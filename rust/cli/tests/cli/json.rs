//! `varbatch show --json`: every kind of value, read back by another library.

use serde_json::{Value, json};

use crate::support::{Folder, floats, frames, int, save, string, text, value, words};

/// Checks the line of one value, without its offset and path.
#[track_caller]
fn shows(bytes: &[u8], expected: &Value) {
    let folder = Folder::with("a", bytes);
    let ran = folder.run("show --json --format value a");
    let mut line = ran.json().remove(0);
    for key in ["path", "at", "size", "depth"] {
        assert!(line.as_object_mut().expect("an object").remove(key).is_some(), "{key}: {}", ran.out);
    }
    assert_eq!(&line, expected);
}

#[test]
fn a_save_line_by_line() {
    let folder = Folder::with("a", &frames(&[&int(1), &save()]));
    let expected = [
        json!({"frame": 0, "path": "", "at": 4, "size": 8, "depth": 0, "type": "int", "value": 1}),
        json!({"frame": 1, "path": "", "at": 16, "size": 68, "depth": 0, "type": "Dictionary", "count": 2}),
        json!({"frame": 1, "path": "[\"hp\"]", "at": 36, "size": 8, "depth": 1, "type": "int", "value": 7}),
        json!({"frame": 1, "path": "[\"at\"]", "at": 56, "size": 28, "depth": 1, "type": "Array", "count": 2}),
        json!({"frame": 1, "path": "[\"at\"][0]", "at": 64, "size": 12, "depth": 2, "type": "Vector2i", "value": [1, 2]}),
        json!({"frame": 1, "path": "[\"at\"][1]", "at": 76, "size": 8, "depth": 2, "type": "bool", "value": true}),
    ];
    assert_eq!(folder.run("show --json a").json(), expected);
    folder.write("one", &save());
    assert_eq!(folder.run("show --json one").json()[1]["path"], "[\"hp\"]");
    assert!(folder.run("show --json one").json()[1].get("frame").is_none());
}

#[test]
fn every_kind_of_value() {
    shows(&words(&[0]), &json!({"type": "Nil", "value": null}));
    shows(&words(&[2 | 1 << 16, 1, 0x8000_0000]), &json!({"type": "int", "value": -9_223_372_036_854_775_807_i64}));
    shows(&words(&[2 | 1 << 16, u32::MAX, 0x7fff_ffff]), &json!({"type": "int", "value": i64::MAX}));
    shows(&words(&[3 | 1 << 16, 0x9999_999a, 0x3fb9_9999]), &json!({"type": "float", "value": 0.1}));
    shows(&value(3, &[&floats(&[f32::NAN])]), &json!({"type": "float", "value": "nan"}));
    shows(&value(3, &[&floats(&[f32::NEG_INFINITY])]), &json!({"type": "float", "value": "-inf"}));
    shows(
        &string("\"\\\n\u{1}\u{1f600}</script>"),
        &json!({"type": "String", "value": "\"\\\n\u{1}\u{1f600}</script>"}),
    );
    shows(&value(21, &[&text("n")]), &json!({"type": "StringName", "value": "n"}));
    shows(&value(9, &[&floats(&[0.1, f32::INFINITY, -0.0])]), &json!({"type": "Vector3", "value": [0.1, "inf", -0.0]}));
    let path = value(22, &[&words(&[0x8000_0002, 1, 1]), &text("a"), &text("b"), &text("c")]);
    shows(&path, &json!({"type": "NodePath", "value": "/a/b:c"}));
    shows(&words(&[23, u32::MAX, u32::MAX]), &json!({"type": "RID", "value": u64::MAX}));
    shows(&words(&[25]), &json!({"type": "Callable", "value": null}));
    let signal = value(26, &[&text("hit"), &words(&[7, 0])]);
    shows(&signal, &json!({"type": "Signal", "value": {"name": "hit", "object": 7}}));
    shows(&words(&[24 | 1 << 16, 9, 0]), &json!({"type": "Object", "value": 9}));
    let object = value(24, &[&text("No\"de"), &words(&[0])]);
    shows(&object, &json!({"type": "Object", "class": "No\"de", "count": 0}));
    shows(&words(&[28 | 1 << 16, 2, 0]), &json!({"type": "Array[int]", "count": 0}));
    let bytes = value(29, &[&words(&[3]), &[0, 171, 255, 0]]);
    shows(&bytes, &json!({"type": "PackedByteArray", "count": 3, "value": "00abff"}));
    let ints = words(&[31, 1, 1, 0x20_0000]);
    shows(&ints, &json!({"type": "PackedInt64Array", "count": 1, "value": [9_007_199_254_740_993_i64]}));
    let vectors = value(35, &[&words(&[2]), &floats(&[1.0, 2.0, 3.0, f32::NAN])]);
    shows(&vectors, &json!({"type": "PackedVector2Array", "count": 2, "value": [[1.0, 2.0], [3.0, "nan"]]}));
    let texts = value(34, &[&words(&[2]), &text("a\0"), &text("\u{e9}\0")]);
    shows(&texts, &json!({"type": "PackedStringArray", "count": 2, "value": ["a", "\u{e9}"]}));
}

#[test]
fn the_digits_are_exact() {
    let folder = Folder::new();
    for (bytes, digits) in [
        (words(&[2 | 1 << 16, 1, 0x20_0000]), "9007199254740993"),
        (words(&[3 | 1 << 16, 0x9999_999a, 0x3fb9_9999]), "0.1"),
        (value(36, &[&words(&[1]), &floats(&[0.1, 1e30, 16_777_216.0])]), "[[0.1,1e+30,16777216.0]]"),
    ] {
        folder.write("a", &bytes);
        folder.run("show --json a").has(0, &format!("\"value\":{digits}}}\n"), "");
    }
}

#[test]
fn any_text_is_valid_json() {
    // Godot 3 can write a lone surrogate, which is no UTF-8.
    let text = value(4, &[&words(&[3]), &[0xed, 0xa0, 0x80, 0]]);
    let folder = Folder::with("a", &value(18, &[&words(&[1]), &text, &text]));
    let lines = folder.run("show --json --from godot3 --format value a").json();
    assert_eq!((&lines[1]["value"], &lines[1]["path"]), (&json!("\u{fffd}"), &json!("[\"\u{fffd}\"]")));
    // Long texts are complete.
    let long = "\u{1F600}\u{202e}\t".repeat(1000);
    folder.write("b", &string(&long));
    assert_eq!(folder.run("show --json b").json()[0]["value"], long);
    let names = [words(&[0x8000_0000 | 200, 0, 0]), crate::support::text("a").repeat(200)].concat();
    folder.write("c", &value(22, &[&names]));
    assert_eq!(folder.run("show --json c").json()[0]["value"], ["a"; 200].join("/"));
}

#[test]
fn what_is_left_out_is_counted() {
    let row = value(28, &[&words(&[150]), &int(1).repeat(150)]);
    let folder = Folder::with("a", &value(28, &[&words(&[2]), &row, &value(30, &[&words(&[150]), &[0; 600]])]));
    let lines = folder.run("show --json a").json();
    assert_eq!(lines.len(), 1 + 1 + 100 + 1 + 1);
    assert_eq!(lines[102], json!({"path": "[0]", "at": 816, "more": 50}));
    assert_eq!((&lines[103]["count"], lines[103]["value"].as_array().map(Vec::len)), (&json!(150), Some(100)));
    assert_eq!(folder.run("show --json --max-items 0 a").json().len(), 1 + 1 + 150 + 1);
    folder.write("b", &frames(&[&[int(1), vec![1, 2, 3]].concat()]));
    assert_eq!(folder.run("show --json --format frames b").json()[1], json!({"frame": 0, "at": 12, "behind": 3}));
}
