//! Errors of deltas, with their offsets.

use super::format::{LEN_AT, VERSION};
use crate::limits::MAX_VALUE_LEN;

/// A delta that cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}, at byte {at} of the delta")]
pub struct DeltaError {
    kind: DeltaErrorKind,
    at: usize,
}

impl DeltaError {
    pub(super) fn new(at: usize, kind: DeltaErrorKind) -> Self {
        Self { kind, at }
    }

    #[cold]
    pub(super) fn damaged(at: usize, text: String) -> Self {
        Self::new(at, DeltaErrorKind::Damaged(text))
    }

    /// Makes the error of a result that would take `found` bytes, more than a value may.
    #[doc(hidden)]
    pub fn too_large(found: u64) -> Self {
        Self::damaged(LEN_AT, format!("expected at most {MAX_VALUE_LEN} bytes for the result, found {found}"))
    }

    /// Returns what was expected and what was found.
    pub fn kind(&self) -> &DeltaErrorKind {
        &self.kind
    }

    /// Returns the offset in the delta, in bytes.
    pub fn at(&self) -> usize {
        self.at
    }
}

/// Why a delta cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeltaErrorKind {
    /// The bytes are not a delta, or a delta of an unknown version, which is their first byte.
    #[error("expected version {VERSION} of the delta format, found {0}")]
    Version(u8),
    /// The delta was made from another base.
    #[error("expected a base with the hash {expected:016x}, found {found:016x} for its {}", bytes(*.len as u64))]
    Base {
        /// The hash of the base that the delta was made from.
        expected: u64,
        /// The hash of the base that it was applied to.
        found: u64,
        /// The length of that base, in bytes.
        len: usize,
    },
    /// The delta ends early, or holds a number that cannot be: what was expected and what was found.
    #[error("{0}")]
    Damaged(String),
    /// The result does not have the length that the delta announces.
    #[error("expected {} for the result, found {found}", bytes(*.expected))]
    Len {
        /// The announced length, in bytes.
        expected: u64,
        /// The length of the result, in bytes.
        found: usize,
    },
}

pub(super) fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".into() } else { format!("{count} bytes") }
}
