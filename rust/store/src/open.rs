//! Opens files of stores, and refuses all others; sets aside journals of other files.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::format::{
    AUTO_VACUUM_AT, MODE, PARTIAL, ROLLBACK, TABLES, VERSION_AT, WAL, WITH_JOURNAL, check_start, mark_page, number_at,
};
use crate::journal::{self, commits_behind, copy_aside, frames, has_head, rename_aside};
use crate::mark::Mark;
use crate::new::{TRIES, make, refuse_others};
use crate::place::{Place, beside, is_filled, real};
use crate::{Result, StoreError};

/// How long a reader may still keep the file from the writer, or another program be closing it.
const PATIENCE: Duration = Duration::from_millis(100);

/// At most 8 MiB of pages are in memory, and of a reader 2; a journal that begins anew is cut to 16 MiB. It is never put into the
/// file but by [`crate::Store::checkpoint`], which knows then where it stands.
const SETTINGS: &str = "PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; \
                        PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON; \
                        PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 16777216;";
const WRITER: &str = "PRAGMA cache_size = -8192;";
const READER: &str = "PRAGMA cache_size = -2048; PRAGMA query_only = ON;";

/// What SQLite does at most for what a file says, each limit that it has: set before it reads any of it.
const LIMITS: [(Limit, i32); 15] = [
    (Limit::SQLITE_LIMIT_LENGTH, 1_000_000_000),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 4096),
    (Limit::SQLITE_LIMIT_COLUMN, 16),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 20),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 2),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 8),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 16),
    (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 16),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    (Limit::SQLITE_LIMIT_VDBE_OP, 10_000),
    (Limit::SQLITE_LIMIT_PARSER_DEPTH, 100),
    (Limit::SQLITE_LIMIT_SCHEMA, 16),
    (Limit::SQLITE_LIMIT_TRIGGER_STEPS, 1),
];

/// Steps of SQLite in which a sound schema is read, a hundred times over, and between two looks at how many were taken.
const SCHEMA_STEPS: i32 = 100_000;
const STEPS: i32 = 1000;

/// How the file is read.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// Locked, and may be written.
    Place(Arc<Place>),
    /// A file that cannot be written, and that nobody writes.
    File(PathBuf),
    /// The bytes of a file in a pack.
    Bytes(Arc<[u8]>),
    /// Locked, but it could not be opened again.
    Closed(Arc<Place>),
}

/// A file that is open to be written.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) connection: Connection,
    /// Another one, which reads.
    pub(crate) guard: Connection,
    pub(crate) place: Arc<Place>,
    pub(crate) mark: Mark,
    /// True if the file lacks something that is in its journal.
    pub(crate) has_journal: bool,
    /// Where a journal of another file is now, or one that is damaged.
    pub(crate) set_aside: Option<PathBuf>,
    /// True if the journal is missing or damaged.
    pub(crate) is_lost: bool,
}

/// Opens a file, some times if it only fails as another process makes or removes it.
pub(crate) fn again<T>(path: &Path, open: impl Fn() -> Result<T>) -> Result<T> {
    for _ in 1..TRIES {
        match open() {
            Err(StoreError::CannotOpen | StoreError::Moved) if real(path).is_ok_and(|path| !path.is_dir()) => {
                sleep(Duration::from_millis(1));
            }
            opened => return opened,
        }
    }
    open()
}

/// Opens and locks a file, which is made if there is none.
pub(crate) fn open(path: &Path) -> Result<Opened> {
    let path = real(path)?;
    let is_empty = path.metadata().is_ok_and(|file| file.is_file() && file.len() == 0);
    let set_aside = if !path.exists() || is_empty { make(&path)? } else { None };
    let place = Arc::new(Place::of(&path)?);
    looking(&path, || open_at(place, set_aside))
}

/// Looks at a file that is locked. If that fails, the journal is removed that SQLite makes when it looks.
pub(crate) fn looking<T>(path: &Path, look: impl FnOnce() -> Result<T>) -> Result<T> {
    let journal = beside(path, "-wal");
    let is_new = journal.symlink_metadata().is_err();
    // One with something in it is another program's.
    look().inspect_err(|_| _ = (is_new && !is_filled(&journal)).then(|| fs::remove_file(&journal)))
}

pub(crate) fn open_at(place: Arc<Place>, mut set_aside: Option<PathBuf>) -> Result<Opened> {
    let path = &place.path;
    let start = place.read(0..100)?;
    check_start(&start)?;
    let (journal, foreign) = (beside(path, "-wal"), beside(path, "-journal"));
    if start[MODE] == *ROLLBACK {
        // Another program changed that, as VACUUM needs it to. With this journal, it was killed in the middle.
        if is_filled(&foreign) {
            return Err(StoreError::Damaged(
                "another program was killed while it wrote it; open it with that one first",
            ));
        }
        place.write(MODE.start as u64, WAL)?;
        place.flush()?;
    } else if is_filled(&foreign) {
        // A store has no such journal, ever. SQLite would play it.
        set_aside = Some(rename_aside(&foreign)?);
    }
    let page_len = match u16::from_be_bytes([start[16], start[17]]) {
        1 => 1 << 16,
        len => u64::from(len),
    };
    let mark_at = (mark_page(number_at(&start, AUTO_VACUUM_AT) != 0) - 1) * page_len;
    place.note(mark_at..mark_at + page_len)?;
    let version = number_at(&start, VERSION_AT);
    let file = Mark::in_file(&place, version != PARTIAL)?;
    let (mut opened, mut has_journal, mut is_lost) = (None, false, version == WITH_JOURNAL);
    if is_filled(&journal) {
        let both = open_to_write(&place)
            .and_then(|connection| Ok((Mark::read(&connection)?, frames(&connection)?, connection)));
        match both {
            Ok((mark, count, connection))
                if mark.follows(&file) && (count > 0 || file.is_whole && !is_lost && has_head(&journal)?) =>
            {
                has_journal = !file.is_whole || mark.last != file.last;
                // All of it may be in the file: then the file's own is another one.
                is_lost = is_lost && !has_journal || commits_behind(&journal, count)? > 1;
                if is_lost {
                    set_aside = Some(copy_aside(&journal)?);
                }
                opened = Some(connection);
            }
            // The file has all of it, and has got a number of its own since.
            Ok((mark, count, _)) if count > 0 && file.is_whole && !is_lost && mark.last == file.base => {
                drop(both);
                fs::remove_file(&journal)?;
            }
            // It belongs to another file, or its start is damaged.
            Ok(_) | Err(StoreError::Damaged(_) | StoreError::NoDatabase) if file.is_whole => {
                drop(both);
                set_aside = Some(rename_aside(&journal)?);
            }
            Ok(_) => return Err(StoreError::NoJournal),
            Err(error) => return Err(error),
        }
    } else if !file.is_whole {
        return Err(StoreError::NoJournal);
    }
    let connection = opened.map_or_else(|| open_to_write(&place), Ok)?;
    let mark = Mark::read(&connection)?;
    // Also where another program is at it now.
    let _ = journal::cut(&connection, &place);
    place.note_journal(frames(&connection)?)?;
    let guard = open_to_read(&Source::Place(Arc::clone(&place)))?;
    Ok(Opened { connection, guard, place, mark, has_journal, set_aside, is_lost })
}

/// Opens a file that is not to be written, or its bytes.
pub(crate) fn open_to_read(source: &Source) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match source {
        Source::Place(place) => {
            return tried(&place.path, || set(connect_at(place)?, READER));
        }
        Source::Closed(_) => return Err(StoreError::CannotOpen),
        Source::File(path) => {
            let mut start = Vec::new();
            File::open(path)?.take(100).read_to_end(&mut start)?;
            check_start(&start)?;
            let path: String = path.as_os_str().as_encoded_bytes().iter().map(|byte| format!("%{byte:02X}")).collect();
            let flags = flags | OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            Connection::open_with_flags(format!("file:{path}?immutable=1"), flags)?
        }
        Source::Bytes(bytes) => {
            check_start(&bytes[..bytes.len().min(100)])?;
            let mut connection = Connection::open_in_memory()?;
            // In memory there is no journal.
            let head = [&bytes[..MODE.start], ROLLBACK].concat();
            let read = head.chain(&bytes[MODE.end..]);
            connection.deserialize_read_exact("main", read, bytes.len(), true)?;
            connection
        }
    };
    set(connection, READER)
}

fn open_to_write(place: &Place) -> Result<Connection> {
    tried(&place.path, || {
        let connection = set(connect_at(place)?, WRITER)?;
        // Where too many files are open, SQLite is content with reading, also the journal.
        let begun = connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK").map_err(StoreError::from);
        let is_read_only = connection.is_readonly("main")? || matches!(begun, Err(StoreError::ReadOnly));
        if is_read_only { Err(StoreError::ReadOnly) } else { Ok(connection) }
    })
}

/// Lets SQLite open a file that can be opened, with a journal. It does not say why it cannot, so the system is asked for the same:
/// two handles, one of them of the journal, which is made.
pub(crate) fn tried<T>(path: &Path, open: impl Fn() -> Result<T>) -> Result<T> {
    refuse_others(path)?;
    let journal = beside(path, "-wal");
    let ask = || File::options().create(true).truncate(false).write(true).open(&journal);
    for _ in 0..TRIES {
        match open() {
            Err(StoreError::CannotOpen | StoreError::ReadOnly) => ask().and_then(|_first| ask())?,
            opened => return opened,
        };
    }
    Err(StoreError::CannotOpen)
}

/// Several connections of one process share the index of the journal: on Unix in memory, which browsers have, too, and other
/// processes are kept out; on Windows by a file.
fn connect(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(if cfg!(unix) {
        Connection::open_with_flags_and_vfs(path, flags, "unix-excl")?
    } else {
        Connection::open_with_flags(path, flags)?
    })
}

/// SQLite opens by the path, where another file may be by now. It has not looked at it yet.
fn connect_at(place: &Place) -> Result<Connection> {
    let connection = connect(&place.path);
    place.check()?;
    connection
}

/// Fails if another program has a file open, whatever is in it.
pub(crate) fn refuse_busy(path: &Path) -> Result<()> {
    let look = || {
        let connection = connect(path)?;
        connection.busy_timeout(PATIENCE)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        Ok(connection.pragma_query_value(None, "user_version", |_| Ok(()))?)
    };
    match tried(path, look) {
        Err(error @ (StoreError::Busy | StoreError::Exhausted)) => Err(error),
        _ => Ok(()),
    }
}

/// Sets up a connection, and fails unless the file has the tables.
fn set(mut connection: Connection, more: &str) -> Result<Connection> {
    for (limit, max) in LIMITS {
        connection.set_limit(limit, max)?;
    }
    connection.busy_timeout(PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // Whoever closes the file last decides what becomes of the journal.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let mut steps = 0;
    let is_enough = move || {
        steps += STEPS;
        steps > SCHEMA_STEPS
    };
    connection.progress_handler(STEPS, Some(is_enough))?;
    connection.execute_batch(SETTINGS)?;
    connection.execute_batch(more)?;
    let mut read =
        connection.prepare("SELECT sql, rootpage FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name DESC")?;
    let tables =
        read.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<Vec<(String, i64)>>>()?;
    drop(read);
    connection.progress_handler(0, None::<fn() -> bool>)?;
    let auto_vacuum: i64 = connection.pragma_query_value(None, "auto_vacuum", |row| row.get(0))?;
    let is_mark_first = tables.first().is_some_and(|(_, page)| *page as u64 == mark_page(auto_vacuum != 0));
    if tables.iter().map(|(sql, _)| sql.as_str()).eq(TABLES) && is_mark_first {
        Ok(connection)
    } else {
        Err(StoreError::Damaged("it has other tables"))
    }
}

/// Returns what a file lacks that was opened without its journal.
pub(crate) fn lacks(connection: &Connection) -> Result<Option<StoreError>> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let is_whole = Mark::read(connection)?.is_whole;
    Ok(if is_whole {
        (version == WITH_JOURNAL).then_some(StoreError::JournalLost)
    } else {
        Some(StoreError::NoJournal)
    })
}
