//! Guards: what a file holds after each kind of call, and which files lie beside it.
//!
//! Guards: copies of an open store, and what becomes of the files beside one that is removed or gets another name.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use varbatch_store::{Budget, Copy, Packed, Reader, Store, StoreError, Walk, remove, rename};

use crate::folder::Folder;
use crate::journals::rollback_journal;
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
