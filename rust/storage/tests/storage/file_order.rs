//! Guards: saves and appends to one file end as if each had waited for the one called before it: the save that was called
//! last stays, in whichever order they are complete, however the path is spelled, and whatever becomes of the others.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use varbatch_codec::Dialect;
use varbatch_storage::compressed::Compression;
use varbatch_storage::{Committed, Flushed, Saver, Ticket};
use varbatch_workers::Threads;

use crate::file_append::{append, begin, commit, int};
use crate::file_save::{MEBI, assert_holds, encoded, write};
use crate::folder::Folder;

const MOMENT: Duration = Duration::from_millis(20);

/// Puts a file in its place, as a call with this ticket, unless it was overtaken.
fn put(mut flushed: Flushed, called: &Ticket) -> bool {
    matches!(flushed.commit(called).expect("commits"), Committed::InPlace { .. })
}

fn flushed(mut saver: Saver, bytes: &[u8]) -> Flushed {
    write(&mut saver, &encoded(bytes), MEBI).expect("writes");
    saver.flush(&Threads::alone()).expect("flushes")
}

/// A save that was called, and is complete but for its place.
struct Called {
    content: u8,
    ticket: Ticket,
    flushed: Flushed,
}

fn call(path: &Path, content: u8) -> Called {
    let ticket = Ticket::take_for(path);
    let saver = Saver::create(path, None).expect("begins");
    Called { content, ticket, flushed: flushed(saver, &[content; 4]) }
}

impl Called {
    /// Whether it is in its place then.
    fn commit(self) -> bool {
        put(self.flushed, &self.ticket)
    }
}

#[test]
fn the_last_call_stays_in_each_order_of_ends() {
    let (folder, path) = Folder::with("save");
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
    let (folder, path) = Folder::with("save");
    let (first, second, third) = (call(&path, 1), call(&path, 2), call(&path, 3));
    drop(third);
    assert!(first.commit() && second.commit());
    assert_holds(&path, &[2; 4]);
    // One that cannot be put in its place, as a folder is there for a moment.
    let (first, mut second) = (call(&folder.join("other"), 1), call(&folder.join("other"), 2));
    fs::create_dir(folder.join("other")).expect("a folder");
    second.flushed.commit(&second.ticket).expect_err("a folder");
    fs::remove_dir(folder.join("other")).expect("removes");
    assert!(first.commit());
    assert_holds(&folder.join("other"), &[1; 4]);
    assert_eq!(folder.names(), ["other", "save"]);
}

#[test]
fn a_save_that_was_overtaken_knows_it_while_it_is_written() {
    let folder = Folder::new();
    for how in [None, Some((Compression::Zstd, 4))] {
        let path = folder.join("save");
        let ticket = Ticket::take_for(&path);
        let saver = Saver::create(&path, how).expect("begins");
        assert!(!saver.is_overtaken(&ticket).expect("flushes"), "by nobody");
        let later = call(&path, 2);
        assert!(call(&folder.join("other"), 3).commit());
        assert!(!saver.is_overtaken(&ticket).expect("flushes"), "by one that is not in place, or elsewhere");
        assert!(later.commit());
        assert!(saver.is_overtaken(&ticket).expect("flushes"));
        assert!(!saver.is_overtaken(&Ticket::take_for(&path)).expect("flushes"), "which came last");
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
            let in_line = Ticket::take_for(older);
            assert_eq!(Ticket::take_for(newer).first_before(), Some(in_line.number()));
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
    let (folder, path) = Folder::with("save");
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
    let (first, mut other) = (call(&folder.join("old/save"), 1), call(&folder.join("old/save"), 2));
    fs::rename(folder.join("old"), folder.join("new")).expect("renames");
    assert!(call(&folder.join("new/save"), 3).commit());
    other.flushed.commit(&other.ticket).expect_err("there is no such folder");
    std::os::unix::fs::symlink("new", folder.join("old")).expect("links");
    assert!(!first.commit());
    assert_holds(&folder.join("new/save"), &[3; 4]);
    assert_eq!(folder.names(), ["new", "old"]);
}

/// Saves a record with this number, as a call with this ticket.
fn save(path: &Path, number: u8, called: &Ticket) -> bool {
    put(flushed(Saver::create(path, None).expect("begins"), &int(number.into()).to_vec()), called)
}

/// Begins to append a record, as a call with this ticket. `None` if it was overtaken.
fn begun(path: &Path, number: u8, called: &Ticket) -> Option<Saver> {
    let mut saver = Saver::append(path, called, Dialect::GODOT_4).expect("opens")?;
    write(&mut saver, &int(number.into()), MEBI).expect("writes");
    Some(saver)
}

fn ended(saver: Saver, called: &Ticket) -> bool {
    put(saver.flush(&Threads::alone()).expect("flushes"), called)
}

#[track_caller]
fn assert_numbers(path: &Path, numbers: &[u8]) {
    assert_holds(path, &numbers.iter().flat_map(|&number| int(number.into()).to_vec()).collect::<Vec<_>>());
}

#[test]
fn calls_for_one_file_are_in_line() {
    let folder = Folder::new();
    let other = Ticket::take_for(&folder.join("other"));
    let mut tickets: Vec<_> = ["log", "./log", "log", "LOG"].map(|name| Ticket::take_for(&folder.join(name))).into();
    let elsewhere = Ticket::take_for(&folder.join("log.bak"));
    assert_eq!((other.first_before(), elsewhere.first_before()), (None, None));
    assert!(elsewhere.wait(Duration::ZERO));
    while tickets.len() > 1 {
        let (first, second) = (tickets[0].number(), tickets[1].number());
        assert!(tickets[0].wait(Duration::ZERO) && tickets[0].first_before().is_none());
        for later in &tickets[1..] {
            assert_eq!(later.first_before(), Some(first));
            assert!(!later.wait(Duration::ZERO));
        }
        // One that does not wait for its turn leaves the line.
        if tickets.len() == 4 {
            assert_eq!(tickets.remove(2).end(), Some(first));
        }
        let ended = tickets.remove(0);
        assert_eq!(ended.end(), Some(second));
        assert_eq!(ended.end(), None, "the second time");
    }
    assert_eq!(tickets[0].end(), None);
}

#[test]
fn an_append_waits_for_the_calls_before_it() {
    let (_folder, path) = Folder::with("log");
    let first = Ticket::take_for(&path);
    let second = Ticket::take_for(&path);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            while !second.wait(MOMENT / 4) {}
            let saver = begun(&path, 2, &second).expect("nobody overtakes it");
            assert!(ended(saver, &second));
        });
        std::thread::sleep(MOMENT);
        assert!(!waiting.is_finished(), "it did not wait");
        assert!(save(&path, 1, &first));
        drop(first);
        waiting.join().expect("appends");
    });
    assert_numbers(&path, &[1, 2]);
}

#[test]
fn a_later_save_overtakes_an_append_at_any_moment() {
    let (folder, path) = Folder::with("log");
    // Wine has no rename with POSIX semantics: there the file cannot be replaced while the append has it open.
    for moment in if cfg!(windows) { [0, 3].iter() } else { [0, 1, 2, 3].iter() }.copied() {
        for is_there in [false, true] {
            let _ = fs::remove_file(&path);
            if is_there {
                fs::write(&path, int(1).to_vec()).expect("writes");
            }
            let called = Ticket::take_for(&path);
            let overtake = || assert!(save(&path, 3, &Ticket::take_for(&path)));
            if moment == 0 {
                overtake();
            }
            let saver = begun(&path, 2, &called);
            assert_eq!(saver.is_none(), moment == 0);
            if let Some(saver) = saver {
                assert!(!saver.is_overtaken(&called).expect("flushes"));
                if moment == 1 {
                    overtake();
                    assert!(saver.is_overtaken(&called).expect("flushes"));
                }
                // Dropped, it must not touch the later one either.
                if moment == 2 {
                    overtake();
                    drop(saver);
                } else {
                    assert_eq!(ended(saver, &called), moment == 3);
                }
            }
            if moment == 3 {
                overtake();
            }
            assert_numbers(&path, &[3]);
            assert_eq!(folder.names(), ["log"]);
        }
    }
}

/// As two processes would, or calls for two names of one file.
#[cfg(unix)]
#[test]
fn appends_that_do_not_know_of_each_other_lose_nothing() {
    let folder = Folder::new();
    let (path, hard) = (folder.join("log"), folder.join("hard"));
    fs::write(&path, []).expect("writes");
    fs::hard_link(&path, &hard).expect("links");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let path = if thread % 2 == 0 { &path } else { &hard };
            scope.spawn(move || {
                for index in 0..25 {
                    let called = Ticket::take_for(path);
                    let saver = begun(path, thread * 25 + index, &called).expect("no save");
                    assert!(ended(saver, &called));
                }
            });
        }
    });
    let bytes = fs::read(&path).expect("a file");
    let mut numbers: Vec<_> = bytes.chunks(12).map(|record| record[8]).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..100).collect::<Vec<_>>());
}

#[test]
fn a_file_that_was_removed_or_replaced_meanwhile_is_another_one() {
    let (folder, path) = Folder::with("log");
    append(&path, &int(1)).expect("appends");
    let saver = begin(&path).expect("begins");
    fs::remove_file(&path).expect("removes");
    commit(saver).expect("to what has no name any more");
    assert!(folder.names().is_empty());
    append(&path, &int(2)).expect("appends");
    assert_numbers(&path, &[2]);
}
