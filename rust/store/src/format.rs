//! The format of a file: what it begins with, its tables, its versions, and how long its journal is.

use std::ops::Range;

use crate::{Result, StoreError};

/// SQLite's `application_id` of a store, "VBst", and its `user_version`: that of the tables, and another one while the file may
/// have a part of its journal.
pub const ID: i64 = 0x5642_7374;
pub(crate) const VERSION: i64 = 2;
pub(crate) const PARTIAL: i64 = 1 << 16 | VERSION;

/// The `user_version` of a whole file that has a journal: without it, what was saved last is lost.
pub(crate) const WITH_JOURNAL: i64 = 2 << 16 | VERSION;
pub(crate) const VERSION_AT: usize = 60;
pub(crate) const AUTO_VACUUM_AT: usize = 52;

/// Where a file says which journal it has, and the words of a store's, and of that which other programs may have left it with.
pub(crate) const MODE: Range<usize> = 18..20;
pub(crate) const WAL: &[u8] = &[2, 2];
pub(crate) const ROLLBACK: &[u8] = &[1, 1];

/// The tables as the file has them, to the letter: so nothing else is in it, such as triggers. The first has the first page that
/// a table can have: the second, or the third if that says what the others are for, as `auto_vacuum` needs it.
pub(crate) const TABLES: [&str; 3] = [
    "CREATE TABLE mark(last INTEGER NOT NULL, base INTEGER NOT NULL, journal INTEGER NOT NULL)",
    "CREATE TABLE fence(start BLOB PRIMARY KEY, keys INTEGER NOT NULL, key_checksum INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE entry(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, compression INTEGER NOT NULL, \
     checksum INTEGER NOT NULL, value BLOB NOT NULL)",
];
pub(crate) fn mark_page(has_auto_vacuum: bool) -> u64 {
    if has_auto_vacuum { 3 } else { 2 }
}

/// Ends of the names of the files that may lie beside an open store.
pub const SIDE_FILES: [&str; 4] = ["-wal", "-shm", "-journal", "-lock"];

/// The ends of names of a new file and a copy until they are whole: what a killed process left there is written over.
pub(crate) const NEW: &str = "-varbatch-new";
pub(crate) const COPY: &str = "-varbatch-copy";

/// Bytes of a journal before its first page, and before each page.
pub(crate) const HEAD: usize = 32;
pub(crate) const FRAME: usize = 24;

/// Where so many pages of a journal end.
pub(crate) fn end_of(pages: i64, page_len: u64) -> u64 {
    (pages.max(0) as u64).saturating_mul(FRAME as u64 + page_len).saturating_add(HEAD as u64)
}

/// True if a file begins as a store does.
#[must_use]
pub fn is_store(start: &[u8]) -> bool {
    is_database(start) && start.get(68..72) == Some(&(ID as u32).to_be_bytes())
}

fn is_database(start: &[u8]) -> bool {
    start.starts_with(b"SQLite format 3\0")
}

pub(crate) fn number_at(start: &[u8], at: usize) -> i64 {
    start.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| i32::from_be_bytes(*bytes).into())
}

/// Fails unless a file begins as a store of this version.
pub(crate) fn check_start(start: &[u8]) -> Result<()> {
    match number_at(start, VERSION_AT) {
        _ if !is_database(start) => Err(StoreError::NoDatabase),
        _ if start.len() < 100 => Err(StoreError::Damaged("it ends in its head")),
        _ if !is_store(start) => Err(StoreError::Foreign),
        VERSION | PARTIAL | WITH_JOURNAL if ![WAL, ROLLBACK].contains(&&start[MODE]) => {
            Err(StoreError::Damaged("its journal mode is none of SQLite's"))
        }
        VERSION | PARTIAL | WITH_JOURNAL if number_at(start, 56) != 1 => {
            Err(StoreError::Damaged("its texts are not UTF-8"))
        }
        VERSION | PARTIAL | WITH_JOURNAL => Ok(()),
        version => Err(StoreError::OtherVersion(version, VERSION)),
    }
}
