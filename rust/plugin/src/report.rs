//! Bounds what a call prints: however many values fail, it prints a few lines, and only counts the others.
//!
//! The lines depend on the indices alone, never on which thread came first.

use std::fmt;

use godot::global::{godot_error, godot_warn};
use varbatch_codec::{CodecError, Kind};

use crate::value::build::Dropped;

/// Lines that a call prints at most, before the one that counts the others.
const MAX_LINES: usize = 20;

/// Bytes of a longer line that are printed, of its start and of its end: a name in hostile bytes can have megabytes.
const MAX_START: usize = 6 << 10;
const MAX_END: usize = 2 << 10;

/// An error or a warning about a value.
#[derive(Debug)]
pub enum Report {
    /// It was not written or read: the codec says why.
    Error(CodecError),
    /// It was not read: the element of a batch is no buffer.
    NoBuffer(Kind),
    /// It was read, without what its typed containers do not take.
    Dropped(Box<Dropped>),
    /// Any other error.
    Failed(String),
    /// Any other warning.
    Warning(String),
}

impl Report {
    /// True if there is a value all the same.
    fn is_warning(&self) -> bool {
        matches!(self, Self::Dropped(_) | Self::Warning(_))
    }

    /// An error, from what says it.
    pub fn failed(text: impl fmt::Display) -> Self {
        Self::Failed(text.to_string())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => error.fmt(f),
            Self::NoBuffer(kind) => write!(f, "expected a PackedByteArray, found {}", kind.name()),
            Self::Dropped(dropped) => match &**dropped {
                Dropped { count: 1, first } => write!(f, "dropped an element: {first}"),
                Dropped { count, first } => write!(f, "dropped {count} elements; the first: {first}"),
            },
            Self::Failed(text) | Self::Warning(text) => f.write_str(text),
        }
    }
}

impl From<CodecError> for Report {
    fn from(error: CodecError) -> Self {
        Self::Error(error)
    }
}

impl From<Box<Dropped>> for Report {
    fn from(dropped: Box<Dropped>) -> Self {
        Self::Dropped(dropped)
    }
}

/// The index of an element in its batch, or `None` for the call as a whole.
type Index = Option<usize>;

/// The reports of a call: the first by index, and how many others there are.
#[derive(Debug, Default)]
pub struct Reports {
    errors: Kept,
    warnings: Kept,
    /// Why the batch ends here. It is printed in any case.
    end: Option<Box<(Index, Report)>>,
}

/// Reports of one kind, in order. Those of the same index stay as they came.
#[derive(Debug, Default)]
struct Kept {
    count: usize,
    first: Vec<(Index, Report)>,
}

impl Kept {
    fn add(&mut self, index: Index, report: impl FnOnce() -> Report) {
        self.count += 1;
        if self.is_full(index) {
            return;
        }
        self.first.truncate(MAX_LINES - 1);
        let at = self.first.partition_point(|(other, _)| *other <= index);
        self.first.insert(at, (index, report()));
    }

    /// True if one of this index is not kept.
    fn is_full(&self, index: Index) -> bool {
        self.first.len() == MAX_LINES && self.first.last().is_some_and(|(last, _)| index >= *last)
    }

    fn append(&mut self, other: &mut Self, index_of: impl Fn(Index) -> Index) {
        self.count += std::mem::take(&mut other.count) - other.first.len();
        for (index, report) in other.first.drain(..) {
            self.add(index_of(index), || report);
        }
    }
}

impl Reports {
    /// Adds what there is to say about an element, or about the call.
    pub fn push(&mut self, index: impl Into<Index>, report: impl Into<Report>) {
        let report = report.into();
        let kept = if report.is_warning() { &mut self.warnings } else { &mut self.errors };
        kept.add(index.into(), || report);
    }

    /// Adds an error, whose text is made only if it is printed.
    pub fn push_error(&mut self, index: impl Into<Index>, text: impl FnOnce() -> String) {
        self.errors.add(index.into(), || Report::Failed(text()));
    }

    /// Counts an error, if it would not be printed. True if it did.
    #[inline]
    pub fn count_error(&mut self, index: usize) -> bool {
        let is_counted = self.errors.is_full(Some(index));
        self.errors.count += usize::from(is_counted);
        is_counted
    }

    /// Adds a warning, whose text is made only if it is printed.
    pub fn push_warning(&mut self, index: impl Into<Index>, text: impl FnOnce() -> String) {
        self.warnings.add(index.into(), || Report::Warning(text()));
    }

    /// Adds the error that ended the batch.
    pub fn set_end(&mut self, index: impl Into<Index>, report: impl Into<Report>) {
        self.end = Some(Box::new((index.into(), report.into())));
    }

    /// Adds the reports of other elements of the same batch, and leaves none there.
    pub fn append(&mut self, other: &mut Self) {
        self.append_as(other, |index| index);
    }

    /// Does as [`Self::append`], with other indices.
    pub fn append_as(&mut self, other: &mut Self, index_of: impl Fn(Index) -> Index) {
        self.errors.append(&mut other.errors, &index_of);
        self.warnings.append(&mut other.warnings, &index_of);
        if let Some((index, report)) = other.end.take().map(|end| *end) {
            self.end = Some(Box::new((index_of(index), report)));
        }
    }

    /// Does as [`Self::append`], for elements that begin at an index of this batch.
    pub fn append_from(&mut self, first: usize, mut other: Self) {
        self.append_as(&mut other, |index| index.map(|index| first + index));
    }

    /// True if a value failed.
    pub fn has_errors(&self) -> bool {
        self.errors.count > 0 || self.end.is_some()
    }

    /// The first element that failed.
    pub fn first_error(&self) -> Option<(usize, &Report)> {
        self.errors.first.first().map(|(index, report)| (index.unwrap_or(0), report))
    }

    /// The lines to print. Errors go before warnings where there are too many, and all are in order.
    pub fn lines(&self, subject: &Subject<'_>) -> Vec<Line> {
        let end = self.end.as_deref();
        let room = MAX_LINES - usize::from(end.is_some());
        let errors = &self.errors.first[..self.errors.first.len().min(room)];
        let warnings = &self.warnings.first[..self.warnings.first.len().min(room - errors.len())];
        let mut shown: Vec<_> = errors.iter().chain(warnings).collect();
        shown.sort_by_key(|(index, _)| *index);
        let mut lines: Vec<_> = shown.into_iter().chain(end).map(|report| subject.line(report)).collect();
        let more = [self.errors.count - errors.len(), self.warnings.count - warnings.len()];
        lines.extend(subject.more(more));
        lines
    }
}

/// The subject of the reports of a call.
pub struct Subject<'s> {
    /// The path of a file, or nothing.
    file: Option<&'s str>,
    /// The word for an element; empty if the texts name it.
    element: &'static str,
    /// Says where all errors can be found.
    advice: &'static str,
}

impl<'s> Subject<'s> {
    /// Elements that are written or read. `advice` says where all errors can be found, if there is such a place.
    pub const fn of(element: &'static str, advice: &'static str) -> Self {
        Self { file: None, element, advice }
    }

    /// The frames of a file.
    pub const fn file(path: &'s str) -> Self {
        let advice = "; the command-line tool lists them: varbatch check --all";
        Self { file: Some(path), element: "frame", advice }
    }

    fn line(&self, (index, report): &(Index, Report)) -> Line {
        let text = match index {
            Some(index) if !self.element.is_empty() => format!("{} {index}: {report}", self.element),
            _ => report.to_string(),
        };
        Line::new(self.in_file(text), report.is_warning())
    }

    /// Counts the errors and warnings that are not printed.
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

/// Values that are encoded.
pub const VALUES: Subject<'_> = Subject::of("value", "");
/// Buffers that are decoded.
pub const BUFFERS: Subject<'_> = Subject::of("buffer", "; VarBatch.validate() returns all errors");
/// Frames in memory.
pub const FRAMES: Subject<'_> = Subject::of("frame", "");
/// Pairs of buffers.
pub const PAIRS: Subject<'_> = Subject::of("pair", "");
/// Objects that are recorded. The texts name them.
pub const OBJECTS: Subject<'_> = Subject::of("", "");

/// A line that a call prints, without its name.
#[derive(Debug)]
pub struct Line {
    pub text: String,
    pub is_warning: bool,
}

impl Line {
    /// An error.
    pub fn error(text: impl fmt::Display) -> Self {
        Self::new(text.to_string(), false)
    }

    /// A warning.
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

    /// Prints it, as that of a method of a class.
    pub fn print(&self, class: &str, method: &str) {
        let line = format!("{class}.{method}: {}", self.text);
        if self.is_warning { godot_warn!("{line}") } else { godot_error!("{line}") }
    }
}

#[cfg(test)]
#[path = "../tests/unit/report.rs"]
mod tests;
