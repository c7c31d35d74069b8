//! Errors of paths that lead nowhere.

use crate::change::PatchErrorKind;
use crate::error::CodecError;
use crate::path::{Path, Step};

/// A path that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}{path}")]
pub struct LookupError {
    kind: LookupErrorKind,
    path: Path,
}

impl LookupError {
    /// Returns why it leads nowhere.
    pub fn kind(&self) -> &LookupErrorKind {
        &self.kind
    }

    /// Returns the path as far as it could be followed. Empty if the value is damaged: that error has its own path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Why a path leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LookupErrorKind {
    /// The value is damaged along the path.
    #[error(transparent)]
    Damaged(#[from] CodecError),
    /// A step leads nowhere.
    #[error(transparent)]
    NoStep(#[from] PatchErrorKind),
}

/// Puts the steps that were done before the path of an error.
#[cold]
pub(super) fn after(kind: impl Into<LookupErrorKind>, done: Vec<Step>) -> LookupError {
    let path = done.into_iter().rev();
    match kind.into() {
        LookupErrorKind::Damaged(error) => {
            LookupError { kind: path.fold(error, CodecError::within).into(), path: Path::default() }
        }
        kind => LookupError { kind, path: path.fold(Path::default(), Path::within) },
    }
}
