//! The bytes of a stream, compressed or not.

use std::io::{Read, Seek, SeekFrom};

use crate::compressed::Decoder;
use crate::encrypted::Decrypter;
use crate::error::{LoadError, MAX_ZEROS_LEN, shortened};
use crate::open::Input;
use varbatch_workers::Threads;

/// Bytes that are read at a time, unless a frame is longer: they stay in the cache until they are decoded.
pub(super) const READ_LEN: usize = 1 << 20;

/// Max bytes that are read at a time to find frames by their lengths.
pub(crate) const WALK_LEN: usize = 64 << 10;

/// Bytes read at a time to find one that is not zero.
const ZEROS_LEN: usize = 4 << 10;

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
