//! Frames, as `FileAccess.store_var` and `StreamPeer.put_var` have them: a little-endian `u32` length, then a value.

use std::io::{self, ErrorKind, Read};

use crate::{CodecError, CodecErrorKind, MAX_VALUE_LEN, Writer};

/// Bytes of the length before each value.
pub const PREFIX_LEN: usize = 4;

/// Frames a value that `write` writes. Fails like that and [`Writer::end_value`]; then nothing is written.
#[inline]
pub fn write<'a, E: From<CodecError>>(
    writer: &mut Writer<'a>,
    write: impl FnOnce(&mut Writer<'a>) -> Result<(), E>,
) -> Result<(), E> {
    let frame = writer.mark();
    writer.plan.words([0]);
    let start = writer.mark();
    let written = write(writer).and_then(|()| Ok(writer.end_value(start)?));
    if written.is_ok() {
        // `end_value` refuses lengths over 31 bits.
        let len = writer.mark().position() - start.position();
        writer.plan.patch(frame.small, len as u32);
    } else {
        writer.drop_value(frame);
    }
    written
}

/// One frame of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The offset of the payload in the stream, in bytes.
    pub at: usize,
    /// The bytes that the length announces. The value may be shorter; the rest is ignored, as by `get_var`.
    pub payload: &'a [u8],
}

/// Returns the frames of a stream. The iterator ends with the error of the first damaged frame.
pub fn read(bytes: &[u8]) -> impl Iterator<Item = Result<Frame<'_>, CodecError>> + Clone {
    // What follows the last frame, and its offset in the stream.
    let (mut rest, mut next) = (bytes, 0);
    std::iter::from_fn(move || {
        let len = match payload_len(rest, next, rest.len()) {
            Ok(len) => len?,
            Err(error) => {
                rest = &[];
                return Some(Err(error));
            }
        };
        let (frame, at) = (rest.split_off(..PREFIX_LEN + len)?, next + PREFIX_LEN);
        next = at + len;
        Some(Ok(Frame { at, payload: &frame[PREFIX_LEN..] }))
    })
}

/// Reads frames one at a time from a source such as a socket, best behind a [`BufReader`](io::BufReader).
#[derive(Debug)]
pub struct FrameReader<R> {
    source: R,
    max_len: usize,
    /// The offset of the next frame in the source, in bytes.
    at: usize,
    payload: Vec<u8>,
}

impl<R: Read> FrameReader<R> {
    /// Creates a reader of frames whose payload has at most `max_len` bytes: whoever sends a frame chooses its length.
    pub fn new(source: R, max_len: usize) -> Self {
        Self { source, max_len, at: 0, payload: Vec::new() }
    }

    /// Returns the next payload, `None` at the source's end. Takes no memory for bytes that have not come. Fails like
    /// the source, with `UnexpectedEof` in a frame, with `InvalidData` if a payload is too long: then the rest is lost.
    pub fn read(&mut self) -> io::Result<Option<&[u8]>> {
        if self.take(PREFIX_LEN)? == 0 {
            return Ok(None);
        }
        let prefix = self.payload.clone();
        let announced = prefix.first_chunk().map_or(0, |prefix| u32::from_le_bytes(*prefix) as usize);
        if announced > self.max_len {
            let problem = format!("expected at most {} bytes in a frame, found {announced}", self.max_len);
            return Err(io::Error::new(ErrorKind::InvalidData, problem));
        }
        let found = prefix.len() + self.take(announced)?;
        match payload_len(&prefix, self.at, found) {
            Ok(_) => self.at += found,
            Err(error) => {
                let is_short = matches!(error.kind(), CodecErrorKind::ShortFrame { .. });
                let kind = if is_short { ErrorKind::UnexpectedEof } else { ErrorKind::InvalidData };
                return Err(io::Error::new(kind, error));
            }
        }
        Ok(Some(&self.payload))
    }

    /// Reads as many bytes, or fewer if the source ends.
    fn take(&mut self, len: usize) -> io::Result<usize> {
        self.payload.clear();
        self.source.by_ref().take(len as u64).read_to_end(&mut self.payload)
    }
}

/// Returns the payload's length, in bytes, of the frame at `at`, of which `bytes` were read. `None` without it or at
/// the end. Fails if the stream, which has `available` bytes, ends in it, or it is over [`MAX_VALUE_LEN`].
#[inline]
pub fn payload_len(bytes: &[u8], at: usize, available: usize) -> Result<Option<usize>, CodecError> {
    let Some(prefix) = bytes.first_chunk() else {
        return match available {
            1..PREFIX_LEN => Err(short(at, "length", PREFIX_LEN, available)),
            _ => Ok(None),
        };
    };
    let (len, found) = (u32::from_le_bytes(*prefix) as usize, available - PREFIX_LEN);
    if found < len {
        Err(short(at + PREFIX_LEN, "payload", len, found))
    } else if len > MAX_VALUE_LEN {
        Err(CodecError::new(at + PREFIX_LEN, CodecErrorKind::TooLarge { found: len }))
    } else {
        Ok(Some(len))
    }
}

/// Not inlined, so that the loops over frames stay small.
#[cold]
fn short(at: usize, part: &'static str, expected: usize, found: usize) -> CodecError {
    CodecError::new(at, CodecErrorKind::ShortFrame { part, expected, found })
}
