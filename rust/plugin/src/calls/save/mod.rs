//! Saves values to a file, whose old one stays in place until the new one is complete; or appends them to it, after the calls
//! before. A plain call is a save that is run at once, and plans and writes some values at a time; a task plans all first.

mod target;

use std::fs::File;
use std::sync::Arc;
use std::thread::Builder;

use godot::global::Error as EngineError;
use varbatch_codec::Borrowed;
use varbatch_storage::{Committed, Flushed, Saver, WRITE_LEN};
use varbatch_workers::tasks::{NextStep, OnProgress, Work};
use varbatch_workers::{Threads, join_later};

pub use self::target::{Holds, NOT_COMPRESSED, Request, SaveTarget, Stored, to_append, to_save};
use super::encode::{Batch, Form, Plans};
use super::line::{
    Append, JOINED, SHORT, WriteTicket, add_append, cancel_append, commit_appends, end_appends, next_append,
    tries_again,
};
use crate::engine::{self, HeldBytes, Slot};
use crate::jobs::pool;
use crate::jobs::task::Job;
use crate::jobs::tuning::{FLUSHED, SLOW_TO_FREE};
use crate::report::{Failure, Line, Outcome};
use crate::value::walk::{Held, KeepWalked};

/// Saves or appends at once: the values are on the disk when this returns.
pub fn save(request: Result<Request, Failure>) -> Outcome<EngineError> {
    Outcome::of_code(request.and_then(|Request { target, values, full_objects }| {
        let batch = Batch::of(values, full_objects);
        let is_large = batch.is_shared() || target.compression.is_some() || target.key.is_some();
        let plans = Plans::<Borrowed>::new(&batch, Form::Frames);
        // It borrows the batch, whose objects are so dropped after its ticket has ended, also if it fails.
        let mut saving = Saving::new(target, plans, None)?;
        pool::with(is_large, |threads| {
            loop {
                match saving.step(threads)? {
                    NextStep::Done => return Ok::<_, Failure>(()),
                    NextStep::Parked => saving.ticket.wait(&pool::threads()),
                    _ => {}
                }
            }
        })?;
        saving.warnings.extend(batch.lost(saving.plans.is_lossy).map(|lost| saving.target.warning(&lost)));
        Ok(saving.outcome())
    }))
}

/// A call that holds its ticket: see [`SaveTarget::ticket`] for what must not happen meanwhile.
struct Saving<'p, K> {
    target: SaveTarget,
    /// Dropped before the ticket, so that what was written is gone or in place when it ends.
    stage: Stage,
    written: usize,
    /// Bytes written since the last flush, and after how many of them one thread flushes again.
    unflushed: usize,
    max_unflushed: usize,
    warnings: Vec<Line>,
    /// This call, if it is a short append of a task, and those that joined it.
    appends: Vec<Arc<Append>>,
    /// The position among the calls that write this file; and among the tasks that have one open, of a task.
    ticket: WriteTicket,
    room: Option<WriteTicket>,
    /// Dropped after the ticket, as all that is of the engine.
    plans: Plans<'p, K>,
}

enum Stage {
    /// An append waits until it is the first in line.
    Wait,
    Create,
    Write(Box<Saver>),
    Flush(Box<Saver>),
    Commit(Box<Flushed>),
    Overtaken,
    Ended,
}

impl<'p, K: KeepWalked<'p, 'p>> Saving<'p, K> {
    /// `flushed` is set for a task.
    fn new(target: SaveTarget, plans: Plans<'p, K>, flushed: Option<usize>) -> Result<Self, Failure> {
        target.check(&plans.reports)?;
        let stage = if target.appends { Stage::Wait } else { Stage::Create };
        let (ticket, room) = if flushed.is_some() { target.tickets() } else { (target.ticket(), None) };
        let (max_unflushed, warnings, appends) = (flushed.unwrap_or(usize::MAX), Vec::new(), Vec::new());
        Ok(Self { target, stage, written: 0, unflushed: 0, max_unflushed, warnings, appends, ticket, room, plans })
    }

    /// Does the next step, and ends the ticket after the last one: a script may keep a task for long. If it fails, as the file
    /// or a value cannot be written, `self` can only be dropped.
    fn step(&mut self, threads: &Threads) -> Result<NextStep, Failure> {
        let is_new = matches!(self.stage, Stage::Create);
        if is_new && self.room.as_ref().is_some_and(|room| !room.is_first()) {
            return Ok(NextStep::Parked);
        }
        let stage = std::mem::replace(&mut self.stage, Stage::Ended);
        self.stage = match self.next(stage, threads) {
            next if is_new && self.room.is_some() && tries_again(next.as_ref().err()) => {
                self.stage = Stage::Create;
                return Ok(NextStep::Blocking);
            }
            Err(_) if self.appends.len() > 1 => {
                // One of them may be at fault, and the others must not fail with it.
                end_appends(&self.appends, false);
                self.begin_again()
            }
            next => next?,
        };
        Ok(match self.stage {
            Stage::Wait => NextStep::Parked,
            // It may have to read the lengths of many records.
            Stage::Create if self.target.appends => NextStep::Blocking,
            Stage::Create | Stage::Write(_) => NextStep::More,
            Stage::Flush(_) | Stage::Commit(_) => NextStep::Blocking,
            Stage::Overtaken | Stage::Ended => {
                end_appends(&self.appends, matches!(self.stage, Stage::Ended));
                self.room = None;
                self.ticket.end();
                NextStep::Done
            }
        })
    }

    fn next(&mut self, stage: Stage, threads: &Threads) -> Result<Stage, Failure> {
        let Self { target, plans, ticket, warnings, room, .. } = self;
        let not_written = |error| target.not_written(&error);
        Ok(match stage {
            // A later save already replaced the file, so this one need not be written.
            Stage::Write(saver) | Stage::Flush(saver) if saver.is_overtaken(&ticket.0).map_err(not_written)? => {
                Stage::Overtaken
            }
            Stage::Wait => {
                // In this order: who has written it says so, and only then lets this one be the first.
                let is_first = ticket.0.first_before().is_none();
                match self.appends.first() {
                    Some(append) if append.end().is_some() => Stage::Ended,
                    _ if is_first => Stage::Create,
                    _ => Stage::Wait,
                }
            }
            Stage::Create => {
                if target.compression.is_some() && !plans.is_planned() {
                    // The header of a compressed file needs the total length.
                    plans.plan_next(usize::MAX, threads);
                    target.check(&plans.reports)?;
                }
                let total = target.header.bytes().len() + plans.len();
                target.begin(total as u64, ticket)?.map_or(Stage::Overtaken, |saver| Stage::Write(Box::new(saver)))
            }
            Stage::Write(mut saver) => {
                let Some(len) = self.write_some(&mut saver, threads)? else { return Ok(Stage::Flush(saver)) };
                self.written += len;
                self.unflushed += len;
                if threads.count() == 1 && self.unflushed >= self.max_unflushed {
                    self.unflushed = 0;
                    saver.flush_written().map_err(|error| self.target.not_written(&error))?;
                }
                Stage::Write(saver)
            }
            Stage::Flush(_) if self.appends.len() > 1 && !commit_appends(&self.appends) => {
                // What was cancelled is cut off, with all that is behind it.
                self.begin_again()
            }
            Stage::Flush(saver) => Stage::Commit(Box::new(saver.flush(threads).map_err(not_written)?)),
            Stage::Commit(mut flushed) => match commit(target, ticket, &mut flushed) {
                Err(failure) if room.is_some() && tries_again(Some(&failure)) => Stage::Commit(flushed),
                committed => {
                    let (stage, aside) = committed?;
                    warnings.extend(aside);
                    stage
                }
            },
            ended @ (Stage::Overtaken | Stage::Ended) => ended,
        })
    }

    /// Writes the next bytes, or plans some. Returns how many; `None` after the last.
    fn write_some(&mut self, saver: &mut Saver, threads: &Threads) -> Result<Option<usize>, Failure> {
        let Self { target, plans, appends, .. } = self;
        let not_written = |error| target.not_written(&error);
        if let Some(left) = target.header.bytes().get(self.written..).filter(|left| !left.is_empty()) {
            let part = &left[..left.len().min(WRITE_LEN)];
            saver.write_bytes(part, threads).map_err(not_written)?;
            return Ok(Some(part.len()));
        }
        if let Some((plan, cursor)) = plans.current() {
            let len = saver.write(plan, cursor, WRITE_LEN, threads).map_err(not_written)?;
            if len == 0 {
                plans.advance();
            }
            return Ok(Some(len));
        }
        if !plans.is_planned() {
            plans.plan_some(threads);
            target.check(&plans.reports)?;
            return Ok(Some(0));
        }
        let Some(next) = next_append(appends).filter(|_| self.written < JOINED) else { return Ok(None) };
        let bytes = next.changes.1.bytes();
        saver.write_bytes(bytes, threads).map_err(not_written)?;
        let len = bytes.len();
        appends.push(next);
        Ok(Some(len))
    }

    /// Begins again without those that have joined.
    fn begin_again(&mut self) -> Stage {
        self.appends.truncate(1);
        self.written = 0;
        Stage::Create
    }

    fn outcome(&mut self) -> Outcome<EngineError> {
        let (warnings, note) = match self.stage {
            Stage::Overtaken => (Vec::new(), "a later save of the same file replaced it"),
            _ => (std::mem::take(&mut self.warnings), ""),
        };
        Outcome { note, ..Outcome::new(EngineError::OK, warnings) }
    }
}

/// Completes a file. Returns a warning if the old one was set aside.
pub fn finish(
    target: &SaveTarget,
    ticket: &WriteTicket,
    saver: Saver,
    threads: &Threads,
) -> Result<Option<Line>, Failure> {
    let mut flushed = saver.flush(threads).map_err(|error| target.not_written(&error))?;
    commit(target, ticket, &mut flushed).map(|(_, aside)| aside)
}

/// Puts a file in place, unless a later save already did.
fn commit(target: &SaveTarget, ticket: &WriteTicket, flushed: &mut Flushed) -> Result<(Stage, Option<Line>), Failure> {
    match flushed.commit(&ticket.0).map_err(|error| target.not_written(&error))? {
        Committed::InPlace { old, aside } => {
            engine::keep(&target.path);
            dispose(old);
            Ok((Stage::Ended, aside.map(|aside| target.set_aside(&aside))))
        }
        Committed::Overtaken => Ok((Stage::Overtaken, None)),
    }
}

/// Frees a replaced file; in the background if that takes long and there are worker threads.
fn dispose(replaced: Option<File>) {
    let is_slow = |file: &File| file.metadata().is_ok_and(|metadata| metadata.len() >= SLOW_TO_FREE);
    if let Some(file) = replaced.filter(|file| is_slow(file) && pool::count() > 1) {
        // Without a thread for it, it is freed here.
        let free = Builder::new().name("varbatch-free".to_owned()).spawn(|| drop(file));
        free.into_iter().for_each(join_later);
    }
}

pub struct Save(Result<Saving<'static, Held>, Failure>);

impl Save {
    /// Plans all values, so that they may be changed or dropped afterwards.
    pub fn held(request: Result<Request, Failure>) -> Self {
        Self(request.and_then(|Request { target, values, full_objects }| {
            // The objects of the batch are gone before a ticket is taken.
            let (plans, lost) = Batch::of(values, full_objects).into_held(Form::Frames);
            let warnings = lost.map(|lost| target.warning(&lost)).into_iter().collect();
            let mut saving = Saving { warnings, ..Saving::new(target, plans, Some(FLUSHED))? };
            if saving.target.appends && saving.plans.len() <= SHORT {
                saving.target.header = HeldBytes::new(saving.plans.take());
                let changes = (saving.target.path.clone(), saving.target.header.clone());
                saving.appends.push(Append::new(saving.ticket.0.number(), changes));
                add_append(&saving.appends[0]);
            }
            Ok(saving)
        }))
    }
}

impl Work for Save {
    fn step(&mut self, threads: &Threads, _: OnProgress<'_>) -> NextStep {
        let Ok(saving) = &mut self.0 else { return NextStep::Done };
        saving.step(threads).unwrap_or_else(|failure| {
            // This drops the saver, and with it what was written.
            self.0 = Err(failure);
            NextStep::Done
        })
    }

    fn unblock(&mut self, threads: &Threads) {
        for saving in self.0.iter() {
            match saving.room.as_ref().filter(|_| matches!(saving.stage, Stage::Create)) {
                // As a call that is no task: it waits for no other file.
                Some(room) => room.end(),
                None => saving.ticket.wait(threads),
            }
        }
    }

    /// The last tenth is the flush.
    fn progress(&self) -> f32 {
        let len = |saving: &Saving<'_, Held>| saving.target.header.bytes().len() + saving.plans.len();
        self.0.as_ref().map_or(0.0, |saving| 0.9 * (saving.written as f32 / len(saving).max(1) as f32).min(1.0))
    }

    fn is_parked(&self) -> bool {
        self.0.is_ok()
    }

    fn is_committed(&self) -> bool {
        self.0.iter().flat_map(|saving| saving.appends.first()).any(|append| !cancel_append(append))
    }

    /// A save must complete when the player closes the game.
    fn outlives_shut_down(&self) -> bool {
        true
    }
}

impl Job for Save {
    fn tickets(&self) -> Vec<u64> {
        let Ok(saving) = &self.0 else { return Vec::new() };
        let mut both: Vec<_> = saving.room.iter().chain([&saving.ticket]).map(WriteTicket::number).collect();
        both.rotate_left(usize::from(saving.target.appends));
        both
    }

    fn outcome(&mut self) -> Outcome<Slot> {
        Outcome::of_code(self.0.as_mut().map(Saving::outcome).map_err(|failure| failure.clone())).into_slot()
    }
}
