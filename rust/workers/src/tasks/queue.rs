//! The tasks that have not ended, and the owner's list, under one lock. They are of any `T`; only `task` knows what a task
//! is.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex};

use crate::Threads;
use crate::ending::lock;

/// The place of work that no thread works on, which determines who may claim it. A waiting thread may claim it
/// anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the list of its helpers.
    Helpers,
    /// In the owner's list.
    Owner,
    /// Reserved for a thread of its own, which is being started.
    Device,
    /// Reserved for a thread that waits for the task.
    Waiter,
    /// In no list: for the helper or owner that gets it when it is unparked.
    Parked,
}

/// What the tasks of a queue have in common. A task may live longer.
pub(super) struct Queue<T> {
    pub(super) lists: Mutex<Lists<T>>,
    /// Woken when a task or a turn has ended.
    pub(super) ended: Condvar,
}

pub(super) struct Lists<T> {
    /// Tasks that have not ended, or whose end is being reported, in the order in which they were started; and the threads
    /// of each, as a helper sees them.
    pub(super) live: BTreeMap<u64, (Arc<T>, Threads)>,
    /// Hints at tasks that are free at [`Place::Owner`].
    pub(super) owned: VecDeque<Arc<T>>,
    /// Turns on helpers, begun or not, and calls of `run_slice`.
    pub(super) running: usize,
    /// True while no tasks are added.
    pub(super) is_closing: bool,
}

impl<T> Queue<T> {
    pub(super) fn new() -> Arc<Self> {
        let lists = Lists { live: BTreeMap::new(), owned: VecDeque::new(), running: 0, is_closing: false };
        Arc::new(Self { lists: Mutex::new(lists), ended: Condvar::new() })
    }

    /// Counts a turn of a task on its helpers, until [`Self::end_run`]. Returns its threads; `None` if it has ended.
    pub(super) fn begin_turn(&self, id: u64) -> Option<Threads> {
        let mut lists = lock(&self.lists);
        let threads = lists.live.get(&id).map(|(_, threads)| threads.clone()).filter(Threads::has_helpers)?;
        lists.running += 1;
        Some(threads)
    }

    /// Ends a turn, or a call of `run_slice`.
    pub(super) fn end_run(&self) {
        lock(&self.lists).running -= 1;
        self.ended.notify_all();
    }

    /// Removes a task whose end was reported.
    pub(super) fn remove(&self, id: u64) {
        let mut lists = lock(&self.lists);
        let Some((_, threads)) = lists.live.get_mut(&id) else { return };
        let threads = std::mem::replace(threads, Threads::alone());
        drop(lists);
        // Before a shut down is notified, as this may be the last handle to the threads.
        drop(threads);
        let task = lock(&self.lists).live.remove(&id);
        self.ended.notify_all();
        drop(task);
    }
}
