//! Stores, in each command.

use std::process::Command;

use serde_json::json;
use varbatch_codec::key::{from_key, to_key};
use varbatch_storage::compressed::Compression;
use varbatch_storage::encrypted::Key;
use varbatch_storage::{Saver, Ticket};
use varbatch_store::{Budget, Packed, Store, Walk};
use varbatch_workers::Threads;

use crate::store_damage::state;
use crate::support::{Folder, compress, frames, int, save, string, text, value, words};

pub const TO_FILE: &str = "convert --from godot4 --to godot4";
pub const TO_STORE: &str = "convert --from godot4 --to store";

pub type Entries = Vec<(Vec<u8>, Vec<u8>)>;

/// Saves what is in no store yet. Every other value is compressed, if that makes it shorter.
pub fn put(store: &mut Store, entries: &[(Vec<u8>, Vec<u8>)]) {
    store.begin().expect("begun");
    for (i, (key, value)) in entries.iter().enumerate() {
        store.put(key, &Packed::new(key, value.clone(), i % 2 == 1)).expect("put");
    }
    store.commit().expect("saved");
}

/// Makes a store of keys, each as a value.
pub fn make(folder: &Folder, name: &str, entries: &[(Vec<u8>, Vec<u8>)]) {
    let entries: Entries = entries.iter().map(|(key, value)| (to_key(key).expect("a key"), value.clone())).collect();
    put(&mut Store::open(&folder.path(name)).expect("opened"), &entries);
}

/// All entries of a store, in the order of their keys.
pub fn load(folder: &Folder, name: &str) -> Entries {
    let mut reader = Store::open_bytes(folder.read(name).into()).and_then(|store| store.reader()).expect("opened");
    let mut keys = Vec::new();
    reader.keys(&mut Walk::default(), usize::MAX, |key| keys.push(key.to_vec())).expect("all keys");
    let rows = reader.get_some(&mut keys.iter().map(Vec::as_slice), usize::MAX, Vec::new(), &mut Budget::default());
    let entry = |(key, value): (&Vec<u8>, _)| (from_key(key).expect("a key"), value);
    keys.iter().zip(rows.values(b"").map(|value| value.expect("sound").into_owned())).map(entry).collect()
}

/// A store as a killed game leaves it: "hp" is 9 in the journal alone.
pub fn crashed() -> Folder {
    let (folder, crashed) = (folder(), Folder::new());
    let mut store = Store::open(&folder.path("a")).expect("opened");
    put(&mut store, &[(to_key(&string("hp")).expect("a key"), int(9))]);
    ["a", "a-wal"].iter().for_each(|name| crashed.write(name, &folder.read(name)));
    crashed
}

/// The key ["chunk", number].
pub fn chunk(number: i32) -> Vec<u8> {
    value(28, &[&words(&[2]), &string("chunk"), &int(number)])
}

/// Keys of several types, in their order.
pub fn entries() -> Entries {
    let object = value(24, &[&text("Node"), &words(&[1]), &text("name"), &string("x")]);
    vec![
        (int(7), int(1)),
        (string("hp"), words(&[2, 5])),
        (string("player"), save()),
        (string("thing"), object),
        (words(&[6, 1, 2]), value(29, &[&words(&[100_000]), &[9; 100_000]])),
        (chunk(3), int(4)),
    ]
}

/// As records: an Array of the key and the value for each.
pub fn records(entries: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    entries.iter().flat_map(|(key, content)| frames(&[&value(28, &[&words(&[2]), key, content])])).collect()
}

pub fn folder() -> Folder {
    let folder = Folder::new();
    make(&folder, "a", &entries());
    folder
}

/// Flips a bit of the first place in a file where these bytes are.
pub fn flip(folder: &Folder, name: &str, bytes: &[u8]) {
    let mut file = folder.read(name);
    let at = file.windows(bytes.len()).position(|window| window == bytes).expect("it is there");
    file[at + bytes.len() - 1] ^= 1;
    folder.write(name, &file);
}

#[test]
fn all_entries_are_shown() {
    let folder = folder();
    let tree = r#"store, 6 keys
         0         8  7: int 1
         0         8  "hp": int 5
         0        68  "player": Dictionary of 2
        20         8    "hp": int 7
        40        28    "at": Array of 2
        48        12      [0]: Vector2i (1, 2)
        60         8      [1]: bool true
         0        36  "thing": Object Node of 1
        24        12    .name: String "x"
         0    100008  Vector2i(1, 2): PackedByteArray of 100000 [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, ...]
         0         8  ["chunk", 3]: int 4
"#;
    folder.run("show a").expect(0, tree, "");
    folder.run("show --count 2 --depth 0 a").expect(
        0,
        &format!("{}... 4 more values; --all shows them\n", tree.split_inclusive('\n').take(3).collect::<String>()),
        "",
    );
    let lines = folder.run("show --json a").json();
    assert_eq!(lines[1], json!({"path": "[\"hp\"]", "at": 0, "size": 8, "depth": 0, "type": "int", "value": 5}));
    assert_eq!(lines[6]["path"], "[\"player\"][\"at\"][1]");
    let path = |line: usize| lines[line]["path"].as_str().expect("a path");
    assert_eq!((lines.len(), path(9), path(10)), (11, "[Vector2i(1, 2)]", "[[\"chunk\", 3]]"));
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
        (r#"[&"thing"].name"#, "        24        12  String \"x\"\n"),
        (r#"[["chunk", 3]]"#, "         0         8  int 4\n"),
        (r#"[["chunk",3]]"#, "         0         8  int 4\n"),
        ("[Array]", "         0         8  int 4\n"),
        ("[Vector2i(1,2)][4]", "        12         1  int 9\n"),
        ("[Vector2i(1, 2)][4]", "        12         1  int 9\n"),
    ] {
        folder.run_with(&["get", "a", path]).expect(0, out, "");
    }
    let raw = folder.run_with(&["get", "--raw", "a", "[Vector2i(1, 2)]"]).right();
    assert_eq!((raw.len(), raw.trim_matches('\t')), (100_000, ""));
    for (path, error) in [
        ("", "a: expected a key at the start of the path"),
        ("none", "a: expected one key like this of 6 keys, found 0"),
        ("[\"ch unk\"]", "a: expected one key like this of 6 keys, found 0"),
        ("[key 0]", "a: expected one key like this of 6 keys, found 0"),
        ("player.none", "a: expected an existing key, found no key \"none\""),
    ] {
        folder.run_with(&["get", "a", path]).fails(2, &format!("error: {error}\n"));
    }
    folder.run("get --frame 0 a hp").fails(2, "error: --frame: the file has no frames\n");
}

#[test]
fn a_sound_store() {
    let folder = folder();
    folder.run("check a").expect(0, "a: ok, 6 keys\n", "");
    assert_eq!(folder.run("check --json a").json()[0]["values"], 6);
    make(&folder, "none", &[]);
    folder.run("check none").expect(0, "none: ok, 0 keys\n", "");
    folder.run("show none").expect(0, "store, 0 keys\n", "");
}

#[test]
fn there_and_back_to_the_byte() {
    let folder = folder();
    folder.run(&format!("{TO_FILE} a file")).expect(0, "file: 6 values from godot4 to godot4\n", "");
    assert!(folder.read("file") == records(&entries()));
    folder.run(&format!("{TO_STORE} file b")).expect(0, "b: 6 values from godot4 to store\n", "");
    folder.run(&format!("{TO_STORE} b c")).expect(0, "c: 6 values from godot4 to store\n", "");
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
    folder.run(&format!("{TO_STORE} b a")).fails(3, "error: a: the file exists; --force replaces it\n");
    folder.run(&format!("{TO_STORE} b none/a")).has(3, "", "error: none/a: ");
    let engines = "error: stores are of godot4: expected --from godot4, and --to godot4 or store\n";
    for engines_of in ["--from godot3 --to store b", "--from godot4 --to godot3 a", "--from godot3 --to godot4 a"] {
        folder.run(&format!("convert {engines_of} out")).fails(2, engines);
    }
    let pipe = "error: standard input: a store is read from a file, not from a pipe\n";
    folder.run_piped("show -", &folder.read("a")).fails(2, pipe);
    folder.run("show --from godot3 a").fails(2, engines);
    folder.run("diff a b").has(2, "", "error: a store can only be compared with a store");
    assert!(load(&folder, "a") == entries());
    assert_eq!(folder.names(), ["a", "b"]);
}

#[test]
fn a_store_that_a_game_has_open() {
    let folder = folder();
    folder.write("b", &records(&entries()));
    let mut store = Store::open(&folder.path("a")).expect("opened");
    put(&mut store, &[(to_key(&string("hp")).expect("a key"), int(9))]);
    let error = "error: a: another VarBatchStore or another program has it open";
    for command in
        ["show a", "check a", "diff a a", &format!("{TO_STORE} --force b a"), &format!("{TO_FILE} --force b a")]
    {
        folder.run(command).has(3, "", error);
    }
    drop(store);
    folder.run("get a hp").expect(0, "         0         8  int 9\n", "");
}

#[cfg(unix)]
#[test]
fn a_journal_lies_beside_what_a_link_leads_to() {
    let (folder, links) = (crashed(), Folder::new());
    std::os::unix::fs::symlink(folder.path("a"), links.path("link")).expect("linked");
    links.run("get link hp").expect(0, "         0         8  int 9\n", "");
}

#[test]
fn a_store_is_replaced_as_other_files_are() {
    let folder = crashed();
    folder.write("b", &records(&entries()[..2]));
    // What fails leaves no file, and the old one with its journal.
    folder.write("bad", &[&records(&entries()), &frames(&[&int(1)])[..]].concat());
    let before = state(&folder);
    folder.run(&format!("{TO_STORE} --force bad a")).has(1, "", "error: bad: frame 6: expected an Array of a key");
    folder.run(&format!("{TO_STORE} bad new")).has(1, "", "error: bad: frame 6: expected an Array of a key");
    assert!(state(&folder) == before);
    // A journal goes with its store.
    folder.run(&format!("{TO_STORE} --force b a")).expect(0, "a: 2 values from godot4 to store\n", "");
    assert_eq!(
        (load(&folder, "a"), folder.names()),
        (entries()[..2].to_vec(), ["a", "b", "bad"].map(String::from).to_vec())
    );
    folder.run(&format!("{TO_STORE} --force a a")).expect(0, "a: 2 values from godot4 to store\n", "");
    folder.run(&format!("{TO_STORE} --force a b")).right();
    assert!(load(&folder, "a") == entries()[..2] && load(&folder, "b") == entries()[..2]);
}

#[test]
fn what_is_encrypted_becomes_no_store_without_a_word() {
    let folder = folder();
    folder.write("key", &[7; Key::LEN]);
    let mut saver = Saver::create_encrypted(&folder.path("secret"), &Key::new([7; Key::LEN])).expect("created");
    saver.write_bytes(&records(&entries()), &Threads::alone()).expect("written");
    let mut flushed = saver.flush(&Threads::alone()).expect("flushed");
    flushed.commit(&Ticket::take_for(&folder.path("secret"))).expect("in place");
    folder.run("check --key-file key secret").expect(0, "secret: ok, 6 values\n", "");
    let refused = "error: a store is not encrypted, nor is what is made of one: expected no key\n";
    folder.run(&format!("{TO_STORE} --key-file key secret new")).fails(2, refused);
    folder.run(&format!("{TO_FILE} --key-file key a new")).fails(2, refused);
    assert!(!folder.path("new").exists());
}

/// "a" is one key with &"a", -0.0 with 0.0.
#[test]
fn the_last_value_of_a_key_counts() {
    let zero = |sign| words(&[3, sign]);
    let name = value(21, &[&text("a")]);
    let pairs = [(string("a"), int(1)), (zero(0), int(2)), (name, int(3)), (zero(1 << 31), int(4))];
    let folder = Folder::with("in", &records(&pairs));
    folder.run(&format!("{TO_STORE} in out")).expect(0, "out: 2 values from godot4 to store\n", "");
    assert_eq!(load(&folder, "out"), [(zero(0), int(4)), (string("a"), int(3))]);
    folder.write("in", &records(&[(words(&[24, 0]), int(1))]));
    let error =
        "error: in: frame 0: expected a key without objects, Callables, Signals and RIDs, found Object, at byte 12";
    folder.run(&format!("{TO_STORE} in bad")).has(1, "", &format!("{error}\n"));
}

/// SQLite would take some for a file in memory, or a temporary one.
#[test]
fn names_are_names_of_files() {
    let folder = folder();
    for name in ["", ":memory:", "file:a", "file:a?mode=memory", "file::memory:"] {
        folder.run_with(&["show", name]).has(if name.is_empty() { 2 } else { 3 }, "", "error: ");
        let ran = folder.run_with(&["convert", "--from", "godot4", "--to", "store", "a", name]);
        if ran.code == 0 && cfg!(unix) && !name.is_empty() {
            assert!(load(&folder, name) == entries(), "{name}");
            let line = folder.run("show a").right();
            folder.run_with(&["show", name]).expect(0, &line, "");
            std::fs::remove_file(folder.path(name)).expect("removed");
        } else {
            assert!(ran.code > 1 && ran.out.is_empty() && (cfg!(windows) || name.is_empty()), "{name}: {ran:?}");
        }
        assert_eq!(folder.names(), ["a"], "{name}");
    }
}

#[test]
fn changes_of_stores() {
    let folder = folder();
    let mut after = entries();
    after[1].1 = int(6);
    after[2].1 = value(27, &[&words(&[1]), &string("hp"), &int(8)]);
    after[5].0 = chunk(4);
    after.remove(0);
    make(&folder, "b", &after);
    let changes = r#"remove [7]: int 1
set ["hp"]: int 5 -> int 6
set ["player"]["hp"]: int 7 -> int 8
remove ["player"]["at"]: Array of 2
remove [["chunk", 3]]: int 4
insert [["chunk", 4]]: int 4
"#;
    folder.run("diff a b").expect(1, changes, "");
    folder.run("diff --quiet a b").expect(1, "", "");
    let lines = folder.run("diff --json a b").json();
    assert_eq!(lines[2]["path"], "[\"player\"][\"hp\"]");
    assert_eq!(
        (lines[5]["path"].as_str(), &lines[5]["new"]),
        (Some("[[\"chunk\", 4]]"), &json!({"type": "int", "value": 4}))
    );
    // Rows are compared, not files.
    make(&folder, "c", &entries().into_iter().rev().collect::<Entries>());
    folder.run("diff a c").expect(0, "", "");
    make(&folder, "none", &[]);
    assert_eq!(folder.run("diff none a").out.lines().count(), 6);
    assert_eq!(folder.run("diff a none").out.lines().count(), 6);
    // Damage is an error, also the same in both.
    flip(&folder, "a", &save());
    folder.run("diff a a").has(1, "", "error: a: [\"player\"]: the value is damaged");
    folder.run("diff none a").has(1, "insert [\"hp\"]: int 5\n", "error: a: [\"player\"]: the value is damaged");
}

/// Each command of the page about the file of a store, in its order.
#[test]
fn the_commands_of_the_page() {
    let folder = Folder::new();
    make(&folder, "world.store", &entries());
    let page = include_str!("../../../docs/STORE.md");
    let blocks = page.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n"));
    let inline = page.split('`').filter(|code| code.starts_with("varbatch ") && !code.contains('\n'));
    let commands: Vec<_> = blocks.flat_map(str::lines).chain(inline).collect();
    assert!(commands.len() >= 4, "{commands:?}");
    for command in commands {
        let parts = command.split('\'').enumerate();
        let words: Vec<_> = parts
            .flat_map(|(i, part)| if i % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
            .collect();
        if words[0] == "varbatch" {
            folder.run_with(&words[1..]).right();
        } else if let Ok(done) = Command::new(words[0]).args(&words[1..]).current_dir(folder.path("")).output() {
            assert!(done.status.success(), "{command}: {done:?}");
        }
    }
    assert!(load(&folder, "other.store") == entries());
}
