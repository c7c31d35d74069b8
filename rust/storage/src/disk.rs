//! All changes to bytes and names on the disk are made here, so that tests can record them and let them fail.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IoSlice};
use std::path::Path;

/// A change to the disk. A power cut can undo any that was not flushed, and any part of a write.
#[cfg_attr(not(test), expect(dead_code, reason = "only tests look at it"))]
pub enum Change<'a> {
    /// A new file, at a path if it has a name.
    Create(&'a File, Option<&'a Path>),
    Write(&'a File, &'a [IoSlice<'a>]),
    SetLen(&'a File, u64),
    SetPermissions,
    Flush(&'a File),
    #[cfg(target_os = "linux")]
    Link(&'a File, &'a Path),
    /// Another name for the file at a path.
    HardLink(&'a Path, &'a Path),
    Rename(&'a Path, &'a Path),
    Remove(&'a Path),
    FlushFolder,
}

#[cfg(not(test))]
fn make<T>(_: Change<'_>, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    act()
}

#[cfg(test)]
use tests::make;

/// Creates a file with a name that must be free.
pub fn create(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.create_new(true).open(path)?;
    make(Change::Create(&file, Some(path)), || Ok(()))?;
    Ok(file)
}

/// Creates a file without a name, which can be read too, for who has to copy it.
#[cfg(target_os = "linux")]
pub fn create_unnamed(folder: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = open(folder, flags, Mode::from_raw_mode(0o666))?.into();
    make(Change::Create(&file, None), || Ok(()))?;
    Ok(file)
}

/// Writes slices at the position of the file. Returns how many bytes were written.
pub fn write(mut file: &File, slices: &[IoSlice<'_>]) -> io::Result<usize> {
    make(Change::Write(file, slices), || io::Write::write_vectored(&mut file, slices))
}

pub fn set_len(file: &File, len: u64) -> io::Result<()> {
    make(Change::SetLen(file, len), || file.set_len(len))
}

pub fn set_permissions(file: &File, permissions: fs::Permissions) -> io::Result<()> {
    make(Change::SetPermissions, || file.set_permissions(permissions))
}

/// Waits until all bytes are on the disk.
pub fn flush_data(file: &File) -> io::Result<()> {
    make(Change::Flush(file), || file.sync_data())
}

/// Waits until the file is on the disk, with its permissions.
pub fn flush(file: &File) -> io::Result<()> {
    make(Change::Flush(file), || file.sync_all())
}

/// Gives a file without a name one that must be free.
#[cfg(target_os = "linux")]
pub fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    let from = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file));
    make(Change::Link(file, path), || Ok(linkat(CWD, from, CWD, path, AtFlags::SYMLINK_FOLLOW)?))
}

/// Gives the file at a path another name, which must be free.
pub fn hard_link(path: &Path, to: &Path) -> io::Result<()> {
    make(Change::HardLink(path, to), || fs::hard_link(path, to))
}

pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    make(Change::Rename(from, to), || fs::rename(from, to))
}

pub fn remove(path: &Path) -> io::Result<()> {
    make(Change::Remove(path), || fs::remove_file(path))
}

/// A folder whose names are flushed, where that is possible.
#[derive(Debug, Default)]
pub struct Folder(Option<File>);

impl Folder {
    pub fn open(path: &Path) -> io::Result<Self> {
        // Windows has no such call.
        match cfg!(unix).then(|| File::open(path)).transpose() {
            Err(error) if is_impossible(&error) => Ok(Self(None)),
            folder => folder.map(Self),
        }
    }

    /// Waits until its names are on the disk; and those of another one, if that is at the path now. If it fails, a name may be lost.
    pub fn flush(&self, path: &Path) -> io::Result<()> {
        let Some(folder) = &self.0 else { return Ok(()) };
        flush_names(folder)?;
        if is_at(folder, path) { Ok(()) } else { flush_names(&File::open(path)?) }
    }
}

fn flush_names(folder: &File) -> io::Result<()> {
    match make(Change::FlushFolder, || folder.sync_all()) {
        Err(error) if is_impossible(&error) => Ok(()),
        flushed => flushed,
    }
}

/// True if this folder, or none any more, is at its path.
#[cfg(unix)]
fn is_at(folder: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(own), Ok(named)) = (folder.metadata(), fs::metadata(path)) else { return true };
    (own.dev(), own.ino()) == (named.dev(), named.ino())
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// True if the system or the file system cannot flush a folder, or it may not be opened.
fn is_impossible(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    // Some network folders.
    #[cfg(unix)]
    let is_bad = rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::BADF);
    #[cfg(not(unix))]
    let is_bad = false;
    is_bad || matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported)
}

#[cfg(test)]
#[path = "../tests/unit/disk.rs"]
pub mod tests;

#[cfg(all(test, unix))]
#[path = "../tests/unit/power.rs"]
mod power;

#[cfg(all(test, target_os = "linux"))]
#[path = "../tests/unit/refused.rs"]
mod refused;
