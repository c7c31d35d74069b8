//! Errors of changes that do not fit a value.

use crate::change::model::ChangeStep;
use crate::error::CodecError;
use crate::kind::Kind;
use crate::limits::MAX_DEPTH;
use crate::path::{Path, Step};
use crate::reader::Reader;

/// How messages name the parts of a change.
pub(super) const OLD: &str = "the old value";
pub(super) const NEW: &str = "the new value";
pub(super) const KEY: &str = "the key";

/// A change that cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}{}{path}", .change.map(|change| format!(", in change {change}")).unwrap_or_default())]
pub struct PatchError {
    pub(super) change: Option<usize>,
    pub(super) path: Path,
    pub(super) kind: PatchErrorKind,
}

impl PatchError {
    /// Makes the error of a whole value, outside of any change.
    pub(super) fn of_value(kind: PatchErrorKind) -> Self {
        Self { change: None, path: Path::default(), kind }
    }

    /// Returns what was expected and what was found.
    pub fn kind(&self) -> &PatchErrorKind {
        &self.kind
    }

    /// Returns the index of the change, or `None` if the error is in no change.
    pub fn change(&self) -> Option<usize> {
        self.change
    }

    /// Returns the path of the change, as far as it could be followed.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Why a change does not fit. The message says what was expected and what was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchErrorKind {
    /// There is no value to change, or bytes follow it.
    #[error("before: {0}")]
    Before(CodecError),
    /// The result cannot be a value.
    #[error(transparent)]
    Result(CodecError),
    /// A path leads into a value that holds no others.
    #[error("expected an Array, a Dictionary, an object or a packed array, found {}", .found.name())]
    NotInside {
        /// The type of the value.
        found: Kind,
    },
    /// A path continues after an element of a packed array.
    #[error("expected the path to end at an element of {}, found {more} more step{}", .kind.name(), if *.more == 1 { "" } else { "s" })]
    TooLong {
        /// The type of the array.
        kind: Kind,
        /// Steps after the index.
        more: usize,
    },
    /// A step does not fit the value that it starts from.
    #[error("expected {expected}, found {found}")]
    WrongStep {
        /// The kind of step that fits.
        expected: StepKind,
        /// The step.
        found: String,
    },
    /// A step, an old value or a new value is not exactly one encoded value.
    #[error("expected an encoded value as {what}, found a broken one ({error})")]
    Broken {
        /// The part of the change.
        what: &'static str,
        /// The error in it.
        error: CodecError,
    },
    /// Elements of a packed array are given where a value is needed.
    #[error("expected an encoded value as {what}, found elements of {}", .kind.name())]
    NoValue {
        /// The part of the change.
        what: &'static str,
        /// The type of the array.
        kind: Kind,
    },
    /// A value lacks the padding at its end.
    #[error("expected {expected} bytes of padding at the end of {what}, found none")]
    Unpadded {
        /// The part of the change.
        what: &'static str,
        /// Bytes that are missing.
        expected: usize,
    },
    /// The array has no such element.
    #[error("expected the index of one of {count} elements of {}, found {found}", .kind.name())]
    NoElement {
        /// The type of the array.
        kind: Kind,
        /// The number of elements.
        count: usize,
        /// The index.
        found: i64,
    },
    /// Nothing can be inserted at this index.
    #[error("expected an index from 0 to {count} to insert into {}, found {found}", .kind.name())]
    NoPlace {
        /// The type of the array or Dictionary.
        kind: Kind,
        /// The number of elements or entries.
        count: usize,
        /// The index.
        found: i64,
    },
    /// The packed array has too few elements from the index on.
    #[error("expected {expected} elements of {} from this index on, found {found}", .kind.name())]
    NoElements {
        /// The type of the packed array.
        kind: Kind,
        /// Elements that the change removes or replaces.
        expected: usize,
        /// Elements that the array has.
        found: usize,
    },
    /// A Dictionary has no such key, or an object has no such property.
    #[error("expected an existing {what}, found no {what} {found}")]
    NotThere {
        /// Key or property.
        what: &'static str,
        /// The key or name.
        found: String,
    },
    /// A Dictionary has this key more than once, or an object has this property more than once.
    #[error("expected a unique {what}, found {what} {found} more than once")]
    Twice {
        /// Key or property.
        what: &'static str,
        /// The key or name.
        found: String,
    },
    /// The Dictionary already has the key.
    #[error("expected a new key, found the existing key {found}")]
    KeyThere {
        /// The key.
        found: String,
    },
    /// The entry has another index in the order of its Dictionary.
    #[error("expected key {key} at index {index} of the Dictionary, found {found}")]
    OtherPlace {
        /// The key.
        key: String,
        /// Its expected index.
        index: usize,
        /// What was found.
        found: String,
    },
    /// The operation is not possible there.
    #[error("expected \"set\" for {place}, found \"{found}\"")]
    OnlySet {
        /// The target of the change.
        place: &'static str,
        /// The operation.
        found: &'static str,
    },
    /// The change lacks a value that its operation needs.
    #[error("expected {what} for \"{op}\", found none")]
    Missing {
        /// The old or the new value.
        what: &'static str,
        /// The operation.
        op: &'static str,
    },
    /// The value does not have the type of the container, or the elements that of the packed array.
    #[error("expected {} as {what}, found {}", .expected.name(), .found.name())]
    OtherKind {
        /// The part of the change.
        what: &'static str,
        /// The type that fits.
        expected: Kind,
        /// The type of the value.
        found: Kind,
    },
    /// The elements have another width than those of the packed array.
    #[error("expected {} with components of {expected} bits as {what}, found {found} bits", .kind.name())]
    OtherWidth {
        /// The part of the change.
        what: &'static str,
        /// The type of the array.
        kind: Kind,
        /// The width of the array, in bits.
        expected: usize,
        /// The width of the elements, in bits.
        found: usize,
    },
    /// `set` would change the number of elements in a packed array.
    #[error("expected as many new elements of {} as old ones ({expected}), found {found}", .kind.name())]
    OtherCount {
        /// The type of the array.
        kind: Kind,
        /// The number of old elements.
        expected: usize,
        /// The number of new elements.
        found: usize,
    },
    /// The current value is not the old value of the change.
    #[error("expected the old value {expected}, found {}{found}", if .expected == .found { "another " } else { "" })]
    OtherOld {
        /// The old value of the change.
        expected: String,
        /// The current value.
        found: String,
    },
    /// The result would be nested deeper than the engine allows.
    #[error("expected at most {MAX_DEPTH} levels of nesting, found {found}")]
    TooDeep {
        /// Levels of the result.
        found: usize,
    },
}

/// The kind of step that a value needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// An index, for this type of array.
    Index(Kind),
    /// The key of an entry.
    Key,
    /// The name of a property.
    Name,
}

impl std::fmt::Display for StepKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Index(kind) => write!(f, "an int as the index of an element of {}", kind.name()),
            Self::Key => f.write_str("an encoded value as the key of an entry"),
            Self::Name => f.write_str("a String or StringName as the name of a property"),
        }
    }
}

/// Formats an encoded value for a message: as a literal if it is short, otherwise as its type.
pub(super) fn shown(bytes: &[u8]) -> String {
    shown_step(ChangeStep::Key(bytes))
}

/// Formats the value of a step like [`shown`].
pub(super) fn shown_step(step: ChangeStep<'_>) -> String {
    match key_step(step) {
        Step::Key(text) => text,
        _ => unreachable!("it is the step to a key"),
    }
}

/// Returns the step to the value of this key.
pub(super) fn key_step(key: ChangeStep<'_>) -> Step {
    let kind = match key {
        ChangeStep::Index(_) => Kind::Int,
        ChangeStep::Property(_) => Kind::StringName,
        ChangeStep::Key(bytes) => match Reader::new(bytes).peek_kind() {
            Ok(kind) => kind,
            Err(_) => return Step::Key("no value".into()),
        },
    };
    Step::to_key(kind, key.event().filter(|_| kind != Kind::Object))
}

/// Checks that the current value is the old value: its bytes are the same, or `same` returns true.
pub(super) fn check_same(
    there: &[u8],
    old: &[u8],
    same: impl FnOnce(&[u8], &[u8]) -> bool,
) -> Result<(), PatchErrorKind> {
    if there == old || same(there, old) {
        return Ok(());
    }
    Err(PatchErrorKind::OtherOld { expected: shown(old), found: shown(there) })
}
