//! Decompresses a file.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use flate2::{Decompress, FlushDecompress, Status};
use zstd::bulk::Decompressor;

use super::{
    CompressedError, Compression, HEAD_LEN, MAGIC, MAX_BLOCK_LEN, MAX_RATIO, MAX_UNPACKED, Reused, WINDOW_BITS,
    block_count, fastlz,
};
use varbatch_workers::Threads;

/// Bytes of the stream that a thread decompresses at a time: the engine's blocks are too short to hand out one by one.
const UNPACKED_LEN: u64 = 64 << 10;

/// Reads a compressed file, a few blocks at a time. Numbers in the file are not trusted: see [`Self::read`].
pub struct Decoder<R> {
    input: R,
    layout: Layout,
    /// The next block, and its offset in the file.
    next: u64,
    at: u64,
    /// Bytes of the next block that are not returned.
    skipped: u64,
    /// Compressed blocks, as in the file.
    packed: Vec<u8>,
    unpackers: Reused<Decompressor<'static>>,
    /// The error after the returned blocks.
    failed: Option<CompressedError>,
    ended: bool,
}

impl<R: Read> Decoder<R> {
    /// Reads head and table, in memory of their size. Fails if this is no compressed file, is cut off or unsupported.
    pub fn new(mut input: R, file_len: u64) -> Result<Self, CompressedError> {
        let layout = Layout::read(&mut input, file_len)?;
        let at = layout.blocks_at();
        let (packed, unpackers) = (Vec::new(), Reused(std::sync::Mutex::default()));
        Ok(Self { input, layout, next: 0, at, skipped: 0, packed, unpackers, failed: None, ended: false })
    }

    /// Returns how the blocks are compressed.
    pub fn compression(&self) -> Compression {
        self.layout.compression
    }

    /// Returns the length of the whole stream in bytes, if the head is right.
    pub fn total(&self) -> u64 {
        self.layout.total
    }

    /// Returns how many bytes of the stream the file has room for, in blocks before the first of a wrong size.
    pub fn whole_len(&self) -> u64 {
        let (layout, mut end) = (&self.layout, self.layout.blocks_at());
        for block in 0..layout.count() {
            end = end.saturating_add(layout.packed_len(block));
            if end > layout.file_len || layout.check(block).is_err() {
                return block * layout.block_len;
            }
        }
        layout.total
    }

    /// Appends the next whole blocks to `out`. Returns the number of bytes: `max`, rounded up to whole blocks, or
    /// fewer; 0 at the end, and after an error. Allocates about twice as many at most, whatever the file announces. The
    /// error is that of the first damaged or missing block, after all before it, or of a damaged end of the file.
    pub fn read(&mut self, out: &mut Vec<u8>, max: usize, threads: &Threads) -> Result<usize, CompressedError> {
        let before = out.len();
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if !self.ended
            && let Err(error) =
                self.read_blocks(out, self.skipped.saturating_add(max as u64), threads).and_then(|()| self.read_end())
        {
            self.ended = true;
            if out.len() == before {
                return Err(error);
            }
            self.failed = Some(error);
        }
        if out.len() > before {
            let skipped = std::mem::take(&mut self.skipped) as usize;
            out.drain(before..out.len().min(before + skipped));
        }
        Ok(out.len() - before)
    }

    fn read_blocks(&mut self, out: &mut Vec<u8>, max: u64, threads: &Threads) -> Result<(), CompressedError> {
        let (layout, count) = (&self.layout, self.layout.count());
        let mut result = Ok(());
        let (mut end, mut len, mut packed_len) = (self.next, 0, 0);
        while end < count && (end == self.next || packed_len.max(len) < max) {
            result = layout.check(end);
            if result.is_err() {
                break;
            }
            (len, packed_len) = (len + layout.len(end), packed_len + layout.packed_len(end));
            end += 1;
        }

        self.packed.clear();
        let read = read(&mut self.input, self.at, packed_len, &mut self.packed);
        let there = self.packed.len() as u64;
        // The file may end inside a block. The blocks before it are whole.
        while packed_len > there {
            end -= 1;
            let expected = layout.packed_len(end);
            (len, packed_len) = (len - layout.len(end), packed_len - expected);
            let (found, at) = (there.saturating_sub(packed_len), self.at + packed_len);
            result = Err(CompressedError::short(at, format_args!("block {end} of {count}"), expected, found));
        }

        let before = out.len();
        out.resize(before + len as usize, 0);
        let (mut packed, mut unpacked, mut next) = (&self.packed[..], &mut out[before..], self.next);
        let run_len = (UNPACKED_LEN / layout.block_len).max(1);
        let runs = std::iter::from_fn(|| {
            let run = next..end.min(next + run_len);
            next = run.end;
            let len = run.clone().map(|block| layout.len(block)).sum::<u64>();
            let packed_len = run.clone().map(|block| layout.packed_len(block)).sum::<u64>();
            let (packed, out) = (packed.split_off(..packed_len as usize)?, unpacked.split_off_mut(..len as usize)?);
            (!run.is_empty()).then_some((run, packed, out))
        });
        let results =
            threads.map(runs.collect::<Vec<_>>(), |(mut run, mut packed, mut out): (Range<u64>, &[u8], &mut [u8])| {
                // Fails with the index of a damaged block.
                run.try_for_each(|block| {
                    let (len, packed_len) = (layout.len(block) as usize, layout.packed_len(block) as usize);
                    let (packed, out) = (packed.split_off(..packed_len), out.split_off_mut(..len));
                    let (packed, out) = packed.zip(out).ok_or(block)?;
                    let unpack = |zstd: &mut _| unpack(layout.compression, zstd, packed, out);
                    self.unpackers.with(Decompressor::new, unpack).map_err(|_| block)
                })
            });
        if let Some(block) = results.into_iter().find_map(Result::err) {
            out.truncate(before + ((block - self.next) * layout.block_len) as usize);
            let at = self.at + (self.next..block).map(|block| layout.packed_len(block)).sum::<u64>();
            let (name, len) = (layout.compression.name(), layout.len(block));
            let expected = format_args!("{name} of {len} bytes in block {block} of {count}");
            return Err(CompressedError::damaged(at, expected, "damage"));
        }
        (self.at, self.next) = (self.at + packed_len, end);
        read.and(result)
    }

    fn read_end(&mut self) -> Result<(), CompressedError> {
        if self.next < self.layout.count() {
            return Ok(());
        }
        self.ended = true;
        let (at, expected) = (self.at, MAGIC.len() as u64);
        self.packed.clear();
        read(&mut self.input, at, expected, &mut self.packed)?;
        let found = self.packed.len() as u64;
        if found < expected {
            return Err(CompressedError::short(at, "the end of a compressed file", expected, found));
        }
        let end = || CompressedError::damaged(at, "\"GCPF\" behind the blocks", "other bytes");
        if self.packed == MAGIC { Ok(()) } else { Err(end()) }
    }
}

impl<R: Read + Seek> Decoder<R> {
    /// Continues at offset `at` of the stream, at most its length, where only the file's end remains to be read. Blocks
    /// between are not read, their errors forgotten. Fails if the table gives one a size that no block has.
    pub fn seek(&mut self, at: u64) -> Result<(), CompressedError> {
        let (layout, count) = (&self.layout, self.layout.count());
        let block = if at < layout.total { at / layout.block_len } else { count };
        let (mut next, mut file_at) = if self.next <= block { (self.next, self.at) } else { (0, layout.blocks_at()) };
        while next < block {
            layout.check(next)?;
            file_at += layout.packed_len(next);
            next += 1;
        }
        let sought = self.input.seek(SeekFrom::Start(file_at));
        sought.map_err(|error| CompressedError::Read { at: file_at, error })?;
        self.skipped = if block < count { at % layout.block_len } else { 0 };
        (self.next, self.at, self.failed, self.ended) = (next, file_at, None, false);
        Ok(())
    }
}

/// True if a file is a compressed one but for its first four bytes, which were read: they are damaged.
pub fn is_damaged_at_start(input: &mut (impl Read + Seek), file_len: u64) -> bool {
    let magic_len = MAGIC.len() as u64;
    let mut fits = || -> io::Result<bool> {
        let (mut head, mut end) = ([0; HEAD_LEN - MAGIC.len()], [0; MAGIC.len()]);
        input.read_exact(&mut head)?;
        let (mode, block_len, total) = (word(&head, 0), word(&head, 1).max(1), word(&head, 2));
        // Without room for its table, that is not read.
        let table_len = 4 * block_count(total.into(), block_len.into());
        if Compression::from_mode(mode).is_none() || table_len > file_len {
            return Ok(false);
        }
        input.seek(SeekFrom::Start(file_len.saturating_sub(magic_len)))?;
        input.read_exact(&mut end)?;
        if end != MAGIC {
            return Ok(false);
        }
        input.seek(SeekFrom::Start(magic_len))?;
        let layout = Layout::read(&mut MAGIC.chain(&mut *input), file_len);
        Ok(layout.is_ok_and(|layout| layout.end() == Some(file_len - magic_len)))
    };
    // Whoever reads it meets the error again.
    fits().unwrap_or(false)
}

/// The head and the table of a file, and the blocks that they announce. None of it is trusted.
struct Layout {
    compression: Compression,
    /// The length of the stream, in bytes.
    total: u64,
    block_len: u64,
    file_len: u64,
    /// The compressed sizes, as in the file.
    table: Vec<u8>,
}

impl Layout {
    fn read(input: &mut impl Read, file_len: u64) -> Result<Self, CompressedError> {
        let mut head = Vec::with_capacity(HEAD_LEN);
        read(input, 0, HEAD_LEN as u64, &mut head)?;
        if !head.starts_with(&MAGIC) && !MAGIC.starts_with(&head) {
            return Err(CompressedError::damaged(0, "\"GCPF\" for a compressed file", "other bytes"));
        }
        let at = HEAD_LEN as u64;
        if head.len() < HEAD_LEN {
            return Err(CompressedError::short(0, "the head of a compressed file", at, head.len() as u64));
        }
        let (mode, block_len, total) = (word(&head, 1), word(&head, 2), u64::from(word(&head, 3)));
        let compression = Compression::from_mode(mode).ok_or_else(|| {
            let name = if mode == 4 { "Brotli" } else { "no mode of the engine" };
            let modes = "compression mode 0 (FastLZ), 1 (DEFLATE), 2 (Zstandard) or 3 (gzip)";
            CompressedError::damaged(4, modes, format_args!("{mode} ({name})"))
        })?;
        // A single block is never longer than the stream, whatever the head announces.
        if block_len == 0 || u64::from(block_len).min(total) > MAX_BLOCK_LEN as u64 {
            return Err(CompressedError::damaged(8, format_args!("a block size from 1 to {MAX_BLOCK_LEN}"), block_len));
        }
        let expected = 4 * block_count(total, block_len.into());
        let mut table = Vec::new();
        read(input, at, expected, &mut table)?;
        if (table.len() as u64) < expected {
            return Err(CompressedError::short(at, "the table of a compressed file", expected, table.len() as u64));
        }
        Ok(Self { compression, total, block_len: block_len.into(), file_len, table })
    }

    fn blocks_at(&self) -> u64 {
        (HEAD_LEN + self.table.len()) as u64
    }

    fn count(&self) -> u64 {
        block_count(self.total, self.block_len)
    }

    /// Returns where the blocks end, unless one has a size that no block has.
    fn end(&self) -> Option<u64> {
        let mut blocks = 0..self.count();
        blocks.try_fold(self.blocks_at(), |end, block| self.check(block).ok().map(|()| end + self.packed_len(block)))
    }

    /// Returns the length of a block in the stream, in bytes.
    fn len(&self, block: u64) -> u64 {
        self.block_len.min(self.total - block * self.block_len)
    }

    /// Returns the length of a block in the file, in bytes, if the table is right.
    fn packed_len(&self, block: u64) -> u64 {
        word(&self.table, block as usize).into()
    }

    /// Refuses a size that no such block has, as it is allocated, and blocks behind what a file may unpack to.
    fn check(&self, block: u64) -> Result<(), CompressedError> {
        let (found, (min, max)) = (self.packed_len(block), packed_bounds(self.compression, self.len(block)));
        let at = HEAD_LEN as u64 + 4 * block;
        if !(min..=max).contains(&found) {
            let expected = format_args!("from {min} to {max} bytes for block {block} of {}", self.count());
            return Err(CompressedError::damaged(at, expected, found));
        }
        let max = MAX_UNPACKED.max(self.file_len.saturating_mul(MAX_RATIO));
        if block * self.block_len + self.len(block) > max {
            let expected = format_args!("at most {max} bytes from a compressed file of {}", self.file_len);
            return Err(CompressedError::damaged(at, expected, self.total));
        }
        Ok(())
    }
}

/// Appends the next `len` bytes of the file, from offset `at`, or all that remain.
fn read(input: &mut impl Read, at: u64, len: u64, out: &mut Vec<u8>) -> Result<(), CompressedError> {
    let before = out.len();
    let result = input.by_ref().take(len).read_to_end(out);
    let at = at + (out.len() - before) as u64;
    result.map(|_| ()).map_err(|error| CompressedError::Read { at, error })
}

fn word(bytes: &[u8], index: usize) -> u32 {
    u32::from_le_bytes(bytes.as_chunks().0[index])
}

/// Fills `out` with a decompressed block. Fails if there are more or fewer bytes, or `packed` is damaged.
fn unpack(how: Compression, zstd: &mut Decompressor<'_>, packed: &[u8], out: &mut [u8]) -> io::Result<()> {
    let is_whole = match how {
        Compression::FastLz => fastlz::unpack(packed, out).is_some(),
        Compression::Zstd => zstd.decompress_to_buffer(packed, out)? == out.len(),
        Compression::Deflate | Compression::Gzip => {
            // A reset decoder no longer accepts gzip's format, so each block has its own.
            let mut inflate = match how {
                Compression::Gzip => Decompress::new_gzip(WINDOW_BITS),
                _ => Decompress::new_with_window_bits(true, WINDOW_BITS),
            };
            let status = inflate.decompress(packed, out, FlushDecompress::Finish)?;
            status == Status::StreamEnd && inflate.total_out() == out.len() as u64
        }
    };
    if is_whole { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// Returns the min and max length of the compressed form of a block of `len` bytes.
fn packed_bounds(compression: Compression, len: u64) -> (u64, u64) {
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
