//! Saves plans to a file, which replaces the old one when it is flushed to the disk, or [appends](crate::append) them.

use std::fs::File;
use std::io::{self, IoSlice};
use std::path::{Path, PathBuf};

use crate::append::{AppendError, Appender};
use crate::compressed::{BLOCK_LEN, Compression, Encoder};
use crate::disk::{self, Folder};
use crate::encrypted::{Encrypter, Key};
use crate::known::{Contents, backup_of, refuse_long};
use crate::order::{Ticket, folder_of};
use crate::replace::{Committed, Replacement};
use crate::stores::{AS_BACKUP, THERE, refuse_store};
use varbatch_codec::{Chunk, Cursor, Dialect, Plan};
use varbatch_workers::Threads;

/// Bytes that are written to a file at a time.
pub const WRITE_LEN: usize = 1 << 20;

/// Chunks shorter than this are gathered before they are written, in bytes: each system call takes as long.
const GATHERED_LEN: usize = 4 << 10;

/// Max long chunks in one system call. With what is gathered around them they are `IOV_MAX` slices of Linux and others.
const MAX_LONG_CHUNKS: usize = 511;

/// A file that is being written. If it is dropped before its end, the old file stays as it was and nothing else remains.
pub struct Saver {
    out: Out,
    /// The path of the file to replace, with links resolved.
    path: PathBuf,
    /// How the old file is stored, and whether it becomes the backup.
    contents: Option<Contents>,
    keeps_backup: bool,
    /// Short chunks of one call. Reused by the next one.
    gathered: Vec<u8>,
}

enum Out {
    Plain(Target),
    Compressed(Box<Encoder<Replacement>>),
    Encrypted(Box<Encrypter<Replacement>>),
}

#[derive(Debug)]
enum Target {
    Replacement(Replacement),
    Append(Appender),
}

impl Out {
    fn write<'s>(&mut self, mut slices: impl Iterator<Item = &'s [u8]>, threads: &Threads) -> io::Result<()> {
        match self {
            Self::Plain(target) => write_all(target.file(), &mut slices.map(IoSlice::new).collect::<Vec<_>>()),
            Self::Compressed(encoder) => slices.try_for_each(|slice| encoder.write(slice, threads)),
            Self::Encrypted(encrypter) => slices.try_for_each(|slice| encrypter.write(slice, threads)),
        }
    }

    fn folder(&self) -> &Folder {
        match self {
            Self::Plain(target) => target.folder(),
            Self::Compressed(encoder) => &encoder.out.folder,
            Self::Encrypted(encrypter) => &encrypter.out.folder,
        }
    }
}

impl Target {
    fn file(&self) -> &File {
        match self {
            Self::Replacement(file) => &file.file,
            Self::Append(appender) => &appender.file,
        }
    }

    fn folder(&self) -> &Folder {
        match self {
            Self::Replacement(file) => &file.folder,
            Self::Append(appender) => &appender.folder,
        }
    }
}

impl Saver {
    /// Begins a file at `path`; `compressed` has its compression and length. Keeps the old permissions and owner, and a
    /// symbolic link: its target is replaced. Fails if no file can be created, or the old is not writable or regular.
    pub fn create(path: &Path, compressed: Option<(Compression, u64)>) -> io::Result<Self> {
        Self::replacing(path, |file| match compressed {
            None => Ok(Out::Plain(Target::Replacement(file))),
            Some((how, total)) => Ok(Out::Compressed(Box::new(Encoder::new(file, how, total, BLOCK_LEN)?))),
        })
    }

    /// Begins an encrypted file like [`Self::create`]. Fails also if the system has no random bytes.
    pub fn create_encrypted(path: &Path, key: &Key) -> io::Result<Self> {
        Self::replacing(path, |file| Ok(Out::Encrypted(Box::new(Encrypter::new(file, key)?))))
    }

    fn replacing(path: &Path, out: impl FnOnce(Replacement) -> io::Result<Out>) -> io::Result<Self> {
        let file = Replacement::new(path)?;
        let path = file.path.clone();
        Ok(Self { out: out(file)?, path, contents: None, keeps_backup: false, gathered: Vec::new() })
    }

    /// Says how the file is stored, by which an old one is checked that is unknown. With `keeps_backup`, that stays beside the
    /// new one, as [`backup_of`](crate::backup_of) its path, if it is known to be whole: this process has saved or loaded it so,
    /// or it is checked. Fails if the name is too long for another one, or a store has one of the names.
    pub fn stores(&mut self, contents: Contents, keeps_backup: bool) -> io::Result<()> {
        (self.contents, self.keeps_backup) = (Some(contents), keeps_backup);
        refuse_store(&self.path, THERE)?;
        if keeps_backup {
            refuse_long(&self.path)?;
            refuse_store(&backup_of(&self.path)?, AS_BACKUP)?;
        }
        Ok(())
    }

    /// Begins to add to the plain file at `path`, or to a new one. Call it when no earlier save or append to this file
    /// is in progress. Cuts off a torn last record, of which as much as is there is valid in `dialect`, and zeros up to
    /// the end; nothing before is ever changed. Returns `None` if a save that was called after `called` is at the path.
    /// Refuses a file that is compressed, can be one value, or ends with anything else: it stays unchanged then.
    pub fn append(path: &Path, called: &Ticket, dialect: Dialect) -> Result<Option<Self>, AppendError> {
        let Some(appender) = Appender::open(path, called, dialect)? else { return Ok(None) };
        let path = appender.path.clone();
        Ok(Some(Self {
            out: Out::Plain(Target::Append(appender)),
            path,
            contents: None,
            keeps_backup: false,
            gathered: Vec::new(),
        }))
    }

    /// Writes the next part of a plan, about `max` bytes. Returns the number of bytes; 0 at the end of the plan.
    pub fn write(&mut self, plan: &Plan<'_>, cursor: &mut Cursor, max: usize, threads: &Threads) -> io::Result<usize> {
        let Self { out, gathered, .. } = self;
        gathered.clear();
        // The long chunks, each with the number of gathered bytes before it.
        let (mut long, mut len) = (Vec::new(), 0);
        while len < max && long.len() < MAX_LONG_CHUNKS {
            let Some(chunk) = cursor.next(plan, max - len) else { break };
            len += match chunk {
                Chunk::Bytes(bytes) if bytes.len() >= GATHERED_LEN => {
                    long.push((gathered.len(), bytes));
                    bytes.len()
                }
                _ => {
                    let before = gathered.len();
                    chunk.append_to(gathered);
                    gathered.len() - before
                }
            };
        }
        long.push((gathered.len(), &[]));
        let (gathered, mut start) = (gathered.as_slice(), 0);
        let slices = long.iter().flat_map(|&(end, bytes)| [&gathered[std::mem::replace(&mut start, end)..end], bytes]);
        out.write(slices.filter(|slice| !slice.is_empty()), threads)?;
        Ok(len)
    }

    /// Writes a whole plan, [`WRITE_LEN`] bytes at a time.
    pub fn write_all(&mut self, plan: &Plan<'_>, threads: &Threads) -> io::Result<()> {
        let mut cursor = Cursor::new();
        while self.write(plan, &mut cursor, WRITE_LEN, threads)? > 0 {}
        Ok(())
    }

    /// Writes bytes as they are: those of the game before the values.
    pub fn write_bytes(&mut self, bytes: &[u8], threads: &Threads) -> io::Result<()> {
        self.out.write((!bytes.is_empty()).then_some(bytes).into_iter(), threads)
    }

    /// True if a save later than `called` is at this path, flushed with its folder, so that this one can be dropped.
    pub fn is_overtaken(&self, called: &Ticket) -> io::Result<bool> {
        let is_overtaken = called.is_overtaken(&self.path);
        if is_overtaken {
            self.out.folder().flush(folder_of(&self.path))?;
        }
        Ok(is_overtaken)
    }

    /// Completes the file, and waits until it is on the disk. Unless this appends, the old file is still at its path.
    pub fn flush(self, threads: &Threads) -> io::Result<Flushed> {
        let mut target = match self.out {
            Out::Plain(target) => target,
            Out::Compressed(encoder) => Target::Replacement(encoder.finish(threads)?),
            Out::Encrypted(encrypter) => Target::Replacement(encrypter.finish(threads)?),
        };
        match &mut target {
            Target::Replacement(file) => file.flush(self.contents.as_ref(), self.keeps_backup, threads)?,
            Target::Append(appender) => appender.flush()?,
        }
        Ok(Flushed(target))
    }

    /// Waits until the bytes written so far are on the disk, so that [`Self::flush`] takes less time.
    pub fn flush_written(&mut self) -> io::Result<()> {
        match &self.out {
            Out::Plain(target) => disk::flush_data(target.file()),
            Out::Encrypted(encrypter) => disk::flush_data(&encrypter.out.file),
            // The encoder still holds a part, and writes the rest slowly anyway.
            Out::Compressed(_) => Ok(()),
        }
    }
}

/// A file that is complete and on the disk, but not at its path; or records that are cut off again if this is dropped.
#[derive(Debug)]
pub struct Flushed(Target);

impl Flushed {
    /// Puts the file at its path, or keeps an append's records, unless a save that was called after `called` is there.
    /// A file that this process could not load, or that is not whole and would be the backup, is set aside. Windows waits
    /// up to two seconds while a program has the old file open, then fails with `ResourceBusy`. After an error the old
    /// file stays and the new one is removed when this is dropped, unless only the folder cannot be flushed. While too many files
    /// are open, call it again: nothing was changed.
    pub fn commit(&mut self, called: &Ticket) -> io::Result<Committed> {
        match &mut self.0 {
            Target::Replacement(file) => file.commit(called),
            Target::Append(appender) if called.is_overtaken(&appender.path) => Ok(Committed::Overtaken),
            Target::Append(appender) => {
                appender.keep();
                Ok(Committed::InPlace { old: None, aside: None })
            }
        }
    }
}

/// Writes all slices, in as few calls as the system allows.
fn write_all(file: &File, mut slices: &mut [IoSlice<'_>]) -> io::Result<()> {
    while !slices.is_empty() {
        match disk::write(file, slices) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(len) => IoSlice::advance_slices(&mut slices, len),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
