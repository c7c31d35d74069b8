//! Errors of compressed files.

use std::error::Error;
use std::{fmt, io};

use super::format::{Compression, MAX_BLOCK_LEN, mode_name};

/// A compressed file that cannot be read, or not further.
#[derive(Debug)]
pub struct CompressedError {
    kind: CompressedErrorKind,
    at: u64,
}

impl CompressedError {
    pub(super) fn new(at: u64, kind: CompressedErrorKind) -> Self {
        Self { kind, at }
    }

    /// What was found, and what was expected.
    pub fn kind(&self) -> &CompressedErrorKind {
        &self.kind
    }

    /// Offset in the file, in bytes.
    pub fn at(&self) -> u64 {
        self.at
    }
}

impl fmt::Display for CompressedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, at } = self;
        match kind {
            CompressedErrorKind::Read(error) => write!(f, "{kind} at byte {at}: {error}"),
            _ => write!(f, "{kind}, at byte {at} of the file"),
        }
    }
}

impl Error for CompressedError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.kind.source()
    }
}

/// Why a compressed file cannot be read. Blocks are counted from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompressedErrorKind {
    /// The system cannot read.
    #[error("cannot read the compressed file")]
    Read(#[source] io::Error),
    /// Not a compressed file.
    #[error("expected \"GCPF\" for a compressed file, found other bytes")]
    NoMagic,
    /// The file ends too early.
    #[error("expected {expected} bytes for the {part} of a compressed file, found {found}")]
    Short {
        /// Head, table or end.
        part: &'static str,
        /// Bytes that the part takes.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// A compression that is not supported, or none.
    #[error(
        "expected compression mode 0 (FastLZ), 1 (DEFLATE), 2 (Zstandard) or 3 (gzip), found {found} ({})",
        mode_name(*.found)
    )]
    Mode {
        /// The number in the file.
        found: u32,
    },
    /// A block size of 0, or one that is too large for memory.
    #[error("expected a block size from 1 to {MAX_BLOCK_LEN}, found {found}")]
    BlockLen {
        /// The number in the file.
        found: u32,
    },
    /// The file ends inside a block.
    #[error("expected {expected} bytes for block {block} of {count}, found {found}")]
    ShortBlock {
        /// Its index.
        block: u64,
        /// Blocks in the file.
        count: u64,
        /// Its bytes in the file, by the table.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// The table gives a block a size that none of its length is compressed to.
    #[error(
        "expected from {} to {} bytes for block {block} of {count}, found {found}",
        .expected.0, .expected.1
    )]
    BlockSize {
        /// Its index.
        block: u64,
        /// Blocks in the file.
        count: u64,
        /// The min and max bytes.
        expected: (u64, u64),
        /// The bytes in the table.
        found: u64,
    },
    /// A block that does not decompress to its length.
    #[error(
        "expected {} of {len} bytes in block {block} of {count}, found damage",
        .compression.name()
    )]
    Damaged {
        /// How it is compressed.
        compression: Compression,
        /// Its index.
        block: u64,
        /// Blocks in the file.
        count: u64,
        /// Its bytes in the stream.
        len: u64,
    },
    /// Something else follows the blocks.
    #[error("expected \"GCPF\" behind the blocks, found other bytes")]
    NoEnd,
}
