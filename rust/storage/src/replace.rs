//! A temporary file that replaces another one when it is complete.
//!
//! [`temporary`](crate::temporary) says where it is until then.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::disk;
use crate::open::{refuse_special, target};
use crate::order::{Ticket, folder_of};
use crate::temporary::Temporary;
#[cfg(windows)]
pub(super) use crate::windows::retry;

/// A file that will replace another one. If it is dropped before [`Self::commit`], the old file stays and nothing else
/// remains.
#[derive(Debug)]
pub struct Replacement {
    temporary: Temporary,
    /// The path of the file to replace.
    path: PathBuf,
    old: Option<File>,
}

/// The outcome of [`Flushed::commit`](crate::Flushed::commit).
#[derive(Debug)]
pub enum Committed {
    /// The new file is at its path. Holds the file that was there before, which no longer has a name: dropping it takes
    /// as long as the system needs to free its blocks, 50 ms for 256 MiB.
    InPlace(Option<File>),
    /// The new file was dropped, as a later save is at its path.
    Overtaken,
}

impl Replacement {
    /// Makes a file that will be at `path`, with the permissions and owner of the old one. A symbolic link stays a
    /// link: its target is replaced.
    pub fn new(path: &Path) -> io::Result<Self> {
        let path = target(path)?;
        let old = replaceable(&path)?;
        let this = Self { temporary: Temporary::new(folder_of(&path))?, path, old };
        if let Some(old) = &this.old {
            keep_permissions(old, this.file())?;
        }
        Ok(this)
    }

    /// Returns the file to write to.
    pub fn file(&self) -> &File {
        self.temporary.file()
    }

    /// Returns the path of the file to replace, with links resolved.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// See [`Flushed::commit`](crate::Flushed::commit).
    pub fn commit(self, called: &Ticket) -> io::Result<Committed> {
        let Self { mut temporary, path, old } = self;
        let is_in_place = retry(&path, || called.put_in_place(&path, || temporary.put_at(&path)))?;
        // Also for a later save, which may just have been put there.
        disk::flush_folder(folder_of(&path)).map_err(|error| {
            let text = format!("the file is in place, but may not be there after a power cut: {error}");
            io::Error::new(error.kind(), text)
        })?;
        Ok(if is_in_place { Committed::InPlace(old) } else { Committed::Overtaken })
    }
}

impl io::Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        disk::write(self.file(), &[io::IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, slices: &[io::IoSlice<'_>]) -> io::Result<usize> {
        disk::write(self.file(), slices)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl io::Seek for Replacement {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.file().seek(to)
    }
}

/// Returns the file at `path`, if there is one. Returns an error if it cannot be written to, though a rename would
/// replace it.
fn replaceable(path: &Path) -> io::Result<Option<File>> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata?,
    };
    // Opening a pipe would wait for a reader.
    refuse_special(&metadata)?;
    match OpenOptions::new().write(true).open(path) {
        // There nobody may have it open when it is replaced, and only files that can be written to get here: they have
        // no permissions to keep.
        Ok(_) if cfg!(windows) => Ok(None),
        #[cfg(windows)]
        Err(error) if crate::windows::is_in_use(&error) => Ok(None),
        file => file.map(Some),
    }
}

/// Gives a new file the permissions of an old one, and its owner if that is allowed.
fn keep_permissions(old: &File, new: &File) -> io::Result<()> {
    let metadata = old.metadata()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let of_new = new.metadata()?;
        if (metadata.uid(), metadata.gid()) != (of_new.uid(), of_new.gid()) {
            // Only root may give a file away.
            let _ = fchown(new, Some(metadata.uid()), Some(metadata.gid()));
        }
    }
    new.set_permissions(metadata.permissions())
}

/// Elsewhere it does not matter who has the old file open.
#[cfg(not(windows))]
pub(super) fn retry<T>(_: &Path, attempt: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    attempt()
}
