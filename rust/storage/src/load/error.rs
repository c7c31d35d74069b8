//! Errors of files that are not read to their end.

use std::io;

use crate::compressed;
use varbatch_codec::CodecError;

/// Why a file was not read to its end. The frames before the error were returned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The system cannot read the file.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// The file is compressed and damaged, or its compression is not supported.
    #[error(transparent)]
    Compressed(#[from] compressed::CompressedError),
    /// The file ends inside a frame.
    #[error(transparent)]
    Frame(#[from] CodecError),
    /// From a frame's length on, a plain file is zeros up to its end or for many MiB, as a power cut leaves them.
    #[error("expected a frame, found nothing but zeros ({found} bytes), at byte {at}")]
    Zeros {
        /// Offset of the first zero in bytes.
        at: u64,
        /// How many.
        found: u64,
    },
}
