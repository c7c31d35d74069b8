//! A compressed file to its stream.

use std::io::Read;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::block::{Pool, Unpacker};
use super::layout::{Layout, read};
use super::{CompressedError, CompressedErrorKind, Compression, MAGIC};
use varbatch_workers::Threads;

/// Bytes of the stream that one thread takes at a time. The engine's blocks are too short to be handed out one by one.
const RUN: u64 = 64 << 10;

/// Reads a compressed file, some blocks at a time, whoever wrote it. It believes no number in it: see [`Self::read`].
pub struct Decoder<R> {
    input: R,
    layout: Layout,
    /// The next block, and where it begins in the file.
    next: u64,
    at: u64,
    /// Blocks as they stand in the file.
    packed: Vec<u8>,
    unpackers: Pool<Unpacker>,
    /// What comes behind the blocks that were given.
    failed: Option<CompressedError>,
    ended: bool,
}

impl<R: Read> Decoder<R> {
    /// Reads the head and the table of a file of `file_len` bytes. What it takes for them is no more than they have.
    ///
    /// # Errors
    /// If this is no compressed file, ends too early, or is compressed in a way that is not served.
    pub fn new(mut input: R, file_len: u64) -> Result<Self, CompressedError> {
        let layout = Layout::read(&mut input, file_len)?;
        let at = layout.blocks_at();
        let (packed, unpackers) = (Vec::new(), Pool::default());
        Ok(Self { input, layout, next: 0, at, packed, unpackers, failed: None, ended: false })
    }

    /// How the blocks are compressed.
    pub fn compression(&self) -> Compression {
        self.layout.compression
    }

    /// Bytes of the whole stream, if the head tells the truth.
    pub fn total(&self) -> u64 {
        self.layout.total
    }

    /// Appends the next whole blocks to `out`, and says how many bytes that is: `most`, rounded up to whole blocks, or
    /// less. 0 at the end, and behind an error.
    ///
    /// However the file lies, this takes room for at most so many bytes in `out`, and for about as many of the file.
    ///
    /// # Errors
    /// What is wrong with the first block that is damaged or missing, when all before it were given; or with the end.
    pub fn read(&mut self, out: &mut Vec<u8>, most: usize, threads: &Threads) -> Result<usize, CompressedError> {
        let before = out.len();
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if !self.ended
            && let Err(error) = self.read_blocks(out, most as u64, threads).and_then(|()| self.read_end())
        {
            self.ended = true;
            if out.len() == before {
                return Err(error);
            }
            self.failed = Some(error);
        }
        Ok(out.len() - before)
    }

    fn read_blocks(&mut self, out: &mut Vec<u8>, most: u64, threads: &Threads) -> Result<(), CompressedError> {
        let (layout, count) = (&self.layout, self.layout.count());
        let mut result = Ok(());
        let (mut end, mut len, mut packed_len) = (self.next, 0, 0);
        while end < count && (end == self.next || packed_len.max(len) < most) {
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
        // The file may end inside a block. Those before it are whole.
        while packed_len > there {
            end -= 1;
            let expected = layout.packed_len(end);
            (len, packed_len) = (len - layout.len(end), packed_len - expected);
            let (found, at) = (there.saturating_sub(packed_len), self.at + packed_len);
            result =
                Err(CompressedError::new(at, CompressedErrorKind::ShortBlock { block: end, count, expected, found }));
        }

        let before = out.len();
        out.resize(before + len as usize, 0);
        let first_damage = Mutex::new(None);
        threads.for_each(runs(layout, self.next..end, self.at, &self.packed, &mut out[before..]), |run| {
            if let Err(damage) = run.unpack(layout, &self.unpackers) {
                let mut first = first_damage.lock().unwrap_or_else(PoisonError::into_inner);
                if first.as_ref().is_none_or(|&(block, _)| damage.0 < block) {
                    *first = Some(damage);
                }
            }
        });
        if let Some((block, at)) = first_damage.into_inner().unwrap_or_else(PoisonError::into_inner) {
            out.truncate(before + ((block - self.next) * layout.block_len) as usize);
            let (compression, len) = (layout.compression, layout.len(block));
            return Err(CompressedError::new(at, CompressedErrorKind::Damaged { compression, block, count, len }));
        }
        (self.at, self.next) = (self.at + packed_len, end);
        read.and(result)
    }

    /// Behind the last block: the end of the file.
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
            return Err(CompressedError::new(at, CompressedErrorKind::Short { part: "end", expected, found }));
        }
        if self.packed == MAGIC { Ok(()) } else { Err(CompressedError::new(at, CompressedErrorKind::NoEnd)) }
    }
}

/// Blocks that one thread decompresses: where they begin in the file, and their bytes there and in the stream.
struct Run<'a> {
    blocks: Range<u64>,
    at: u64,
    packed: &'a [u8],
    out: &'a mut [u8],
}

/// Cuts blocks into pieces of work. The first begins at `at` in the file, where `packed` does.
fn runs<'a>(
    layout: &Layout,
    blocks: Range<u64>,
    mut at: u64,
    mut packed: &'a [u8],
    mut out: &'a mut [u8],
) -> Vec<Run<'a>> {
    let step = (RUN / layout.block_len).max(1);
    let mut runs = Vec::new();
    for first in blocks.clone().step_by(step as usize) {
        let blocks = first..blocks.end.min(first + step);
        let len = blocks.clone().map(|block| layout.len(block)).sum::<u64>();
        let packed_len = blocks.clone().map(|block| layout.packed_len(block)).sum::<u64>();
        let (run_out, run_packed);
        (run_out, out) = out.split_at_mut(len as usize);
        (run_packed, packed) = packed.split_at(packed_len as usize);
        runs.push(Run { blocks, at, packed: run_packed, out: run_out });
        at += packed_len;
    }
    runs
}

impl Run<'_> {
    /// Fails with the block that is damaged, and where it is in the file.
    fn unpack(self, layout: &Layout, unpackers: &Pool<Unpacker>) -> Result<(), (u64, u64)> {
        let Self { blocks, mut at, mut packed, mut out } = self;
        for block in blocks {
            let (block_out, block_packed);
            (block_out, out) = out.split_at_mut(layout.len(block) as usize);
            (block_packed, packed) = packed.split_at(layout.packed_len(block) as usize);
            let make = || Unpacker::new(layout.compression);
            unpackers.with(make, |unpacker| unpacker.unpack(block_packed, block_out)).map_err(|_| (block, at))?;
            at += block_packed.len() as u64;
        }
        Ok(())
    }
}
