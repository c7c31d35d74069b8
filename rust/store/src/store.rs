//! An open store: what it reads, and what it saves in one commit.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rusqlite::blob::Blob;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row};
use xxhash_rust::xxh3::xxh3_64;

use crate::open::{Lock, Opened, VERSION, leave_no_journal, make_tables, open, open_to_read, set_journal};
use crate::packed::unpack;
use crate::{Packed, StoreError};

type Result<T> = std::result::Result<T, StoreError>;

/// Pages of the journal from which on it is copied into the file, 8 MiB; those of a first save between two flushes, 16 MiB; and
/// those that one step of [`Store::shrink`] gives back. And the bytes of a page that hold data.
const CHECKPOINT_FROM: usize = 512;
const FLUSHED: usize = 1024;
const SHRUNK: i64 = 256;
const PAGE: usize = 16_380;

/// The work of a key besides its value, in bytes.
const KEY: usize = 256;

const KEYS_MISSING: StoreError = StoreError::Damaged("keys are missing");

/// All keys of the file, as its table `total` has them. That may be damaged, so that they are any numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Total {
    keys: i64,
    sum: i64,
}

impl Total {
    pub(crate) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut read = connection.prepare_cached("SELECT keys, key_checksum FROM total")?;
        read.query_row((), |row| Ok(Self { keys: row.get(0)?, sum: row.get(1)? }))
    }

    /// Adds a key, or removes it if `by` is -1.
    pub(crate) fn count(&mut self, key: &[u8], by: i64) {
        self.keys = self.keys.wrapping_add(by);
        self.sum = self.sum.wrapping_add(by.wrapping_mul(xxh3_64(key) as i64));
    }
}

/// Reads the row of a key, and its value into memory from an offset on. The blob goes from one value to the next.
fn read_row<'c>(
    connection: &'c Connection,
    find: &mut Option<CachedStatement<'c>>,
    key: &[u8],
    blob: &mut Option<Blob<'c>>,
    (memory, start): (&mut Vec<u8>, usize),
) -> Result<Option<RowAt>> {
    let find = match find {
        Some(find) => find,
        None => find.insert(connection.prepare_cached("SELECT id, compression, checksum FROM entry WHERE key = ?1")?),
    };
    let row = find.query_row([key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
    let Some((id, compression, checksum)) = row else { return Ok(None) };
    match blob {
        Some(blob) => blob.reopen(id)?,
        None => *blob = Some(connection.blob_open("main", "entry", "value", id, true)?),
    }
    let blob = blob.as_ref().expect("it is open");
    let value = start..start + blob.len();
    memory.resize(memory.len().max(value.end), 0);
    blob.read_at_exact(&mut memory[value.clone()], 0)?;
    Ok(Some(RowAt { compression, checksum, value }))
}

/// Where the value of a row lies in the memory of [`Rows`].
#[derive(Debug)]
struct RowAt {
    compression: i64,
    checksum: i64,
    value: Range<usize>,
}

/// What was read of some keys.
#[derive(Debug)]
pub struct Rows<'k> {
    rows: Vec<(&'k [u8], Result<Option<RowAt>>)>,
    /// To be used again.
    pub memory: Vec<u8>,
}

impl Rows<'_> {
    /// Returns the value of each key, checked, and `missing` where there is none. On any thread.
    pub fn values<'b>(&'b self, missing: &'b [u8]) -> impl Iterator<Item = std::result::Result<Cow<'b, [u8]>, String>> {
        self.rows.iter().map(move |(key, row)| match row {
            Ok(None) => Ok(Cow::Borrowed(missing)),
            Ok(Some(RowAt { compression, checksum, value })) => {
                let value = unpack(key, *compression, *checksum, &self.memory[value.clone()]);
                value.map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        })
    }

    /// True if there is a row for the first key.
    pub fn has_first(&self) -> bool {
        matches!(self.rows.first(), Some((_, Ok(Some(_)))))
    }
}

/// An open store. Dropped, it closes the file, and removes the journal.
#[derive(Debug)]
pub struct Store {
    file: Opened,
    total: Total,
    /// True once all keys were counted: then one that is not found is not there.
    is_counted: bool,
    /// Pages of the journal, about, that are not in the file yet.
    pages: usize,
}

impl Store {
    /// Opens the file at `path`, and locks it. If there is none, the first save makes it. Where it cannot be written it can
    /// still be read. Fails if another process has it, or if it is anything but a store.
    pub fn open(path: &Path) -> Result<Self> {
        Self::new(open(path)?)
    }

    /// Opens a file that nobody writes: it is not locked, and no journal is looked at.
    pub fn open_to_read(path: &Path) -> Result<Self> {
        Self::new(open_to_read(path)?)
    }

    fn new(file: Opened) -> Result<Self> {
        let total = if file.is_new { Total::default() } else { Total::read(&file.connection)? };
        Ok(Self { total, is_counted: file.is_new, pages: 0, file })
    }

    /// Returns what is stored for a key, if there is anything.
    pub fn get(&mut self, key: &[u8]) -> Result<Option<Packed>> {
        let sql = "SELECT compression, checksum, value FROM entry WHERE key = ?1";
        if self.file.is_new { Ok(None) } else { self.find(sql, key, Packed::read) }
    }

    /// Reads keys until it has `max` bytes, into memory that was used before. Takes less time than as many [`Self::get`].
    pub fn get_some<'k>(
        &mut self,
        keys: &mut impl Iterator<Item = &'k [u8]>,
        max: usize,
        mut memory: Vec<u8>,
    ) -> Rows<'k> {
        let (mut rows, mut len, mut is_missing, mut find, mut blob) = (Vec::new(), 0, false, None, None);
        while len + rows.len() * KEY < max
            && let Some(key) = keys.next()
        {
            let mut read = || read_row(&self.file.connection, &mut find, key, &mut blob, (&mut memory, len));
            let row = if self.file.is_new { Ok(None) } else { read() };
            len = row.iter().flatten().map(|row| row.value.end).next().unwrap_or(len);
            is_missing |= matches!(row, Ok(None));
            rows.push((key, row));
        }
        drop((find, blob));
        if is_missing && self.count_keys().is_err() {
            for (_, row) in rows.iter_mut().filter(|(_, row)| matches!(row, Ok(None))) {
                *row = Err(KEYS_MISSING);
            }
        }
        Rows { rows, memory }
    }

    /// Begins or ends many reads, which are in one transaction then.
    pub fn hold_reads(&self, begins: bool) {
        // Without one, they only take longer.
        let _ = self
            .file
            .connection
            .prepare_cached(if begins { "BEGIN" } else { "COMMIT" })
            .and_then(|mut it| it.execute(()));
    }

    /// True if there is a value for a key.
    pub fn has(&mut self, key: &[u8]) -> Result<bool> {
        Ok(!self.file.is_new && self.id(key)?.is_some())
    }

    /// Returns the number of keys, once all were counted.
    pub fn key_count(&mut self) -> Result<i64> {
        self.count_keys().map(|()| self.total.keys)
    }

    /// Calls `each` with each key, sorted by their bytes, before it fails if some are missing.
    pub fn keys(&mut self, mut each: impl FnMut(&[u8])) -> Result<()> {
        let mut found = Total::default();
        if !self.file.is_new {
            let mut read = self.file.connection.prepare_cached("SELECT key FROM entry ORDER BY key")?;
            let mut rows = read.query(())?;
            while let Some(row) = rows.next()? {
                let key = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
                found.count(key, 1);
                each(key);
            }
        }
        self.is_counted = found == self.total;
        if self.is_counted { Ok(()) } else { Err(KEYS_MISSING) }
    }

    fn id(&mut self, key: &[u8]) -> Result<Option<i64>> {
        self.find("SELECT id FROM entry WHERE key = ?1", key, |row| row.get(0))
    }

    fn find<T>(&mut self, sql: &str, key: &[u8], read: fn(&Row<'_>) -> rusqlite::Result<T>) -> Result<Option<T>> {
        let row = self.file.connection.prepare_cached(sql)?.query_row([key], read).optional()?;
        if row.is_none() {
            self.count_keys()?;
        }
        Ok(row)
    }

    /// Counts all keys, once.
    fn count_keys(&mut self) -> Result<()> {
        if self.is_counted { Ok(()) } else { self.keys(|_| ()) }
    }

    /// Begins a save. [`Self::put`] and [`Self::erase`] belong to it until [`Self::commit`] or [`Self::roll_back`].
    pub fn begin(&mut self) -> Result<()> {
        if !self.file.is_writable {
            return Err(StoreError::ReadOnly);
        }
        self.file.connection.execute_batch("BEGIN IMMEDIATE")?;
        if self.file.is_new { make_tables(&self.file.connection) } else { Ok(()) }
    }

    /// Saves the value of a key.
    pub fn put(&mut self, key: &[u8], value: &Packed) -> Result<()> {
        let Packed { compression, checksum, bytes } = value;
        self.pages += 1 + bytes.len().div_ceil(PAGE);
        // A key of a new file is seldom there already.
        let mut id = if self.file.is_new { None } else { self.id(key)? };
        if id.is_none() {
            let sql = "INSERT OR IGNORE INTO entry(key, compression, checksum, value) VALUES(?1, ?2, ?3, ?4)";
            if self.file.connection.prepare_cached(sql)?.execute((key, compression, checksum, bytes))? == 1 {
                self.total.count(key, 1);
                return Ok(());
            }
            id = self.id(key)?;
        }
        let sql = "UPDATE entry SET compression = ?3, checksum = ?4, value = ?5 WHERE id = ?1 AND key = ?2";
        is_own(self.file.connection.prepare_cached(sql)?.execute((id, key, compression, checksum, bytes))?)
    }

    /// Returns the file, if so much of a first save is in it that flushing it now, on another thread, makes the commit shorter.
    pub fn to_flush(&mut self) -> Option<Arc<Lock>> {
        if !self.file.is_new || self.pages < FLUSHED {
            return None;
        }
        self.pages = 0;
        self.file.lock.clone()
    }

    /// Erases a key, if it is there.
    pub fn erase(&mut self, key: &[u8]) -> Result<()> {
        let Some(id) = self.id(key)? else { return Ok(()) };
        let sql = "DELETE FROM entry WHERE id = ?1 AND key = ?2";
        is_own(self.file.connection.prepare_cached(sql)?.execute((id, key))?)?;
        self.pages += 2;
        self.total.count(key, -1);
        Ok(())
    }

    /// Erases all keys, damaged ones too.
    pub fn erase_all(&mut self) -> Result<()> {
        self.file.connection.execute_batch("DELETE FROM entry")?;
        (self.total, self.is_counted, self.pages) = (Total::default(), true, CHECKPOINT_FROM);
        Ok(())
    }

    /// Ends a save. It is on the disk when this returns.
    pub fn commit(&mut self) -> Result<()> {
        let Total { keys, sum } = self.total;
        self.file.connection.prepare_cached("UPDATE total SET keys = ?1, key_checksum = ?2")?.execute((keys, sum))?;
        self.file.connection.execute_batch("COMMIT")?;
        if std::mem::replace(&mut self.file.is_new, false) {
            // What follows changes little of much. If it fails, saves only take longer.
            let _ = set_journal(&self.file.connection, "WAL");
            self.pages = 0;
        }
        Ok(())
    }

    /// Ends a save as if it had not begun.
    pub fn roll_back(&mut self) {
        if !self.file.connection.is_autocommit() {
            // SQLite rolls back a commit that failed by itself, and one that was not completed at the next open.
            let _ = self.file.connection.execute_batch("ROLLBACK");
        }
        if self.file.is_new {
            leave_no_journal(&self.file.connection);
        }
        let total = if self.file.is_new { Ok(Total::default()) } else { Total::read(&self.file.connection) };
        // Without a total, nothing that is not found is believed any more.
        self.is_counted &= total.is_ok();
        self.total = total.unwrap_or_default();
    }

    /// True, once, if [`Self::checkpoint`] has enough to do. Never before the first commit, as it writes to the file.
    pub fn wants_checkpoint(&mut self) -> bool {
        let is_much = self.pages >= CHECKPOINT_FROM && !self.file.is_new;
        self.pages = if is_much { 0 } else { self.pages };
        is_much
    }

    /// Copies the journal into the file, which calls would do some day otherwise. If it fails, the journal stays.
    pub fn checkpoint(&mut self) {
        let _ = self.file.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", (), |_| Ok(()));
        // A write, so that the journal begins anew: if it is damaged later, its old pages would hide newer ones of the file.
        // To cut it off makes saves take four times as long.
        let _ = self.file.connection.pragma_update(None, "user_version", VERSION);
    }

    /// Returns the number of free pages, which the file has for later saves.
    pub fn free_pages(&self) -> Result<i64> {
        Ok(self.file.connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?)
    }

    /// Gives some free pages back to the system. Returns how many are left; at 0 the file has its new length.
    pub fn shrink(&mut self) -> Result<i64> {
        if !self.file.is_writable {
            return Err(StoreError::ReadOnly);
        }
        if self.free_pages()? > 0 {
            let mut shrink = self.file.connection.prepare(&format!("PRAGMA incremental_vacuum({SHRUNK})"))?;
            let mut rows = shrink.query(())?;
            while rows.next()?.is_some() {}
        }
        let left = self.free_pages()?;
        if left == 0 {
            self.file.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()))?;
            self.pages = 0;
        }
        Ok(left)
    }
}

/// Fails unless a change of the row that a key leads to found that key there.
fn is_own(changed: usize) -> Result<()> {
    if changed == 1 { Ok(()) } else { Err(StoreError::Damaged("a key leads to the row of another")) }
}
