//! Puts a complete file in place, and frees the one that it replaces.

use varbatch_storage::{Committed, Flushed, Replaced, Saver};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress};

use godot::global::Error as EngineError;

use super::{Called, SaveTarget};
use crate::calls::files::Failure;
use crate::engine;
use crate::jobs::job::{AnyJob, Job, Outcome, Product};
use crate::jobs::tuning::SLOW_TO_FREE;
use crate::jobs::{dispatch, pool};

/// Flushes a file and puts it in place.
pub fn finish(target: &SaveTarget, called: &Called, saver: Saver, threads: &Threads) -> Result<(), Failure> {
    let flushed = saver.flush(threads).map_err(|error| target.not_written(&error))?;
    commit(target, called, flushed).map(|_| ())
}

/// Puts a file in place, unless a later save already did. Returns true if this file is in place.
pub fn commit(target: &SaveTarget, called: &Called, flushed: Flushed) -> Result<bool, Failure> {
    match flushed.commit_as(called.ticket()).map_err(|error| target.not_written(&error))? {
        Committed::InPlace(replaced) => {
            engine::keep(target.path());
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
