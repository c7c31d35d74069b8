//! The bytes of a stream, compressed or not.

use std::io::{Read, Seek, SeekFrom};

use super::error::LoadError;
use crate::compressed::Decoder;
use varbatch_workers::Threads;

/// A source of bytes. A [`SeekFrom::Start`] counts from the first byte of the file.
pub trait Input: Read + Seek + Send {}
impl<T: Read + Seek + Send> Input for T {}

pub(in crate::load) enum Source {
    Plain(Box<dyn Input>),
    Compressed(Box<Decoder<Box<dyn Input>>>),
}

impl Source {
    /// Appends about `max` bytes to `out`, even before an error.
    pub(in crate::load) fn read(&mut self, out: &mut Vec<u8>, max: usize, threads: &Threads) -> Result<(), LoadError> {
        match self {
            Self::Plain(input) => {
                out.reserve(max);
                input.by_ref().take(max as u64).read_to_end(out)?;
            }
            Self::Compressed(decoder) => _ = decoder.read(out, max, threads)?,
        }
        Ok(())
    }

    /// Continues at offset `at` of the stream, without reading what is between.
    pub(in crate::load) fn seek(&mut self, at: u64) -> Result<(), LoadError> {
        match self {
            Self::Plain(input) => _ = input.seek(SeekFrom::Start(at))?,
            Self::Compressed(decoder) => decoder.seek(at)?,
        }
        Ok(())
    }

    /// Returns how many bytes of a stream of `len` bytes the file has room for.
    pub(in crate::load) fn whole_len(&self, len: u64) -> u64 {
        match self {
            Self::Plain(_) => len,
            Self::Compressed(decoder) => decoder.whole_len(),
        }
    }

    /// Looks at the end of a compressed file, `whole_len` bytes into the stream.
    ///
    /// # Errors
    /// The same as from reading on from there: a block that is cut off, or a damaged end.
    pub(in crate::load) fn check_end(&mut self, whole_len: u64) -> Result<(), LoadError> {
        if let Self::Compressed(decoder) = self {
            decoder.seek(whole_len)?;
            decoder.read(&mut Vec::new(), 1, &Threads::alone())?;
        }
        Ok(())
    }
}
