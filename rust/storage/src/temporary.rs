//! A file that is being written and will replace another one. Dropped before that, nothing of it remains.
//!
//! On Linux it has no name, if the file system supports that: nothing of it remains even if the process is killed.
//! Elsewhere it has one of the names of [`beside`](crate::beside).

use std::fs::File;
use std::io;
use std::path::Path;

use crate::beside::{self, Beside};
use crate::disk;

#[derive(Debug)]
pub struct Temporary {
    file: File,
    name: Name,
}

#[derive(Debug)]
enum Name {
    /// None yet. The file is in this folder.
    #[cfg(target_os = "linux")]
    None(std::path::PathBuf),
    Beside(Beside),
    Final,
}

impl Temporary {
    /// Makes one in a folder.
    pub fn new(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed(folder)? {
            return Ok(Self { file, name: Name::None(folder.to_owned()) });
        }
        let (file, beside) = beside::create(folder)?;
        Ok(Self { file, name: Name::Beside(beside) })
    }

    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives it this name, in the same folder. If that fails, it can be tried again.
    ///
    /// # Errors
    /// Those of the system. The old file is then still there.
    pub fn put_at(&mut self, path: &Path) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if let Name::None(folder) = &self.name {
            // Linking replaces nothing: only a new file gets its name at once.
            match disk::link(&self.file, path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                linked => return linked,
            }
            self.name = Name::Beside(link_beside(&self.file, folder)?);
        }
        if let Name::Beside(beside) = &self.name {
            disk::rename(beside.path(), path)?;
        }
        self.name = Name::Final;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Name::Beside(beside) = &self.name {
            // While the file is open, so that the name is still its own.
            let _ = disk::remove(beside.path());
        }
    }
}

/// Makes a file without a name. Returns `None` if the system or the file system does not support that.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> io::Result<Option<File>> {
    use rustix::io::Errno;
    if !Path::new(disk::OPEN_FILES).exists() {
        return Ok(None);
    }
    match disk::create_unnamed(folder) {
        Ok(file) => Ok(Some(file)),
        // Kernels and file systems, including old ones, report it in these ways.
        Err(error) => match Errno::from_io_error(&error) {
            Some(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
            _ => Err(error),
        },
    }
}

/// Gives a file without a name one beside the file that it will replace.
#[cfg(target_os = "linux")]
fn link_beside(file: &File, folder: &Path) -> io::Result<Beside> {
    // Says that it is no leftover, see `beside`. It has no name yet, so nobody else can hold it.
    let _ = file.try_lock();
    let mut beside = Beside::first(folder, 0);
    loop {
        match disk::link(file, beside.path()) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Ok(()) => return Ok(beside),
            // From a process that was killed right here, or another one is here now.
            Err(_) if beside::remove_leftover(beside.path()) => {}
            Err(_) => beside = beside.next(folder),
        }
    }
}
