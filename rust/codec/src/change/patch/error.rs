//! Errors of changes that do not fit a value.

use crate::change::model::Op;
use crate::error::CodecError;
use crate::kind::Kind;
use crate::path::{Nowhere, Path, PathStep, shown_step, shown_value};
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

/// Why a change does not fit. The texts say what was expected and what was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchErrorKind {
    /// There is no value to change, or bytes follow it.
    #[error("before: {0}")]
    Before(CodecError),
    /// The result cannot be a value.
    #[error(transparent)]
    Result(CodecError),
    /// The path leads nowhere.
    #[error("{0}")]
    Path(String),
    /// The operation, the key or the index is not possible there.
    #[error("{0}")]
    Place(String),
    /// The old or new value is missing, broken, or of another type or size than the place takes.
    #[error("{0}")]
    Value(String),
    /// The current value is not the old value of the change.
    #[error("{0}")]
    Old(String),
}

impl PatchErrorKind {
    pub(super) fn only_set(place: &str, found: Op) -> Self {
        Self::Place(format!("expected \"set\" for {place}, found \"{}\"", found.name()))
    }

    pub(super) fn no_place(kind: Kind, count: usize, found: i64) -> Self {
        Self::Place(format!("expected an index from 0 to {count} to insert into {}, found {found}", kind.name()))
    }

    pub(super) fn missing(what: &str, op: Op) -> Self {
        Self::Value(format!("expected {what} for \"{}\", found none", op.name()))
    }

    pub(super) fn unpadded(what: &str, expected: usize) -> Self {
        Self::Value(format!("expected {expected} bytes of padding at the end of {what}, found none"))
    }

    pub(super) fn other_kind(what: &str, expected: Kind, found: Kind) -> Self {
        Self::Value(format!("expected {} as {what}, found {}", expected.name(), found.name()))
    }
}

/// Makes the error of a step that leads nowhere.
pub(super) fn no_step(why: Nowhere, step: PathStep<'_>) -> PatchErrorKind {
    PatchErrorKind::Path(why.text(|| shown_step(step)))
}

/// Makes the error of a step that is no key, where one must be.
pub(super) fn no_key(step: PathStep<'_>) -> PatchErrorKind {
    let found = shown_step(step);
    PatchErrorKind::Path(format!("expected an encoded value as the key of an entry, found {found}"))
}

/// Formats an encoded value for a message.
pub(super) fn shown(bytes: &[u8]) -> String {
    shown_value(Reader::new(bytes))
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
    let (expected, found) = (shown(old), shown(there));
    let another = if expected == found { "another " } else { "" };
    Err(PatchErrorKind::Old(format!("expected the old value {expected}, found {another}{found}")))
}
