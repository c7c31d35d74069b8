//! Stores, in each command.

use serde_json::json;
use varbatch_storage::compressed::Compression;
use varbatch_store::{Packed, Store};

use crate::support::{Folder, compress, frames, int, save, string, text, value, words};

const TO_FILE: &str = "convert --from godot4 --to godot4";
const TO_STORE: &str = "convert --from godot4 --to store";

/// Makes a store. Every other value is compressed, if that makes it shorter.
fn make(folder: &Folder, name: &str, entries: &[(Vec<u8>, Vec<u8>)]) {
    let mut store = Store::open(&folder.path(name)).expect("opened");
    store.begin().expect("begun");
    for (i, (key, value)) in entries.iter().enumerate() {
        store.put(key, &Packed::new(key, value.clone(), i % 2 == 1)).expect("put");
    }
    store.commit().expect("saved");
}

/// All entries of a store, sorted by the bytes of their keys.
fn load(folder: &Folder, name: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut store = Store::open_to_read(&folder.path(name)).expect("opened");
    let mut keys = Vec::new();
    store.keys(|key| keys.push(key.to_vec())).expect("all keys");
    let mut get = |key: &[u8]| store.get(key).expect("read").expect("there").unpack(key).expect("sound").into_owned();
    keys.iter().map(|key| (key.clone(), get(key))).collect()
}

/// Keys of several types, sorted by their bytes.
fn entries() -> Vec<(Vec<u8>, Vec<u8>)> {
    let object = value(24, &[&text("Node"), &words(&[1]), &text("name"), &string("x")]);
    vec![
        (int(7), int(1)),
        (string("hp"), words(&[2, 5])),
        (string("player"), save()),
        (words(&[6, 1, 2]), value(29, &[&words(&[100_000]), &[9; 100_000]])),
        (value(21, &[&text("thing")]), object),
    ]
}

/// As records: an Array of the key and the value for each.
fn records(entries: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    entries.iter().flat_map(|(key, content)| frames(&[&value(28, &[&words(&[2]), key, content])])).collect()
}

fn folder() -> Folder {
    let folder = Folder::new();
    make(&folder, "a", &entries());
    folder
}

/// Flips a bit of the first place in a file where these bytes are.
fn flip(folder: &Folder, name: &str, bytes: &[u8]) {
    let mut file = folder.read(name);
    let at = file.windows(bytes.len()).position(|window| window == bytes).expect("it is there");
    file[at + bytes.len() - 1] ^= 1;
    folder.write(name, &file);
}

#[test]
fn all_entries_are_shown() {
    let folder = folder();
    let tree = r#"store, 5 keys
         0         8  7: int 1
         0         8  "hp": int 5
         0        68  "player": Dictionary of 2
        20         8    "hp": int 7
        40        28    "at": Array of 2
        48        12      [0]: Vector2i (1, 2)
        60         8      [1]: bool true
         0    100008  Vector2i(1, 2): PackedByteArray of 100000 [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, ...]
         0        36  &"thing": Object Node of 1
        24        12    .name: String "x"
"#;
    folder.run("show a").expect(0, tree, "");
    folder.run("show --count 2 --depth 0 a").expect(
        0,
        &format!("{}... 3 more values; --all shows them\n", tree.split_inclusive('\n').take(3).collect::<String>()),
        "",
    );
    let lines = folder.run("show --json a").json();
    assert_eq!(lines[1], json!({"path": "[\"hp\"]", "at": 0, "size": 8, "depth": 0, "type": "int", "value": 5}));
    assert_eq!(lines[6]["path"], "[\"player\"][\"at\"][1]");
    assert_eq!((lines.len(), &lines[7]["path"]), (10, &json!("[Vector2i(1, 2)]")));
    for option in ["--frame 0", "--start 0"] {
        let name = &option[..option.len() - 2];
        folder.run(&format!("show {option} a")).fails(2, &format!("error: {name}: the file has no frames\n"));
    }
    assert_eq!(folder.names(), ["a"]);
}

#[test]
fn a_path_begins_with_a_key() {
    let folder = folder();
    for (path, out) in [
        (r#"["hp"]"#, "         0         8  int 5\n"),
        ("hp", "         0         8  int 5\n"),
        ("[7]", "         0         8  int 1\n"),
        (r#"["player"]["at"][1]"#, "        60         8  bool true\n"),
        ("thing.name", "        24        12  String \"x\"\n"),
        ("[Vector2i(1, 2)][4]", "        12         1  int 9\n"),
    ] {
        folder.run_with(&["get", "a", path]).expect(0, out, "");
    }
    let raw = folder.run_with(&["get", "--raw", "a", "[Vector2i(1, 2)]"]).right();
    assert_eq!((raw.len(), raw.trim_matches('\t')), (100_000, ""));
    for (path, error) in [
        ("", "a: expected a key at the start of the path"),
        ("none", "a: expected one key like this of 5 keys, found 0"),
        ("[key 0]", "a: expected one key like this of 5 keys, found 5"),
        ("player.none", "a: expected an existing key, found no key \"none\""),
    ] {
        folder.run_with(&["get", "a", path]).fails(2, &format!("error: {error}\n"));
    }
    folder.run("get --frame 0 a hp").fails(2, "error: --frame: the file has no frames\n");
}

#[test]
fn a_sound_store() {
    let folder = folder();
    folder.run("check a").expect(0, "a: ok, 5 values\n", "");
    assert_eq!(folder.run("check --json a").json()[0]["values"], 5);
    make(&folder, "none", &[]);
    folder.run("check none").expect(0, "none: ok, 0 values\n", "");
    folder.run("show none").expect(0, "store, 0 keys\n", "");
}

#[test]
fn there_and_back_to_the_byte() {
    let folder = folder();
    folder.run(&format!("{TO_FILE} a file")).expect(0, "file: 5 values from godot4 to godot4\n", "");
    assert!(folder.read("file") == records(&entries()));
    folder.run(&format!("{TO_STORE} file b")).expect(0, "b: 5 values from godot4 to store\n", "");
    folder.run(&format!("{TO_STORE} b c")).expect(0, "c: 5 values from godot4 to store\n", "");
    assert!(load(&folder, "b") == entries() && load(&folder, "c") == entries());
    assert!(folder.piped(&format!("{TO_FILE} a -"), &[]).stdout == records(&entries()));
    folder.write("d", &folder.piped(&format!("{TO_STORE} - -"), &records(&entries())).stdout);
    assert!(load(&folder, "d") == entries());
    compress(&folder, "short", &records(&entries()), Compression::Zstd);
    folder.run(&format!("{TO_STORE} short e")).right();
    assert!(load(&folder, "e") == entries());
    folder.run("check a b c d e file").right();
    assert_eq!(folder.names(), ["a", "b", "c", "d", "e", "file", "short"]);
}

#[test]
fn what_is_no_pair_makes_no_store() {
    let pair = |count, parts: &[&[u8]]| value(28, &[&words(&[count]), &parts.concat()]);
    let none = "expected an Array of a key and a value, and nothing behind";
    for (bad, error) in [
        (int(1), none),
        (pair(3, &[&int(1), &int(2), &int(3)]), none),
        (pair(2, &[&int(1), &int(2), &int(3)]), none),
        (pair(2, &[&int(1), &words(&[99])]), "expected a type from 0 to 38, found 99, at byte 48 inside [1]"),
    ] {
        let folder = Folder::with("in", &frames(&[&pair(2, &[&int(1), &int(2)]), &bad]));
        folder.run(&format!("{TO_STORE} in out")).fails(1, &format!("error: in: frame 1: {error}\n"));
        assert_eq!(folder.names(), ["in"]);
    }
}

#[test]
fn outputs_and_engines_that_do_not_fit() {
    let folder = folder();
    folder.write("b", &records(&entries()));
    folder.run(&format!("{TO_STORE} --force b a")).fails(3, "error: a: the file exists; a store replaces none\n");
    folder.run(&format!("{TO_STORE} b none/a")).has(3, "", "error: none/a: ");
    let engines = "error: stores are of godot4: expected --from godot4, and --to godot4 or store\n";
    for engines_of in ["--from godot3 --to store b", "--from godot4 --to godot3 a", "--from godot3 --to godot4 a"] {
        folder.run(&format!("convert {engines_of} out")).fails(2, engines);
    }
    let pipe = "error: standard input: a store is read from a file, not from a pipe\n";
    folder.run_piped("show -", &folder.read("a")).fails(2, pipe);
    folder.run("diff a a").has(2, "", "error: stores cannot be compared");
    assert!(load(&folder, "a") == entries());
    assert_eq!(folder.names(), ["a", "b"]);
}

#[test]
fn damaged_values_are_named_and_left_out() {
    let folder = folder();
    flip(&folder, "a", &save());
    let error = "[\"player\"]: the value is damaged: its checksum differs. Erase it, or save it again";
    let line = format!("error: a: {error}\n");
    folder.run("check a").expect(1, "a: damaged, 4 values of 5\n", &line);
    let json = folder.run("check --json a").json();
    assert_eq!((&json[0]["path"], &json[1]["damaged"]), (&json!("[\"player\"]"), &json!(1)));
    folder.run("check --quiet a").expect(1, "", "");
    folder.run("show --depth 0 a").has(1, "\"hp\": int 5\n", &line);
    folder.run("get a player.hp").fails(1, &line);
    folder.run("get a hp").right();
    let (mut left, out) = (entries(), "out: 4 values from godot4 to");
    left.remove(2);
    folder.run(&format!("{TO_FILE} a out")).expect(1, &format!("{out} godot4\n"), &line);
    assert!(folder.read("out") == records(&left));
    folder.run(&format!("{TO_STORE} a new")).expect(1, "new: 4 values from godot4 to store\n", &line);
    assert!(load(&folder, "new") == left);
}

/// Its checksum is right, but it is no value.
#[test]
fn values_that_were_saved_damaged() {
    let folder = Folder::new();
    let list = value(28, &[&words(&[2]), &int(1), &words(&[99])]);
    make(&folder, "a", &[(string("a"), list), (string("b"), int(1)), (words(&[99]), int(2)), (vec![], int(3))]);
    let key = "expected a type from 0 to 38, found 99, at byte 16";
    let errors = format!(
        "error: a: [damaged]: the key is damaged\nerror: a: [\"a\"]: {key} inside [1]\nerror: a: [damaged]: the key is damaged\n"
    );
    folder.run("check a").expect(1, "a: damaged, 1 value of 4\n", &errors);
    folder.run(&format!("{TO_FILE} a b")).expect(1, "b: 1 value from godot4 to godot4\n", &errors);
    assert!(folder.read("b") == records(&[(string("b"), int(1))]));
}

/// Whatever two pages are lost behind the first of the rows, most is still read, and what is read is right.
#[test]
fn damaged_pages() {
    const PAGE: usize = 16_384;
    let folder = Folder::new();
    let mut entries: Vec<_> = (0..1000).rev().map(|i| (string(format!("a long key {i:040}")), int(i))).collect();
    make(&folder, "sound", &entries);
    entries.sort();
    let sound = folder.read("sound");
    // The page of the tables' names, and one that only writing reads, are not among them.
    for page in 2..sound.len() / PAGE {
        let mut bytes = sound.clone();
        bytes[page * PAGE..].iter_mut().take(2 * PAGE).for_each(|byte| *byte = 0xaa);
        folder.write("a", &bytes);
        let ran = folder.run("check a");
        assert!(ran.code == 1 && ran.out.starts_with("a: damaged, "), "{page}: {ran:?}");
        let ran = folder.run(&format!("{TO_STORE} a out{page}"));
        let left = load(&folder, &format!("out{page}"));
        assert_eq!((ran.code, ran.out), (1, format!("out{page}: {} values from godot4 to store\n", left.len())));
        assert!(left.len() > 600 || page == 2, "{page}: {} values", left.len());
        assert!(left.iter().all(|entry| entries.binary_search(entry).is_ok()), "{page}");
    }
}

#[test]
fn other_files_of_sqlite() {
    let folder = folder();
    let mut bytes = folder.read("a");
    bytes[68..72].fill(0);
    folder.write("other", &bytes);
    folder.run("check other").has(1, "other: damaged, 0 values before the end\n", "error: other: ");
    folder.run("show other").has(1, "", "error: other: ");
    // One of a newer version, and one whose tables cannot be found.
    let mut newer = folder.read("a");
    newer[60..64].copy_from_slice(&9_u32.to_be_bytes());
    folder.write("newer", &newer);
    let error = "a newer VarBatch wrote it, with version 9 of its tables; update VarBatch to open it\n";
    folder.run("show newer").fails(1, &format!("error: newer: {error}"));
    flip(&folder, "a", b"CREATE TABLE entry(");
    folder.run(&format!("{TO_FILE} a out")).has(1, "", "error: a: it is damaged: ");
    assert_eq!(folder.names(), ["a", "newer", "other"]);
}

#[test]
fn a_store_that_a_game_has_open() {
    let folder = folder();
    let mut store = Store::open(&folder.path("a")).expect("opened");
    store.begin().expect("begun");
    store.put(&string("hp"), &Packed::new(&string("hp"), int(9), false)).expect("put");
    store.commit().expect("saved");
    let (files, error) = (folder.names(), "another VarBatchStore or another program has it open");
    folder.run("show a").has(3, "", &format!("error: a: {error}"));
    folder.run("check a").has(3, "", &format!("error: a: {error}"));
    // As after a crash: the journal is left.
    let crashed = Folder::new();
    files.iter().for_each(|name| crashed.write(name, &folder.read(name)));
    drop(store);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(crashed.path("a"), crashed.path("link")).expect("linked");
        crashed.run("get link hp").expect(0, "         0         8  int 9\n", "");
    }
    crashed.run("get a hp").expect(0, "         0         8  int 9\n", "");
    folder.run("get a hp").expect(0, "         0         8  int 9\n", "");
}
