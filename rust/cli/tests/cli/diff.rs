//! `varbatch diff`.

use serde_json::json;

use crate::support::{Folder, floats, frames, int, save, save_3, save_3_in_4, string, text, value, words};

/// {"hp": hp, "name": name}
fn player(hp: i32, name: &str) -> Vec<u8> {
    value(27, &[&words(&[2]), &string("hp"), &int(hp), &string("name"), &string(name)])
}

fn array(elements: &[&[u8]]) -> Vec<u8> {
    value(28, &[&words(&[elements.len() as u32]), &elements.concat()])
}

#[test]
fn changes_of_frames() {
    let folder = Folder::with("a", &frames(&[&int(1), &player(7, "Ann"), &int(3)]));
    folder.write("b", &frames(&[&int(1), &player(8, "Bo\n"), &string("x"), &array(&[&int(1)])]));
    let changes = "\
frame 1: set [\"hp\"]: int 7 -> int 8
frame 1: set [\"name\"]: String \"Ann\" -> String \"Bo\\n\"
frame 2: set: int 3 -> String \"x\"
frame 3: insert: Array of 1
";
    folder.run("diff a b").expect(1, changes, "");
    folder.run("diff --quiet a b").expect(1, "", "");
    folder.write("same", &folder.read("a"));
    for args in ["diff a same", "diff --json a same", "diff --quiet a a"] {
        folder.run(args).expect(0, "", "");
    }
    assert!(folder.run("diff b a").out.ends_with("frame 3: remove: Array of 1\n"));
    let ran = folder.run("diff --json a b");
    assert_eq!(ran.code, 1);
    let expected = [
        json!({"frame": 1, "op": "set", "path": "[\"hp\"]", "old": {"type": "int", "value": 7},
            "new": {"type": "int", "value": 8}}),
        json!({"frame": 1, "op": "set", "path": "[\"name\"]", "old": {"type": "String", "value": "Ann"},
            "new": {"type": "String", "value": "Bo\n"}}),
        json!({"frame": 2, "op": "set", "path": "", "old": {"type": "int", "value": 3},
            "new": {"type": "String", "value": "x"}}),
        json!({"frame": 3, "op": "insert", "path": "", "new": {"type": "Array", "count": 1}}),
    ];
    assert_eq!(ran.json(), expected);
}

#[test]
fn changes_of_one_value() {
    let object = |hp| value(24, &[&text("Node"), &words(&[1]), &text("hp"), &int(hp)]);
    let numbers = |third| words(&[30, 4, 1, 2, third, 4]);
    let names = |last: &str| value(34, &[&words(&[2]), &text("a\0"), &text(last)]);
    let before = array(&[&object(1), &numbers(3), &names("b\0"), &int(5)]);
    let after = array(&[&object(2), &numbers(9), &names("c\0"), &int(5), &save()]);
    let folder = Folder::with("a", &before);
    folder.write("b", &after);
    folder.run("diff a a").expect(0, "", "");
    let changes = "\
set [0].hp: int 1 -> int 2
set [1][2]: PackedInt32Array of 1 [3] -> PackedInt32Array of 1 [9]
set [2][1]: PackedStringArray of 1 [\"b\"] -> PackedStringArray of 1 [\"c\"]
insert [4]: Dictionary of 2
";
    folder.run("diff a b").expect(1, changes, "");
    let lines = folder.run("diff --json a b").json();
    assert_eq!(lines[1]["new"], json!({"type": "PackedInt32Array", "count": 1, "value": [9]}));
    assert_eq!(lines[2]["old"], json!({"type": "PackedStringArray", "count": 1, "value": ["b"]}));
    // The printed paths lead to the changes.
    for line in &lines {
        let path = line["path"].as_str().expect("a path");
        assert_eq!(folder.run_with(&["get", "b", path]).code, 0, "{path}");
    }
    folder.write("c", &player(1, "x"));
    folder.write("d", &value(27, &[&words(&[1]), &string("name"), &string("x")]));
    folder.run("diff c d").expect(1, "remove [\"hp\"]: int 1\n", "");
    assert_eq!(folder.run("diff --json d c").json()[0]["index"], 0);
}

#[test]
fn files_of_other_engines() {
    let folder = Folder::with("a", &frames(&[&int(1), &save_3()]));
    let other = value(18, &[&words(&[1]), &string("at"), &value(7, &[&floats(&[1.0, 2.0, 4.0])])]);
    folder.write("b", &frames(&[&int(1), &other]));
    folder.run("diff --from godot3 a a").expect(0, "", "");
    let changes = "\
frame 1: set [\"at\"]: Vector3 (1.0, 2.0, 3.0) -> Vector3 (1.0, 2.0, 4.0)
frame 1: remove [\"ids\"]: PackedInt32Array of 2 [4, 5]
";
    folder.run("diff --from godot3 a b").expect(1, changes, "");
    folder.write("new", &frames(&[&int(1), &save_3_in_4()]));
    folder.run("diff --from godot3 --from-b godot4 a new").expect(0, "", "");
    folder.run("diff a new").has(1, "", "hint: a: all of it can be read with --from godot3\n");
}

#[test]
fn damage_is_an_error_and_no_difference() {
    let folder = Folder::with("a", &frames(&[&int(1), &int(2)]));
    folder.write("bad", &frames(&[&int(3), &words(&[99, 0])]));
    let set = "frame 0: set: int 1 -> int 3\n";
    let error = "error: bad: frame 1: expected a type from 0 to 38, found 99, at byte 16\n";
    folder.run("diff a bad").expect(1, set, error);
    folder.run("diff bad a").expect(1, "frame 0: set: int 3 -> int 1\n", error);
    folder.write("cut", &frames(&[&int(1), &int(2)])[..20]);
    let error = "error: cut: the file is cut off, 4 bytes are missing, at byte 16\n";
    folder.run("diff a cut").expect(1, "", error);
    // A value that only one file has is read as well.
    folder.write("short", &frames(&[&int(3)]));
    folder.run("diff short bad").has(1, "", "error: bad: frame 1: expected a type");
    folder.run("diff a none").has(3, "", "error: none: ");
}

#[test]
fn many_changes_are_cut() {
    let of = |number: i32| (number..number + 1500).flat_map(|number| frames(&[&int(number)])).collect::<Vec<_>>();
    let folder = Folder::with("a", &of(0));
    folder.write("b", &of(1));
    let ran = folder.run("diff a b");
    assert_eq!((ran.code, ran.out.lines().count()), (1, 1001));
    assert!(ran.out.ends_with("\n... more changes; --all shows them\n"));
    assert_eq!(folder.run("diff --all a b").out.lines().count(), 1500);
    assert_eq!(folder.run("diff --count 2 a b").out.lines().count(), 3);
    assert_eq!(folder.run("diff --count 2 --json a b").json()[2], json!({"more": null}));
}
