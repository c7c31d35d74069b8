//! Guards: what other programs do to a file while it is open. Nothing is saved into nothing, what was saved before is kept, and
//! no other file is touched.

use std::fs;
use std::path::{Path, PathBuf};

use varbatch_store::{Packed, Store, StoreError};

use crate::file::{content, load, save};
use crate::folder::Folder;

fn try_save(store: &mut Store, value: &[u8]) -> Result<(), StoreError> {
    store.begin()?;
    let saved = store.put(b"key!", &Packed::new(b"key!", value.to_vec(), false)).and_then(|()| store.commit());
    if saved.is_err() {
        store.roll_back();
    }
    saved
}

/// Saves until it has moved: that is at once, and for ever.
#[track_caller]
fn assert_moved(store: &mut Store) {
    for _ in 0..3 {
        let error = try_save(store, b"lost").expect_err("saved into nothing");
        assert!(matches!(error, StoreError::Moved), "{error}");
        store.checkpoint();
    }
}

/// Opens a store, of which one save is in the file and one in the journal, or all in the journal.
fn opened(path: &Path, is_in_file: bool) -> Store {
    let mut store = Store::open(path).unwrap();
    save(&mut store, &[(b"key!", b"one"), (b"first", &[1; 50_000])]);
    if is_in_file {
        store.checkpoint();
    }
    save(&mut store, &[(b"key!", b"two")]);
    store
}

fn journal_of(path: &Path) -> PathBuf {
    format!("{}-wal", path.display()).into()
}

#[cfg(unix)]
#[test]
fn a_file_that_is_renamed_has_all_that_was_saved_before() {
    for is_in_file in [false, true] {
        let (folder, path) = Folder::with("store");
        let mut store = opened(&path, is_in_file);
        fs::rename(&path, folder.join("renamed")).unwrap();
        assert_moved(&mut store);
        assert!(store.reader().is_err());
        store.close().unwrap();
        assert_eq!(folder.names(), ["renamed"]);
        let store = Store::open(&folder.join("renamed")).unwrap();
        assert_eq!(load(&store, b"key!").unwrap(), b"two");
        assert_eq!(load(&store, b"first").unwrap(), [1; 50_000]);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_renamed_has_all_that_was_saved_before() {
    let folder = Folder::new();
    fs::create_dir(folder.join("a")).unwrap();
    let mut store = opened(&folder.join("a/store"), true);
    fs::rename(folder.join("a"), folder.join("b")).unwrap();
    assert_moved(&mut store);
    store.close().unwrap();
    assert_eq!(folder.names(), ["b"]);
    assert_eq!(load(&Store::open(&folder.join("b/store")).unwrap(), b"key!").unwrap(), b"two");
}

#[cfg(unix)]
#[test]
fn a_file_that_is_removed_or_replaced_is_not_saved_to() {
    let (folder, path) = Folder::with("store");
    let mut store = opened(&path, true);
    fs::remove_file(&path).unwrap();
    assert_moved(&mut store);
    assert!(matches!(store.close(), Err(StoreError::Moved)));
    fs::remove_file(journal_of(&path)).unwrap();
    // A new one at its path, before and after the old one is closed.
    let mut store = opened(&path, true);
    fs::remove_file(&path).unwrap();
    let mut new = Store::open(&path).unwrap();
    let aside = new.set_aside().expect("the journal of the old one");
    save(&mut new, &[(b"key!", b"new")]);
    assert!(matches!(store.reader(), Err(StoreError::Moved | StoreError::Busy)));
    assert_moved(&mut store);
    assert!(matches!(store.close(), Err(StoreError::Moved)));
    save(&mut new, &[(b"more", b"new")]);
    new.close().unwrap();
    let new = content(&Store::open(&path).unwrap()).unwrap();
    assert!(new.len() == 2 && new.values().all(|value| value == b"new"));
    assert!(fs::metadata(aside).unwrap().len() > 0);
    // An old copy.
    let copy = folder.join("copy");
    fs::copy(&path, &copy).unwrap();
    let old = fs::read(&copy).unwrap();
    let mut store = opened(&path, true);
    fs::rename(&copy, &path).unwrap();
    assert!(matches!(store.reader(), Err(StoreError::Moved)));
    assert_moved(&mut store);
    assert!(matches!(store.close(), Err(StoreError::Moved)) && fs::read(&path).unwrap() == old);
    let mut store = Store::open(&path).unwrap();
    assert!(store.set_aside().is_some());
    assert!(content(&store).unwrap() == new);
}

#[test]
fn a_file_that_is_copied_over_is_not_saved_to() {
    for is_in_file in [false, true] {
        let (folder, path) = Folder::with("store");
        save(&mut Store::open(&path).unwrap(), &[(b"key!", b"old")]);
        let old = fs::read(&path).unwrap();
        save(&mut Store::open(&path).unwrap(), &[(b"key!", b"newer")]);
        let mut store = opened(&path, is_in_file);
        let mut reader = store.reader().unwrap();
        fs::write(&path, &old).unwrap();
        assert_moved(&mut store);
        assert!(matches!(reader.hold(), Err(StoreError::Moved)));
        drop(reader);
        assert!(matches!(store.close(), Err(StoreError::Moved)));
        assert!(fs::read(&path).unwrap() == old);
        let mut store = Store::open(&path).unwrap();
        assert!(store.set_aside().is_some());
        assert_eq!(load(&store, b"key!").unwrap(), b"old");
        drop(store);
        assert_eq!(folder.names().len(), 2);
    }
}

#[cfg(unix)]
#[test]
fn a_journal_that_is_removed_is_missed_and_put_into_the_file() {
    let (folder, path) = Folder::with("store");
    let mut store = opened(&path, true);
    fs::remove_file(journal_of(&path)).unwrap();
    assert_moved(&mut store);
    store.close().unwrap();
    assert_eq!(folder.names(), ["store"]);
    assert_eq!(load(&Store::open(&path).unwrap(), b"key!").unwrap(), b"two");
    // Before the first save.
    let mut store = Store::open(&path).unwrap();
    fs::rename(&path, folder.join("renamed")).unwrap();
    assert_moved(&mut store);
    store.close().unwrap();
    assert_eq!(folder.names(), ["renamed"]);
}

/// As a game that shows the size of its files, or copies them.
#[test]
fn a_file_that_is_only_looked_at_has_not_moved() {
    let (folder, path) = Folder::with("store");
    let mut store = Store::open(&path).unwrap();
    for number in 0..100_u8 {
        assert!(fs::read(&path).is_ok_and(|bytes| !bytes.is_empty()));
        try_save(&mut store, &vec![number; 100_000]).unwrap();
        store.reader().unwrap().hold().unwrap();
        if number % 10 == 0 {
            store.checkpoint();
            fs::File::options().append(true).open(&path).unwrap().set_modified(std::time::SystemTime::now()).unwrap();
        }
    }
    store.close().unwrap();
    assert_eq!(folder.names(), ["store"]);
}

/// A program that puts files back in place, as `cp` does: it is the same file, but not the same journal.
#[test]
fn a_journal_that_is_written_in_place_is_seen() {
    for is_in_file in [false, true] {
        // A journal that began anew is followed by what is left of the one before.
        for what in ["cut off", "older", "one page"].into_iter().take(if is_in_file { 2 } else { 3 }) {
            let (_folder, path) = Folder::with("store");
            let mut store = opened(&path, is_in_file);
            let older = fs::read(journal_of(&path)).unwrap();
            save(&mut store, &[(b"key!", b"three")]);
            let mut now = fs::read(journal_of(&path)).unwrap();
            match what {
                "cut off" => now.truncate(2000),
                "one page" => now.truncate(now.len() - 1000),
                _ => now = older,
            }
            fs::write(journal_of(&path), &now).unwrap();
            for _ in 0..3 {
                let error = try_save(&mut store, b"lost").expect_err(what);
                assert!(matches!(error, StoreError::Moved), "{what}: {error}");
                store.checkpoint();
            }
            assert!(matches!(store.close(), Err(StoreError::Moved)), "{what}");
            assert!(fs::read(journal_of(&path)).unwrap() == now, "{what}");
        }
    }
}

/// Those of a long save get there before it is committed.
#[test]
fn what_a_save_itself_writes_is_not_taken_for_another_program() {
    let (folder, path) = Folder::with("store");
    let mut store = opened(&path, true);
    for number in 0..3 {
        store.begin().unwrap();
        for key in 0..200_u32 {
            let key = key.to_be_bytes();
            store.put(&key, &Packed::new(&key, vec![number; 100_000], false)).unwrap();
        }
        if number == 1 {
            store.roll_back();
        } else {
            store.commit().unwrap();
        }
        store.checkpoint();
    }
    store.close().unwrap();
    assert_eq!(folder.names(), ["store"]);
    assert_eq!(load(&Store::open(&path).unwrap(), &[0; 4]).unwrap(), [2; 100_000]);
}

/// Names that a game may give to other worlds, and what SQLite would take for its own.
#[test]
fn files_beside_it_stay() {
    let (folder, path) = Folder::with("store");
    let beside = ["store-new", "store-copy", "store-shm"];
    beside.iter().for_each(|name| fs::write(folder.join(name), b"a game's").unwrap());
    let mut store = opened(&path, false);
    store.erase_all().unwrap();
    save(&mut store, &[(b"key!", b"one")]);
    let mut copy = varbatch_store::Copy::begin(&folder.join("store-backup")).unwrap();
    copy.add(&mut store.reader().unwrap(), 1000).unwrap();
    copy.end().unwrap();
    store.close().unwrap();
    for name in beside {
        assert_eq!(fs::read(folder.join(name)).unwrap(), b"a game's", "{name}");
    }
    // Another file of the name of its journal, and a journal with a damaged head, are kept.
    for bytes in [&b"a game's"[..], &[0x37, 0x7f, 6, 0x82].repeat(3000)] {
        fs::write(journal_of(&path), bytes).unwrap();
        let mut store = Store::open(&path).unwrap();
        let aside = store.set_aside().expect("set aside");
        assert_eq!(fs::read(aside).unwrap(), bytes);
        store.close().unwrap();
    }
}
