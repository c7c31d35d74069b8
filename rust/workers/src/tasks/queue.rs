//! The tasks that have not ended, and the owner's list, under one lock. They are of any `T`; only `task` knows what a task
//! is.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex};

use crate::Threads;
use crate::ending::{Ending, lock, unpoisoned};
use crate::turns::Order;

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

pub(super) struct Queue<T> {
    lists: Mutex<Lists<T>>,
    /// Woken when a task or a thread of the queue has ended.
    ended: Condvar,
    /// Threads for steps that wait for a device.
    pub(super) devices: Ending,
}

struct Lists<T> {
    /// Tasks that have not ended, or whose end is being reported, in the order in which they were started; and the threads
    /// of each, as a helper sees them.
    live: BTreeMap<u64, (Arc<T>, Threads)>,
    /// Hints at tasks that are free at [`Place::Owner`].
    owned: VecDeque<Arc<T>>,
    /// Turns on helpers, begun or not, and calls of `run_slice`.
    running: usize,
    is_closing: bool,
}

impl<T> Queue<T> {
    pub(super) fn new() -> Arc<Self> {
        let lists = Lists { live: BTreeMap::new(), owned: VecDeque::new(), running: 0, is_closing: false };
        Arc::new(Self { lists: Mutex::new(lists), ended: Condvar::new(), devices: Ending::new() })
    }

    /// Adds a task that was started with `threads`. While the queue is closing, does nothing and returns false.
    pub(super) fn add(&self, id: u64, task: &Arc<T>, threads: &Threads) -> bool {
        let mut lists = lock(&self.lists);
        if lists.is_closing {
            return false;
        }
        lists.live.insert(id, (Arc::clone(task), threads.without_caller()));
        true
    }

    /// Counts a turn of a task on its helpers, until [`Self::end_run`]. Returns its threads; `None` if it has ended.
    pub(super) fn begin_turn(&self, id: u64) -> Option<Threads> {
        let mut lists = lock(&self.lists);
        let threads = lists.live.get(&id).map(|(_, threads)| threads.clone()).filter(Threads::has_helpers)?;
        lists.running += 1;
        Some(threads)
    }

    /// Counts a call of `run_slice`, until [`Self::end_run`].
    pub(super) fn begin_run(&self) {
        lock(&self.lists).running += 1;
    }

    pub(super) fn end_run(&self) {
        lock(&self.lists).running -= 1;
        self.ended.notify_all();
    }

    /// Lists a task that is free at [`Place::Owner`].
    pub(super) fn add_owned(&self, order: Order, task: Arc<T>) {
        let owned = &mut lock(&self.lists).owned;
        if order == Order::First { owned.push_front(task) } else { owned.push_back(task) }
    }

    /// Returns the next task for the owner.
    pub(super) fn next_owned(&self) -> Option<Arc<T>> {
        lock(&self.lists).owned.pop_front()
    }

    pub(super) fn has_owned(&self) -> bool {
        !lock(&self.lists).owned.is_empty()
    }

    /// Removes a task whose end was reported.
    pub(super) fn remove(&self, id: u64) {
        let mut lists = lock(&self.lists);
        let Some((_, threads)) = lists.live.get_mut(&id) else { return };
        let threads = std::mem::replace(threads, Threads::alone());
        drop(lists);
        // Before `reopen` is notified, as this may be the last handle to the threads.
        drop(threads);
        let task = lock(&self.lists).live.remove(&id);
        self.ended.notify_all();
        drop(task);
    }

    pub(super) fn is_busy(&self) -> bool {
        !lock(&self.lists).live.is_empty()
    }

    /// Adds no more tasks until [`Self::reopen`]. Returns the tasks that have not ended, in the order of their start.
    pub(super) fn close(&self) -> Vec<Arc<T>> {
        let mut lists = lock(&self.lists);
        lists.is_closing = true;
        lists.live.values().map(|(task, _)| Arc::clone(task)).collect()
    }

    /// Waits until the queue has no tasks and no threads any more, then allows new tasks again.
    pub(super) fn reopen(&self) {
        let is_used = |lists: &mut Lists<T>| !lists.live.is_empty() || lists.running > 0;
        let mut lists = unpoisoned(self.ended.wait_while(lock(&self.lists), is_used));
        let hints = std::mem::take(&mut lists.owned);
        drop(lists);
        drop(hints);
        self.devices.join();
        lock(&self.lists).is_closing = false;
    }
}
