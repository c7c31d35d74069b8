//! How much was read of a file that may lead to itself.

use rusqlite::Connection;

use crate::{Result, StoreError};

/// The min bytes of a key in an index besides its own: with its length, its row and where it lies.
const KEY_IN_FILE: usize = 6;

/// Fewer bytes than any file has.
const MIN_LEN: u64 = 2560;

pub(crate) const TOO_MUCH: StoreError = StoreError::Damaged("it has more in it than its length");

/// How many bytes of keys or of values were read. In a sound file none belongs to two of them, so all of them are no longer than
/// the file. In another one, pages lead to themselves, and values to the same bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bytes {
    read: u64,
    len: u64,
}

impl Bytes {
    /// Counts more. Fails if it is more than the file has.
    pub(crate) fn read(&mut self, connection: &Connection, len: usize) -> Result<()> {
        self.read = self.read.saturating_add(len as u64);
        if self.read > self.len.max(MIN_LEN) {
            let pragma = |sql| connection.prepare_cached(sql)?.query_row((), |row| row.get::<_, i64>(0));
            self.len = (pragma("PRAGMA page_count")? * pragma("PRAGMA page_size")?) as u64;
        }
        if self.read > self.len.max(MIN_LEN) { Err(TOO_MUCH) } else { Ok(()) }
    }

    pub(crate) fn read_key(&mut self, connection: &Connection, key: &[u8]) -> Result<()> {
        self.read(connection, key.len() + KEY_IN_FILE)
    }
}
