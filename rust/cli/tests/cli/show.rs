//! `varbatch show`. Its JSON is read back by another library.

use serde_json::{Value, json};
use varbatch_storage::compressed::Compression;

use crate::support::{Folder, Ran, compress, floats, frames, int, save, save_3, string, text, value, words};

#[test]
fn a_save_by_hand() {
    let folder = Folder::with("a", &frames(&[&int(-5), &save()]));
    let tree = "\
frame 0
         4         8  int -5
frame 1
        16        68  Dictionary of 2
        36         8    \"hp\": int 7
        56        28    \"at\": Array of 2
        64        12      [0]: Vector2i (1, 2)
        76         8      [1]: bool true
";
    folder.run("show a").expect(0, tree, "");
    folder.write("a", &save());
    let tree = "         0        68  Dictionary of 2
        20         8    \"hp\": int 7
        40        28    \"at\": Array of 2
        48        12      [0]: Vector2i (1, 2)
        60         8      [1]: bool true
";
    folder.run("show a").expect(0, tree, "");
    Folder::with("a", &[]).run("show a").expect(0, "", "note: a: the file is empty\n");
}

#[test]
fn a_save_of_godot_3() {
    let folder = Folder::with("a", &save_3());
    let tree = "         0        64  Dictionary of 2
        20        16    \"at\": Vector3 (1.0, 2.0, 3.0)
        48        16    \"ids\": PackedInt32Array of 2 [4, 5]
";
    folder.run("show --from godot3 a").expect(0, tree, "");
}

#[test]
fn a_save_in_json() {
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
}

/// Checks what is shown of a single value: its line behind the offset and the size, and its object in JSON.
#[track_caller]
fn shows(bytes: &[u8], line: &str, object: &Value) {
    let folder = Folder::with("a", bytes);
    folder.run("show --format value a").expect(0, &format!("{:>10} {:>9}  {line}\n", 0, bytes.len()), "");
    let mut found = folder.run("show --json --format value a").json().remove(0);
    for key in ["path", "at", "size", "depth"] {
        assert!(found.as_object_mut().expect("an object").remove(key).is_some(), "{key}: {line}");
    }
    assert_eq!(&found, object);
}

/// The same of a value of which both show the same words, and JSON this content.
#[track_caller]
fn shows_content(bytes: &[u8], name: &str, short: &str, content: &Value) {
    let line = format!("{name} {short}");
    shows(bytes, line.trim_end(), &json!({"type": name, "value": content}));
}

#[test]
fn values_without_others_inside() {
    shows_content(&words(&[0]), "Nil", "", &json!(null));
    shows_content(&words(&[1, 0]), "bool", "false", &json!(false));
    shows_content(&words(&[2 | 1 << 16, 0, 1]), "int", "4294967296", &json!(4_294_967_296_i64));
    let least = -9_223_372_036_854_775_807_i64;
    shows_content(&words(&[2 | 1 << 16, 1, 0x8000_0000]), "int", &least.to_string(), &json!(least));
    shows_content(&words(&[2 | 1 << 16, u32::MAX, 0x7fff_ffff]), "int", &i64::MAX.to_string(), &json!(i64::MAX));
    shows_content(&value(3, &[&floats(&[1.5])]), "float", "1.5", &json!(1.5));
    shows_content(&words(&[3 | 1 << 16, 0x9999_999a, 0x3fb9_9999]), "float", "0.1", &json!(0.1));
    shows_content(&words(&[3, 0x7fc0_0000]), "float", "nan", &json!("nan"));
    shows_content(&words(&[3, 0xff80_0000]), "float", "-inf", &json!("-inf"));
    let hostile = "a\"\\\n\u{1b}[31m\u{202e}é\u{1f600}</script>";
    shows_content(&string(hostile), "String", r#""a\"\\\n\u001b[31m\u202eé😀</script>""#, &json!(hostile));
    let (fits, long) = ("x".repeat(60), "é".repeat(1000));
    shows_content(&string(&fits), "String", &format!("\"{fits}\""), &json!(fits));
    shows_content(&string(&long), "String", &format!("\"{}\"...", "é".repeat(60)), &json!(long));
    shows_content(&value(21, &[&text("name")]), "StringName", "&\"name\"", &json!("name"));
    shows_content(&value(5, &[&floats(&[1.0, -0.5])]), "Vector2", "(1.0, -0.5)", &json!([1.0, -0.5]));
    shows_content(&words(&[5 | 1 << 16, 0, 0x3ff0_0000, 0, 0]), "Vector2", "(1.0, 0.0)", &json!([1.0, 0.0]));
    let vector = value(9, &[&floats(&[0.1, f32::INFINITY, -0.0])]);
    shows_content(&vector, "Vector3", "(0.1, inf, -0.0)", &json!([0.1, "inf", -0.0]));
    shows_content(&words(&[10, 1, 2, u32::MAX]), "Vector3i", "(1, 2, -1)", &json!([1, 2, -1]));
    let color = value(20, &[&floats(&[0.5, 0.0, 1.0, 1.0])]);
    shows_content(&color, "Color", "(0.5, 0.0, 1.0, 1.0)", &json!([0.5, 0.0, 1.0, 1.0]));
    let path = value(22, &[&words(&[0x8000_0002, 1, 1]), &text("a"), &text("b"), &text("c")]);
    shows_content(&path, "NodePath", "^\"/a/b:c\"", &json!("/a/b:c"));
    // Long paths are cut.
    let names = value(22, &[&words(&[0x8000_0000 | 200, 0, 0]), &text("a").repeat(200)]);
    let short = format!("^\"{}\"...", "a/".repeat(30));
    shows_content(&names, "NodePath", &short, &json!(["a"; 200].join("/")));
    let empty = value(22, &[&words(&[0x8000_0000 | 200, 0, 1]), &words(&[0]).repeat(200)]);
    shows_content(&empty, "NodePath", &format!("^\"{}\"...", "/".repeat(60)), &json!("/".repeat(200)));
    shows_content(&words(&[23, u32::MAX, u32::MAX]), "RID", &u64::MAX.to_string(), &json!(u64::MAX));
    shows_content(&words(&[24 | 1 << 16, 0, 0]), "Object", "null", &json!(null));
    shows_content(&words(&[24 | 1 << 16, 7, 0]), "Object", "with id 7", &json!(7));
    shows_content(&words(&[25]), "Callable", "", &json!(null));
    let signal = value(26, &[&text("done"), &words(&[8, 0])]);
    shows_content(&signal, "Signal", "\"done\" of object 8", &json!({"name": "done", "object": 8}));
}

#[test]
fn containers_and_packed_arrays() {
    shows(&words(&[28 | 1 << 16, 2, 0]), "Array[int] of 0", &json!({"type": "Array[int]", "count": 0}));
    let dictionary = json!({"type": "Dictionary[String, int]", "count": 0});
    shows(&words(&[27 | 5 << 16, 4, 2, 0]), "Dictionary[String, int] of 0", &dictionary);
    let object = json!({"type": "Object", "class": "No\u{1b}de", "count": 0});
    shows(&value(24, &[&text("No\u{1b}de"), &words(&[0])]), "Object No\\u001bde of 0", &object);
    let packed = |bytes: &[u8], name: &str, count: usize, list: &str, content: Value| {
        let object = json!({"type": name, "count": count, "value": content});
        shows(bytes, &format!("{name} of {count} [{list}]"), &object);
    };
    packed(&words(&[29, 0]), "PackedByteArray", 0, "", json!(""));
    packed(&words(&[29, 4, 0xff02_ab00]), "PackedByteArray", 4, "0, 171, 2, 255", json!("00ab02ff"));
    let ints = words(&[31, 1, 1, 0x20_0000]);
    packed(&ints, "PackedInt64Array", 1, "9007199254740993", json!([9_007_199_254_740_993_i64]));
    let vectors = value(35, &[&words(&[2]), &floats(&[1.0, 2.0, 3.0, f32::NAN])]);
    packed(&vectors, "PackedVector2Array", 2, "(1.0, 2.0), (3.0, nan)", json!([[1.0, 2.0], [3.0, "nan"]]));
    let texts = value(34, &[&words(&[2]), &text("a\0"), &text("\u{e9}\0")]);
    packed(&texts, "PackedStringArray", 2, "\"a\", \"é\"", json!(["a", "\u{e9}"]));
}

#[test]
fn the_first_elements_of_packed_arrays() {
    let numbers: Vec<u32> = (0..1000).collect();
    let first: Vec<_> = (0..100).map(|number: i32| number.to_string()).collect();
    let ran = Folder::with("a", &value(30, &[&words(&[1000]), &words(&numbers)])).run("show a");
    let list = ran.out.split_once('[').expect("a list").1.trim_end();
    let shown = list.strip_suffix(", ...]").expect("a sign that there are more");
    assert!(first.join(", ").starts_with(shown) && (40..=80).contains(&shown.len()), "{list}");
    let many = [words(&[500]), text("a\0").repeat(500)].concat();
    let out = Folder::with("a", &value(34, &[&many])).run("show a").right();
    let start = " 4008  PackedStringArray of 500 [\"a\", \"a\", ";
    assert!(out.contains(start) && out.ends_with(", ...]\n"), "{out}");
}

#[test]
fn only_what_was_asked_for() {
    let folder = Folder::with("a", &frames(&[&int(1), &save(), &int(2)]));
    let lines = |args: &str| {
        let out = folder.run(&format!("show {args} a")).right();
        let value = |line: &str| line.trim_start_matches(|char: char| char == ' ' || char.is_ascii_digit()).to_owned();
        out.lines().map(value).collect::<Vec<_>>()
    };
    assert_eq!(lines("--frame 2"), ["frame 2", "int 2"]);
    assert_eq!(lines("--frame 1 --depth 0"), ["frame 1", "Dictionary of 2 ..."]);
    assert_eq!(lines("--frame 1 --depth 1"), ["frame 1", "Dictionary of 2", "\"hp\": int 7", "\"at\": Array of 2 ..."]);
    assert_eq!(lines("--frame 1 --depth 2").len(), 6);
    assert_eq!(lines("--frame 1 --max-items 1"), ["frame 1", "Dictionary of 2", "\"hp\": int 7", "... 1 more"]);
    folder.run("show --frame 3 a").fails(2, "error: --frame 3: the file has 3 frames\n");
    folder.write("a", &save());
    folder.run("show --frame 0 a").fails(2, "error: --frame: the file has no frames\n");
}

/// The values that a run of the tool shows, in short.
#[track_caller]
fn shown(folder: &Folder, args: &str) -> String {
    let out = folder.run(args).right();
    let values = out.lines().filter_map(|line| line.split_once(" int ").or_else(|| line.split_once("more")));
    values.map(|(_, value)| value).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_range_of_values() {
    let stream: Vec<_> = (0..8).flat_map(|number| frames(&[&int(number)])).collect();
    let folder = Folder::with("a", &stream);
    compress(&folder, "packed", &stream, Compression::Zstd);
    for name in ["a", "packed"] {
        for (args, expected) in [
            ("--start 5", "5 6 7"),
            ("--start 2 --count 3", "2 3 4"),
            ("--start -3", "5 6 7"),
            ("--start -3 --count 1", "5"),
            ("--start=-3 --all", "5 6 7"),
            ("--start -100 --all", "0 1 2 3 4 5 6 7"),
            ("--start -10 --count 4", "0 1"),
            ("--start 0 --count 1", "0"),
            ("--start 3 --count 0", ""),
        ] {
            assert_eq!(shown(&folder, &format!("show {args} {name}")), expected, "{args}");
        }
        let json = folder.run(&format!("show --start -2 --json {name}")).json();
        assert_eq!(json.iter().map(|line| line["frame"].as_i64()).collect::<Vec<_>>(), [Some(6), Some(7)]);
        let note = format!("note: {name}: there is no value 9, the file has 8\n");
        folder.run(&format!("show --start 9 {name}")).expect(0, "", &note);
        folder.run(&format!("show --start -9 --count 1 {name}")).expect(0, "", &note.replace(" 9,", " -9,"));
    }
    let line = "frame 6\n        76         8  int 6\n";
    folder.run_piped("show --start -2 --count 1 -", &stream).expect(0, line, "");
    // Damage elsewhere does not matter; a torn end is met when values are counted from it.
    let torn = [&frames(&[&words(&[99])])[..], &stream[..stream.len() - 4]].concat();
    folder.write("a", &torn);
    assert_eq!(shown(&folder, "show --format frames --start 3 --count 2 a"), "2 3");
    let error = "error: a: the file is cut off, 4 bytes are missing, at byte 96\n";
    let line = "frame 6\n        72         8  int 5\n";
    folder.run("show --format frames --start -2 --count 1 a").expect(1, line, error);
    folder.write("a", &save());
    folder.run("show --start 0 a").fails(2, "error: --start: the file has no frames\n");
}

#[test]
fn long_containers_are_cut() {
    let row = value(28, &[&words(&[150]), &int(1).repeat(150)]);
    let folder = Folder::with("a", &value(28, &[&words(&[2]), &row, &row]));
    let cut = folder.run("show a").out;
    assert_eq!((cut.lines().count(), cut.matches("... 50 more").count()), (1 + 2 * 102, 2));
    let whole = folder.run("show --max-items 0 a").out;
    assert_eq!((whole.lines().count(), whole.matches("more").count()), (1 + 2 * 151, 0));
    // The sizes of both rows are right, though the first one was cut.
    assert_eq!(cut.matches(" 1208    [").count(), 2, "{cut}");
    folder.write("a", &value(28, &[&words(&[2]), &row, &value(30, &[&words(&[150]), &[0; 600]])]));
    let lines = folder.run("show --json a").json();
    assert_eq!((lines.len(), &lines[102]), (1 + 1 + 100 + 1 + 1, &json!({"path": "[0]", "at": 816, "more": 50})));
    assert_eq!((&lines[103]["count"], lines[103]["value"].as_array().map(Vec::len)), (&json!(150), Some(100)));
    assert_eq!(folder.run("show --json --max-items 0 a").json().len(), 1 + 1 + 150 + 1);
}

#[test]
fn all_before_the_damage_is_shown() {
    let broken = value(27, &[&words(&[2]), &string("ok"), &int(3), &string("list"), &words(&[28, 2, 0, 99])]);
    let folder = Folder::with("a", &frames(&[&int(1), &broken, &int(2)]));
    let error = "error: a: frame 1: expected a type from 0 to 38, found 99, at byte 68 inside [\"list\"][1]\n";
    let tree = "frame 0
         4         8  int 1
frame 1
        16        52  Dictionary of 2
        36         8    \"ok\": int 3
        56        12    \"list\": Array of 2
        64         4      [0]: Nil
";
    folder.run("show a").expect(1, tree, error);
    folder.write("a", &frames(&[&int(1), &int(2)])[..20]);
    let error = "error: a: the file is cut off, 4 bytes are missing, at byte 16\n";
    folder.run("show a").expect(1, "frame 0\n         4         8  int 1\n", error);
}

#[test]
fn what_is_behind_a_value_is_reported() {
    let folder = Folder::with("a", &frames(&[&[int(1), vec![1, 2, 3]].concat()]));
    let line = "\n        12            ... 3 bytes behind the value, which engines ignore\n";
    folder.run("show --format frames a").has(0, line, "");
    assert_eq!(folder.run("show --json --format frames a").json()[1], json!({"frame": 0, "at": 12, "behind": 3}));
}

#[test]
fn the_deepest_value() {
    let deep = [words(&[28, 1]).repeat(1024), words(&[28, 0])].concat();
    let ran = Folder::with("a", &deep).run("show a");
    ran.has(0, " (1024) [0]: Array of 0\n", "");
    assert_eq!(ran.right().lines().count(), 1025);
    let deeper = [words(&[28, 1]).repeat(1025), words(&[28, 0])].concat();
    let ran = Folder::with("a", &deeper).run("show --format value a");
    let error = "expected at most 1024 levels of nesting, found one more, at byte 8200 inside [0]";
    assert!(ran.code == 1 && ran.out.lines().count() == 1025 && ran.err.contains(error), "{ran:?}");
}

#[test]
fn colours_are_for_terminals() {
    let folder = Folder::with("a", &save());
    assert!(!folder.run("show a").out.contains('\u{1b}'));
    let coloured = folder.command("show a").env("CLICOLOR_FORCE", "1").output().expect("run");
    assert!(Ran::of(&coloured).out.contains("\u{1b}[32mDictionary\u{1b}[0m of 2"));
}

#[test]
fn the_first_thousand_values_are_shown() {
    let folder = Folder::with("a", &frames(&[&int(1)]).repeat(1500));
    let out = folder.run("show a").right();
    assert!(out.lines().count() == 2001 && out.ends_with("\n... 500 more values; --all shows them\n"));
    assert_eq!(folder.run("show --all a").out.lines().count(), 3000);
    assert!(folder.run("show --count 1499 a").out.ends_with("\n... 1 more value; --all shows it\n"));
    assert_eq!(folder.run("show --count 1500 a").out.lines().count(), 3000);
    assert_eq!(folder.run("show --count 0 a").out, "... 1500 more values; --all shows them\n");
    assert_eq!(folder.run("show --frame 1400 a").out.lines().count(), 2);
    assert_eq!(folder.run("show --count 1 --json a").json()[1], json!({"more": 1499}));
    // If counting them takes long, the line only says that there are more.
    let long = value(29, &[&words(&[1 << 20]), &[7; 1 << 20]]);
    folder.write("b", &frames(&[&long]).repeat(70));
    assert!(folder.run("show --count 2 b").out.ends_with("\n... more values; --all shows them\n"));
    assert_eq!(folder.run("show --count 2 --json b").json()[2], json!({"more": null}));
}
