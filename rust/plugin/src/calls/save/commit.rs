//! Puts a complete file in place, and frees the one that it replaces.

use std::fs::File;

use varbatch_storage::{Committed, Flushed, Saver};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

use godot::global::Error as EngineError;

use super::{SaveTarget, WriteTicket};
use crate::engine::{self, Slot};
use crate::jobs::job::Job;
use crate::jobs::outcome::{Failure, Outcome};
use crate::jobs::tuning::SLOW_TO_FREE;
use crate::jobs::{dispatch, pool};

/// Flushes a file and puts it in place.
pub fn finish(target: &SaveTarget, ticket: &WriteTicket, saver: Saver, threads: &Threads) -> Result<(), Failure> {
    let flushed = saver.flush(threads).map_err(|error| target.not_written(&error))?;
    commit(target, ticket, flushed).map(|_| ())
}

/// Puts a file in place, unless a later save already did. Returns true if this file is in place.
pub fn commit(target: &SaveTarget, ticket: &WriteTicket, flushed: Flushed) -> Result<bool, Failure> {
    match flushed.commit(ticket.ticket()).map_err(|error| target.not_written(&error))? {
        Committed::InPlace(replaced) => {
            engine::keep(target.path());
            dispose(replaced);
            Ok(true)
        }
        Committed::Overtaken => Ok(false),
    }
}

/// Frees a replaced file; in the background if that takes long and there are worker threads.
fn dispose(replaced: Option<File>) {
    let is_slow = |file: &File| file.metadata().is_ok_and(|metadata| metadata.len() >= SLOW_TO_FREE);
    let Some(file) = replaced.filter(is_slow) else { return };
    let threads = pool::threads();
    if threads.count() > 1 {
        let job = Box::new(Dispose { file: Some(file), has_begun: false });
        pool::tasks().start(&threads, job, |_, event| dispatch::wake(event));
    }
}

struct Dispose {
    file: Option<File>,
    has_begun: bool,
}

impl Work for Dispose {
    fn step(&mut self, _: &Threads, _: OnProgress<'_>) -> NextStep {
        if !std::mem::replace(&mut self.has_begun, true) {
            return NextStep::Blocking;
        }
        self.file = None;
        NextStep::Done
    }

    fn progress(&self) -> f32 {
        0.0
    }
}

impl Job for Dispose {
    fn outcome(&mut self) -> Outcome<Slot> {
        Outcome::quiet(Slot::new(), EngineError::OK, "")
    }
}
