//! A temporary file that replaces another one when it is complete.
//!
//! On Linux the temporary file has no name while it is written, if the file system supports that: nothing of it remains
//! even if the process is killed. Elsewhere it has a name, and is removed when it is dropped.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::limits::MAX_LINKS;
use crate::open::refuse_special;
use crate::order::{Ticket, folder_of};

/// The start of a temporary file's name.
const PREFIX: &str = ".varbatch-";

/// A file that will replace another one. If it is dropped before [`Self::commit`], the old file stays and nothing else
/// remains.
#[derive(Debug)]
pub struct Replacement {
    temporary: Temporary,
    /// The path of the file to replace.
    path: PathBuf,
    old: Option<Replaced>,
}

#[derive(Debug)]
enum Temporary {
    #[cfg(target_os = "linux")]
    Unnamed(unnamed::Unnamed),
    Named(NamedTempFile),
}

/// The old file, which no longer has a name. Dropping it takes as long as the system needs to free its blocks: 50 ms
/// for 256 MiB.
#[derive(Debug)]
pub struct Replaced {
    file: File,
    len: u64,
}

/// The outcome of [`Replacement::commit`].
#[derive(Debug)]
pub enum Committed {
    /// The new file is at its path. Holds the file that was there before.
    InPlace(Option<Replaced>),
    /// The new file was dropped, as a later save is at its path.
    Overtaken,
}

impl Replaced {
    /// Returns its length in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// True if it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Replacement {
    /// Makes a file that will be at `path`, with the permissions and owner of the old one. A symbolic link stays a
    /// link: its target is replaced.
    ///
    /// # Errors
    /// If the folder does not exist, no file can be created in it, or the old file is not writable or not a regular
    /// file.
    pub fn new(path: &Path) -> io::Result<Self> {
        if path.as_os_str().is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let path = target(path)?;
        let old = replaceable(&path)?;
        let temporary = Temporary::new(folder_of(&path))?;
        let this = Self { temporary, path, old };
        if let Some(old) = &this.old {
            keep_permissions(&old.file, this.file())?;
        }
        Ok(this)
    }

    /// Returns the file to write to.
    pub fn file(&self) -> &File {
        match &self.temporary {
            #[cfg(target_os = "linux")]
            Temporary::Unnamed(unnamed) => unnamed.file(),
            Temporary::Named(named) => named.as_file(),
        }
    }

    /// Returns the path of the file to replace, with links resolved.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the file at its path, unless a save that was called after `called` is there. Returns the file that was
    /// there.
    ///
    /// # Errors
    /// Those of the system. The old file is then still there.
    pub fn commit(self, called: &Ticket) -> io::Result<Committed> {
        // On other systems an open file cannot be replaced.
        let old = self.old.filter(|_| cfg!(unix));
        let is_in_place = called.put_in_place(&self.path, || {
            match self.temporary {
                #[cfg(target_os = "linux")]
                Temporary::Unnamed(unnamed) => unnamed.put_at(&self.path)?,
                Temporary::Named(named) => _ = named.persist(&self.path)?,
            }
            Ok(())
        })?;
        // Also for a later save, which may just have been put there.
        flush_folder(folder_of(&self.path));
        Ok(if is_in_place { Committed::InPlace(old) } else { Committed::Overtaken })
    }
}

impl io::Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn write_vectored(&mut self, slices: &[io::IoSlice<'_>]) -> io::Result<usize> {
        self.file().write_vectored(slices)
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

impl Temporary {
    fn new(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(unnamed) = unnamed::Unnamed::new(folder)? {
            return Ok(Self::Unnamed(unnamed));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        // The permissions of any new file, not the private ones of a temporary file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        Ok(Self::Named(builder.tempfile_in(folder)?))
    }
}

/// Follows symbolic links, even to a file that does not exist.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = path.parent().unwrap_or(Path::new("")).join(to),
            // Not a link, or no file.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Returns the file at `path`, if there is one. Returns an error if it cannot be written to, though a rename would
/// replace it.
fn replaceable(path: &Path) -> io::Result<Option<Replaced>> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata?,
    };
    // Opening a pipe would wait for a reader.
    refuse_special(&metadata)?;
    let file = OpenOptions::new().write(true).open(path)?;
    Ok(Some(Replaced { file, len: metadata.len() }))
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

/// Flushes the new name to the disk. Not every system can do this; the file is complete either way.
fn flush_folder(folder: &Path) {
    #[cfg(unix)]
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    #[cfg(not(unix))]
    let _ = folder;
}

#[cfg(target_os = "linux")]
mod unnamed {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicU64, Ordering};

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use rustix::io::Errno;

    use super::PREFIX;

    /// The system lists the open files of a process here. They can be linked from here.
    const OPEN_FILES: &str = "/proc/self/fd";

    static NEXT_NAME: AtomicU64 = AtomicU64::new(0);

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
            let beside = loop {
                let number = NEXT_NAME.fetch_add(1, Ordering::Relaxed);
                let beside = self.folder.join(format!("{PREFIX}{}-{number}", std::process::id()));
                match self.link(&beside) {
                    // From a process that was killed right here.
                    Err(Errno::EXIST) => {}
                    linked => break linked.map(|()| beside)?,
                }
            };
            std::fs::rename(&beside, path).inspect_err(|_| _ = std::fs::remove_file(&beside))
        }

        fn link(&self, path: &Path) -> Result<(), Errno> {
            let from = format!("{OPEN_FILES}/{}", self.file.as_raw_fd());
            linkat(CWD, from, CWD, path, AtFlags::SYMLINK_FOLLOW)
        }
    }
}
