//! Frames, as `FileAccess.store_var` and `StreamPeer.put_var` have them: a little-endian `u32` length, then a value.

use std::io::{self, ErrorKind, Read, Write};
use std::mem;

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

/// Finds frames in bytes as they come, for programs that read on their own, as with an async runtime.
///
/// ```
/// use varbatch_codec::{Value, frames::FrameBuffer};
///
/// let (mut frames, bytes) = (FrameBuffer::new(1 << 20), Value::from("hello").encode_frame()?);
/// frames.push(&bytes[..7]);
/// assert_eq!(frames.next()?, None);
/// frames.push(&bytes[7..]);
/// assert_eq!(frames.next()?.map(Value::decode), Some(Ok("hello".into())));
/// # Ok::<(), varbatch_codec::CodecError>(())
/// ```
#[derive(Debug)]
pub struct FrameBuffer {
    max_len: usize,
    bytes: Vec<u8>,
    /// Where the next frame begins in `bytes`, and in the stream.
    start: usize,
    at: usize,
}

impl FrameBuffer {
    /// Creates a buffer for frames whose payload has at most `max_len` bytes: whoever sends a frame chooses its length.
    pub fn new(max_len: usize) -> Self {
        Self { max_len, bytes: Vec::new(), start: 0, at: 0 }
    }

    /// Adds the next bytes of the stream, any number of them. Take the frames that are whole before you add more.
    pub fn push(&mut self, bytes: &[u8]) {
        self.room().extend_from_slice(bytes);
    }

    /// Returns the next payload, `None` until it is whole. Fails if it is too long, now and at each further call.
    #[expect(clippy::should_implement_trait, reason = "an iterator cannot lend")]
    pub fn next(&mut self) -> Result<Option<&[u8]>, CodecError> {
        if self.missing()? > 0 {
            return Ok(None);
        }
        let frame = self.start..self.start + self.frame_len()?;
        (self.start, self.at) = (frame.end, self.at + frame.len());
        Ok(Some(&self.bytes[frame][PREFIX_LEN..]))
    }

    /// Call it at the end of the stream: fails if that is inside a frame.
    pub fn finish(&self) -> Result<(), CodecError> {
        let (mut rest, mut at) = (&self.bytes[self.start..], self.at);
        while let Some(len) = payload_len(rest, at, rest.len())? {
            (rest, at) = (&rest[PREFIX_LEN + len..], at + PREFIX_LEN + len);
        }
        Ok(())
    }

    /// Returns the length of the next frame as far as it is known: that of its length, until it is here.
    fn frame_len(&self) -> Result<usize, CodecError> {
        let prefix = self.bytes[self.start..].first_chunk();
        let found = prefix.map_or(0, |prefix| u32::from_le_bytes(*prefix) as usize);
        let max_len = self.max_len.min(MAX_VALUE_LEN);
        if found > max_len {
            let why = format!("expected at most {max_len} bytes in a frame, found {found}");
            return Err(CodecError::new(self.at, CodecErrorKind::Refused(why)));
        }
        Ok(PREFIX_LEN + found)
    }

    /// Returns how many bytes it takes at least until a frame is whole.
    fn missing(&self) -> Result<usize, CodecError> {
        Ok(self.frame_len()?.saturating_sub(self.bytes.len() - self.start))
    }

    /// Drops the frames that were taken, if they are half of all: each byte is moved once. Returns the others, to add to them.
    fn room(&mut self) -> &mut Vec<u8> {
        if 2 * self.start >= self.bytes.len() {
            self.bytes.drain(..mem::take(&mut self.start));
        }
        &mut self.bytes
    }
}

/// Reads frames one at a time from a source such as a socket, best behind a [`BufReader`](io::BufReader).
#[derive(Debug)]
pub struct FrameReader<R> {
    source: R,
    frames: FrameBuffer,
}

impl<R: Read> FrameReader<R> {
    /// Creates a reader of frames whose payload has at most `max_len` bytes: see [`FrameBuffer::new`].
    pub fn new(source: R, max_len: usize) -> Self {
        Self { source, frames: FrameBuffer::new(max_len) }
    }

    /// Returns the next payload, `None` at the source's end. Takes no memory for bytes that have not come. Fails like the
    /// source, after whose `WouldBlock` or `TimedOut` the next call goes on where this one was; with `UnexpectedEof` if
    /// the source ends in a frame; and with `InvalidData`, now and at each further call, if a payload is too long.
    pub fn read(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            match self.frames.missing().map_err(into_io)? {
                0 => return self.frames.next().map_err(into_io),
                missing if self.source.by_ref().take(missing as u64).read_to_end(self.frames.room())? < missing => {
                    return self.frames.finish().map(|()| None).map_err(into_io);
                }
                _ => {}
            }
        }
    }
}

fn into_io(error: CodecError) -> io::Error {
    let is_short = matches!(error.kind(), CodecErrorKind::ShortFrame { .. });
    io::Error::new(if is_short { ErrorKind::UnexpectedEof } else { ErrorKind::InvalidData }, error)
}

/// Writes frames to a target such as a socket, each with one [`write_all`](Write::write_all).
#[derive(Debug)]
pub struct FrameWriter<W> {
    target: W,
    frame: Vec<u8>,
}

impl<W: Write> FrameWriter<W> {
    /// Creates a writer. The target has to wait until it takes bytes: an error in the middle of a frame ends the stream.
    pub fn new(target: W) -> Self {
        Self { target, frame: Vec::new() }
    }

    /// Writes an encoded value, as [`Value::encode`](crate::Value::encode) returns it, behind its length in bytes. Fails like
    /// the target, and with `InvalidInput` for one over [`MAX_VALUE_LEN`].
    pub fn write(&mut self, payload: &[u8]) -> io::Result<()> {
        if payload.len() > MAX_VALUE_LEN {
            return Err(ErrorKind::InvalidInput.into());
        }
        self.frame.clear();
        self.frame.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        self.frame.extend_from_slice(payload);
        self.target.write_all(&self.frame)
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
