//! Opens a file, and finds out what is in it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use varbatch_codec::compressed::is_compressed;
use varbatch_codec::file::Loader;
use varbatch_codec::limits::MAX_VALUE_LEN;
use varbatch_codec::{Dialect, Reader, Threads, frames, validate};

use crate::args::Format;
use crate::failure::Failure;

/// A file that is open.
pub enum Source {
    /// Values behind their lengths.
    Frames(Loader),
    /// The bytes of one value, and perhaps more behind it.
    Value(Vec<u8>),
}

impl Source {
    /// Opens the file, as what `format` says.
    pub fn open(path: &Path, format: Format, dialect: Dialect) -> Result<Self, Failure> {
        let at = |error| Failure::file(path, error);
        // Asked before it is opened, which not every system does with a folder.
        let metadata = std::fs::metadata(path).map_err(at)?;
        if metadata.is_dir() {
            return Err(at(io::ErrorKind::IsADirectory.into()));
        }
        let file = File::open(path).map_err(at)?;
        let value = match format {
            Format::Frames => None,
            Format::Value => Some(read(file, metadata.len()).map_err(at)?),
            Format::Auto => find_value(file, metadata.len(), dialect).map_err(at)?,
        };
        match value {
            Some(bytes) => Ok(Self::Value(bytes)),
            None => Loader::open(path).map(Self::Frames).map_err(|error| Failure::load(path, error)),
        }
    }
}

/// All of a file that may be one value.
fn read(file: File, len: u64) -> io::Result<Vec<u8>> {
    // What is longer is no value, and the Reader says so at the first byte that is too much.
    let most = MAX_VALUE_LEN as u64 + 1;
    let mut bytes = Vec::with_capacity(len.min(most) as usize);
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes of a file that is one value, and no frames.
fn find_value(mut file: File, len: u64, dialect: Dialect) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.by_ref().take(frames::PREFIX_LEN as u64).read_to_end(&mut bytes)?;
    if is_compressed(&bytes) || len > MAX_VALUE_LEN as u64 {
        return Ok(None);
    }
    let Some(prefix) = bytes.first_chunk() else { return Ok(None) };
    let first = u64::from(u32::from_le_bytes(*prefix));
    let has_frame = first + frames::PREFIX_LEN as u64 <= len;
    if has_frame {
        file.by_ref().take(first).read_to_end(&mut bytes)?;
    }
    if has_frame && is_value(&bytes[frames::PREFIX_LEN..], dialect) {
        return Ok(None);
    }
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| is_value(bytes, dialect)))
}

/// Whether a value takes all of the bytes. The padding of a last PackedByteArray may be missing.
pub fn is_value(bytes: &[u8], dialect: Dialect) -> bool {
    validate(reader(bytes, 0, dialect)).is_ok_and(|len| len >= bytes.len())
}

/// A reader of what anybody wants to look at.
pub fn reader(bytes: &[u8], base: usize, dialect: Dialect) -> Reader<'_> {
    Reader::at(bytes, base).dialect(dialect).allow_objects(true)
}

/// A frame of a file.
pub struct Frame<'a> {
    pub index: usize,
    /// Where its value begins, in the file as it is uncompressed.
    pub at: usize,
    pub payload: &'a [u8],
    /// Bytes of the file behind the piece that it was read with, and of all of the file.
    pub left: (u64, u64),
}

/// Gives all frames to `take`, until it fails.
pub fn each_frame(
    path: &Path,
    loader: &mut Loader,
    threads: &Threads,
    mut take: impl FnMut(Frame<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (mut piece, mut index) = (Vec::new(), 0);
    while let Some(base) = loader.read(&mut piece, threads).map_err(|error| Failure::load(path, error))? {
        let (len, left) = loader.len();
        for frame in frames::read(&piece) {
            let frame = frame.expect("pieces are whole frames");
            take(Frame { index, at: base + frame.at, payload: frame.payload, left: (left, len) })?;
            index += 1;
        }
    }
    Ok(())
}
