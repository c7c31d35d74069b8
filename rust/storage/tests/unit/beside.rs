//! Guards: what killed saves leave behind is removed, and nothing else ever is.

use std::fs;
use std::path::Path;

#[path = "../storage/folder.rs"]
mod folder;

pub use self::folder::Folder;
use super::{Beside, MAX_NAMES, SWEPT_NAMES, create, make, named, remove_leftover};

fn leave(path: &Path) {
    fs::write(path, "half a file").expect("writes");
}

#[test]
fn the_first_save_in_a_folder_removes_all_leftovers_and_no_other_file() {
    let folder = Folder::new();
    let others = [".varbatch-", ".varbatch--1", ".varbatch-00", ".varbatch-0x", "save", "varbatch-3"];
    for name in others {
        leave(&folder.join(name));
    }
    for number in [30, 31, 40, SWEPT_NAMES - 1] {
        leave(&named(folder.path(), number));
    }
    let removes_all = |_| {
        let (file, beside) = create(folder.path()).expect("creates");
        let own = beside.path.file_name().unwrap().to_str().unwrap().to_owned();
        let mut expected: Vec<_> = others.iter().map(|name| (*name).to_owned()).chain([own]).collect();
        expected.sort();
        let names = folder.names();
        assert!(expected.iter().all(|name| names.contains(name)), "{names:?}");
        fs::remove_file(&beside.path).expect("removes");
        drop((file, beside));
        // So that it is looked at again.
        drop(create(Folder::new().path()).expect("creates"));
        names == expected
    };
    // Another test may be looking at one of the numbers just now.
    assert!((0..20).any(removes_all), "{:?}", folder.names());
}

/// Some file systems give a lock to everyone.
#[test]
fn a_process_never_removes_its_own_names_without_their_locks() {
    let folder = Folder::new();
    let (file, beside) = create(folder.path()).expect("creates");
    drop(file);
    let other = Folder::new();
    let names = [&other, &folder].map(|folder| {
        let (file, beside) = create(folder.path()).expect("creates");
        drop(file);
        beside
    });
    assert!(beside.path.exists(), "looked at again, as another folder came between");
    drop(names);
    assert!(remove_leftover(&beside.path));
}

#[test]
fn a_file_that_is_written_is_never_removed() {
    let folder = Folder::new();
    let held = [(); 3].map(|()| create(folder.path()).expect("creates"));
    let names = folder.names();
    assert_eq!(names.len(), 3);
    for (_, beside) in &held {
        assert!(!remove_leftover(&beside.path));
    }
    assert_eq!(folder.names(), names);
    // As after a kill: the files are closed, and their names stay.
    let paths = held.map(|(file, beside)| {
        drop(file);
        beside.path.clone()
    });
    for path in &paths {
        assert!(remove_leftover(path));
    }
    assert!(folder.names().is_empty());
}

#[test]
fn leftovers_do_not_pile_up_in_a_folder_that_was_looked_at_already() {
    let folder = Folder::new();
    drop(create(folder.path()).expect("creates"));
    let names = folder.names();
    assert_eq!(names.len(), 1, "as after a kill");
    for _ in 0..40 {
        drop(create(folder.path()).expect("creates"));
    }
    // Other tests may have used lower numbers meanwhile.
    assert!(folder.names().len() <= 8, "{:?}", folder.names());
}

#[test]
fn what_is_no_file_is_left_alone() {
    let folder = Folder::new();
    fs::create_dir(named(folder.path(), 0)).expect("a folder");
    leave(&folder.join("victim"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("victim", named(folder.path(), 1)).expect("links");
        std::os::unix::fs::symlink("nothing", named(folder.path(), 2)).expect("links");
        let _socket = std::os::unix::net::UnixListener::bind(named(folder.path(), 3)).expect("a socket");
    }
    let before = folder.names();
    for number in 0..4 {
        assert!(!remove_leftover(&named(folder.path(), number)));
    }
    let (file, beside) = create(folder.path()).expect("creates");
    assert!(!before.contains(&beside.path.file_name().unwrap().to_str().unwrap().to_owned()));
    drop(file);
    fs::remove_file(&beside.path).expect("removes");
    assert_eq!(folder.names(), before);
    assert_eq!(fs::read(folder.join("victim")).expect("a file"), b"half a file");
}

#[test]
fn no_two_saves_of_a_process_have_a_number() {
    let folder = Folder::new();
    let one = Beside::take(folder.path(), 1000).expect("free");
    assert!(Beside::take(folder.path(), 1000).is_none());
    drop(one);
    assert!(Beside::take(folder.path(), 1000).is_some());
}

/// As on a file system that has another number for a file each time it is asked.
#[test]
fn names_are_not_tried_for_ever() {
    let folder = Folder::new();
    let mut tried = 0;
    let error = make(folder.path(), |_| {
        tried += 1;
        Ok(None::<()>)
    });
    assert_eq!(error.expect_err("none").to_string(), "no unfinished file keeps its name in this folder");
    assert!((MAX_NAMES / 2..=MAX_NAMES).contains(&tried), "{tried}");
}

/// Between the creation of a file and its lock, another process can take it for a leftover.
#[cfg(unix)]
#[test]
fn a_file_that_was_taken_for_a_leftover_is_not_used() {
    use std::fs::File;

    use super::claim;

    let folder = Folder::new();
    let path = named(folder.path(), 0);
    let file = File::create_new(&path).expect("creates");
    let other = File::options().write(true).open(&path).expect("opens");
    other.lock().expect("locks");
    assert!(!claim(&file, &path), "another is removing it");
    fs::remove_file(&path).expect("removes");
    drop(other);
    assert!(!claim(&file, &path), "another has removed it");
    leave(&path);
    assert!(!claim(&file, &path), "the name is that of another file");
    let file = File::options().write(true).open(&path).expect("opens");
    assert!(claim(&file, &path));
    assert!(!remove_leftover(&path));
}
