//! Where an open file lies: its lock, the names of the files beside it, and whether it is still the one that was opened.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use crate::format::{COPY, FRAME, HEAD, NEW, VERSION_AT, end_of};
use crate::{Result, StoreError};

/// Bytes that a name may have, with those of the files beside it.
const MAX_NAME: usize = 255;
pub(crate) const LONGEST_END: usize = "-journal-set-aside-9999".len();

/// The files that this process has open: it must not open one again, as closing it would take SQLite's lock away (Unix).
static OPEN: Mutex<BTreeSet<FileId>> = Mutex::new(BTreeSet::new());

/// A number that no other file of this machine has, or 0 where the system tells of none.
type FileId = (u64, u64);

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
pub(crate) fn id_of(file: &Metadata) -> FileId {
    use std::os::unix::fs::MetadataExt;
    (file.dev(), file.ino())
}

#[cfg(not(unix))]
pub(crate) fn id_of(_: &Metadata) -> FileId {
    (0, 0)
}

/// True if this process has a file open.
pub(crate) fn is_open(file: &Metadata) -> bool {
    cfg!(unix) && lock(&OPEN).contains(&id_of(file))
}

/// How many names a file has.
#[cfg(unix)]
pub(crate) fn names(file: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    file.nlink()
}

#[cfg(not(unix))]
pub(crate) fn names(_: &Metadata) -> u64 {
    1
}

/// Returns the path with links in it followed, as SQLite has its files beside what they lead to. The file need not exist.
pub(crate) fn real(path: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(path).map_err(|_| StoreError::CannotOpen)?;
    let real = match (fs::canonicalize(&path), path.parent(), path.file_name()) {
        (Ok(real), ..) => real,
        // A link that leads nowhere: what it names is not known.
        (Err(_), ..) if path.symlink_metadata().is_ok() => return Err(StoreError::CannotOpen),
        (Err(_), Some(folder), Some(name)) => fs::canonicalize(folder).map_err(|_| StoreError::CannotOpen)?.join(name),
        _ => return Err(StoreError::CannotOpen),
    };
    let name = real.file_name().unwrap_or_default();
    let has_stream = cfg!(windows) && name.as_encoded_bytes().contains(&b':');
    if has_stream || name.len() + LONGEST_END > MAX_NAME {
        return Err(StoreError::Name(MAX_NAME - LONGEST_END));
    }
    let is_unfinished = [NEW, COPY].iter().any(|end| name.as_encoded_bytes().ends_with(end.as_bytes()));
    if is_unfinished { Err(StoreError::SideName) } else { Ok(real) }
}

/// The path of a file beside another one.
pub(crate) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(end);
    name.into()
}

/// True if there is a file, with something in it.
pub(crate) fn is_filled(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.len() > 0)
}

/// Gives a file another name, unless a file has that. Where there are no links, an empty file takes the name first.
pub(crate) fn rename_new(path: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        // At once, if the file system can do that: else a process that is killed leaves both names.
        match renameat_with(CWD, path, CWD, to, RenameFlags::NOREPLACE) {
            Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => {}
            renamed => return Ok(renamed?),
        }
    }
    match fs::hard_link(path, to) {
        Ok(()) => match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.inspect_err(|_| _ = fs::remove_file(to)),
        },
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) => {
            File::create_new(to)?;
            fs::rename(path, to).inspect_err(|_| _ = fs::remove_file(to))
        }
    }
}

/// Changes names in the folder of a path, and waits until they are on the disk, where the system can do that. The folder is open
/// before: what is done does not fail for want of a handle.
pub(crate) fn in_folder<T>(path: &Path, change: impl FnOnce() -> Result<T>) -> Result<T> {
    let folder = match path.parent().filter(|_| cfg!(unix)).map(File::open).transpose() {
        Err(error) if is_impossible(&error) => None,
        folder => folder?,
    };
    let done = change()?;
    match folder.map_or(Ok(()), |folder| folder.sync_all()) {
        Err(error) if !is_impossible(&error) => Err(error.into()),
        _ => Ok(done),
    }
}

/// True if a folder cannot be flushed, as some of networks (9 is `EBADF`), or may not be read: the rule of files, too.
fn is_impossible(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    error.raw_os_error() == Some(9) || matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported)
}

/// The file, open and locked for other processes.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    file: File,
    writable: File,
    id: FileId,
    /// On Windows, whose locks would keep SQLite out: another file, which is gone when this process is.
    own: Option<Arc<File>>,
    seen: Mutex<Seen>,
}

/// What the file was when it was last looked at.
#[derive(Debug, Default)]
struct Seen {
    /// Where the page lies that each commit changes, and its hash.
    mark: Range<u64>,
    hash: u64,
    touched: Option<(u64, SystemTime)>,
    /// The journal beside it. SQLite never makes another one while it is open.
    journal: Option<Journal>,
    /// True if there was a `-shm` already, as a program leaves it that is killed.
    has_shm: bool,
    /// True while this process writes into the file; and once somebody else has.
    is_written: bool,
    is_foreign: bool,
}

/// A journal as it was after the last commit.
#[derive(Clone, Copy, Debug)]
struct Journal {
    id: FileId,
    touched: Option<(u64, SystemTime)>,
    /// How many pages of it are in commits, and the hash of its head and that of the last page.
    pages: i64,
    hash: u64,
}

impl Journal {
    fn at(path: &Path, pages: i64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        let (mut head, mut last) = ([0; HEAD], [0; FRAME]);
        let has_head = file.read_exact(&mut head).is_ok();
        let page_len = u64::from(u32::from_be_bytes([head[8], head[9], head[10], head[11]]));
        // What was cut off is as good as another one.
        if has_head && metadata.len() >= end_of(pages.max(1), page_len) {
            file.seek(SeekFrom::Start(end_of(pages - 1, page_len)))?;
            file.read_exact(&mut last)?;
        }
        let hash = if pages > 0 { xxh3_64([&head[..], &last].concat().as_slice()) } else { 0 };
        Ok(Self { id: id_of(&metadata), touched: touched(&metadata), pages, hash })
    }
}

fn touched(file: &Metadata) -> Option<(u64, SystemTime)> {
    file.modified().ok().map(|time| (file.len(), time))
}

impl Place {
    /// Opens and locks a file that exists.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let named = fs::metadata(path)?;
        if !named.is_file() {
            return Err(StoreError::CannotOpen);
        }
        let mut open = lock(&OPEN);
        if cfg!(unix) && open.contains(&id_of(&named)) {
            return Err(StoreError::Busy);
        }
        // On NFS, the lock of a handle that can write would keep SQLite out.
        let file = File::open(path)?;
        let id = id_of(&file.metadata()?);
        let own = lock_of(path, &file)?;
        // After the lock: it is not for reading either, where another process has it.
        let writable = OpenOptions::new().write(true).open(path)?;
        // It may have been replaced since.
        if id_of(&fs::metadata(path)?) != id {
            return Err(StoreError::Busy);
        }
        open.insert(id);
        Ok(Self { path: path.to_owned(), file, writable, id, own, seen: Mutex::default() })
    }

    /// Goes to the path of another one, whose file this has replaced there, with the lock of that path.
    pub(crate) fn succeed(&mut self, old: &Self) {
        (self.path, self.own) = (old.path.clone(), old.own.clone());
    }

    /// Reads some bytes of the file, or those that there are.
    pub(crate) fn read(&self, at: Range<u64>) -> io::Result<Vec<u8>> {
        let (mut file, mut bytes) = (&self.file, Vec::new());
        file.seek(SeekFrom::Start(at.start))?;
        file.take(at.end - at.start).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn write(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut file = &self.writable;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytes)
    }

    /// Writes SQLite's `user_version`, where nobody else reads or writes it meanwhile: its page is in the journal, or none is open.
    pub(crate) fn set_version(&self, version: i64) -> io::Result<()> {
        self.write(VERSION_AT as u64, &(version as i32).to_be_bytes())
    }

    pub(crate) fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Cuts off what was added to the file, of pages that the journal has.
    pub(crate) fn cut(&self, len: u64) -> io::Result<()> {
        if self.len()? > len { self.writable.set_len(len) } else { Ok(()) }
    }

    /// Waits until what was written is on the disk.
    pub(crate) fn flush(&self) -> io::Result<()> {
        self.writable.sync_all()
    }

    /// Where the page lies that each commit changes.
    pub(crate) fn mark(&self) -> Range<u64> {
        lock(&self.seen).mark.clone()
    }

    /// Notes what the file is from now on: after it was locked.
    pub(crate) fn note(&self, mark: Range<u64>) -> Result<()> {
        let mut seen = lock(&self.seen);
        seen.mark = mark;
        seen.has_shm = beside(&self.path, "-shm").exists();
        self.look(&mut seen)
    }

    /// Notes the journal, of which so many pages are in commits: after SQLite has opened it, and written to it. Fails if nobody can
    /// look, as where too many files are open.
    pub(crate) fn note_journal(&self, pages: i64) -> io::Result<()> {
        let mut seen = lock(&self.seen);
        let (now, old) = (Journal::at(&beside(&self.path, "-wal"), pages), seen.journal);
        seen.journal = match (&now, old) {
            // Another one that is there now is none of this file's.
            (Ok(now), Some(old)) if old.id != now.id => Some(old),
            (Ok(now), _) => Some(*now),
            (Err(_), old) => old.map(|old| Journal { touched: None, pages: 0, hash: 0, ..old }),
        };
        now.map(drop)
    }

    /// Cuts the journal behind so many pages. Nobody writes to it.
    pub(crate) fn cut_journal(&self, pages: i64) -> Result<()> {
        self.check()?;
        let file = OpenOptions::new().write(true).open(beside(&self.path, "-wal"))?;
        let (now, page) = (file.metadata()?, self.mark());
        let is_own = lock(&self.seen).journal.is_none_or(|journal| journal.id == id_of(&now));
        let end = end_of(pages, page.end - page.start);
        if is_own && now.len() > end { Ok(file.set_len(end)?) } else { Ok(()) }
    }

    /// Fails if somebody else has written into the journal since. Not within a transaction, which may write to it.
    pub(crate) fn check_journal(&self) -> Result<()> {
        let path = beside(&self.path, "-wal");
        let mut seen = lock(&self.seen);
        let Some(old) = &mut seen.journal else { return Ok(()) };
        let Ok(file) = fs::metadata(&path) else { return Ok(()) };
        if id_of(&file) != old.id || touched(&file).is_some_and(|now| old.touched == Some(now)) {
            return Ok(());
        }
        let Ok(now) = Journal::at(&path, old.pages) else { return Ok(()) };
        if now.hash != old.hash {
            return Err(StoreError::Moved);
        }
        *old = now;
        Ok(())
    }

    fn look(&self, seen: &mut Seen) -> Result<()> {
        let file = self.file.metadata()?;
        seen.touched = touched(&file);
        seen.hash = xxh3_64(&self.read(seen.mark.clone())?);
        Ok(())
    }

    /// Calls `write`, which writes into the file.
    pub(crate) fn writing<T>(&self, write: impl FnOnce() -> T) -> Result<T> {
        self.check_content()?;
        lock(&self.seen).is_written = true;
        let done = write();
        let mut seen = lock(&self.seen);
        seen.is_written = false;
        self.look(&mut seen).map(|()| done)
    }

    /// Fails if the file that was opened is not at its path, or its journal not beside it; or if its content is another's.
    pub(crate) fn check(&self) -> Result<()> {
        let is_at = |path: &Path, id: FileId| fs::metadata(path).is_ok_and(|file| id_of(&file) == id);
        let mut seen = lock(&self.seen);
        seen.touched = None;
        let is_here = is_at(&self.path, self.id)
            && seen.journal.is_none_or(|journal| is_at(&beside(&self.path, "-wal"), journal.id))
            // Only other programs have such a file on Unix. They may have changed the journal.
            && (cfg!(windows) || seen.has_shm || !beside(&self.path, "-shm").exists());
        drop(seen);
        if is_here { self.check_content() } else { Err(StoreError::Moved) }
    }

    /// Fails if somebody else has written into the file.
    pub(crate) fn check_content(&self) -> Result<()> {
        let mut seen = lock(&self.seen);
        let file = self.file.metadata()?;
        let touched = touched(&file);
        if (touched.is_none() || seen.touched != touched) && !seen.is_written {
            seen.is_foreign |= xxh3_64(&self.read(seen.mark.clone())?) != seen.hash;
            seen.touched = touched;
        }
        if seen.is_foreign { Err(StoreError::Moved) } else { Ok(()) }
    }

    /// True if the file has a name, perhaps another one, and what was in it: the journal may be put into it.
    pub(crate) fn may_be_written(&self) -> bool {
        self.file.metadata().is_ok_and(|file| names(&file) > 0) && self.check_content().is_ok()
    }

    /// Removes what SQLite leaves beside the file, if it is this file's. No connection has it any more.
    pub(crate) fn remove_journal(&self) {
        if cfg!(windows) {
            let _ = fs::remove_file(beside(&self.path, "-shm"));
        }
        let path = beside(&self.path, "-wal");
        let is_own = |journal: Journal| fs::metadata(&path).is_ok_and(|file| id_of(&file) == journal.id);
        let is_here = lock(&self.seen).journal.is_some_and(is_own);
        if is_here && self.check_content().is_ok() && self.check_journal().is_ok() {
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = lock(&OPEN);
        // A process that is just being started has the file too, and closes it only then.
        let _ = self.file.unlock();
        open.remove(&self.id);
    }
}

/// Locks a file before SQLite looks at it. This lock stays where a process loses SQLite's: when it closes another handle of
/// the file, as a game does that copies it.
#[cfg(not(windows))]
fn lock_of(_: &Path, file: &File) -> Result<Option<Arc<File>>> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(StoreError::Busy),
        // Some systems have no such locks.
        _ => Ok(None),
    }
}

#[cfg(windows)]
fn lock_of(path: &Path, _: &File) -> Result<Option<Arc<File>>> {
    use std::os::windows::fs::OpenOptionsExt;
    const DELETE_ON_CLOSE: u32 = 0x0400_0000;
    const READ_WRITE_DELETE: u32 = 0x8000_0000 | 0x4000_0000 | 0x0001_0000;
    let mut options = OpenOptions::new();
    options.write(true).create(true).access_mode(READ_WRITE_DELETE).share_mode(0).custom_flags(DELETE_ON_CLOSE);
    Ok(Some(Arc::new(options.open(beside(path, "-lock"))?)))
}
