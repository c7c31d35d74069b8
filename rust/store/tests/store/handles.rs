//! Guards: where too many files are open, a store is whole and may be written, or it is said that there are no handles: it is neither
//! damaged nor read-only, nor read while another process writes it. Two that make a store at once, or make and remove it, get in
//! each other's way only for that moment.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use varbatch_store::{Copy, Store, StoreError, remove, rename};

use crate::file::{load, save};
use crate::folder::Folder;
#[cfg(unix)]
use crate::processes::{say, start, this_program, wait_for};

/// Takes all handles but some, which last as long as what is returned.
#[cfg(unix)]
fn take_handles(path: &Path, left: usize) -> Vec<File> {
    let mut taken = Vec::new();
    taken.extend(std::iter::from_fn(|| File::open(path).ok()));
    taken.truncate(taken.len().saturating_sub(left));
    taken
}

/// Of a process that may have few open files: `path` has a store with a journal that a killed process left, and `path` + "-held" is
/// open in another process.
#[cfg(unix)]
pub fn use_few_handles(path: &Path) {
    let folder = path.parent().unwrap();
    let at = |name: &str| folder.join(name);
    let other = at("other");
    fs::write(&other, "").unwrap();
    let (mut opened, mut copied) = ([0; 2], [0; 2]);
    let count = |counts: &mut [usize; 2], error: Option<StoreError>, left: usize| {
        counts[usize::from(error.is_none())] += 1;
        assert!(matches!(error, None | Some(StoreError::Exhausted)), "{error:?} with {left} handles left");
    };
    for left in 0..16 {
        // As a kill leaves it.
        let killed = at("killed");
        fs::copy(path, &killed).unwrap();
        fs::copy(at("store-wal"), at("killed-wal")).unwrap();
        for path in [killed, at("new")] {
            let is_new = path.ends_with("new");
            let taken = take_handles(&other, left);
            let found = Store::open(&path);
            drop(taken);
            count(&mut opened, found.as_ref().err().cloned(), left);
            let is_left = ["new-varbatch-new", "new-wal"].map(|name| found.is_err() && at(name).exists());
            assert_eq!(is_left, [false; 2], "{left} handles left");
            for mut store in [found].into_iter().flatten().chain([Store::open(&path)].into_iter().flatten()) {
                assert!(store.lost().is_none() && store.set_aside().is_none());
                assert_eq!(load(&store, b"late"), (!is_new).then(|| b"saved".to_vec()), "{left} handles left");
                save(&mut store, &[(b"more", b"more")]);
                store.close().unwrap();
            }
            let taken = take_handles(&other, left);
            let removed = remove(&path);
            drop(taken);
            if removed.is_err() {
                assert!(
                    path.exists() && !at(if is_new { "new-wal" } else { "killed-wal" }).exists(),
                    "{left} handles left"
                );
                remove(&path).unwrap();
            }
        }
        let taken = take_handles(&other, left);
        let held = Store::open(&at("store-held"));
        drop(taken);
        assert!(matches!(held, Err(StoreError::Busy | StoreError::Exhausted)), "{left} handles left: {held:?}");
        let mut store = Store::open(&at("source")).unwrap();
        save(&mut store, &[(b"key!", b"value")]);
        let taken = take_handles(&other, left);
        let copy = || {
            let mut reader = store.reader()?;
            reader.hold()?;
            let mut copy = Copy::begin(&at("copy"))?;
            while copy.add(&mut reader, 1000)? {}
            copy.end()
        };
        let done = copy();
        drop(taken);
        count(&mut copied, done.err(), left);
        store.erase_all().unwrap();
        store.close().unwrap();
        let _ = remove(&at("copy"));
        let names = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        assert_eq!(
            names,
            ["other", "source", "store", "store-held", "store-held-wal", "store-wal"],
            "{left} handles left"
        );
    }
    assert!(opened.iter().chain(&copied).all(|count| *count > 0), "{opened:?} {copied:?}");
    say("last");
}

#[cfg(unix)]
#[test]
fn a_store_is_whole_or_there_are_no_handles() {
    let (folder, path) = Folder::with("store");
    let mut child = start(&mut this_program(), "holds it", &folder.join("store-held"));
    wait_for(&mut child, "done");
    let mut store = Store::open(&path).unwrap();
    save(&mut store, &[(b"key!", b"value")]);
    store.checkpoint();
    save(&mut store, &[(b"late", b"saved")]);
    let both = [fs::read(&path).unwrap(), fs::read(folder.join("store-wal")).unwrap()];
    drop(store);
    fs::write(&path, &both[0]).unwrap();
    fs::write(folder.join("store-wal"), &both[1]).unwrap();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", r#"ulimit -n 40 && exec "$0" "$@""#]).arg(std::env::current_exe().unwrap());
    let mut few = start(&mut shell, "has few handles", &path);
    wait_for(&mut few, "last");
    assert!(few.wait().unwrap().success());
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Threads stand for processes: their locks exclude each other likewise.
#[test]
fn those_that_make_a_store_at_once_can_write_it_or_are_told_of_each_other() {
    let (folder, _) = Folder::with("store");
    let barrier = Barrier::new(3);
    for round in 0..60 {
        let path = folder.join(&format!("store-{round}"));
        let open = || {
            barrier.wait();
            let mut store = Store::open(&path);
            if let Ok(store) = &mut store {
                save(store, &[(b"key!", b"value")]);
            }
            store.map(drop)
        };
        let opened = thread::scope(|scope| [(); 3].map(|()| scope.spawn(open)).map(|thread| thread.join().unwrap()));
        assert!(opened.iter().any(Result::is_ok), "{round}: {opened:?}");
        assert!(opened.iter().all(|opened| matches!(opened, Ok(()) | Err(StoreError::Busy))), "{round}: {opened:?}");
        assert_eq!(load(&Store::open(&path).unwrap(), b"key!").unwrap(), b"value");
        fs::remove_file(path).unwrap();
        assert!(folder.names().is_empty(), "{:?}", folder.names());
    }
}

#[test]
fn who_saves_loses_nothing_to_who_removes() {
    let (_folder, path) = Folder::with("store");
    let (is_over, removed) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                match remove(&path) {
                    Ok(aside) => {
                        assert!(aside.is_none());
                        removed.fetch_add(1, Ordering::Relaxed);
                    }
                    Err(StoreError::Busy | StoreError::CannotOpen) => {}
                    Err(error) => panic!("{error:?}"),
                }
            }
        });
        let saving = scope.spawn(|| {
            let (begin, mut opened) = (Instant::now(), 0);
            // How often each gets the file is up to the system.
            while opened < 100 || removed.load(Ordering::Relaxed) < 10 {
                match Store::open(&path) {
                    Ok(mut store) => {
                        assert!(store.set_aside().is_none());
                        save(&mut store, &[(b"key!", b"value")]);
                        store.close().unwrap();
                        opened += 1;
                    }
                    Err(StoreError::Busy) => {}
                    Err(error) => panic!("{opened}: {error:?}"),
                }
                assert!(begin.elapsed() < Duration::from_secs(60), "{opened} {removed:?}");
            }
        });
        let saved = saving.join();
        is_over.store(true, Ordering::Relaxed);
        saved.unwrap();
    });
}

/// As a process leaves it that is killed when the file has its name, and the other one still: the file may be elsewhere by now.
#[cfg(unix)]
#[test]
fn a_new_file_that_is_a_store_already_is_not_written_over() {
    let (folder, path) = Folder::with("store");
    save(&mut Store::open(&path).unwrap(), &[(b"key!", b"value")]);
    let other = folder.join("other");
    for end in ["-varbatch-new", "-varbatch-copy"] {
        fs::hard_link(&path, folder.join(&format!("other{end}"))).unwrap();
        let mut store = Store::open(&other).unwrap();
        assert_eq!(load(&store, b"key!"), None);
        store.erase_all().unwrap();
        store.close().unwrap();
        let mut reader = Store::open(&folder.join("source")).unwrap().reader().unwrap();
        reader.hold().unwrap();
        let mut copy = Copy::begin(&other).unwrap();
        while copy.add(&mut reader, 1000).unwrap() {}
        copy.end().unwrap();
        drop(reader);
        assert_eq!(load(&Store::open(&path).unwrap(), b"key!").unwrap(), b"value", "{end}");
        remove(&other).unwrap();
    }
    remove(&folder.join("source")).unwrap();
    assert_eq!(folder.names(), ["store"]);
}

/// Of a process that was killed between the two names of a new store.
#[cfg(unix)]
#[test]
fn a_store_with_two_names_is_erased_and_removed() {
    let folder = Folder::new();
    for end in ["-varbatch-new", "-varbatch-copy"] {
        let (path, other) = (folder.join("store"), folder.join(&format!("store{end}")));
        for erases in [true, false] {
            let mut store = Store::open(&path).unwrap();
            save(&mut store, &[(b"key", b"value")]);
            fs::hard_link(&path, &other).unwrap();
            if erases {
                store.erase_all().unwrap();
                assert_eq!(load(&store, b"key"), None);
                save(&mut store, &[(b"key", b"again")]);
            }
            assert!(matches!(remove(&path), Err(StoreError::Busy)));
            store.close().unwrap();
            remove(&path).unwrap();
            let _ = fs::remove_file(&other);
        }
    }
}

/// A link is not followed, and what has its name otherwise keeps nobody from removing a store.
#[cfg(unix)]
#[test]
fn what_has_the_name_of_a_new_file_is_let_alone() {
    let folder = Folder::new();
    let (path, other, new) = (folder.join("store"), folder.join("other"), folder.join("store-varbatch-new"));
    save(&mut Store::open(&other).unwrap(), &[(b"key", b"value")]);
    std::os::unix::fs::symlink(&other, &new).unwrap();
    drop(Store::open(&path).unwrap());
    assert_eq!(load(&Store::open(&other).unwrap(), b"key"), Some(b"value".to_vec()));
    fs::create_dir(&new).unwrap();
    remove(&path).unwrap();
    assert!(!path.exists());
}

#[test]
fn no_store_has_the_name_of_a_file_that_another_one_needs() {
    let (folder, path) = Folder::with("store");
    let mut store = Store::open(&path).unwrap();
    save(&mut store, &[(b"key!", b"value")]);
    drop(Store::open(&folder.join("third")).unwrap());
    for is_open in [true, false] {
        if !is_open {
            store.close().unwrap();
            store = Store::open(&folder.join("fourth")).unwrap();
        }
        for end in ["-journal", "-shm", "-lock", "-varbatch-new", "-varbatch-copy"] {
            let side = folder.join(&format!("store{end}"));
            assert!(matches!(Copy::begin(&side), Err(StoreError::SideName)), "{end}");
            assert!(matches!(Store::open(&side), Err(StoreError::SideName)), "{end}");
            assert!(matches!(rename(&folder.join("third"), &side), Err((path, StoreError::SideName)) if path == side));
        }
    }
    drop(store);
    // These are nobody's.
    assert!(matches!(Store::open(&folder.join("a-varbatch-new")), Err(StoreError::SideName)));
    // And the other way round.
    let side = folder.join("fifth-journal");
    drop(Store::open(&side).unwrap());
    assert!(matches!(Store::open(&folder.join("fifth")), Err(StoreError::SideName)));
    assert_eq!(folder.names(), ["fifth-journal", "fourth", "store", "third"]);
    drop(Store::open(&side).unwrap());
}

/// As where the store is open, and there is no handle for its first load.
#[test]
fn what_is_lost_is_told_until_somebody_asks() {
    let (folder, path) = Folder::with("store");
    let mut store = Store::open(&path).unwrap();
    save(&mut store, &[(b"key!", b"value")]);
    let copy = folder.join("copy");
    fs::copy(&path, &copy).unwrap();
    drop(Store::open(&copy).unwrap());
    for is_told in [true, false] {
        let mut store = Store::open(&copy).unwrap();
        assert_eq!(store.lost().is_some(), is_told);
        save(&mut store, &[(b"more", b"more")]);
        store.close().unwrap();
    }
}
