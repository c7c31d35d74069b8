//! Opens files of stores, and refuses all others.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::StoreError;

/// SQLite's `application_id` of a store, "VBst", and its `user_version`, that of the tables.
pub const ID: i64 = 0x5642_7374;
pub(crate) const VERSION: i64 = 1;

/// The tables as the file has them, to the letter: so nothing else is in it, such as triggers.
const TABLES: [&str; 2] = [
    "CREATE TABLE entry(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, compression INTEGER NOT NULL, \
     checksum INTEGER NOT NULL, value BLOB NOT NULL)",
    "CREATE TABLE total(keys INTEGER NOT NULL, key_checksum INTEGER NOT NULL)",
];

/// How long another program may still be closing the file.
const PATIENCE: Duration = Duration::from_millis(100);

/// The lock comes first, as others read the file. At most 8 MiB of pages are in memory; a new journal is cut to 16 MiB.
const SETTINGS: &str = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF; \
                        PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192; \
                        PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON; \
                        PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 16777216;";

/// True if a file begins as a store does.
#[must_use]
pub fn is_store(start: &[u8]) -> bool {
    start.starts_with(b"SQLite format 3\0") && start.get(68..72) == Some(&(ID as u32).to_be_bytes())
}

#[derive(Debug)]
pub(crate) struct Opened {
    pub connection: Connection,
    /// Dropped after the connection.
    pub lock: Option<Arc<Lock>>,
    /// True until the first commit of a new file.
    pub is_new: bool,
    pub is_writable: bool,
}

/// Opens the file, which is made with the first save if there is none. One that cannot be written is opened to be read.
pub(crate) fn open(path: &Path) -> Result<Opened, StoreError> {
    use StoreError::{CannotOpen, JournalLeft, ReadOnly, System};
    let may_be_read = || path.is_file() && !has_journal(path);
    match open_to_write(path) {
        Err(ReadOnly | CannotOpen) if has_journal(path) => Err(JournalLeft),
        Err(error @ (ReadOnly | CannotOpen | System(_))) if may_be_read() => open_to_read(path).map_err(|_| error),
        opened => opened,
    }
}

/// True if a game that was killed has left what the file lacks, or has too much.
pub(crate) fn has_journal(path: &Path) -> bool {
    // SQLite has it beside what a link leads to.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    ["-wal", "-journal"].into_iter().any(|end| {
        let mut journal = path.as_os_str().to_owned();
        journal.push(end);
        Path::new(&journal).metadata().is_ok_and(|file| file.len() > 0)
    })
}

fn open_to_write(path: &Path) -> Result<Opened, StoreError> {
    // SQLite takes such a file for an empty one.
    if path.metadata().is_ok_and(|file| file.len() == 1) {
        return Err(StoreError::NoDatabase);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    if connection.is_readonly("main")? {
        return Err(StoreError::ReadOnly);
    }
    connection.busy_timeout(PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.execute_batch(SETTINGS)?;
    let is_new = check(&connection)?;
    // A journal on the disk would stay beside a new file that nothing is saved in.
    if is_new {
        set_journal(&connection, "MEMORY")?;
    }
    // Locks it from here on.
    connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK;")?;
    // The first save of all writes each page once, and not into a journal before.
    set_journal(&connection, if is_new { "TRUNCATE" } else { "WAL" })?;
    let lock = Lock::of(path);
    // If another process has that one alone, the journal is its.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, lock.is_err())?;
    Ok(Opened { connection, lock: lock?, is_new, is_writable: true })
}

/// Another lock of the file, where a process loses SQLite's when it closes the file that it has opened elsewhere too, as a game
/// does that copies it. This file is such a one, so it is opened only by who has the other lock.
#[derive(Debug)]
pub struct Lock(File);

impl Lock {
    fn of(path: &Path) -> Result<Option<Arc<Self>>, StoreError> {
        let file = if cfg!(unix) { File::open(path).ok() } else { None };
        let Some(file) = file else { return Ok(None) };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(StoreError::Busy),
            // Some systems have no such locks.
            _ => Ok(Some(Arc::new(Self(file)))),
        }
    }

    /// Waits until what was written so far is on the disk. On any thread. If it fails, the commit will.
    pub fn flush(&self) {
        let _ = self.0.sync_data();
    }
}

impl Drop for Lock {
    /// A process that is just being started has the file too, and closes it only then.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

pub(crate) fn set_journal(connection: &Connection, mode: &str) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", mode, |_| Ok(()))
}

pub(crate) fn open_to_read(path: &Path) -> Result<Opened, StoreError> {
    let path: String = path.as_os_str().as_encoded_bytes().iter().map(|byte| format!("%{byte:02X}")).collect();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(format!("file:{path}?immutable=1"), flags)?;
    connection.execute_batch(SETTINGS)?;
    let is_new = check(&connection)?;
    Ok(Opened { connection, lock: None, is_new, is_writable: false })
}

/// Removes the journal of a first save that failed, which SQLite keeps as long as it has the lock.
pub(crate) fn leave_no_journal(connection: &Connection) {
    let _ = set_journal(connection, "MEMORY");
    let _ = std::fs::remove_file(format!("{}-journal", connection.path().unwrap_or_default()));
    let _ = set_journal(connection, "TRUNCATE");
}

/// Makes the tables, in the transaction of the first save.
pub(crate) fn make_tables(connection: &Connection) -> Result<(), StoreError> {
    let marks = format!("PRAGMA application_id = {ID}; PRAGMA user_version = {VERSION}");
    let tables = TABLES.join("; ");
    Ok(connection.execute_batch(&format!("{tables}; INSERT INTO total VALUES(0, 0); {marks}"))?)
}

/// Returns true if the file is empty, and false if it has the tables.
fn check(connection: &Connection) -> Result<bool, StoreError> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (id, version) = (pragma("application_id")?, pragma("user_version")?);
    let mut tables = connection.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")?;
    let tables = tables.query_map((), |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    match (id, version) {
        (0, 0) if tables.is_empty() => Ok(true),
        (ID, VERSION) if tables == TABLES => Ok(false),
        (ID, VERSION) => Err(StoreError::Damaged("it has other tables")),
        (ID, _) => Err(StoreError::Newer(version)),
        _ => Err(StoreError::Foreign),
    }
}
