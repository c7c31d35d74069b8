//! A value as a row stores it: compressed if that makes it shorter, and with a checksum.

use std::borrow::Cow;
use std::io::{self, Read};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::StoreError;

/// As the engine compresses.
const LEVEL: i32 = 3;

/// How many times longer than what is stored a value may be. So rows never take more memory than this many times the file.
const MAX_RATIO: usize = 256;

/// How a Zstandard frame begins that decoders skip, and the length of its head with its own length.
const SKIPPED: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];
const SKIPPED_HEAD: usize = 8;

/// The column `compression`.
const PLAIN: i64 = 0;
const ZSTANDARD: i64 = 1;

/// A value to save, or one that was read: `B` is what is stored.
#[derive(Clone, Copy, Debug)]
pub struct Packed<B = Vec<u8>> {
    pub(crate) compression: i64,
    pub(crate) checksum: i64,
    pub(crate) bytes: B,
}

impl Packed {
    /// Packs the value of a key. On any thread.
    #[must_use]
    pub fn new(key: &[u8], bytes: Vec<u8>, compress: bool) -> Self {
        let compressed = compress.then(|| zstd::bulk::compress(&bytes, LEVEL).ok()).flatten();
        let padded = compressed.map(|compressed| padded(compressed, bytes.len().div_ceil(MAX_RATIO)));
        let shorter = padded.filter(|compressed| compressed.len() < bytes.len());
        let (compression, bytes) = shorter.map_or((PLAIN, bytes), |shorter| (ZSTANDARD, shorter));
        Self { compression, checksum: checksum(key, compression, &bytes), bytes }
    }

    /// The same, of which the bytes are borrowed.
    #[must_use]
    pub fn borrowed(&self) -> Packed<&[u8]> {
        Packed { compression: self.compression, checksum: self.checksum, bytes: &self.bytes }
    }
}

impl<'b> Packed<&'b [u8]> {
    /// Fails unless it is what was saved with this key.
    pub(crate) fn checked(self, key: &[u8]) -> Result<Self, StoreError> {
        let is_sound = checksum(key, self.compression, self.bytes) == self.checksum;
        if is_sound { Ok(self) } else { Err(StoreError::DamagedValue) }
    }

    /// Returns the value, unless what was read is not what was saved with this key. On any thread.
    pub fn unpack(self, key: &[u8]) -> Result<Cow<'b, [u8]>, StoreError> {
        match self.checked(key)?.compression {
            PLAIN => Ok(Cow::Borrowed(self.bytes)),
            ZSTANDARD => decompress(self.bytes).map(Cow::Owned).map_err(|error| match error.kind() {
                io::ErrorKind::OutOfMemory => StoreError::Memory,
                _ => StoreError::DamagedValue,
            }),
            _ => Err(StoreError::DamagedValue),
        }
    }
}

/// Makes a frame at least `min` bytes long, by one behind it that decoders skip.
fn padded(mut frame: Vec<u8>, min: usize) -> Vec<u8> {
    if frame.len() < min {
        let zeros = min.saturating_sub(frame.len() + SKIPPED_HEAD);
        frame.extend(SKIPPED);
        frame.extend((zeros as u32).to_le_bytes());
        frame.resize(frame.len() + zeros, 0);
    }
    frame
}

/// Reads piece by piece, as a length that the bytes claim would be allocated at once. The window has the same bound.
fn decompress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let max = bytes.len().saturating_mul(MAX_RATIO);
    let mut decoder = zstd::Decoder::with_buffer(bytes)?;
    decoder.window_log_max(max.next_power_of_two().ilog2().clamp(10, 31))?;
    let mut value = Vec::new();
    decoder.take(max as u64 + 1).read_to_end(&mut value)?;
    if value.len() > max { Err(io::ErrorKind::InvalidData.into()) } else { Ok(value) }
}

/// The sum has the key in it, so that a row is never taken for that of another key.
fn checksum(key: &[u8], compression: i64, bytes: &[u8]) -> i64 {
    xxh3_64_with_seed(bytes, xxh3_64(key).wrapping_add(compression as u64)) as i64
}
