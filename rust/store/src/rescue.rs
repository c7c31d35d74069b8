//! Reads all that can still be read of a file, damaged or not.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;

use crate::open::{Opened, has_journal, open, open_to_read};
use crate::store::Total;
use crate::{Packed, StoreError};

/// SQLite stops at the first damaged page. So keys are sought in the index and in the rows, in each from both ends.
const SCANS: [&str; 4] = [
    "SELECT id, key FROM entry ORDER BY key",
    "SELECT id, key FROM entry ORDER BY key DESC",
    "SELECT id, key FROM entry NOT INDEXED ORDER BY id",
    "SELECT id, key FROM entry NOT INDEXED ORDER BY id DESC",
];

type Rows = BTreeMap<Vec<u8>, Vec<i64>>;

/// What was found in a file.
#[derive(Debug)]
pub struct Rescue {
    connection: Connection,
    /// Each key with the rows that its value may be in, sorted by the bytes of the keys.
    pub rows: Vec<(Vec<u8>, Vec<i64>)>,
    /// What is damaged besides values.
    pub damage: Option<StoreError>,
}

impl Rescue {
    /// Finds all keys. The file is locked only if it has a journal. Fails if it is no store, or its tables are not found.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let Opened { connection, .. } = if has_journal(path) { open(path)? } else { open_to_read(path)? };
        let mut rows = Rows::new();
        let damage = scan(&connection, SCANS[0], &mut rows).and_then(|()| compare(&connection, &rows)).err();
        if damage.is_some() {
            for sql in &SCANS[1..] {
                // What it finds before it fails is kept.
                let _ = scan(&connection, sql, &mut rows);
            }
        }
        Ok(Self { connection, rows: rows.into_iter().collect(), damage })
    }

    /// Returns the value of the key with this index, of the first row whose checksum is that of both.
    pub fn value(&self, index: usize) -> Result<Vec<u8>, StoreError> {
        let (key, ids) = &self.rows[index];
        let sql = "SELECT compression, checksum, value FROM entry WHERE id = ?1";
        let read = |id| {
            let row = self.connection.prepare_cached(sql)?.query_row([id], Packed::read)?;
            Ok(row.unpack(key)?.into_owned())
        };
        let mut value = Err(StoreError::DamagedValue);
        for id in ids {
            value = value.or_else(|_| read(id));
        }
        value
    }
}

/// Adds the keys that are found, until it fails.
fn scan(connection: &Connection, sql: &str, rows: &mut Rows) -> Result<(), StoreError> {
    let mut read = connection.prepare(sql)?;
    let mut found = read.query(())?;
    while let Some(row) = found.next()? {
        let (id, key) = (row.get(0)?, row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?);
        let ids = rows.entry(key.to_vec()).or_default();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(())
}

fn compare(connection: &Connection, rows: &Rows) -> Result<(), StoreError> {
    let mut found = Total::default();
    rows.keys().for_each(|key| found.count(key, 1));
    if found == Total::read(connection)? { Ok(()) } else { Err(StoreError::Damaged("keys are missing")) }
}
