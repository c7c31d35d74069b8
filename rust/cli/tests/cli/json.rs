//! `varbatch show --json`, read back by another library. Each kind of value is in `show`.

use serde_json::json;

use crate::support::{Folder, floats, frames, int, save, string, value, words};

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
