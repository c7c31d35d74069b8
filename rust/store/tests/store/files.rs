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
    let (mut from, mut steps) = (Some(Vec::new()), 0);
    while let Some(key) = from {
        from = copy.add(reader, &key, 100_000)?;
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
    copy.add(&mut Store::open(&path).unwrap().reader().unwrap(), b"", 1000).unwrap();
    drop(copy);
    assert_eq!(folder.names(), ["copy", "store"]);
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
    assert!(matches!(rename(&to, &path), Err(StoreError::Busy)));
    drop(store);
    fs::write(&path, "text").unwrap();
    assert!(matches!(rename(&to, &path), Err(StoreError::Exists)));
    assert!(matches!(rename(&path, &folder.join("other")), Err(StoreError::NoDatabase)));
    assert!(matches!(rename(&folder.join("none"), &folder.join("other")), Err(StoreError::CannotOpen)));
    assert_eq!((folder.names(), fs::read(&path).unwrap()), (vec!["store".into(), "to".into()], b"text".to_vec()));
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
