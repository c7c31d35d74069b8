//! The bytes of a stream, compressed or not, and why they are not read to their end.

use std::io::{self, Read, Seek, SeekFrom};

use crate::compressed::{CompressedError, Decoder};
use crate::encrypted::{Decrypter, EncryptedError};
use varbatch_codec::{CodecError, CodecErrorKind};
use varbatch_workers::Threads;

/// Bytes that are read at a time, unless a frame is longer: they stay in the cache until they are decoded.
pub(super) const READ_LEN: usize = 1 << 20;

/// Max bytes that are read at a time to find frames by their lengths.
pub(crate) const WALK_LEN: usize = 64 << 10;

/// Bytes read at a time to find one that is not zero, and max zeros passed in a plain file: 16 million empty frames.
const ZEROS_LEN: usize = 4 << 10;
const MAX_ZEROS_LEN: u64 = 64 << 20;

/// A source of bytes. A [`SeekFrom::Start`] counts from the first byte of the file.
pub trait Input: Read + Seek + Send {}
impl<T: Read + Seek + Send> Input for T {}

pub(crate) enum Source {
    Plain(Box<dyn Input>),
    Compressed(Box<Decoder<Box<dyn Input>>>),
    Encrypted(Box<Decrypter>),
}

impl Source {
    /// Appends about `max` bytes to `out`, even before an error.
    pub(crate) fn read(&mut self, out: &mut Vec<u8>, max: usize, threads: &Threads) -> Result<(), LoadError> {
        match self {
            Self::Plain(input) => {
                out.reserve(max);
                input.by_ref().take(max as u64).read_to_end(out)?;
            }
            Self::Compressed(decoder) => _ = decoder.read(out, max, threads)?,
            Self::Encrypted(decrypter) => decrypter.read(out, max)?,
        }
        Ok(())
    }

    /// Continues at offset `at` of the stream, without reading what is between. An encrypted one must not have been read yet.
    pub(super) fn seek(&mut self, at: u64) -> Result<(), LoadError> {
        match self {
            Self::Plain(input) => _ = input.seek(SeekFrom::Start(at))?,
            Self::Compressed(decoder) => decoder.seek(at)?,
            Self::Encrypted(decrypter) => decrypter.skipped = at,
        }
        Ok(())
    }

    /// Returns the offset of the first byte from `at` on that is not zero, or cannot be read. The next read continues at
    /// `read_to`, if it is a plain file. Fails if a plain file has only zeros from there on to `end`, or for
    /// [`MAX_ZEROS_LEN`]. Others are never written in place.
    pub(super) fn nonzero(&mut self, at: u64, end: u64, read_to: u64) -> Result<u64, LoadError> {
        let Self::Plain(input) = self else { return Ok(end) };
        let (mut from, mut part) = (at, Vec::with_capacity(ZEROS_LEN));
        input.seek(SeekFrom::Start(at))?;
        loop {
            part.clear();
            let read = input.by_ref().take((end - from).min(ZEROS_LEN as u64)).read_to_end(&mut part);
            let first = part.iter().position(|&byte| byte != 0);
            if first.is_some() || read.is_err() {
                input.seek(SeekFrom::Start(read_to))?;
                return Ok(from + first.unwrap_or(part.len()) as u64);
            }
            if part.is_empty() && from < end {
                return Err(shortened());
            }
            if part.is_empty() || from - at >= MAX_ZEROS_LEN {
                return Err(LoadError::Zeros { at, found: from - at });
            }
            from += part.len() as u64;
        }
    }
}

/// Why a file was not read to its end. The frames before the error were returned.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the texts of the errors say what they are")]
pub enum LoadError {
    #[error("{}", crate::words::words(.0))]
    Read(#[from] io::Error),
    #[error(transparent)]
    Compressed(#[from] CompressedError),
    #[error(transparent)]
    Encrypted(#[from] EncryptedError),
    #[error("expected {skipped} bytes before the values, found {found}")]
    Short { skipped: u64, found: u64 },
    #[error("{}", cut_off(.0))]
    Frame(#[from] CodecError),
    /// From a frame's length on, a plain file is zeros up to its end or for many MiB, as a power cut leaves them.
    #[error("expected a value, found nothing but zeros ({}{found} bytes), at byte {at}", at_least(*.found))]
    Zeros { at: u64, found: u64 },
}

impl LoadError {
    /// True if the bytes were read and are not what was saved. False if the system did not read them, or another key would.
    pub fn is_damage(&self) -> bool {
        let is_unread = matches!(self, Self::Read(_) | Self::Compressed(CompressedError::Read { .. }));
        !is_unread && !matches!(self, Self::Encrypted(EncryptedError::WrongKey))
    }
}

/// A file that ends before the length that it had when it was opened.
pub(crate) fn shortened() -> LoadError {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter while it was read").into()
}

/// The search for another byte may have ended before the zeros.
fn at_least(found: u64) -> &'static str {
    if found < MAX_ZEROS_LEN { "" } else { "at least " }
}

fn cut_off(error: &CodecError) -> String {
    let CodecErrorKind::ShortFrame { part, expected, found } = *error.kind() else { return error.to_string() };
    let missing = expected - found;
    let damaged = if missing > found && part == "payload" { ", or the length of a value is damaged" } else { "" };
    let are = if missing == 1 { "byte is" } else { "bytes are" };
    format!("the file is cut off{damaged}, {missing} {are} missing, at byte {}", error.at())
}
