//! Guards: saves and appends to one file end as if each had waited for the one called before it, however the path is
//! spelled, and whatever becomes of the others.

use std::fs;
use std::path::Path;
use std::time::Duration;

use varbatch_codec::Dialect;
use varbatch_storage::{Committed, Saver, Ticket};
use varbatch_workers::Threads;

use crate::file_append::{append, begin, commit};
use crate::file_save::{MEBI, assert_holds, encoded, write};
use crate::folder::Folder;

const MOMENT: Duration = Duration::from_millis(20);

/// Saves a record with this number, as a call with this ticket.
fn save(path: &Path, number: u8, called: &Ticket) -> bool {
    let mut saver = Saver::create(path, None).expect("begins");
    write(&mut saver, &encoded(&record(number)), MEBI).expect("writes");
    let flushed = saver.flush(&Threads::alone()).expect("flushes");
    matches!(flushed.commit_as(called).expect("commits"), Committed::InPlace(_))
}

/// Begins to append a record, as a call with this ticket. `None` if it was overtaken.
fn begun(path: &Path, number: u8, called: &Ticket) -> Option<Saver> {
    let mut saver = Saver::append(path, called, Dialect::GODOT_4).expect("opens")?;
    write(&mut saver, &encoded(&record(number)), MEBI).expect("writes");
    Some(saver)
}

fn ended(saver: Saver, called: &Ticket) -> bool {
    let flushed = saver.flush(&Threads::alone()).expect("flushes");
    matches!(flushed.commit_as(called).expect("commits"), Committed::InPlace(_))
}

fn record(number: u8) -> [u8; 12] {
    [8, 0, 0, 0, 2, 0, 0, 0, number, 0, 0, 0]
}

#[track_caller]
fn assert_numbers(path: &Path, numbers: &[u8]) {
    assert_holds(path, &numbers.iter().flat_map(|&number| record(number)).collect::<Vec<_>>());
}

#[test]
fn calls_for_one_file_are_in_line() {
    let folder = Folder::new();
    let path = folder.join("log");
    fs::create_dir(folder.join("sub")).expect("a folder");
    let other = Ticket::take_for(&folder.join("other"));
    let spelled = [path.clone(), folder.join("sub/../log"), folder.join("./log"), folder.join("LOG")];
    let mut tickets: Vec<_> = spelled.iter().map(|path| Ticket::take_for(path)).collect();
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

#[cfg(unix)]
#[test]
fn links_are_in_line_with_what_they_lead_to() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("log", folder.join("link")).expect("links");
    let first = Ticket::take_for(&folder.join("link"));
    let second = Ticket::take_for(&folder.join("log"));
    assert_eq!(second.first_before(), Some(first.number()));
    assert_eq!(first.end(), Some(second.number()));
}

#[test]
fn an_append_waits_for_the_calls_before_it() {
    let folder = Folder::new();
    let path = folder.join("log");
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
    let folder = Folder::new();
    let path = folder.join("log");
    // Wine has no rename with POSIX semantics: there the file cannot be replaced while the append has it open.
    for moment in if cfg!(windows) { [0, 3].iter() } else { [0, 1, 2, 3].iter() }.copied() {
        for is_there in [false, true] {
            let _ = fs::remove_file(&path);
            if is_there {
                fs::write(&path, record(1)).expect("writes");
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
                    let called = Ticket::take();
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
    let folder = Folder::new();
    let path = folder.join("log");
    append(&path, &encoded(&record(1))).expect("appends");
    let saver = begin(&path).expect("begins");
    fs::remove_file(&path).expect("removes");
    commit(saver).expect("to what has no name any more");
    assert!(folder.names().is_empty());
    append(&path, &encoded(&record(2))).expect("appends");
    assert_numbers(&path, &[2]);
}
