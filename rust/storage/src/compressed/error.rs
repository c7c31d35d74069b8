//! Errors of compressed files.

use std::fmt::Display;
use std::io;

/// A compressed file that cannot be read, or not to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompressedError {
    /// The system cannot read the file.
    #[error("cannot read the compressed file at byte {at}: {error}")]
    Read {
        /// The offset in the file, in bytes.
        at: u64,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// The file is no compressed file, has a compression that is not supported, is damaged, or ends too early.
    #[error("expected {expected}, found {found}, at byte {at} of the file")]
    Damaged {
        /// The offset in the file, in bytes.
        at: u64,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
}

impl CompressedError {
    pub(super) fn damaged(at: u64, expected: impl Display, found: impl Display) -> Self {
        Self::Damaged { at, expected: expected.to_string(), found: found.to_string() }
    }

    /// The file ends too early: inside `part`, which begins at `at`.
    pub(super) fn short(at: u64, part: impl Display, expected: u64, found: u64) -> Self {
        Self::damaged(at, format_args!("{expected} bytes for {part}"), found)
    }
}
