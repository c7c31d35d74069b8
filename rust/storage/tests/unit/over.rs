//! Guards: a file that is half the old and half the new one after a crash, or after a full disk.

use std::fs::{self, File};
use std::io;

use super::{new_of, repair, write_over};
use crate::beside::tests::Folder;
use crate::disk::Change;
use crate::disk::tests::{EIO, Recorder};

/// What is at the path before and after the repair, of a file over which another one was written, where changes fail.
fn written_over(old: &str, new: &str, fails: impl FnMut(&Change<'_>) -> Option<i32> + 'static) -> (bool, [String; 2]) {
    let folder = Folder::new();
    let (path, beside) = (folder.path().join("save"), folder.path().join("beside"));
    fs::write(&path, old).expect("writes");
    fs::write(&beside, new).expect("writes");
    let reader = File::open(&path).expect("opens");
    let (done, _) = Recorder::failing(fails).during(|| write_over(&beside, &path));
    // It is closed then, as Wine never replaces an open file.
    let seen = io::read_to_string(reader).expect("reads");
    assert_eq!(repair(&path), None);
    assert!(!new_of(&path).exists(), "the complete file is in place, or was removed");
    (done.is_ok(), [seen, fs::read_to_string(&path).expect("reads")])
}

#[test]
fn the_file_that_is_open_becomes_the_new_one() {
    for (old, new) in [("old", "the new file"), ("the old file", "new"), ("", "new"), ("old", "")] {
        assert_eq!(written_over(old, new, |_| None), (true, [new.into(), new.into()]));
    }
}

/// As in a process that is killed: the old file if nothing was changed, else the new one.
#[test]
fn wherever_it_stops_one_of_both_is_found() {
    let (old, new) = ("the old file, which is longer".repeat(100), "the new file".repeat(100));
    for at in 0.. {
        let mut count = 0;
        let stops = move |_: &Change<'_>| {
            count += 1;
            (count > at).then_some(EIO)
        };
        let (is_done, [_, found]) = written_over(&old, &new, stops);
        assert_eq!(found, if at == 0 { &*old } else { &*new }, "after {at} changes");
        if is_done {
            assert!(at >= 6, "{at} changes");
            break;
        }
    }
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let is_full = |change: &Change<'_>| matches!(change, Change::SetLen(..)).then_some(EIO);
    assert_eq!(written_over("old", "the new file", is_full), (false, ["old".into(), "old".into()]));
}

/// What is loaded while another program has the old file open stays whole when that is put in place.
#[cfg(windows)]
#[test]
fn a_new_file_that_is_being_loaded_is_not_written_over() {
    use std::os::windows::fs::OpenOptionsExt;
    let folder = Folder::new();
    let (path, beside) = (folder.path().join("save"), folder.path().join("beside"));
    for (file, text) in [(&path, "old"), (&new_of(&path), "new"), (&beside, "newer")] {
        fs::write(file, text).expect("writes");
    }
    let holder = fs::OpenOptions::new().read(true).share_mode(3).open(&path).expect("opens");
    let (loaded, _) = crate::windows::open_latest(&path).expect("opens");
    drop(holder);
    assert_eq!(repair(&path), None);
    let error = write_over(&beside, &path).expect_err("it is open");
    assert!(crate::windows::is_in_use(&error), "{error}");
    assert_eq!(io::read_to_string(loaded).expect("reads"), "new");
    write_over(&beside, &path).expect("writes");
    assert_eq!(fs::read_to_string(&path).expect("reads"), "newer");
}
