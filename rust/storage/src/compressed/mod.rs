//! Compressed files, as `FileAccess.open_compressed` writes and reads them.
//!
//! ```text
//! "GCPF"  u32 mode  u32 block size  u32 total  u32 compressed size of each block  blocks  "GCPF"
//! ```
//!
//! Numbers are little-endian. The stream of `total` bytes is cut into `total / block size + 1` blocks, each compressed
//! alone, so that threads can share them. The last one is shorter, and empty if the size divides the total. Source:
//! `core/io/file_access_compressed.cpp` of Godot 4.6.3.
//!
//! FastLZ is only read, as nothing needs it written. Brotli is refused, as the engine itself cannot write it.

use std::fmt::Display;
use std::io;

use varbatch_workers::lock;

mod decoder;
mod encoder;
mod fastlz;

pub use decoder::{Decoder, is_damaged_at_start};
pub use encoder::Encoder;

/// The first four bytes of a compressed file, and its last four.
pub const MAGIC: [u8; 4] = *b"GCPF";

/// Bytes of the stream in a block of a save. The engine's own blocks have 4096.
pub const BLOCK_LEN: usize = 64 << 10;

/// Max bytes of the stream in a block that is read or written. A whole block is held in memory.
pub const MAX_BLOCK_LEN: usize = 16 << 20;

/// Max bytes of the stream: the engine stores its length in 32 bits.
pub const MAX_TOTAL: u64 = u32::MAX as u64;

/// Bytes that any file may unpack to, and bytes for each of its own if that is more: crafted blocks would fill the
/// memory. The engine's files never unpack to over 180 times their bytes; those of [`Encoder`] that would are padded.
const MAX_UNPACKED: u64 = 64 << 20;
const MAX_RATIO: u64 = 256;

/// The engine's `window_bits` of Deflate, which is the max.
const WINDOW_BITS: u8 = 15;

/// Bytes before the table.
const HEAD_LEN: usize = 16;

/// How the blocks are compressed, in the order of `FileAccess.CompressionMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// FastLZ, which is only read.
    FastLz,
    /// Deflate in zlib's format.
    Deflate,
    /// Zstandard.
    Zstd,
    /// Deflate in gzip's format.
    Gzip,
}

impl Compression {
    /// The compressions that [`Encoder`] writes.
    pub const WRITTEN: [Self; 3] = [Self::Deflate, Self::Zstd, Self::Gzip];

    /// Returns the compression of a file that replaces one with this: the same, or Zstandard instead of FastLZ.
    #[must_use]
    pub const fn written(self) -> Self {
        if let Self::FastLz = self { Self::Zstd } else { self }
    }

    /// Returns the compression with this number in `FileAccess.CompressionMode`.
    pub fn from_mode(mode: u32) -> Option<Self> {
        [Self::FastLz, Self::Deflate, Self::Zstd, Self::Gzip].into_iter().find(|compression| compression.mode() == mode)
    }

    /// Returns its number in `FileAccess.CompressionMode`.
    pub const fn mode(self) -> u32 {
        self as u32
    }

    /// Returns its name in the engine's documentation.
    pub const fn name(self) -> &'static str {
        ["FastLZ", "DEFLATE", "Zstandard", "gzip"][self as usize]
    }
}

/// A compressed file that cannot be read, or not to its end.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the texts of the errors say what they are")]
pub enum CompressedError {
    #[error("cannot read the compressed file at byte {at}: {}", crate::words::words(error))]
    Read {
        at: u64,
        #[source]
        error: io::Error,
    },
    /// The file is no compressed file, has a compression that is not supported, is damaged, or ends too early.
    #[error("expected {expected}, found {found}, at byte {at} of the file")]
    Damaged { at: u64, expected: String, found: String },
}

impl CompressedError {
    fn damaged(at: u64, expected: impl Display, found: impl Display) -> Self {
        Self::Damaged { at, expected: expected.to_string(), found: found.to_string() }
    }

    /// The file ends too early: inside `part`, which begins at `at`.
    fn short(at: u64, part: impl Display, expected: u64, found: u64) -> Self {
        Self::damaged(at, format_args!("{expected} bytes for {part}"), found)
    }
}

/// True if these bytes, at least four, begin a compressed file, and no frames: as a length, they would be odd.
pub fn is_compressed(head: &[u8]) -> bool {
    head.starts_with(&MAGIC)
}

const fn block_count(total: u64, block_len: u64) -> u64 {
    total / block_len + 1
}

/// Packers or unpackers, one for each working thread: made when needed, and reused.
struct Reused<T>(std::sync::Mutex<Vec<T>>);

impl<T> Reused<T> {
    /// Calls `work` with one that is free, or with a new one if all are in use.
    fn with<R>(
        &self,
        make: impl FnOnce() -> io::Result<T>,
        work: impl FnOnce(&mut T) -> io::Result<R>,
    ) -> io::Result<R> {
        let kept = lock(&self.0).pop();
        let mut one = kept.map_or_else(make, Ok)?;
        let result = work(&mut one)?;
        // One that failed is not reused.
        lock(&self.0).push(one);
        Ok(result)
    }
}
