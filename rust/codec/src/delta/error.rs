//! What is wrong with a delta, and where.

use super::{LEN_AT, VERSION, number};
use crate::limits::MAX_VALUE_LEN;

/// A delta that cannot be applied. `at` is a byte of the delta.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeltaError {
    /// No delta, or one of a version that is not known.
    #[error("expected version {VERSION} of the delta format, found {found}, at byte 0 of the delta")]
    Version {
        /// The number as it stands there.
        found: u8,
    },
    /// The delta was made from other bytes.
    #[error(
        "expected a base with the hash {expected:016x}, found {found:016x} for its {}, at byte 1 of the delta",
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
    #[error("expected at most {MAX_VALUE_LEN} bytes for the result, found {found}, at byte {LEN_AT} of the delta")]
    TooLarge {
        /// The length that is announced.
        found: u64,
    },
    /// The delta ends where a number should begin or go on.
    #[error("expected {part}, found the end, at byte {at} of the delta")]
    End {
        /// What should be there.
        part: &'static str,
        /// Where the delta ends.
        at: usize,
    },
    /// The delta ends inside a part of known length.
    #[error("expected {} for {part}, found {found}, at byte {at} of the delta", bytes(*.expected))]
    Short {
        /// What should be there.
        part: &'static str,
        /// Bytes that it takes.
        expected: u64,
        /// Bytes that are left.
        found: usize,
        /// Where it begins.
        at: usize,
    },
    /// A number goes on behind the bytes that it may take.
    #[error("expected at most {} bytes for {part}, found more, at byte {at} of the delta", number::MAX_LEN)]
    LongNumber {
        /// What the number is.
        part: &'static str,
        /// Where it begins.
        at: usize,
    },
    /// A number takes more bytes than it needs.
    #[error("expected {part} in as few bytes as it needs, found a last byte of 0, at byte {at} of the delta")]
    PaddedNumber {
        /// What the number is.
        part: &'static str,
        /// Where it begins.
        at: usize,
    },
    /// A token reaches beyond the end of the base.
    #[error(
        "expected at most {} to {action} at byte {base_at} of the base, found {found}, at byte {at} of the delta",
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
        /// Where the token begins.
        at: usize,
    },
    /// The tokens do not make a result of the length that is announced.
    #[error("expected {} for the result, found {found}, at byte {LEN_AT} of the delta", bytes(*.expected))]
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
