//! Changes rows, and counts keys in their ranges.

use std::io::Write;

use rusqlite::blob::ZeroBlob;
use rusqlite::{Connection, OptionalExtension};

use crate::bytes::Bytes;
use crate::fence::{Fence, KEYS_MISSING};
use crate::reader::STEP;
use crate::{Packed, Result, StoreError};

/// Longer values are written into their row piece by piece: SQLite would copy them twice.
const LONG: usize = 1 << 20;

/// Max bytes of a key with its value, as the row has other columns, too.
const MAX_ROW: usize = 1_000_000_000 - 1000;

const WRONG_ROW: StoreError = StoreError::Damaged("a key leads to the row of another");

/// Changes rows and counts keys, in a transaction of its caller.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) connection: Connection,
    /// The range that was changed last.
    pub(crate) fence: Option<Fence>,
    /// True if the last key was a new one: then the next mostly is.
    inserts: bool,
}

impl Writer {
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection, fence: None, inserts: false }
    }

    pub(crate) fn put(&mut self, key: &[u8], value: Packed<&[u8]>) -> Result<()> {
        if key.len() + value.bytes.len() > MAX_ROW {
            return Err(StoreError::TooLong);
        }
        let update = "UPDATE entry SET compression = ?2, checksum = ?3, value = ?4 \
                      WHERE id = (SELECT id FROM entry WHERE key = ?1) AND key = ?1";
        let insert = "INSERT OR IGNORE INTO entry(key, compression, checksum, value) VALUES(?1, ?2, ?3, ?4)";
        if !self.inserts && self.write(update, key, value)? {
            return Ok(());
        }
        let is_first = !self.inserts || self.fence.is_none();
        // A damaged index may not lead to the key: then there would be two.
        self.inserts = !self.contains(key)?;
        if !self.inserts {
            return if self.write(update, key, value)? { Ok(()) } else { Err(KEYS_MISSING) };
        }
        // In a damaged table the last row is not that of the last page: new rows would get the numbers of others.
        let others = "SELECT id FROM entry WHERE id > (SELECT max(id) FROM entry)";
        if is_first && self.connection.prepare_cached(others)?.exists(())? {
            return Err(WRONG_ROW);
        }
        if self.write(insert, key, value)? { self.count(key, 1) } else { Err(WRONG_ROW) }
    }

    /// Returns true if there was something to write.
    fn write(&self, sql: &str, key: &[u8], value: Packed<&[u8]>) -> Result<bool> {
        let Packed { compression, checksum, bytes } = value;
        let mut statement = self.connection.prepare_cached(sql)?;
        if bytes.len() < LONG {
            return Ok(statement.execute((key, compression, checksum, bytes))? == 1);
        }
        let zeros = ZeroBlob(bytes.len() as u64);
        if statement.execute((key, compression, checksum, zeros))? == 0 {
            return Ok(false);
        }
        let id = self.row(key)?.ok_or(WRONG_ROW)?;
        let mut blob = self.connection.blob_open("main", "entry", "value", id, false)?;
        bytes.chunks(LONG).try_for_each(|piece| blob.write_all(piece))?;
        Ok(blob.close().map(|()| true)?)
    }

    /// Returns the number of the row that has a key, and that its index leads to.
    fn row(&self, key: &[u8]) -> Result<Option<i64>> {
        let sql = "SELECT id FROM entry WHERE id = (SELECT id FROM entry WHERE key = ?1) AND key = ?1";
        Ok(self.connection.prepare_cached(sql)?.query_row([key], |row| row.get(0)).optional()?)
    }

    /// Returns true if the key was there.
    pub(crate) fn erase(&mut self, key: &[u8]) -> Result<bool> {
        let sql = "DELETE FROM entry WHERE id = (SELECT id FROM entry WHERE key = ?1) AND key = ?1";
        if self.connection.prepare_cached(sql)?.execute([key])? == 1 {
            return self.count(key, -1).map(|()| true);
        }
        if self.connection.prepare_cached("SELECT id FROM entry WHERE key = ?1")?.exists([key])? {
            return Err(WRONG_ROW);
        }
        if self.contains(key)? { Err(KEYS_MISSING) } else { Ok(false) }
    }

    /// Erases some of the keys from `from` to before `to`, or to the last. Returns false when none are left. Fails where keys are
    /// missing, which would come back.
    pub(crate) fn erase_range(&mut self, from: &[u8], to: Option<&[u8]>) -> Result<bool> {
        let mut from = from.to_vec();
        while to.is_none_or(|to| *from < *to) {
            self.contains(&from)?;
            let end = self.fence.as_ref().and_then(|fence| fence.end.clone());
            let before = end.as_deref().into_iter().chain(to).min();
            let keys = self.first_keys(&from, before)?;
            if !keys.is_empty() {
                keys.iter().try_for_each(|key| if self.erase(key)? { Ok(()) } else { Err(WRONG_ROW) })?;
                return Ok(true);
            }
            let Some(end) = end else { break };
            from = end;
        }
        Ok(false)
    }

    /// Returns some keys from `from` to before `to`, or to the last: fewer if they are long.
    fn first_keys(&self, from: &[u8], to: Option<&[u8]>) -> Result<Vec<Vec<u8>>> {
        let mut read =
            self.connection.prepare_cached("SELECT key FROM entry WHERE key >= ?1 ORDER BY key LIMIT 512")?;
        let mut len = 0;
        let keys = read.query_map([from], |row| row.get(0))?.take_while(|key: &rusqlite::Result<Vec<u8>>| {
            let is_next = len < STEP && !key.as_ref().is_ok_and(|key| to.is_some_and(|to| **key >= *to));
            len += key.as_ref().map_or(0, Vec::len);
            is_next
        });
        Ok(keys.collect::<rusqlite::Result<_>>()?)
    }

    /// Gives up to so many free pages at the end of the file back, where others are moved to.
    pub(crate) fn shrink(&self, pages: i64) -> Result<()> {
        let mut shrink = self.connection.prepare(&format!("PRAGMA incremental_vacuum({pages})"))?;
        let mut rows = shrink.query(())?;
        while rows.next()?.is_some() {}
        Ok(())
    }

    fn count(&mut self, key: &[u8], by: i64) -> Result<()> {
        self.fence(key)?;
        self.fence.iter_mut().try_for_each(|fence| fence.count(&self.connection, key, by))
    }

    /// True if a key is in its range, also if the index does not lead to it.
    fn contains(&mut self, key: &[u8]) -> Result<bool> {
        self.fence(key)?;
        let contains = |fence: &mut Fence| fence.contains(&self.connection, &mut Bytes::default(), key);
        self.fence.as_mut().map_or(Ok(false), contains)
    }

    /// Goes to the range of a key.
    fn fence(&mut self, key: &[u8]) -> Result<()> {
        if !self.fence.as_ref().is_some_and(|fence| fence.has(key)) {
            self.write_fence()?;
            self.fence = Some(Fence::of(&self.connection, key)?);
        }
        Ok(())
    }

    pub(crate) fn write_fence(&mut self) -> Result<()> {
        self.fence.take().map_or(Ok(()), |mut fence| fence.write(&self.connection))
    }
}
