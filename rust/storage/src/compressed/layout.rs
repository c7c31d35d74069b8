//! The head and the table of a compressed file, and the blocks that they announce. None of it is trusted.

use std::io::Read;

use super::block::packed_bounds;
use super::error::CompressedError;
use super::{Compression, HEAD_LEN, MAGIC, MAX_BLOCK_LEN, MAX_RATIO, MAX_UNPACKED, block_count};

/// Offsets and lengths of the blocks.
pub(super) struct Layout {
    pub(super) compression: Compression,
    /// The length of the stream, in bytes.
    pub(super) total: u64,
    pub(super) block_len: u64,
    file_len: u64,
    /// The compressed sizes, as in the file.
    table: Vec<u8>,
}

impl Layout {
    /// Reads the head and the table of a file of `file_len` bytes. Allocates no more memory than they have bytes.
    pub(super) fn read(input: &mut impl Read, file_len: u64) -> Result<Self, CompressedError> {
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
        let short = |found| CompressedError::short(at, "the table of a compressed file", expected, found);
        if file_len.saturating_sub(at) < expected {
            return Err(short(file_len.saturating_sub(at)));
        }
        let mut table = Vec::new();
        read(input, at, expected, &mut table)?;
        if (table.len() as u64) < expected {
            return Err(short(table.len() as u64));
        }
        Ok(Self { compression, total, block_len: block_len.into(), file_len, table })
    }

    /// Returns the offset of the first block in the file.
    pub(super) fn blocks_at(&self) -> u64 {
        (HEAD_LEN + self.table.len()) as u64
    }

    /// Returns the number of blocks.
    pub(super) fn count(&self) -> u64 {
        block_count(self.total, self.block_len)
    }

    /// Returns the length of a block in the stream, in bytes.
    pub(super) fn len(&self, block: u64) -> u64 {
        self.block_len.min(self.total - block * self.block_len)
    }

    /// Returns the length of a block in the file, in bytes, if the table is right.
    pub(super) fn packed_len(&self, block: u64) -> u64 {
        word(&self.table, block as usize).into()
    }

    /// Refuses a size that no block of that length is compressed to, as memory is allocated by this size, and a block
    /// behind the bytes that the file may unpack to.
    pub(super) fn check(&self, block: u64) -> Result<(), CompressedError> {
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
pub(super) fn read(input: &mut impl Read, at: u64, len: u64, out: &mut Vec<u8>) -> Result<(), CompressedError> {
    let before = out.len();
    let result = input.by_ref().take(len).read_to_end(out);
    let at = at + (out.len() - before) as u64;
    result.map(|_| ()).map_err(|error| CompressedError::Read { at, error })
}

/// Returns the little-endian number at `index`.
fn word(bytes: &[u8], index: usize) -> u32 {
    u32::from_le_bytes(bytes.as_chunks().0[index])
}
