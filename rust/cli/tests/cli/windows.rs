//! What is different on Windows: paths, patterns for files, and what shells do with quotes.

use crate::support::{Folder, frames, int, save, string};

#[test]
fn patterns_stand_for_files() {
    let folder = Folder::with("b.dat", &save());
    folder.write("A.DAT", &frames(&[&int(1), &int(2)]));
    folder.write("a.txt", b"no");
    std::fs::create_dir(folder.path("saves")).expect("made");
    folder.write("saves/1.sav", &save());
    let all = "A.DAT: ok, 2 values\nb.dat: ok, 1 value\n";
    folder.run("check *.dat").expect(0, all, "");
    folder.run("check ?.dat").expect(0, all, "");
    folder.run(r"check saves\*").expect(0, "saves\\1.sav: ok, 1 value\n", "");
    let ran = folder.run("check *.png b.dat");
    assert_eq!((ran.code, ran.out.as_str()), (3, "b.dat: ok, 1 value\n"));
    assert!(ran.err.starts_with("error: *.png: ") && ran.err.lines().count() == 1, "{ran:?}");
}

#[test]
fn paths_have_backslashes_and_drives() {
    let folder = Folder::with("a", &save());
    let path = folder.path("a").display().to_string();
    assert!(path.as_bytes()[1] == b':' && path.contains('\\'), "{path}");
    for path in [path.clone(), path.replace('\\', "/"), format!(r"\\?\{path}"), r".\a".into()] {
        folder.run_with(&["check", &path]).expect(0, &format!("{path}: ok, 1 value\n"), "");
    }
}

#[test]
fn names_and_output_are_unicode() {
    let folder = Folder::with("größe 雪.dat", &string("né ❄"));
    folder.run_with(&["check", "größe 雪.dat"]).expect(0, "größe 雪.dat: ok, 1 value\n", "");
    folder.run_with(&["get", "--raw", "größe 雪.dat", ""]).expect(0, "né ❄", "");
}

#[test]
fn bytes_are_printed_as_they_are() {
    // A PackedByteArray with line ends and the mark that ends a text file.
    let bytes = b"\n\r\n\x1a\xff\0\n\n";
    let value = [&[29, 0, 0, 0, 8, 0, 0, 0][..], bytes].concat();
    let folder = Folder::with("a", &value);
    let raw = folder.command("get --raw a").arg("").output().expect("run");
    assert_eq!(raw.stdout, bytes);
    let piped = folder.piped("convert --from godot4 --to godot4 - -", &value);
    assert_eq!((piped.status.code(), piped.stdout), (Some(0), value));
}

#[test]
fn a_path_needs_no_quotes() {
    let folder = Folder::with("a", &save());
    folder.run("get a .hp").expect(0, "        20         8  int 7\n", "");
}
