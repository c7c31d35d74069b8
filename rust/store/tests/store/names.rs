//! Guards: who gets a name first that two want, and what is said where something else has a name that a store needs, or a folder
//! does not give one up.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use varbatch_store::{Copy, Store, StoreError, remove, rename};

use crate::file::{ask, load, save};
use crate::folder::Folder;
use crate::processes;

/// Threads stand for processes.
#[test]
fn nobody_opens_a_store_while_all_is_erased() {
    let (folder, path) = Folder::with("store");
    let (mut store, is_done) = (Store::open(&path).unwrap(), AtomicBool::new(false));
    let readers = store.readers();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    assert!(matches!(Store::open(&path), Err(StoreError::Busy)));
                }
            });
        }
        let erased = thread::Builder::new().spawn_scoped(scope, || {
            for round in 0..100_u8 {
                save(&mut store, &[(b"key!", &[round])]);
                store.erase_all().unwrap();
                assert_eq!(load(&store, b"key!"), None);
                save(&mut store, &[(b"key!", &[round])]);
                assert_eq!(ask(&mut readers.open().unwrap(), b"key!").unwrap(), Some(vec![round]));
            }
        });
        let erased = erased.unwrap().join();
        is_done.store(true, Ordering::Relaxed);
        erased.unwrap();
    });
    drop((store, readers));
    assert_eq!(folder.names(), ["store"]);
}

/// Of one of two processes that copy their stores to one path: each copy is whole, or it is said that another one is made or there.
pub fn copy_often(path: &Path) {
    let store = Store::open(path).unwrap();
    for round in 0..200 {
        let copy = || {
            let (mut reader, mut copy) = (store.reader()?, Copy::begin(&path.with_file_name("copy"))?);
            while copy.add(&mut reader, 1000)? {}
            copy.end()
        };
        let done = copy();
        assert!(matches!(done, Ok(()) | Err(StoreError::Busy | StoreError::Exists)), "round {round}: {done:?}");
        if round % 20 == 0 {
            let removed = remove(&path.with_file_name("copy"));
            assert!(
                matches!(removed, Ok(_) | Err(StoreError::Busy | StoreError::CannotOpen)),
                "round {round}: {removed:?}"
            );
        }
    }
    processes::say("copied");
}

#[test]
fn copies_to_one_path_are_made_one_after_the_other() {
    let folder = Folder::new();
    let copying = ["a", "b"].map(|name| processes::start(&mut processes::this_program(), "copies", &folder.join(name)));
    for mut child in copying {
        processes::wait_for(&mut child, "copied");
        child.wait().unwrap();
    }
    drop(Store::open(&folder.join("copy")).unwrap());
    assert_eq!(folder.names(), ["a", "b", "copy"]);
}

/// The one who makes it would set aside the journal of a store that has just got the name.
#[cfg(not(windows))]
#[test]
fn no_store_gets_a_name_where_another_process_makes_one() {
    let (folder, path) = Folder::with("store");
    let (store, new) = (Store::open(&path).unwrap(), folder.join("to-varbatch-new"));
    let making = fs::File::create(&new).unwrap();
    making.lock().unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&path, folder.join("to-varbatch-copy-wal")).unwrap();
    let mut copy = Copy::begin(&folder.join("to")).unwrap();
    while copy.add(&mut store.reader().unwrap(), 1000).unwrap() {}
    assert!(matches!(copy.end(), Err(StoreError::Busy)));
    store.close().unwrap();
    assert!(matches!(rename(&path, &folder.join("to")), Err((at, StoreError::Busy)) if at == folder.join("to")));
    making.unlock().unwrap();
    rename(&path, &folder.join("to")).unwrap();
    assert_eq!(folder.names(), ["to"]);
}

/// As a process leaves it that was killed. The next one there writes over it.
#[test]
fn what_is_not_a_store_yet_is_not_opened() {
    let (folder, path) = Folder::with("store");
    save(&mut Store::open(&path).unwrap(), &[(b"key!", b"value")]);
    for end in ["-varbatch-new", "-varbatch-copy"] {
        let left = folder.join(&format!("other{end}"));
        fs::copy(&path, &left).unwrap();
        assert!(matches!(Store::open(&left), Err(StoreError::SideName)), "{end}");
        assert!(matches!(rename(&left, &folder.join("to")), Err((_, StoreError::SideName))), "{end}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_in_the_way() {
    let (folder, path) = Folder::with("store");
    let at = |end: &str| folder.join(&format!("store{end}"));
    let is_in_the_way = |opened: Result<Store, _>, end: &str| match opened {
        Err(StoreError::InTheWay(name)) => assert_eq!(name, format!("store{end}")),
        other => panic!("{end}: {other:?}"),
    };
    fs::create_dir(at("-varbatch-new")).unwrap();
    is_in_the_way(Store::open(&path), "-varbatch-new");
    fs::remove_dir(at("-varbatch-new")).unwrap();
    for end in ["-wal", "-journal"] {
        drop(Store::open(&path).unwrap());
        let made = std::process::Command::new("mkfifo").arg(at(end)).status();
        assert!(made.unwrap().success());
        is_in_the_way(Store::open(&path), end);
        fs::remove_file(at(end)).unwrap();
        std::os::unix::fs::symlink(folder.join("nothing"), at(end)).unwrap();
        is_in_the_way(Store::open(&path), end);
        assert!(at(end).is_symlink());
        fs::remove_file(at(end)).unwrap();
        fs::create_dir_all(at(end).join("full")).unwrap();
        is_in_the_way(Store::open(&path), end);
        fs::remove_file(&path).unwrap();
        is_in_the_way(Store::open(&path), end);
        assert_eq!(folder.names(), [format!("store{end}")]);
        fs::remove_dir_all(at(end)).unwrap();
        for copy in ["-varbatch-copy", "-varbatch-copy-wal"] {
            fs::write(at(copy), "of a killed process").unwrap();
        }
        drop(Store::open(&path).unwrap());
        remove(&path).unwrap();
        assert_eq!(folder.names(), [""; 0]);
    }
    // Once all is erased, it is opened again when that is possible. Nobody else has it meanwhile.
    let mut store = Store::open(&path).unwrap();
    let readers = store.readers();
    save(&mut store, &[(b"key!", b"one")]);
    std::os::unix::fs::symlink(folder.join("nothing"), at("-journal")).unwrap();
    store.erase_all().unwrap();
    assert!(readers.open().is_err() && matches!(store.begin(), Err(StoreError::InTheWay(_))));
    assert!(matches!(Store::open(&path), Err(StoreError::Busy)));
    fs::remove_file(at("-journal")).unwrap();
    store.open_again().unwrap();
    assert_eq!(ask(&mut readers.open().unwrap(), b"key!").unwrap(), None);
    save(&mut store, &[(b"key!", b"two")]);
    assert_eq!(ask(&mut readers.open().unwrap(), b"key!").unwrap(), Some(b"two".to_vec()));
}

/// Of a process that may not do all of it: "store" becomes "to", in its folder.
pub fn rename_one(path: &Path) {
    match rename(path, &path.with_file_name("to")) {
        Ok(_) => processes::say("renamed"),
        Err((at, error)) => processes::say(&format!("refused {} {error}", at.ends_with("store"))),
    }
}

#[cfg(unix)]
#[test]
fn a_name_that_cannot_be_taken_away_stays_the_only_one() {
    for (folder_bits, expected, names) in
        [(0o1777, "refused true it can only be read", ["store"]), (0o333, "renamed", ["to"])]
    {
        let (folder, path) = Folder::with("store");
        drop(Store::open(&path).unwrap());
        let Some(said) = processes::restricted(&folder, &path, "renames", 0o666, folder_bits) else {
            return println!("skipped: root cannot run this program as another");
        };
        assert!(said.contains(expected), "{folder_bits:o}: {said}");
        assert_eq!(folder.names(), names, "{folder_bits:o}");
    }
}
