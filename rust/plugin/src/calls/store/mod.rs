//! The calls of a store: each takes its turn when those before it have ended, on its own thread or as a task.

mod load;
mod save;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use godot::builtin::{GString, VarArray, Variant};
use godot::global::Error as EngineError;
use varbatch_codec::{PathStep, Step};
use varbatch_storage::Ticket;
use varbatch_store::{Store, StoreError};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

pub use self::load::Loading;
pub use self::save::SaveRequest;
use super::decode::{Input, decode_only};
use super::encode::encode_key;
use super::save::{NOT_COMPRESSED, SaveTarget, WriteTicket, add_task};
use crate::engine::{self, CompressionArg, DIALECT, OwnArray, Slot, Value};
use crate::jobs::task::Job;
use crate::jobs::{dispatch, lock, pool};
use crate::report::{Failure, NAME, Outcome, PATH, short};

/// Min values for which several threads pack or decode them.
const PARALLEL_FROM: usize = 16;

/// `FileAccess.COMPRESSION_ZSTD`.
const ZSTANDARD: i64 = 2;

/// The file of a `VarBatchStore`. It is closed when the object and all calls are gone.
pub struct StoreFile {
    path: PathBuf,
    /// The path as the script gave it.
    pub shown: String,
    compresses: bool,
    /// Where calls of this file wait for each other.
    line: PathBuf,
    /// `None` once a script has closed it.
    store: Mutex<Option<Store>>,
    /// For what loads read, of each thread that reads at the same time.
    memory: Mutex<Vec<Vec<u8>>>,
}

impl StoreFile {
    /// Opens a file, after all earlier calls of other stores that had the same one.
    pub fn open(path: &GString, compression: CompressionArg) -> Result<Arc<Self>, Failure> {
        let target = SaveTarget::plain(path);
        let mut file = Self {
            line: Ticket::line(&target.path),
            path: target.path,
            shown: path.to_string(),
            compresses: compression.0 == ZSTANDARD,
            store: Mutex::new(None),
            memory: Mutex::default(),
        };
        if ![NOT_COMPRESSED, ZSTANDARD].contains(&compression.0) {
            let expected = "VarBatch.COMPRESSION_NONE or FileAccess.COMPRESSION_ZSTD as the compression mode";
            return Err(Failure::invalid(file.text(format_args!("expected {expected}, found {}", compression.0))));
        }
        let _turn = file.turn();
        let store = Store::open(&file.path).map_err(|error| file.not_opened(&error))?;
        file.store = Mutex::new(Some(store));
        Ok(Arc::new(file))
    }

    fn ticket(&self) -> WriteTicket {
        WriteTicket(Ticket::take_in(self.line.clone()))
    }

    /// Returns when the calls before have ended.
    fn turn(&self) -> WriteTicket {
        let ticket = self.ticket();
        ticket.wait(&pool::threads());
        ticket
    }

    fn text(&self, why: impl std::fmt::Display) -> String {
        format!("\"{}\": {why}", short(&self.shown, PATH))
    }

    fn not_opened(&self, error: &StoreError) -> Failure {
        match (error, self.path.parent(), self.shown.rsplit_once('/')) {
            (StoreError::CannotOpen, Some(folder), Some((shown, _))) if !folder.is_dir() => {
                let makes = format!("DirAccess.make_dir_recursive_absolute(\"{}\") makes it", short(shown, PATH));
                let text = self.text(format_args!("its folder does not exist; {makes}"));
                Failure::new(EngineError::ERR_FILE_NOT_FOUND, text)
            }
            _ => self.failure(error),
        }
    }

    fn failure_of(&self, error: &StoreError, key: &[u8]) -> Failure {
        Failure { text: self.text(format_args!("{}: {error}", shown(key))), ..self.failure(error) }
    }

    fn failure(&self, error: &StoreError) -> Failure {
        let code = match error {
            StoreError::Busy => EngineError::ERR_BUSY,
            StoreError::CannotOpen => EngineError::ERR_FILE_CANT_OPEN,
            StoreError::NoDatabase | StoreError::Foreign | StoreError::Newer(_) => EngineError::ERR_FILE_UNRECOGNIZED,
            StoreError::Damaged(_) | StoreError::DamagedValue => EngineError::ERR_FILE_CORRUPT,
            StoreError::ReadOnly | StoreError::JournalLeft => EngineError::ERR_FILE_NO_PERMISSION,
            StoreError::TooLong => EngineError::ERR_INVALID_DATA,
            StoreError::Full | StoreError::System(_) => EngineError::ERR_FILE_CANT_WRITE,
        };
        Failure::new(code, self.text(error))
    }

    /// Does something with the file, unless it is closed.
    fn with<R>(&self, act: impl FnOnce(&mut Store) -> Result<R, Failure>) -> Result<R, Failure> {
        let closed = || Failure::new(EngineError::ERR_UNCONFIGURED, self.text("it is closed; open it again"));
        act(lock(&self.store).as_mut().ok_or_else(closed)?)
    }

    /// Does something short with the file when the calls before have left it.
    fn in_turn<R>(&self, act: impl FnOnce(&mut Store) -> Result<R, StoreError>) -> Result<R, Failure> {
        let _turn = self.turn();
        self.with(|store| act(store).map_err(|error| self.failure(&error)))
    }

    pub fn close(&self) {
        let _turn = self.turn();
        let _store = lock(&self.store).take();
    }

    pub fn has_key(&self, key: &Variant) -> Outcome<bool> {
        let has = |key: Vec<u8>| self.in_turn(|store| store.has(&key));
        Outcome::from(self.key(engine::value(key)).and_then(has).map(|has| Outcome::new(has, Vec::new())))
    }

    pub fn key_count(&self) -> Outcome<i64> {
        Outcome::from(self.in_turn(Store::key_count).map(|count| Outcome::new(count, Vec::new())))
    }

    /// Returns all keys that are found, also if some are missing.
    pub fn keys(&self) -> Outcome<VarArray> {
        let mut found = Vec::new();
        let end = self.in_turn(|store| store.keys(|key| found.push(key.to_vec())));
        let mut keys = OwnArray::new(found.len());
        for (slot, bytes) in keys.elements().iter_mut().zip(&found) {
            // A key that is damaged has another sum.
            decode_only(Input { at: 0, bytes }, None, slot);
        }
        match end {
            Ok(()) => Outcome::new(keys.take(), Vec::new()),
            Err(failure) => Outcome::failed(keys.take(), failure),
        }
    }

    fn key(&self, key: &Value) -> Result<Vec<u8>, Failure> {
        let found = || short(&key.variant().to_string(), NAME);
        let why = match encode_key(key) {
            Ok(Some(key)) => return Ok(key),
            Ok(None) => format!("expected a key without objects, Callables, Signals and RIDs, found {}", found()),
            Err(error) => format!("key {}: {error}", found()),
        };
        Err(Failure::invalid(self.text(why)))
    }

    fn keys_of(&self, keys: &[Value]) -> Result<Vec<Vec<u8>>, Failure> {
        keys.iter().map(|key| self.key(key)).collect()
    }
}

fn shown(key: &[u8]) -> String {
    match PathStep::Key(key).shown(DIALECT) {
        Step::Key(key) => format!("key {key}"),
        step => step.to_string(),
    }
}

/// What a call does, in steps.
pub trait StoreWork {
    /// True if the call must complete when the player closes the game.
    const COMPLETES: bool = false;

    /// Does the next step with the file. After [`NextStep::Done`] and [`NextStep::Owner`] others have it.
    fn step(&mut self, file: &StoreFile, store: &mut Store, threads: &Threads) -> Result<NextStep, Failure>;

    /// Takes back the steps of a call that failed or was cancelled.
    fn take_back(&mut self, _store: &mut Store) {}

    /// Does a step after those with the file, once [`Self::step`] has returned [`NextStep::Owner`]. Scripts may use the file.
    fn step_with_engine(&mut self) -> NextStep {
        NextStep::Done
    }

    fn progress(&self) -> f32;

    fn outcome(&mut self, result: Result<(), Failure>) -> Outcome<Slot>;
}

/// A call to a store, which begins when those before it have left the file.
pub struct StoreCall<W: StoreWork> {
    work: W,
    result: Result<(), Failure>,
    /// The file and the position of the call, as long as it needs them. The file is dropped first: the next call may open it.
    turn: Option<(Arc<StoreFile>, WriteTicket)>,
}

impl<W: StoreWork> StoreCall<W> {
    /// Takes the position of a call, unless its arguments are invalid. Scripts that they run have run.
    fn new(file: &Arc<StoreFile>, work: W, result: Result<(), Failure>) -> Self {
        let turn = result.is_ok().then(|| (Arc::clone(file), file.ticket()));
        Self { work, result, turn }
    }

    fn next(&mut self, threads: &Threads) -> NextStep {
        let Some((file, ticket)) = &self.turn else {
            return if self.result.is_ok() { self.work.step_with_engine() } else { NextStep::Done };
        };
        if ticket.0.first_before().is_some() {
            return NextStep::Parked;
        }
        let step = file.with(|store| self.work.step(file, store, threads)).unwrap_or_else(|failure| {
            self.result = Err(failure);
            NextStep::Done
        });
        if matches!(step, NextStep::Done | NextStep::Owner) {
            self.leave();
        }
        step
    }

    /// Lets the next call have the file.
    fn leave(&mut self) {
        let Some(turn) = self.turn.take() else { return };
        let file = &turn.0;
        // A call takes back nothing after its last step.
        let wants_checkpoint = file.with(|store| {
            self.work.take_back(store);
            Ok(store.wants_checkpoint())
        });
        if wants_checkpoint.unwrap_or(false) {
            Upkeep::checkpoint(file);
        }
    }

    fn run(&mut self, threads: &Threads) {
        loop {
            match self.next(threads) {
                NextStep::Done => return,
                NextStep::Parked => self.unblock(),
                _ => {}
            }
        }
    }

    fn unblock(&self) {
        self.turn.iter().for_each(|(_, ticket)| ticket.wait(&pool::threads()));
    }
}

impl<W: StoreWork> Drop for StoreCall<W> {
    fn drop(&mut self) {
        self.leave();
    }
}

impl<W: StoreWork + Send + 'static> Work for StoreCall<W> {
    fn step(&mut self, threads: &Threads, _: OnProgress<'_>) -> NextStep {
        self.next(threads)
    }

    fn unblock(&mut self, _: &Threads) {
        Self::unblock(self);
    }

    fn progress(&self) -> f32 {
        self.work.progress()
    }

    fn outlives_shut_down(&self) -> bool {
        W::COMPLETES
    }
}

impl<W: StoreWork + Send + 'static> Job for StoreCall<W> {
    fn ticket(&self) -> Option<u64> {
        self.turn.as_ref().map(|(_, ticket)| ticket.0.number())
    }

    fn outcome(&mut self) -> Outcome<Slot> {
        self.work.outcome(self.result.clone())
    }
}

/// Work on the file that changes no value, and waits for the disk: free pages are given back, or the journal is copied into it.
pub struct Upkeep {
    shrinks: bool,
    /// Free pages at the start, and those that are left, once it has begun.
    pages: Option<(i64, i64)>,
}

impl Upkeep {
    pub fn shrink(file: &Arc<StoreFile>) -> StoreCall<Self> {
        StoreCall::new(file, Self { shrinks: true, pages: None }, Ok(()))
    }

    /// Copies the journal into the file in the background. No object tells of it.
    pub fn checkpoint(file: &Arc<StoreFile>) {
        let checkpoint = StoreCall::new(file, Self { shrinks: false, pages: None }, Ok(()));
        let ticket = checkpoint.ticket();
        let task = dispatch::start_alone(Box::new(checkpoint));
        ticket.into_iter().for_each(|ticket| add_task(ticket, &task));
    }
}

impl StoreWork for Upkeep {
    fn step(&mut self, file: &StoreFile, store: &mut Store, _: &Threads) -> Result<NextStep, Failure> {
        let failed = |error| file.failure(&error);
        let Some((_, left)) = &mut self.pages else {
            let all = if self.shrinks { store.free_pages().map_err(failed)? } else { 0 };
            self.pages = Some((all, all));
            return Ok(NextStep::Blocking);
        };
        if !self.shrinks {
            store.checkpoint();
            return Ok(NextStep::Done);
        }
        *left = store.shrink().map_err(failed)?;
        Ok(if *left == 0 { NextStep::Done } else { NextStep::Blocking })
    }

    fn progress(&self) -> f32 {
        self.pages.map_or(0.0, |(all, left)| (all - left) as f32 / all.max(1) as f32)
    }

    fn outcome(&mut self, result: Result<(), Failure>) -> Outcome<Slot> {
        Outcome::of_code(result.map(|()| Outcome::new(EngineError::OK, Vec::new()))).into_slot()
    }
}
