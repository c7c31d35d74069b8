//! Saves values and erases keys, all of it in one commit or nothing. Saves in the background that wait one behind the other share
//! a commit.

use std::sync::Arc;

use godot::builtin::{AnyArray, AnyDictionary, VarArray, Variant};
use godot::global::Error as EngineError;
use varbatch_codec::Borrowed;
use varbatch_storage::Ticket;
use varbatch_store::Store;
use varbatch_workers::Threads;
use varbatch_workers::tasks::NextStep;

use super::call::{StoreCall, StoreWork, Turn};
use super::changes::{At, Changes, Keys};
use super::queue::Queued;
use super::ranges::KeyBytes;
use super::{PARALLEL_FROM, StoreFile};
use crate::calls::encode::{Batch, Form, Plans};
use crate::calls::line::JOINED;
use crate::engine::{self, Slot};
use crate::jobs::pool;
use crate::jobs::task::{Job, STEP};
use crate::report::{Failure, Line, Outcome};

/// Saves that join another one at a time.
const BEHIND: usize = 16;

/// A flag, or what is said of another argument.
type Flag = Result<bool, String>;

/// What to save: nothing, if the arguments are invalid.
pub struct SaveRequest {
    file: Arc<StoreFile>,
    keys: Keys,
    batch: Batch,
    result: Result<(), Failure>,
}

impl SaveRequest {
    /// Reads the keys, and the properties of objects. Scripts may run.
    fn new(file: Arc<StoreFile>, saved: &AnyArray, values: AnyArray, erase: &AnyArray, full_objects: Flag) -> Self {
        let keys = |keys| file.keys_of(engine::values(keys));
        let is_full = *full_objects.as_ref().unwrap_or(&false);
        let read = || {
            full_objects.map_err(Failure::invalid)?;
            Ok(Keys { saved: keys(saved)?, erased: keys(erase)?, range: None })
        };
        let (keys, values, result) = match read() {
            Ok(keys) => (keys, values, Ok(())),
            Err(failure) => (Keys::default(), array(&[]), Err(failure)),
        };
        Self { file, keys, batch: Batch::of(values, is_full), result }
    }

    pub fn values(file: Arc<StoreFile>, values: &AnyDictionary, erase: &AnyArray, full_objects: Flag) -> Self {
        Self::new(file, &values.keys_array(), values.values_array(), erase, full_objects)
    }

    pub fn value(file: Arc<StoreFile>, key: &Variant, value: &Variant, full_objects: Flag) -> Self {
        Self::new(file, &array(&[key]), array(&[value]), &array(&[]), full_objects)
    }

    pub fn erase(file: Arc<StoreFile>, keys: &AnyArray) -> Self {
        Self::new(file, &array(&[]), array(&[]), keys, Ok(false))
    }

    pub fn erase_range(file: Arc<StoreFile>, range: Result<KeyBytes, Failure>) -> Self {
        let (range, result) = range.map_or_else(|failure| (None, Err(failure)), |range| (Some(range), Ok(())));
        let keys = Keys { range, ..Keys::default() };
        Self { file, keys, batch: Batch::of(array(&[]), false), result }
    }

    pub fn at_once(self) -> Outcome<EngineError> {
        let Self { file, keys, batch, result } = self;
        let mut plans = Plans::<Borrowed>::new(&batch, Form::Bytes);
        let is_many = batch.values().len() >= PARALLEL_FROM;
        pool::with(is_many, |threads| plans.plan_next(usize::MAX, threads));
        let saved = result.and_then(|()| {
            let (changes, warning) = Changes::new(&file, keys, plans, &batch)?;
            let mut call = StoreCall::new(&file, Saving::new(Arc::new(changes), warning));
            pool::with(is_many, |threads| call.run(threads));
            let result = call.result.clone();
            Ok(call.work.end(result))
        });
        // Only now, when the call has left the file, is dropped what getters made: that may run scripts.
        Outcome::of_code(saved)
    }

    pub fn held(self) -> impl Job + 'static {
        let Self { file, keys, batch, result } = self;
        let changes = result.and_then(|()| Changes::new(&file, keys, Plans::held(&batch, Form::Bytes), &batch));
        // What getters made is dropped, which may run scripts, before the call has its position.
        drop(batch);
        match changes {
            Ok((changes, warning)) => {
                let turn = Turn::of(&file);
                let save = file.queue().add(turn.ticket.0.number(), changes);
                StoreCall::in_turn(Some(Saving::new(save, warning)), Ok(turn))
            }
            Err(failure) => StoreCall::in_turn(None, Err(failure)),
        }
    }
}

fn array(values: &[&Variant]) -> AnyArray {
    values.iter().copied().cloned().collect::<VarArray>().upcast_any_array()
}

/// A save that others may join, or not.
pub trait Joinable: Sized + Send {
    type Keep: Sync;

    fn changes(&self) -> &Changes<'_, Self::Keep>;

    /// Returns some saves that wait right behind this one, if they may be in the same commit.
    fn behind(&self, _file: &StoreFile) -> Vec<Self> {
        Vec::new()
    }

    /// Returns false if one of them was cancelled.
    fn commit(_saves: &[Self], _file: &StoreFile) -> bool {
        true
    }

    /// They could not be saved together.
    fn part(_saves: &[Self], _file: &StoreFile) {}

    fn end(_saves: &[Self], _file: &StoreFile, _result: &Result<(), Failure>) {}

    fn end_by_other(&self) -> Option<Result<(), Failure>> {
        None
    }

    /// Cancels it if it waits. Returns false if another one has committed it, or is about to.
    fn cancel(&self, _file: &StoreFile) -> bool {
        true
    }

    /// Forgets one that has ended or was cancelled.
    fn remove(&self, _file: &StoreFile) {}
}

impl<'p> Joinable for Arc<Changes<'p, Borrowed>> {
    type Keep = Borrowed;

    fn changes(&self) -> &Changes<'_, Borrowed> {
        self
    }
}

impl Joinable for Arc<Queued> {
    type Keep = crate::value::walk::Held;

    fn changes(&self) -> &Changes<'_, Self::Keep> {
        &self.changes
    }

    fn behind(&self, file: &StoreFile) -> Vec<Self> {
        let behind = Ticket::behind(self.ticket, BEHIND);
        let queue = file.queue();
        let waiting = behind.into_iter().map_while(|ticket| queue.waiting(ticket));
        waiting.take_while(|_| self.ticket > queue.alone_to).collect()
    }

    fn commit(saves: &[Self], file: &StoreFile) -> bool {
        let _queue = file.queue();
        Queued::commit(saves)
    }

    fn part(saves: &[Self], file: &StoreFile) {
        let mut queue = file.queue();
        Queued::wait(saves);
        queue.alone_to = saves.last().map_or(0, |save| save.ticket);
    }

    fn end(saves: &[Self], file: &StoreFile, result: &Result<(), Failure>) {
        file.end_queued(saves, result);
    }

    fn end_by_other(&self) -> Option<Result<(), Failure>> {
        Queued::end(self)
    }

    fn cancel(&self, file: &StoreFile) -> bool {
        file.queue().cancel(self);
        !self.is_committed()
    }

    fn remove(&self, file: &StoreFile) {
        file.remove_queued(std::slice::from_ref(self));
    }
}

enum Stage {
    Begin,
    Make,
    Commit,
    Ended,
}

struct Saving<J> {
    /// The save of this call, and those that joined it.
    saves: Vec<J>,
    /// Which of them is made, where, and how many bytes all have so far.
    next: usize,
    at: At,
    len: usize,
    stage: Stage,
    count: usize,
    warning: Option<Line>,
}

impl<J: Joinable> Saving<J> {
    fn new(save: J, warning: Option<Line>) -> Self {
        let count = save.changes().saved.len();
        Self { saves: vec![save], next: 0, at: At::Range, len: 0, stage: Stage::Begin, count, warning }
    }

    /// Returns to the start, alone.
    fn begin_again(&mut self, turn: &Turn) -> Result<NextStep, Failure> {
        turn.file.act(Store::roll_back)?;
        self.saves.truncate(1);
        (self.next, self.at, self.len, self.stage) = (0, At::Range, 0, Stage::Begin);
        Ok(NextStep::More)
    }

    fn step_of_all(&mut self, turn: &Turn, threads: &Threads) -> Result<NextStep, Failure> {
        let file = &*turn.file;
        match self.stage {
            Stage::Begin => {
                file.with(|store| store.begin().map_err(|error| file.failure(&error)))?;
                self.stage = Stage::Make;
                Ok(NextStep::More)
            }
            Stage::Make => {
                // All saves that are short, as each step takes its time.
                let enough = self.len + STEP;
                file.with(|store| {
                    while self.len < enough && self.next < self.saves.len() {
                        let save = &self.saves[self.next];
                        self.len += 1 + save.changes().make_some(&mut self.at, file, store, threads)?;
                        if self.at == At::End {
                            let is_last = self.next + 1 == self.saves.len();
                            let behind = if is_last { save.behind(file) } else { Vec::new() };
                            self.saves.extend(behind);
                            (self.next, self.at) = (self.next + 1, At::Range);
                            if self.len >= JOINED {
                                self.saves.truncate(self.next);
                            }
                        }
                    }
                    Ok(())
                })?;
                if self.next < self.saves.len() {
                    return Ok(NextStep::More);
                }
                self.stage = Stage::Commit;
                // Waits for the disk.
                Ok(NextStep::Blocking)
            }
            Stage::Commit => {
                if !J::commit(&self.saves, file) {
                    return self.begin_again(turn);
                }
                file.with(|store| store.commit().map_err(|error| file.failure(&error)))?;
                self.stage = Stage::Ended;
                engine::keep(&file.path);
                J::end(&self.saves, file, &Ok(()));
                Ok(NextStep::Done)
            }
            Stage::Ended => Ok(NextStep::Done),
        }
    }

    fn end(&mut self, result: Result<(), Failure>) -> Outcome<EngineError> {
        let saved = |()| Outcome::new(EngineError::OK, self.warning.take().into_iter().collect());
        Outcome::of_code(result.map(saved))
    }
}

impl<J: Joinable> StoreWork for Saving<J> {
    const COMPLETES: bool = true;

    fn step(&mut self, turn: &Turn, threads: &Threads) -> Result<NextStep, Failure> {
        match self.step_of_all(turn, threads) {
            Err(_) if self.saves.len() > 1 => {
                // One of them may be at fault, and the others must not fail with it.
                J::part(&self.saves, &turn.file);
                self.begin_again(turn)
            }
            Err(failure) => {
                self.take_back(turn);
                J::end(&self.saves[..1], &turn.file, &Err(failure.clone()));
                Err(failure)
            }
            step => step,
        }
    }

    fn end_by_other(&self) -> Option<Result<(), Failure>> {
        self.saves[0].end_by_other()
    }

    fn is_committed(&self, turn: &Turn) -> bool {
        !self.saves[0].cancel(&turn.file)
    }

    fn take_back(&mut self, turn: &Turn) {
        if matches!(self.stage, Stage::Make | Stage::Commit) {
            self.stage = Stage::Ended;
            // It may be closed.
            let _ = turn.file.act(Store::roll_back);
        }
        self.saves[0].cancel(&turn.file);
        self.saves[0].remove(&turn.file);
        // The values are not needed any more.
        self.saves.truncate(1);
    }

    /// The last tenth is the commit.
    fn progress(&self) -> f32 {
        let done = match self.at {
            At::Saved(at) if self.next == 0 => at,
            _ if self.next > 0 => self.count,
            _ => 0,
        };
        0.9 * done as f32 / self.count.max(1) as f32
    }

    fn outcome(&mut self, result: Result<(), Failure>) -> Outcome<Slot> {
        self.end(result).into_slot()
    }
}
