//! Guards: files that others have open, names and paths as Windows has them.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use varbatch_codec::Dialect;
use varbatch_storage::{Contents, Loader, Saver, Ticket};
use varbatch_workers::Threads;

use crate::file_save::{MEBI, assert_holds, assert_refuses, encoded, save};
use crate::folder::Folder;

/// Who shares a file: as Rust does, as the engine's `FileAccess` does, only with readers, with nobody.
const SHARED: [u32; 4] = [7, 3, 1, 0];

#[test]
fn an_old_file_that_is_open_for_a_moment_is_waited_for() {
    let (folder, path) = Folder::with("save");
    for mode in SHARED {
        fs::write(&path, "old").expect("writes");
        let held = OpenOptions::new().read(true).share_mode(mode).open(&path).expect("opens");
        thread::scope(|scope| {
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(300));
                drop(held);
            });
            save(&path, &encoded(b"new!"), MEBI, None).unwrap_or_else(|error| panic!("{mode}: {error}"));
        });
        assert_holds(&path, b"new!");
        assert_eq!(folder.names(), ["save"]);
    }
}

#[test]
fn an_old_backup_that_is_open_for_a_moment_is_waited_for() {
    let (folder, path) = Folder::with("save");
    for mode in SHARED {
        save(&path, &encoded(b"old!"), MEBI, None).expect("saves");
        fs::write(folder.join("save.bak"), "older").expect("writes");
        let held = OpenOptions::new().read(true).share_mode(mode).open(folder.join("save.bak")).expect("opens");
        let mut saver = Saver::create(&path, None).expect("creates");
        saver.stores(Contents { key: None, offset: 0, dialect: Some(Dialect::GODOT_4) }, true).expect("a short name");
        saver.write_bytes(&encoded(b"new!").to_vec(), &Threads::alone()).expect("writes");
        let mut flushed = saver.flush(&Threads::alone()).expect("flushes");
        thread::scope(|scope| {
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(300));
                drop(held);
            });
            flushed.commit(&Ticket::take_for(&path)).unwrap_or_else(|error| panic!("{mode}: {error}"));
        });
        assert_holds(&path, b"new!");
        assert_holds(&folder.join("save.bak"), b"old!");
    }
}

#[test]
fn an_old_file_that_stays_open_is_an_error_that_says_so() {
    let (folder, path) = Folder::with("save");
    for mode in &SHARED[1..] {
        fs::write(&path, "old").expect("writes");
        let held = OpenOptions::new().read(true).share_mode(*mode).open(&path).expect("opens");
        let begin = Instant::now();
        let error = save(&path, &encoded(b"new!"), MEBI, None).expect_err("it is open");
        let took = begin.elapsed();
        assert_eq!(error.kind(), ErrorKind::ResourceBusy, "{mode}: {error}");
        assert_eq!(error.to_string(), "the old file is open here or in another program, close it first");
        assert!((2000..20_000).contains(&took.as_millis()), "{mode}: {took:?}");
        assert_eq!(folder.names(), ["save"]);
        drop(held);
        assert_holds(&path, b"old");
        save(&path, &encoded(b"new!"), MEBI, None).expect("saves");
    }
}

#[test]
fn a_read_only_file_is_refused_at_once() {
    let (folder, path) = Folder::with("save");
    fs::write(&path, "old").expect("writes");
    let set = |is_read_only| {
        let mut permissions = fs::metadata(&path).expect("a file").permissions();
        permissions.set_readonly(is_read_only);
        fs::set_permissions(&path, permissions).expect("sets");
    };
    set(true);
    let begin = Instant::now();
    assert_refuses(&path, Some(ErrorKind::PermissionDenied), &folder);
    assert!(begin.elapsed() < Duration::from_secs(1));
    assert_holds(&path, b"old");
    set(false);
}

#[test]
fn long_verbatim_and_mixed_paths_are_saved_and_loaded() {
    let folder = Folder::new();
    let canonical = fs::canonicalize(folder.path()).expect("a folder");
    assert!(canonical.to_str().expect("UTF-8").starts_with(r"\\?\"));
    let long: PathBuf = [folder.path(), Path::new(&"n".repeat(120)), Path::new(&"m".repeat(120))].iter().collect();
    fs::create_dir_all(&long).expect("folders");
    let slashes = folder.path().to_str().expect("UTF-8").replace('\\', "/");
    for path in
        [canonical.join("save"), long.join("save"), format!("{slashes}/mixed\\..\\save").into(), folder.join("SAVE")]
    {
        for text in [&b"new!"[..], b"newer"] {
            save(&path, &encoded(text), MEBI, None).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_holds(&path, text);
        }
        Loader::open(&path).expect("opens");
    }
    assert_eq!(fs::read_dir(&long).expect("a folder").count(), 1);
    assert_eq!(folder.names().len(), 2, "{:?}", folder.names());
}
