//! What went wrong.

use std::fmt::Display;
use std::io;
use std::rc::Rc;

use varbatch_storage::LoadError;
use varbatch_storage::compressed::CompressedError;

use crate::input::Input;

/// Why a command ends early.
#[derive(Debug)]
pub enum Failure {
    /// The data of an input is damaged, or cannot be converted.
    Data(Rc<Input>, String),
    /// The arguments do not fit the file.
    Usage(String),
    /// A file cannot be read or written.
    File(String),
    /// The standard output cannot be written.
    Output(io::Error),
    /// It was reported already, and has this exit code.
    Reported(u8),
}

impl Failure {
    /// An error about the data of an input.
    pub fn data(input: &Rc<Input>, error: impl Display) -> Self {
        Self::Data(Rc::clone(input), error.to_string())
    }

    /// An error of the system about a file.
    pub fn file(name: &str, error: impl Display) -> Self {
        Self::File(format!("{name}: {error}"))
    }

    /// What ended the reading of an input.
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
