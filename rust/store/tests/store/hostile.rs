//! Guards: a file that is anything but a store is refused, and stays as it is; one that was made up to do harm does none.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use varbatch_store::{ID, Packed, Store, StoreError, is_store};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::file::{load, save};
use crate::folder::Folder;
use crate::random::Random;

/// Makes a store with two keys, and lets another program change it.
fn store_with(path: &Path, sql: &str) {
    let _ = fs::remove_file(path);
    save(&mut Store::open(path).unwrap(), &[(b"key!", b"one"), (b"key2", b"two")]);
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

/// Opens a file that must be refused, and returns why.
#[track_caller]
fn refused(folder: &Folder, path: &Path) -> StoreError {
    let (names, before) = (folder.names(), fs::read(path).ok());
    let error = Store::open(path).expect_err("opened");
    assert!(fs::read(path).ok() == before, "changed: {error}");
    assert_eq!(folder.names(), names, "{error}");
    error
}

#[test]
fn what_is_no_database_is_refused() {
    let (folder, path) = Folder::with("file");
    let mut random = Random::new(1);
    let mut header = b"SQLite format 3\0".to_vec();
    header.extend(random.bytes(8192));
    for bytes in [b"text".to_vec(), vec![0; 1], vec![0; 100_000], random.bytes(100), random.bytes(100_000), header] {
        fs::write(&path, &bytes).unwrap();
        let error = refused(&folder, &path);
        assert!(matches!(error, StoreError::NoDatabase), "{} bytes: {error}", bytes.len());
    }
    let inner = folder.join("folder");
    fs::create_dir(&inner).unwrap();
    assert!(matches!(refused(&folder, &inner), StoreError::CannotOpen));
    assert!(matches!(refused(&folder, &inner.join("none/store")), StoreError::CannotOpen));
    assert!(matches!(refused(&folder, &path.join("store")), StoreError::CannotOpen));
    // Nothing yet, as others make a file that is to be filled.
    fs::write(&path, "").unwrap();
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.key_count().unwrap(), 0);
    save(&mut store, &[(b"key!", b"one")]);
    drop(store);
    assert!(is_store(&fs::read(&path).unwrap()));
}

#[test]
fn the_databases_of_other_programs_are_refused() {
    let (folder, path) = Folder::with("file");
    for sql in [
        "CREATE TABLE other(a)",
        "PRAGMA application_id = 7",
        "PRAGMA user_version = 1",
        "PRAGMA application_id = 1; CREATE TABLE entry(a)",
        "PRAGMA journal_mode = WAL; CREATE TABLE other(a)",
    ] {
        let _ = fs::remove_file(&path);
        Connection::open(&path).unwrap().execute_batch(sql).unwrap_or_default();
        if fs::metadata(&path).unwrap().len() > 0 {
            assert!(matches!(refused(&folder, &path), StoreError::Foreign), "{sql}");
        }
    }
    for version in [2, 9, -1, i32::MAX] {
        store_with(&path, &format!("PRAGMA user_version = {version}"));
        assert!(matches!(refused(&folder, &path), StoreError::Newer(found) if found == i64::from(version)));
    }
    store_with(&path, "PRAGMA application_id = 1");
    assert!(matches!(refused(&folder, &path), StoreError::Foreign));
}

#[test]
fn other_tables_triggers_and_views_are_refused() {
    let (folder, path) = Folder::with("file");
    for sql in [
        "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
        "CREATE VIEW v AS SELECT * FROM entry",
        "CREATE TABLE more(a)",
        "CREATE INDEX i ON entry(value)",
        "DROP TABLE total",
        "ALTER TABLE entry RENAME COLUMN value TO other",
        "ALTER TABLE entry ADD COLUMN more INT DEFAULT 7",
        "DROP TABLE total; CREATE VIEW total AS SELECT 2 AS keys, 0 AS key_checksum",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'key BLOB', 'key TEXT')",
    ] {
        store_with(&path, sql);
        let error = refused(&folder, &path);
        assert!(matches!(error, StoreError::Damaged(_)), "{sql}: {error}");
    }
}

/// What others may write into the right tables.
#[test]
fn rows_that_no_store_writes_are_errors() {
    let (_folder, path) = Folder::with("file");
    for sql in ["DELETE FROM total", "UPDATE total SET keys = 'many'", "UPDATE total SET key_checksum = zeroblob(9)"] {
        store_with(&path, sql);
        assert!(matches!(Store::open(&path), Err(StoreError::Damaged(_))), "{sql}");
    }
    for sql in [
        "UPDATE entry SET value = 'text'",
        "UPDATE entry SET value = 7",
        "UPDATE entry SET checksum = 'text'",
        "UPDATE entry SET compression = 7",
        "UPDATE entry SET compression = 1",
        "UPDATE entry SET value = x''",
        "UPDATE entry SET key = CAST(key AS TEXT)",
        "DELETE FROM entry",
    ] {
        store_with(&path, sql);
        let mut store = Store::open(&path).unwrap();
        let row = store.get(b"key!").and_then(|row| row.map(|row| row.unpack(b"key!").map(drop)).transpose());
        assert!(matches!(row, Err(StoreError::Damaged(_) | StoreError::DamagedValue)), "{sql}: {row:?}");
    }
    for keys in [i64::MAX, i64::MIN, -1, 0] {
        store_with(&path, &format!("UPDATE total SET keys = {keys}"));
        let mut store = Store::open(&path).unwrap();
        assert_eq!(load(&mut store, b"key!").unwrap(), b"one");
        assert!(store.has(b"none").is_err() && store.keys(|_| ()).is_err(), "{keys}");
        store.begin().unwrap();
        assert!(store.put(b"none", &Packed::new(b"none", Vec::new(), false)).is_err());
        store.erase(b"key!").unwrap();
        store.roll_back();
        // All is well again.
        store.begin().unwrap();
        store.erase_all().unwrap();
        store.put(b"key!", &Packed::new(b"key!", b"new".to_vec(), false)).unwrap();
        store.commit().unwrap();
        assert_eq!((load(&mut store, b"none"), load(&mut store, b"key!").unwrap()), (None, b"new".to_vec()));
    }
}

/// Zstandard's head of a frame of which the length is claimed to be 2^62, with a window of 128 MiB or of all.
#[test]
fn a_length_that_a_value_claims_takes_no_memory() {
    let (_folder, path) = Folder::with("file");
    for head in [&[0xC0, 0x88][..], &[0xE0]] {
        let claimed = (1_u64 << 62).to_le_bytes();
        let bytes = [&[0x28, 0xB5, 0x2F, 0xFD], head, &claimed, &[9, 0, 0, 7]].concat();
        let checksum = xxh3_64_with_seed(&bytes, xxh3_64(b"key!").wrapping_add(1)) as i64;
        store_with(&path, "");
        let update = "UPDATE entry SET compression = 1, checksum = ?1, value = ?2 WHERE key = CAST('key!' AS BLOB)";
        Connection::open(&path).unwrap().execute(update, (checksum, &bytes)).unwrap();
        let mut store = Store::open(&path).unwrap();
        let row = store.get(b"key!").unwrap().unwrap();
        let value = row.unpack(b"key!");
        assert!(matches!(value, Err(StoreError::DamagedValue)), "{head:?}: {value:?}");
        assert_eq!(load(&mut store, b"key2").unwrap(), b"two");
    }
    assert_eq!(ID, i64::from(u32::from_be_bytes(*b"VBst")));
}
