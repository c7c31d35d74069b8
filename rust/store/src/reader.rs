//! Reads the last commit of an open file, while the next one is made.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::ops::Bound::{Included, Unbounded};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use rusqlite::blob::Blob;
use rusqlite::{CachedStatement, Connection, OptionalExtension};
use xxhash_rust::xxh3::xxh3_64;

use crate::bytes::Bytes;
use crate::fence::{Fence, KEYS_MISSING, Total};
use crate::open::{Source, open_to_read};
use crate::place::{Place, lock};
use crate::{Packed, Result, StoreError};

/// The work of a key besides its value, in bytes.
const KEY: usize = 256;

/// Bytes of keys that are read at a time.
pub(crate) const STEP: usize = 1 << 20;

/// What a call has read, in one state of the file.
#[derive(Debug, Default)]
pub struct Budget {
    values: Bytes,
    keys: Bytes,
    /// The hashes of the keys that have a value, as who asks for one twice may have it twice; or true if no key comes twice.
    asked: HashSet<u64>,
    is_walk: bool,
    /// The ranges in which a key was missing, by their starts.
    ranges: BTreeMap<Vec<u8>, Fence>,
}

impl Budget {
    pub(crate) fn of_walk() -> Self {
        Self { is_walk: true, ..Self::default() }
    }

    /// Fails unless a key that was not found is missing.
    fn check_missing(&mut self, connection: &Connection, key: &[u8]) -> Result<()> {
        let known = self.ranges.range_mut::<[u8], _>((Unbounded, Included(key))).next_back();
        let contains = match known.filter(|(_, fence)| fence.has(key)) {
            Some((_, fence)) => fence.contains(connection, &mut self.keys, key),
            None => {
                let mut fence = Fence::of(connection, key)?;
                let read = self.keys.read_key(connection, &fence.start);
                let contains = read.and_then(|()| fence.contains(connection, &mut self.keys, key));
                self.ranges.insert(fence.start.clone(), fence);
                contains
            }
        };
        if contains? { Err(KEYS_MISSING) } else { Ok(()) }
    }
}

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

    fn read(&mut self, key: &[u8], budget: &mut Budget) -> Result<Option<RowAt>> {
        let row = self.find.query_row([key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
        let Some((id, compression, checksum)) = row else { return Ok(None) };
        let mut is_new = || budget.is_walk || budget.asked.insert(xxh3_64(key));
        let value = self.read_value(id, |len| if is_new() { budget.values.read(self.connection, len) } else { Ok(()) });
        if value.is_err() {
            // SQLite never uses a blob again that has failed once.
            self.blob = None;
        }
        Ok(Some(RowAt { compression, checksum, value: value? }))
    }

    /// Reads a value, if it may have as many bytes.
    fn read_value(&mut self, id: i64, count: impl FnOnce(usize) -> Result<()>) -> Result<Range<usize>> {
        match &mut self.blob {
            Some(blob) => blob.reopen(id)?,
            None => self.blob = Some(self.connection.blob_open("main", "entry", "value", id, true)?),
        }
        let Some(blob) = &self.blob else { return Err(StoreError::DamagedValue) };
        count(blob.len())?;
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
}

impl Reader {
    pub(crate) fn new(source: &Source) -> Result<Self> {
        let place = if let Source::Place(place) = source { Some(Arc::clone(place)) } else { None };
        Ok(Self::of(open_to_read(source)?, place))
    }

    pub(crate) fn of(connection: Connection, place: Option<Arc<Place>>) -> Self {
        Self { connection, place }
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
        if !self.connection.is_autocommit() {
            let _ = self.connection.prepare_cached("COMMIT").and_then(|mut it| it.execute(()));
        }
    }

    /// Reads keys until it has `max` bytes, into memory that was used before. Takes less time where they are sorted. A key without
    /// bytes is none, and not looked for.
    pub fn get_some<'k>(
        &mut self,
        keys: &mut impl Iterator<Item = &'k [u8]>,
        max: usize,
        memory: Vec<u8>,
        budget: &mut Budget,
    ) -> Rows<'k> {
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
            let row = match reader.read(key, budget) {
                Ok(None) if key.is_empty() => Ok(None),
                Ok(None) => budget.check_missing(&self.connection, key).map(|()| None),
                row => row,
            };
            rows.push((key, row));
        }
        Rows { rows, memory: reader.memory }
    }

    /// True if there is a value for a key.
    pub fn has(&mut self, key: &[u8]) -> Result<bool> {
        let is_found = self.connection.prepare_cached("SELECT id FROM entry WHERE key = ?1")?.exists([key])?;
        if !is_found {
            Budget::default().check_missing(&self.connection, key)?;
        }
        Ok(is_found)
    }

    /// Calls `each` with some of the keys of a walk, in order: until they have `max` bytes. Returns false after the last. Fails then if
    /// some are missing, or in disorder.
    pub fn keys(&mut self, walk: &mut Walk, max: usize, mut each: impl FnMut(&[u8])) -> Result<bool> {
        let connection = &self.connection;
        let Walk { from, to, at, range, are_missing, bytes } = walk;
        let (mut fence, mut found) = match range.take() {
            Some(range) => range,
            None => (Fence::of(connection, from)?, Total::default()),
        };
        let sql = "SELECT start, keys, key_checksum FROM fence WHERE start > ?1 ORDER BY start";
        let mut fences = connection.prepare_cached(sql)?;
        let mut fences = fences.query([&fence.start])?;
        let mut read = connection.prepare_cached("SELECT key FROM entry WHERE key >= ?1 ORDER BY key")?;
        let mut rows = read.query([at.as_ref().unwrap_or(&fence.start)])?;
        let (mut next, mut row, mut done) = (Fence::next(&mut fences)?, rows.next()?, 0);
        let mut last = at.clone().unwrap_or_default();
        loop {
            let key = row.map(|row| row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)).transpose()?;
            if let Some(key) = key {
                if done >= max {
                    (*at, *range) = (Some(key.to_vec()), Some((fence, found)));
                    return Ok(true);
                }
                if next.as_ref().is_none_or(|next| *key < *next.start) {
                    bytes.read_key(connection, key)?;
                    done += KEY + key.len();
                    found.count(key, 1);
                    *are_missing |= *key < *last;
                    key.clone_into(&mut last);
                    if **from <= *key && to.as_ref().is_none_or(|to| *key < **to) {
                        each(key);
                    }
                    row = rows.next()?;
                    continue;
                }
            }
            *are_missing |= std::mem::take(&mut found) != fence.total;
            match next.filter(|next| to.as_ref().is_none_or(|to| next.start < *to)) {
                // All ranges but the first have keys.
                Some(next) if key.is_some() => fence = next,
                None if !*are_missing => return Ok(false),
                _ => return Err(KEYS_MISSING),
            }
            bytes.read_key(connection, &fence.start)?;
            done += KEY;
            next = Fence::next(&mut fences)?;
        }
    }
}

/// Opens readers of a store, also of the file that takes the place of another one.
#[derive(Clone, Debug)]
pub struct Readers(Arc<Mutex<Source>>);

impl Readers {
    pub(crate) fn of(source: Source) -> Self {
        Self(Arc::new(Mutex::new(source)))
    }

    pub(crate) fn source(&self) -> Source {
        lock(&self.0).clone()
    }

    pub(crate) fn set(&self, source: Source) {
        *lock(&self.0) = source;
    }

    /// True if [`Store::open_again`](crate::Store::open_again) must come first.
    pub fn are_closed(&self) -> bool {
        matches!(self.source(), Source::Closed(_))
    }

    /// Opens a reader.
    pub fn open(&self) -> Result<Reader> {
        Reader::new(&self.source())
    }
}

/// The keys from one to before another, or all: they are read in steps, in one state of the file.
#[derive(Debug, Default)]
pub struct Walk {
    from: Vec<u8>,
    to: Option<Vec<u8>>,
    /// The next key, once it has begun; and its range, with what was found of that.
    at: Option<Vec<u8>>,
    range: Option<(Fence, Total)>,
    are_missing: bool,
    bytes: Bytes,
}

impl Walk {
    /// Begins before the first of the keys.
    #[must_use]
    pub fn new(from: Vec<u8>, to: Option<Vec<u8>>) -> Self {
        Self { from, to, ..Self::default() }
    }
}
