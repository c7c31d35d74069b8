//! Reads the last commit of an open file, while the next one is made.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use rusqlite::blob::Blob;
use rusqlite::{CachedStatement, Connection, OptionalExtension};

use crate::fence::{Fence, KEYS_MISSING, Total};
use crate::open::{Source, open_to_read};
use crate::place::Place;
use crate::{Packed, Result, StoreError};

/// The work of a key besides its value, in bytes.
const KEY: usize = 256;

/// Longer values are compared with the length of the file, before there is memory for them.
const LONG: usize = 1 << 20;

/// The min bytes of a key in an index: with its length, its row and where it lies.
const KEY_IN_FILE: i64 = 8;

/// Reads rows one after the other. The blob goes from one value to the next.
struct RowReader<'c> {
    connection: &'c Connection,
    find: CachedStatement<'c>,
    blob: Option<Blob<'c>>,
    memory: Vec<u8>,
    len: usize,
}

/// Where the value of a row lies in the memory of [`Rows`].
#[derive(Debug)]
struct RowAt {
    compression: i64,
    checksum: i64,
    value: Range<usize>,
}

impl<'c> RowReader<'c> {
    fn new(connection: &'c Connection, memory: Vec<u8>) -> Result<Self> {
        let find = connection.prepare_cached("SELECT id, compression, checksum FROM entry WHERE key = ?1")?;
        Ok(Self { connection, find, blob: None, memory, len: 0 })
    }

    fn read(&mut self, key: &[u8]) -> Result<Option<RowAt>> {
        let row = self.find.query_row([key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
        let Some((id, compression, checksum)) = row else { return Ok(None) };
        let value = self.read_value(id);
        if value.is_err() {
            // SQLite never uses a blob again that has failed once.
            self.blob = None;
        }
        Ok(Some(RowAt { compression, checksum, value: value? }))
    }

    fn read_value(&mut self, id: i64) -> Result<Range<usize>> {
        match &mut self.blob {
            Some(blob) => blob.reopen(id)?,
            None => self.blob = Some(self.connection.blob_open("main", "entry", "value", id, true)?),
        }
        let Some(blob) = &self.blob else { return Err(StoreError::DamagedValue) };
        if blob.len() > LONG && blob.len() as i64 > len_of(self.connection)? {
            return Err(StoreError::DamagedValue);
        }
        let value = self.len..self.len + blob.len();
        if value.end > self.memory.len() {
            self.memory.try_reserve(value.end - self.memory.len()).map_err(|_| StoreError::Memory)?;
            self.memory.resize(value.end, 0);
        }
        blob.read_at_exact(&mut self.memory[value.clone()], 0)?;
        self.len = value.end;
        Ok(value)
    }
}

/// Bytes of all pages.
fn len_of(connection: &Connection) -> Result<i64> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    Ok(pragma("page_count")? * pragma("page_size")?)
}

/// An index that points to itself has keys without end.
pub(crate) fn max_keys(connection: &Connection) -> Result<i64> {
    Ok(len_of(connection)? / KEY_IN_FILE)
}

pub(crate) const TOO_MANY: StoreError = StoreError::Damaged("it has more keys than it can hold");

type Found<'r> = Result<Option<Packed<&'r [u8]>>>;

/// What was read of some keys.
#[derive(Debug)]
pub struct Rows<'k> {
    rows: Vec<(&'k [u8], Result<Option<RowAt>>)>,
    /// To be used again.
    pub memory: Vec<u8>,
}

impl Rows<'_> {
    /// Returns the value of each key, checked, and `missing` where there is none. On any thread. A value is decompressed when it
    /// is asked for.
    pub fn values<'b>(&'b self, missing: &'b [u8]) -> impl Iterator<Item = Result<Cow<'b, [u8]>>> + Clone {
        self.packed().map(move |(key, row)| match row {
            Ok(None) => Ok(Cow::Borrowed(missing)),
            Ok(Some(packed)) => packed.unpack(key),
            Err(error) => Err(error),
        })
    }

    /// Returns what is stored for each key, unchecked.
    pub(crate) fn packed(&self) -> impl Iterator<Item = (&[u8], Found<'_>)> + Clone {
        self.rows.iter().map(|(key, row)| {
            let packed = |row: &RowAt| Packed {
                compression: row.compression,
                checksum: row.checksum,
                bytes: &self.memory[row.value.clone()],
            };
            (*key, row.as_ref().map(|row| row.as_ref().map(packed)).map_err(Clone::clone))
        })
    }

    /// True for each key that has a row, also a damaged one.
    pub fn are_found(&self) -> impl Iterator<Item = bool> {
        self.rows.iter().map(|(_, row)| !matches!(row, Ok(None)))
    }
}

/// Reads an open file. Several may do so at once.
#[derive(Debug)]
pub struct Reader {
    pub(crate) connection: Connection,
    place: Option<Arc<Place>>,
    /// The range of which all keys were found last, in the state that is held.
    checked: Option<Fence>,
}

impl Reader {
    pub(crate) fn new(source: &Source) -> Result<Self> {
        let place = if let Source::Place(place) = source { Some(Arc::clone(place)) } else { None };
        Ok(Self::of(open_to_read(source)?, place))
    }

    pub(crate) fn of(connection: Connection, place: Option<Arc<Place>>) -> Self {
        Self { connection, place, checked: None }
    }

    /// Holds the last commit, until [`Self::release`]: all that is read meanwhile is of it.
    pub fn hold(&mut self) -> Result<()> {
        self.release();
        if let Some(place) = &self.place {
            place.check_content()?;
        }
        self.connection.prepare_cached("BEGIN")?.execute(())?;
        self.connection.prepare_cached("SELECT last FROM mark")?.query_row((), |_| Ok(()))?;
        Ok(())
    }

    /// Lets the journal begin anew, which it cannot while an old state of the file is held.
    pub fn release(&mut self) {
        self.checked = None;
        if !self.connection.is_autocommit() {
            let _ = self.connection.prepare_cached("COMMIT").and_then(|mut it| it.execute(()));
        }
    }

    /// Reads keys until it has `max` bytes, into memory that was used before. Takes less time where they are sorted. A key without
    /// bytes is none, and not looked for.
    pub fn get_some<'k>(&mut self, keys: &mut impl Iterator<Item = &'k [u8]>, max: usize, memory: Vec<u8>) -> Rows<'k> {
        let mut rows = Vec::new();
        let mut reader = match RowReader::new(&self.connection, memory) {
            Ok(reader) => reader,
            Err(error) => {
                rows.extend(keys.map(|key| (key, Err(error.clone()))));
                return Rows { rows, memory: Vec::new() };
            }
        };
        while reader.len + rows.len() * KEY < max
            && let Some(key) = keys.next()
        {
            let row = match reader.read(key) {
                Ok(None) if key.is_empty() => Ok(None),
                Ok(None) => check_missing(&self.connection, &mut self.checked, key).map(|()| None),
                row => row,
            };
            rows.push((key, row));
        }
        Rows { rows, memory: reader.memory }
    }

    /// True if there is a value for a key.
    pub fn has(&mut self, key: &[u8]) -> Result<bool> {
        let sql = "SELECT id FROM entry WHERE key = ?1";
        let is_found = self.connection.prepare_cached(sql)?.query_row([key], |_| Ok(())).optional()?.is_some();
        if !is_found {
            check_missing(&self.connection, &mut self.checked, key)?;
        }
        Ok(is_found)
    }

    /// Calls `each` with the keys from `from` on, in order. Stops before `to`, or after `max` ranges: then it returns where to go
    /// on. Fails in the end if some of these are missing.
    pub fn keys(
        &mut self,
        from: &[u8],
        to: Option<&[u8]>,
        max: usize,
        mut each: impl FnMut(&[u8]),
    ) -> Result<Option<Vec<u8>>> {
        let max_keys = max_keys(&self.connection)?;
        let mut fence = Fence::of(&self.connection, from)?;
        let sql = "SELECT start, keys, key_checksum FROM fence WHERE start > ?1 ORDER BY start";
        let mut fences = self.connection.prepare_cached(sql)?;
        let mut fences = fences.query([&fence.start])?;
        let mut read = self.connection.prepare_cached("SELECT key FROM entry WHERE key >= ?1 ORDER BY key")?;
        let mut rows = read.query([&fence.start])?;
        let (mut found, mut all, mut ranges, mut are_missing) = (Total::default(), 0, 0, false);
        let mut row = rows.next()?;
        loop {
            let next = Fence::next(&mut fences)?;
            // The keys of this range.
            while let Some(key) = row.map(|row| row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)).transpose()? {
                if next.as_ref().is_some_and(|next| *next.start <= *key) {
                    break;
                }
                found.count(key, 1);
                if key >= from && to.is_none_or(|to| key < to) {
                    each(key);
                }
                all += 1;
                if all > max_keys {
                    return Err(TOO_MANY);
                }
                row = rows.next()?;
            }
            are_missing |= std::mem::take(&mut found) != fence.total;
            ranges += 1;
            all += 1;
            if all > max_keys {
                return Err(TOO_MANY);
            }
            match next {
                Some(next) if to.is_none_or(|to| *next.start < *to) => fence = next,
                _ if are_missing => return Err(KEYS_MISSING),
                _ => return Ok(None),
            }
            if ranges >= max {
                return if are_missing { Err(KEYS_MISSING) } else { Ok(Some(fence.start)) };
            }
        }
    }
}

/// Fails unless a key that was not found is missing.
fn check_missing(connection: &Connection, checked: &mut Option<Fence>, key: &[u8]) -> Result<()> {
    if checked.as_ref().is_some_and(|fence| fence.has(key)) {
        return Ok(());
    }
    let fence = Fence::of(connection, key)?;
    fence.check(connection)?;
    *checked = Some(fence);
    Ok(())
}
