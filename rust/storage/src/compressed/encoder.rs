//! Compresses a stream into a file.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};

use flate2::{Compress, FlushCompress, Status};
use zstd::bulk::Compressor;
use zstd::zstd_safe::{CParameter, compress_bound};

use super::{
    Compression, HEAD_LEN, MAGIC, MAX_BLOCK_LEN, MAX_RATIO, MAX_TOTAL, MAX_UNPACKED, Reused, WINDOW_BITS, block_count,
};
use varbatch_workers::Threads;

/// Bytes that are gathered before they are compressed, so that several threads have blocks to work on.
const PACKED_LEN: usize = 2 << 20;

/// Max blocks that are gathered.
const MAX_PACKED_BLOCKS: usize = 512;

/// The default of the engine's project setting.
const ZSTD_LEVEL: i32 = 3;

/// One below the engine's level, which was slower for long runs in blocks of our length: see `rust/docs/DECISIONS.md`.
const ZLIB_LEVEL: u32 = 5;

/// Writes a compressed file, the same whatever the pieces and threads. Memory only grows by 4 bytes per block.
pub struct Encoder<W> {
    pub(crate) out: W,
    compression: Compression,
    block_len: usize,
    total: u64,
    /// Bytes of the stream that were written so far.
    came: u64,
    /// The last of these, which are not compressed yet.
    gathered: Vec<u8>,
    /// The blocks of `gathered`, compressed.
    packed: Vec<Vec<u8>>,
    packers: Reused<Packer>,
    /// The compressed sizes, as in the file.
    table: Vec<u8>,
    failed: bool,
}

impl<W: Write + Seek> Encoder<W> {
    /// Begins a file in `out`, of `total` bytes in blocks of `block_len`. [`ErrorKind::InvalidInput`] if the
    /// compression is read-only, the total is over [`MAX_TOTAL`], or a block is empty or over [`MAX_BLOCK_LEN`].
    pub fn new(mut out: W, compression: Compression, total: u64, block_len: usize) -> io::Result<Self> {
        if compression.written() != compression {
            return refuse(format!("expected a compression that can be written, found {}", compression.name()));
        }
        if total > MAX_TOTAL {
            return refuse(format!("expected at most {MAX_TOTAL} bytes for a compressed file, found {total}"));
        }
        if !(1..=MAX_BLOCK_LEN).contains(&block_len) {
            return refuse(format!("expected a block size from 1 to {MAX_BLOCK_LEN}, found {block_len}"));
        }
        out.write_all(&MAGIC)?;
        // Both fit: see above.
        for number in [compression.mode(), block_len as u32, total as u32] {
            out.write_all(&number.to_le_bytes())?;
        }
        io::copy(&mut io::repeat(0).take(4 * block_count(total, block_len as u64)), &mut out)?;
        Ok(Self {
            out,
            compression,
            block_len,
            total,
            came: 0,
            gathered: Vec::new(),
            packed: Vec::new(),
            packers: Reused(std::sync::Mutex::default()),
            table: Vec::new(),
            failed: false,
        })
    }

    /// Takes the next bytes; too many are an [`ErrorKind::InvalidInput`]. After an error, the file cannot be finished.
    pub fn write(&mut self, mut bytes: &[u8], threads: &Threads) -> io::Result<()> {
        let (total, came) = (self.total, self.came + bytes.len() as u64);
        if came > total {
            self.failed = true;
            return refuse(format!("expected {total} bytes for a compressed file, found {came}"));
        }
        self.came = came;
        let room = (PACKED_LEN / self.block_len).clamp(1, MAX_PACKED_BLOCKS) * self.block_len;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(room - self.gathered.len()));
            self.gathered.extend_from_slice(now);
            bytes = later;
            if self.gathered.len() == room {
                self.pack(room / self.block_len, threads)?;
            }
        }
        Ok(())
    }

    /// Writes the rest, and returns the output. [`ErrorKind::InvalidInput`] for too few bytes or an earlier failure.
    pub fn finish(mut self, threads: &Threads) -> io::Result<W> {
        let (total, came) = (self.total, self.came);
        if self.failed {
            return refuse("expected no failure before the end of a compressed file, found one".into());
        }
        if came != total {
            return refuse(format!("expected {total} bytes for a compressed file, found {came}"));
        }
        // One more than there are whole blocks: the last one, which may be empty.
        self.pack(self.gathered.len() / self.block_len + 1, threads)?;
        self.out.write_all(&MAGIC)?;
        let mut end = self.out.stream_position()?;
        if total > MAX_UNPACKED {
            // Zeros that every reader ignores, so that the decoder takes as many bytes from the file.
            let padding = total.div_ceil(MAX_RATIO).saturating_sub(end);
            end += io::copy(&mut io::repeat(0).take(padding), &mut self.out)?;
        }
        self.out.seek(SeekFrom::Start(HEAD_LEN as u64))?;
        self.out.write_all(&self.table)?;
        self.out.seek(SeekFrom::Start(end))?;
        Ok(self.out)
    }

    /// Compresses and writes all gathered bytes, as `count` blocks.
    fn pack(&mut self, count: usize, threads: &Threads) -> io::Result<()> {
        // Reset on success.
        self.failed = true;
        self.packed.resize_with(count.max(self.packed.len()), Vec::new);
        let (gathered, len) = (&self.gathered, self.block_len);
        let blocks = (0..count).map(|block| &gathered[block * len..gathered.len().min((block + 1) * len)]);
        let packed = threads.map(blocks.zip(&mut self.packed), |(block, out): (&[u8], &mut Vec<u8>)| {
            self.packers.with(|| Packer::new(self.compression), |packer| packer.pack(block, out))
        });
        packed.into_iter().collect::<io::Result<()>>()?;
        for block in &self.packed[..count] {
            self.out.write_all(block)?;
            // A block has at most `MAX_BLOCK_LEN` bytes, and never grows to four times that.
            self.table.extend_from_slice(&(block.len() as u32).to_le_bytes());
        }
        self.gathered.clear();
        self.failed = false;
        Ok(())
    }
}

fn refuse<T>(text: String) -> io::Result<T> {
    Err(io::Error::new(ErrorKind::InvalidInput, text))
}

/// Compresses blocks. The bytes depend on the block alone.
enum Packer {
    Zlib(Compress),
    Zstd(Compressor<'static>),
}

impl Packer {
    fn new(compression: Compression) -> io::Result<Self> {
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
    fn pack(&mut self, block: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
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
