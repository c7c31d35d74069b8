//! Reads frames from a file, piece by piece: one thread decodes a piece while another reads the next.

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
    /// Returns why the file was not read.
    pub fn kind(&self) -> &LoadErrorKind {
        &self.0
    }

    /// Returns why the file was not read, as an owned value.
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
    /// The system cannot read the file.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// The file is compressed and damaged, or its compression is not supported.
    #[error(transparent)]
    Compressed(#[from] compressed::CompressedError),
    /// The file ends inside a frame.
    #[error(transparent)]
    Frame(#[from] CodecError),
}

/// A source of bytes.
pub trait Input: Read + Send {}
impl<T: Read + Send> Input for T {}

/// A stream of frames that is read piece by piece.
pub struct Loader {
    pub(super) source: Source,
    /// Bytes that remain in the source, as far as is known.
    unread: u64,
    /// The start of a frame that was read together with the frames before it.
    tail: Vec<u8>,
    /// The offset of the next frame in the stream.
    at: usize,
    /// The error after the returned frames.
    failed: Option<LoadError>,
    ended: bool,
}

/// The outcome of [`Loader::read_step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadStep {
    /// Whole frames were read. They begin at this offset in the stream.
    Frames(usize),
    /// A part of a long frame was read, which is not complete.
    Part,
    /// There are no more frames.
    End,
}

pub(super) enum Source {
    Plain(Box<dyn Input>),
    Compressed(Box<Decoder<Box<dyn Input>>>),
}

impl Loader {
    /// Opens a file with [`open`].
    ///
    /// # Errors
    /// Those of [`open`], and one for a damaged head of a compressed file.
    pub fn open(path: &Path) -> Result<Self, LoadError> {
        let (file, len) = open(path)?;
        Self::new(Box::new(file), len)
    }

    /// Reads from `input`, which has `len` bytes.
    ///
    /// # Errors
    /// Those of the system, and one for a damaged head of a compressed file.
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

    /// Reads like [`Self::new`], but never decompresses, whatever the first bytes are.
    pub fn uncompressed(input: Box<dyn Input>, len: u64) -> Self {
        Self::from(Source::Plain(input), len)
    }

    fn from(source: Source, unread: u64) -> Self {
        Self { source, unread, tail: Vec::new(), at: 0, failed: None, ended: false }
    }

    /// True if the file is compressed: reading it then takes longer than decoding it.
    pub fn is_compressed(&self) -> bool {
        matches!(self.source, Source::Compressed(_))
    }

    /// Returns the file's compression, if it is compressed.
    pub fn compression(&self) -> Option<Compression> {
        match &self.source {
            Source::Plain(_) => None,
            Source::Compressed(decoder) => Some(decoder.compression()),
        }
    }

    /// Returns the number of unread bytes of the uncompressed stream, as far as is known.
    pub fn unread(&self) -> u64 {
        self.unread
    }

    /// Returns the length of the uncompressed stream, and how many of its bytes were not returned yet.
    pub fn len(&self) -> (u64, u64) {
        let remaining = self.unread + self.tail.len() as u64;
        (self.at as u64 + remaining, remaining)
    }

    /// Reads the next whole frames into `piece`: one long frame or many short ones. Uses `threads` if the file is
    /// compressed. Returns their offset in the stream; `None` at the end.
    ///
    /// # Errors
    /// If the rest cannot be read, or is not a frame. Returned once, after all frames before it.
    pub fn read(&mut self, piece: &mut Vec<u8>, threads: &Threads) -> Result<Option<usize>, LoadError> {
        loop {
            match self.read_step(piece, threads)? {
                ReadStep::Frames(at) => return Ok(Some(at)),
                ReadStep::Part => {}
                ReadStep::End => return Ok(None),
            }
        }
    }

    /// Reads like [`Self::read`], but a frame of many MiB takes several steps.
    ///
    /// # Errors
    /// In the same cases as [`Self::read`].
    pub fn read_step(&mut self, piece: &mut Vec<u8>, threads: &Threads) -> Result<ReadStep, LoadError> {
        piece.clear();
        if self.tail.len() > PIECE_LEN {
            // A part of a frame continues in the same memory.
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

    /// Appends bytes to the start of a frame, or to nothing. Returns true if there were any.
    fn read_more(&mut self, piece: &mut Vec<u8>, threads: &Threads) -> Result<bool, LoadError> {
        let (need, room) = self.need(piece)?;
        if piece.capacity() - piece.len() < need {
            piece.reserve_exact(room);
        }
        let before = piece.len();
        let read = self.source.read(piece, need, threads);
        let len = piece.len() - before;
        // A file that ends before its announced length has no more bytes.
        self.unread = if len == 0 { 0 } else { self.unread.saturating_sub(len as u64) };
        read?;
        Ok(need > 0)
    }

    /// Returns how many bytes to read after the start of a frame, and how many to reserve. Returns an error if it is
    /// not a frame.
    fn need(&self, tail: &[u8]) -> Result<(usize, usize), CodecError> {
        let unread = usize::try_from(self.unread).unwrap_or(usize::MAX);
        let Some(len) = frames::payload_len(tail, self.at, tail.len().saturating_add(unread))? else {
            return Ok((unread.min(PIECE_LEN), 0));
        };
        let rest = len + PREFIX_LEN - tail.len();
        if rest < PIECE_LEN / 2 && tail.len() <= PIECE_LEN {
            return Ok((unread.min(PIECE_LEN), 0));
        }
        // Of a long frame exactly the rest, and the length of the next frame, so that no bytes have to be moved.
        let rest = unread.min(rest + PREFIX_LEN);
        // The announced length of a compressed file is trusted in proportion to the bytes already read.
        let room = if self.is_compressed() { rest.min(PART_LEN + 3 * tail.len()) } else { rest };
        Ok((rest.min(PART_LEN), room))
    }
}

impl Source {
    /// Appends about `max` bytes to `out`, even before an error.
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
