//! Fences: the keys in their order, cut into ranges of at most [`MAX`] keys. Each range has a row with how many keys it has and
//! the sum of their hashes. So whether keys are missing is found out by looking at a range, not at all keys.

use rusqlite::{Connection, OptionalExtension, Rows};
use xxhash_rust::xxh3::xxh3_64;

use crate::bytes::{Bytes, TOO_MUCH};
use crate::{Result, StoreError};

/// Keys of a range from which on it is cut in two.
const MAX: i64 = 256;

pub(crate) const KEYS_MISSING: StoreError = StoreError::Damaged("keys are missing");

/// The number of some keys and the sum of their hashes. Those of a damaged file are any numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Total {
    pub(crate) keys: i64,
    sum: i64,
}

impl Total {
    /// Of keys with these hashes.
    fn of(hashes: &[u64]) -> Self {
        let sum = hashes.iter().fold(0_u64, |sum, hash| sum.wrapping_add(*hash));
        Self { keys: hashes.len() as i64, sum: sum as i64 }
    }

    /// Adds a key, or removes it if `by` is -1.
    pub(crate) fn count(&mut self, key: &[u8], by: i64) {
        self.keys = self.keys.wrapping_add(by);
        self.sum = self.sum.wrapping_add(by.wrapping_mul(xxh3_64(key) as i64));
    }
}

/// The range from `start` to before `end`, or to the last key.
#[derive(Debug)]
pub(crate) struct Fence {
    pub(crate) start: Vec<u8>,
    pub(crate) end: Option<Vec<u8>>,
    pub(crate) total: Total,
    is_changed: bool,
    found: Found,
}

/// The keys of a range that were found by reading all of it.
#[derive(Debug)]
enum Found {
    Unread,
    /// All, their hashes in order.
    All(Vec<u64>),
    NotAll,
}

impl Fence {
    /// Reads the range that a key belongs to.
    pub(crate) fn of(connection: &Connection, key: &[u8]) -> Result<Self> {
        let mut first = connection.prepare_cached(
            "SELECT start, keys, key_checksum FROM fence WHERE start <= ?1 ORDER BY start DESC LIMIT 1",
        )?;
        let (start, keys, sum) = first
            .query_row([key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?
            .ok_or(StoreError::Damaged("a fence is missing"))?;
        let mut next = connection.prepare_cached("SELECT start FROM fence WHERE start > ?1 ORDER BY start LIMIT 1")?;
        let end = next.query_row([key], |row| row.get(0)).optional()?;
        let fence = Self { start, end, total: Total { keys, sum }, is_changed: false, found: Found::Unread };
        if fence.has(key) { Ok(fence) } else { Err(StoreError::Damaged("fences are in disorder")) }
    }

    /// Reads the next range, whose end is not read.
    pub(crate) fn next(rows: &mut Rows<'_>) -> Result<Option<Self>> {
        let Some(row) = rows.next()? else { return Ok(None) };
        let total = Total { keys: row.get(1)?, sum: row.get(2)? };
        Ok(Some(Self { start: row.get(0)?, end: None, total, is_changed: false, found: Found::Unread }))
    }

    pub(crate) fn has(&self, key: &[u8]) -> bool {
        *self.start <= *key && self.end.as_ref().is_none_or(|end| **end > *key)
    }

    /// Counts a key that was saved, or erased if `by` is -1. Cuts the range when it has too many.
    pub(crate) fn count(&mut self, connection: &Connection, key: &[u8], by: i64) -> Result<()> {
        self.total.count(key, by);
        self.is_changed = true;
        if let Found::All(hashes) = &mut self.found {
            let hash = xxh3_64(key);
            match hashes.binary_search(&hash) {
                Ok(at) if by < 0 => _ = hashes.remove(at),
                Err(at) if by > 0 => hashes.insert(at, hash),
                _ => {}
            }
        }
        if self.total.keys > MAX { self.cut(connection, key) } else { Ok(()) }
    }

    /// Makes two ranges of the one, and keeps the one of `key`.
    fn cut(&mut self, connection: &Connection, key: &[u8]) -> Result<()> {
        let (mut lower, mut middle) = (Vec::new(), Vec::new());
        self.each_key(connection, &mut Bytes::default(), |key| {
            if lower.len() as i64 == MAX / 2 {
                middle = key.to_vec();
            }
            lower.push(xxh3_64(key));
        })?;
        if Total::of(&lower) != self.total {
            return Err(KEYS_MISSING);
        }
        let upper = lower.split_off(MAX as usize / 2);
        let total = Total::of(&upper);
        let mut insert =
            connection.prepare_cached("INSERT INTO fence(start, keys, key_checksum) VALUES(?1, ?2, ?3)")?;
        insert.execute((&middle, total.keys, total.sum))?;
        (self.total, self.is_changed) = (Total::of(&lower), true);
        self.write(connection)?;
        if *key >= *middle {
            (self.start, self.total, lower) = (middle, total, upper);
        } else {
            self.end = Some(middle);
        }
        lower.sort_unstable();
        self.found = Found::All(lower);
        Ok(())
    }

    /// Writes what has changed. A range without keys becomes a part of the one before.
    pub(crate) fn write(&mut self, connection: &Connection) -> Result<()> {
        if !std::mem::take(&mut self.is_changed) {
            return Ok(());
        }
        let Total { keys, sum } = self.total;
        let changed = if self.total == Total::default() && !self.start.is_empty() {
            connection.prepare_cached("DELETE FROM fence WHERE start = ?1")?.execute([&self.start])?
        } else {
            let mut update =
                connection.prepare_cached("UPDATE fence SET keys = ?2, key_checksum = ?3 WHERE start = ?1")?;
            update.execute((&self.start, keys, sum))?
        };
        if changed == 1 { Ok(()) } else { Err(StoreError::Damaged("a fence is missing")) }
    }

    /// True if a key is in the range, also if the index does not lead to it. Fails unless all keys of the range are found, in order.
    /// Counts what it reads, once.
    pub(crate) fn contains(&mut self, connection: &Connection, bytes: &mut Bytes, key: &[u8]) -> Result<bool> {
        if let Found::Unread = self.found {
            self.found = Found::NotAll;
            let mut hashes = Vec::new();
            self.each_key(connection, bytes, |key| hashes.push(xxh3_64(key)))?;
            if Total::of(&hashes) == self.total {
                hashes.sort_unstable();
                self.found = Found::All(hashes);
            }
        }
        match &self.found {
            Found::All(hashes) => Ok(hashes.binary_search(&xxh3_64(key)).is_ok()),
            _ => Err(KEYS_MISSING),
        }
    }

    /// Calls `each` with each key of the range, in order. Fails at more than it may have, and at disorder.
    fn each_key(&self, connection: &Connection, bytes: &mut Bytes, mut each: impl FnMut(&[u8])) -> Result<()> {
        let mut read = connection.prepare_cached("SELECT key FROM entry WHERE key >= ?1 ORDER BY key")?;
        let mut rows = read.query([&self.start])?;
        let (mut count, mut last) = (0, Vec::new());
        while let Some(row) = rows.next()? {
            let key = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
            if *key < *last {
                return Err(KEYS_MISSING);
            }
            if self.end.as_ref().is_some_and(|end| **end <= *key) {
                break;
            }
            count += 1;
            if count > 2 * MAX {
                return Err(TOO_MUCH);
            }
            bytes.read_key(connection, key)?;
            key.clone_into(&mut last);
            each(key);
        }
        Ok(())
    }
}
