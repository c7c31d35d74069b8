//! Stores, which hold many values by key: their rows as values of a file. Neither the file nor what lies beside it is changed.

use std::cmp::Ordering;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tempfile::TempDir;
use varbatch_codec::key::{from_key, to_key};
use varbatch_codec::{Dialect, PathStep};
use varbatch_storage::words;
use varbatch_store::{Rescue, StoreError, is_store, set_aside_name};

use crate::args::{DialectName, Format};
use crate::buffer::Buffer;
use crate::input::{Failure, Input, STANDARD, unnamed};
use crate::output::say;
use crate::path::Wanted;

/// Bytes that tell a store from other files.
const START: u64 = 100;

const JOURNALS: [&str; 2] = ["-wal", "-journal"];

pub const GODOT_4_ONLY: &str = "stores are of godot4: expected --from godot4, and --to godot4 or store";

/// The rows of a store, in the order of their keys.
pub struct Rows {
    store: Rescue,
    next: usize,
    /// The key that was read last, as a value, and its value, or why there is none.
    key: Vec<u8>,
    value: Result<Vec<u8>, String>,
    /// These are dropped after the store is closed.
    _copy: Option<TempDir>,
    _lock: Option<File>,
}

impl Rows {
    pub fn of(input: &Rc<Input>) -> Result<Option<Self>, Failure> {
        let unread = |error: io::Error| Failure::file(&input.name, words(&error));
        if input.reading.format != Format::Auto || !is_store(&input.read(START).map_err(unread)?) {
            return Ok(None);
        }
        if input.path == Path::new(STANDARD) || !input.path.is_file() {
            return Err(Failure::Usage(format!("{}: a store is read from a file, not from a pipe", input.name)));
        }
        if input.from != DialectName::Godot4 {
            return Err(Failure::Usage(GODOT_4_ONLY.into()));
        }
        // A journal lies beside what a link leads to. And to SQLite, some names mean no file.
        let path = input.path.canonicalize().map_err(unread)?;
        use StoreError::{Busy, CannotOpen, Full, Memory, ReadOnly, System};
        let opened = lock(&path).and_then(|lock| open(&path, &input.name).map(|opened| (opened, lock)));
        let ((store, copy), lock) = opened.map_err(|error| match error {
            Busy | CannotOpen | Full | Memory | ReadOnly | System(_) => Failure::file(&input.name, error),
            _ => Failure::data(input, error),
        })?;
        Ok(Some(Self { store, next: 0, key: Vec::new(), value: Ok(Vec::new()), _copy: copy, _lock: lock }))
    }

    pub fn count(&self) -> String {
        let count = self.store.rows.len();
        if count == 1 { "1 key".into() } else { format!("{count} keys") }
    }

    /// Compares the next keys. Behind the last comes none.
    pub fn order(&self, other: &Self) -> Ordering {
        let [key, other] = [self, other].map(|rows| rows.store.rows.get(rows.next).map(|(key, _)| key));
        (key.is_none(), key).cmp(&(other.is_none(), other))
    }

    /// Reads the next row. An error is about keys that are missing, and comes once.
    pub fn next<'a>(&'a mut self, input: &'a Rc<Input>) -> Result<Option<Buffer<'a>>, Failure> {
        let Some((key, _)) = self.store.rows.get(self.next) else {
            return self.store.damage.take().map_or(Ok(None), |error| Err(Failure::data(input, error)));
        };
        let (key, len) = (from_key(key), self.store.rows.len());
        self.value = match key {
            Some(_) => self.store.value(self.next).map_err(|error| error.to_string()),
            None => Err("the key is damaged".into()),
        };
        self.key = key.unwrap_or_default();
        self.next += 1;
        let (lost, bytes) = (self.value.as_ref().err().map(String::as_str), self.value.as_deref().unwrap_or_default());
        let (key, at, remaining, stream_len) = (Some(&self.key[..]), 0, (len - self.next) as u64, len as u64);
        Ok(Some(Buffer { input, dialect: Dialect::GODOT_4, frame: None, key, lost, at, bytes, remaining, stream_len }))
    }

    /// Reads the row that the first step of a path leads to.
    pub fn find<'a>(&'a mut self, input: &'a Rc<Input>, wanted: Option<&Wanted>) -> Result<Buffer<'a>, Failure> {
        let expected = |what| Failure::Usage(format!("{}: expected {what}", input.name));
        let wanted = wanted.ok_or_else(|| expected("a key at the start of the path".into()))?;
        let exact = if let Wanted::Key(value) = wanted { to_key(value).ok() } else { None };
        let is_shown = |key: &[u8]| from_key(key).is_some_and(|key| wanted.is(PathStep::Key(&key), Dialect::GODOT_4));
        let is = |key: &[u8]| exact.as_ref().map_or_else(|| is_shown(key), |exact| exact == key);
        let rows = self.store.rows.iter().enumerate();
        let found: Vec<_> = rows.filter(|(_, (key, _))| is(key)).map(|(index, _)| index).collect();
        self.next = match (&found[..], self.store.damage.take()) {
            // It may not be the last that was saved.
            (&[index], damage) => {
                damage.iter().for_each(|error| say("note", format_args!("{}: {error}", input.name)));
                index
            }
            ([], Some(error)) => return Err(Failure::data(input, error)),
            _ => return Err(expected(format!("one key like this of {}, found {}", self.count(), found.len()))),
        };
        let row = self.next(input)?.expect("it was found");
        row.there().map(|()| row)
    }
}

fn beside(path: &Path, end: &str) -> PathBuf {
    [path.as_os_str(), end.as_ref()].into_iter().collect::<std::ffi::OsString>().into()
}

/// Keeps games from opening a store, where the system can do that. Fails if one has it open.
fn lock(path: &Path) -> Result<Option<File>, StoreError> {
    let file = File::open(path)?;
    if cfg!(not(windows)) {
        let is_open = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        return if is_open { Err(StoreError::Busy) } else { Ok(Some(file)) };
    }
    // There, each open store has a file that nobody else can open.
    let is_open = File::open(beside(path, "-lock")).is_err_and(|error| error.kind() != io::ErrorKind::NotFound);
    if is_open { Err(StoreError::Busy) } else { Ok(None) }
}

/// Opens a store, or a copy of one that has a journal: SQLite puts that into the file.
fn open(path: &Path, name: &str) -> Result<(Rescue, Option<TempDir>), StoreError> {
    let is_filled = |end: &&str| beside(path, end).metadata().is_ok_and(|file| file.len() > 0);
    let journals: Vec<_> = JOURNALS.into_iter().filter(is_filled).collect();
    if journals.is_empty() {
        return Ok((Rescue::open(path)?, None));
    }
    let copied = tempfile::tempdir().and_then(|folder| {
        for end in journals.iter().chain([&""]) {
            // Not with their permissions.
            let mut copy = File::create(beside(&folder.path().join("copy"), end))?;
            io::copy(&mut File::open(beside(path, end))?, &mut copy)?;
        }
        Ok(folder)
    });
    let uncopied = |error| StoreError::System(format!("no copy of it and its journal: {}", unnamed(&error)));
    let folder = copied.map_err(uncopied)?;
    let copy = folder.path().join("copy");
    let store = match Rescue::open_copy(&copy) {
        // Most may be in the file itself.
        Err(error @ StoreError::Damaged(_)) => Rescue::open(path).map(|mut store| {
            store.damage.get_or_insert(error);
            store
        })?,
        opened => opened?,
    };
    // One that is damaged is told as damage.
    let is_foreign = !matches!(store.damage, Some(StoreError::JournalLost));
    for end in journals.iter().filter(|end| is_foreign && set_aside_name(&beside(&copy, end), 1).exists()) {
        say("note", format_args!("{name}: the journal {name}{end} belongs to another file, and is not read"));
    }
    Ok((store, Some(folder)))
}

/// Calls `replace`, which puts another file at `path`, unless a store is there that is open. Removes its journal then.
pub fn replace(path: &Path, name: &str, replace: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    let (Ok(path), mut start) = (path.canonicalize(), Vec::new()) else { return replace() };
    let read = File::open(&path).and_then(|file| file.take(START).read_to_end(&mut start));
    if read.is_err() || !is_store(&start) {
        return replace();
    }
    let _lock = lock(&path).map_err(|error| Failure::file(name, error))?;
    replace()?;
    JOURNALS.iter().for_each(|end| _ = fs::remove_file(beside(&path, end)));
    Ok(())
}
