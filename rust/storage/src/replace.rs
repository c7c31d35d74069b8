//! A file without a name, or with one of its own, that takes the place of another one when it is complete.
//!
//! On Linux it has no name while it is written, where the file system can do that: so nothing is left of it even if the
//! process is killed. Elsewhere it has one, and is removed when it is dropped.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::open::refuse_special;
use crate::order::Ticket;

/// Symbolic links that are followed, one after the other: as many as Linux follows.
const MOST_LINKS: usize = 40;

/// How a file begins that has a name of its own.
const PREFIX: &str = ".varbatch-";

/// A file that is on its way to a place. Dropped before its end, it leaves what is there as it was, and nothing else.
#[derive(Debug)]
pub struct Replacement {
    temporary: Temporary,
    /// Where it goes.
    path: PathBuf,
    old: Option<Replaced>,
}

#[derive(Debug)]
enum Temporary {
    #[cfg(target_os = "linux")]
    Unnamed(unnamed::Unnamed),
    Named(NamedTempFile),
}

/// The old file, which has no name any more. To drop it takes the system as long as it takes to free its blocks: 50 ms for
/// 256 MiB.
#[derive(Debug)]
pub struct Replaced {
    file: File,
    len: u64,
}

/// What came of a file that was complete.
#[derive(Debug)]
pub enum Committed {
    /// It is in its place. With the file that was there.
    InPlace(Option<Replaced>),
    /// It was dropped, as a save that was called later is there.
    Overtaken,
}

impl Replaced {
    /// Its bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Replacement {
    /// A file that will be at `path`, with permissions and owner of the old one. A symbolic link stays one: what it leads to
    /// is replaced.
    ///
    /// # Errors
    /// If there is no such folder, or no file can be made in it, or the old file could not be written to, or is none.
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

    /// What is written to.
    pub fn file(&self) -> &File {
        match &self.temporary {
            #[cfg(target_os = "linux")]
            Temporary::Unnamed(unnamed) => unnamed.file(),
            Temporary::Named(named) => named.as_file(),
        }
    }

    /// Where it goes, behind links.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts it in its place, unless a save is there that was called after this one was, and gives the file that was there.
    ///
    /// # Errors
    /// Those of the system. The old file is still there then.
    pub fn commit(self, called: &Ticket) -> io::Result<Committed> {
        // Elsewhere a file that is open cannot be replaced.
        let old = self.old.filter(|_| cfg!(unix));
        let is_in_place = called.put_in_place(&self.path, || {
            match self.temporary {
                #[cfg(target_os = "linux")]
                Temporary::Unnamed(unnamed) => unnamed.put_at(&self.path)?,
                Temporary::Named(named) => _ = named.persist(&self.path)?,
            }
            Ok(())
        })?;
        // The later save may have been put there this moment.
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
        // As any new file, not as a secret one.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        Ok(Self::Named(builder.tempfile_in(folder)?))
    }
}

/// The folder that a file is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Where a path leads by symbolic links, even if there is nothing.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = path.parent().unwrap_or(Path::new("")).join(to),
            // No link, or nothing at all.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The file at `path`, if there is one. An error if it could not be written to: it would be replaced all the same.
fn replaceable(path: &Path) -> io::Result<Option<Replaced>> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata?,
    };
    // To open a pipe would wait for who reads it.
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

/// Makes sure that the new name is on the disk. Not each system can, and the file is complete either way.
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

    /// Where the system shows a process its open files. A name can be given to them there.
    const OPEN_FILES: &str = "/proc/self/fd";

    static NEXT_NAME: AtomicU64 = AtomicU64::new(0);

    #[derive(Debug)]
    pub struct Unnamed {
        file: File,
        folder: PathBuf,
    }

    impl Unnamed {
        /// `None` if the file system, or the system, has no such files.
        pub fn new(folder: &Path) -> io::Result<Option<Self>> {
            if !Path::new(OPEN_FILES).exists() {
                return Ok(None);
            }
            let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
            match open(folder, flags, Mode::from_raw_mode(0o666)) {
                Ok(file) => Ok(Some(Self { file: file.into(), folder: folder.to_owned() })),
                // As the kernel, the file system, or one of long ago says it.
                Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
                Err(error) => Err(error.into()),
            }
        }

        pub fn file(&self) -> &File {
            &self.file
        }

        /// Gives the file a name: this one.
        pub fn put_at(&self, path: &Path) -> io::Result<()> {
            // A link replaces nothing, so that only a new file can get its name at once.
            match self.link(path) {
                Err(Errno::EXIST) => {}
                linked => return Ok(linked?),
            }
            let beside = loop {
                let number = NEXT_NAME.fetch_add(1, Ordering::Relaxed);
                let beside = self.folder.join(format!("{PREFIX}{}-{number}", std::process::id()));
                match self.link(&beside) {
                    // Of a process that was killed right here.
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
