//! The names of unfinished files: `.varbatch-0`, `.varbatch-1` and so on, beside the file that they will replace.
//!
//! A process that is killed cannot remove its file, so names are used again: a save takes the lowest free one, and
//! removes a file there that nobody writes. The first in a folder looks at [`SWEPT_NAMES`] names; none is ever listed.
//!
//! How a file that nobody writes is known:
//! - Unix: its writer holds a lock on it from its creation until it has its final name. The system drops the lock when
//!   the process ends. Only the holder of a file's lock may rename or remove its name, so the name cannot come to mean
//!   another file between the check and the removal. Where the file system has no locks, nothing is removed.
//! - Windows: its writer has it open until then, so it cannot be opened exclusively; the call that can removes it.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::disk;
use varbatch_workers::lock;

/// Names that the first save in a folder looks at for leftovers. A killed process leaves one for each save under way.
const SWEPT_NAMES: u32 = 64;

/// Max names to try after one was refused, before the folder itself is believed to be closed.
const MAX_REFUSED: u32 = 8;

/// Names to try at all: where a file is never found at its name, each try would leave one more.
const MAX_NAMES: u32 = 10_000;

/// The start of a name. A number follows.
const PREFIX: &str = ".varbatch-";

/// The numbers that this process uses, in any folder.
static IN_USE: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// The folder in which this process looked for leftovers last.
static SWEPT: Mutex<Option<PathBuf>> = Mutex::new(None);

/// A name in a folder. No other save of this process uses its number.
#[derive(Debug)]
pub struct Beside {
    pub path: PathBuf,
    number: u32,
}

impl Beside {
    /// Takes the name with this number, unless a save of this process uses it.
    fn take(folder: &Path, number: u32) -> Option<Self> {
        lock(&IN_USE).insert(number).then(|| Self { path: named(folder, number), number })
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        lock(&IN_USE).remove(&self.number);
    }
}

/// Creates an empty file with a name in `folder`, for writing, that no other process removes while it is open.
pub fn create(folder: &Path) -> io::Result<(File, Beside)> {
    if lock(&SWEPT).replace(folder.to_owned()).as_deref() != Some(folder) {
        // Its own are written, even if the file system ignores locks.
        for beside in (0..SWEPT_NAMES).filter_map(|number| Beside::take(folder, number)) {
            remove_leftover(&beside.path);
        }
    }
    make(folder, |path| {
        let file = disk::create(OpenOptions::new().write(true), path)?;
        // If not, another save is just removing it.
        Ok(claim(&file, path).then_some(file))
    })
}

/// Gives a file without a name one in `folder`, which no other process removes while it is open.
#[cfg(target_os = "linux")]
pub fn link(file: &File, folder: &Path) -> io::Result<Beside> {
    // Says that it is no leftover. It has no name yet, so nobody else can hold it.
    let _ = file.try_lock();
    make(folder, |path| disk::link(file, path).map(Some)).map(|((), beside)| beside)
}

/// Gives the file at `path` another name in its folder.
pub fn hard_link(path: &Path) -> io::Result<Beside> {
    make(crate::order::folder_of(path), |name| disk::hard_link(path, name).map(Some)).map(|((), beside)| beside)
}

/// Calls `make`, which makes a file of a free name, with one name after the other until it has made one.
fn make<T>(folder: &Path, mut make: impl FnMut(&Path) -> io::Result<Option<T>>) -> io::Result<(T, Beside)> {
    let (mut number, mut refused) = (0, 0);
    while number < MAX_NAMES {
        if let Some(beside) = Beside::take(folder, number) {
            match make(&beside.path) {
                Ok(Some(made)) => return Ok((made, beside)),
                // From a process that was killed: then the name is free now. Or another one is here.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if remove_leftover(&beside.path) {
                        continue;
                    }
                }
                // As Windows reports a file that is just being removed.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied && refused < MAX_REFUSED => refused += 1,
                Err(error) => return Err(error),
                Ok(None) => {}
            }
        }
        number += 1;
    }
    Err(io::Error::other("no unfinished file keeps its name in this folder"))
}

/// Removes an unfinished file that nobody writes any more. Returns true if it is gone.
pub fn remove_leftover(path: &Path) -> bool {
    // Nothing else is ours: a link is not followed, and a pipe is not opened.
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) && remove_unused(path)
}

fn named(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("{PREFIX}{number}"))
}

/// Marks an open file as one that is written, until it is closed. False if another call did so, removed or replaced it.
#[cfg(unix)]
pub fn claim(file: &File, path: &Path) -> bool {
    // Where no file has a lock, no leftover is removed, and appends of several processes are on their own.
    !matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)) && is_at(file, path)
}

/// It is open, which is enough.
#[cfg(windows)]
pub fn claim(_: &File, _: &Path) -> bool {
    true
}

#[cfg(unix)]
fn remove_unused(path: &Path) -> bool {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    // It may have become a link or a pipe by now.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let Ok(file) = OpenOptions::new().write(true).custom_flags(flags).open(path) else { return false };
    // A browser has no locks, and no other process.
    (cfg!(target_family = "wasm") || file.try_lock().is_ok()) && is_at(&file, path) && disk::remove(path).is_ok()
}

#[cfg(windows)]
fn remove_unused(path: &Path) -> bool {
    crate::windows::remove_unopened(path)
}

/// True if `path` is a name of this regular file.
#[cfg(unix)]
pub fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(open), Ok(named)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    named.is_file() && (open.dev(), open.ino()) == (named.dev(), named.ino())
}

/// Only a save of another process could have replaced an open file, and then it does not matter.
#[cfg(windows)]
pub fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
#[path = "../tests/unit/beside.rs"]
pub mod tests;
