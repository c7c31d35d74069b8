//! Frames out of a file, piece by piece: while one thread decodes a piece, another one reads the next.

use std::io::{self, Read};
use std::path::Path;

use crate::compressed::{self, Compression, Decoder, MAGIC};
use crate::open::open;
use varbatch_codec::frames::{self, PREFIX_LEN};
use varbatch_codec::{CodecError, CodecErrorKind};
use varbatch_workers::Threads;

/// Bytes that are read at a time, unless a frame is longer: they stay in the cache until they are decoded.
const PIECE: usize = 1 << 20;

/// Bytes of a longer frame that are read at a time.
const PART: usize = 4 << 20;

/// A file that was not read to its end. What is before that was given out.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct LoadError(LoadErrorKind);

impl LoadError {
    /// Why it was not.
    pub fn kind(&self) -> &LoadErrorKind {
        &self.0
    }

    /// Why it was not, without the error.
    pub fn into_kind(self) -> LoadErrorKind {
        self.0
    }
}

impl<E: Into<LoadErrorKind>> From<E> for LoadError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// Why a file was not read to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// The system says so.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// It is compressed, and no such file, or damaged.
    #[error(transparent)]
    Compressed(#[from] compressed::CompressedError),
    /// It ends inside a frame.
    #[error(transparent)]
    Frame(#[from] CodecError),
}

/// Where bytes come from.
pub trait Input: Read + Send {}
impl<T: Read + Send> Input for T {}

/// A stream of frames that is read piece by piece.
pub struct Loader {
    pub(super) source: Source,
    /// Bytes that the source has yet, as far as is known.
    left: u64,
    /// The start of a frame that was read with those before it.
    tail: Vec<u8>,
    /// Where the next frame begins in the stream.
    at: usize,
    /// What was found behind the frames that were given.
    failed: Option<LoadError>,
    ended: bool,
}

/// What was read in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadStep {
    /// Whole frames, which begin here in the stream.
    Frames(usize),
    /// A part of a long frame: there is nothing to give yet.
    Part,
    /// There are no more.
    End,
}

pub(super) enum Source {
    Plain(Box<dyn Input>),
    Compressed(Box<Decoder<Box<dyn Input>>>),
}

impl Loader {
    /// Opens a file, as [`open`] does.
    ///
    /// # Errors
    /// Those of [`open`], and of a damaged head of a compressed file.
    pub fn open(path: &Path) -> Result<Self, LoadError> {
        let (file, len) = open(path)?;
        Self::new(Box::new(file), len)
    }

    /// Reads from `input`, which has `len` bytes.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn new(mut input: Box<dyn Input>, len: u64) -> Result<Self, LoadError> {
        let mut head = Vec::new();
        input.by_ref().take(MAGIC.len() as u64).read_to_end(&mut head)?;
        let input: Box<dyn Input> = Box::new(io::Cursor::new(head.clone()).chain(input));
        if !compressed::is_compressed(&head) {
            return Ok(Self::uncompressed(input, len));
        }
        let decoder = Decoder::new(input, len)?;
        let left = decoder.total();
        Ok(Self::from(Source::Compressed(Box::new(decoder)), left))
    }

    /// As [`Self::new`], of what is not compressed, whatever it begins with.
    pub fn uncompressed(input: Box<dyn Input>, len: u64) -> Self {
        Self::from(Source::Plain(input), len)
    }

    fn from(source: Source, left: u64) -> Self {
        Self { source, left, tail: Vec::new(), at: 0, failed: None, ended: false }
    }

    /// Whether to read takes longer than to decode what was read.
    pub fn is_compressed(&self) -> bool {
        matches!(self.source, Source::Compressed(_))
    }

    /// How the file is compressed, if it is.
    pub fn compression(&self) -> Option<Compression> {
        match &self.source {
            Source::Plain(_) => None,
            Source::Compressed(decoder) => Some(decoder.compression()),
        }
    }

    /// Bytes of the stream, uncompressed, that were not read yet, as far as is known.
    pub fn unread(&self) -> u64 {
        self.left
    }

    /// Bytes of the stream, uncompressed, and how many of them were not given yet.
    pub fn len(&self) -> (u64, u64) {
        let left = self.left + self.tail.len() as u64;
        (self.at as u64 + left, left)
    }

    /// Reads the next whole frames into `piece`, one long one or many short ones, with `threads` where they are compressed.
    /// Gives the place in the stream where they begin; `None` at the end.
    ///
    /// # Errors
    /// If the rest cannot be read, or is no frame: once, after all that is before was given.
    pub fn read(&mut self, piece: &mut Vec<u8>, threads: &Threads) -> Result<Option<usize>, LoadError> {
        loop {
            match self.read_step(piece, threads)? {
                ReadStep::Frames(at) => return Ok(Some(at)),
                ReadStep::Part => {}
                ReadStep::End => return Ok(None),
            }
        }
    }

    /// As [`Self::read`], but a frame of many MiB takes several steps.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_step(&mut self, piece: &mut Vec<u8>, threads: &Threads) -> Result<ReadStep, LoadError> {
        piece.clear();
        if self.tail.len() > PIECE {
            // A part of a frame goes on in the same memory.
            std::mem::swap(piece, &mut self.tail);
        } else {
            piece.append(&mut self.tail);
        }
        while !self.ended {
            let read = match self.failed.take() {
                Some(failed) => Err(failed),
                None => self.read_more(piece, threads),
            };
            let end = frames::whole_len(piece);
            if end > 0 {
                self.failed = read.err();
                self.tail.extend_from_slice(&piece[end..]);
                piece.truncate(end);
                self.at += end;
                return Ok(ReadStep::Frames(self.at - end));
            }
            self.ended = !matches!(read, Ok(true));
            read?;
            if piece.len() > PIECE {
                std::mem::swap(piece, &mut self.tail);
                return Ok(ReadStep::Part);
            }
        }
        Ok(ReadStep::End)
    }

    /// Adds to the start of a frame, or to nothing. Whether there was something to add.
    fn read_more(&mut self, piece: &mut Vec<u8>, threads: &Threads) -> Result<bool, LoadError> {
        let (need, room) = self.need(piece)?;
        if piece.capacity() - piece.len() < need {
            piece.reserve_exact(room);
        }
        let before = piece.len();
        let read = self.source.read(piece, need, threads);
        let len = piece.len() - before;
        // A file that ends before its time has no more.
        self.left = if len == 0 { 0 } else { self.left.saturating_sub(len as u64) };
        read?;
        Ok(need > 0)
    }

    /// How many bytes to read behind the start of a frame, and to take room for. An error if it is none.
    fn need(&self, tail: &[u8]) -> Result<(usize, usize), CodecError> {
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        let found = tail.len().saturating_add(left);
        let short =
            |at, part, expected, found| Err(CodecError::new(at, CodecErrorKind::ShortFrame { part, expected, found }));
        let Some(prefix) = tail.first_chunk() else {
            return match found {
                1..PREFIX_LEN => short(self.at, "length", PREFIX_LEN, found),
                _ => Ok((left.min(PIECE), 0)),
            };
        };
        let len = u32::from_le_bytes(*prefix) as usize;
        if found - PREFIX_LEN < len {
            return short(self.at + PREFIX_LEN, "payload", len, found - PREFIX_LEN);
        }
        let rest = len + PREFIX_LEN - tail.len();
        if rest < PIECE / 2 && tail.len() <= PIECE {
            return Ok((left.min(PIECE), 0));
        }
        // Of what is long exactly the frame, and the length of the next one, so that nothing has to be moved.
        let rest = left.min(rest + PREFIX_LEN);
        // What a compressed file says that it has is believed as far as it has shown the like.
        let room = if self.is_compressed() { rest.min(PART + 3 * tail.len()) } else { rest };
        Ok((rest.min(PART), room))
    }
}

impl Source {
    /// Adds about `most` bytes to `out`, also before an error.
    pub(super) fn read(&mut self, out: &mut Vec<u8>, most: usize, threads: &Threads) -> Result<(), LoadError> {
        match self {
            Self::Plain(input) => {
                out.reserve(most);
                input.by_ref().take(most as u64).read_to_end(out)?;
            }
            Self::Compressed(decoder) => _ = decoder.read(out, most, threads)?,
        }
        Ok(())
    }
}
