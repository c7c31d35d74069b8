//! `varbatch get`.

use serde_json::json;

use crate::support::{Folder, floats, frames, int, save, save_3, string, text, value, words};

/// A Dictionary with a key of each kind; each value is the number of its entry.
fn keys() -> (Vec<u8>, Vec<&'static str>) {
    let long = "a".repeat(60);
    let keys: Vec<(Vec<u8>, &str)> = vec![
        (string("hp"), r#"["hp"]"#),
        (string("a]\"\\\n."), r#"["a]\"\\\n."]"#),
        (string(&long), r#"["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"...]"#),
        (value(21, &[&text("id")]), r#"[&"id"]"#),
        (int(-7), "[-7]"),
        (words(&[2 | 1 << 16, 5, 1]), "[4294967301]"),
        (value(3, &[&floats(&[0.5])]), "[0.5]"),
        (words(&[1, 1]), "[true]"),
        (words(&[0]), "[null]"),
        (words(&[6, 1, 2]), "[Vector2i(1, 2)]"),
        (value(5, &[&floats(&[1.0, 2.5])]), "[Vector2(1.0, 2.5)]"),
        (words(&[28, 0]), "[[]]"),
        (value(28, &[&words(&[2]), &string("a b"), &words(&[6, 1, 2])]), r#"[["a b", Vector2i(1, 2)]]"#),
        (value(27, &[&words(&[1]), &string("a"), &words(&[29, 1, 9])]), r#"[{"a": PackedByteArray of 1 [9]}]"#),
        (value(22, &[&words(&[1 << 31 | 2, 1, 1]), &text("a"), &text("b"), &text("c")]), r#"[NodePath ^"/a/b:c"]"#),
    ];
    let entries: Vec<_> = keys.iter().enumerate().map(|(i, (key, _))| [&key[..], &int(i as i32)].concat()).collect();
    let count = words(&[keys.len() as u32]);
    (value(27, &[&count, &entries.concat()]), keys.iter().map(|(_, path)| *path).collect())
}

#[test]
fn every_key_that_is_printed_leads_to_its_value() {
    let (bytes, paths) = keys();
    let folder = Folder::with("a", &bytes);
    let is_at = |path: &str, number: usize| {
        let ran = folder.run_with(&["get", "--json", "a", path]);
        assert_eq!((ran.code, &ran.json()[0]["value"]), (0, &json!(number)), "{path}: {}", ran.err);
    };
    for (number, path) in paths.iter().enumerate() {
        is_at(path, number);
        assert_eq!(folder.run_with(&["get", "a", &format!("[key {number}]")]).code, 0, "{path}");
    }
    // The keys of `show --json`, which shortens none, do too.
    for (number, line) in folder.run("show --json a").json().iter().skip(1).enumerate() {
        is_at(line["path"].as_str().expect("a path"), number);
    }
    // So do those of `show`, in brackets, behind an offset, a size and a step to the right.
    for (path, line) in paths.iter().zip(folder.run("show a").right().lines().skip(1)) {
        assert_eq!(format!("[{}]", &line[24..line.rfind(": int ").expect("a key")]), *path);
    }
}

#[test]
fn values_are_shown_as_by_show() {
    let folder = Folder::with("a", &frames(&[&int(1), &save()]));
    let tree = "        56        28  Array of 2\n        64        12    [0]: Vector2i (1, 2)\n        76         8    [1]: bool true\n";
    folder.run("get --frame 1 a [\"at\"]").expect(0, tree, "");
    folder.run("get --frame 1 --depth 0 a [\"at\"]").expect(0, "        56        28  Array of 2 ...\n", "");
    folder.run("get a [0]inside").fails(2, "error: expected [ or . at byte 3 of the path, found inside\n");
    folder.run("get --frame 1 a at").expect(0, tree, "");
    folder.run("get --frame 1 a at[1]").expect(0, "        76         8  bool true\n", "");
    assert_eq!(folder.run_with(&["get", "a", ""]).out, "         4         8  int 1\n");
    let found = folder.run_with(&["get", "--frame", "1", "a", " inside [\"at\"][1]"]);
    found.expect(0, "        76         8  bool true\n", "");
    let lines = folder.run("get --frame 1 --json a [\"at\"]").json();
    let expected = json!({"frame": 1, "path": "[\"at\"][0]", "at": 64, "size": 12, "depth": 1,
        "type": "Vector2i", "value": [1, 2]});
    assert_eq!((lines.len(), &lines[1]), (3, &expected));
    folder.write("one", &save());
    folder.run("get one [\"hp\"]").expect(0, "        20         8  int 7\n", "");
}

#[test]
fn elements_and_contents() {
    let bytes = value(29, &[&words(&[3]), b"\x89P\n\0"]);
    let vectors = value(36, &[&words(&[2]), &floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.5])]);
    let texts = value(34, &[&words(&[1]), &text("caf\u{e9}\0")]);
    let path = value(22, &[&words(&[0x8000_0002, 1, 1]), &text("a"), &text("b"), &text("c")]);
    let object = value(24, &[&text("Node"), &words(&[1]), &text("metadata/x"), &string("two\nlines")]);
    let parts = [&bytes[..], &vectors, &texts, &path, &object, &int(1)];
    let folder = Folder::with("a", &value(28, &[&words(&[6]), &parts.concat()]));
    let raw = |path: &str| folder.command(&format!("get --raw a {path}")).output().expect("run").stdout;
    assert_eq!(raw("[0]"), b"\x89P\n");
    assert_eq!(raw("[1][1]"), floats(&[4.0, 5.0, 6.5]));
    assert_eq!(raw("[2][0]"), "caf\u{e9}".as_bytes());
    assert_eq!(raw("[3]"), b"/a/b:c");
    assert_eq!(raw("[4].metadata/x"), b"two\nlines");
    folder.run("get --raw a [5]").fails(2, "error: --raw: expected a text or a packed array of numbers, found int\n");
    folder.run("get a [1][1]").expect(0, "        40        12  Vector3 (4.0, 5.0, 6.5)\n", "");
    folder.run("get a [2][0]").expect(0, "        60         9  String \"caf\u{e9}\"\n", "");
    let lines = folder.run("get --json a [1][1]").json();
    let expected =
        json!({"path": "[1][1]", "at": 40, "size": 12, "depth": 0, "type": "Vector3", "value": [4.0, 5.0, 6.5]});
    assert_eq!(lines, [expected]);
    assert_eq!(folder.run("get --json a [0][2]").json()[0]["value"], 10);
}

#[test]
fn what_is_not_there_is_said() {
    let folder = Folder::with("a", &frames(&[&int(1), &save()]));
    let fails = |args: &str, error: &str| folder.run(args).fails(2, &format!("error: {error}\n"));
    fails("get --frame 1 a [\"no\"]", "a: expected an existing key, found no key \"no\"");
    fails(
        "get --frame 1 a [\"at\"][2]",
        "a: expected the index of one of 2 elements of Array, found 2 inside [\"at\"]",
    );
    fails("get a [0]", "a: expected an Array, a Dictionary, an object or a packed array, found int");
    fails("get --frame 1 a [Vector2i]", "a: expected an existing key, found no key Vector2i");
    fails("get --frame 2 a [0]", "--frame 2: the file has 2 frames");
    fails("get a [0", "expected a step that ends with ] at byte 0 of the path, found [0");
    folder.write("one", &save());
    fails("get --frame 0 one [0]", "--frame: the file has no frames");
    let twice = value(27, &[&words(&[2]), &words(&[28, 0]), &int(1), &words(&[28, 1]), &int(3), &int(2)]);
    folder.write("twice", &twice);
    fails("get twice [Array]", "twice: expected a unique key, found key Array more than once");
    folder.run("get none [0]").has(3, "", "error: none: ");
}

#[test]
fn sound_parts_of_a_damaged_value_are_found() {
    let broken = value(27, &[&words(&[2]), &string("ok"), &int(3), &string("list"), &words(&[28, 2, 0, 99])]);
    let folder = Folder::with("a", &frames(&[&int(1), &broken]));
    folder.run("get --frame 1 a [\"ok\"]").expect(0, "        36         8  int 3\n", "");
    let error = "error: a: frame 1: expected a type from 0 to 38, found 99, at byte 68 inside [\"list\"][1]\n";
    folder.run("get --frame 1 a [\"list\"][1]").fails(1, error);
    // A text that is no UTF-8, although its length is good.
    folder.write("text", &frames(&[&value(4, &[&words(&[2]), &[0xff, 0xfe, 0, 0]])]));
    let error = "error: text: frame 0: expected UTF-8 for String, found byte 0xff, at byte 12\n";
    for option in [&[][..], &["--raw"], &["--json"]] {
        folder.run_with(&[&["get", "--format", "frames", "text", ""], option].concat()).has(1, "", error);
    }
    // The value before the one that the error names.
    folder.run("get --frame 1 a [\"list\"][0]").expect(0, "        64         4  Nil\n", "");
}

#[test]
fn values_of_other_engines() {
    let folder = Folder::with("a", &frames(&[&save_3()]));
    folder.run("get --from godot3 a [\"ids\"][1]").expect(0, "        64         4  int 5\n", "");
    let ran = folder.run("get a [\"ids\"]");
    assert_eq!(ran.code, 2, "a Transform3D has nothing inside");
}
