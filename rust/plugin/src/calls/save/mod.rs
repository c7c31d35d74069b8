//! Saves values to a file. The old file stays in place until the new one is complete. Or appends them to it, after the
//! earlier calls that write this file have ended. A plain call plans and writes some values at a time; a task plans all
//! values first.

mod commit;
mod target;
mod ticket;

use godot::global::Error as EngineError;
use varbatch_codec::Borrowed;
use varbatch_storage::{Flushed, Saver, WRITE_LEN};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

use self::commit::commit;
pub use self::commit::finish;
pub use self::target::{Request, SaveTarget, to_append, to_save};
use self::ticket::WriteTicket;
use super::encode::{Batch, FramePlans};
use super::files::Contents;
use crate::engine::Slot;
use crate::jobs::job::Job;
use crate::jobs::outcome::{Failure, Outcome};
use crate::jobs::pool;
use crate::jobs::tuning::{FIRST_RUN, FLUSHED, MAX_ALONE, MAX_SHARED, PLANNED};
use crate::report::Line;
use crate::value::walk::Held;

/// The message of a save or append that a later save of the same file overtook.
const OVERTAKEN: &str = "a later save of the same file replaced it";

/// Saves or appends at once: the values are on the disk when this returns.
pub fn save(request: Request, contents: &Contents<'_>) -> Outcome<EngineError> {
    let (target, full_objects) = match request {
        Ok(request) => request,
        Err(failure) => return Outcome::of_code(Err(failure)),
    };
    let values = contents.values();
    let (batch, reports) = Batch::of(&values, full_objects);
    let mut plans = FramePlans::new(&batch, full_objects, reports);
    let ticket = target.ticket();
    if target.appends && !ticket.is_first() {
        pool::with(true, |threads| ticket.wait(threads));
    }
    let is_large = batch.is_shared() || target.compression.is_some();
    end(pool::with(is_large, |threads| write_all(&target, &batch, &mut plans, &ticket, threads)))
}

/// Plans and writes all values. Returns the warning about what is lost; `None` if a later save replaced the file.
fn write_all(
    target: &SaveTarget,
    batch: &Batch<'_>,
    plans: &mut FramePlans<'_, Borrowed>,
    ticket: &WriteTicket,
    threads: &Threads,
) -> Result<Option<Vec<Line>>, Failure> {
    let not_written = |error| target.not_written(&error);
    if target.compression.is_some() && !plans.is_planned() {
        // The header of a compressed file needs the total length.
        plans.plan_next(usize::MAX, threads);
    }
    target.check(&plans.reports)?;
    let Some(mut saver) = target.begin(plans.len() as u64, ticket)? else { return Ok(None) };
    let mut count = FIRST_RUN * threads.count();
    loop {
        while let Some((plan, cursor)) = plans.current() {
            // A later save already replaced the file, so this one need not be written.
            if saver.is_overtaken(ticket.ticket()).map_err(not_written)? {
                return Ok(None);
            }
            if saver.write(plan, cursor, WRITE_LEN, threads).map_err(not_written)? == 0 {
                plans.advance();
            }
        }
        if plans.is_planned() {
            break;
        }
        let before = plans.count();
        plans.plan_next(count, threads);
        target.check(&plans.reports)?;
        // As many as fill the memory for plans, if the next values are like these.
        let (planned, room) = ((plans.count() - before) as u64, (PLANNED * threads.count()) as u64);
        let max = if batch.is_shared() { MAX_SHARED } else { MAX_ALONE };
        count = (room * planned / plans.inline_len().max(1) as u64).clamp(1, max as u64) as usize;
    }
    let flushed = saver.flush(threads).map_err(not_written)?;
    let is_in_place = commit(target, ticket, flushed)?;
    Ok(is_in_place.then(|| batch.lost(plans.is_lossy).map(|lost| target.warning(&lost)).into_iter().collect()))
}

/// Makes the outcome of lines to print; `None` if a later save replaced the file.
fn end(result: Result<Option<Vec<Line>>, Failure>) -> Outcome<EngineError> {
    match result {
        Ok(Some(lines)) => Outcome::of_code(Ok(lines)),
        Ok(None) => Outcome::quiet(EngineError::OK, EngineError::OK, OVERTAKEN),
        Err(failure) => Outcome::of_code(Err(failure)),
    }
}

/// The task that saves or appends values.
pub struct Save(Result<Saving, Failure>);

/// A file that is being saved, step by step.
struct Saving {
    target: SaveTarget,
    plans: FramePlans<'static, Held>,
    stage: Stage,
    /// Uncompressed bytes of the file.
    total: usize,
    written: usize,
    /// Bytes written since the last flush.
    unflushed: usize,
    /// The warning to print if the save succeeds.
    warning: Option<Line>,
    /// The position among the calls that write this file. Dropped last, when what was written is gone or in place.
    ticket: WriteTicket,
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

impl Save {
    /// Plans all values, so that they may be changed or dropped afterwards.
    pub fn held(request: Request, contents: &Contents<'_>) -> Self {
        Self(request.and_then(|(target, full_objects)| {
            let values = contents.values();
            let (batch, reports) = Batch::of(&values, full_objects);
            let plans = FramePlans::held(&batch, full_objects, reports);
            target.check(&plans.reports)?;
            Ok(Saving {
                ticket: target.ticket(),
                warning: batch.lost(plans.is_lossy).map(|lost| target.warning(&lost)),
                stage: if target.appends { Stage::Wait } else { Stage::Create },
                total: plans.len(),
                written: 0,
                unflushed: 0,
                plans,
                target,
            })
        }))
    }
}

impl Saving {
    /// Does the next step of the work.
    ///
    /// # Errors
    /// If the file cannot be written. After that, `self` can only be dropped.
    fn step(&mut self, threads: &Threads) -> Result<NextStep, Failure> {
        let Self { target, ticket, .. } = self;
        let not_written = |error| target.not_written(&error);
        self.stage = match std::mem::replace(&mut self.stage, Stage::Ended) {
            // A later save already replaced the file, so this one need not be written.
            Stage::Write(saver) | Stage::Flush(saver)
                if saver.is_overtaken(ticket.ticket()).map_err(not_written)? =>
            {
                Stage::Overtaken
            }
            Stage::Wait if !ticket.is_first() => Stage::Wait,
            Stage::Wait => Stage::Create,
            Stage::Create => match target.begin(self.total as u64, ticket)? {
                Some(saver) => Stage::Write(Box::new(saver)),
                None => Stage::Overtaken,
            },
            Stage::Write(mut saver) => match self.plans.current() {
                Some((plan, cursor)) => {
                    let len = saver.write(plan, cursor, WRITE_LEN, threads).map_err(not_written)?;
                    self.written += len;
                    self.unflushed += len;
                    if len == 0 {
                        self.plans.advance();
                    } else if threads.count() == 1 && self.unflushed >= FLUSHED {
                        self.unflushed = 0;
                        saver.flush_written().map_err(not_written)?;
                    }
                    Stage::Write(saver)
                }
                None => Stage::Flush(saver),
            },
            Stage::Flush(saver) => Stage::Commit(Box::new(saver.flush(threads).map_err(not_written)?)),
            Stage::Commit(flushed) => match commit(target, ticket, *flushed)? {
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
}

impl Work for Save {
    fn step(&mut self, threads: &Threads, _: OnProgress<'_>) -> NextStep {
        match self.0.as_mut().map(|saving| saving.step(threads)) {
            Ok(Ok(NextStep::Done)) => {
                // A script may keep the task for long.
                self.0.iter().for_each(|saving| saving.ticket.end());
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
        self.0.iter().for_each(|saving| saving.ticket.wait(threads));
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
}

impl Job for Save {
    fn ticket(&self) -> Option<u64> {
        self.0.as_ref().ok().map(|saving| saving.ticket.ticket().number())
    }

    fn outcome(&mut self) -> Outcome<Slot> {
        let result = match &mut self.0 {
            Ok(Saving { stage: Stage::Overtaken, .. }) => Ok(None),
            Ok(saving) => Ok(Some(saving.warning.take().into_iter().collect())),
            Err(failure) => Err(failure.clone()),
        };
        end(result).into_slot()
    }
}
