//! Guards: a store that is closed on a full disk cannot be opened ever after; what fails there, or is cancelled, keeps the room that
//! it took. The processes are limited: see [`limited_program`] and [`on_small_disk`].
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, abort};

use varbatch_store::{Packed, Store, StoreError};

use crate::file::{content, load, save};
use crate::folder::Folder;
use crate::processes::{limited_program, say, start, this_program, wait_for};

const MB: usize = 1 << 20;

#[test]
fn closing_on_a_full_disk_keeps_the_journal() {
    let (folder, path) = Folder::with("store");
    // The file is almost as long as may be.
    let fill = r#"trap "" XFSZ; ulimit -f 2048; head -c 3000000 /dev/zero > "$0""#;
    let probe = folder.join("probe");
    assert!(!Command::new("sh").args(["-c", fill]).arg(&probe).stderr(Stdio::null()).status().unwrap().success());
    let max = fs::metadata(&probe).unwrap().len() as usize;
    fs::remove_file(probe).unwrap();
    let mut store = Store::open(&path).unwrap();
    save(&mut store, &[(b"long", &vec![1; max - 300_000])]);
    store.close().unwrap();
    let mut child = start(&mut limited_program(), "closes on a full disk", &path);
    wait_for(&mut child, "last");
    assert!(child.wait().unwrap().success());
    assert_eq!(folder.names(), ["store", "store-wal"]);
    let mut store = Store::open(&path).unwrap();
    assert!(store.set_aside().is_none());
    save(&mut store, &[(b"more", b"more")]);
    assert!(load(&store, b"key!").unwrap() == [2; 600_000] && load(&store, b"more").unwrap() == b"more");
    store.close().unwrap();
    assert_eq!(folder.names(), ["store"]);
}

fn try_save(store: &mut Store, number: u32) -> Result<(), StoreError> {
    store.begin()?;
    let saved = store.put(b"key!", &Packed::new(b"key!", number.to_be_bytes().to_vec(), false));
    let saved = saved.and_then(|()| store.commit());
    if saved.is_err() {
        store.roll_back();
    }
    saved
}

/// Saves while the journal has room. All of it gets into the file then, but not the commit that says so.
pub fn fill_journal(mut store: Store, path: &Path) {
    let mut number = 0;
    while try_save(&mut store, number).is_ok() {
        number += 1;
    }
    for _ in 0..3 {
        assert!(!matches!(try_save(&mut store, 0), Err(StoreError::Moved)), "nobody else has written into it");
        store.checkpoint();
        assert!(matches!(store.close(), Err(StoreError::JournalKept(_))));
        store = Store::open(path).unwrap();
        assert_eq!(load(&store, b"key!").unwrap(), (number - 1).to_be_bytes());
    }
    say("last");
}

#[test]
fn a_journal_that_is_full_is_put_into_the_file_later() {
    let (folder, path) = Folder::with("store");
    let mut child = start(&mut limited_program(), "fills the journal", &path);
    wait_for(&mut child, "last");
    assert!(child.wait().unwrap().success());
    let mut store = Store::open(&path).unwrap();
    assert!(store.set_aside().is_none() && store.lost().is_none());
    assert!(load(&store, b"key!").is_some());
    save(&mut store, &[(b"more", b"more")]);
    store.close().unwrap();
    assert_eq!(folder.names(), ["store"]);
}

fn journal_of(path: &Path) -> PathBuf {
    format!("{}-wal", path.display()).into()
}

fn journal_len(path: &Path) -> usize {
    fs::metadata(journal_of(path)).unwrap().len() as usize
}

fn begin_long(store: &mut Store) -> Result<(), StoreError> {
    store.begin()?;
    (0..20_u8).try_for_each(|key| store.put(&[b'l', key], &Packed::new(&[b'l', key], vec![key; MB], false)))
}

/// In every state that the journal can be in: new, with commits, all in the file, and with a reader of an older state.
#[test]
fn what_is_rolled_back_is_cut_off() {
    let ((_folder, path), (_killed, killed)) = (Folder::with("store"), Folder::with("store"));
    let mut store = Store::open(&path).unwrap();
    for round in 0..12_u8 {
        let mut reader = store.reader().unwrap();
        if round % 4 > 1 {
            reader.hold().unwrap();
        }
        if round > 0 {
            save(&mut store, &[(b"key!", &[round; 50_000])]);
        }
        if round % 2 == 1 {
            store.checkpoint();
        }
        let (before, state) = (journal_len(&path), content(&store).unwrap());
        begin_long(&mut store).unwrap();
        assert!(journal_len(&path) > 8 * MB, "it did not get into the journal");
        // As a kill leaves it.
        fs::copy(&path, &killed).unwrap();
        fs::copy(journal_of(&path), journal_of(&killed)).unwrap();
        store.roll_back();
        assert!(journal_len(&path) <= before.max(32), "{round}: {} bytes, and {before} before", journal_len(&path));
        let mut again = Store::open(&killed).unwrap();
        assert!(journal_len(&killed) < MB, "{round}: {} bytes after a kill", journal_len(&killed));
        assert!(again.set_aside().is_none() && again.lost().is_none());
        for store in [&mut store, &mut again] {
            assert!(content(store).unwrap() == state, "{round}");
            save(store, &[(b"more", &[round])]);
            assert_eq!(load(store, b"more").unwrap(), [round]);
        }
        drop(again);
        assert_eq!(load(&Store::open(&killed).unwrap(), b"more").unwrap(), [round]);
    }
}

/// What is moved may be more than the disk has room for.
#[test]
fn a_journal_stays_short_while_the_file_gets_smaller() {
    let (_folder, path) = Folder::with("store");
    let mut store = Store::open(&path).unwrap();
    let keys: Vec<_> = (0..3000_u32).map(u32::to_be_bytes).collect();
    save(&mut store, &keys.iter().map(|key| (&key[..], &[7; 20_000][..])).collect::<Vec<_>>());
    store.close().unwrap();
    let before = fs::metadata(&path).unwrap().len() as usize;
    let mut store = Store::open(&path).unwrap();
    store.begin().unwrap();
    while store.erase_range(&keys[0], Some(&keys[1500])).unwrap() {}
    store.commit().unwrap();
    store.checkpoint();
    while store.shrink().unwrap() > 0 {
        assert!(journal_len(&path) < 14 * MB, "{} bytes", journal_len(&path));
    }
    let after = fs::metadata(&path).unwrap().len() as usize;
    assert!(before > 40 * MB && after * 10 < before * 6, "{before} bytes, and {after}");
    assert_eq!(content(&store).unwrap().len(), 1500);
}

/// This program, with a disk of some MiB in the folder. Nobody else sees that.
fn on_small_disk(folder: &Path, size: usize) -> Command {
    let mount = format!(r#"mount -t tmpfs -o size={size}m none "$FOLDER" && exec "$0" "$@""#);
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", &mount]).arg(std::env::current_exe().unwrap()).env("FOLDER", folder);
    command
}

fn test_on_small_disk(task: &str, size: usize) {
    let (folder, path) = Folder::with("store");
    let can_mount =
        on_small_disk(folder.path(), size).arg("--list").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !can_mount.is_ok_and(|status| status.success()) {
        return println!("skipped: no disk can be mounted here");
    }
    let mut child = start(&mut on_small_disk(folder.path(), size), task, &path);
    wait_for(&mut child, "last");
    assert!(child.wait().unwrap().success());
}

/// True if the disk has so many bytes for another file.
fn has_room(path: &Path, len: usize) -> bool {
    let other = path.with_extension("other");
    let is_written = fs::write(&other, vec![1; len]).is_ok();
    fs::remove_file(other).unwrap();
    is_written
}

/// Of a disk of 16 MiB. Ends as a process that is killed, if it is to.
pub fn save_too_much(path: &Path, dies: bool) {
    let mut store = Store::open(path).unwrap();
    save(&mut store, &[(b"key!", &vec![1; MB])]);
    assert!(matches!(begin_long(&mut store).and_then(|()| store.commit()), Err(StoreError::Full)));
    if dies {
        abort();
    }
    store.roll_back();
    assert!(has_room(path, 13 * MB), "the disk has its room again");
    save(&mut store, &[(b"more", b"more")]);
    store.close().unwrap();
    // The same once more, by a process that dies.
    assert!(!start(&mut this_program(), "saves too much and dies", path).wait().unwrap().success());
    assert!(!has_room(path, 8 * MB), "it is full");
    let mut store = Store::open(path).unwrap();
    assert!(has_room(path, 12 * MB), "the disk has its room again");
    save(&mut store, &[(b"more", b"again")]);
    assert!(load(&store, b"key!").unwrap() == vec![1; MB] && load(&store, b"more").unwrap() == b"again");
    store.erase_all().unwrap();
    store.close().unwrap();
    assert!(has_room(path, 14 * MB));
    say("last");
}

#[test]
fn a_save_that_is_too_much_gives_the_disk_its_room_again() {
    test_on_small_disk("saves too much for a small disk", 16);
}

/// Of a disk of 16 MiB: the journal of a save has its room, and the file has not.
pub fn checkpoint_too_much(path: &Path) {
    let mut store = Store::open(path).unwrap();
    save(&mut store, &[(b"key!", &vec![1; 9 * MB])]);
    for _ in 0..3 {
        store.checkpoint();
        assert!(has_room(path, 5 * MB), "the disk has its room again");
        save(&mut store, &[(b"more", b"more")]);
        assert!(load(&store, b"key!").unwrap() == vec![1; 9 * MB]);
    }
    assert!(matches!(store.close(), Err(StoreError::JournalKept(_))));
    assert!(has_room(path, 5 * MB));
    let mut store = Store::open(path).unwrap();
    assert!(has_room(path, 5 * MB) && load(&store, b"key!").unwrap() == vec![1; 9 * MB]);
    store.erase_all().unwrap();
    assert!(has_room(path, 14 * MB));
    say("last");
}

#[test]
fn a_checkpoint_that_is_too_much_gives_the_disk_its_room_again() {
    test_on_small_disk("puts too much into the file on a small disk", 16);
}

/// Of a disk of 32 MiB the file has 23, and is to have half. There is room to move a part of that.
pub fn shrink_with_little_room(path: &Path) {
    let keys: Vec<_> = (0..1400_u32).map(u32::to_be_bytes).collect();
    let mut store = Store::open(path).unwrap();
    for keys in keys.chunks(50) {
        save(&mut store, &keys.iter().map(|key| (&key[..], &[7; 16_000][..])).collect::<Vec<_>>());
        store.checkpoint();
    }
    store.close().unwrap();
    let mut store = Store::open(path).unwrap();
    store.begin().unwrap();
    while store.erase_range(&keys[0], Some(&keys[700])).unwrap() {}
    store.commit().unwrap();
    fs::write(path.with_extension("fill"), vec![1; 2_700_000]).unwrap();
    while store.shrink().unwrap() > 0 {}
    assert!(fs::metadata(path).unwrap().len() < 13 * MB as u64);
    assert_eq!(content(&store).unwrap().len(), 700);
    store.close().unwrap();
    say("last");
}

#[test]
fn a_file_gets_smaller_where_the_disk_has_room_for_a_part() {
    test_on_small_disk("shrinks on a small disk", 32);
}
