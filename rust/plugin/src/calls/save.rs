//! Values to a file, which is the old one until the new one is complete.

use std::io;
use std::path::PathBuf;

use godot::builtin::{AnyArray, GString};
use godot::global::Error as EngineError;
use varbatch_codec::{Borrowed, Cursor, Plan};
use varbatch_storage::compressed::Compression;
use varbatch_storage::{Committed, Flushed, Saver, Ticket};
use varbatch_workers::Threads;
use varbatch_workers::tasks::NextStep;

use super::files::{Failure, compression, open_code};
use crate::calls::encode::{CONTAINERS_PARALLEL_FROM, Form, Run, into_plans, plan_runs, slices, with_engine};
use crate::calls::filing;
use crate::engine::{self, Value};
use crate::jobs::pool;
use crate::report::{Line, Reports};
use crate::value::walk::{Lost, mostly_containers};

/// Bytes that are written at a time.
const PIECE: usize = 1 << 20;

/// What is known of values that wait to be written takes about so many bytes, for each thread that plans them.
const PLANNED: usize = 1 << 20;

/// Values that are planned at a time: at first, and at most, by one thread or several.
const FIRST_RUN: usize = 16;
const MOST_ALONE: usize = 500;
const MOST_SHARED: usize = 100_000;

/// Where values are saved, and how, by one call.
pub struct Target {
    path: PathBuf,
    /// As the caller wrote it.
    shown: String,
    pub compression: Option<Compression>,
    /// When the call came.
    called: Ticket,
    /// Whether values have an index.
    is_batch: bool,
}

impl Target {
    /// A file at a path as Godot writes it, compressed as `FileAccess` numbers it.
    ///
    /// # Errors
    /// If that is no compression that is served.
    pub fn new(path: &GString, compression_mode: i64) -> Result<Self, Failure> {
        let (called, mut at) = (Ticket::take(), engine::globalize(path));
        // Now: the engine changes the current folder for moments, and a task would ask later.
        if at.is_relative() {
            at = std::path::absolute(&at).unwrap_or(at);
        }
        let shown = path.to_string();
        let mut target = Self { path: at, shown, compression: None, called, is_batch: true };
        target.compression =
            compression(compression_mode).map_err(|why| target.failure(EngineError::ERR_INVALID_PARAMETER, &why))?;
        Ok(target)
    }

    /// The same for one value, of which nobody counts the index.
    pub fn of_one(self) -> Self {
        Self { is_batch: false, ..self }
    }

    pub fn create(&self, total: u64) -> Result<Saver, Failure> {
        let compressed = self.compression.map(|compression| (compression, total));
        Saver::create(&self.path, compressed).map_err(|error| self.failure(open_code(&error), &error))
    }

    pub fn not_written(&self, error: &io::Error) -> Failure {
        self.failure(EngineError::ERR_FILE_CANT_WRITE, error)
    }

    fn failure(&self, code: EngineError, why: &dyn std::fmt::Display) -> Failure {
        Failure::new(code, format!("cannot save \"{}\": {why}", self.shown))
    }

    /// What the first value that cannot be saved makes of it all.
    pub fn check(&self, reports: &Reports) -> Result<(), Failure> {
        let Some((index, report)) = reports.first_error() else { return Ok(()) };
        let text = if self.is_batch { format!("value {index}: {report}") } else { report.to_string() };
        Err(self.failure(EngineError::ERR_INVALID_DATA, &text))
    }

    /// What is said of a save that is not all that it was meant to be.
    pub fn warning(&self, lost: &Lost) -> Line {
        Line::warning(format_args!("\"{}\": {}", self.shown, lost.text(self.is_batch)))
    }
}

/// Saves values, and returns when they are on the disk, with what there is to say about it.
///
/// # Errors
/// If a value cannot be encoded, or the file not be written. The old one is as it was then.
pub fn save(target: &Target, values: &AnyArray, full_objects: bool) -> Result<Option<Line>, Failure> {
    let (result, _) = with_engine(values, full_objects, |values, encoded, reports| {
        let encoded = slices(encoded);
        let is_shared = values.len() >= CONTAINERS_PARALLEL_FROM && mostly_containers(values);
        let saved = pool::with(is_shared || target.compression.is_some(), |threads| {
            // The head of a compressed file says how long it is.
            match target.compression {
                Some(_) => save_planned(target, values, &encoded, full_objects, reports, threads),
                None if is_shared => stream(target, values, &encoded, full_objects, reports, threads),
                None => stream(target, values, &encoded, full_objects, reports, &Threads::alone()),
            }
        })?;
        Some(saved.map(|is_lossy| Lost::of(values, &encoded, is_lossy).map(|lost| target.warning(&lost))))
    });
    result
}

/// Whether something may be lost of what was written, or why nothing was; `None` as [`Run::plan`].
type Saved = Option<Result<bool, Failure>>;

/// Plans all values before the first is written.
fn save_planned(
    target: &Target,
    values: &[Value],
    encoded: &[(usize, &[u8])],
    full_objects: bool,
    reports: &mut Reports,
    threads: &Threads,
) -> Saved {
    let mut runs: Vec<Run<'_, Borrowed>> = plan_runs(values, 0, encoded, full_objects, Form::Frames, threads)?;
    for run in &mut runs {
        reports.append(&mut run.reports);
    }
    let is_lossy = runs.iter().any(Run::is_lossy);
    let plans = into_plans(runs);
    Some(target.check(reports).and_then(|()| {
        let total = plans.iter().map(Plan::len).sum::<usize>();
        let mut saver = target.create(total as u64)?;
        for plan in &plans {
            write(target, &mut saver, plan, threads)?;
        }
        finish(target, saver, threads)?;
        Ok(is_lossy)
    }))
}

/// Plans and writes some values at a time, so that what is planned stays small.
fn stream(
    target: &Target,
    values: &[Value],
    encoded: &[(usize, &[u8])],
    full_objects: bool,
    reports: &mut Reports,
    threads: &Threads,
) -> Saved {
    if let Err(failure) = target.check(reports) {
        return Some(Err(failure));
    }
    let mut saver = match target.create(0) {
        Ok(saver) => saver,
        Err(failure) => return Some(Err(failure)),
    };
    let most = if threads.count() == 1 { MOST_ALONE } else { MOST_SHARED };
    let mut alone = Run::<Borrowed>::new(full_objects, true);
    let (mut done, mut count, mut is_lossy) = (0, FIRST_RUN * threads.count(), false);
    while done < values.len() {
        let some = &values[done..values.len().min(done + count)];
        let mut planned = 0;
        let mut write_run = |run: &mut Run<'_, Borrowed>| {
            planned += run.writer.inline_len();
            is_lossy |= run.is_lossy();
            reports.append(&mut run.reports);
            target.check(reports).and_then(|()| write(target, &mut saver, run.writer.plan(), threads))
        };
        let written = if threads.count() == 1 {
            alone.plan(some, done, encoded, Form::Frames)?;
            write_run(&mut alone)
        } else {
            let mut runs = plan_runs(some, done, encoded, full_objects, Form::Frames, threads)?;
            runs.iter_mut().try_for_each(&mut write_run)
        };
        if let Err(failure) = written {
            return Some(Err(failure));
        }
        done += some.len();
        count = (PLANNED * threads.count() * some.len() / planned.max(1)).clamp(1, most);
    }
    Some(finish(target, saver, threads).map(|()| is_lossy))
}

fn write(target: &Target, saver: &mut Saver, plan: &Plan<'_>, threads: &Threads) -> Result<(), Failure> {
    let mut cursor = Cursor::new();
    while saver.write(plan, &mut cursor, PIECE, threads).map_err(|error| target.not_written(&error))? > 0 {}
    Ok(())
}

/// Flushes a file and puts it in its place.
pub fn finish(target: &Target, saver: Saver, threads: &Threads) -> Result<(), Failure> {
    let flushed = saver.flush(threads).map_err(|error| target.not_written(&error))?;
    commit(target, flushed).map(|_| ())
}

/// Puts a file in its place, unless a later save is there: whether it did.
fn commit(target: &Target, flushed: Flushed) -> Result<bool, Failure> {
    match flushed.commit_as(&target.called).map_err(|error| target.not_written(&error))? {
        Committed::InPlace(replaced) => {
            filing::dispose(replaced);
            Ok(true)
        }
        Committed::Overtaken => Ok(false),
    }
}

/// Bytes after which a file is flushed while it is written, where the flush at the end would hold up the game.
const FLUSHED: usize = 4 << 20;

/// A file that is saved step by step.
pub struct Saving {
    target: Target,
    /// What is not written yet, the next one last.
    plans: Vec<Plan<'static>>,
    cursor: Cursor,
    stage: Stage,
    total: usize,
    written: usize,
    /// Bytes that wait to be flushed.
    unflushed: usize,
}

enum Stage {
    Create,
    Write(Box<Saver>),
    Flush(Box<Saver>),
    Commit(Box<Flushed>),
    /// A later save is in its place.
    Overtaken,
    Ended,
}

impl Saving {
    /// Saves what was planned.
    pub fn new(target: Target, mut plans: Vec<Plan<'static>>) -> Self {
        let total = plans.iter().map(Plan::len).sum();
        plans.reverse();
        Self { target, plans, cursor: Cursor::new(), stage: Stage::Create, total, written: 0, unflushed: 0 }
    }

    /// Does a part of the work.
    ///
    /// # Errors
    /// If the file cannot be written. It can only be dropped then.
    pub fn step(&mut self, threads: &Threads) -> Result<NextStep, Failure> {
        let stage = std::mem::replace(&mut self.stage, Stage::Ended);
        self.stage = match stage {
            // What nobody will see need not be written.
            Stage::Write(saver) | Stage::Flush(saver) if saver.is_overtaken(&self.target.called) => Stage::Overtaken,
            Stage::Create => Stage::Write(Box::new(self.target.create(self.total as u64)?)),
            Stage::Write(saver) => self.write(saver, threads).map_err(|error| self.target.not_written(&error))?,
            Stage::Flush(saver) => {
                let flushed = saver.flush(threads).map_err(|error| self.target.not_written(&error))?;
                Stage::Commit(Box::new(flushed))
            }
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

    fn write(&mut self, mut saver: Box<Saver>, threads: &Threads) -> io::Result<Stage> {
        let Some(plan) = self.plans.last() else { return Ok(Stage::Flush(saver)) };
        let len = saver.write(plan, &mut self.cursor, PIECE, threads)?;
        self.written += len;
        self.unflushed += len;
        if len == 0 {
            self.plans.pop();
            self.cursor = Cursor::new();
        } else if threads.count() == 1 && self.unflushed >= FLUSHED {
            self.unflushed = 0;
            saver.flush_written()?;
        }
        Ok(Stage::Write(saver))
    }

    /// Whether it was dropped, as a later save was in its place.
    pub fn is_overtaken(&self) -> bool {
        matches!(self.stage, Stage::Overtaken)
    }

    /// How much is done, from 0 to 1. The last part is the flush.
    pub fn progress(&self) -> f32 {
        const WRITING: f32 = 0.9;
        WRITING * self.written as f32 / self.total.max(1) as f32
    }
}
