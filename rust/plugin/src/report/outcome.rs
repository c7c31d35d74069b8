//! The value, the lines and the code that a call ends with.

use std::cell::Cell;
use std::fmt;

use godot::global::{Error as EngineError, godot_error, godot_warn};
use godot::meta::ToGodot;
use varbatch_codec::{CodecError, CodecErrorKind};
use varbatch_storage::LoadError;

use super::cause::Cause;
use crate::engine::Slot;

/// A longer line is cut to this many bytes of its start and of its end: a name in hostile bytes can be megabytes long.
const MAX_START: usize = 6 << 10;
const MAX_END: usize = 2 << 10;

/// A line that a call prints, without the name of the method.
#[derive(Clone, Debug)]
pub struct Line {
    pub text: String,
    /// `OK` for a warning.
    pub code: EngineError,
}

impl Line {
    pub fn error(error: impl Into<Failure>) -> Self {
        let Failure { code, text } = error.into();
        Self::new(text, code)
    }

    pub fn warning(text: impl fmt::Display) -> Self {
        Self::new(text.to_string(), EngineError::OK)
    }

    pub fn new(mut text: String, code: EngineError) -> Self {
        if text.len() > MAX_START + MAX_END {
            let (start, end) = (text.floor_char_boundary(MAX_START), text.ceil_char_boundary(text.len() - MAX_END));
            text.replace_range(start..end, "...");
        }
        Self { text, code }
    }

    pub fn is_warning(&self) -> bool {
        self.code == EngineError::OK
    }
}

thread_local! {
    /// False if calls of this thread, and the tasks that it starts, print nothing.
    pub static PRINTS: Cell<bool> = const { Cell::new(true) };
}

/// Prints lines if the thread of the call wants them, prefixed with the names of the class and the method.
pub fn print(prints: bool, class: &str, method: &str, lines: &[Line]) {
    for line in lines.iter().filter(|_| prints) {
        let text = format!("{class}.{method}: {}", line.text);
        if line.is_warning() { godot_warn!("{text}") } else { godot_error!("{text}") }
    }
}

/// The reason why something failed: the engine's error code and a message.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Not `OK`.
    pub code: EngineError,
    pub text: String,
}

impl Failure {
    pub fn new(code: impl Into<EngineError>, text: impl fmt::Display) -> Self {
        Self { code: code.into(), text: text.to_string() }
    }

    pub fn invalid(text: impl fmt::Display) -> Self {
        Self::new(EngineError::ERR_INVALID_PARAMETER, text)
    }

    pub fn damaged(text: impl fmt::Display) -> Self {
        Self::new(Cause::Damaged, format_args!("{text}; the bytes are cut off or damaged"))
    }

    /// The same failure, of which the text begins with what failed.
    #[must_use]
    pub fn of(self, what: impl fmt::Display) -> Self {
        Self { text: format!("{what}: {}", self.text), ..self }
    }
}

impl From<CodecError> for Failure {
    fn from(error: CodecError) -> Self {
        let text = text_of(&error);
        match Cause::from(error.kind()) {
            // No bytes at all. A record without bytes is damaged.
            _ if error.at() == 0 && *error.kind() == CodecErrorKind::NoHeader { found: 0 } => {
                Self::new(Cause::Ended, text)
            }
            Cause::Damaged => Self::damaged(text),
            cause => Self::new(cause, text),
        }
    }
}

/// Returns the text of an error, with what a script can do about a refused object.
pub fn text_of(error: &CodecError) -> String {
    let text = error.to_string();
    match error.kind() {
        CodecErrorKind::ObjectRefused => {
            text.replacen("not allowed", "not allowed (allow_objects: true, or a list of classes)", 1)
        }
        _ => text,
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        Self::new(Cause::from(&error), error)
    }
}

/// What is wrong with a value of a script.
impl From<String> for Failure {
    fn from(text: String) -> Self {
        Self::new(Cause::Refused, text)
    }
}

impl From<&str> for Failure {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

pub struct Outcome<T> {
    pub value: T,
    pub lines: Vec<Line>,
    /// The message of a task that prints nothing.
    pub note: &'static str,
    /// `OK` if nothing failed.
    pub code: EngineError,
}

impl<T> Outcome<T> {
    /// Makes the outcome of a call with lines to print. Its code is that of the first error, if there is one.
    pub fn new(value: T, lines: Vec<Line>) -> Self {
        let code = lines.iter().find(|line| !line.is_warning()).map_or(EngineError::OK, |line| line.code);
        Self { value, lines, note: "", code }
    }

    pub fn failed(value: T, failure: impl Into<Failure>) -> Self {
        Self::new(value, vec![Line::error(failure)])
    }

    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Outcome<U> {
        let Self { value, lines, note, code } = self;
        Outcome { value: map(value), lines, note, code }
    }

    /// Returns the message for scripts: the lines, or the note if there are none.
    pub fn message(&self) -> String {
        match self.lines.as_slice() {
            [] => self.note.to_owned(),
            lines => lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n"),
        }
    }
}

/// The arguments may be invalid, or the bytes damaged.
impl<T: Default, E: Into<Failure>> From<Result<Self, E>> for Outcome<T> {
    fn from(result: Result<Self, E>) -> Self {
        result.unwrap_or_else(|error| Self::failed(T::default(), error))
    }
}

impl Outcome<EngineError> {
    pub fn of_code(result: Result<Self, Failure>) -> Self {
        result.unwrap_or_else(|failure| Self::failed(failure.code, failure))
    }
}

impl<T: ToGodot> Outcome<T> {
    pub fn into_slot(self) -> Outcome<Slot> {
        self.map(|value| Slot::from(value.to_variant()))
    }
}
