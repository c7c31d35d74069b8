//! What a call ends with: its value, and the lines that it prints. However many values fail, it prints a few lines and
//! only counts the rest. The lines depend only on the indices, never on which thread was first.

mod cause;
mod outcome;

use std::fmt;

use godot::global::Error as EngineError;
use varbatch_codec::{CodecError, CodecErrorKind, Dialect, Engine, Kind, Reader, validate};
use varbatch_storage::may_be_value;

pub use self::cause::Cause;
#[cfg(feature = "store")]
pub use self::cause::store_code;
pub use self::outcome::{Failure, Line, Outcome, PRINTS, print, text_of};
use crate::engine::DIALECTS;

/// Max lines that a call prints, before the line that counts the rest.
const MAX_LINES: usize = 20;

/// What was left out of a value, which is valid without it: how many, and the offset of the first with its path.
#[derive(Debug)]
pub struct Dropped {
    /// Elements and entries that typed containers refused, as in the engine.
    pub elements: (usize, String),
    /// Objects of classes that are not listed, with null in their place.
    pub objects: (usize, String),
    /// Properties of objects of listed classes, which do not have them.
    pub properties: (usize, String),
    pub rest: Option<Rest>,
}

impl Dropped {
    /// Returns the warnings of a call for the value at the start of `bytes`. It may also ask for whole values after it.
    pub fn lines(mut self: Box<Self>, bytes: &[u8]) -> Vec<Line> {
        self.rest.take_if(|rest| rest.engines.is_empty() && are_values(&bytes[bytes.len() - rest.len()..]));
        let mut reports = Reports::default();
        reports.push_dropped(None, self);
        reports.lines(&VALUES)
    }
}

fn are_values(mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        let Ok(len) = validate(Reader::new(bytes).with_objects(true)) else { return false };
        bytes = bytes.get(len..).unwrap_or_default();
    }
    true
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            ("dropped", "an element", "elements", &self.elements),
            ("left null for", "an object", "objects", &self.objects),
            ("skipped", "a property", "properties", &self.properties),
        ];
        let mut separator = "";
        for (what, one, many, (count, first)) in parts.into_iter().filter(|(.., (count, _))| *count > 0) {
            match count {
                1 => write!(f, "{separator}{what} {one}: {first}")?,
                _ => write!(f, "{separator}{what} {count} {many}; the first: {first}")?,
            }
            separator = "; ";
        }
        Ok(())
    }
}

/// Bytes after values, which are ignored.
#[derive(Debug)]
pub struct Rest {
    /// The number of values with bytes after them, and what is found after the first one.
    values: usize,
    first: CodecError,
    /// The engines whose values take all of the bytes.
    engines: Vec<Engine>,
}

impl Rest {
    /// Describes the bytes after the value that `reader` has read, if there are any.
    pub fn after(reader: &Reader<'_>) -> Option<Self> {
        let bytes = reader.bytes(0, usize::MAX);
        let found = reader.left();
        let reads_all = |engine: &Engine| may_be_value(bytes, bytes.len() as u64, Dialect::of(*engine));
        (found > 0).then(|| Self {
            values: 1,
            first: reader.error_at(reader.position(), CodecErrorKind::Behind { found }),
            engines: Engine::ALL.into_iter().filter(reads_all).collect(),
        })
    }

    fn len(&self) -> usize {
        if let CodecErrorKind::Behind { found } = *self.first.kind() { found } else { 0 }
    }

    fn add(&mut self, other: &Self) {
        self.values += other.values;
        self.engines.retain(|engine| other.engines.contains(engine));
    }
}

impl fmt::Display for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { values, first, engines } = self;
        write!(f, "{first}; they are ignored")?;
        if *values > 1 {
            write!(f, ", as after {} more values", values - 1)?;
        }
        match names_of(engines) {
            names if names.is_empty() => Ok(()),
            names => write!(f, "; all of it can be read in {names}: see transcode() and transcode_file()"),
        }
    }
}

/// Names dialects as scripts do.
pub fn names_of(engines: &[Engine]) -> String {
    let dialects = DIALECTS.iter().filter(|(_, dialect)| engines.contains(&dialect.engine));
    dialects.map(|(name, _)| *name).collect::<Vec<_>>().join(" or ")
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
    end: Option<(Index, Failure)>,
    /// The first value that is followed by bytes. One line is about all of them.
    rest: Option<(Index, Rest)>,
}

/// Reports of one severity, sorted by index. Reports with equal indices keep their order.
#[derive(Debug, Default)]
struct Kept {
    count: usize,
    first: Vec<(Index, Failure)>,
}

impl Kept {
    fn add<E: Into<Failure>>(&mut self, index: Index, report: impl FnOnce() -> E) {
        self.count += 1;
        if self.is_full(index) {
            return;
        }
        self.first.truncate(MAX_LINES - 1);
        let at = self.first.partition_point(|(other, _)| *other <= index);
        self.first.insert(at, (index, report().into()));
    }

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
    /// Adds an error about an element, or about the whole call; it is only built if it may be printed.
    pub fn push_error<E: Into<Failure>>(&mut self, index: impl Into<Index>, error: impl FnOnce() -> E) {
        self.errors.add(index.into(), error);
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
        self.warnings.add(index.into(), || Failure { code: EngineError::OK, text: text() });
    }

    /// Adds what was left out of a value.
    pub fn push_dropped(&mut self, index: impl Into<Index>, dropped: Box<Dropped>) {
        let index = index.into();
        if dropped.elements.0 + dropped.objects.0 + dropped.properties.0 > 0 {
            self.push_warning(index, || dropped.to_string());
        }
        if let Some(rest) = dropped.rest {
            self.add_rest(index, rest);
        }
    }

    fn add_rest(&mut self, index: Index, mut rest: Rest) {
        match &mut self.rest {
            Some((first, known)) if *first <= index => known.add(&rest),
            known => {
                known.iter().for_each(|(_, later)| rest.add(later));
                *known = Some((index, rest));
            }
        }
    }

    pub fn set_end(&mut self, index: impl Into<Index>, error: impl Into<Failure>) {
        self.end = Some((index.into(), error.into()));
    }

    /// Moves the reports of other elements of the same batch, such as those of another thread, into these.
    pub fn append(&mut self, other: &mut Self) {
        self.append_as(other, |index| index);
    }

    pub fn append_as(&mut self, other: &mut Self, index_of: impl Fn(Index) -> Index) {
        self.errors.append(&mut other.errors, &index_of);
        self.warnings.append(&mut other.warnings, &index_of);
        if let Some((index, error)) = other.end.take() {
            self.end = Some((index_of(index), error));
        }
        if let Some((index, rest)) = other.rest.take() {
            self.add_rest(index_of(index), rest);
        }
    }

    /// Like [`Self::append`], for elements that begin at index `first` of this batch.
    pub fn append_from(&mut self, first: usize, mut other: Self) {
        self.append_as(&mut other, |index| index.map(|index| first + index));
    }

    pub fn has_errors(&self) -> bool {
        self.errors.count > 0 || self.end.is_some()
    }

    pub fn has_rest(&self) -> bool {
        self.rest.is_some()
    }

    pub fn first_error(&self) -> Option<(usize, &str)> {
        self.errors.first.first().map(|(index, error)| (index.unwrap_or(0), &*error.text))
    }

    /// Returns the lines to print, in order of index. If there are too many, errors take precedence over warnings.
    pub fn lines(&self, subject: &Subject<'_>) -> Vec<Line> {
        let rest =
            self.rest.as_ref().map(|(index, rest)| (*index, Failure { code: EngineError::OK, text: rest.to_string() }));
        let room = MAX_LINES - usize::from(self.end.is_some()) - usize::from(rest.is_some());
        let errors = &self.errors.first[..self.errors.first.len().min(room)];
        let warnings = &self.warnings.first[..self.warnings.first.len().min(room - errors.len())];
        let mut shown: Vec<_> = errors.iter().chain(warnings).chain(&rest).collect();
        shown.sort_by_key(|(index, _)| *index);
        let mut lines: Vec<_> =
            shown.into_iter().chain(&self.end).map(|(index, report)| subject.line(*index, report)).collect();
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

    fn line(&self, index: Index, Failure { code, text }: &Failure) -> Line {
        let text = match index {
            Some(index) if let Some(name) = self.name => format!("{}: {text}", name(index)),
            Some(index) if !self.element.is_empty() => format!("{} {index}: {text}", self.element),
            _ => text.to_owned(),
        };
        Line::new(self.in_file(text), *code)
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
        Some(Line::new(text, if errors == 0 { EngineError::OK } else { Cause::Refused.into() }))
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

#[cfg(test)]
#[path = "../../tests/unit/report.rs"]
mod tests;
