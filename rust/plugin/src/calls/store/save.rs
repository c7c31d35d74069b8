//! Saves values and erases keys, in one commit: all of it or nothing.

use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use godot::builtin::{AnyArray, AnyDictionary, VarArray, Variant};
use godot::global::Error as EngineError;
use varbatch_codec::Borrowed;
use varbatch_codec::fill::to_vec;
use varbatch_store::{Packed, Store};
use varbatch_workers::Threads;
use varbatch_workers::tasks::NextStep;

use super::{PARALLEL_FROM, StoreCall, StoreFile, StoreWork, shown};
use crate::calls::encode::{Batch, Form, Plans};
use crate::engine::{self, Slot};
use crate::jobs::pool;
use crate::jobs::task::{Job, STEP};
use crate::report::{Failure, Line, Outcome};
use crate::value::walk::KeepWalked;

/// What to save: nothing, if the arguments are invalid.
pub struct SaveRequest {
    file: Arc<StoreFile>,
    keys: Keys,
    batch: Batch,
    result: Result<(), Failure>,
}

/// The keys of the values, and those to erase.
#[derive(Default)]
struct Keys {
    saved: Vec<Vec<u8>>,
    erased: Vec<Vec<u8>>,
    erases_all: bool,
}

impl SaveRequest {
    /// Reads the keys, and the properties of objects. Scripts may run.
    fn new(file: Arc<StoreFile>, saved: &AnyArray, values: AnyArray, erase: &AnyArray, full_objects: bool) -> Self {
        let keys = |keys| file.keys_of(engine::values(keys));
        let read = || Ok(Keys { saved: keys(saved)?, erased: keys(erase)?, erases_all: false });
        let (keys, values, result) = match read() {
            Ok(keys) => (keys, values, Ok(())),
            Err(failure) => (Keys::default(), array(&[]), Err(failure)),
        };
        Self { file, keys, batch: Batch::of(values, full_objects), result }
    }

    pub fn values(file: Arc<StoreFile>, values: &AnyDictionary, erase: &AnyArray, full_objects: bool) -> Self {
        Self::new(file, &values.keys_array(), values.values_array(), erase, full_objects)
    }

    pub fn value(file: Arc<StoreFile>, key: &Variant, value: &Variant, full_objects: bool) -> Self {
        Self::new(file, &array(&[key]), array(&[value]), &array(&[]), full_objects)
    }

    pub fn erase(file: Arc<StoreFile>, keys: &AnyArray) -> Self {
        Self::new(file, &array(&[]), array(&[]), keys, false)
    }

    pub fn erase_all(file: Arc<StoreFile>) -> Self {
        Self { keys: Keys { erases_all: true, ..Keys::default() }, ..Self::erase(file, &array(&[])) }
    }

    pub fn at_once(self) -> Outcome<EngineError> {
        let plans = Plans::<Borrowed>::new(&self.batch, Form::Bytes);
        let mut call = StoreCall::new(&self.file, Saving::new(self.keys, plans), self.result);
        pool::with(self.batch.values().len() >= PARALLEL_FROM, |threads| call.run(threads));
        call.work.note_lost(&self.file, &self.batch);
        call.work.end(call.result.clone())
    }

    pub fn held(self) -> impl Job + 'static {
        let mut saving = Saving::new(self.keys, Plans::held(&self.batch, Form::Bytes));
        saving.note_lost(&self.file, &self.batch);
        StoreCall::new(&self.file, saving, self.result)
    }
}

fn array(values: &[&Variant]) -> AnyArray {
    values.iter().copied().cloned().collect::<VarArray>().upcast_any_array()
}

enum Stage {
    Begin,
    Put,
    Commit,
    Saved,
}

struct Saving<'p, K> {
    keys: Keys,
    plans: Plans<'p, K>,
    /// How many values are saved, and how many of them in the current run.
    saved: usize,
    at: usize,
    stage: Stage,
    /// The thread that flushes what is written, while more is.
    flush: Option<JoinHandle<()>>,
    warning: Option<Line>,
}

impl<'p, K: KeepWalked<'p, 'p>> Saving<'p, K> {
    fn new(keys: Keys, plans: Plans<'p, K>) -> Self {
        Self { keys, plans, saved: 0, at: 0, stage: Stage::Begin, flush: None, warning: None }
    }

    fn check(&self, file: &StoreFile) -> Result<(), Failure> {
        let Some((index, report)) = self.plans.reports.first_error() else { return Ok(()) };
        let text = file.text(format_args!("{}: {report}", shown(&self.keys.saved[index])));
        Err(Failure::new(EngineError::ERR_INVALID_DATA, text))
    }

    /// Packs and saves the next values. Returns false if there are no more.
    fn put_some(&mut self, file: &StoreFile, store: &mut Store, threads: &Threads) -> Result<bool, Failure> {
        let Some(run) = self.plans.run() else {
            if self.plans.is_planned() {
                return Ok(false);
            }
            self.plans.plan_some(threads);
            return self.check(file).map(|()| true);
        };
        let mut len = 0;
        let some = run.parts(self.at).zip(&self.keys.saved[self.saved..]).take_while(|(part, _)| {
            let is_next = len < STEP;
            len += part.len();
            is_next
        });
        let packed = threads.map(some, |(part, key)| (key, Packed::new(key, to_vec(part), file.compresses)));
        for (key, value) in &packed {
            store.put(key, value).map_err(|error| file.failure_of(&error, key))?;
        }
        let count = packed.len();
        if let Some(written) = store.to_flush() {
            self.end_flush();
            // Without a thread for it, the commit takes longer.
            self.flush = Builder::new().name("varbatch-flush".to_owned()).spawn(move || written.flush()).ok();
        }
        self.saved += count;
        self.at += count;
        if count == 0 {
            self.at = 0;
            self.plans.advance();
        }
        Ok(true)
    }

    fn end_flush(&mut self) {
        self.flush.take().into_iter().for_each(|flush| _ = flush.join());
    }

    fn note_lost(&mut self, file: &StoreFile, batch: &Batch) {
        let text = |index: usize| shown(&self.keys.saved[index]);
        self.warning = batch.lost(self.plans.is_lossy).map(|lost| Line::warning(file.text(lost.text(Some(&text)))));
    }

    fn end(&mut self, result: Result<(), Failure>) -> Outcome<EngineError> {
        let saved = |()| Outcome::new(EngineError::OK, self.warning.take().into_iter().collect());
        Outcome::of_code(result.map(saved))
    }
}

impl<'p, K: KeepWalked<'p, 'p>> StoreWork for Saving<'p, K> {
    const COMPLETES: bool = true;

    fn step(&mut self, file: &StoreFile, store: &mut Store, threads: &Threads) -> Result<NextStep, Failure> {
        let failed = |error| file.failure(&error);
        Ok(match self.stage {
            Stage::Begin => {
                self.check(file)?;
                self.stage = Stage::Put;
                store.begin().map_err(failed)?;
                if self.keys.erases_all {
                    store.erase_all().map_err(failed)?;
                }
                self.keys.erased.iter().try_for_each(|key| store.erase(key).map_err(failed))?;
                NextStep::More
            }
            Stage::Put => {
                if self.put_some(file, store, threads)? {
                    return Ok(NextStep::More);
                }
                self.stage = Stage::Commit;
                // Waits for the disk.
                NextStep::Blocking
            }
            Stage::Commit => {
                self.end_flush();
                store.commit().map_err(failed)?;
                self.stage = Stage::Saved;
                engine::keep(&file.path);
                NextStep::Done
            }
            Stage::Saved => NextStep::Done,
        })
    }

    fn take_back(&mut self, store: &mut Store) {
        self.end_flush();
        if matches!(self.stage, Stage::Put | Stage::Commit) {
            store.roll_back();
        }
    }

    /// The last tenth is the commit.
    fn progress(&self) -> f32 {
        0.9 * self.saved as f32 / self.keys.saved.len().max(1) as f32
    }

    fn outcome(&mut self, result: Result<(), Failure>) -> Outcome<Slot> {
        self.end(result).into_slot()
    }
}
