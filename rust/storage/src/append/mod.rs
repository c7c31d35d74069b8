//! Adds records to the end of a plain file, or to a new one.
//!
//! Every record that was flushed stays: an append only writes behind the last whole record. A process that is killed
//! can leave some of its records, and a torn one, which the next append cuts off: see [`tail`]. Anything else that is
//! no whole record is refused and stays as it is. An append that fails or is dropped cuts off what it wrote itself.
//!
//! Only one append at a time has a file: the order of calls sees to that in this process, and a lock on the file (Unix)
//! or the way it is opened (Windows) among processes, and for names that lead to one file.

mod tail;

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use self::tail::whole_end;
use crate::beside::{claim, is_at};
use crate::disk;
use crate::encrypted;
use crate::known::Seen;
use crate::open::{open_regular, target};
use crate::order::{Ticket, folder_of, unless_overtaken};
use crate::replace::retry;
use crate::stores::{THERE, refuse_store};
use varbatch_codec::Dialect;
use varbatch_workers::lock;

/// Files as appends of this process left them, and where their whole records end: a log need not be read at each append, and
/// what an append could not cut off again is cut off by the next one. When they are more, all are forgotten.
static KNOWN: Mutex<BTreeMap<Seen, u64>> = Mutex::new(BTreeMap::new());
const MAX_KNOWN: usize = 4096;

/// How often an append looks again if another process appends, and how long it waits between: two seconds together.
const LOCK_ATTEMPTS: u32 = 400;
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// Why a file cannot be appended to.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the texts of the errors say what they are")]
pub enum AppendError {
    #[error("{}", crate::words::words(.0))]
    System(#[from] io::Error),
    #[error("expected a file without compression, found a compressed one")]
    Compressed,
    #[error("expected a file without encryption, found an encrypted one")]
    Encrypted,
    #[error("expected values with their lengths, found what can be one value without a length")]
    OneValue,
    /// The file ends with something that is neither a whole record nor a torn one, or a damaged one is before a torn one.
    #[error("expected whole records and at most the beginning of one, found something else, at byte {at}")]
    Damaged { at: u64 },
}

/// A file that is being added to. Unless it is [kept](Self::keep), what was written is cut off when it is dropped.
#[derive(Debug)]
pub(crate) struct Appender {
    /// At the end of what was written. Counted, as not every system lets a handle be doubled.
    pub file: Arc<File>,
    /// With links resolved.
    pub path: PathBuf,
    /// Open from the start, as for a [replacement](crate::replace::Replacement).
    pub folder: disk::Folder,
    /// The length without what is being added.
    start: u64,
    /// The number of the ticket of an append that made the file.
    maker: Option<u64>,
    /// The file as it was before, and whether an append of this process has left it so, with its name flushed.
    found: Seen,
    is_known: bool,
    is_kept: bool,
}

impl Appender {
    /// See [`Saver::append`](crate::Saver::append).
    pub fn open(path: &Path, called: &Ticket, dialect: Dialect) -> Result<Option<Self>, AppendError> {
        let path = target(path)?;
        // Who has one open keeps it so for long.
        refuse_store(&path, THERE)?;
        let folder = disk::Folder::open(folder_of(&path))?;
        let Some((file, is_new)) = open_alone(&path, called)? else {
            // The later save may just have been put there.
            folder.flush(folder_of(&path))?;
            return Ok(None);
        };
        let file = Arc::new(file);
        let metadata = file.metadata()?;
        let len = metadata.len();
        let maker = (is_new && len == 0).then_some(called.number());
        let mut head = Vec::new();
        (&*file).take(varbatch_codec::frames::PREFIX_LEN as u64).read_to_end(&mut head)?;
        if crate::compressed::is_compressed(&head) {
            return Err(AppendError::Compressed);
        }
        // No record has this length.
        if head == encrypted::MAGIC {
            return Err(AppendError::Encrypted);
        }
        // Nobody has changed it since an append of this process.
        let found = Seen::of(&metadata);
        let known = lock(&KNOWN).get(&found).copied();
        let start = match known {
            _ if maker.is_some() => len,
            Some(end) => end,
            None => whole_end(&file, len, dialect)?,
        };
        let is_known = known == Some(len);
        let this = Self { file, path, folder, start, maker, found, is_known, is_kept: false };
        if start < len {
            disk::set_len(&this.file, start)?;
        }
        (&*this.file).seek(SeekFrom::Start(start))?;
        Ok(Some(this))
    }

    /// Waits until what was written is on the disk.
    pub fn flush(&self) -> io::Result<()> {
        if self.is_known {
            return disk::flush_data(&self.file);
        }
        disk::flush(&self.file)?;
        self.folder.flush(folder_of(&self.path))
    }

    /// Keeps what was written.
    pub fn keep(&mut self) {
        self.is_kept = true;
        self.note_end(None);
    }

    /// Notes how the file is now, and where its records end if not with it.
    fn note_end(&self, end: Option<u64>) {
        let Ok(metadata) = self.file.metadata() else { return };
        let mut known = lock(&KNOWN);
        known.remove(&self.found);
        if known.len() == MAX_KNOWN {
            known.clear();
        }
        known.insert(Seen::of(&metadata), end.unwrap_or(metadata.len()));
    }
}

impl Drop for Appender {
    fn drop(&mut self) {
        if !self.is_kept && disk::set_len(&self.file, self.start).is_err() {
            self.note_end(Some(self.start));
        }
        if !self.is_kept
            && let Some(maker) = self.maker
        {
            // A later save may be there by now, or another process may have added to the file.
            unless_overtaken(maker, &self.path, || {
                let is_empty = fs::metadata(&self.path).is_ok_and(|metadata| metadata.len() == 0);
                if is_empty && is_at(&self.file, &self.path) {
                    let _ = disk::remove(&self.path);
                }
            });
        }
    }
}

/// Opens a file that no other append has, or makes it. Returns true with a new one, and `None` if a later save is there.
fn open_alone(path: &Path, called: &Ticket) -> io::Result<Option<(File, bool)>> {
    for _ in 0..LOCK_ATTEMPTS {
        // Before a later save replaces it, or after that not at all.
        let opened = match retry(path, || unless_overtaken(called.number(), path, || open_or_make(path)).transpose()) {
            // Another process has just made it.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            opened => opened?,
        };
        let Some((file, is_new)) = opened else { return Ok(None) };
        if claim(&file, path) {
            return Ok(Some((file, is_new)));
        }
        drop(file);
        std::thread::sleep(LOCK_PAUSE);
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "another program has it open to write"))
}

fn open_or_make(path: &Path) -> io::Result<(File, bool)> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    // Others may read it and replace it.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, crate::windows::READ_OR_REPLACE);
    match open_regular(&mut options, path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((disk::create(&mut options, path)?, true)),
        opened => Ok((opened?.0, false)),
    }
}
