//! Work in the background: tasks that share the helpers of large calls, a slice at a time.
//!
//! A task is a state machine, a [`Work`], that works in short steps. [`Tasks`] is a queue of them. A **runner** is a job of
//! the pool that takes tasks from the queue in turn, each for a slice, and lets the pool's other jobs go first in between.
//! It ends when the queue is empty: an idle queue costs nothing. The game's own thread keeps its core, as the pool has one
//! thread less than there are. Where the pool has no threads, [`Tasks::run_slice`] does the work.
//!
//! What holds at any time:
//!
//! - **One has the work**: the queue, a runner, a thread of its own (for a step that waits for a device), the owner's list,
//!   or a thread that waits. It is in the task's state, under its lock, while nobody works on it, and with the one who
//!   [claimed](task::Task) it otherwise. What is in the queue is only a hint at a task that may be claimed there.
//! - **A task ends once**: whoever has the work then keeps or drops it, marks the task as done, and tells
//!   [`TaskEvent::Finished`]. After that nobody touches the work but [`Task::take`].
//! - **No lock is held** while a step, a listener or the drop of a work runs, and no two locks at once.
//! - Runners hold no [`Threads`], whose drop waits for them, but a guest of its pool, and go when that is closed.

mod lists;
mod queue;
mod runner;
mod task;
mod turn;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub use task::Task;

use crate::Threads;
use queue::Queue;

/// How long one task is worked on before the next has its turn, and so how long a call waits for a helper.
pub const SLICE: Duration = Duration::from_millis(2);

/// What a task does, in steps.
pub trait Work: Send + 'static {
    /// Does about a millisecond of the work, with `threads` for parallel parts. Called by one thread at a time.
    ///
    /// A step that takes longer says with `report` how much is done meanwhile.
    ///
    /// A panic ends the task: see [`Task::is_panicked`].
    fn step(&mut self, threads: &Threads, report: OnProgress<'_>) -> NextStep;

    /// How much is done, from 0 to 1. Asked after each step.
    fn progress(&self) -> f32;

    /// Whether [`Tasks::shut_down`] does the work to its end, instead of dropping it. Asked once, at the start.
    fn outlives_shut_down(&self) -> bool {
        false
    }
}

/// Takes how much is done, from 0 to 1, within a step: from any of its threads, and several at once.
pub type OnProgress<'a> = &'a (dyn Fn(f32) + Sync);

/// What a step says of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Any thread may do it.
    More,
    /// It waits for a device, as a flush to disk does: it gets a thread of its own, so that other tasks go on. Where there
    /// are no threads, or the system gives none, it is done in place.
    Blocking,
    /// Only the owner's thread may do it, in [`Tasks::run_slice`], or a thread in [`Task::wait`].
    Owner,
    /// There is none: the work is done.
    Done,
}

/// What a listener is told of a task, on any thread, several at once: on that of [`Tasks::start`] before it returns, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskEvent {
    /// [`Task::progress`] is larger by a hundredth or more than when it was told last. Not after `Finished`.
    Progressed,
    /// The task goes on in [`Tasks::run_slice`], which must be called until it returns false. May come late.
    Waiting,
    /// The task is done. Told once.
    Finished,
}

/// A queue of tasks. Can be a `static`.
#[derive(Debug)]
pub struct Tasks<W: Work> {
    queue: OnceLock<Arc<Queue<W>>>,
}

impl<W: Work> Tasks<W> {
    /// An empty queue, without threads.
    pub const fn new() -> Self {
        Self { queue: OnceLock::new() }
    }

    fn queue(&self) -> &Arc<Queue<W>> {
        self.queue.get_or_init(Queue::new)
    }

    /// Starts `work` on the helpers of `threads`, which all tasks move to if they are [newer](Self::set_threads).
    ///
    /// During [`Self::shut_down`] the task is cancelled at once. The listener may be told before this returns. A panic of
    /// it is caught. It lives as long as the task.
    pub fn start(
        &self,
        threads: &Threads,
        work: W,
        listener: impl Fn(&Arc<Task<W>>, TaskEvent) + Send + Sync + 'static,
    ) -> Arc<Task<W>> {
        let queue = self.queue();
        queue.set_threads(threads);
        queue.start(work, Box::new(listener))
    }

    /// Moves all tasks to the helpers of `threads`, unless they have been moved to newer ones. Call it before the old
    /// ones are dropped; these wait for a slice at most. Where `threads` has no helpers, tasks go on in
    /// [`Self::run_slice`].
    pub fn set_threads(&self, threads: &Threads) {
        self.queue().set_threads(threads);
    }

    /// Works on tasks that need the owner's thread, and on all where there are no others, in turn, until `budget` is used.
    /// At least one step, if there is one. Returns whether there may be more for it.
    pub fn run_slice(&self, budget: Duration) -> bool {
        self.queue.get().is_some_and(|queue| queue.run_slice(budget))
    }

    /// Whether a task has not ended, or its end is being told.
    pub fn is_busy(&self) -> bool {
        self.queue.get().is_some_and(|queue| queue.is_busy())
    }

    /// Cancels all tasks but those that [outlive](Work::outlives_shut_down) it, which this thread helps to do to their end.
    /// Returns when nothing runs any more, and all threads that the queue itself made are joined. The queue can be used
    /// again then. Not to be called inside a step or a listener: it waits for them.
    pub fn shut_down(&self, threads: &Threads) {
        if let Some(queue) = self.queue.get() {
            queue.shut_down(threads);
        }
    }
}

impl<W: Work> Default for Tasks<W> {
    fn default() -> Self {
        Self::new()
    }
}

/// As [`Tasks::shut_down`] with no threads but this.
impl<W: Work> Drop for Tasks<W> {
    fn drop(&mut self) {
        self.shut_down(&Threads::alone());
    }
}
