//! What went wrong, and with which exit code.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

use varbatch_codec::quote::visible;
use varbatch_storage::LoadError;
use varbatch_storage::compressed::CompressedError;

/// Why a command ends early.
#[derive(Debug)]
pub enum Failure {
    /// The file is damaged, or cannot be converted.
    Data(String),
    /// The file is damaged, or differs from another, and that was reported already.
    Reported,
    /// The arguments do not fit the file.
    Usage(String),
    /// The arguments are wrong, and that was reported already.
    UsageReported,
    /// A file cannot be read or written.
    File(String),
    /// The standard output cannot be written.
    Output(String),
    /// A file cannot be read, and that was reported already.
    FileReported,
    /// The reader of the output has closed it.
    Closed,
}

impl Failure {
    /// An error about the data of a file.
    pub fn data(name: impl Display, error: impl Display) -> Self {
        Self::Data(format!("{name}: {error}"))
    }

    /// An error of the system about a file.
    pub fn file(name: impl Display, error: impl Display) -> Self {
        Self::File(format!("{name}: {error}"))
    }

    /// An error of the system about the standard output.
    pub fn output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Output(format!("the output: {error}")),
        }
    }

    /// What ended the reading of a file.
    pub fn load(name: impl Display, error: LoadError) -> Self {
        match error {
            LoadError::Read(_) | LoadError::Compressed(CompressedError::Read { .. }) => Self::file(name, error),
            _ => Self::data(name, error),
        }
    }

    pub fn is_about_data(&self) -> bool {
        matches!(self, Self::Data(_) | Self::Reported)
    }

    /// The message, if it was not reported already.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Data(text) | Self::Usage(text) | Self::File(text) | Self::Output(text) => Some(text),
            Self::Reported | Self::UsageReported | Self::FileReported | Self::Closed => None,
        }
    }

    /// Reports it, if that was not done already.
    pub fn report(&self) {
        if let Some(text) = self.text() {
            say("error", text);
        }
    }

    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Closed => 0,
            Self::Data(_) | Self::Reported => 1,
            Self::Usage(_) | Self::UsageReported => 2,
            Self::File(_) | Self::Output(_) | Self::FileReported => 3,
        })
    }
}

/// Returns what `tempfile` says about a temporary file, without the file's path.
pub fn unnamed(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" at path ").map_or(text.as_str(), |(text, _)| text).to_owned()
}

/// Prints a line for people, which is no result.
pub fn say(what: &str, text: impl Display) {
    use io::Write;
    // If this fails, the exit code still tells.
    let _ = writeln!(io::stderr(), "{what}: {}", visible(&text.to_string()));
}

/// Prints a line of the result.
pub fn print(text: impl Display) -> Result<(), Failure> {
    use io::Write;
    writeln!(io::stdout(), "{}", visible(&text.to_string())).map_err(|error| Failure::output(&error))
}
