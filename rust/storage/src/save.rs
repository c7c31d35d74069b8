//! Plans to a file that is the old one until the new one is complete: written beside it, flushed to the disk, and put in its
//! place.

use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::compressed::{Compression, Encoder};
use crate::order::Ticket;
use crate::replace::{Committed, Replaced, Replacement};
use varbatch_codec::{Chunk, Cursor, Plan};
use varbatch_workers::Threads;

/// Chunks shorter than this are put together before they are written: the system takes as long for each. In bytes.
const GATHERED_LEN: usize = 4 << 10;

/// As many pieces as systems take in one call: `IOV_MAX` of Linux and others.
const MOST_PIECES: usize = 1024;

/// A file that is being written. Dropped before its end, it leaves the old file as it was, and nothing else.
pub struct Saver {
    out: Out,
    /// Where it goes, behind links.
    path: PathBuf,
    /// Kept for the next call.
    gathered: Vec<u8>,
}

enum Out {
    Plain(Replacement),
    Compressed(Box<Encoder<Replacement>>),
}

impl Saver {
    /// Begins a file at `path`; `compressed` is how, and how many bytes there will be. Permissions and owner of an old file
    /// are kept. A symbolic link stays one: what it leads to is replaced.
    ///
    /// # Errors
    /// If there is no such folder, or no file can be made in it, or the old file could not be written to, or is none.
    pub fn create(path: &Path, compressed: Option<(Compression, u64)>) -> io::Result<Self> {
        let file = Replacement::new(path)?;
        let path = file.path().to_owned();
        let out = match compressed {
            None => Out::Plain(file),
            Some((how, total)) => Out::Compressed(Box::new(Encoder::new(file, how, total)?)),
        };
        Ok(Self { out, path, gathered: Vec::new() })
    }

    /// Writes the next part of a plan, about `most` bytes; gives how many. 0 at its end.
    ///
    /// # Errors
    /// Those of the system, as that the disk is full.
    pub fn write(&mut self, plan: &Plan<'_>, cursor: &mut Cursor, most: usize, threads: &Threads) -> io::Result<usize> {
        let Self { out, gathered, .. } = self;
        gathered.clear();
        let mut pieces = Vec::new();
        let mut len = 0;
        while len < most && pieces.len() < MOST_PIECES {
            let Some(chunk) = cursor.next(plan, most - len) else { break };
            len += match chunk {
                Chunk::Bytes(bytes) if bytes.len() >= GATHERED_LEN => {
                    pieces.push(Piece::Lent(bytes));
                    bytes.len()
                }
                _ => {
                    let start = gathered.len();
                    chunk.append_to(gathered);
                    match pieces.last_mut() {
                        Some(Piece::Gathered(range)) => range.end = gathered.len(),
                        _ => pieces.push(Piece::Gathered(start..gathered.len())),
                    }
                    gathered.len() - start
                }
            };
        }
        match out {
            Out::Plain(file) => {
                let mut slices: Vec<_> = pieces.iter().map(|piece| IoSlice::new(piece.bytes(gathered))).collect();
                write_all(file.file(), &mut slices)?;
            }
            Out::Compressed(encoder) => {
                for piece in &pieces {
                    encoder.write(piece.bytes(gathered), threads)?;
                }
            }
        }
        Ok(len)
    }

    /// Whether a save is in its place that was called after this one was, so that nobody will see this one.
    pub fn is_overtaken(&self, called: &Ticket) -> bool {
        called.is_overtaken(&self.path)
    }

    /// Ends the file, and waits until it is on the disk. What was written before is not there yet.
    ///
    /// # Errors
    /// Those of the system, as that the disk is full.
    pub fn flush(self, threads: &Threads) -> io::Result<Flushed> {
        let file = match self.out {
            Out::Plain(file) => file,
            Out::Compressed(encoder) => encoder.finish(threads)?,
        };
        file.file().sync_all()?;
        Ok(Flushed(file))
    }

    /// Waits until what was written so far is on the disk, so that there is less to wait for at the end.
    ///
    /// # Errors
    /// As [`Self::flush`].
    pub fn flush_written(&mut self) -> io::Result<()> {
        match &mut self.out {
            Out::Plain(file) => file.file().sync_data(),
            // A part is in the encoder yet, and what there is goes out slowly.
            Out::Compressed(_) => Ok(()),
        }
    }
}

/// A file that is complete, but not in its place.
#[derive(Debug)]
pub struct Flushed(Replacement);

impl Flushed {
    /// Puts it in its place, and gives the file that was there.
    ///
    /// # Errors
    /// Those of the system. The old file is still there then.
    pub fn commit(self) -> io::Result<Option<Replaced>> {
        Ok(match self.commit_as(&Ticket::take())? {
            Committed::InPlace(replaced) => replaced,
            Committed::Overtaken => None,
        })
    }

    /// Puts it in its place, unless a save is there that was called after this one was.
    ///
    /// # Errors
    /// As [`Self::commit`].
    pub fn commit_as(self, called: &Ticket) -> io::Result<Committed> {
        self.0.commit(called)
    }
}

/// A part of what is written in one call.
enum Piece<'p> {
    Lent(&'p [u8]),
    /// Of what was put together.
    Gathered(Range<usize>),
}

impl<'p> Piece<'p> {
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

/// Writes all of the slices, in as few calls as the system allows.
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
