//! What a command reads: a file, the standard input, or a pipe. Each can be read again from its start.
//!
//! A pipe is first copied to a temporary file without a name: most formats need its length, and some are read twice.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use crate::failure::{Failure, say, unnamed};

/// The path that means the standard input or output.
pub const STANDARD: &str = "-";

/// Something to read.
#[derive(Debug)]
pub struct Input {
    /// The name in messages.
    name: String,
    bytes: Bytes,
}

/// Bytes of a file. Clones do not disturb each other.
#[derive(Clone, Debug)]
pub struct Bytes {
    file: Arc<File>,
    /// The byte of the file where they begin.
    start: u64,
    len: u64,
    /// The byte of the file that is read next.
    at: u64,
}

impl Input {
    /// Opens what `path` names, and reads a pipe to its end.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        if path == Path::new(STANDARD) {
            return Self::standard();
        }
        let name = name(path);
        let failed = |error: io::Error| Failure::file(&name, error);
        // Before it is opened: opening a device can have an effect, and not every system opens a folder.
        varbatch_storage::refuse_name(path).map_err(failed)?;
        let metadata = fs::metadata(path).map_err(failed)?;
        if let Some(what) = special(&metadata) {
            return Err(Failure::file(&name, format_args!("expected a file or a pipe, found {what}")));
        }
        if metadata.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let file = File::open(path).map_err(failed)?;
        Self::of(name.clone(), file).map_err(failed)
    }

    fn standard() -> Result<Self, Failure> {
        let name = "standard input";
        if io::stdin().is_terminal() {
            say("note", "reading standard input");
        }
        // Windows may give the bytes that wait in a pipe as the length of a file.
        let of = if cfg!(windows) { Self::copy } else { Self::of };
        standard_input().and_then(|file| of(name.into(), file)).map_err(|error| Failure::file(name, error))
    }

    /// Takes an open file from its position on.
    fn of(name: String, mut file: File) -> io::Result<Self> {
        // Files that the system makes up claim to be empty.
        let len = file.metadata().map_or(0, |metadata| if metadata.is_file() { metadata.len() } else { 0 });
        if len > 0 {
            let start = file.stream_position()?;
            let bytes = Bytes { file: file.into(), start, len: len.saturating_sub(start), at: start };
            return Ok(Self { name, bytes });
        }
        Self::copy(name, file)
    }

    /// Reads a file that has a position and no length to its end.
    fn copy(name: String, mut file: File) -> io::Result<Self> {
        let uncopied = |error| io::Error::other(format!("cannot copy it to a temporary file: {}", unnamed(&error)));
        let mut kept = tempfile::tempfile().map_err(uncopied)?;
        let len = io::copy(&mut file, &mut kept)?;
        Ok(Self { name, bytes: Bytes { file: kept.into(), start: 0, len, at: 0 } })
    }

    /// The name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its length in bytes.
    pub fn len(&self) -> u64 {
        self.bytes.len
    }

    /// Reads it from its start.
    pub fn reader(&self) -> Bytes {
        self.bytes.clone()
    }
}

/// A path in messages. Bytes that are no text are escaped.
pub fn name(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        name += chunk.valid();
        chunk.invalid().iter().for_each(|byte| name += &format!("\\x{byte:02x}"));
    }
    name
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(&*self.file, buffer, self.at)?;
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(&*self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Bytes {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => self.start.checked_add(at),
            SeekFrom::End(by) => (self.start + self.len).checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.filter(|at| *at >= self.start).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at - self.start)
    }
}

#[cfg(unix)]
fn standard_input() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

#[cfg(windows)]
fn standard_input() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}

/// Names a file that never ends, or cannot be opened.
#[cfg(unix)]
fn special(metadata: &fs::Metadata) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    if kind.is_char_device() || kind.is_block_device() {
        Some("a device")
    } else if kind.is_socket() {
        Some("a socket")
    } else {
        None
    }
}

#[cfg(windows)]
fn special(_: &fs::Metadata) -> Option<&'static str> {
    None
}
