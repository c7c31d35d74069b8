//! What a command reads: a file, the standard input, or a pipe. Each can be read again from its start.
//!
//! A pipe is first copied to a temporary file without a name: most formats need its length, and some are read twice.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use varbatch_workers::Threads;

use crate::args::{DialectName, Reading};
use crate::output::say;

/// The path that means the standard input or output.
pub const STANDARD: &str = "-";

/// Something to read, and how.
#[derive(Debug)]
pub struct Input {
    /// The name in messages.
    pub name: String,
    /// The engine that wrote it.
    pub from: DialectName,
    pub reading: Reading,
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
    ///
    /// # Errors
    /// Says what cannot be read, and why.
    pub fn open(path: &Path, from: DialectName, reading: Reading) -> Result<Rc<Self>, String> {
        let (name, bytes) = match path == Path::new(STANDARD) {
            true => ("standard input".into(), Bytes::standard()),
            false => (name(path), Bytes::open(path)),
        };
        let bytes = bytes.map_err(|error| format!("{name}: {error}"))?;
        Ok(Rc::new(Self { name, from, reading, bytes }))
    }

    /// Its length in bytes.
    pub fn len(&self) -> u64 {
        self.bytes.len
    }

    /// Reads it from its start.
    pub fn reader(&self) -> Bytes {
        self.bytes.clone()
    }

    /// The threads that work on all inputs.
    pub fn threads(&self) -> &'static Threads {
        static THREADS: OnceLock<Threads> = OnceLock::new();
        THREADS.get_or_init(|| Threads::new(self.reading.threads))
    }
}

impl Bytes {
    fn open(path: &Path) -> io::Result<Self> {
        // Before it is opened: opening a device can have an effect, and not every system opens a folder.
        varbatch_storage::refuse_name(path)?;
        let metadata = fs::metadata(path)?;
        #[cfg(unix)]
        if let Some(what) = special(&metadata) {
            return Err(io::Error::other(format!("expected a file or a pipe, found {what}")));
        }
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Self::of(File::open(path)?)
    }

    fn standard() -> io::Result<Self> {
        if io::stdin().is_terminal() {
            say("note", "reading standard input");
        }
        #[cfg(unix)]
        let bytes = Self::of(std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?.into());
        // Windows may give the bytes that wait in a pipe as the length of a file.
        #[cfg(windows)]
        let bytes = Self::copy(io::stdin());
        bytes
    }

    /// Takes an open file from its position on.
    fn of(mut file: File) -> io::Result<Self> {
        // Files that the system makes up claim to be empty.
        let len = file.metadata().map_or(0, |metadata| if metadata.is_file() { metadata.len() } else { 0 });
        if len == 0 {
            return Self::copy(file);
        }
        let start = file.stream_position()?;
        Ok(Self { file: file.into(), start, len: len.saturating_sub(start), at: start })
    }

    /// Reads what has a position and no length to its end.
    fn copy(mut from: impl Read) -> io::Result<Self> {
        let uncopied = |error| io::Error::other(format!("cannot copy it to a temporary file: {}", unnamed(&error)));
        let mut kept = tempfile::tempfile().map_err(uncopied)?;
        let len = io::copy(&mut from, &mut kept)?;
        Ok(Self { file: kept.into(), start: 0, len, at: 0 })
    }
}

/// A path in messages. Bytes that are no text are escaped.
pub fn name(path: &Path) -> String {
    let chunks = path.as_os_str().as_encoded_bytes().utf8_chunks();
    chunks.map(|chunk| format!("{}{}", chunk.valid(), chunk.invalid().escape_ascii())).collect()
}

/// Returns what `tempfile` says about a temporary file, without the file's path.
pub fn unnamed(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" at path ").map_or(text.as_str(), |(text, _)| text).to_owned()
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

/// Names a file that never ends, or cannot be opened.
#[cfg(unix)]
fn special(metadata: &fs::Metadata) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    let is_device = kind.is_char_device() || kind.is_block_device();
    if is_device { Some("a device") } else { kind.is_socket().then_some("a socket") }
}
