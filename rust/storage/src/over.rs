//! A file that somebody has open, where the system replaces no such file: it is written over. The complete new file is
//! first given a name that nothing else has, [`SUFFIX`] behind that of the old one, and removed when the old one is
//! written over and flushed. So whoever finds a file of this name after a crash has the latest save in it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IoSlice, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::disk;

const SUFFIX: &str = ".varbatch-new";

const PIECE_LEN: usize = 1 << 20;

/// Returns the name of the complete new file while the one at `path` is written over.
pub fn new_of(path: &Path) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(SUFFIX);
    path.into()
}

/// Writes the flushed file at `new` over the one at `path`. Until that has begun, an error leaves both as they were.
pub fn write_over(new: &Path, path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true);
    // A load that reads it would find half of each; one that comes now reads the new one.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, crate::windows::READ_OR_REPLACE);
    let (old, mut from) = (options.open(path)?, File::open(new)?);
    let (old_len, len) = (old.metadata()?.len(), from.metadata()?.len());
    let complete = new_of(path);
    disk::rename(new, &complete)?;
    // Here a full disk shows.
    if let Err(error) = disk::set_len(&old, old_len.max(len)) {
        disk::rename(&complete, new)?;
        return Err(error);
    }
    let mut piece = vec![0; PIECE_LEN];
    loop {
        let read = from.read(&mut piece)?;
        let mut rest = &piece[..read];
        while !rest.is_empty() {
            rest = &rest[disk::write(&old, &[IoSlice::new(rest)])?..];
        }
        if read == 0 {
            break;
        }
    }
    disk::set_len(&old, len)?;
    disk::flush(&old)?;
    drop(from);
    // Removed at once, it would keep its name while somebody reads it, and be taken for the latest save.
    match disk::rename(&complete, new) {
        // A load has put it in place meanwhile.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        renamed => renamed.map(|()| _ = disk::remove(new)),
    }
}

/// Held while a save puts its file in place: none that is older may be put there after it.
pub static PLACING: Mutex<()> = Mutex::new(());

/// Puts a new file in place that a crash has left. Returns its path if that cannot be now.
pub fn repair(path: &Path) -> Option<PathBuf> {
    let complete = new_of(path);
    let is_left = || fs::symlink_metadata(&complete).is_ok_and(|metadata| metadata.is_file());
    let is_placed = || PLACING.try_lock().is_ok_and(|_placing| !is_left() || disk::rename(&complete, path).is_ok());
    (is_left() && !is_placed()).then_some(complete)
}

#[cfg(test)]
#[path = "../tests/unit/over.rs"]
mod tests;
