//! What is wrong with a compressed file, and where.

use std::io;

use super::{Compression, MAX_BLOCK_LEN, mode_name};

/// A compressed file that cannot be read, or not further. Blocks are counted from 0; `at` is a byte of the file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system could not read.
    #[error("cannot read the compressed file at byte {at}: {source}")]
    Read {
        /// Where it would have read on.
        at: u64,
        /// What the system says.
        source: io::Error,
    },
    /// Not a compressed file.
    #[error("expected \"GCPF\" for a compressed file, found other bytes, at byte 0 of the file")]
    NoMagic,
    /// The file ends too early.
    #[error("expected {expected} bytes for the {part} of a compressed file, found {found}, at byte {at} of the file")]
    Short {
        /// Head, table or end.
        part: &'static str,
        /// Bytes that the part takes.
        expected: u64,
        /// Bytes that are there.
        found: u64,
        /// Where the part begins.
        at: u64,
    },
    /// A compression that is not served, or none.
    #[error(
        "expected compression mode 0 (FastLZ), 1 (DEFLATE), 2 (Zstandard) or 3 (gzip), found {found} ({}), at byte 4 of \
         the file",
        mode_name(*.found)
    )]
    Mode {
        /// The number as it stands there.
        found: u32,
    },
    /// A block size of 0, or one that is not held in memory.
    #[error("expected a block size from 1 to {MAX_BLOCK_LEN}, found {found}, at byte 8 of the file")]
    BlockLen {
        /// The number as it stands there.
        found: u32,
    },
    /// The file ends inside a block.
    #[error("expected {expected} bytes for block {block} of {count}, found {found}, at byte {at} of the file")]
    ShortBlock {
        /// Which one.
        block: u64,
        /// How many there are.
        count: u64,
        /// Bytes that it takes in the file.
        expected: u64,
        /// Bytes that are there.
        found: u64,
        /// Where it begins.
        at: u64,
    },
    /// The table gives a block a size that what it holds cannot be compressed to.
    #[error(
        "expected from {} to {} bytes for block {block} of {count}, found {found}, at byte {at} of the file",
        .expected.0, .expected.1
    )]
    BlockSize {
        /// Which one.
        block: u64,
        /// How many there are.
        count: u64,
        /// The least and the most.
        expected: (u64, u64),
        /// What the table says.
        found: u64,
        /// Where it stands in the table.
        at: u64,
    },
    /// A block that does not give the bytes that it should.
    #[error(
        "expected {} of {len} bytes in block {block} of {count}, found damage, at byte {at} of the file",
        .compression.name()
    )]
    Damaged {
        /// How it is compressed.
        compression: Compression,
        /// Which one.
        block: u64,
        /// How many there are.
        count: u64,
        /// Bytes that it should give.
        len: u64,
        /// Where it begins.
        at: u64,
    },
    /// Something else follows the blocks.
    #[error("expected \"GCPF\" behind the blocks, found other bytes, at byte {at} of the file")]
    NoEnd {
        /// Where they end.
        at: u64,
    },
}
