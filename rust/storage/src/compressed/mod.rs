//! Compressed files: what `FileAccess.open_compressed` writes and reads.
//!
//! ```text
//! "GCPF"  u32 mode  u32 block size  u32 total  u32 compressed size of each block  blocks  "GCPF"
//! ```
//!
//! Numbers are little-endian. The uncompressed stream, of `total` bytes, is cut into blocks of the block size, and each is
//! compressed for itself, so that many are worked on at once. There are `total / block size + 1` of them: the last one is
//! shorter than the others, and holds nothing where the block size divides the total. From
//! `core/io/file_access_compressed.cpp` of Godot 4.6.3.
//!
//! FastLZ is only read: nobody needs it written. Brotli is refused, as the engine itself cannot write it.

mod block;
mod decoder;
mod encoder;
mod error;
mod fastlz;
mod layout;

pub use decoder::Decoder;
pub use encoder::Encoder;
pub use error::{CompressedError, CompressedErrorKind};

/// The first four bytes of a compressed file, and its last four.
pub const MAGIC: [u8; 4] = *b"GCPF";

/// Bytes of the stream in a block that [`Encoder::new`] writes. The engine's own blocks have 4096.
pub const BLOCK_LEN: usize = 64 << 10;

/// The longest block that is read or written, in bytes of the stream. It is held in memory as a whole.
pub const MAX_BLOCK_LEN: usize = 16 << 20;

/// The longest stream: the engine keeps its length in 32 bits.
pub const MAX_TOTAL: u64 = u32::MAX as u64;

/// Bytes before the table.
const HEAD_LEN: usize = 16;

/// How the blocks are compressed.
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
    /// All that [`Encoder`] writes.
    pub const WRITTEN: [Self; 3] = [Self::Deflate, Self::Zstd, Self::Gzip];

    /// How a file is written that takes the place of one that was compressed so: the same way, or as Zstandard, which the
    /// engine's `open_compressed` reads without being told.
    #[must_use]
    pub const fn written(self) -> Self {
        match self {
            Self::FastLz => Self::Zstd,
            Self::Deflate | Self::Zstd | Self::Gzip => self,
        }
    }

    /// By the number that `FileAccess.CompressionMode` has for it.
    pub const fn from_mode(mode: u32) -> Option<Self> {
        match mode {
            0 => Some(Self::FastLz),
            1 => Some(Self::Deflate),
            2 => Some(Self::Zstd),
            3 => Some(Self::Gzip),
            _ => None,
        }
    }

    /// The number that `FileAccess.CompressionMode` has for it.
    pub const fn mode(self) -> u32 {
        match self {
            Self::FastLz => 0,
            Self::Deflate => 1,
            Self::Zstd => 2,
            Self::Gzip => 3,
        }
    }

    /// As the engine's documentation calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FastLz => "FastLZ",
            Self::Deflate => "DEFLATE",
            Self::Zstd => "Zstandard",
            Self::Gzip => "gzip",
        }
    }
}

/// What the engine calls a mode, also one that is not served here.
pub(crate) const fn mode_name(mode: u32) -> &'static str {
    match (mode, Compression::from_mode(mode)) {
        (_, Some(compression)) => compression.name(),
        (4, None) => "Brotli",
        _ => "no mode of the engine",
    }
}

/// Whether a file that begins with these bytes, four or more, is compressed. A stream of frames never begins so: the
/// length of what `store_var` writes is a multiple of 4, and this one would be odd.
pub fn is_compressed(head: &[u8]) -> bool {
    head.starts_with(&MAGIC)
}

/// How many blocks a stream has.
const fn block_count(total: u64, block_len: u64) -> u64 {
    total / block_len + 1
}
