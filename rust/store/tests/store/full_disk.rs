//! Guards: a store that is closed on a full disk cannot be opened ever after. The processes are limited: see [`limited_program`].
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use varbatch_store::{Packed, Store, StoreError};

use crate::file::{load, save};
use crate::folder::Folder;
use crate::processes::{limited_program, say, start, wait_for};

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
