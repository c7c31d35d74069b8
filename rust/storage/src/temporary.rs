//! A file that is being written and will replace another one. Dropped before that, nothing of it remains.
//!
//! On Linux it has no name, if the file system supports that: nothing of it remains even if the process is killed.
//! Elsewhere it has one of the names of [`beside`](crate::beside).

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::beside::{self, Beside};

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
                fs::rename(named.beside.path(), path)?;
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
            let _ = fs::remove_file(self.beside.path());
        }
    }
}

#[cfg(target_os = "linux")]
mod unnamed {
    use std::fs::{self, File};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use rustix::io::Errno;

    use crate::beside::{Beside, remove_leftover};

    /// The system lists the open files of a process here. They can be linked from here.
    const OPEN_FILES: &str = "/proc/self/fd";

    #[derive(Debug)]
    pub struct Unnamed {
        file: File,
        folder: PathBuf,
    }

    impl Unnamed {
        /// Makes a file without a name. Returns `None` if the system or the file system does not support that.
        pub fn new(folder: &Path) -> io::Result<Option<Self>> {
            if !Path::new(OPEN_FILES).exists() {
                return Ok(None);
            }
            let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
            match open(folder, flags, Mode::from_raw_mode(0o666)) {
                Ok(file) => Ok(Some(Self { file: file.into(), folder: folder.to_owned() })),
                // Kernels and file systems, including old ones, report it in these ways.
                Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
                Err(error) => Err(error.into()),
            }
        }

        pub fn file(&self) -> &File {
            &self.file
        }

        /// Gives the file this name.
        pub fn put_at(&self, path: &Path) -> io::Result<()> {
            // Linking replaces nothing: only a new file gets its name at once.
            match self.link(path) {
                Err(Errno::EXIST) => {}
                linked => return Ok(linked?),
            }
            // Says that it is no leftover, see `beside`. It has no name yet, so nobody else can hold it.
            let _ = self.file.try_lock();
            let mut beside = Beside::first(&self.folder, 0);
            loop {
                match self.link(beside.path()) {
                    Ok(()) => break,
                    // From a process that was killed right here, or another one is here now.
                    Err(Errno::EXIST) if remove_leftover(beside.path()) => {}
                    Err(Errno::EXIST) => beside = beside.next(&self.folder),
                    Err(error) => return Err(error.into()),
                }
            }
            fs::rename(beside.path(), path).inspect_err(|_| _ = fs::remove_file(beside.path()))
        }

        fn link(&self, path: &Path) -> Result<(), Errno> {
            let from = format!("{OPEN_FILES}/{}", self.file.as_raw_fd());
            linkat(CWD, from, CWD, path, AtFlags::SYMLINK_FOLLOW)
        }
    }
}
