//! What a command reads: a file, the standard input, or a pipe; and what can go wrong.
//!
//! A pipe is first copied to a temporary file without a name: most formats need its length, and some are read twice.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Seek};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use glob::{MatchOptions, glob_with};
use varbatch_storage::compressed::CompressedError;
use varbatch_storage::{LoadError, words};
use varbatch_workers::Threads;

use crate::args::{DialectName, Reading};
use crate::output::say;

/// The path that means the standard input or output.
pub const STANDARD: &str = "-";

#[derive(Debug)]
pub struct Input {
    pub path: PathBuf,
    pub name: String,
    pub from: DialectName,
    pub reading: Reading,
    file: Arc<File>,
    pub len: u64,
}

impl Input {
    /// Opens what `path` names, and reads a pipe to its end.
    pub fn open(path: &Path, from: DialectName, reading: Reading) -> Result<Rc<Self>, Failure> {
        let (name, opened) = match path == Path::new(STANDARD) {
            true => ("standard input".into(), standard()),
            false => (name(path), open(path)),
        };
        let (file, len) = opened.map_err(|error| Failure::file(&name, words(&error)))?;
        Ok(Rc::new(Self { path: path.into(), name, from, reading, file: file.into(), len }))
    }

    /// Reads it from its start. Readers before cannot be used any more.
    pub fn reader(&self) -> io::Result<Arc<File>> {
        (&*self.file).rewind()?;
        Ok(Arc::clone(&self.file))
    }

    /// Returns its first bytes, at most `max`.
    pub fn read(&self, max: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(self.len.min(max) as usize)?;
        self.reader()?.take(max).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    pub fn threads(&self) -> &'static Threads {
        static THREADS: OnceLock<Threads> = OnceLock::new();
        THREADS.get_or_init(|| Threads::new(self.reading.threads))
    }
}

fn open(path: &Path) -> io::Result<(File, u64)> {
    // Before it is opened: opening a device can have an effect, and not every system opens a folder.
    varbatch_storage::refuse_name(path)?;
    let metadata = fs::metadata(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = metadata.file_type();
        let is_device = kind.is_char_device() || kind.is_block_device();
        if is_device || kind.is_socket() {
            let what = if is_device { "a device" } else { "a socket" };
            return Err(io::Error::other(format!("expected a file or a pipe, found {what}")));
        }
    }
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    with_len(File::open(path)?)
}

fn standard() -> io::Result<(File, u64)> {
    if io::stdin().is_terminal() {
        say("note", "reading standard input");
    }
    #[cfg(unix)]
    let opened = with_len(std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?.into());
    // Windows may give the bytes that wait in a pipe as the length of a file.
    #[cfg(windows)]
    let opened = copy(io::stdin());
    opened
}

/// Returns an open file with its length: itself, if its length is known and nothing of it was read.
fn with_len(mut file: File) -> io::Result<(File, u64)> {
    // Files that the system makes up claim to be empty.
    let len = file.metadata().map_or(0, |metadata| if metadata.is_file() { metadata.len() } else { 0 });
    if len > 0 && file.stream_position()? == 0 { Ok((file, len)) } else { copy(file) }
}

fn copy(mut from: impl Read) -> io::Result<(File, u64)> {
    let uncopied = |error| io::Error::other(format!("cannot copy it to a temporary file: {}", unnamed(&error)));
    let mut kept = tempfile::tempfile().map_err(uncopied)?;
    let len = io::copy(&mut from, &mut kept)?;
    Ok((kept, len))
}

/// A path in messages. Bytes that are no text are escaped.
pub fn name(path: &Path) -> String {
    let chunks = path.as_os_str().as_encoded_bytes().utf8_chunks();
    chunks.map(|chunk| format!("{}{}", chunk.valid(), chunk.invalid().escape_ascii())).collect()
}

/// Returns what `tempfile` says about a temporary file, without the file's path.
pub fn unnamed(error: &io::Error) -> String {
    let text = words(error);
    text.split_once(" at path ").map_or(text.as_str(), |(text, _)| text).to_owned()
}

/// Returns the files that each path stands for, in the order of their names: with `*` and `?`, which the shells of Windows
/// leave to programs. A path that stands for none is kept: opening it fails, and says so, as no file has such a name there.
pub fn expand(paths: &[PathBuf]) -> Vec<PathBuf> {
    let options = MatchOptions { case_sensitive: false, ..MatchOptions::new() };
    let files = |path: &PathBuf| {
        // A bracket is a part of the name.
        let pattern = path.to_str().filter(|name| name.contains(['*', '?']))?.replace('[', "[[]");
        let found = glob_with(&pattern, options).ok()?.flatten().filter(|path| path.is_file());
        Some(found.collect()).filter(|files: &Vec<_>| !files.is_empty())
    };
    paths.iter().flat_map(|path| files(path).unwrap_or_else(|| vec![path.clone()])).collect()
}

/// Why a command ends early: damaged data; wrong arguments; a file; the standard output; or what was reported, with its code.
#[derive(Debug)]
pub enum Failure {
    Data(Rc<Input>, String),
    Usage(String),
    File(String),
    Output(io::Error),
    Reported(u8),
}

impl Failure {
    pub fn data(input: &Rc<Input>, error: impl Display) -> Self {
        Self::Data(Rc::clone(input), error.to_string())
    }

    pub fn file(name: &str, error: impl Display) -> Self {
        Self::File(format!("{name}: {error}"))
    }

    pub fn load(input: &Rc<Input>, error: LoadError) -> Self {
        match error {
            LoadError::Read(_) | LoadError::Compressed(CompressedError::Read { .. }) => Self::file(&input.name, error),
            _ => Self::data(input, error),
        }
    }
}

/// An error of the system about the standard output, which is the only file without a name.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

#[cfg(test)]
#[path = "../tests/unit/input.rs"]
mod tests;
