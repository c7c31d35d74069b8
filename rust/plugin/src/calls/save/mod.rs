//! Saves values to a file. The old file stays in place until the new one is complete. Or appends them to it: the same
//! job, after it has waited for the earlier calls that write this file.

mod called;
mod commit;
mod target;

use std::io;
use std::sync::Arc;

use godot::global::Error as EngineError;
use varbatch_codec::Borrowed;
use varbatch_storage::{Flushed, Saver, WRITE_LEN};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress};

use self::called::Called;
use self::commit::commit;
pub use self::commit::finish;
pub use self::target::{Asked, SaveTarget, to_append, to_save};
use super::encode::{FramePlans, Source, with_engine};
use super::files::{Contents, Failure};
use crate::jobs::job::{Job, Outcome, Product, WHOLE};
use crate::jobs::tuning::{FIRST_RUN, FLUSHED, MAX_ALONE, MAX_SHARED, PLANNED};
use crate::jobs::{pool, run};
use crate::report::Line;
use crate::value::walk::{Held, KeepWalked};

/// The message of a save or append that a later save of the same file overtook.
const OVERTAKEN: &str = "a later save of the same file replaced it";

/// The job that saves or appends values.
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
    /// The position among the calls that write this file. Dropped last, when what was written is gone or in place.
    called: Called,
}

enum Stage {
    /// An append waits until it is the first in line.
    Wait,
    Create,
    Write(Box<Saver>),
    Flush(Box<Saver>),
    Commit(Box<Flushed>),
    /// A later save of the same file replaced this one.
    Overtaken,
    Ended,
}

/// Saves or appends at once: the values are on the disk when this returns.
pub fn save(asked: Asked, contents: &Contents<'_>) -> Outcome {
    let (target, full_objects) = match asked {
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
    pub fn held(asked: Asked, contents: &Contents<'_>) -> Self {
        Self(asked.and_then(|(target, full_objects)| {
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
            stage: if target.appends { Stage::Wait } else { Stage::Create },
            total: 0,
            written: 0,
            unflushed: 0,
            warning: None,
            asks_engine: false,
            called: target.call(),
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
        let room = (PLANNED * threads.count()) as u64;
        self.count = (room * planned as u64 / self.plans.inline_len().max(1) as u64).min(MAX_SHARED as u64) as usize;
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
            Stage::Write(saver) | Stage::Flush(saver)
                if saver.is_overtaken(self.called.ticket()).map_err(not_written)? =>
            {
                Stage::Overtaken
            }
            Stage::Wait if self.called.is_first() => Stage::Create,
            Stage::Wait => Stage::Wait,
            Stage::Create if self.target.compression.is_some() && !self.plans.is_planned() => {
                match self.plan(threads)? {
                    true => Stage::Create,
                    false => Stage::Ended,
                }
            }
            Stage::Create => {
                self.target.check(&self.plans.reports)?;
                match self.target.begin(self.total as u64, &self.called)? {
                    Some(saver) => Stage::Write(Box::new(saver)),
                    None => Stage::Overtaken,
                }
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
            Stage::Commit(flushed) => match commit(&self.target, &self.called, *flushed)? {
                true => Stage::Ended,
                false => Stage::Overtaken,
            },
            ended @ (Stage::Overtaken | Stage::Ended) => ended,
        };
        Ok(match self.stage {
            Stage::Wait => NextStep::Parked,
            // It may have to read the lengths of many records.
            Stage::Create if self.target.appends => NextStep::Blocking,
            Stage::Create | Stage::Write(_) => NextStep::More,
            Stage::Flush(_) | Stage::Commit(_) => NextStep::Blocking,
            Stage::Overtaken | Stage::Ended => NextStep::Done,
        })
    }

    fn write(&mut self, mut saver: Box<Saver>, size: usize, threads: &Threads) -> io::Result<Stage> {
        let Some((plan, cursor)) = self.plans.current() else { return Ok(Stage::Write(saver)) };
        let len = saver.write(plan, cursor, WRITE_LEN, threads)?;
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
            Ok(Ok(NextStep::Done)) => {
                // A script may keep the task for long.
                self.0.iter().for_each(|saving| saving.called.end());
                NextStep::Done
            }
            Ok(Ok(step)) => step,
            Ok(Err(failure)) => {
                // This drops the saver, and with it what was written.
                self.0 = Err(failure);
                NextStep::Done
            }
            Err(_) => NextStep::Done,
        }
    }

    fn unblock(&mut self, threads: &Threads) {
        self.0.iter().for_each(|saving| saving.called.wait(threads));
    }

    fn line_number(&self) -> Option<u64> {
        self.0.as_ref().ok().map(|saving| saving.called.ticket().number())
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
