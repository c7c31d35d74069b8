//! Work in the background: tasks share the helpers of large calls, a time slice each.
//!
//! A task is a state machine, a [`Work`], that works in short steps. [`Tasks`] is a queue of them. They take turns on
//! the helpers, each for a slice, and calls come before them. The game's own thread keeps its core, as there is one helper
//! fewer than threads. Tasks without helpers run in [`Tasks::run_slice`].
//!
//! Invariants:
//!
//! - **The work has one holder:** the thread that claimed it, else the task's state, under its lock, at a `Place` that
//!   determines who may claim it. An entry in a list is only a hint at a task that may be claimed.
//! - **A task ends once.** The holder of the work then keeps or drops it, marks the task as done, and reports
//!   [`TaskEvent::Finished`]. After that only [`Task::take`] touches the work.
//! - **A task keeps the threads that it was started with.** The queue until it ends, and each turn, hold a handle.
//! - **No lock is held** while a step, a listener or the drop of a work runs, and never two locks at once.

mod queue;
mod task;

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

pub use task::Task;

use crate::ending::{join_kept, lock, unpoisoned};
use crate::threads::{SLICE, Threads};
use queue::{Lists, Queue};
use task::Place;

/// The work of a task, in steps.
pub trait Work: Send + 'static {
    /// Does about a millisecond of the work, with `threads` for parallel parts; a longer step reports its progress.
    /// Called by one thread at a time. A panic ends the task: see [`Task::is_panicked`].
    fn step(&mut self, threads: &Threads, report: OnProgress<'_>) -> NextStep;

    /// Waits, in [`Task::wait`] after [`NextStep::Parked`], for what the task waits for. May work on that.
    fn unblock(&mut self, _threads: &Threads) {}

    /// Returns how much is done, from 0 to 1. Called after each step.
    fn progress(&self) -> f32;

    /// True if it waits from the start, as after [`NextStep::Parked`]. Called once.
    fn is_parked(&self) -> bool {
        false
    }

    /// True if a cancelled task must go on until it is done, as what it does has happened elsewhere; else it must not happen
    /// there any more. Called between steps of a task that was cancelled, under a lock: it must neither wait nor call tasks.
    fn is_committed(&self) -> bool {
        false
    }

    /// True if [`Tasks::shut_down`] completes the work instead of dropping it. Called once, at the start.
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
    /// A thread of its own, as the step waits for a device. Without a thread or helpers, the step is done in place.
    Blocking,
    /// The owner's thread, in [`Tasks::run_slice`], or a thread in [`Task::wait`].
    Owner,
    /// None before [`Task::unpark`]: the work waits for something else. The step may then be called again at any time.
    Parked,
    /// None: the work is done.
    Done,
}

/// What a listener receives about a task: on any thread, several at once, perhaps before [`Tasks::start`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskEvent {
    /// [`Task::progress`] grew by a hundredth or more since the last report. Not after `Finished`.
    Progressed,
    /// The task continues in [`Tasks::run_slice`], which must be called until it returns false. May come late.
    Waiting,
    /// The task is done. Reported once.
    Finished,
}

/// A queue of tasks. Can be a `static`.
pub struct Tasks<W: Work> {
    queue: LazyLock<Arc<Queue<W>>>,
}

impl<W: Work> Tasks<W> {
    /// Makes an empty queue, without threads.
    pub const fn new() -> Self {
        Self { queue: LazyLock::new(Queue::new) }
    }

    /// Starts `work` on the helpers of `threads`, which it keeps until it ends; without them, in [`Self::run_slice`].
    /// During [`Self::shut_down`] it is cancelled at once. The listener lives as long; its panics are caught.
    pub fn start(
        &self,
        threads: &Threads,
        work: W,
        listener: impl Fn(&Arc<Task<W>>, TaskEvent) + Send + Sync + 'static,
    ) -> Arc<Task<W>> {
        let home = if threads.has_helpers() { Place::Helpers } else { Place::Owner };
        let task = Task::new(&self.queue, home, work, Box::new(listener));
        let mut lists = lock(&self.queue.lists);
        if lists.closing > 0 {
            drop(lists);
            task.cancel();
            task.work_on(threads, home, None);
            return task;
        }
        lists.live.insert(task.id, (Arc::clone(&task), threads.without_caller()));
        drop(lists);
        task.begin();
        task
    }

    /// Works in turn on tasks for the owner's thread, until `budget` is over, at least a step. True if more may remain.
    pub fn run_slice(&self, budget: Duration) -> bool {
        let end = Instant::now() + budget;
        lock(&self.queue.lists).running += 1;
        let may_have_more = loop {
            let Some(task) = lock(&self.queue.lists).owned.pop_front() else { break false };
            let until = end.min(Instant::now() + SLICE);
            if task.work_on(&Threads::alone(), Place::Owner, Some(until)) && Instant::now() >= end {
                break !lock(&self.queue.lists).owned.is_empty();
            }
        };
        self.queue.end_run();
        may_have_more
    }

    /// Cancels all tasks except those that [outlive](Work::outlives_shut_down) this, which the calling thread helps to
    /// complete. Returns when nothing runs and all threads that the queue made, or dropped the last handle of, have
    /// ended. The queue can then be used again. Must not be called inside a step or a listener: it waits for them.
    pub fn shut_down(&self, threads: &Threads) {
        let mut lists = lock(&self.queue.lists);
        lists.closing += 1;
        let tasks: Vec<_> = lists.live.values().map(|(task, _)| Arc::clone(task)).collect();
        drop(lists);
        tasks.iter().filter(|task| !task.outlives_shut_down).for_each(Task::cancel);
        for task in tasks {
            task.wait(threads);
        }
        let is_used = |lists: &mut Lists<_>| !lists.live.is_empty() || lists.running > 0;
        let mut lists = unpoisoned(self.queue.ended.wait_while(lock(&self.queue.lists), is_used));
        lists.closing -= 1;
        let hints = std::mem::take(&mut lists.owned);
        drop(lists);
        drop(hints);
        join_kept();
    }
}

impl<W: Work> Default for Tasks<W> {
    fn default() -> Self {
        Self::new()
    }
}

/// Shuts down like [`Tasks::shut_down`], with no threads but this one.
impl<W: Work> Drop for Tasks<W> {
    fn drop(&mut self) {
        self.shut_down(&Threads::alone());
    }
}
