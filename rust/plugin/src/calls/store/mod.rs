//! The calls of a store: its file, and its keys. Calls that change the file take turns in one line; a load asks the queue of saves
//! that wait in it, and reads the rest beside the writer.

mod call;
mod changes;
mod checkpoint;
mod keys;
mod load;
mod queue;
mod ranges;
mod saving;
mod upkeep;

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use godot::builtin::GString;
use godot::global::Error as EngineError;
use varbatch_codec::{PathStep, Step, key};
use varbatch_storage::{LineName, Ticket, words};
use varbatch_store::{Reader, Readers, Store, StoreError};

pub use self::keys::{Finding, KeyRange};
pub use self::load::Loading;
use self::queue::Queue;
pub use self::saving::SaveRequest;
pub use self::upkeep::{Backup, Upkeep, remove, rename};
use super::encode::encode_key;
use super::line::WriteTicket;
use super::load::open_code;
use super::save::NOT_COMPRESSED;
use crate::engine::{self, DIALECT, Value};
use crate::jobs::{lock, pool};
use crate::report::{Failure, Line, NAME, Outcome, PATH, short, store_code};

/// Min values for which several threads pack or decode them.
const PARALLEL_FROM: usize = 16;

/// `FileAccess.COMPRESSION_ZSTD`.
const ZSTANDARD: i64 = 2;

/// Readers that are kept open.
const IDLE: usize = 3;

/// The file of a `VarBatchStore`. It is closed when the object and all calls are gone.
pub struct StoreFile {
    path: PathBuf,
    /// The path as the script gave it.
    pub shown: String,
    compresses: bool,
    /// Where calls that change the file wait for each other.
    line: LineName,
    readers: Mutex<ReaderPool>,
    /// Woken when a reader comes back, and when there may be some again.
    changed: Condvar,
    /// What saves in the background will change.
    queue: Mutex<Queue>,
    /// For what loads read, of each thread that reads at the same time.
    memory: Mutex<Vec<Vec<u8>>>,
    /// `None` once a script has closed it. Dropped after the readers.
    store: Mutex<Option<Store>>,
}

/// Connections that read.
#[derive(Default)]
struct ReaderPool {
    /// `None` if the file is closed.
    source: Option<Readers>,
    idle: Vec<Reader>,
    /// How many are in use, of two groups; and which of these the next one belongs to.
    used: [usize; 2],
    next: usize,
    /// True while the file is closed or replaced, so that none may be in use.
    is_held: bool,
}

impl StoreFile {
    /// Opens a file, after all earlier calls of other stores that had the same one.
    pub fn open(path: &GString, compression: i64) -> Outcome<Option<Arc<Self>>> {
        // After an error line, what is there can be used all the same.
        let opened = Self::try_open(path, compression);
        opened.map(|(file, lines)| Outcome::new(Some(file), lines)).into()
    }

    fn try_open(path: &GString, compression: i64) -> Result<(Arc<Self>, Vec<Line>), Failure> {
        let at = path_of(path)?;
        let mut file = Self {
            line: Ticket::line(&at),
            path: at,
            shown: path.to_string(),
            compresses: compression == ZSTANDARD,
            readers: Mutex::default(),
            changed: Condvar::new(),
            queue: Mutex::default(),
            memory: Mutex::default(),
            store: Mutex::new(None),
        };
        if ![NOT_COMPRESSED, ZSTANDARD].contains(&compression) {
            let expected = "VarBatch.COMPRESSION_NONE or FileAccess.COMPRESSION_ZSTD as the compression mode";
            return Err(Failure::invalid(file.text(format_args!("expected {expected}, found {compression}"))));
        }
        let _turns = turns_at(&[&file.path]);
        let mut store = match engine::packed_bytes(path) {
            Some(bytes) => Store::open_bytes(bytes.into()),
            None => Store::open(&file.path),
        }
        .map_err(|error| file.not_opened(&error))?;
        let (readers, reader) = (store.readers(), store.reader().map_err(|error| file.not_opened(&error))?);
        let lines = file.found_by(&mut store);
        file.readers = Mutex::new(ReaderPool { source: Some(readers), idle: vec![reader], ..ReaderPool::default() });
        file.store = Mutex::new(Some(store));
        Ok((Arc::new(file), lines))
    }

    fn ticket(&self) -> WriteTicket {
        WriteTicket(Ticket::take_in(Arc::clone(&self.line)))
    }

    fn text(&self, why: impl std::fmt::Display) -> String {
        format!("\"{}\": {why}", short(&self.shown, PATH))
    }

    fn not_opened(&self, error: &StoreError) -> Failure {
        not_opened(&self.path, &self.shown, error)
    }

    fn failure_of(&self, error: &StoreError, key: &[u8]) -> Failure {
        Failure { text: self.text(format_args!("{}: {error}", shown(key))), ..self.failure(error) }
    }

    fn failure(&self, error: &StoreError) -> Failure {
        Failure::new(store_code(error), self.text(error))
    }

    /// Tells what the file lacks, and where a journal is now.
    fn found_by(&self, store: &mut Store) -> Vec<Line> {
        let set_aside = store.set_aside().map(|aside| set_aside_line(&self.shown, &aside));
        store.lost().map(|error| Line::error(self.failure(&error))).into_iter().chain(set_aside).collect()
    }

    fn closed(&self) -> Failure {
        Failure::new(EngineError::ERR_UNCONFIGURED, self.text("it is closed; open it again"))
    }

    /// Does something with the file, unless it is closed.
    fn with<R>(&self, act: impl FnOnce(&mut Store) -> Result<R, Failure>) -> Result<R, Failure> {
        act(lock(&self.store).as_mut().ok_or_else(|| self.closed())?)
    }

    /// Does something that does not fail, unless it is closed.
    fn act<R>(&self, act: impl FnOnce(&mut Store) -> R) -> Result<R, Failure> {
        self.with(|store| Ok(act(store)))
    }

    /// Returns a reader, which waits for no call.
    fn reader(&self) -> Result<BorrowedReader<'_>, Failure> {
        let is_held = |readers: &mut ReaderPool| readers.is_held;
        let mut readers = self.changed.wait_while(lock(&self.readers), is_held).unwrap_or_else(PoisonError::into_inner);
        let idle = readers.idle.pop();
        let source = readers.source.clone().ok_or_else(|| self.closed())?;
        let group = readers.next;
        readers.used[group] += 1;
        drop(readers);
        let mut borrowed = BorrowedReader { file: self, group, reader: idle };
        if borrowed.reader.is_none() {
            borrowed.reader = Some(self.open_reader(&source)?);
        }
        Ok(borrowed)
    }

    fn new_reader(&self) -> Result<Reader, Failure> {
        let source = lock(&self.readers).source.clone().ok_or_else(|| self.closed())?;
        self.open_reader(&source)
    }

    fn open_reader(&self, source: &Readers) -> Result<Reader, Failure> {
        // Only then: else this would wait for whoever saves.
        let opened = match source.are_closed() {
            true => lock(&self.store).as_mut().map_or(Ok(()), Store::open_again),
            false => Ok(()),
        };
        opened.and_then(|()| source.open()).map_err(|error| self.failure(&error))
    }

    /// Waits until nobody reads, and lets nobody until [`Self::let_read`]. Who comes while a long load ends does not wait for it.
    fn keep_readers_out(&self) {
        let until_unused = |readers, group| {
            let is_used = |readers: &mut ReaderPool| readers.used[group] > 0;
            self.changed.wait_while(readers, is_used).unwrap_or_else(PoisonError::into_inner)
        };
        let mut readers = lock(&self.readers);
        let [before, since] = [readers.next, 1 - readers.next];
        readers.next = since;
        let mut readers = until_unused(readers, before);
        readers.is_held = true;
        let mut readers = until_unused(readers, since);
        (readers.source, readers.idle) = (None, Vec::new());
    }

    fn let_read(&self, source: Option<Readers>) {
        let mut readers = lock(&self.readers);
        (readers.source, readers.is_held) = (source, false);
        self.changed.notify_all();
    }

    pub fn close(&self) -> Outcome<EngineError> {
        let _turns = turns_of([Arc::clone(&self.line)]);
        self.keep_readers_out();
        let mut store = lock(&self.store).take();
        let set_aside = store.as_mut().and_then(Store::set_aside).map(|aside| set_aside_line(&self.shown, &aside));
        let closed = store.map_or(Ok(()), Store::close).map_err(|error| self.failure(&error));
        self.let_read(None);
        Outcome::of_code(closed.map(|()| Outcome::new(EngineError::OK, set_aside.into_iter().collect())))
    }

    pub fn erase_all(&self) -> Outcome<EngineError> {
        let _turns = turns_of([Arc::clone(&self.line)]);
        self.keep_readers_out();
        let erased =
            self.with(|store| store.erase_all().map(|()| self.found_by(store)).map_err(|error| self.failure(&error)));
        self.let_read(lock(&self.store).as_ref().map(Store::readers));
        if erased.is_ok() {
            engine::keep(&self.path);
        }
        Outcome::of_code(erased.map(|lines| Outcome::new(EngineError::OK, lines)))
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }

    fn key(&self, key: &Value) -> Result<Vec<u8>, Failure> {
        let found = || short(&key.variant().to_string(), NAME);
        let why = match encode_key(key) {
            Ok(Some(buffer)) => match key::to_exact_key(&buffer) {
                Ok(key) => return Ok(key),
                Err(error) => format!("key {}: {error}", found()),
            },
            Ok(None) => format!("expected a key without objects, Callables, Signals and RIDs, found {}", found()),
            Err(error) => format!("key {}: {error}", found()),
        };
        Err(Failure::invalid(self.text(why)))
    }

    fn keys_of(&self, keys: &[Value]) -> Result<Vec<Vec<u8>>, Failure> {
        keys.iter().map(|key| self.key(key)).collect()
    }

    /// Returns the keys in the order of the tree, each with its index.
    fn sorted_keys_of(&self, keys: &[Value]) -> Result<Vec<(Vec<u8>, usize)>, Failure> {
        let mut sorted: Vec<_> = self.keys_of(keys)?.into_iter().zip(0..).collect();
        sorted.sort();
        Ok(sorted)
    }
}

/// A reader that goes back to the file.
struct BorrowedReader<'f> {
    file: &'f StoreFile,
    group: usize,
    reader: Option<Reader>,
}

impl BorrowedReader<'_> {
    fn get(&mut self) -> &mut Reader {
        self.reader.as_mut().expect("there is one until it is dropped")
    }

    /// Holds the last commit.
    fn hold(&mut self) -> Result<(), Failure> {
        let file = self.file;
        self.get().hold().map_err(|error| file.failure(&error))
    }
}

impl Drop for BorrowedReader<'_> {
    fn drop(&mut self) {
        let mut reader = self.reader.take();
        reader.iter_mut().for_each(Reader::release);
        let mut readers = lock(&self.file.readers);
        if !std::thread::panicking() && readers.idle.len() < IDLE {
            readers.idle.extend(reader.take());
        }
        drop(readers);
        // Closed before it counts as that.
        drop(reader);
        lock(&self.file.readers).used[self.group] -= 1;
        self.file.changed.notify_all();
    }
}

/// The line of copies of a file, and to it.
fn copies_of(line: &LineName) -> LineName {
    format!("{line}/copies").into()
}

/// Takes the position of a call in several lines at once, as else two calls could wait for each other.
fn take_all(lines: impl IntoIterator<Item = LineName>) -> Vec<WriteTicket> {
    Ticket::take_all(lines).into_iter().map(WriteTicket).collect()
}

/// Returns when the calls to files have ended that were made before, and all copies of these and to these.
fn turns_of(lines: impl IntoIterator<Item = LineName>) -> Vec<WriteTicket> {
    let tickets = take_all(lines.into_iter().flat_map(|line| [copies_of(&line), line]));
    tickets.iter().for_each(|ticket| ticket.wait(&pool::threads()));
    tickets
}

/// The same of other paths, which may be one.
fn turns_at(paths: &[&Path]) -> Vec<WriteTicket> {
    turns_of(paths.iter().map(|path| Ticket::line(path)).collect::<BTreeSet<_>>())
}

/// Where a path of a script leads.
fn path_of(path: &GString) -> Result<PathBuf, Failure> {
    let failed = |why| format!("\"{}\": {why}", short(&path.to_string(), PATH));
    super::load::path_of(path).map_err(|why| Failure::new(EngineError::ERR_FILE_NOT_FOUND, failed(why)))
}

fn not_opened(path: &Path, shown: &str, error: &StoreError) -> Failure {
    let text = |why: &dyn std::fmt::Display| format!("\"{}\": {why}", short(shown, PATH));
    let failure = Failure::new(store_code(error), text(error));
    // SQLite does not say why: what files say of such a path. A file that is open gives another error.
    let (StoreError::CannotOpen | StoreError::ReadOnly) = error else { return failure };
    let (Err(why), Some(folder)) = (varbatch_storage::open(path), path.parent()) else { return failure };
    match (why.kind(), error, shown.rsplit_once('/')) {
        (ErrorKind::NotFound, StoreError::ReadOnly, _) => failure,
        (ErrorKind::NotFound, _, Some((shown, _))) if !folder.is_dir() => {
            let makes = format!("DirAccess.make_dir_recursive_absolute(\"{}\") makes it", short(shown, PATH));
            Failure::new(open_code(&why), text(&format_args!("its folder does not exist; {makes}")))
        }
        _ => Failure::new(open_code(&why), text(&words(&why))),
    }
}

/// Tells where a journal is now that belonged to another file, or is damaged.
fn set_aside_line(shown: &str, aside: &Path) -> Line {
    let (shown, name) = (short(shown, PATH), aside.file_name().unwrap_or_default().to_string_lossy());
    let what =
        "the journal that lay beside it is damaged, or that of another file, such as the one that was there before";
    Line::warning(format_args!("\"{shown}\": {what}; it is \"{name}\" now"))
}

fn shown(key: &[u8]) -> String {
    let Some(buffer) = key::from_key(key) else { return "a damaged key".to_owned() };
    match PathStep::Key(&buffer).shown(DIALECT) {
        Step::Key(key) => format!("key {key}"),
        step => step.to_string(),
    }
}
