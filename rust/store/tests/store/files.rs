//! Guards: copies of an open store, and what becomes of the files beside one that is removed or gets another name.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use varbatch_store::{Copy, Packed, Reader, Store, StoreError, remove, rename};

use crate::file::{content, load, save};
use crate::folder::Folder;

fn save_all(store: &mut Store, generation: u8) {
    store.begin().unwrap();
    for number in 0..3000_u16 {
        let value = vec![generation; 10 + usize::from(number)];
        store.put(&number.to_be_bytes(), &Packed::new(&number.to_be_bytes(), value, number % 2 == 0)).unwrap();
    }
    store.commit().unwrap();
}

/// Leaves a file and its journal as a kill does.
fn killed(path: &Path, value: &[u8]) -> Vec<u8> {
    let mut store = Store::open(path).unwrap();
    save(&mut store, &[(b"key!", value)]);
    let journal_path = format!("{}-wal", path.display());
    let (file, journal) = (fs::read(path).unwrap(), fs::read(&journal_path).unwrap());
    drop(store);
    fs::write(path, file).unwrap();
    fs::write(journal_path, &journal).unwrap();
    journal
}

fn copy(reader: &mut Reader, to: &Path, mut between: impl FnMut()) -> Result<usize, StoreError> {
    let mut copy = Copy::begin(to)?;
    let (mut is_more, mut steps) = (true, 0);
    while is_more {
        is_more = copy.add(reader, 100_000)?;
        steps += 1;
        between();
    }
    copy.end().map(|()| steps)
}

#[test]
fn a_copy_is_whole_and_of_one_moment() {
    let (folder, path) = Folder::with("store");
    let mut store = Store::open(&path).unwrap();
    save_all(&mut store, 1);
    let mut reader = store.reader().unwrap();
    reader.hold().unwrap();
    let mut generation = 1;
    let steps = copy(&mut reader, &folder.join("copy"), || {
        generation += 1;
        save_all(&mut store, generation);
        store.checkpoint();
    });
    assert!(steps.unwrap() > 5);
    drop(reader);
    store.close().unwrap();
    assert_eq!(folder.names(), ["copy", "store"]);
    let copied = content(&Store::open(&folder.join("copy")).unwrap()).unwrap();
    assert!(copied.len() == 3000 && copied.values().all(|value| value.iter().all(|byte| *byte == 1)));
    let store = content(&Store::open(&path).unwrap()).unwrap();
    assert!(store.values().all(|value| value.iter().all(|byte| *byte == generation)));
    // None is left of one that did not come to its end.
    let mut copy = Copy::begin(&folder.join("half")).unwrap();
    assert!(matches!(Copy::begin(&folder.join("half")), Err(StoreError::Busy)));
    copy.add(&mut Store::open(&path).unwrap().reader().unwrap(), 1000).unwrap();
    drop(copy);
    assert_eq!(folder.names(), ["copy", "store"]);
    // Nor does it replace a store that was made meanwhile.
    let made = folder.join("made");
    let mut copy = Copy::begin(&made).unwrap();
    while copy.add(&mut Store::open(&path).unwrap().reader().unwrap(), 1 << 30).unwrap() {}
    save_all(&mut Store::open(&made).unwrap(), 7);
    assert!(matches!(copy.end(), Err(StoreError::Exists)));
    let made = content(&Store::open(&made).unwrap()).unwrap();
    assert!(made.values().all(|value| value.iter().all(|byte| *byte == 7)));
}

#[test]
fn a_copy_replaces_a_store_that_nobody_has_open() {
    let (folder, path) = Folder::with("store");
    let mut store = Store::open(&path).unwrap();
    save(&mut store, &[(b"key!", b"one")]);
    let mut reader = store.reader().unwrap();
    let old = folder.join("old");
    // With a journal, and what a killed copy left.
    killed(&old, b"old");
    fs::write(folder.join("old-varbatch-copy"), b"half").unwrap();
    copy(&mut reader, &old, || ()).unwrap();
    assert_eq!(content(&Store::open(&old).unwrap()).unwrap(), BTreeMap::from([(b"key!".to_vec(), b"one".to_vec())]));
    assert_eq!(folder.names(), ["old", "store", "store-wal"]);
    let other = Store::open(&old).unwrap();
    assert!(matches!(copy(&mut reader, &old, || ()), Err(StoreError::Busy)));
    assert!(matches!(copy(&mut reader, &path, || ()), Err(StoreError::Busy)));
    drop(other);
    // Opened while the copy is made.
    let mut late = None;
    assert!(matches!(copy(&mut reader, &old, || late = Some(Store::open(&old))), Err(StoreError::Busy)));
    assert_eq!(load(late.as_ref().unwrap().as_ref().unwrap(), b"key!").unwrap(), b"one");
    fs::write(folder.join("text"), b"text").unwrap();
    assert!(matches!(copy(&mut reader, &folder.join("text"), || ()), Err(StoreError::Exists)));
    assert_eq!(fs::read(folder.join("text")).unwrap(), b"text");
    assert!(!folder.names().iter().any(|name| name.ends_with("-varbatch-copy")), "{:?}", folder.names());
}

#[test]
fn a_copy_of_a_damaged_value_fails() {
    let (folder, path) = Folder::with("store");
    save(&mut Store::open(&path).unwrap(), &[(b"key!", b"one"), (b"key2", b"two")]);
    let sql = "UPDATE entry SET value = x'00' WHERE key = CAST('key2' AS BLOB)";
    rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    let store = Store::open(&path).unwrap();
    let copied = copy(&mut store.reader().unwrap(), &folder.join("copy"), || ());
    assert!(matches!(copied, Err(StoreError::DamagedValue)));
    drop(store);
    assert_eq!(folder.names(), ["store"]);
}

#[test]
fn a_store_is_removed_with_the_files_beside_it() {
    let (folder, path) = Folder::with("store");
    killed(&path, b"one");
    remove(&path).unwrap();
    assert!(folder.names().is_empty());
    let store = Store::open(&path).unwrap();
    assert!(matches!(remove(&path), Err(StoreError::Busy)));
    drop(store);
    remove(&path).unwrap();
    assert!(matches!(remove(&path), Err(StoreError::CannotOpen)));
    fs::write(&path, "text").unwrap();
    assert!(matches!(remove(&path), Err(StoreError::NoDatabase)));
    assert_eq!(folder.names(), ["store"]);
}

#[test]
fn a_store_gets_another_name_with_what_is_in_its_journal() {
    let (folder, path) = Folder::with("store");
    let to = folder.join("to");
    killed(&path, b"one");
    rename(&path, &to).unwrap();
    assert_eq!(folder.names(), ["to"]);
    let store = Store::open(&to).unwrap();
    assert_eq!(load(&store, b"key!").unwrap(), b"one");
    assert!(matches!(rename(&to, &path), Err((at, StoreError::Busy)) if at == to));
    drop(store);
    fs::write(&path, "text").unwrap();
    assert!(matches!(rename(&to, &path), Err((at, StoreError::Exists)) if at == path));
    let other = folder.join("other");
    assert!(matches!(rename(&path, &other), Err((at, StoreError::NoDatabase)) if at == path));
    assert!(matches!(rename(&folder.join("none"), &other), Err((at, StoreError::CannotOpen)) if at != other));
    let (nowhere, long) = (folder.join("none/other"), folder.join(&"n".repeat(240)));
    assert!(matches!(rename(&to, &nowhere), Err((at, StoreError::CannotOpen)) if at == nowhere));
    assert!(matches!(rename(&to, &long), Err((at, StoreError::Name(_))) if at == long));
    assert_eq!((folder.names(), fs::read(&path).unwrap()), (vec!["store".into(), "to".into()], b"text".to_vec()));
}

/// A file that appears there in the end is not replaced: by a copy, nor by one of two stores that get the same name.
#[test]
fn nothing_is_replaced_that_appears_meanwhile() {
    let (folder, path) = Folder::with("store");
    let (mut store, text) = (Store::open(&path).unwrap(), folder.join("text"));
    save(&mut store, &[(b"key!", b"one")]);
    let mut reader = store.reader().unwrap();
    assert!(matches!(copy(&mut reader, &text, || fs::write(&text, "text").unwrap()), Err(StoreError::Exists)));
    assert_eq!(fs::read(&text).unwrap(), b"text");
    for round in 0..30 {
        let names = ["a", "b", "to"].map(|name| folder.join(&format!("{name}{round}")));
        names[..2].iter().for_each(|name| _ = killed(name, &[7; 300_000]));
        let renamed: Vec<_> = std::thread::scope(|scope| {
            let threads = [0, 1].map(|from| {
                let names = &names;
                scope.spawn(move || rename(&names[from], &names[2]).is_ok())
            });
            threads.map(|thread| thread.join().unwrap()).to_vec()
        });
        let there = names.iter().filter(|name| name.exists()).count();
        assert_eq!((renamed.iter().filter(|is_ok| **is_ok).count(), there), (1, 2), "round {round}");
    }
}

/// What `open` would have told, the next one tells.
#[test]
fn what_is_lost_is_told_after_a_store_got_another_name() {
    for how in ["missing", "cut", "damaged"] {
        let (folder, path) = Folder::with("store");
        let to = folder.join("to");
        let mut store = Store::open(&path).unwrap();
        (0..5).for_each(|number| save(&mut store, &[(b"key!", &[number; 50_000])]));
        let journal = folder.join("store-wal");
        let (file, mut bytes) = (fs::read(&path).unwrap(), fs::read(&journal).unwrap());
        drop(store);
        fs::write(&path, file).unwrap();
        match how {
            "missing" => {}
            "cut" => fs::write(&journal, &bytes[..1000]).unwrap(),
            _ => {
                let at = bytes.len() / 2;
                bytes[at..at + 20_000].fill(7);
                fs::write(&journal, bytes).unwrap();
            }
        }
        let aside = (how != "missing").then(|| folder.join("store-wal-set-aside-1"));
        assert_eq!(rename(&path, &to).unwrap(), aside, "{how}");
        for is_lost in [true, false] {
            let store = Store::open(&to).unwrap();
            assert_eq!(store.lost().is_some(), is_lost, "{how}");
        }
        assert_eq!(remove(&to).unwrap(), None);
        assert_eq!(folder.names().len(), usize::from(how != "missing"), "{how}: {:?}", folder.names());
    }
}

#[test]
fn a_journal_of_another_file_stays() {
    let (folder, path) = Folder::with("store");
    let (other, aside) = (folder.join("other"), folder.join("store-wal-set-aside-1"));
    let journal = killed(&other, b"other");
    remove(&other).unwrap();
    for how in ["removed", "replaced", "renamed", "text"] {
        save(&mut Store::open(&path).unwrap(), &[(b"key!", b"one")]);
        let bytes = if how == "text" { b"a text" } else { &journal[..] };
        fs::write(folder.join("store-wal"), bytes).unwrap();
        match how {
            "replaced" => {
                let mut store = Store::open(&other).unwrap();
                save(&mut store, &[(b"key!", b"two")]);
                copy(&mut store.reader().unwrap(), &path, || ()).unwrap();
                drop(store);
                remove(&other).unwrap();
                assert_eq!(load(&Store::open(&path).unwrap(), b"key!").unwrap(), b"two");
                remove(&path).unwrap();
            }
            "renamed" => {
                assert_eq!(rename(&path, &other).unwrap(), Some(aside.clone()));
                remove(&other).unwrap();
            }
            _ => assert_eq!(remove(&path).unwrap(), Some(aside.clone())),
        }
        assert_eq!((folder.names(), fs::read(&aside).unwrap()), (vec!["store-wal-set-aside-1".into()], bytes.to_vec()));
        fs::remove_file(&aside).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_link_goes_with_the_store_that_it_leads_to() {
    let (folder, path) = Folder::with("store");
    let (link, to) = (folder.join("link"), folder.join("to"));
    save(&mut Store::open(&path).unwrap(), &[(b"key!", b"one")]);
    std::os::unix::fs::symlink(&path, &link).unwrap();
    rename(&link, &to).unwrap();
    assert_eq!(folder.names(), ["to"]);
    std::os::unix::fs::symlink(&to, &link).unwrap();
    remove(&link).unwrap();
    assert!(folder.names().is_empty());
}

#[test]
fn a_store_is_opened_again_at_once_and_never_twice() {
    let (_folder, path) = Folder::with("store");
    for number in 0..50_u8 {
        let mut store = Store::open(&path).unwrap();
        assert!(matches!(Store::open(&path), Err(StoreError::Busy)));
        save(&mut store, &[(b"key!", &[number])]);
        drop(store);
    }
    let store = Store::open(&path).unwrap();
    let reader = store.reader().unwrap();
    drop(store);
    // What still reads it keeps the lock.
    assert!(matches!(Store::open(&path), Err(StoreError::Busy)));
    drop(reader);
    assert_eq!(load(&Store::open(&path).unwrap(), b"key!").unwrap(), [49]);
    for path in ["", ":memory:/x", "file:/dev/null/x?mode=memory"] {
        assert!(matches!(Store::open(Path::new(path)), Err(StoreError::CannotOpen)), "{path}");
    }
    let long = path.with_file_name("n".repeat(240));
    assert!(matches!(Store::open(&long), Err(StoreError::Name(_))));
}

#[test]
fn the_bytes_of_a_store_are_read() {
    let (_folder, path) = Folder::with("store");
    let mut store = Store::open(&path).unwrap();
    save_all(&mut store, 3);
    store.close().unwrap();
    let bytes = fs::read(&path).unwrap();
    let mut packed = Store::open_bytes(bytes.clone().into()).unwrap();
    assert_eq!(content(&packed).unwrap(), content(&Store::open(&path).unwrap()).unwrap());
    assert!(
        matches!(packed.begin(), Err(StoreError::ReadOnly)) && matches!(packed.erase_all(), Err(StoreError::ReadOnly))
    );
    for len in [0, 1, 50, 99, 100, 101, 16_384, 40_000] {
        assert!(Store::open_bytes(bytes[..len].into()).is_err(), "{len}");
    }
}
