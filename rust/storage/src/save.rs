//! Saves plans to a file. The new file replaces the old one once it is complete and flushed to the disk.

use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::compressed::{Compression, Encoder};
use crate::limits::{GATHERED_LEN, MAX_SLICES};
use crate::order::Ticket;
use crate::replace::{Committed, Replaced, Replacement};
use varbatch_codec::{Chunk, Cursor, Plan};
use varbatch_workers::Threads;

/// A file that is being written. If it is dropped before its end, the old file stays and nothing else remains.
pub struct Saver {
    out: Out,
    /// The path of the file to replace, with links resolved.
    path: PathBuf,
    /// Short chunks of one call. Reused by the next one.
    gathered: Vec<u8>,
}

enum Out {
    Plain(Replacement),
    Compressed(Box<Encoder<Replacement>>),
}

impl Saver {
    /// Begins a file at `path`. `compressed` is its compression, and the number of bytes that will be written. The old
    /// file's permissions and owner are kept. A symbolic link stays a link: its target is replaced.
    ///
    /// # Errors
    /// If the folder does not exist, no file can be created in it, or the old file is not writable or not a regular
    /// file.
    pub fn create(path: &Path, compressed: Option<(Compression, u64)>) -> io::Result<Self> {
        let file = Replacement::new(path)?;
        let path = file.path().to_owned();
        let out = match compressed {
            None => Out::Plain(file),
            Some((how, total)) => Out::Compressed(Box::new(Encoder::new(file, how, total)?)),
        };
        Ok(Self { out, path, gathered: Vec::new() })
    }

    /// Writes the next part of a plan, about `max` bytes. Returns the number of bytes; 0 at the end of the plan.
    ///
    /// # Errors
    /// Those of the system, such as a full disk.
    pub fn write(&mut self, plan: &Plan<'_>, cursor: &mut Cursor, max: usize, threads: &Threads) -> io::Result<usize> {
        let Self { out, gathered, .. } = self;
        gathered.clear();
        let mut slices = Vec::new();
        let mut len = 0;
        while len < max && slices.len() < MAX_SLICES {
            let Some(chunk) = cursor.next(plan, max - len) else { break };
            len += match chunk {
                Chunk::Bytes(bytes) if bytes.len() >= GATHERED_LEN => {
                    slices.push(Slice::Lent(bytes));
                    bytes.len()
                }
                _ => {
                    let start = gathered.len();
                    chunk.append_to(gathered);
                    match slices.last_mut() {
                        Some(Slice::Gathered(range)) => range.end = gathered.len(),
                        _ => slices.push(Slice::Gathered(start..gathered.len())),
                    }
                    gathered.len() - start
                }
            };
        }
        match out {
            Out::Plain(file) => {
                let mut io_slices: Vec<_> = slices.iter().map(|slice| IoSlice::new(slice.bytes(gathered))).collect();
                write_all(file.file(), &mut io_slices)?;
            }
            Out::Compressed(encoder) => {
                for slice in &slices {
                    encoder.write(slice.bytes(gathered), threads)?;
                }
            }
        }
        Ok(len)
    }

    /// True if a save that was called after `called` is at this path already, so that this one will be dropped.
    pub fn is_overtaken(&self, called: &Ticket) -> bool {
        called.is_overtaken(&self.path)
    }

    /// Completes the file, and waits until it is on the disk. The old file is still at its path.
    ///
    /// # Errors
    /// Those of the system, such as a full disk.
    pub fn flush(self, threads: &Threads) -> io::Result<Flushed> {
        let file = match self.out {
            Out::Plain(file) => file,
            Out::Compressed(encoder) => encoder.finish(threads)?,
        };
        file.file().sync_all()?;
        Ok(Flushed(file))
    }

    /// Waits until the bytes written so far are on the disk, so that [`Self::flush`] takes less time.
    ///
    /// # Errors
    /// In the same cases as [`Self::flush`].
    pub fn flush_written(&mut self) -> io::Result<()> {
        match &mut self.out {
            Out::Plain(file) => file.file().sync_data(),
            // The encoder still holds a part, and writes the rest slowly anyway.
            Out::Compressed(_) => Ok(()),
        }
    }
}

/// A file that is complete and on the disk, but not at its path.
#[derive(Debug)]
pub struct Flushed(Replacement);

impl Flushed {
    /// Puts the file at its path. Returns the file that was there.
    ///
    /// # Errors
    /// Those of the system. The old file is then still there.
    pub fn commit(self) -> io::Result<Option<Replaced>> {
        Ok(match self.commit_as(&Ticket::take())? {
            Committed::InPlace(replaced) => replaced,
            Committed::Overtaken => None,
        })
    }

    /// Puts the file at its path, unless a save that was called after `called` is there.
    ///
    /// # Errors
    /// In the same cases as [`Self::commit`].
    pub fn commit_as(self, called: &Ticket) -> io::Result<Committed> {
        self.0.commit(called)
    }
}

/// A slice of one call's bytes.
enum Slice<'p> {
    Lent(&'p [u8]),
    /// A range of the gathered bytes.
    Gathered(Range<usize>),
}

impl<'p> Slice<'p> {
    fn bytes<'s>(&self, gathered: &'s [u8]) -> &'s [u8]
    where
        'p: 's,
    {
        match self {
            Self::Lent(bytes) => bytes,
            Self::Gathered(range) => &gathered[range.clone()],
        }
    }
}

/// Writes all slices, in as few calls as the system allows.
fn write_all(mut file: &File, mut slices: &mut [IoSlice<'_>]) -> io::Result<()> {
    while !slices.is_empty() {
        match file.write_vectored(slices) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(len) => IoSlice::advance_slices(&mut slices, len),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
