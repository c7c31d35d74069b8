//! Guards: what a file holds after each kind of call, and which files lie beside it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use varbatch_store::{Budget, Packed, Reader, Store, StoreError, Walk};

use crate::folder::Folder;
use crate::random::Random;

pub fn save(store: &mut Store, entries: &[(&[u8], &[u8])]) {
    store.begin().unwrap();
    for (key, value) in entries {
        store.put(key, &Packed::new(key, value.to_vec(), false)).unwrap();
    }
    store.commit().unwrap();
}

/// Asks the last commit for a key.
pub fn ask(reader: &mut Reader, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
    let rows = reader.get_some(&mut [key].into_iter(), 1, Vec::new(), &mut Budget::default());
    let is_found = rows.are_found().next().unwrap();
    let value = rows.values(&[]).next().unwrap()?.into_owned();
    Ok(is_found.then_some(value))
}

pub fn load(store: &Store, key: &[u8]) -> Option<Vec<u8>> {
    ask(&mut store.reader().unwrap(), key).unwrap()
}

pub fn keys(store: &Store) -> Result<Vec<Vec<u8>>, StoreError> {
    let mut keys = Vec::new();
    store.reader()?.keys(&mut Walk::default(), usize::MAX, |key| keys.push(key.to_vec())).map(|_| keys)
}

/// All that the last commit left.
pub fn content(store: &Store) -> Result<BTreeMap<Vec<u8>, Vec<u8>>, StoreError> {
    let (keys, mut reader) = (keys(store)?, store.reader()?);
    keys.into_iter().map(|key| Ok((key.clone(), ask(&mut reader, &key)?.ok_or(StoreError::DamagedValue)?))).collect()
}

/// A journal that SQLite would play into any file beside it.
pub fn rollback_journal(path: &Path) -> Vec<u8> {
    let file = rusqlite::Connection::open(path).unwrap();
    file.execute_batch("CREATE TABLE a(b); BEGIN; PRAGMA cache_size = 1; PRAGMA cache_spill = 1").unwrap();
    for _ in 0..200 {
        file.execute("INSERT INTO a VALUES(zeroblob(20000))", ()).unwrap();
    }
    let journal = fs::read(format!("{}-journal", path.display())).unwrap();
    assert!(journal.len() > 500 && journal[0] == 0xd9);
    journal
}

/// What an address would have at its end; Windows has no such names.
const NAME: &str = if cfg!(windows) { "world%3fmode=ro#.store" } else { "world?mode=ro.store" };

/// Saves other chunks until a checkpoint is due. Returns how many saves that took.
fn saves_until_due(store: &mut Store, byte: &mut u8) -> usize {
    let keys: Vec<_> = (0..100_u8).map(|number| [b'k', number]).collect();
    for saves in 1.. {
        // SQLite writes no page that stays as it is.
        *byte += 1;
        let chunk = [*byte; 16_392];
        save(store, &keys.iter().map(|key| (&key[..], &chunk[..])).collect::<Vec<_>>());
        if store.take_checkpoint_due() {
            return saves;
        }
    }
    unreachable!()
}

#[test]
fn a_checkpoint_is_due_once_8_mib_are_in_the_journal() {
    let (folder, path) = Folder::with("store");
    let (mut store, byte) = (Store::open(&path).unwrap(), &mut 0);
    let first = saves_until_due(&mut store, byte);
    let journal = fs::metadata(folder.join("store-wal")).unwrap().len();
    assert!((8 << 20..10 << 20).contains(&journal), "{journal}");
    assert!(!store.take_checkpoint_due(), "said twice");
    // Without a checkpoint, as on a full disk: not after each save.
    assert_eq!(saves_until_due(&mut store, byte), first);
    store.checkpoint();
    assert!(!store.take_checkpoint_due(), "all of it is in the file");
    assert_eq!(saves_until_due(&mut store, byte), first);
}

#[test]
fn side_files_are_gone_when_it_is_closed() {
    let (folder, path) = Folder::with(NAME);
    let mut store = Store::open(&path).unwrap();
    assert_eq!(load(&store, b"key!"), None);
    save(&mut store, &[(b"key!", b"one"), (b"key2", &[7; 100_000])]);
    save(&mut store, &[(b"key!", b"two")]);
    assert_eq!(folder.names(), [NAME, &format!("{NAME}-wal")]);
    assert!(matches!(Store::open(&path), Err(StoreError::Busy)));
    assert_eq!(load(&store, b"key!").unwrap(), b"two");
    assert_eq!(keys(&store).unwrap().len(), 2);
    drop(store);
    assert_eq!(folder.names(), [NAME]);
    let store = Store::open(&path).unwrap();
    assert_eq!(load(&store, b"key!").unwrap(), b"two");
    assert_eq!(load(&store, b"key2").unwrap(), [7; 100_000]);
    assert_eq!(load(&store, b"none"), None);
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
    assert_eq!((load(&store, b"key!"), keys(&store).unwrap().len()), (None, 0));
    save(&mut store, &[(b"key!", b"one"), (b"more", b"two")]);
    store.begin().unwrap();
    store.put(b"key!", &Packed::new(b"key!", vec![1; 1 << 24], false)).unwrap();
    store.erase(b"more").unwrap();
    store.roll_back();
    assert_eq!((load(&store, b"key!").unwrap(), load(&store, b"more").unwrap()), (b"one".into(), b"two".into()));
    store.begin().unwrap();
    store.erase(b"more").unwrap();
    store.erase(b"more").unwrap();
    store.commit().unwrap();
    assert_eq!((load(&store, b"more"), keys(&store).unwrap().len()), (None, 1));
}

#[test]
fn erased_bytes_are_given_back() {
    let (_folder, path) = Folder::with("store");
    let mut store = Store::open(&path).unwrap();
    let values: Vec<_> = (0..20_u8).map(|number| (vec![number; 4], vec![number; 1 << 19])).collect();
    save(&mut store, &values.iter().map(|(key, value)| (&key[..], &value[..])).collect::<Vec<_>>());
    store.checkpoint();
    let len = || fs::metadata(&path).unwrap().len();
    let full = len();
    store.begin().unwrap();
    values[..15].iter().for_each(|(key, _)| store.erase(key).unwrap());
    store.commit().unwrap();
    assert!(len() >= full && store.free_pages().unwrap() > 0);
    while store.shrink().unwrap() > 0 {}
    assert!(len() < full / 3, "{} of {full}", len());
    assert!(values[15..].iter().all(|(key, value)| load(&store, key).as_ref() == Some(value)));
    store.erase_all().unwrap();
    assert_eq!((load(&store, &values[19].0), keys(&store).unwrap().len()), (None, 0));
    while store.shrink().unwrap() > 0 {}
    drop(store);
    assert!(len() < 100_000);
}

#[test]
fn a_value_is_compressed_only_where_it_is_shorter() {
    let mut random = Random::new(1);
    for len in [0, 1, 4, 100, 100_000] {
        let noise = random.bytes(len);
        assert_eq!(stored_len(&noise, true), len);
        let packed = Packed::new(b"key!", noise, true);
        assert!(matches!(packed.borrowed().unpack(b"key2"), Err(StoreError::DamagedValue)), "of another key");
    }
    assert_eq!(stored_len(&vec![7; 100_000], false), 100_000);
}

fn stored_len(value: &[u8], compress: bool) -> usize {
    let (_folder, path) = Folder::with("store");
    let packed = Packed::new(b"key!", value.to_vec(), compress);
    assert!(*packed.borrowed().unpack(b"key!").unwrap() == *value);
    let mut store = Store::open(&path).unwrap();
    store.begin().unwrap();
    store.put(b"key!", &packed).unwrap();
    store.commit().unwrap();
    assert!(load(&store, b"key!").unwrap() == value);
    drop(store);
    rusqlite::Connection::open(&path)
        .unwrap()
        .query_row("SELECT length(value) FROM entry", (), |row| row.get::<_, i64>(0))
        .unwrap() as usize
}

/// What is 256 times as long as its frame, or longer, has a longer frame.
#[test]
fn values_that_compress_well_are_padded_and_load() {
    for len in [16 << 10, 100_000, 1 << 20, 8_000_000, 100 << 20] {
        let stored = stored_len(&vec![0; len], true);
        assert!(stored >= len / 256 && stored < len / 256 + 100, "{stored} of {len}");
    }
}

/// What other programs may do to a closed one.
#[test]
fn a_store_that_another_program_has_packed_is_one() {
    let (_folder, path) = Folder::with("store");
    let mut store = Store::open(&path).unwrap();
    save(&mut store, &[(b"key!", b"one"), (b"key2", &[7; 100_000])]);
    save(&mut store, &[(b"key2", b"two")]);
    drop(store);
    for sql in [
        "VACUUM",
        "PRAGMA page_size = 4096; PRAGMA journal_mode = DELETE; VACUUM; PRAGMA journal_mode = WAL",
        "REINDEX",
        "PRAGMA page_size = 65536; PRAGMA journal_mode = DELETE; VACUUM; PRAGMA journal_mode = WAL",
    ] {
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let mut store = Store::open(&path).unwrap();
        assert_eq!(load(&store, b"key!").unwrap(), b"one");
        save(&mut store, &[(b"key2", b"two")]);
        store.close().unwrap();
    }
    // Its pages cannot be given back then, which ends, too. It has another journal, and the mark another page.
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = 0; VACUUM").unwrap();
    drop(other);
    let file = fs::read(&path).unwrap();
    let journal = rollback_journal(&path);
    fs::write(&path, &file).unwrap();
    fs::write(format!("{}-journal", path.display()), journal).unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Damaged(_))), "another program was killed");
    fs::remove_file(format!("{}-journal", path.display())).unwrap();
    assert_eq!(load(&Store::open_bytes(file.into()).unwrap(), b"key!").unwrap(), b"one");
    let mut store = Store::open(&path).unwrap();
    save(&mut store, &[(b"key2", &[7; 1_000_000])]);
    store.begin().unwrap();
    store.erase(b"key2").unwrap();
    store.commit().unwrap();
    assert!((0..100).any(|_| store.shrink().unwrap() == 0), "without end");
    store.close().unwrap();
    assert_eq!(load(&Store::open(&path).unwrap(), b"key!").unwrap(), b"one");
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
    assert!(tables.len() == 3 && tables.iter().all(|table| document.contains(&format!("{table}\n"))), "{tables:?}");
}
