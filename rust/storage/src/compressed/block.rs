//! Compresses and decompresses one block.

use std::io;
use std::sync::Mutex;

use flate2::{Compress, Decompress, FlushCompress, FlushDecompress, Status};
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{CParameter, compress_bound};

use super::{Compression, fastlz};
use varbatch_workers::lock;

/// The default of the engine's project setting.
const ZSTD_LEVEL: i32 = 3;

/// One below the engine's level, which for long runs in blocks of our length took longer than the engine.
/// `rust/docs/DECISIONS.md` has the numbers.
const ZLIB_LEVEL: u32 = 5;

/// The engine's `window_bits`, which is the max.
const WINDOW_BITS: u8 = 15;

/// Packers or unpackers, one for each working thread: made when needed, and reused.
#[derive(Debug)]
pub(super) struct Reused<T>(Mutex<Vec<T>>);

impl<T> Default for Reused<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Reused<T> {
    /// Calls `work` with one that is free, or with a new one if all are in use.
    pub(super) fn with<R>(
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

/// Compresses blocks. The bytes depend on the block alone.
pub(super) enum Packer {
    Zlib(Compress),
    Zstd(Compressor<'static>),
}

impl Packer {
    pub(super) fn new(compression: Compression) -> io::Result<Self> {
        let level = flate2::Compression::new(ZLIB_LEVEL);
        Ok(match compression {
            Compression::FastLz => unreachable!("the encoder refuses it"),
            Compression::Deflate => Self::Zlib(Compress::new_with_window_bits(level, true, WINDOW_BITS)),
            Compression::Gzip => Self::Zlib(Compress::new_gzip(level, WINDOW_BITS)),
            Compression::Zstd => {
                let mut compressor = Compressor::new(ZSTD_LEVEL)?;
                // The engine writes no checksums here, but verifies them. The other formats always have one.
                compressor.set_parameter(CParameter::ChecksumFlag(true))?;
                Self::Zstd(compressor)
            }
        })
    }

    /// Compresses `block` into `out`, whose contents are replaced.
    pub(super) fn pack(&mut self, block: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        out.clear();
        match self {
            Self::Zstd(compressor) => {
                out.reserve(compress_bound(block.len()));
                compressor.compress_to_buffer(block, out)?;
            }
            Self::Zlib(compress) => {
                compress.reset();
                // Incompressible data grows by a few bytes per thousand. More is reserved below.
                out.reserve(block.len() + block.len() / 256 + 64);
                loop {
                    let rest = &block[compress.total_in() as usize..];
                    if compress.compress_vec(rest, out, FlushCompress::Finish)? == Status::StreamEnd {
                        break;
                    }
                    out.reserve(block.len() / 8 + 64);
                }
            }
        }
        Ok(())
    }
}

/// Decompresses blocks.
pub(super) enum Unpacker {
    FastLz,
    Deflate,
    Gzip,
    Zstd(Decompressor<'static>),
}

impl Unpacker {
    pub(super) fn new(compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::FastLz => Self::FastLz,
            Compression::Deflate => Self::Deflate,
            Compression::Gzip => Self::Gzip,
            Compression::Zstd => Self::Zstd(Decompressor::new()?),
        })
    }

    /// Fills `out` with the decompressed bytes. Fails if there are more or fewer, or `packed` is damaged.
    pub(super) fn unpack(&mut self, packed: &[u8], out: &mut [u8]) -> io::Result<()> {
        let damage = || io::Error::from(io::ErrorKind::InvalidData);
        // A reset decoder no longer accepts gzip's format, so each block has its own.
        let mut inflate = match self {
            Self::FastLz => return fastlz::unpack(packed, out).ok_or_else(damage),
            Self::Zstd(decompressor) => {
                let len = decompressor.decompress_to_buffer(packed, out)?;
                return if len == out.len() { Ok(()) } else { Err(damage()) };
            }
            Self::Deflate => Decompress::new_with_window_bits(true, WINDOW_BITS),
            Self::Gzip => Decompress::new_gzip(WINDOW_BITS),
        };
        let status = inflate.decompress(packed, out, FlushDecompress::Finish)?;
        let whole = status == Status::StreamEnd && inflate.total_out() == out.len() as u64;
        if whole { Ok(()) } else { Err(damage()) }
    }
}

/// Returns the min and max length of the compressed form of a block of `len` bytes.
pub(super) fn packed_bounds(compression: Compression, len: u64) -> (u64, u64) {
    let ratio = match compression {
        // 255 bytes in one byte of a very long copy.
        Compression::FastLz => 255,
        // 258 bytes in two bits.
        Compression::Deflate | Compression::Gzip => 1032,
        // A run of 128 KiB in four bytes.
        Compression::Zstd => 32 << 10,
    };
    // No encoder makes a block much longer than its data: twice is a generous bound.
    (len.div_ceil(ratio), 2 * len + 1024)
}
