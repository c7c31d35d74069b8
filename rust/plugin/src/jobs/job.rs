//! Defines a job: the work of a call that runs as a task.

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

use super::outcome::Outcome;
use crate::engine::Slot;

/// The size of a step, in bytes of work: less than a millisecond.
pub const STEP: usize = 1 << 20;

/// Work of each value in addition to its bytes, in bytes.
pub const VALUE: usize = 256;

/// The work of one call. A step that returns [`NextStep::Owner`] says that the next step may run scripts.
pub trait Job: Work {
    /// Returns the number of the ticket by which other calls find the task of this job, to wait for it.
    fn ticket(&self) -> Option<u64> {
        None
    }

    /// Returns the outcome. Called once, after the last step, with the end of the task locked: values that are not
    /// returned stay in the job, as scripts may run when they are dropped.
    fn outcome(&mut self) -> Outcome<Slot>;
}

/// A job of any type.
pub type AnyJob = Box<dyn Job>;

impl Work for AnyJob {
    fn step(&mut self, threads: &Threads, report: OnProgress<'_>) -> NextStep {
        (**self).step(threads, report)
    }

    fn unblock(&mut self, threads: &Threads) {
        (**self).unblock(threads);
    }

    fn progress(&self) -> f32 {
        (**self).progress()
    }

    fn outlives_shut_down(&self) -> bool {
        (**self).outlives_shut_down()
    }
}
