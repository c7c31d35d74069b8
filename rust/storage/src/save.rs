//! Saves plans to a file. The old file stays until the new one is complete, flushed to the disk, and put in its place.

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
    /// Its place, with links resolved.
    path: PathBuf,
    /// Short chunks of one call. Kept for the next one.
    gathered: Vec<u8>,
}

enum Out {
    Plain(Replacement),
    Compressed(Box<Encoder<Replacement>>),
}

impl Saver {
    /// Begins a file at `path`. `compressed` is its compression, and how many bytes will be written. An old file's permissions
    /// and owner are kept. A symbolic link stays a link: its target is replaced.
    ///
    /// # Errors
    /// If there is no such folder, no file can be made in it, or the old file cannot be written to or is no regular file.
    pub fn create(path: &Path, compressed: Option<(Compression, u64)>) -> io::Result<Self> {
        let file = Replacement::new(path)?;
        let path = file.path().to_owned();
        let out = match compressed {
            None => Out::Plain(file),
            Some((how, total)) => Out::Compressed(Box::new(Encoder::new(file, how, total)?)),
        };
        Ok(Self { out, path, gathered: Vec::new() })
    }

    /// Writes the next part of a plan, about `max` bytes. Returns how many; 0 at its end.
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

    /// True if a save that was called after `called` is in its place, so that nobody will see this one.
    pub fn is_overtaken(&self, called: &Ticket) -> bool {
        called.is_overtaken(&self.path)
    }

    /// Ends the file, and waits until it is on the disk. The old file is still in its place.
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

    /// Waits until the bytes written so far are on the disk, so that the end takes less time.
    ///
    /// # Errors
    /// As [`Self::flush`].
    pub fn flush_written(&mut self) -> io::Result<()> {
        match &mut self.out {
            Out::Plain(file) => file.file().sync_data(),
            // The encoder still holds a part, and the rest goes out slowly.
            Out::Compressed(_) => Ok(()),
        }
    }
}

/// A file that is complete and on the disk, but not in its place.
#[derive(Debug)]
pub struct Flushed(Replacement);

impl Flushed {
    /// Puts it in its place. Returns the file that was there.
    ///
    /// # Errors
    /// Those of the system. The old file is still there then.
    pub fn commit(self) -> io::Result<Option<Replaced>> {
        Ok(match self.commit_as(&Ticket::take())? {
            Committed::InPlace(replaced) => replaced,
            Committed::Overtaken => None,
        })
    }

    /// Puts it in its place, unless a save that was called after `called` is there.
    ///
    /// # Errors
    /// As [`Self::commit`].
    pub fn commit_as(self, called: &Ticket) -> io::Result<Committed> {
        self.0.commit(called)
    }
}

/// A slice of one call's bytes.
enum Slice<'p> {
    Lent(&'p [u8]),
    /// Of the gathered bytes.
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
