//! Errors of compressed files.

use std::error::Error;
use std::{fmt, io};

use super::format::{Compression, MAX_BLOCK_LEN, mode_name};

/// A compressed file that cannot be read, or not to its end.
#[derive(Debug)]
pub struct CompressedError {
    kind: CompressedErrorKind,
    at: u64,
}

impl CompressedError {
    /// Returns what was expected and what was found.
    pub fn kind(&self) -> &CompressedErrorKind {
        &self.kind
    }

    /// Returns the offset in the file, in bytes.
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
    /// The system cannot read the file.
    #[error("cannot read the compressed file")]
    Read(#[source] io::Error),
    /// The file is not a compressed file.
    #[error("expected \"GCPF\" for a compressed file, found other bytes")]
    NoMagic,
    /// The file ends too early.
    #[error("expected {expected} bytes for the {part} of a compressed file, found {found}")]
    Short {
        /// Head, table or end.
        part: &'static str,
        /// Its length in bytes.
        expected: u64,
        /// The bytes that remain.
        found: u64,
    },
    /// The compression is unknown or not supported.
    #[error(
        "expected compression mode 0 (FastLZ), 1 (DEFLATE), 2 (Zstandard) or 3 (gzip), found {found} ({})",
        mode_name(*.found)
    )]
    Mode {
        /// The number in the file.
        found: u32,
    },
    /// The block size is 0, or too large for memory.
    #[error("expected a block size from 1 to {MAX_BLOCK_LEN}, found {found}")]
    BlockLen {
        /// The number in the file.
        found: u32,
    },
    /// The file ends inside a block.
    #[error("expected {expected} bytes for block {block} of {count}, found {found}")]
    ShortBlock {
        /// The index of the block.
        block: u64,
        /// The number of blocks in the file.
        count: u64,
        /// Its length in the file, according to the table.
        expected: u64,
        /// The bytes that remain.
        found: u64,
    },
    /// The table gives a block a size that no block of its length is compressed to.
    #[error(
        "expected from {} to {} bytes for block {block} of {count}, found {found}",
        .expected.0, .expected.1
    )]
    BlockSize {
        /// The index of the block.
        block: u64,
        /// The number of blocks in the file.
        count: u64,
        /// The min and max length in bytes.
        expected: (u64, u64),
        /// The length in the table.
        found: u64,
    },
    /// The file unpacks to more than is allowed for its size.
    #[error("expected at most {max} bytes from a compressed file of {len}, found {found}")]
    Dense {
        /// The length of the file, in bytes.
        len: u64,
        /// Bytes of the stream that it may have.
        max: u64,
        /// Bytes that it announces.
        found: u64,
    },
    /// A block does not decompress to its length.
    #[error(
        "expected {} of {len} bytes in block {block} of {count}, found damage",
        .compression.name()
    )]
    Damaged {
        /// How the block is compressed.
        compression: Compression,
        /// The index of the block.
        block: u64,
        /// The number of blocks in the file.
        count: u64,
        /// Its length in the stream, in bytes.
        len: u64,
    },
    /// Something else than the end mark follows the blocks.
    #[error("expected \"GCPF\" behind the blocks, found other bytes")]
    NoEnd,
}

impl CompressedErrorKind {
    pub(super) fn at(self, at: u64) -> CompressedError {
        CompressedError { kind: self, at }
    }
}
