//! A value as a row stores it: compressed if that makes it shorter, and with a checksum.

use std::borrow::Cow;
use std::io::Read;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::StoreError;

/// As the engine compresses.
const LEVEL: i32 = 3;

/// The column `compression`.
const PLAIN: i64 = 0;
const ZSTANDARD: i64 = 1;

/// A value to save, or one that was read.
#[derive(Debug)]
pub struct Packed {
    pub(crate) compression: i64,
    pub(crate) checksum: i64,
    /// What is stored.
    pub bytes: Vec<u8>,
}

impl Packed {
    /// Packs the value of a key. On any thread.
    #[must_use]
    pub fn new(key: &[u8], bytes: Vec<u8>, compress: bool) -> Self {
        let compressed = compress.then(|| zstd::bulk::compress(&bytes, LEVEL).ok()).flatten();
        let shorter = compressed.filter(|compressed| compressed.len() < bytes.len());
        let (compression, bytes) = shorter.map_or((PLAIN, bytes), |shorter| (ZSTANDARD, shorter));
        Self { compression, checksum: checksum(key, compression, &bytes), bytes }
    }

    /// Reads the columns `compression`, `checksum` and `value`.
    pub(crate) fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self { compression: row.get(0)?, checksum: row.get(1)?, bytes: row.get_ref(2)?.as_blob()?.to_vec() })
    }

    /// Returns the value, unless what was read is not what was saved with this key. On any thread.
    pub fn unpack(&self, key: &[u8]) -> Result<Cow<'_, [u8]>, StoreError> {
        unpack(key, self.compression, self.checksum, &self.bytes)
    }
}

/// Returns the value of a row. Fails if it is not what was saved with this key.
pub(crate) fn unpack<'b>(
    key: &[u8],
    compression: i64,
    stored_checksum: i64,
    bytes: &'b [u8],
) -> Result<Cow<'b, [u8]>, StoreError> {
    if checksum(key, compression, bytes) != stored_checksum {
        return Err(StoreError::DamagedValue);
    }
    match compression {
        PLAIN => Ok(Cow::Borrowed(bytes)),
        ZSTANDARD => {
            // Read, as a length that the bytes claim would be allocated at once. No Variant is longer than 31 bits say.
            let (mut value, max) = (Vec::new(), i32::MAX as u64);
            let decoder = zstd::Decoder::with_buffer(bytes).map(|decoder| decoder.take(max));
            let read = decoder.and_then(|mut decoder| decoder.read_to_end(&mut value));
            read.map(|_| Cow::Owned(value)).map_err(|_| StoreError::DamagedValue)
        }
        _ => Err(StoreError::DamagedValue),
    }
}

/// The sum has the key in it, so that a row is never taken for that of another key.
fn checksum(key: &[u8], compression: i64, bytes: &[u8]) -> i64 {
    xxh3_64_with_seed(bytes, xxh3_64(key).wrapping_add(compression as u64)) as i64
}
