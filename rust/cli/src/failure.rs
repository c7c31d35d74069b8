//! What went wrong, and with which exit code.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use varbatch_codec::compressed;
use varbatch_codec::file::LoadError;

/// Why a command ends before its time, as a line for people.
#[derive(Debug)]
pub enum Failure {
    /// The file is damaged, or cannot be converted.
    Data(String),
    /// Everything was said already, and the file is damaged.
    Told,
    /// The arguments do not fit the file.
    Usage(String),
    /// A file cannot be read or written.
    File(String),
    /// Who reads the output has enough.
    Closed,
}

impl Failure {
    /// About the data of a file.
    pub fn data(path: &Path, error: impl std::fmt::Display) -> Self {
        Self::Data(format!("{}: {error}", path.display()))
    }

    /// What the system says about a file.
    pub fn file(path: &Path, error: impl std::fmt::Display) -> Self {
        Self::File(format!("{}: {error}", path.display()))
    }

    /// What the system says about the standard output.
    pub fn output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::File(format!("the output: {error}")),
        }
    }

    /// What stopped the reading of a file.
    pub fn load(path: &Path, error: LoadError) -> Self {
        match error {
            LoadError::Read(error) => Self::file(path, error),
            LoadError::Compressed(error @ compressed::Error::Read { .. }) => Self::file(path, error),
            LoadError::Compressed(error) => Self::data(path, error),
            LoadError::Frame(error) => Self::data(path, error),
        }
    }

    pub fn is_about_data(&self) -> bool {
        matches!(self, Self::Data(_) | Self::Told)
    }

    /// Says it, if that was not done already.
    pub fn report(&self) {
        match self {
            Self::Data(text) | Self::Usage(text) | Self::File(text) => say("error", text),
            Self::Told | Self::Closed => {}
        }
    }

    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Closed => 0,
            Self::Data(_) | Self::Told => 1,
            Self::Usage(_) => 2,
            Self::File(_) => 3,
        })
    }
}

/// A line for people, which is no result.
pub fn say(what: &str, text: impl std::fmt::Display) {
    use io::Write;
    // Where nobody can be told, the exit code is left.
    let _ = writeln!(io::stderr(), "{what}: {text}");
}
