//! Errors of files that are not appended to.

use std::io;

/// Why a file cannot be appended to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// The system cannot open, read or change the file.
    #[error(transparent)]
    System(#[from] io::Error),
    /// The file is compressed.
    #[error("expected a file without compression, found a compressed one")]
    Compressed,
    /// The file may be one value without a length.
    #[error("expected values with their lengths, found what can be one value without a length")]
    OneValue,
    /// The file ends with something that is neither a whole record nor a torn one, or has a damaged one before a torn one.
    #[error("expected whole records and at most the beginning of one, found something else, at byte {at}")]
    Damaged {
        /// Its offset in bytes.
        at: u64,
    },
}
