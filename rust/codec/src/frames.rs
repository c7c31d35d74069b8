//! Reads and writes frames: what `FileAccess.store_var` and `StreamPeer.put_var` write.
//!
//! A frame is a little-endian `u32` length in bytes, followed by a value of that length.

use std::io::{self, ErrorKind, Read};

use crate::{CodecError, CodecErrorKind, MAX_VALUE_LEN, Writer};

/// Bytes of the length before each value.
pub const PREFIX_LEN: usize = 4;

/// Writes one value as a frame. `write` writes its events; this function ends the value.
///
/// # Errors
/// Those of `write` and of [`Writer::end_value`]. On error nothing is written, as with `store_var`.
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

/// Reads frames from a source such as a socket or a file, one at a time. A source that makes a system call for each read
/// belongs in a [`BufReader`](io::BufReader).
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

    /// Returns the payload of the next frame, `None` if the source has ended. No memory is taken for bytes that have not
    /// come.
    ///
    /// # Errors
    /// Those of the source. `UnexpectedEof` if it ends inside a frame, and `InvalidData` if a payload is longer than it
    /// may be: what follows is lost, as nobody knows where a frame begins.
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

/// Returns the payload length, in bytes, of the frame at `at`. `bytes` is what was read of the frame so far, and the
/// stream has `available` bytes from `at` on. `None` if `bytes` does not hold the length, or the stream has ended.
///
/// # Errors
/// If the stream ends inside the frame, or the payload is longer than [`MAX_VALUE_LEN`]: whatever follows is lost with it.
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
