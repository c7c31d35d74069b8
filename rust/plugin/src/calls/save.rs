//! Saves values to a file. The old file stays in place until the new one is complete.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use godot::builtin::GString;
use godot::global::Error as EngineError;
use varbatch_codec::Borrowed;
use varbatch_storage::compressed::Compression;
use varbatch_storage::{Committed, Flushed, Replaced, Saver, Ticket};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress};

use super::encode::{FramePlans, Source, with_engine};
use super::files::{Contents, Failure, compression, open_code};
use crate::engine::{self, FlagArg};
use crate::jobs::job::{AnyJob, Job, Outcome, Product, WHOLE};
use crate::jobs::tuning::{FIRST_RUN, FLUSHED, MAX_ALONE, MAX_SHARED, PLANNED, SLOW_TO_FREE, WRITTEN};
use crate::jobs::{dispatch, pool, run};
use crate::report::{Line, Reports};
use crate::value::walk::{Held, KeepWalked, Lost};

/// The message of a save that a later save of the same file overtook.
const OVERTAKEN: &str = "a later save of the same file replaced it";

/// The file that a call saves to.
pub struct SaveTarget {
    path: PathBuf,
    /// The path as the caller wrote it.
    shown: String,
    pub compression: Option<Compression>,
    /// Orders the calls that save to the same file.
    called: Ticket,
    /// True if messages name the index of a value.
    is_batch: bool,
}

impl SaveTarget {
    /// The file at a Godot path, with a compression mode of `FileAccess`.
    ///
    /// # Errors
    /// If the mode does not exist, or cannot be written.
    pub fn new(path: &GString, compression_mode: i64) -> Result<Self, Failure> {
        let (called, mut at) = (Ticket::take(), engine::globalize(path));
        // Resolve it now: the engine changes the current folder temporarily, and a task would ask later.
        if at.is_relative() {
            at = std::path::absolute(&at).unwrap_or(at);
        }
        let shown = path.to_string();
        let mut target = Self { path: at, shown, compression: None, called, is_batch: true };
        target.compression =
            compression(compression_mode).map_err(|why| target.failure(EngineError::ERR_INVALID_PARAMETER, &why))?;
        Ok(target)
    }

    /// Omits the index from messages, for a call that saves one value.
    pub fn of_one(self) -> Self {
        Self { is_batch: false, ..self }
    }

    pub fn create(&self, total: u64) -> Result<Saver, Failure> {
        let compressed = self.compression.map(|compression| (compression, total));
        Saver::create(&self.path, compressed).map_err(|error| self.failure(open_code(&error), &error))
    }

    pub fn not_written(&self, error: &io::Error) -> Failure {
        let code = match error.kind() {
            // Only Windows cannot replace an open file.
            io::ErrorKind::ResourceBusy => EngineError::ERR_FILE_ALREADY_IN_USE,
            _ => EngineError::ERR_FILE_CANT_WRITE,
        };
        self.failure(code, error)
    }

    fn failure(&self, code: EngineError, why: &dyn std::fmt::Display) -> Failure {
        Failure::new(code, format!("cannot save \"{}\": {why}", self.shown))
    }

    /// Returns an error if a value cannot be saved.
    fn check(&self, reports: &Reports) -> Result<(), Failure> {
        let Some((index, report)) = reports.first_error() else { return Ok(()) };
        let text = if self.is_batch { format!("value {index}: {report}") } else { report.to_string() };
        Err(self.failure(EngineError::ERR_INVALID_DATA, &text))
    }

    /// Returns the warning about values that are lost in a save.
    fn warning(&self, lost: &Lost) -> Line {
        Line::warning(format_args!("\"{}\": {}", self.shown, lost.text(self.is_batch)))
    }
}

/// Checks the arguments of a save. Returns the file, and true if objects are saved in full.
///
/// # Errors
/// If an argument is invalid.
fn to_save(
    path: &GString,
    contents: &Contents<'_>,
    full_objects: FlagArg,
    compression_mode: i64,
) -> Result<(SaveTarget, bool), Failure> {
    let full_objects = full_objects.flag("full_objects").map_err(|why| {
        let why = format!("cannot save \"{path}\": {why}; the compression mode is the fourth argument");
        Failure::new(EngineError::ERR_INVALID_PARAMETER, why)
    })?;
    let target = SaveTarget::new(path, compression_mode)?;
    let target = if let Contents::One(_) = contents { target.of_one() } else { target };
    Ok((target, full_objects))
}

/// The job that saves values.
pub struct Save<'p, K>(Result<Saving<'p, K>, Failure>);

/// A file that is being saved, step by step.
struct Saving<'p, K> {
    target: Arc<SaveTarget>,
    values: Source<'p>,
    plans: FramePlans<'p, K>,
    is_shared: bool,
    /// Values to plan next.
    count: usize,
    stage: Stage,
    /// Uncompressed bytes of the file, known once all values are planned.
    total: usize,
    written: usize,
    /// Bytes written since the last flush.
    unflushed: usize,
    /// The warning to print if the save succeeds.
    warning: Option<Line>,
    asks_engine: bool,
}

enum Stage {
    Create,
    Write(Box<Saver>),
    Flush(Box<Saver>),
    Commit(Box<Flushed>),
    /// A later save of the same file replaced this one.
    Overtaken,
    Ended,
}

/// Saves at once: the values are on the disk when this returns.
pub fn save(path: &GString, contents: &Contents<'_>, full_objects: FlagArg, compression_mode: i64) -> Outcome {
    let (target, full_objects) = match to_save(path, contents, full_objects, compression_mode) {
        Ok((target, full_objects)) => (Arc::new(target), full_objects),
        Err(failure) => return Save::<Borrowed>(Err(failure)).outcome(),
    };
    with_engine(&contents.values(), full_objects, |values, reports| {
        let plans = FramePlans::new(values, full_objects, reports);
        let mut job = Save::<Borrowed>(Ok(Saving::new(&target, values, plans)));
        run::finish(&mut job);
        (!job.0.as_ref().is_ok_and(|saving| saving.asks_engine)).then(|| job.outcome())
    })
}

impl Save<'static, Held> {
    /// Plans all values, so that they may be changed or dropped afterwards.
    pub fn held(path: &GString, contents: &Contents<'_>, full_objects: FlagArg, compression_mode: i64) -> Self {
        let target = to_save(path, contents, full_objects, compression_mode);
        Self(target.and_then(|(target, full_objects)| {
            let target = Arc::new(target);
            with_engine(&contents.values(), full_objects, |values, reports| {
                let mut plans = FramePlans::new(Source::EMPTY, full_objects, reports);
                pool::with(values.is_shared_if_held(), |threads| plans.plan(values, threads))?;
                let checked = target.check(&plans.reports);
                Some(checked.map(|()| {
                    let mut saving = Saving::new(&target, Source::EMPTY, plans);
                    saving.planned(values);
                    saving
                }))
            })
        }))
    }
}

impl<'p, K> Saving<'p, K> {
    fn new(target: &Arc<SaveTarget>, values: Source<'p>, plans: FramePlans<'p, K>) -> Self {
        Self {
            target: Arc::clone(target),
            values,
            plans,
            is_shared: values.is_shared(),
            count: 0,
            stage: Stage::Create,
            total: 0,
            written: 0,
            unflushed: 0,
            warning: None,
            asks_engine: false,
        }
    }

    /// Records that all values were planned.
    fn planned(&mut self, values: Source<'_>) {
        self.total = self.written + self.plans.len();
        self.warning = values.lost(self.plans.is_lossy).map(|lost| self.target.warning(&lost));
    }

    /// Plans the next values. Returns false if one needs the engine to encode it.
    fn plan(&mut self, threads: &Threads) -> Result<bool, Failure>
    where
        K: KeepWalked<'p, 'p>,
    {
        let before = self.plans.count();
        let count = match self.target.compression {
            // The header of a compressed file needs the total length.
            Some(_) => usize::MAX,
            None if before == 0 => FIRST_RUN * threads.count(),
            None => self.count.clamp(1, if self.is_shared { MAX_SHARED } else { MAX_ALONE }),
        };
        if self.plans.plan_next(count, threads).is_none() {
            self.asks_engine = true;
            return Ok(false);
        }
        self.target.check(&self.plans.reports)?;
        // As many as fill the memory for plans, if the next values are like these.
        let planned = self.plans.count() - before;
        self.count = PLANNED * threads.count() * planned / self.plans.inline_len().max(1);
        if self.plans.is_planned() {
            self.planned(self.values);
        }
        Ok(true)
    }

    /// Does the next step of the work.
    ///
    /// # Errors
    /// If a value cannot be encoded, or the file cannot be written. After that, `self` can only be dropped.
    fn step(&mut self, size: usize, threads: &Threads) -> Result<NextStep, Failure>
    where
        K: KeepWalked<'p, 'p>,
    {
        let target = Arc::clone(&self.target);
        let not_written = |error| target.not_written(&error);
        let stage = std::mem::replace(&mut self.stage, Stage::Ended);
        self.stage = match stage {
            // A later save already replaced the file, so this one need not be written.
            Stage::Write(saver) | Stage::Flush(saver) if saver.is_overtaken(&self.target.called) => Stage::Overtaken,
            Stage::Create if self.target.compression.is_some() && !self.plans.is_planned() => {
                match self.plan(threads)? {
                    true => Stage::Create,
                    false => Stage::Ended,
                }
            }
            Stage::Create => {
                self.target.check(&self.plans.reports)?;
                Stage::Write(Box::new(self.target.create(self.total as u64)?))
            }
            Stage::Write(saver) if self.plans.current().is_some() => {
                self.write(saver, size, threads).map_err(not_written)?
            }
            Stage::Write(saver) if self.plans.is_planned() => Stage::Flush(saver),
            Stage::Write(saver) => match self.plan(threads)? {
                true => Stage::Write(saver),
                false => Stage::Ended,
            },
            Stage::Flush(saver) => Stage::Commit(Box::new(saver.flush(threads).map_err(not_written)?)),
            Stage::Commit(flushed) => match commit(&self.target, *flushed)? {
                true => Stage::Ended,
                false => Stage::Overtaken,
            },
            ended @ (Stage::Overtaken | Stage::Ended) => ended,
        };
        Ok(match self.stage {
            Stage::Create | Stage::Write(_) => NextStep::More,
            Stage::Flush(_) | Stage::Commit(_) => NextStep::Blocking,
            Stage::Overtaken | Stage::Ended => NextStep::Done,
        })
    }

    fn write(&mut self, mut saver: Box<Saver>, size: usize, threads: &Threads) -> io::Result<Stage> {
        let Some((plan, cursor)) = self.plans.current() else { return Ok(Stage::Write(saver)) };
        let len = saver.write(plan, cursor, WRITTEN, threads)?;
        self.written += len;
        self.unflushed += len;
        if len == 0 {
            self.plans.advance();
        } else if size != WHOLE && threads.count() == 1 && self.unflushed >= FLUSHED {
            self.unflushed = 0;
            saver.flush_written()?;
        }
        Ok(Stage::Write(saver))
    }
}

impl<'p, K> Job for Save<'p, K>
where
    K: KeepWalked<'p, 'p>,
{
    fn step(&mut self, size: usize, threads: &Threads, _: OnProgress<'_>) -> NextStep {
        match self.0.as_mut().map(|saving| saving.step(size, threads)) {
            Ok(Ok(step)) => step,
            Ok(Err(failure)) => {
                // This drops the saver, and with it what was written.
                self.0 = Err(failure);
                NextStep::Done
            }
            Err(_) => NextStep::Done,
        }
    }

    fn is_large(&self) -> bool {
        self.0.as_ref().is_ok_and(|saving| saving.is_shared || saving.target.compression.is_some())
    }

    /// The last tenth is the flush.
    fn progress(&self) -> f32 {
        const WRITING: f32 = 0.9;
        self.0.as_ref().map_or(0.0, |saving| WRITING * saving.written as f32 / saving.total.max(1) as f32)
    }

    /// A save must complete when the player closes the game.
    fn outlives_shut_down(&self) -> bool {
        true
    }

    fn outcome(&mut self) -> Outcome {
        match &mut self.0 {
            Ok(Saving { stage: Stage::Overtaken, .. }) => {
                Outcome::quiet(Product::Code(EngineError::OK), EngineError::OK, OVERTAKEN)
            }
            Ok(saving) => {
                let lines = saving.warning.take().into_iter().collect();
                Outcome::with_lines(Product::Code(EngineError::OK), lines, EngineError::OK)
            }
            Err(Failure { code, text }) => Outcome::failed(Product::Code(*code), *code, text),
        }
    }
}

/// Flushes a file and puts it in place.
pub fn finish(target: &SaveTarget, saver: Saver, threads: &Threads) -> Result<(), Failure> {
    let flushed = saver.flush(threads).map_err(|error| target.not_written(&error))?;
    commit(target, flushed).map(|_| ())
}

/// Puts a file in place, unless a later save already did. Returns true if this file is in place.
fn commit(target: &SaveTarget, flushed: Flushed) -> Result<bool, Failure> {
    match flushed.commit_as(&target.called).map_err(|error| target.not_written(&error))? {
        Committed::InPlace(replaced) => {
            engine::keep(&target.path);
            dispose(replaced);
            Ok(true)
        }
        Committed::Overtaken => Ok(false),
    }
}

/// Frees a replaced file; in the background if that takes long and there are worker threads.
fn dispose(replaced: Option<Replaced>) {
    let Some(file) = replaced.filter(|file| file.len() >= SLOW_TO_FREE) else { return };
    let threads = pool::threads();
    if threads.count() > 1 {
        pool::tasks().start(&threads, AnyJob(Box::new(Dispose { file: Some(file), has_begun: false })), |_, event| {
            dispatch::wake(event);
        });
    }
}

struct Dispose {
    file: Option<Replaced>,
    has_begun: bool,
}

impl Job for Dispose {
    fn step(&mut self, _: usize, _: &Threads, _: OnProgress<'_>) -> NextStep {
        if !std::mem::replace(&mut self.has_begun, true) {
            return NextStep::Blocking;
        }
        self.file = None;
        NextStep::Done
    }

    fn is_large(&self) -> bool {
        false
    }

    fn progress(&self) -> f32 {
        0.0
    }

    fn outcome(&mut self) -> Outcome {
        Outcome::quiet(Product::Code(EngineError::OK), EngineError::OK, "")
    }
}
