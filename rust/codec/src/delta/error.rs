//! What is wrong with a delta, and where.

use super::{LEN_AT, VERSION, number};
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

    /// The error of a result that would take `found` bytes, more than a value may.
    pub fn too_large(found: u64) -> Self {
        Self::new(LEN_AT, DeltaErrorKind::TooLarge { found })
    }

    /// What was found, and what was expected.
    pub fn kind(&self) -> &DeltaErrorKind {
        &self.kind
    }

    /// Offset in the delta, in bytes.
    pub fn at(&self) -> usize {
        self.at
    }
}

/// Why a delta cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeltaErrorKind {
    /// No delta, or one of a version that is not known.
    #[error("expected version {VERSION} of the delta format, found {found}")]
    Version {
        /// The number as it stands there.
        found: u8,
    },
    /// The delta was made from other bytes.
    #[error(
        "expected a base with the hash {expected:016x}, found {found:016x} for its {}",
        bytes(*.len as u64)
    )]
    Base {
        /// The hash of the base that the delta was made from.
        expected: u64,
        /// The hash of the base that it was applied to.
        found: u64,
        /// Bytes of that base.
        len: usize,
    },
    /// The result would be longer than a value may be.
    #[error("expected at most {MAX_VALUE_LEN} bytes for the result, found {found}")]
    TooLarge {
        /// The length that is announced.
        found: u64,
    },
    /// The delta ends where a number should begin or go on.
    #[error("expected {part}, found the end")]
    End {
        /// What should be there.
        part: &'static str,
    },
    /// The delta ends inside a part of known length.
    #[error("expected {} for {part}, found {found}", bytes(*.expected))]
    Short {
        /// What should be there.
        part: &'static str,
        /// Bytes that it takes.
        expected: u64,
        /// Bytes that are left.
        found: usize,
    },
    /// A number goes on behind the bytes that it may take.
    #[error("expected at most {} bytes for {part}, found more", number::MAX_LEN)]
    LongNumber {
        /// What the number is.
        part: &'static str,
    },
    /// A number takes more bytes than it needs.
    #[error("expected {part} in as few bytes as it needs, found a last byte of 0")]
    PaddedNumber {
        /// What the number is.
        part: &'static str,
    },
    /// A token reaches beyond the end of the base.
    #[error(
        "expected at most {} to {action} at byte {base_at} of the base, found {found}",
        bytes(*.left as u64)
    )]
    BeyondBase {
        /// What the token does with them.
        action: &'static str,
        /// Where it does so.
        base_at: usize,
        /// Bytes of the base from there on.
        left: usize,
        /// How many the token takes.
        found: u64,
    },
    /// The tokens do not make a result of the length that is announced.
    #[error("expected {} for the result, found {found}", bytes(*.expected))]
    Len {
        /// The length that is announced.
        expected: u64,
        /// The length that the tokens make.
        found: usize,
    },
}

fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".into() } else { format!("{count} bytes") }
}
