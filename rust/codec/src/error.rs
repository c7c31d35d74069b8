//! What went wrong, at which byte and inside what, and what was expected there.

use std::fmt;

use crate::quote::{SHOWN_CHARS, quoted};
use crate::{Engine, Kind, MAX_DEPTH, MAX_VALUE_LEN, Path, Shape, Step, Text};

/// A value that cannot be read or written. Its text says what is wrong, at which byte, and inside what:
/// `expected 4 more bytes for a header, found 0, at byte 16 inside ["inventory"][2]`. One pointer wide, for registers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}, at byte {}{}", .0.kind, .0.at, .0.path)]
pub struct CodecError(Box<Details>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Details {
    at: usize,
    kind: CodecErrorKind,
    path: Path,
}

impl CodecError {
    /// An error about what begins at byte `at` of a value.
    #[cold]
    pub fn new(at: usize, kind: CodecErrorKind) -> Self {
        Self(Box::new(Details { at, kind, path: Path::default() }))
    }

    /// What was found, and what was expected.
    pub fn kind(&self) -> &CodecErrorKind {
        &self.0.kind
    }

    /// Offset in bytes: in the buffer that was read, or in the plan that was written.
    pub fn at(&self) -> usize {
        self.0.at
    }

    /// The path to the part of the value that is wrong.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    pub(crate) fn into_kind(self) -> CodecErrorKind {
        self.0.kind
    }

    /// The same error at another offset, such as that in a larger buffer.
    #[must_use]
    pub fn map_at(mut self, map: impl FnOnce(usize) -> usize) -> Self {
        self.0.at = map(self.0.at);
        self
    }

    /// The same error, seen from one step further out.
    #[cold]
    #[must_use]
    pub fn within(mut self, step: Step) -> Self {
        self.0.path = std::mem::take(&mut self.0.path).within(step);
        self
    }

    pub(crate) fn with_path(mut self, path: Path) -> Self {
        self.0.path = path;
        self
    }
}

/// Why a value cannot be read or written. In a buffer that ends too early, a part takes `expected` bytes and `found`
/// remain. `place` is the part, `kind` the value's type, `id` its header's low byte, `last` the engine's highest id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum CodecErrorKind {
    /// The buffer ends inside a part of known size.
    #[error("expected {} for {place}, found {found}", more(*.expected as u64))]
    Short { place: ValuePart, expected: usize, found: usize },
    /// The buffer ends inside a header.
    #[error("expected 4 more bytes for a header, found {found}")]
    NoHeader { found: usize },
    /// The rest of the buffer is too short for as many parts as a count announces, even if each is as short as can be. They
    /// and what follows them take at least `expected` bytes, of which `due` are in the rest of the containers around it.
    #[error("expected at least {} for {count} {parts} of {}{}, found {found}", more(*.expected), .kind.name(), following(*.due))]
    ShortCount { kind: Kind, parts: &'static str, count: usize, expected: u64, due: usize, found: usize },
    /// So many bytes follow a value that has to be alone.
    #[error("expected nothing after the value, found {found} byte{}", if *.found == 1 { "" } else { "s" })]
    Behind { found: usize },
    /// The header names no type.
    #[error("expected a type from 0 to {last}, found {id}")]
    UnknownType { last: usize, id: u8 },
    /// The element type of a container is this number, which names no type.
    #[error("expected an element type from 0 to {last} for {}, found {found}", .kind.name())]
    UnknownElementType { last: usize, kind: Kind, found: i32 },
    /// A count or length is this negative number.
    #[error("expected 0 or more for {place}, found {found}")]
    Negative { place: ValuePart, found: i32 },
    /// Text is not UTF-8 from this byte on.
    #[error("expected UTF-8 for {place}, found byte 0x{found:02x}")]
    Malformed { place: ValuePart, found: u8 },
    /// A value of another type stands where a StringName has to.
    #[error("expected a StringName for {place}, found type {id}")]
    NoStringName { place: ValuePart, id: u8 },
    /// The engine of the target dialect has no such type.
    #[error("expected a type that {} has, found {what}", .engine.name())]
    NoSuchType { engine: Engine, what: &'static str },
    /// A NodePath is one string, which no engine since Godot 3 reads.
    #[error("expected bit 31 in the name count of NodePath, found the format before Godot 3")]
    OldNodePath,
    /// The value is nested deeper than the engine goes.
    #[error("expected at most {MAX_DEPTH} levels of nesting, found one more")]
    TooDeep,
    /// An object has class and properties where only ids are allowed.
    #[error("expected no object with properties, as objects are not allowed, found one")]
    ObjectRefused,
    /// A text that no reader gives back: texts end before a NUL, and lose a byte-order mark (U+FEFF) at their start.
    #[error("expected a text without NUL that begins with no byte-order mark, found {}", quoted(Text::Utf8(.found), SHOWN_CHARS))]
    Unreadable { found: Box<str> },
    /// Something that the caller of a Reader or a Writer refuses, such as a class that its engine does not have.
    #[error("{0}")]
    Refused(String),
    /// The value takes so many bytes. The engine counts them in a signed 32-bit integer and overflows here.
    #[error("expected at most {MAX_VALUE_LEN} bytes in one value, found {found}")]
    TooLarge { found: usize },
    /// A stream of frames ends inside the length or the payload of a frame.
    #[error("expected {} for the {part} of a frame, found {found}", more(*.expected as u64))]
    ShortFrame { part: &'static str, expected: usize, found: usize },
    /// The events do not make a value: another one should have come. A mistake of the caller, not of the data.
    #[error("expected {expected}, found another event")]
    Order { expected: &'static str },
}

impl CodecErrorKind {
    /// Returns how many more bytes the value takes at least, if the only fault is that the buffer ends too early.
    pub fn missing(&self) -> Option<u64> {
        match *self {
            Self::Short { place, expected, found } => {
                // All elements of a packed array have one length.
                let count = match place.element {
                    Some((_, index, count)) if matches!(place.kind.shape(), Shape::Packed { .. }) => count - index,
                    _ => 1,
                };
                Some((expected as u64).saturating_mul(count as u64) - found as u64)
            }
            Self::ShortCount { expected, found, .. } => Some(expected - found as u64),
            Self::NoHeader { found } => Some((crate::kind::WORD - found) as u64),
            _ => None,
        }
    }
}

fn more(bytes: u64) -> String {
    if bytes == 1 { "1 more byte".into() } else { format!("{bytes} more bytes") }
}

fn following(due: usize) -> &'static str {
    if due == 0 { "" } else { " and what follows" }
}

/// A part of a value. As text: `PackedVector3Array element 3 of 9`, `the class name of Object`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValuePart {
    /// The type of the value.
    pub kind: Kind,
    /// The name of the part, empty for the whole value.
    pub part: &'static str,
    /// True for the length in front of the part.
    pub length: bool,
    /// For a part of one of many elements: their name, its index from 0, and their count.
    pub element: Option<(&'static str, usize, usize)>,
}

impl ValuePart {
    pub(crate) fn of(kind: Kind) -> Self {
        Self { kind, part: "", length: false, element: None }
    }

    pub(crate) fn part(self, part: &'static str) -> Self {
        Self { part, ..self }
    }
}

impl fmt::Display for ValuePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.length {
            f.write_str("the length of ")?;
        }
        if !self.part.is_empty() {
            write!(f, "the {} of ", self.part)?;
        }
        f.write_str(self.kind.name())?;
        self.element.map_or(Ok(()), |(what, index, count)| write!(f, " {what} {index} of {count}"))
    }
}
