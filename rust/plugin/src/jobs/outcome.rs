//! What a call ends with: its value, and what it reports.

use std::fmt;

use godot::global::Error as EngineError;
use godot::meta::ToGodot;

use crate::engine::Slot;
use crate::report::Line;

/// The reason why a call failed as a whole: the engine's error code and a message.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Not `OK`.
    pub code: EngineError,
    /// The message, including the path of a file.
    pub text: String,
}

impl Failure {
    pub fn new(code: EngineError, text: impl fmt::Display) -> Self {
        Self { code, text: text.to_string() }
    }

    /// An argument is invalid.
    pub fn invalid(text: impl fmt::Display) -> Self {
        Self::new(EngineError::ERR_INVALID_PARAMETER, text)
    }
}

/// The end of a call.
pub struct Outcome<T> {
    /// What the method returns.
    pub value: T,
    /// The lines to print.
    pub lines: Vec<Line>,
    /// The message of a task that prints nothing.
    pub note: &'static str,
    /// `OK` if nothing failed.
    pub code: EngineError,
}

impl<T> Outcome<T> {
    /// Makes the outcome of a call with lines to print: `ERR_INVALID_DATA` if one of them is an error.
    pub fn new(value: T, lines: Vec<Line>) -> Self {
        let code =
            if lines.iter().all(|line| line.is_warning) { EngineError::OK } else { EngineError::ERR_INVALID_DATA };
        Self { value, lines, note: "", code }
    }

    /// Makes the outcome of a call that prints nothing.
    pub fn quiet(value: T, code: EngineError, note: &'static str) -> Self {
        Self { value, lines: Vec::new(), note, code }
    }

    /// Makes the outcome of a call that failed as a whole.
    pub fn failed(value: T, Failure { code, text }: Failure) -> Self {
        Self { value, lines: vec![Line::error(text)], note: "", code }
    }

    /// Returns the message for scripts: the lines, or the note if there are none.
    pub fn message(&self) -> String {
        match self.lines.as_slice() {
            [] => self.note.to_owned(),
            lines => lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n"),
        }
    }
}

impl<T: Default> Outcome<T> {
    /// Makes the outcome of a call without warnings.
    pub fn of(result: Result<T, impl fmt::Display>) -> Self {
        match result {
            Ok(value) => Self::new(value, Vec::new()),
            Err(error) => Self::new(T::default(), vec![Line::error(error)]),
        }
    }
}

/// The arguments may be invalid.
impl<T: Default> From<Result<Self, Failure>> for Outcome<T> {
    fn from(result: Result<Self, Failure>) -> Self {
        result.unwrap_or_else(|failure| Self::failed(T::default(), failure))
    }
}

impl Outcome<EngineError> {
    /// Makes the outcome of a call that returns its code.
    pub fn of_code(result: Result<Vec<Line>, Failure>) -> Self {
        match result {
            Ok(lines) => Self { code: EngineError::OK, ..Self::new(EngineError::OK, lines) },
            Err(failure) => Self::failed(failure.code, failure),
        }
    }
}

impl<T: ToGodot> Outcome<T> {
    /// Makes the value a Variant, for a task.
    pub fn into_slot(self) -> Outcome<Slot> {
        let Self { value, lines, note, code } = self;
        let mut slot = Slot::new();
        slot.set(value);
        Outcome { value: slot, lines, note, code }
    }
}
