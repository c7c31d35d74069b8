//! Errors of deltas, with their offsets.

use super::format::{LEN_AT, MAX_NUMBER_LEN, VERSION};
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

    /// Makes the error of a result that would take `found` bytes, more than a value may.
    pub fn too_large(found: u64) -> Self {
        Self::new(LEN_AT, DeltaErrorKind::TooLarge { found })
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
    /// The bytes are not a delta, or a delta of an unknown version.
    #[error("expected version {VERSION} of the delta format, found {found}")]
    Version {
        /// The first byte.
        found: u8,
    },
    /// The delta was made from another base.
    #[error(
        "expected a base with the hash {expected:016x}, found {found:016x} for its {}",
        bytes(*.len as u64)
    )]
    Base {
        /// The hash of the base that the delta was made from.
        expected: u64,
        /// The hash of the base that it was applied to.
        found: u64,
        /// The length of that base, in bytes.
        len: usize,
    },
    /// The result would be longer than a value may be.
    #[error("expected at most {MAX_VALUE_LEN} bytes for the result, found {found}")]
    TooLarge {
        /// The announced length, in bytes.
        found: u64,
    },
    /// The delta ends where a number should begin or continue.
    #[error("expected {part}, found the end")]
    End {
        /// The missing part.
        part: &'static str,
    },
    /// The delta ends inside a part of known length.
    #[error("expected {} for {part}, found {found}", bytes(*.expected))]
    Short {
        /// The part that is cut off.
        part: &'static str,
        /// Its length, in bytes.
        expected: u64,
        /// The remaining bytes.
        found: usize,
    },
    /// A number takes more bytes than allowed.
    #[error("expected at most {} bytes for {part}, found more", MAX_NUMBER_LEN)]
    LongNumber {
        /// The meaning of the number.
        part: &'static str,
    },
    /// A number takes more bytes than it needs.
    #[error("expected {part} in as few bytes as it needs, found a last byte of 0")]
    PaddedNumber {
        /// The meaning of the number.
        part: &'static str,
    },
    /// A token reaches beyond the end of the base.
    #[error(
        "expected at most {} to {action} at byte {base_at} of the base, found {found}",
        bytes(*.remaining as u64)
    )]
    BeyondBase {
        /// The operation of the token.
        action: &'static str,
        /// The offset in the base, in bytes.
        base_at: usize,
        /// Bytes of the base from that offset on.
        remaining: usize,
        /// Bytes that the token takes.
        found: u64,
    },
    /// The result does not have the length that the delta announces.
    #[error("expected {} for the result, found {found}", bytes(*.expected))]
    Len {
        /// The announced length, in bytes.
        expected: u64,
        /// The length of the result, in bytes.
        found: usize,
    },
}

fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".into() } else { format!("{count} bytes") }
}
