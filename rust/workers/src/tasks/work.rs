//! The work of a task, and its reports.

use crate::Threads;

/// The work of a task, in steps.
pub trait Work: Send + 'static {
    /// Does about a millisecond of the work, with `threads` for parallel parts. Called by one thread at a time.
    ///
    /// A longer step reports its progress meanwhile.
    ///
    /// A panic ends the task: see [`Task::is_panicked`](super::Task::is_panicked).
    fn step(&mut self, threads: &Threads, report: OnProgress<'_>) -> NextStep;

    /// Called after a step that returned [`NextStep::Parked`] by a thread in [`Task::wait`](super::Task::wait), which
    /// cannot leave the task: waits for what the task waits for, and may work on it.
    fn unblock(&mut self, _threads: &Threads) {}

    /// Returns how much is done, from 0 to 1. Called after each step.
    fn progress(&self) -> f32;

    /// True if [`Tasks::shut_down`](super::Tasks::shut_down) completes the work instead of dropping it. Called once, at
    /// the start.
    fn outlives_shut_down(&self) -> bool {
        false
    }
}

/// Receives how much is done within a step, from 0 to 1. Any of the step's threads may call it, several at once.
pub type OnProgress<'a> = &'a (dyn Fn(f32) + Sync);

/// The thread that may do the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Any thread.
    More,
    /// A thread of its own, as the step waits for a device, such as a flush to disk: other tasks continue. If the
    /// system gives no thread, or the task has no helpers, the step is done in place.
    Blocking,
    /// The owner's thread, in [`Tasks::run_slice`](super::Tasks::run_slice), or a thread in
    /// [`Task::wait`](super::Task::wait).
    Owner,
    /// None before [`Task::unpark`](super::Task::unpark): the work waits for something else, and uses no thread
    /// meanwhile. The step may then be called again at any time.
    Parked,
    /// None: the work is done.
    Done,
}

/// What a listener receives about a task. It is called on any thread, by several at once, and may be called before
/// [`Tasks::start`](super::Tasks::start) returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskEvent {
    /// [`Task::progress`](super::Task::progress) grew by a hundredth or more since the last report. Not after `Finished`.
    Progressed,
    /// The task continues in [`Tasks::run_slice`](super::Tasks::run_slice), which must be called until it returns
    /// false. May come late.
    Waiting,
    /// The task is done. Reported once.
    Finished,
}
