//! Why a change does not fit the value that it is to change.

use crate::error::CodecError;
use crate::event::Event;
use crate::kind::Kind;
use crate::limits::MAX_DEPTH;
use crate::path::{Path, Step};
use crate::reader::Reader;

/// A change that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}, in change {change}{path}")]
pub struct PatchError {
    pub(super) change: usize,
    pub(super) path: Path,
    pub(super) kind: PatchErrorKind,
}

impl PatchError {
    /// What was found there, and what was expected.
    pub fn kind(&self) -> &PatchErrorKind {
        &self.kind
    }

    /// The number of the change: how many were applied before.
    pub fn change(&self) -> usize {
        self.change
    }

    /// The path of the change, as far as it could be followed.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Why a change does not fit. Its text says what was expected and what was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchErrorKind {
    /// A path leads into what holds nothing.
    #[error("expected an Array, a Dictionary, an object or a packed array, found {}", .found.name())]
    NotInside {
        /// What it leads into.
        found: Kind,
    },
    /// A path leads into an element of a packed array.
    #[error("expected the path to end at an element of {}, found {more} more of its steps", .kind.name())]
    TooLong {
        /// The type of the array.
        kind: Kind,
        /// Steps behind the index.
        more: usize,
    },
    /// A step is none that leads into such a value.
    #[error("expected {expected}, found {found}")]
    WrongStep {
        /// What leads into it.
        expected: StepKind,
        /// The step.
        found: String,
    },
    /// A step, an old or a new value is not the encoding of one value.
    #[error("expected an encoded value as {what}, found a broken one ({error})")]
    Broken {
        /// Which of them.
        what: &'static str,
        /// What is wrong with it.
        error: CodecError,
    },
    /// A value lacks the padding at its end.
    #[error("expected {expected} bytes of padding at the end of {what}, found none")]
    Unpadded {
        /// Which of the encoded values of the change.
        what: &'static str,
        /// Bytes that are missing.
        expected: usize,
    },
    /// There is no such element.
    #[error("expected the index of one of {count} elements of {}, found {found}", .kind.name())]
    NoElement {
        /// The type of the array.
        kind: Kind,
        /// How many elements there are.
        count: usize,
        /// The index.
        found: i64,
    },
    /// Nothing can be inserted there.
    #[error("expected an index from 0 to {count} for what is inserted in {}, found {found}", .kind.name())]
    NoPlace {
        /// The type of the array or Dictionary.
        kind: Kind,
        /// How many elements or entries there are.
        count: usize,
        /// The index.
        found: i64,
    },
    /// There are not so many elements.
    #[error("expected {expected} elements of {} from this one on, found {found}", .kind.name())]
    NoElements {
        /// The type of the packed array.
        kind: Kind,
        /// Elements that are to go.
        expected: usize,
        /// Elements that are there.
        found: usize,
    },
    /// A Dictionary has no such key, an object no such property.
    #[error("expected {what} that is there, found none that is {found}")]
    NotThere {
        /// Key or property.
        what: &'static str,
        /// The key, or the name.
        found: String,
    },
    /// A Dictionary has this key, an object this property, more than once.
    #[error("expected {what} that is there once, found {found} more than once")]
    Twice {
        /// Key or property.
        what: &'static str,
        /// The key, or the name.
        found: String,
    },
    /// A Dictionary has the key already.
    #[error("expected a key that is not there, found {found}")]
    KeyThere {
        /// The key.
        found: String,
    },
    /// An entry stands elsewhere in the order of its Dictionary.
    #[error("expected key {key} at {index} of the Dictionary's order, found {found}")]
    OtherPlace {
        /// The key.
        key: String,
        /// Where it should be.
        index: usize,
        /// What is there.
        found: String,
    },
    /// The operation is not one for such a place.
    #[error("expected \"set\" for {place}, found \"{found}\"")]
    OnlySet {
        /// What is to be changed.
        place: &'static str,
        /// The operation.
        found: &'static str,
    },
    /// A value is missing that the operation needs.
    #[error("expected {what} for \"{op}\", found none")]
    Missing {
        /// The old or the new value.
        what: &'static str,
        /// The operation.
        op: &'static str,
    },
    /// A typed container does not take it, or a packed array has other elements.
    #[error("expected {} as {what}, found {}", .expected.name(), .found.name())]
    OtherKind {
        /// Which of the encoded values of the change.
        what: &'static str,
        /// What fits.
        expected: Kind,
        /// Its type.
        found: Kind,
    },
    /// Elements of a packed array are not as wide as those there.
    #[error("expected {} with components of {expected} bits as {what}, found {found} bits", .kind.name())]
    OtherWidth {
        /// Which of the encoded values of the change.
        what: &'static str,
        /// The type of the array.
        kind: Kind,
        /// What fits.
        expected: usize,
        /// What it has.
        found: usize,
    },
    /// `set` would change how many elements a packed array has.
    #[error("expected as many new elements of {} as old ones, {expected}, found {found}", .kind.name())]
    OtherCount {
        /// The type of the array.
        kind: Kind,
        /// Old elements.
        expected: usize,
        /// New elements.
        found: usize,
    },
    /// What is there is not what the change says.
    #[error("expected the old value {expected}, found {}{found}", if .expected == .found { "another " } else { "" })]
    OtherOld {
        /// The old value of the change.
        expected: String,
        /// What is there.
        found: String,
    },
    /// The result would be nested deeper than the engine goes.
    #[error("expected at most {MAX_DEPTH} levels of nesting, found {found}")]
    TooDeep {
        /// Levels that there would be.
        found: usize,
    },
}

/// What leads into a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// An index.
    Index(Kind),
    /// A name.
    Name,
}

impl std::fmt::Display for StepKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Index(kind) => write!(f, "an int as the index of an element of {}", kind.name()),
            Self::Name => f.write_str("a String or StringName as the name of a property"),
        }
    }
}

/// An encoded value as a message shows it: a literal where that is short, else its type.
pub(super) fn shown(bytes: &[u8]) -> String {
    match key_step(bytes) {
        Step::Key(text) => text,
        _ => unreachable!("it is the step to a key"),
    }
}

/// The step to the value of this key.
pub(super) fn key_step(key: &[u8]) -> Step {
    let mut reader = Reader::new(key).with_objects(true);
    let Ok(kind) = reader.peek_kind() else { return Step::Key("no value".into()) };
    let event: Option<Event<'_>> = reader.next_event().ok().flatten();
    Step::to_key(kind, event.filter(|_| kind != Kind::Object))
}
