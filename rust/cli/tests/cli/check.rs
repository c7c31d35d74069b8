//! `varbatch check`.

use std::fs;

use serde_json::json;
use varbatch_storage::compressed::Compression;

use crate::support::{Folder, compress, frames, int, save, save_3, string, text, value, words};

#[test]
fn each_file_has_its_result() {
    let broken = value(27, &[&words(&[1]), &string("list"), &words(&[28, 2, 0, 99])]);
    let cut = frames(&[&int(1), &save()])[..83].to_vec();
    let list = "frame 1: expected a type from 0 to 38, found 99, at byte 48 inside [\"list\"][1]";
    let zeros = "expected a value, found nothing but zeros (1048576 bytes), at byte 0";
    let follows = "1 value is followed by bytes that engines ignore, first at byte 68";
    let ends_inside = "expected 4 more bytes for bool, found 0, at byte 64 inside [\"at\"][1]";
    let ends = "the file is cut off, 1 byte is missing, at byte 16";
    for (bytes, options, code, out, err) in [
        (frames(&[&int(1), &save()]), "", 0, "ok, 2 values", ""),
        (save(), "", 0, "ok, 1 value", ""),
        (frames(&[&save_3()]), "--from godot3", 0, "ok, 1 value", ""),
        (save(), "--from redot", 0, "ok, 1 value", ""),
        (vec![], "", 1, "empty", ""),
        (vec![], "--format value", 1, "empty", ""),
        (frames(&[&int(1), &broken, &int(2)]), "", 1, "damaged, 2 values of 3", list),
        (cut.clone(), "", 1, "damaged, 1 value before the end", ends),
        (cut, "--format frames", 1, "damaged, 1 value before the end", ends),
        (vec![0; 1 << 20], "", 1, "damaged, 0 values before the end", zeros),
        (save()[..64].to_vec(), "--format value", 1, "damaged, 0 values of 1", ends_inside),
        ([save(), vec![9, 9]].concat(), "--format value", 1, "damaged, 0 values of 1", follows),
    ] {
        let folder = Folder::with("a", &bytes);
        let err = if err.is_empty() { String::new() } else { format!("error: a: {err}\n") };
        folder.run(&format!("check {options} a")).expect(code, &format!("a: {out}\n"), &err);
        folder.run(&format!("check --quiet {options} a")).expect(code, "", "");
    }
}

#[test]
fn at_most_20_errors_are_reported() {
    let bad = words(&[99]);
    let folder = Folder::with("a", &frames(&[&bad[..]; 25]));
    let ran = folder.run("check a");
    let lines: Vec<_> = ran.err.lines().collect();
    assert_eq!((ran.code, ran.out.as_str()), (1, "a: damaged, 0 values of 25\n"));
    assert_eq!(lines.iter().filter(|line| line.starts_with("error: ")).count(), 21, "{ran:?}");
    assert_eq!(lines[19], "error: a: frame 19: expected a type from 0 to 38, found 99, at byte 156");
    assert_eq!(lines[20], "error: a: 5 more values are damaged; --all reports them");
    assert_eq!(folder.run("check --all a").err.matches("error: ").count(), 25);
}

#[test]
fn damage_without_an_end_is_given_up() {
    let bad = words(&[99]);
    let sound = frames(&[&int(1)]);
    let folder = Folder::with("a", &[frames(&[&bad[..]; 100]), sound.clone()].concat());
    let ran = folder.run("check a");
    assert_eq!((ran.code, ran.out.as_str()), (1, "a: damaged, 0 values of the first 100\n"));
    let lines: Vec<_> = ran.err.lines().collect();
    let rest =
        "80 more values are damaged, 100 in a row, and the rest from byte 800 of 812 was not read; --all reads it";
    assert_eq!(lines[20], format!("error: a: {rest}"));
    assert_eq!(ran.err.matches("error: ").count(), 21);
    let all = folder.run("check --all a");
    assert_eq!((all.out.as_str(), all.err.matches("error: ").count()), ("a: damaged, 1 value of 101\n", 100));
    // Not at the end of a file, nor if a sound value stands between the damaged ones.
    folder.write("b", &frames(&[&bad[..]; 100]));
    assert_eq!(folder.run("check b").out, "b: damaged, 0 values of 100\n");
    folder.write("c", &[frames(&[&bad[..]; 99]), sound.clone(), frames(&[&bad[..]; 99]), sound].concat());
    assert_eq!(folder.run("check c").out, "c: damaged, 2 values of 200\n");
}

#[test]
fn several_files_each_have_a_line() {
    let folder = Folder::with("a", &frames(&[&int(1)]));
    folder.write("b", &save());
    folder.run("check a b").expect(0, "a: ok, 1 value\nb: ok, 1 value\n", "");
    folder.write("bad", &frames(&[&int(1), &words(&[99])]));
    let error = "error: bad: frame 1: expected a type from 0 to 38, found 99, at byte 16\n";
    folder.run("check a bad b").expect(1, "a: ok, 1 value\nbad: damaged, 1 value of 2\nb: ok, 1 value\n", error);
    folder.run("check --quiet a bad b").expect(1, "", "");
    // One file that cannot be read does not stop the check of the others.
    let error = "error: none: there is no such file or folder\n";
    folder.run("check none a").expect(3, "a: ok, 1 value\n", error);
    assert_eq!(folder.run("check bad none").code, 3);
    // A shell makes folders of `*`, too.
    fs::create_dir(folder.path("saves")).expect("a folder");
    folder.run("check saves a").expect(0, "a: ok, 1 value\n", "hint: saves: skipped, as it is a folder\n");
    folder.run("check --quiet saves a").expect(0, "", "");
    assert_eq!(folder.run("check saves saves").code, 3);
}

#[test]
fn json_is_an_object_a_line() {
    let broken = value(27, &[&words(&[1]), &string("a\"\n"), &words(&[28, 2, 0, 99])]);
    let folder = Folder::with("a", &frames(&[&int(1), &broken, &[int(2), vec![0; 4]].concat()]));
    // Windows has no such name, and Wine perhaps only English letters.
    let name = if cfg!(windows) { "b 'c" } else { "b \"\u{e9}" };
    folder.write(name, &frames(&[&int(1)]));
    let ran = folder.run_with(&["check", "--json", "--format", "frames", "a", name, "none"]);
    assert_eq!(ran.code, 3);
    let lines = ran.json();
    assert_eq!(lines.len(), 5, "{}", ran.out);
    let error = "expected a type from 0 to 38, found 99";
    let expected = json!({"file": "a", "frame": 1, "at": 48, "path": "[\"a\\\"\\n\"][1]", "error": error});
    assert_eq!(lines[0], expected);
    assert_eq!(lines[1]["error"], "1 value is followed by bytes that engines ignore, first at byte 64");
    let expected = json!({"file": "a", "state": "damaged", "values": 3, "damaged": 1, "followed": 1, "complete": true});
    assert_eq!(lines[2], expected);
    assert_eq!(lines[3]["file"], name);
    assert_eq!((&lines[3]["state"], &lines[4]["state"]), (&json!("ok"), &json!("unreadable")));
    folder.write("empty", &[]);
    let line = r#"{"file":"empty","state":"empty","values":0,"damaged":0,"followed":0,"complete":true}"#;
    folder.run("check --json empty").expect(1, &format!("{line}\n"), "");
    // What ends a file early is an error as well.
    folder.write("c", &frames(&[&int(1)])[..10]);
    let lines = folder.run("check --json c").json();
    assert_eq!(lines[0]["error"], "the file is cut off, 2 bytes are missing, at byte 4");
    assert_eq!(lines[1]["complete"], false);
}

#[test]
fn a_file_of_another_engine_is_recognized() {
    let folder = Folder::with("a", &frames(&[&int(1), &save_3()]));
    // A Dictionary of Godot 3 is read as a Transform3D, with bytes behind it.
    let rest = "error: a: 1 value is followed by bytes that engines ignore, first at byte 68\n";
    let hint = "hint: a: all of it can be read with --from godot3\n";
    folder.run("check a").expect(1, "a: damaged, 1 value of 2\n", &format!("{rest}{hint}"));
    folder.run("check --quiet a").expect(1, "", "");
    // A Rect2 of Godot 3.
    let rect = words(&[6, 0, 0, 0, 0]);
    folder.write("b", &frames(&[&rect[..]]));
    let hint = "\nhint: b: all of it can be read with --from godot3 or --from pandemonium or --from pandemonium-3.8\n";
    folder.run("check --format frames b").has(1, "", hint);
}

#[test]
fn formats_are_told_apart() {
    let folder = Folder::new();
    let kinds = [
        // Frames of one null, and a String without a character.
        (words(&[4, 0]), "frame 0\n"),
        // A bool, which is a Rect2i as well, then null.
        (words(&[8, 1, 1, 4, 0]), "frame 1\n"),
        // A Vector2 is longer than this frame.
        (words(&[8, 5, 5, 4, 0]), "Rect2i"),
        // As long as a frame, with another value in it.
        (value(4, &[&text("none")]), "String"),
        (words(&[0]), "Nil"),
        // A PackedByteArray without its padding.
        ([words(&[29, 1]), vec![7]].concat(), "PackedByteArray"),
    ];
    for (bytes, part) in kinds {
        folder.write("a", &bytes);
        let out = folder.run("show a").right();
        assert!(out.contains(part) && out.contains("frame") == part.contains("frame"), "{bytes:?}: {out}");
    }
    folder.write("a", &frames(&[&int(1)]));
    assert_eq!(folder.run("check --format value a").code, 1, "a header of 8 is a Rect2i, which is longer");
}

#[test]
fn compressed_files() {
    let folder = Folder::new();
    compress(&folder, "a", &frames(&[&int(1), &save()]), Compression::Zstd);
    folder.run("check a").expect(0, "a: ok, 2 values\n", "");
    let mut bytes = folder.read("a");
    let middle = bytes.len() - 12;
    bytes[middle] ^= 0xff;
    folder.write("a", &bytes);
    let error = "error: a: expected Zstandard of 84 bytes in block 0 of 1, found damage, at byte 20 of the file\n";
    folder.run("check a").expect(1, "a: damaged, 0 values before the end\n", error);
}

#[test]
fn a_file_that_is_something_else_is_named() {
    let mut big_endian = frames(&[&save(), &save()]);
    big_endian[..4].reverse();
    for (bytes, hint) in [
        (&b"GDEC\x01\0\0\0rest"[..], "this is an encrypted file (\"GDEC\"): --password-file, --password-env or"),
        (b"{\"level\": 3}", "this is text, such as JSON: "),
        (b"RSRC\0\0\0\0", "this is a resource (\"RSRC\"): "),
        (b"\x1f\x8b\x08\0\0\0", "this is a gzip stream: gzip -d unpacks it"),
        (&big_endian, "its lengths are big-endian"),
        (&save()[..60], "it was read as values of store_var(); --format value reads it as one value"),
    ] {
        let folder = Folder::with("a", bytes);
        for command in ["check a", "show a", "convert --from godot4 --to godot3 a b"] {
            let ran = folder.run(command);
            let last = ran.err.lines().last().unwrap_or_default();
            assert!(ran.code == 1 && last.starts_with(&format!("hint: a: {hint}")), "{command}: {ran:?}");
        }
    }
    // No hint where it would not help.
    let ran = Folder::with("a", &words(&[0x7fff_fffa, 77, 77])).run("check a");
    assert!(ran.code == 1 && !ran.err.contains("hint"), "{ran:?}");
}
