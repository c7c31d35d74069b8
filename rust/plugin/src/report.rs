//! What a call ends with: its value, and the lines that it prints. However many values fail, it prints a few lines and
//! only counts the rest. The lines depend only on the indices, never on which thread was first.

use std::cell::Cell;
use std::fmt;
use std::iter::repeat;

use godot::global::{Error as EngineError, godot_error, godot_warn};
use godot::meta::ToGodot;
use varbatch_codec::Kind;

use crate::engine::Slot;

/// Max lines that a call prints, before the line that counts the rest.
const MAX_LINES: usize = 20;

/// A longer line is cut to this many bytes of its start and of its end: a name in hostile bytes can be megabytes long.
const MAX_START: usize = 6 << 10;
const MAX_END: usize = 2 << 10;

/// What was left out of a value, which is valid without it: how many, and the offset of the first with its path.
#[derive(Debug)]
pub struct Dropped {
    /// Elements and entries that typed containers refused, as in the engine.
    pub elements: (usize, String),
    /// Properties of objects of listed classes, which do not have them.
    pub properties: (usize, String),
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elements: (elements, first), properties: (properties, first_property) } = self;
        match elements {
            0 => {}
            1 => write!(f, "dropped an element: {first}")?,
            _ => write!(f, "dropped {elements} elements; the first: {first}")?,
        }
        if *elements > 0 && *properties > 0 {
            f.write_str("; ")?;
        }
        match properties {
            0 => Ok(()),
            1 => write!(f, "skipped a property: {first_property}"),
            _ => write!(f, "skipped {properties} properties; the first: {first_property}"),
        }
    }
}

pub fn no_buffer(kind: Kind) -> String {
    format!("expected a PackedByteArray, found {}", kind.name())
}

/// Max bytes of a path and of a name in a message: by mistake a script may have passed a whole file.
pub const PATH: usize = 180;
pub const NAME: usize = 48;

pub fn short(text: &str, max: usize) -> String {
    if text.len() <= max { text.to_owned() } else { format!("{}...", &text[..text.floor_char_boundary(max)]) }
}

/// The index of an element in its batch, or `None` for the call as a whole.
type Index = Option<usize>;

/// The reports of a call: the first ones by index, and the count of all.
#[derive(Debug, Default)]
pub struct Reports {
    errors: Kept,
    warnings: Kept,
    /// The error that ended the batch. It is always printed.
    end: Option<(Index, String)>,
}

/// Reports of one severity, sorted by index. Reports with equal indices keep their order.
#[derive(Debug, Default)]
struct Kept {
    count: usize,
    first: Vec<(Index, String)>,
}

impl Kept {
    fn add(&mut self, index: Index, text: impl FnOnce() -> String) {
        self.count += 1;
        if self.is_full(index) {
            return;
        }
        self.first.truncate(MAX_LINES - 1);
        let at = self.first.partition_point(|(other, _)| *other <= index);
        self.first.insert(at, (index, text()));
    }

    fn is_full(&self, index: Index) -> bool {
        self.first.len() == MAX_LINES && self.first.last().is_some_and(|(last, _)| index >= *last)
    }

    fn append(&mut self, other: &mut Self, index_of: impl Fn(Index) -> Index) {
        self.count += std::mem::take(&mut other.count) - other.first.len();
        for (index, text) in other.first.drain(..) {
            self.add(index_of(index), || text);
        }
    }
}

impl Reports {
    /// Adds an error about an element, or about the whole call; its text is only built if it may be printed.
    pub fn push_error(&mut self, index: impl Into<Index>, text: impl FnOnce() -> String) {
        self.errors.add(index.into(), text);
    }

    /// Counts an error if it would not be printed. Returns true if so.
    #[inline]
    pub fn count_error(&mut self, index: usize) -> bool {
        let is_counted = self.errors.is_full(Some(index));
        self.errors.count += usize::from(is_counted);
        is_counted
    }

    /// Adds a warning like an error. There is a value nevertheless.
    pub fn push_warning(&mut self, index: impl Into<Index>, text: impl FnOnce() -> String) {
        self.warnings.add(index.into(), text);
    }

    pub fn set_end(&mut self, index: impl Into<Index>, error: impl fmt::Display) {
        self.end = Some((index.into(), error.to_string()));
    }

    /// Moves the reports of other elements of the same batch, such as those of another thread, into these.
    pub fn append(&mut self, other: &mut Self) {
        self.append_as(other, |index| index);
    }

    pub fn append_as(&mut self, other: &mut Self, index_of: impl Fn(Index) -> Index) {
        self.errors.append(&mut other.errors, &index_of);
        self.warnings.append(&mut other.warnings, &index_of);
        if let Some((index, text)) = other.end.take() {
            self.end = Some((index_of(index), text));
        }
    }

    /// Like [`Self::append`], for elements that begin at index `first` of this batch.
    pub fn append_from(&mut self, first: usize, mut other: Self) {
        self.append_as(&mut other, |index| index.map(|index| first + index));
    }

    pub fn has_errors(&self) -> bool {
        self.errors.count > 0 || self.end.is_some()
    }

    pub fn first_error(&self) -> Option<(usize, &str)> {
        self.errors.first.first().map(|(index, text)| (index.unwrap_or(0), &**text))
    }

    /// Returns the lines to print, in order of index. If there are too many, errors take precedence over warnings.
    pub fn lines(&self, subject: &Subject<'_>) -> Vec<Line> {
        let end = self.end.as_ref();
        let room = MAX_LINES - usize::from(end.is_some());
        let errors = &self.errors.first[..self.errors.first.len().min(room)];
        let warnings = &self.warnings.first[..self.warnings.first.len().min(room - errors.len())];
        let mut shown: Vec<_> = errors.iter().zip(repeat(false)).chain(warnings.iter().zip(repeat(true))).collect();
        shown.sort_by_key(|((index, _), _)| *index);
        shown.extend(end.zip(Some(false)));
        let mut lines: Vec<_> =
            shown.into_iter().map(|((index, text), is_warning)| subject.line(*index, text, is_warning)).collect();
        let more = [self.errors.count - errors.len(), self.warnings.count - warnings.len()];
        lines.extend(subject.more(more));
        lines
    }
}

pub struct Subject<'s> {
    file: Option<&'s str>,
    /// The word for an element; empty if the texts already name it.
    element: &'static str,
    /// Names an element where its index says nothing.
    name: Option<&'s dyn Fn(usize) -> String>,
    /// Where to find all errors; may be empty.
    advice: &'static str,
}

impl<'s> Subject<'s> {
    pub const fn of(element: &'static str, advice: &'static str) -> Self {
        Self { file: None, element, name: None, advice }
    }

    pub const fn file(path: &'s str) -> Self {
        let advice = "; the command-line tool lists them: varbatch check --all";
        Self { file: Some(path), element: "value", name: None, advice }
    }

    pub fn keys(path: &'s str, name: &'s dyn Fn(usize) -> String) -> Self {
        Self { name: Some(name), ..Self::file(path) }
    }

    fn line(&self, index: Index, text: &str, is_warning: bool) -> Line {
        let text = match index {
            Some(index) if let Some(name) = self.name => format!("{}: {text}", name(index)),
            Some(index) if !self.element.is_empty() => format!("{} {index}: {text}", self.element),
            _ => text.to_owned(),
        };
        Line::new(self.in_file(text), is_warning)
    }

    fn more(&self, [errors, warnings]: [usize; 2]) -> Option<Line> {
        let counted = |count, what| format!("{count} more {what}{}", if count == 1 { "" } else { "s" });
        let (what, advice) = match (errors, warnings) {
            (0, 0) => return None,
            (0, _) => (counted(warnings, "warning"), ""),
            (_, 0) => (counted(errors, "error"), self.advice),
            _ => (format!("{} and {}", counted(errors, "error"), counted(warnings, "warning")), self.advice),
        };
        let are = if errors + warnings == 1 { "is" } else { "are" };
        let text = self.in_file(format!("{what} {are} not printed{advice}"));
        Some(Line::new(text, errors == 0))
    }

    fn in_file(&self, text: String) -> String {
        match self.file {
            Some(path) => format!("\"{path}\": {text}"),
            None => text,
        }
    }
}

pub const VALUES: Subject<'_> = Subject::of("value", "");
pub const BUFFERS: Subject<'_> = Subject::of("buffer", "; VarBatch.validate() returns all errors");
pub const PAIRS: Subject<'_> = Subject::of("pair", "");
/// Objects to record. The texts name them.
pub const OBJECTS: Subject<'_> = Subject::of("", "");

/// A line that a call prints, without the name of the method.
#[derive(Clone, Debug)]
pub struct Line {
    pub text: String,
    pub is_warning: bool,
}

impl Line {
    pub fn error(text: impl fmt::Display) -> Self {
        Self::new(text.to_string(), false)
    }

    pub fn warning(text: impl fmt::Display) -> Self {
        Self::new(text.to_string(), true)
    }

    fn new(mut text: String, is_warning: bool) -> Self {
        if text.len() > MAX_START + MAX_END {
            let (start, end) = (text.floor_char_boundary(MAX_START), text.ceil_char_boundary(text.len() - MAX_END));
            text.replace_range(start..end, "...");
        }
        Self { text, is_warning }
    }
}

thread_local! {
    /// False if calls of this thread, and the tasks that it starts, print nothing.
    pub static PRINTS: Cell<bool> = const { Cell::new(true) };
}

/// Prints lines if the thread of the call wants them, prefixed with the names of the class and the method.
pub fn print(prints: bool, class: &str, method: &str, lines: &[Line]) {
    for Line { text, is_warning } in lines.iter().filter(|_| prints) {
        let line = format!("{class}.{method}: {text}");
        if *is_warning { godot_warn!("{line}") } else { godot_error!("{line}") }
    }
}

/// The reason why a call failed as a whole: the engine's error code and a message.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Not `OK`.
    pub code: EngineError,
    pub text: String,
}

impl Failure {
    pub fn new(code: EngineError, text: impl fmt::Display) -> Self {
        Self { code, text: text.to_string() }
    }

    pub fn invalid(text: impl fmt::Display) -> Self {
        Self::new(EngineError::ERR_INVALID_PARAMETER, text)
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
    /// Makes the outcome of a call with lines to print: `ERR_INVALID_DATA` if one of them is an error.
    pub fn new(value: T, lines: Vec<Line>) -> Self {
        let code =
            if lines.iter().all(|line| line.is_warning) { EngineError::OK } else { EngineError::ERR_INVALID_DATA };
        Self { value, lines, note: "", code }
    }

    pub fn failed(value: T, Failure { code, text }: Failure) -> Self {
        Self { value, lines: vec![Line::error(text)], note: "", code }
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

impl<T: Default> Outcome<T> {
    pub fn of(result: Result<Self, impl fmt::Display>) -> Self {
        result.unwrap_or_else(|error| Self::new(T::default(), vec![Line::error(error)]))
    }
}

/// The arguments may be invalid.
impl<T: Default> From<Result<Self, Failure>> for Outcome<T> {
    fn from(result: Result<Self, Failure>) -> Self {
        result.unwrap_or_else(|failure| Self::failed(T::default(), failure))
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

#[cfg(test)]
#[path = "../tests/unit/report.rs"]
mod tests;
