//! Guards: a file that is anything but a store is refused, and stays as it is; one that was made up to do harm does none.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use varbatch_store::{Budget, ID, Packed, Rescue, Store, StoreError, is_store};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::file::{ask, keys, load, save};
use crate::folder::Folder;
use crate::journals::quick_folder;
use crate::pages::ask_all;
use crate::random::Random;

/// Makes a store with two keys, and lets another program change it.
fn store_with(path: &Path, sql: &str) {
    let _ = fs::remove_file(path);
    save(&mut Store::open(path).unwrap(), &[(b"key!", b"one"), (b"key2", b"two")]);
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

/// Opens a file that must be refused, and returns why.
#[track_caller]
pub fn refused(folder: &Folder, path: &Path) -> StoreError {
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
    fs::write(&path, header).unwrap();
    assert!(matches!(refused(&folder, &path), StoreError::Foreign));
    for bytes in [b"text".to_vec(), vec![0; 1], vec![0; 100_000], random.bytes(100), random.bytes(100_000)] {
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
    assert_eq!(keys(&store).unwrap().len(), 0);
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
    for version in [1, 9, -1, i32::MAX] {
        store_with(&path, &format!("PRAGMA user_version = {version}"));
        assert!(matches!(refused(&folder, &path), StoreError::OtherVersion(found, 2) if found == i64::from(version)));
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
        &(0..20).map(|number| format!("CREATE TABLE t{number}(a);")).collect::<String>(),
        "CREATE INDEX i ON entry(value)",
        "DROP TABLE fence",
        "ALTER TABLE entry RENAME COLUMN value TO other",
        "ALTER TABLE entry ADD COLUMN more INT DEFAULT 7",
        "DROP TABLE fence; CREATE VIEW fence AS SELECT x'' AS start, 2 AS keys, 0 AS key_checksum",
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
    for sql in [
        "DELETE FROM mark",
        "UPDATE mark SET last = 'many'",
        "UPDATE mark SET base = 7",
        "INSERT INTO mark SELECT * FROM mark",
    ] {
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
        let row = ask(&mut Store::open(&path).unwrap().reader().unwrap(), b"key!");
        assert!(matches!(row, Err(StoreError::Damaged(_) | StoreError::DamagedValue)), "{sql}: {row:?}");
    }
    for sql in [
        "DELETE FROM fence",
        "UPDATE fence SET start = x'6c'",
        "UPDATE fence SET start = 'text'",
        "UPDATE fence SET keys = 'many'",
        "UPDATE fence SET key_checksum = zeroblob(9)",
        "UPDATE fence SET keys = 9223372036854775807",
        "UPDATE fence SET keys = -9223372036854775808",
        "UPDATE fence SET keys = -1",
        "UPDATE fence SET keys = 0",
    ] {
        store_with(&path, sql);
        let mut store = Store::open(&path).unwrap();
        assert_eq!(load(&store, b"key!").unwrap(), b"one");
        assert!(store.reader().unwrap().has(b"none").is_err() && keys(&store).is_err(), "{sql}");
        store.begin().unwrap();
        let saved = store.put(b"none", &Packed::new(b"none", Vec::new(), false)).and_then(|()| store.commit());
        store.roll_back();
        assert!(saved.is_ok() || matches!(saved, Err(StoreError::Damaged(_))), "{sql}: {saved:?}");
        assert!(keys(&store).is_err());
        // All is well again.
        store.erase_all().unwrap();
        save(&mut store, &[(b"key!", b"new")]);
        assert_eq!((load(&store, b"none"), load(&store, b"key!").unwrap()), (None, b"new".to_vec()));
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
        let store = Store::open(&path).unwrap();
        let value = ask(&mut store.reader().unwrap(), b"key!");
        assert!(matches!(value, Err(StoreError::DamagedValue)), "{head:?}: {value:?}");
        assert_eq!(load(&store, b"key2").unwrap(), b"two");
    }
    assert_eq!(ID, i64::from(u32::from_be_bytes(*b"VBst")));
}

/// A schema that SQLite's parser would follow until its stack is full.
#[test]
fn deep_and_long_schemas_are_refused() {
    let (folder, path) = Folder::with("file");
    for sql in [
        format!("CREATE VIEW x AS SELECT 1{}", "+1".repeat(300_000)),
        format!("CREATE VIEW x AS SELECT {}1{}", "(".repeat(1000), ")".repeat(1000)),
        format!("CREATE VIEW x AS SELECT 1{}", " UNION SELECT 1".repeat(1000)),
        format!("CREATE TABLE x(a DEFAULT (1{}))", "+1".repeat(2000)),
        format!("CREATE TABLE x(a, b AS (a{}))", "+1".repeat(300_000)),
        format!("CREATE TRIGGER x AFTER INSERT ON entry BEGIN SELECT 1{}; END", "+1".repeat(300_000)),
        format!("CREATE INDEX x ON entry(key, value) WHERE id{}", "+1".repeat(30_000)),
        format!("CREATE TABLE x({})", (0..20_000).map(|number| format!("c{number}")).collect::<Vec<_>>().join(",")),
    ] {
        store_with(&path, "");
        let file = Connection::open(&path).unwrap();
        file.execute_batch("PRAGMA writable_schema = ON").unwrap();
        let kind = sql.split(' ').nth(1).unwrap().to_lowercase();
        let root = if kind == "table" || kind == "index" { 4 } else { 0 };
        file.execute("INSERT INTO sqlite_schema VALUES(?1, 'x', 'x', ?2, ?3)", (kind, root, &sql)).unwrap();
        let _ = file.close();
        let error = refused(&folder, &path);
        assert!(matches!(error, StoreError::Damaged(_) | StoreError::TooLong), "{}: {error}", &sql[..40]);
        assert!(Rescue::open(&path).is_err());
    }
}

/// Each number that a file has in its head.
#[test]
fn any_number_in_the_head_is_refused_or_harmless() {
    let folder = quick_folder();
    let path = folder.path().join("file");
    store_with(&path, "");
    let sound = fs::read(&path).unwrap();
    for at in 16..100 {
        for bytes in
            [&[0, 0][..], &[255, 255], &[127, 255, 255, 255], &[255; 4], &[0, 1], &[1, 0], &[2], &[3], &[64], &[128]]
        {
            let mut file = sound.clone();
            file[at..(at + bytes.len()).min(100)].copy_from_slice(&bytes[..bytes.len().min(100 - at)]);
            fs::write(&path, file).unwrap();
            if let Ok(store) = Store::open(&path) {
                let mut reader = store.reader().unwrap();
                for (key, value) in [(b"key!", b"one"), (b"key2", b"two")] {
                    let found = ask(&mut reader, key);
                    assert!(
                        found.as_ref().is_err() || found.as_ref().is_ok_and(|it| it.as_deref() == Some(value)),
                        "{at}: {found:?}"
                    );
                }
                assert!(matches!(ask(&mut reader, b"none"), Ok(None) | Err(_)));
            }
            ask_all(&path, &format!("byte {at}"));
        }
    }
}

#[test]
fn one_row_of_another_type_leaves_the_others() {
    let (_folder, path) = Folder::with("file");
    let entries: Vec<_> = (0..20_u8).map(|number| ([number; 4], vec![number; 3000])).collect();
    save(
        &mut Store::open(&path).unwrap(),
        &entries.iter().map(|(key, value)| (&key[..], &value[..])).collect::<Vec<_>>(),
    );
    let sql = "UPDATE entry SET value = 7 WHERE key = x'02020202'; UPDATE entry SET value = NULL + 1.5 WHERE key = x'05050505'; \
               UPDATE entry SET value = 'text' WHERE key = x'07070707'; UPDATE entry SET checksum = 'x' WHERE key = x'09090909'";
    let file = Connection::open(&path).unwrap();
    sql.split(';').for_each(|sql| _ = file.execute_batch(sql));
    drop(file);
    let store = Store::open(&path).unwrap();
    let mut reader = store.reader().unwrap();
    let mut all = entries.iter().map(|(key, _)| &key[..]);
    let rows = reader.get_some(&mut all, 1 << 20, Vec::new(), &mut Budget::default());
    for (value, (key, sound)) in rows.values(&[]).zip(&entries) {
        let is_sound = ![2, 7, 9].contains(&key[0]);
        assert_eq!(value.ok().as_deref(), is_sound.then_some(&sound[..]), "{key:?}");
    }
    assert_eq!(rows.are_found().filter(|is_found| *is_found).count(), 20);
}

/// Rows that claim a gigabyte, and values that unpack to more than 256 times their bytes.
#[test]
fn what_a_row_claims_takes_no_memory() {
    let (_folder, path) = Folder::with("file");
    let zeros = zstd::bulk::compress(&vec![0; 100 << 20], 3).unwrap();
    let many = zstd::bulk::compress(&vec![0; 4000], 3).unwrap().repeat(3000);
    for bytes in [zeros, many] {
        let checksum = xxh3_64_with_seed(&bytes, xxh3_64(b"key!").wrapping_add(1)) as i64;
        store_with(&path, "");
        let update = "UPDATE entry SET compression = 1, checksum = ?1, value = ?2 WHERE key = CAST('key!' AS BLOB)";
        Connection::open(&path).unwrap().execute(update, (checksum, &bytes)).unwrap();
        let value = ask(&mut Store::open(&path).unwrap().reader().unwrap(), b"key!");
        assert!(matches!(&value, Err(StoreError::DamagedValue)) || value.unwrap().unwrap().len() <= 256 * bytes.len());
    }
    // The head of the row: the length of its value.
    store_with(&path, "UPDATE entry SET value = zeroblob(3000)");
    let mut file = fs::read(&path).unwrap();
    let serial: Vec<_> = (0..file.len() - 1).filter(|at| file[*at..*at + 2] == [0xAE, 0x7C]).collect();
    assert!(serial.len() >= 2, "{serial:?}");
    for at in serial {
        // The length of the row stands before its head: both claim 900 MB or so, in as many bytes as there are.
        file[at..at + 2].copy_from_slice(&[0xFF, 0x7F]);
    }
    fs::write(&path, file).unwrap();
    ask_all(&path, "a long value");
}

/// All limits of SQLite 3.54 are set, and accepted: a file chooses no number without a bound.
#[test]
fn all_limits_of_sqlite_are_set() {
    let source = include_str!("../../src/open.rs");
    let set = source.split_once("const LIMITS").and_then(|(_, rest)| rest.split_once("];")).unwrap().0;
    use rusqlite::limits::Limit::*;
    let all = [
        SQLITE_LIMIT_LENGTH,
        SQLITE_LIMIT_SQL_LENGTH,
        SQLITE_LIMIT_COLUMN,
        SQLITE_LIMIT_EXPR_DEPTH,
        SQLITE_LIMIT_COMPOUND_SELECT,
        SQLITE_LIMIT_VDBE_OP,
        SQLITE_LIMIT_FUNCTION_ARG,
        SQLITE_LIMIT_ATTACHED,
        SQLITE_LIMIT_LIKE_PATTERN_LENGTH,
        SQLITE_LIMIT_VARIABLE_NUMBER,
        SQLITE_LIMIT_TRIGGER_DEPTH,
        SQLITE_LIMIT_WORKER_THREADS,
        SQLITE_LIMIT_PARSER_DEPTH,
        SQLITE_LIMIT_SCHEMA,
        SQLITE_LIMIT_TRIGGER_STEPS,
    ];
    for limit in all {
        assert!(set.contains(&format!("(Limit::{limit:?}, ")), "{limit:?}");
    }
    assert_eq!(set.matches("(Limit::").count(), all.len());
    assert!(rusqlite::version_number() < 3_055_000, "a new SQLite may have more of them");
}
