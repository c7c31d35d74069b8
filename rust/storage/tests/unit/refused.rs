//! Guards: file systems that refuse what another call can do as well, as those of containers and some in user space: they
//! save all the same.

use std::cell::Cell;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::rc::Rc;

use rustix::io::Errno;

use super::Change;
use super::tests::{Record, Recorder, record, save, write};
use crate::beside::tests::Folder;
use crate::{Saver, Seen, Ticket};
use varbatch_workers::Threads;

/// How a call is refused.
const REFUSALS: [Errno; 12] = [
    Errno::PERM,
    Errno::ACCESS,
    Errno::NOENT,
    Errno::XDEV,
    Errno::INVAL,
    Errno::NOSYS,
    Errno::OPNOTSUPP,
    Errno::ISDIR,
    Errno::ROFS,
    Errno::MLINK,
    Errno::BADF,
    Errno::IO,
];

/// The permissions of the old file: less than those of a new one, the same or more; or there is none.
const OLD: [Option<u32>; 4] = [None, Some(0o600), Some(0o644), Some(0o666)];

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("a file").permissions().mode() & 0o777
}

fn is_replaceable(change: &Change<'_>) -> bool {
    matches!(change, Change::Create(_, None) | Change::Link(..) | Change::HardLink(..) | Change::SetPermissions)
}

/// Saves with a backup while `refuses` refuses calls with `code`. Returns what the disk did.
fn save_while(
    folder: &Folder,
    old: Option<u32>,
    code: Errno,
    mut refuses: impl FnMut(&Change<'_>) -> bool + 'static,
) -> (std::io::Result<()>, Vec<Record>) {
    let path = folder.join("save");
    if let Some(old) = old {
        fs::write(&path, record(1)).expect("writes");
        fs::set_permissions(&path, Permissions::from_mode(old)).expect("sets them");
    }
    let fails = move |change: &Change<'_>| refuses(change).then_some(code.raw_os_error());
    Recorder::failing(fails).during(|| save(&path, &record(3), None, 1000, true))
}

/// Checks that the new file and its backup are there, and nothing else.
fn check(folder: &Folder, old: Option<u32>, what: &str) {
    assert_eq!(fs::read(folder.join("save")).expect("a file"), record(3), "{what}");
    assert_eq!(fs::read(folder.join("save.bak")).ok(), old.map(|_| record(1)), "{what}");
    assert_eq!(folder.names().len(), 1 + usize::from(old.is_some()), "{what}: {:?}", folder.names());
}

#[test]
fn a_call_that_is_refused_once_does_not_fail_a_save() {
    for (code, old) in REFUSALS.iter().flat_map(|code| OLD.map(|old| (*code, old))) {
        for index in 0.. {
            let (folder, count) = (Folder::new(), Rc::new(Cell::new(0)));
            let counted = count.clone();
            let refuses =
                move |change: &Change<'_>| is_replaceable(change) && counted.replace(counted.get() + 1) == index;
            let what = format!("old file {old:?}, call {index}: {code}");
            save_while(&folder, old, code, refuses).0.unwrap_or_else(|error| panic!("{what}: {error}"));
            check(&folder, old, &what);
            old.iter().for_each(|old| assert_eq!(mode(&folder.join("save")) & !old, 0, "{what}"));
            if index >= count.get() {
                assert!(index > 1, "{what}");
                break;
            }
        }
    }
}

#[test]
fn calls_that_are_always_refused_fail_no_save() {
    for (code, old) in REFUSALS.iter().flat_map(|code| OLD.map(|old| (*code, old))) {
        let what = format!("old file {old:?}: {code}");
        for refuses in [
            |change: &Change<'_>| matches!(change, Change::Link(..)),
            |change: &Change<'_>| matches!(change, Change::Link(..) | Change::HardLink(..)),
            |change: &Change<'_>| matches!(change, Change::Create(_, None) | Change::HardLink(..)),
        ] {
            let folder = Folder::new();
            save_while(&folder, old, code, refuses).0.unwrap_or_else(|error| panic!("{what}: {error}"));
            check(&folder, old, &what);
            old.iter().for_each(|old| assert_eq!(mode(&folder.join("save")), *old, "{what}"));
        }
    }
}

/// A new file may then have other permissions than the old one, but it is open to nobody else.
#[test]
fn without_permissions_no_file_is_opened_to_others() {
    for (code, old) in REFUSALS.iter().flat_map(|code| OLD.map(|old| (*code, old))) {
        let (folder, what) = (Folder::new(), format!("old file {old:?}: {code}"));
        fs::write(folder.join("usual"), "").expect("writes");
        let is_open = old.is_some_and(|old| mode(&folder.join("usual")) & !old != 0);
        fs::remove_file(folder.join("usual")).expect("removes");
        let saved = save_while(&folder, old, code, |change| matches!(change, Change::SetPermissions)).0;
        assert_eq!(saved.is_err(), is_open, "{what}: {saved:?}");
        if is_open {
            assert_eq!(
                (fs::read(folder.join("save")).expect("a file"), folder.names().len()),
                (record(1), 1),
                "{what}"
            );
        } else {
            check(&folder, old, &what);
        }
    }
}

/// Saves do not write twice each time, in several folders in turns neither.
#[test]
fn links_are_not_tried_again_in_the_same_folder() {
    let folders = [(); 3].map(|()| Folder::new());
    for turn in 0..3 {
        for folder in &folders {
            let (saved, log) = save_while(folder, None, Errno::PERM, |change| matches!(change, Change::Link(..)));
            saved.expect("saves");
            let is_tried = log.iter().any(|record| matches!(record, Record::Create(_, None)));
            assert_eq!(is_tried, turn == 0, "turn {turn}");
        }
    }
}

/// Another process may have taken a name that is free again.
#[test]
fn no_name_is_removed_that_the_file_no_longer_has() {
    let refusals: [fn(&Change<'_>) -> bool; 4] = [
        |_| false,
        |change| matches!(change, Change::HardLink(..)),
        |change| matches!(change, Change::Create(_, None)),
        |change| matches!(change, Change::Create(_, None) | Change::HardLink(..)),
    ];
    for refuses in refusals {
        let folder = Folder::new();
        let checked = move |change: &Change<'_>| {
            let is_gone = matches!(change, Change::Remove(path) if !path.exists());
            assert!(!is_gone, "it is not there");
            refuses(change)
        };
        save_while(&folder, Some(0o644), Errno::PERM, checked).0.expect("saves");
        check(&folder, Some(0o644), "with names");
    }
}

/// Otherwise the old file would have another name that nobody knows of.
#[test]
fn a_file_that_is_not_set_aside_in_the_end_has_no_other_name() {
    for refuses_links in [false, true] {
        let (folder, path) = Folder::with("save");
        fs::write(&path, record(1)).expect("writes");
        Seen::at(&path).expect("a file").note(&path, false);
        let fails = move |change: &Change<'_>| {
            let is_it =
                matches!(change, Change::FlushFolder) || refuses_links && matches!(change, Change::HardLink(..));
            is_it.then_some(Errno::IO.raw_os_error())
        };
        let (saved, _) = Recorder::failing(fails).during(|| save(&path, &record(3), None, 1000, true));
        let text = saved.expect_err("no folder is flushed").to_string();
        assert!(text.contains("cannot be set aside"), "{text}");
        assert_eq!((fs::read(&path).expect("a file"), folder.names()), (record(1), vec!["save".to_owned()]));
    }
}

/// As a game does that gives the folder of a slot another name while it is saved, and makes a new one.
#[test]
fn the_folder_that_has_the_file_is_flushed() {
    let folder = Folder::new();
    let (slot, path) = (folder.join("slot"), folder.join("slot").join("save"));
    fs::create_dir(&slot).expect("makes it");
    let (flushes, log) = Recorder::default().during(|| -> std::io::Result<()> {
        let mut saver = Saver::create(&path, None)?;
        write(&mut saver, &record(3), 1000)?;
        fs::rename(&slot, folder.join("old"))?;
        fs::create_dir(&slot)?;
        saver.flush(&Threads::alone())?.commit(&Ticket::take_for(&path)).map(drop)
    });
    flushes.expect("saves");
    assert_eq!(fs::read(&path).expect("a file"), record(3));
    let count = log.iter().filter(|record| matches!(record, Record::FlushFolder)).count();
    assert_eq!(count, 2, "the one of the start, and the one that has the file");
}
