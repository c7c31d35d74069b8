//! Finds out what is in an input, and reads its values one by one.

use std::io::{self, Read};

use varbatch_codec::limits::MAX_VALUE_LEN;
use varbatch_codec::{CodecErrorKind, Dialect, Reader, frames, validate};
use varbatch_storage::Loader;
use varbatch_storage::compressed::is_compressed;
use varbatch_workers::Threads;

use crate::args::Format;
use crate::failure::Failure;
use crate::input::Input;

/// Bytes of an input that are looked at before all of it is held as one value.
const PROBE: u64 = 1 << 20;

/// An input that is open.
pub enum Source {
    /// Values behind their lengths.
    Frames(Loader),
    /// The bytes of one value, and perhaps more behind it.
    Value(Vec<u8>),
}

impl Source {
    /// Opens an input, as what `format` says.
    pub fn open(input: &Input, format: Format, dialect: Dialect) -> Result<Self, Failure> {
        let failed = |error| Failure::file(input.name(), error);
        let value = match format {
            Format::Frames => None,
            Format::Value => Some(read(input).map_err(failed)?),
            Format::Auto => find_value(input, dialect).map_err(failed)?,
        };
        match value {
            Some(bytes) => Ok(Self::Value(bytes)),
            None => loader(input).map(Self::Frames),
        }
    }
}

/// Reads an input as frames.
pub fn loader(input: &Input) -> Result<Loader, Failure> {
    Loader::new(Box::new(input.reader()), input.len()).map_err(|error| Failure::load(input.name(), error))
}

/// All of an input that may be one value.
fn read(input: &Input) -> io::Result<Vec<u8>> {
    // What is longer is no value, and the Reader says so at the first byte that is too much.
    let most = MAX_VALUE_LEN as u64 + 1;
    let mut bytes = Vec::with_capacity(input.len().min(most) as usize);
    input.reader().take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes of an input that is one value, and no frames.
fn find_value(input: &Input, dialect: Dialect) -> io::Result<Option<Vec<u8>>> {
    let (mut file, mut bytes) = (input.reader(), Vec::new());
    file.by_ref().take(frames::PREFIX_LEN as u64).read_to_end(&mut bytes)?;
    if is_compressed(&bytes) || input.len() > MAX_VALUE_LEN as u64 {
        return Ok(None);
    }
    let Some(prefix) = bytes.first_chunk() else { return Ok(None) };
    let first = u64::from(u32::from_le_bytes(*prefix));
    let has_frame = first + frames::PREFIX_LEN as u64 <= input.len();
    if has_frame {
        file.by_ref().take(first).read_to_end(&mut bytes)?;
    }
    if has_frame && is_value(&bytes[frames::PREFIX_LEN..], dialect) {
        return Ok(None);
    }
    file.by_ref().take(PROBE.saturating_sub(bytes.len() as u64)).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < input.len() && !may_go_on(&bytes, dialect) {
        return Ok(None);
    }
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| is_value(bytes, dialect)))
}

/// Whether a value takes all of the bytes. The padding of a last PackedByteArray may be missing.
pub fn is_value(bytes: &[u8], dialect: Dialect) -> bool {
    validate(reader(bytes, 0, dialect)).is_ok_and(|len| len >= bytes.len())
}

/// Whether these may be the first bytes of a value that is longer.
fn may_go_on(bytes: &[u8], dialect: Dialect) -> bool {
    match validate(reader(bytes, 0, dialect)) {
        Ok(len) => len >= bytes.len(),
        Err(error) => {
            matches!(
                error.kind(),
                CodecErrorKind::Short { .. } | CodecErrorKind::NoHeader { .. } | CodecErrorKind::ShortCount { .. }
            )
        }
    }
}

/// A reader of what anybody wants to look at.
pub fn reader(bytes: &[u8], base: usize, dialect: Dialect) -> Reader<'_> {
    Reader::at(bytes, base).dialect(dialect).allow_objects(true)
}

/// A frame of a stream.
pub struct Frame<'a> {
    pub index: usize,
    /// Where its value begins, in the stream as it is uncompressed.
    pub at: usize,
    pub payload: &'a [u8],
    /// Bytes of the stream behind the piece that it was read with, and of all of it.
    pub left: (u64, u64),
}

/// The frames of an input, one after the other.
pub struct Frames<'i> {
    input: &'i Input,
    loader: Loader,
    threads: &'i Threads,
    /// Whole frames, where in the stream they begin, and how much of them was given.
    piece: Vec<u8>,
    base: usize,
    given: usize,
    index: usize,
}

impl<'i> Frames<'i> {
    pub fn new(input: &'i Input, loader: Loader, threads: &'i Threads) -> Self {
        Self { input, loader, threads, piece: Vec::new(), base: 0, given: 0, index: 0 }
    }

    /// The next one. An error is about what is behind the last.
    pub fn next(&mut self) -> Result<Option<Frame<'_>>, Failure> {
        if self.given == self.piece.len() {
            let read = self.loader.read(&mut self.piece, self.threads);
            let Some(base) = read.map_err(|error| Failure::load(self.input.name(), error))? else {
                self.piece.clear();
                self.given = 0;
                return Ok(None);
            };
            (self.base, self.given) = (base, 0);
        }
        let (len, left) = self.loader.len();
        let rest = frames::read(&self.piece[self.given..]).next();
        let frame = rest.expect("there is one more").expect("pieces are whole frames");
        let (at, index) = (self.given + frame.at, self.index);
        self.given = at + frame.payload.len();
        self.index += 1;
        Ok(Some(Frame { index, at: self.base + at, payload: frame.payload, left: (left, len) }))
    }
}
