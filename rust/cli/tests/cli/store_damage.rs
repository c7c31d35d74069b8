//! Guards: of a damaged store all else is read, in bounded time, and nothing that is read is changed.

use std::time::{Instant, SystemTime};

use serde_json::json;
use varbatch_codec::key::to_key;
use varbatch_store::Store;

use crate::store::{Entries, TO_FILE, TO_STORE, crashed, entries, flip, folder, load, make, put, records};
use crate::support::{Folder, int, save, string, value, words};

#[test]
fn damaged_values_are_named_and_left_out() {
    let folder = folder();
    flip(&folder, "a", &save());
    let error = "[\"player\"]: the value is damaged: its checksum differs. Erase it, or save it again";
    let line = format!("error: a: {error}\n");
    folder.run("check a").expect(1, "a: damaged, 5 keys of 6\n", &line);
    let json = folder.run("check --json a").json();
    assert_eq!((&json[0]["path"], &json[1]["damaged"]), (&json!("[\"player\"]"), &json!(1)));
    folder.run("check --quiet a").expect(1, "", "");
    folder.run("show --depth 0 a").has(1, "\"hp\": int 5\n", &line);
    folder.run("get a player.hp").fails(1, &line);
    folder.run("get a hp").right();
    let (mut left, out) = (entries(), "out: 5 values from godot4 to");
    left.remove(2);
    folder.run(&format!("{TO_FILE} a out")).expect(1, &format!("{out} godot4\n"), &line);
    assert!(folder.read("out") == records(&left));
    folder.run(&format!("{TO_STORE} a new")).expect(1, "new: 5 values from godot4 to store\n", &line);
    assert!(load(&folder, "new") == left);
}

/// Its checksum is right, but it is no value.
#[test]
fn values_that_were_saved_damaged() {
    let folder = Folder::new();
    let list = value(28, &[&words(&[2]), &int(1), &words(&[99])]);
    let key = |text| to_key(&string(text)).expect("a key");
    let mut store = Store::open(&folder.path("a")).expect("opened");
    put(&mut store, &[(vec![], int(3)), (key("a"), list), (key("b"), int(1)), (vec![99], int(2))]);
    drop(store);
    let key = "expected a type from 0 to 38, found 99, at byte 16";
    let errors = format!(
        "error: a: [damaged]: the key is damaged\nerror: a: [\"a\"]: {key} inside [1]\nerror: a: [damaged]: the key is damaged\n"
    );
    folder.run("check a").expect(1, "a: damaged, 1 key of 4\n", &errors);
    folder.run(&format!("{TO_FILE} a b")).expect(1, "b: 1 value from godot4 to godot4\n", &errors);
    assert!(folder.read("b") == records(&[(string("b"), int(1))]));
}

/// Whatever two pages are lost behind the first of the rows, most is still read, and what is read is right.
#[test]
fn damaged_pages() {
    const PAGE: usize = 16_384;
    let folder = Folder::new();
    let name = |i: i32| string(format!("a long key {i:040}"));
    let mut entries: Vec<_> = (0..1000).rev().map(|i| (name(i), int(i))).collect();
    make(&folder, "sound", &entries);
    entries.sort();
    let sound = folder.read("sound");
    let mut without = 0;
    // The page of the tables' names, and one that only writing reads, are not among them.
    for page in 2..sound.len() / PAGE {
        let mut bytes = sound.clone();
        bytes[page * PAGE..].iter_mut().take(2 * PAGE).for_each(|byte| *byte = 0xaa);
        folder.write("a", &bytes);
        let ran = folder.run("check a");
        assert!(ran.code == 1 && ran.out.starts_with("a: damaged, "), "{page}: {ran:?}");
        let ran = folder.run(&format!("{TO_STORE} a out{page}"));
        assert!(ran.out.starts_with("out"), "{page}: {ran:?}");
        let left = load(&folder, &format!("out{page}"));
        assert_eq!((ran.code, ran.out), (1, format!("out{page}: {} values from godot4 to store\n", left.len())));
        // Only the page that leads to all rows is lost with all of them; two pages are lost each time.
        without += usize::from(left.is_empty());
        assert!(left.len() > 500 || left.is_empty() && without <= 2, "{page}: {} values", left.len());
        // What is not found may be lost, or never have been there.
        let lost = (0..1000).find(|i| left.iter().all(|(key, _)| *key != name(*i)));
        if let Some(i) = lost {
            let path = format!("[\"a long key {i:040}\"]");
            let ran = folder.run_with(&["get", "a", &path]);
            assert!(ran.code == 1 && ran.out.is_empty() && ran.err.contains(" damaged"), "{page}: {ran:?}");
        }
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
    let error = "another VarBatch wrote it, with version 9 of its tables; this one reads version 2\n";
    folder.run("show newer").fails(1, &format!("error: newer: {error}"));
    flip(&folder, "a", b"CREATE TABLE entry(");
    folder.run(&format!("{TO_FILE} a out")).has(1, "", "error: a: it is damaged: ");
    assert_eq!(folder.names(), ["a", "newer", "other"]);
}

/// Whatever is read stays as it is, to the byte, with what lies beside it.
#[test]
fn nothing_that_is_read_is_changed() {
    let out = Folder::new();
    let to = |command: &str, name: &str| format!("{command} --force a {}", out.path(name).display());
    let commands = ["show a", "check a", "get a player", "diff a a", &to(TO_FILE, "file"), &to(TO_STORE, "store")];
    let damaged = folder();
    flip(&damaged, "a", &save());
    let foreign = crashed();
    make(&foreign, "b", &entries()[..3]);
    foreign.write("a", &foreign.read("b"));
    let cut = crashed();
    cut.write("a-wal", &cut.read("a-wal")[..5000]);
    let sound = [(folder(), "sound"), (crashed(), "crashed"), (crashed(), "read only")];
    let others = [(damaged, "damaged"), (foreign, "foreign"), (cut, "cut")];
    for (folder, name) in sound.into_iter().chain(others) {
        set_writable(&folder, name != "read only");
        let before = state(&folder);
        for command in commands {
            let ran = folder.run(command);
            // A value is found all the same.
            let is_failure = name == "damaged" || name == "cut" && !command.starts_with("get");
            assert_eq!(ran.code, i32::from(is_failure), "{name}, {command}: {ran:?}");
            assert_eq!(ran.err.contains("is missing or damaged"), name == "cut", "{name}, {command}: {ran:?}");
            let note = "note: a: the journal a-wal belongs to another file, and is not read\n";
            assert_eq!(ran.err.starts_with(note), name == "foreign", "{name}, {command}: {ran:?}");
            assert!(state(&folder) == before, "{name}, {command}");
        }
        let hp = if ["crashed", "read only"].contains(&name) { 9 } else { 5 };
        let ran = folder.run("get a hp");
        assert_eq!(ran.out, format!("         0         8  int {hp}\n"), "{name}");
        set_writable(&folder, true);
    }
}

pub fn state(folder: &Folder) -> Vec<(String, Vec<u8>, SystemTime)> {
    let modified = |name: &str| folder.path(name).metadata().and_then(|file| file.modified()).expect("a time");
    folder.names().into_iter().map(|name| (name.clone(), folder.read(&name), modified(&name))).collect()
}

/// Allows to write into a folder and its files, or not.
fn set_writable(folder: &Folder, is_writable: bool) {
    for path in folder.names().iter().map(String::as_str).chain([""]) {
        let path = folder.path(path);
        let mut permissions = path.metadata().expect("there").permissions();
        #[cfg(unix)]
        std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, if is_writable { 0o700 } else { 0o500 });
        #[cfg(not(unix))]
        permissions.set_readonly(!is_writable);
        std::fs::set_permissions(path, permissions).expect("set");
    }
}

/// Pages of an index that lead to the next one eight times each, 8^n keys in all.
#[test]
fn an_index_without_end() {
    const PAGE: usize = 16_384;
    let folder = Folder::new();
    let key = |i: usize| string(format!("{i:02000}"));
    make(&folder, "a", &(0..600).map(|i| (key(i), int(1))).collect::<Entries>());
    let mut file = folder.read("a");
    let pages =
        |kind: u8, file: &[u8]| (1..file.len() / PAGE).filter(|page| file[page * PAGE] == kind).collect::<Vec<_>>();
    let (inner, leaves) = (pages(2, &file), pages(10, &file));
    assert!(inner.len() > 2 && leaves.len() > 40, "{inner:?} {leaves:?}");
    let chain: Vec<_> = inner.iter().chain(&leaves[leaves.len() - 12..]).copied().collect();
    let page = file[inner[0] * PAGE..][..PAGE].to_vec();
    for step in chain.windows(2) {
        let (mut page, next) = (page.clone(), (step[1] as u32 + 1).to_be_bytes());
        page[8..12].copy_from_slice(&next);
        for cell in 0..usize::from(u16::from_be_bytes([page[3], page[4]])) {
            let at = usize::from(u16::from_be_bytes([page[12 + 2 * cell], page[13 + 2 * cell]]));
            page[at..at + 4].copy_from_slice(&next);
        }
        file[step[0] * PAGE..][..PAGE].copy_from_slice(&page);
    }
    folder.write("a", &file);
    let started = Instant::now();
    folder.run("check a").has(1, "", "error: a: it is damaged");
    folder.run("show --count 1 a").has(0, "", "");
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
