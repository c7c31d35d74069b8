//! Guards: what a file holds after each kind of call, and which files lie beside it.

use std::fs;

use varbatch_store::{Packed, Store, StoreError};

use crate::folder::Folder;
use crate::random::Random;

pub fn save(store: &mut Store, entries: &[(&[u8], &[u8])]) {
    store.begin().unwrap();
    for (key, value) in entries {
        store.put(key, &Packed::new(key, value.to_vec(), false)).unwrap();
    }
    store.commit().unwrap();
}

pub fn load(store: &mut Store, key: &[u8]) -> Option<Vec<u8>> {
    store.get(key).unwrap().map(|row| row.unpack(key).unwrap().into_owned())
}

/// What an address would have at its end; Windows has no such names.
const NAME: &str = if cfg!(windows) { "world%3fmode=ro#.store" } else { "world?mode=ro.store" };

/// A file is no store before its first commit, so nothing may be written to it.
#[test]
fn a_long_first_save_that_is_rolled_back_leaves_a_new_file() {
    let (folder, path) = Folder::with("world.store");
    let mut store = Store::open(&path).unwrap();
    store.begin().unwrap();
    for index in 0..600_u32 {
        let key = index.to_le_bytes();
        store.put(&key, &Packed::new(&key, vec![1; 1000], false)).unwrap();
    }
    store.roll_back();
    assert!(!store.wants_checkpoint());
    drop(store);
    assert_eq!(folder.names(), ["world.store"]);
    save(&mut Store::open(&path).unwrap(), &[(b"key!", b"one")]);
    assert_eq!(load(&mut Store::open(&path).unwrap(), b"key!").unwrap(), b"one");
}

#[test]
fn side_files_are_gone_when_it_is_closed() {
    let (folder, path) = Folder::with(NAME);
    let mut store = Store::open(&path).unwrap();
    assert_eq!(load(&mut store, b"key!"), None);
    assert_eq!(folder.names(), [NAME]);
    save(&mut store, &[(b"key!", b"one"), (b"key2", &[7; 100_000])]);
    save(&mut store, &[(b"key!", b"two")]);
    assert_eq!(folder.names(), [NAME, &format!("{NAME}-wal")]);
    assert!(matches!(Store::open(&path), Err(StoreError::Busy)));
    assert_eq!(load(&mut store, b"key!").unwrap(), b"two");
    assert_eq!(store.key_count().unwrap(), 2);
    drop(store);
    assert_eq!(folder.names(), [NAME]);
    let mut store = Store::open(&path).unwrap();
    assert_eq!(load(&mut store, b"key!").unwrap(), b"two");
    assert_eq!(load(&mut store, b"key2").unwrap(), [7; 100_000]);
    assert_eq!(load(&mut store, b"none"), None);
    drop(store);
    assert_eq!(folder.names(), [NAME]);
}

#[test]
fn a_save_that_is_rolled_back_leaves_nothing() {
    let (_folder, path) = Folder::with("new.store");
    let mut store = Store::open(&path).unwrap();
    store.begin().unwrap();
    store.put(b"key!", &Packed::new(b"key!", vec![1; 1 << 20], false)).unwrap();
    store.roll_back();
    assert_eq!((load(&mut store, b"key!"), store.key_count().unwrap()), (None, 0));
    save(&mut store, &[(b"key!", b"one"), (b"more", b"two")]);
    store.begin().unwrap();
    store.put(b"key!", &Packed::new(b"key!", vec![1; 1 << 24], false)).unwrap();
    store.erase(b"more").unwrap();
    store.roll_back();
    assert_eq!(
        (load(&mut store, b"key!").unwrap(), load(&mut store, b"more").unwrap()),
        (b"one".into(), b"two".into())
    );
    store.begin().unwrap();
    store.erase(b"more").unwrap();
    store.erase(b"more").unwrap();
    store.commit().unwrap();
    assert_eq!((load(&mut store, b"more"), store.key_count().unwrap()), (None, 1));
}

#[test]
fn erased_bytes_are_given_back() {
    let (_folder, path) = Folder::with("store");
    let mut store = Store::open(&path).unwrap();
    let values: Vec<_> = (0..20_u8).map(|number| (vec![number; 4], vec![number; 1 << 19])).collect();
    save(&mut store, &values.iter().map(|(key, value)| (&key[..], &value[..])).collect::<Vec<_>>());
    let len = || fs::metadata(&path).unwrap().len();
    let full = len();
    store.begin().unwrap();
    values[..15].iter().for_each(|(key, _)| store.erase(key).unwrap());
    store.commit().unwrap();
    assert!(len() >= full && store.free_pages().unwrap() > 0);
    while store.shrink().unwrap() > 0 {}
    assert!(len() < full / 3, "{} of {full}", len());
    assert!(values[15..].iter().all(|(key, value)| load(&mut store, key).as_ref() == Some(value)));
    store.begin().unwrap();
    store.erase_all().unwrap();
    store.commit().unwrap();
    assert_eq!((load(&mut store, &values[19].0), store.key_count().unwrap()), (None, 0));
    while store.shrink().unwrap() > 0 {}
    drop(store);
    assert!(len() < 100_000);
}

#[test]
fn a_value_is_compressed_only_where_it_is_shorter() {
    let mut random = Random::new(1);
    for len in [0, 1, 4, 100, 100_000] {
        let noise = random.bytes(len);
        let packed = Packed::new(b"key!", noise.clone(), true);
        assert!(packed.bytes == noise && *packed.unpack(b"key!").unwrap() == noise, "{len} bytes");
        assert!(matches!(packed.unpack(b"key2"), Err(StoreError::DamagedValue)), "of another key");
    }
    let packed = Packed::new(b"key!", vec![7; 100_000], true);
    assert!(packed.bytes.len() < 100 && *packed.unpack(b"key!").unwrap() == [7; 100_000]);
    assert_eq!(Packed::new(b"key!", vec![7; 100_000], false).bytes.len(), 100_000);
}

/// What `rust/docs/STORE.md` says of a file is what is in it.
#[test]
fn the_document_has_the_tables() {
    let document = include_str!("../../../docs/STORE.md");
    let (_folder, path) = Folder::with("world.store");
    let mut store = Store::open(&path).unwrap();
    save(&mut store, &[(b"key!", b"one")]);
    drop(store);
    let file = rusqlite::Connection::open(&path).unwrap();
    let pragma = |name| file.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    assert!(document.contains(&format!("`application_id` | `{:#x}`", pragma("application_id"))));
    assert!(document.contains(&format!("`user_version` | {},", pragma("user_version"))));
    assert!(document.contains(&format!("pages of {} KiB", pragma("page_size") >> 10)));
    assert_eq!(pragma("auto_vacuum"), 2);
    let mut tables = file.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").unwrap();
    let tables: Vec<String> = tables.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(tables.len() == 2 && tables.iter().all(|table| document.contains(&format!("{table}\n"))), "{tables:?}");
}
