//! Guards: the save that was called last stays, in whichever order saves are complete, however the path is spelled, and
//! whatever becomes of the others.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use varbatch_storage::compressed::Compression;
use varbatch_storage::{Committed, Flushed, Saver, Ticket};
use varbatch_workers::Threads;

use crate::file_save::{MEBI, assert_holds, encoded, write};
use crate::folder::Folder;
use crate::support::random::Random;

/// A save that was called, and is complete but for its place.
struct Called {
    content: u8,
    ticket: Ticket,
    flushed: Flushed,
}

fn call(path: &Path, content: u8) -> Called {
    let ticket = Ticket::take();
    let mut saver = Saver::create(path, None).expect("begins");
    write(&mut saver, &encoded(&[content; 4]), MEBI).expect("writes");
    Called { content, ticket, flushed: saver.flush(&Threads::alone()).expect("flushes") }
}

impl Called {
    /// Whether it is in its place then.
    fn commit(self) -> bool {
        matches!(self.flushed.commit_as(&self.ticket).expect("commits"), Committed::InPlace(_))
    }
}

#[test]
fn the_last_call_stays_in_each_order_of_ends() {
    let folder = Folder::new();
    let path = folder.join("save");
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        for is_there in [true, false] {
            let _ = fs::remove_file(&path);
            if is_there {
                fs::write(&path, "old!").expect("writes");
            }
            let mut called = [1, 2, 3].map(|content| Some(call(&path, content)));
            let mut newest = 0;
            for index in order {
                let save = called[index].take().expect("once each");
                let content = save.content;
                assert_eq!(save.commit(), content > newest, "{order:?}: {content} after {newest}");
                newest = newest.max(content);
                assert_holds(&path, &[newest; 4]);
            }
            assert_eq!(folder.names(), ["save"]);
        }
    }
}

#[test]
fn a_later_save_that_was_dropped_or_failed_swallows_nothing() {
    let folder = Folder::new();
    let path = folder.join("save");
    let (first, second, third) = (call(&path, 1), call(&path, 2), call(&path, 3));
    drop(third);
    assert!(first.commit() && second.commit());
    assert_holds(&path, &[2; 4]);
    // One that cannot be put in its place, as a folder is there for a moment.
    let (first, second) = (call(&folder.join("other"), 1), call(&folder.join("other"), 2));
    fs::create_dir(folder.join("other")).expect("a folder");
    second.flushed.commit_as(&second.ticket).expect_err("a folder");
    fs::remove_dir(folder.join("other")).expect("removes");
    assert!(first.commit());
    assert_holds(&folder.join("other"), &[1; 4]);
}

#[test]
fn a_save_that_was_overtaken_knows_it_while_it_is_written() {
    let folder = Folder::new();
    for how in [None, Some((Compression::Zstd, 4))] {
        let path = folder.join("save");
        let ticket = Ticket::take();
        let saver = Saver::create(&path, how).expect("begins");
        assert!(!saver.is_overtaken(&ticket).expect("flushes"), "by nobody");
        let later = call(&path, 2);
        assert!(call(&folder.join("other"), 3).commit());
        assert!(!saver.is_overtaken(&ticket).expect("flushes"), "by one that is not in place, or elsewhere");
        assert!(later.commit());
        assert!(saver.is_overtaken(&ticket).expect("flushes"));
        assert!(!saver.is_overtaken(&Ticket::take()).expect("flushes"), "which came last");
    }
}

/// `path` from the folder that this process works in.
fn relative(path: &Path) -> PathBuf {
    let here = std::env::current_dir().expect("a folder");
    let up = here.components().skip(1).map(|_| "..");
    up.chain([path.strip_prefix("/").unwrap_or(path).to_str().expect("UTF-8")]).collect()
}

#[test]
fn another_spelling_is_the_same_file() {
    let folder = Folder::new();
    fs::create_dir_all(folder.join("sub/inner")).expect("folders");
    let path = folder.join("sub/save");
    let mut spellings =
        vec![path.clone(), folder.join("sub/inner/../save"), folder.join("sub/./save"), folder.join("sub//save")];
    if cfg!(unix) {
        spellings.push(relative(&path));
    }
    #[cfg(unix)]
    for (to, link) in [("sub", "folder"), ("sub/save", "link"), ("link", "second"), ("inner", "sub/in")] {
        std::os::unix::fs::symlink(to, folder.join(link)).expect("links");
        let through = ["folder/save", "link", "second", "sub/in/../save"];
        spellings.extend(through.iter().filter(|path| path.starts_with(link)).map(|path| folder.join(path)));
    }
    for older in &spellings {
        for newer in &spellings {
            let first = call(older, 1);
            assert!(call(newer, 2).commit());
            assert!(!first.commit(), "{} replaced {}", older.display(), newer.display());
            assert_holds(&path, &[2; 4]);
            let _ = fs::remove_file(&path);
        }
    }
    // Cases, where the file system does not tell them apart.
    let (lower, upper) = (folder.join("sub/cases"), folder.join("sub/CASES"));
    let first = call(&lower, 1);
    assert!(call(&upper, 2).commit());
    let is_same = lower.exists();
    assert_eq!(first.commit(), !is_same);
    assert_holds(&upper, &[2; 4]);
}

/// Each is in its place when all are told to come there, so that nobody replaces what was not called before.
#[test]
fn a_save_to_another_file_is_none_of_it() {
    let folder = Folder::new();
    for name in ["one", "two"] {
        fs::create_dir(folder.join(name)).expect("a folder");
    }
    let (first, second) = (call(&folder.join("one/save"), 1), call(&folder.join("one/save.bak"), 2));
    assert!(call(&folder.join("two/save"), 3).commit() && second.commit() && first.commit());
    // A hard link is another name: a save replaces a name.
    fs::hard_link(folder.join("one/save"), folder.join("one/hard")).expect("links");
    let (first, second) = (call(&folder.join("one/save"), 4), call(&folder.join("one/hard"), 5));
    assert!(second.commit() && first.commit());
    for (name, content) in [("one/save", 4), ("one/hard", 5), ("one/save.bak", 2), ("two/save", 3)] {
        assert_holds(&folder.join(name), &[content; 4]);
    }
}

#[test]
fn what_was_saved_later_and_deleted_does_not_come_back() {
    let folder = Folder::new();
    let path = folder.join("save");
    let first = call(&path, 1);
    assert!(call(&path, 2).commit());
    fs::remove_file(&path).expect("removes");
    assert!(!first.commit());
    assert!(folder.names().is_empty());
}

#[cfg(unix)]
#[test]
fn a_folder_that_was_renamed_holds_what_was_saved_last() {
    let folder = Folder::new();
    fs::create_dir(folder.join("old")).expect("a folder");
    let (first, other) = (call(&folder.join("old/save"), 1), call(&folder.join("old/save"), 2));
    fs::rename(folder.join("old"), folder.join("new")).expect("renames");
    assert!(call(&folder.join("new/save"), 3).commit());
    other.flushed.commit_as(&other.ticket).expect_err("there is no such folder");
    std::os::unix::fs::symlink("new", folder.join("old")).expect("links");
    assert!(!first.commit());
    assert_holds(&folder.join("new/save"), &[3; 4]);
    assert_eq!(folder.names(), ["new", "old"]);
}

#[test]
fn many_threads_leave_the_last_call_in_each_file() {
    let folder = Folder::new();
    let paths = ["one", "two"].map(|name| folder.join(name));
    let called = Mutex::new([0; 2]);
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let (paths, called) = (&paths, &called);
            scope.spawn(move || {
                let mut random = Random::new(seed);
                for _ in 0..50 {
                    let file = random.below(2);
                    // Together, so that the contents are in the order of the tickets.
                    let (ticket, content) = {
                        let mut called = called.lock().expect("nobody panics");
                        called[file] += 1;
                        (Ticket::take(), called[file])
                    };
                    let mut saver = Saver::create(&paths[file], None).expect("begins");
                    write(&mut saver, &encoded(&u32::to_le_bytes(content)), MEBI).expect("writes");
                    std::thread::sleep(Duration::from_micros(random.below(1000) as u64));
                    let flushed = saver.flush(&Threads::alone()).expect("flushes");
                    flushed.commit_as(&ticket).expect("commits");
                    let found = fs::read(&paths[file]).expect("there is one");
                    let found = u32::from_le_bytes(found[found.len() - 4..].try_into().expect("four bytes"));
                    assert!(found >= content, "{found} is in place after {content} has returned");
                }
            });
        }
    });
    let called = called.into_inner().expect("nobody panics");
    for (path, content) in paths.iter().zip(called) {
        assert_holds(path, &u32::to_le_bytes(content));
    }
    assert_eq!(folder.names(), ["one", "two"]);
}
