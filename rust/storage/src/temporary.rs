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
pub enum Temporary {
    #[cfg(target_os = "linux")]
    Unnamed(unnamed::Unnamed),
    Named(Named),
}

impl Temporary {
    /// Makes one in a folder.
    ///
    /// # Errors
    /// If the folder does not exist, or no file can be created in it.
    pub fn new(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(unnamed) = unnamed::Unnamed::new(folder)? {
            return Ok(Self::Unnamed(unnamed));
        }
        Self::named(folder)
    }

    /// Makes one with a name.
    ///
    /// # Errors
    /// In the same cases as [`Self::new`].
    pub fn named(folder: &Path) -> io::Result<Self> {
        let (file, beside) = beside::create(folder)?;
        Ok(Self::Named(Named { file, beside, is_placed: false }))
    }

    pub fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(unnamed) => unnamed.file(),
            Self::Named(named) => &named.file,
        }
    }

    /// Gives it this name, in the same folder. If that fails, it can be tried again.
    ///
    /// # Errors
    /// Those of the system. The old file is then still there.
    pub fn put_at(&mut self, path: &Path) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(unnamed) => unnamed.put_at(path),
            Self::Named(named) => {
                disk::rename(named.beside.path(), path)?;
                named.is_placed = true;
                Ok(())
            }
        }
    }
}

/// A file with a name beside the one to replace.
#[derive(Debug)]
pub struct Named {
    file: File,
    beside: Beside,
    is_placed: bool,
}

impl Drop for Named {
    fn drop(&mut self) {
        if !self.is_placed {
            // While the file is open, so that the name is still its own.
            let _ = disk::remove(self.beside.path());
        }
    }
}

#[cfg(target_os = "linux")]
mod unnamed {
    use std::fs::File;
    use std::io::{self, ErrorKind};
    use std::path::{Path, PathBuf};

    use rustix::io::Errno;

    use crate::beside::{Beside, remove_leftover};
    use crate::disk;

    #[derive(Debug)]
    pub struct Unnamed {
        file: File,
        folder: PathBuf,
    }

    impl Unnamed {
        /// Makes a file without a name. Returns `None` if the system or the file system does not support that.
        pub fn new(folder: &Path) -> io::Result<Option<Self>> {
            if !Path::new(disk::OPEN_FILES).exists() {
                return Ok(None);
            }
            match disk::create_unnamed(folder) {
                Ok(file) => Ok(Some(Self { file, folder: folder.to_owned() })),
                // Kernels and file systems, including old ones, report it in these ways.
                Err(error) => match Errno::from_io_error(&error) {
                    Some(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
                    _ => Err(error),
                },
            }
        }

        pub fn file(&self) -> &File {
            &self.file
        }

        /// Gives the file this name.
        pub fn put_at(&self, path: &Path) -> io::Result<()> {
            // Linking replaces nothing: only a new file gets its name at once.
            match disk::link(&self.file, path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                linked => return linked,
            }
            // Says that it is no leftover, see `beside`. It has no name yet, so nobody else can hold it.
            let _ = self.file.try_lock();
            let mut beside = Beside::first(&self.folder, 0);
            loop {
                match disk::link(&self.file, beside.path()) {
                    Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
                    Ok(()) => break,
                    // From a process that was killed right here, or another one is here now.
                    Err(_) if remove_leftover(beside.path()) => {}
                    Err(_) => beside = beside.next(&self.folder),
                }
            }
            disk::rename(beside.path(), path).inspect_err(|_| _ = disk::remove(beside.path()))
        }
    }
}
