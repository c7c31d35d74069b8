//! Reads all that can still be read of a file, damaged or not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;

use crate::bytes::Bytes;
use crate::open::{Source, lacks, open, open_to_read};
use crate::place::Place;
use crate::reader::Walk;
use crate::{Packed, Reader, Result, StoreError};

/// SQLite stops at the first damaged page. So keys are sought in the index and in the rows, in each from both ends.
const SCANS: [&str; 4] = [
    "SELECT id, key FROM entry ORDER BY key",
    "SELECT id, key FROM entry ORDER BY key DESC",
    "SELECT id, key FROM entry NOT INDEXED ORDER BY id",
    "SELECT id, key FROM entry NOT INDEXED ORDER BY id DESC",
];

/// How often the bytes of a file may be read for values: those of a damaged key may be those of another one.
const TIMES: usize = 8;

type Rows = BTreeMap<Vec<u8>, BTreeSet<i64>>;

/// What was found in a file.
#[derive(Debug)]
pub struct Rescue {
    reader: Reader,
    _place: Option<Arc<Place>>,
    /// Each key with the rows that its value may be in, sorted by the bytes of the keys.
    pub rows: Vec<(Vec<u8>, Vec<i64>)>,
    /// What is damaged besides values.
    pub damage: Option<StoreError>,
    bytes: Bytes,
}

impl Rescue {
    /// Finds all keys of a file that nobody writes. Changes nothing. Fails if it is no store, or its tables are not found.
    pub fn open(path: &Path) -> Result<Self> {
        let connection = open_to_read(&Source::File(path.to_owned()))?;
        let lacks = lacks(&connection).unwrap_or_else(Some);
        let rescue = Self::of(connection, None);
        Ok(Self { damage: lacks.or(rescue.damage), ..rescue })
    }

    /// Finds all keys of a file with a journal, which SQLite may change: so pass a copy of both.
    pub fn open_copy(path: &Path) -> Result<Self> {
        match open(path) {
            Ok(opened) => {
                let lost = opened.is_lost.then_some(StoreError::JournalLost);
                let rescue = Self::of(opened.connection, Some(opened.place));
                Ok(Self { damage: rescue.damage.or(lost), ..rescue })
            }
            Err(StoreError::NoJournal) => Self::open(path),
            Err(error) => Err(error),
        }
    }

    fn of(connection: Connection, place: Option<Arc<Place>>) -> Self {
        let (mut reader, mut rows) = (Reader::of(connection, None), Rows::new());
        let is_whole = reader.keys(&mut Walk::default(), usize::MAX, |_| ()).map(|_| ());
        let damage = is_whole.and_then(|()| scan(&reader.connection, SCANS[0], &mut rows)).err();
        if damage.is_some() {
            for sql in SCANS {
                // What it finds before it fails is kept.
                let _ = scan(&reader.connection, sql, &mut rows);
            }
        }
        let rows = rows.into_iter().map(|(key, ids)| (key, ids.into_iter().collect())).collect();
        Self { reader, _place: place, rows, damage, bytes: Bytes::default() }
    }

    /// Returns the value of the key with this index, of the first row whose checksum is that of both.
    pub fn value(&mut self, index: usize) -> Result<Vec<u8>> {
        let (key, ids) = &self.rows[index];
        let sql = "SELECT compression, checksum, value FROM entry WHERE id = ?1";
        let connection = &self.reader.connection;
        let mut read = |id| {
            let mut row = connection.prepare_cached(sql)?;
            let mut row = row.query([id])?;
            let row = row.next()?.ok_or(StoreError::DamagedValue)?;
            let bytes = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
            self.bytes.read(connection, bytes.len() / TIMES)?;
            let packed = Packed { compression: row.get(0)?, checksum: row.get(1)?, bytes };
            Ok(packed.unpack(key)?.into_owned())
        };
        let mut value = Err(StoreError::DamagedValue);
        for id in ids {
            value = value.or_else(|_| read(id));
        }
        value
    }
}

/// Adds the keys that are found, until it fails.
fn scan(connection: &Connection, sql: &str, rows: &mut Rows) -> Result<()> {
    let mut read = connection.prepare(sql)?;
    let mut found = read.query(())?;
    let mut bytes = Bytes::default();
    while let Some(row) = found.next()? {
        let (id, key) = (row.get(0)?, row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?);
        bytes.read_key(connection, key)?;
        rows.entry(key.to_vec()).or_default().insert(id);
    }
    Ok(())
}
