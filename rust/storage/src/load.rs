//! Reads frames from a file, piece by piece: one thread decodes a piece while another one reads the next.

use std::io::{self, Read};
use std::path::Path;

use crate::compressed::{self, Compression, Decoder, MAGIC};
use crate::limits::{PART_LEN, PIECE_LEN};
use crate::open::open;
use varbatch_codec::CodecError;
use varbatch_codec::frames::{self, PREFIX_LEN};
use varbatch_workers::Threads;

/// A file that was not read to its end. The frames before the error were returned.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct LoadError(LoadErrorKind);

impl LoadError {
    /// Why the file was not read.
    pub fn kind(&self) -> &LoadErrorKind {
        &self.0
    }

    /// Why the file was not read, as an owned value.
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
    /// The system cannot read it.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// It is compressed and damaged, or compressed in a way that is not supported.
    #[error(transparent)]
    Compressed(#[from] compressed::CompressedError),
    /// It ends inside a frame.
    #[error(transparent)]
    Frame(#[from] CodecError),
}

/// A source of bytes.
pub trait Input: Read + Send {}
impl<T: Read + Send> Input for T {}

/// A stream of frames that is read piece by piece.
pub struct Loader {
    pub(super) source: Source,
    /// Bytes that the source still has, as far as is known.
    unread: u64,
    /// The start of a frame that was read together with those before it.
    tail: Vec<u8>,
    /// Offset of the next frame in the stream.
    at: usize,
    /// The error behind the frames that were returned.
    failed: Option<LoadError>,
    ended: bool,
}

/// The outcome of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadStep {
    /// Whole frames were read, which begin at this offset in the stream.
    Frames(usize),
    /// A part of a long frame was read: there is no whole one yet.
    Part,
    /// There are no more frames.
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
        let len = decoder.total();
        Ok(Self::from(Source::Compressed(Box::new(decoder)), len))
    }

    /// As [`Self::new`], of bytes that are not compressed, whatever they begin with.
    pub fn uncompressed(input: Box<dyn Input>, len: u64) -> Self {
        Self::from(Source::Plain(input), len)
    }

    fn from(source: Source, unread: u64) -> Self {
        Self { source, unread, tail: Vec::new(), at: 0, failed: None, ended: false }
    }

    /// True if the file is compressed: reading it takes longer than decoding it.
    pub fn is_compressed(&self) -> bool {
        matches!(self.source, Source::Compressed(_))
    }

    /// The file's compression, if it is compressed.
    pub fn compression(&self) -> Option<Compression> {
        match &self.source {
            Source::Plain(_) => None,
            Source::Compressed(decoder) => Some(decoder.compression()),
        }
    }

    /// Bytes of the uncompressed stream that were not read yet, as far as is known.
    pub fn unread(&self) -> u64 {
        self.unread
    }

    /// Bytes of the uncompressed stream, and how many of them were not returned yet.
    pub fn len(&self) -> (u64, u64) {
        let remaining = self.unread + self.tail.len() as u64;
        (self.at as u64 + remaining, remaining)
    }

    /// Reads the next whole frames into `piece`, one long or many short ones, with `threads` if the file is compressed. Returns
    /// their offset in the stream; `None` at the end.
    ///
    /// # Errors
    /// If the rest cannot be read, or is no frame: once, after all frames before it were returned.
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
        if self.tail.len() > PIECE_LEN {
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
            if piece.len() > PIECE_LEN {
                std::mem::swap(piece, &mut self.tail);
                return Ok(ReadStep::Part);
            }
        }
        Ok(ReadStep::End)
    }

    /// Appends bytes to the start of a frame, or to nothing. Returns true if there was something to append.
    fn read_more(&mut self, piece: &mut Vec<u8>, threads: &Threads) -> Result<bool, LoadError> {
        let (need, room) = self.need(piece)?;
        if piece.capacity() - piece.len() < need {
            piece.reserve_exact(room);
        }
        let before = piece.len();
        let read = self.source.read(piece, need, threads);
        let len = piece.len() - before;
        // A file that ends before its length has no more.
        self.unread = if len == 0 { 0 } else { self.unread.saturating_sub(len as u64) };
        read?;
        Ok(need > 0)
    }

    /// How many bytes to read behind the start of a frame, and to reserve. Returns an error if it is no frame.
    fn need(&self, tail: &[u8]) -> Result<(usize, usize), CodecError> {
        let unread = usize::try_from(self.unread).unwrap_or(usize::MAX);
        let Some(len) = frames::payload_len(tail, self.at, tail.len().saturating_add(unread))? else {
            return Ok((unread.min(PIECE_LEN), 0));
        };
        let rest = len + PREFIX_LEN - tail.len();
        if rest < PIECE_LEN / 2 && tail.len() <= PIECE_LEN {
            return Ok((unread.min(PIECE_LEN), 0));
        }
        // Of a long frame exactly its rest, and the length of the next frame, so that no bytes have to be moved.
        let rest = unread.min(rest + PREFIX_LEN);
        // The announced length of a compressed file is trusted in proportion to the bytes that it has shown.
        let room = if self.is_compressed() { rest.min(PART_LEN + 3 * tail.len()) } else { rest };
        Ok((rest.min(PART_LEN), room))
    }
}

impl Source {
    /// Appends about `max` bytes to `out`, also before an error.
    pub(super) fn read(&mut self, out: &mut Vec<u8>, max: usize, threads: &Threads) -> Result<(), LoadError> {
        match self {
            Self::Plain(input) => {
                out.reserve(max);
                input.by_ref().take(max as u64).read_to_end(out)?;
            }
            Self::Compressed(decoder) => _ = decoder.read(out, max, threads)?,
        }
        Ok(())
    }
}
