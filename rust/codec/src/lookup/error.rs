//! Errors of paths that lead nowhere.

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
    /// Makes the error of a step that leads nowhere, after these.
    pub(super) fn no_step(done: Vec<Step>, text: String) -> Self {
        let path = done.into_iter().rev().fold(Path::default(), Path::within);
        Self { kind: LookupErrorKind::NoStep(text), path }
    }

    /// Makes the error of a damaged value, which was found after these.
    pub(super) fn damaged(done: Vec<Step>, error: CodecError) -> Self {
        let error = done.into_iter().rev().fold(error, CodecError::within);
        Self { kind: LookupErrorKind::Damaged(error), path: Path::default() }
    }

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
    Damaged(CodecError),
    /// A step leads nowhere: what was expected and what was found.
    #[error("{0}")]
    NoStep(String),
}
