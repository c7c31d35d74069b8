//! The queue that tasks are in: those that have not ended, and the list of those that are the owner's.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex};

use super::Work;
use super::task::Task;
use crate::ending::lock;
use crate::threads::Threads;

/// What tasks of a queue have in common: those that have not ended, and the owner's list. A task may live longer.
pub(super) struct Queue<W: Work> {
    pub(super) lists: Mutex<Lists<W>>,
    /// Woken when a task or a turn has ended, during a shut down: even if nobody waits, waking asks the system.
    pub(super) ended: Condvar,
}

pub(super) struct Lists<W: Work> {
    /// Tasks that have not ended or been reported, in the order of their start, with their threads as helpers see them.
    pub(super) live: BTreeMap<u64, (Arc<Task<W>>, Threads)>,
    /// Hints at tasks that are free at [`Place::Owner`].
    pub(super) owned: VecDeque<Arc<Task<W>>>,
    /// Turns on helpers, begun or not, and calls of `run_slice`.
    pub(super) running: usize,
    /// How many shut downs are under way: meanwhile no tasks are added.
    pub(super) closing: usize,
}

impl<W: Work> Queue<W> {
    pub(super) fn new() -> Arc<Self> {
        let lists = Lists { live: BTreeMap::new(), owned: VecDeque::new(), running: 0, closing: 0 };
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
        let mut lists = lock(&self.lists);
        lists.running -= 1;
        self.notify(&lists);
    }

    /// Removes a task whose end was reported.
    pub(super) fn remove(&self, id: u64) {
        let mut lists = lock(&self.lists);
        let Some((_, threads)) = lists.live.get_mut(&id) else { return };
        let threads = std::mem::replace(threads, Threads::alone());
        drop(lists);
        // Before a shut down is notified, as this may be the last handle to the threads.
        drop(threads);
        let mut lists = lock(&self.lists);
        let task = lists.live.remove(&id);
        self.notify(&lists);
        drop(lists);
        drop(task);
    }

    fn notify(&self, lists: &Lists<W>) {
        if lists.closing > 0 {
            self.ended.notify_all();
        }
    }
}
