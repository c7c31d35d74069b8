//! The lists of tasks, under one lock. They are lists of any `T`; only `task` knows what a task is.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::Threads;
use crate::threads::{Ending, PoolId};

/// The place of work that no thread works on, which determines who may claim it. A waiting thread may claim it
/// anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the list of the helpers of this pool: for a runner.
    Helpers(PoolId),
    /// In the owner's list.
    Owner,
    /// Reserved for a thread of its own, which is being started.
    Device,
    /// Reserved for a thread that waits for the task.
    Waiter,
    /// In no list: for the runner or owner that gets it when it is unparked.
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
    /// Tasks that have not ended, or whose end is being reported, in the order in which they were started.
    live: BTreeMap<u64, Arc<T>>,
    last_id: u64,
    crews: HashMap<PoolId, Crew<T>>,
    /// Hints at tasks that are free at [`Place::Owner`].
    owned: VecDeque<Arc<T>>,
    /// Runners, begun or not, and calls of `run_slice`.
    running: usize,
    is_closing: bool,
}

/// The helpers of a pool that has tasks or runners.
struct Crew<T> {
    /// The threads, as a helper sees them.
    threads: Threads,
    /// Tasks that were started with this pool and have not ended.
    tasks: usize,
    /// Runners, begun or not. At least one while `ready` has a task.
    runners: usize,
    /// Hints at tasks that are free at [`Place::Helpers`].
    ready: VecDeque<Arc<T>>,
}

/// A task for a runner.
pub(super) struct Next<T> {
    pub(super) task: Arc<T>,
    pub(super) threads: Threads,
    /// True if one more runner was hired, and must be spawned.
    pub(super) hired: bool,
}

impl<T> Queue<T> {
    pub(super) fn new() -> Arc<Self> {
        let lists = Lists {
            live: BTreeMap::new(),
            last_id: 0,
            crews: HashMap::new(),
            owned: VecDeque::new(),
            running: 0,
            is_closing: false,
        };
        Arc::new(Self { lists: Mutex::new(lists), ended: Condvar::new(), devices: Ending::new() })
    }

    /// Returns an id larger than all before.
    pub(super) fn next_id(&self) -> u64 {
        let mut lists = self.lock();
        lists.last_id += 1;
        lists.last_id
    }

    /// Adds a task that was started with `threads`. While the queue is closing, does nothing and returns false.
    pub(super) fn add(&self, id: u64, task: &Arc<T>, threads: &Threads) -> bool {
        let mut lists = self.lock();
        if lists.is_closing {
            return false;
        }
        lists.live.insert(id, Arc::clone(task));
        if let Some(pool) = threads.pool() {
            let new = || Crew { threads: threads.without_caller(), tasks: 0, runners: 0, ready: VecDeque::new() };
            lists.crews.entry(pool).or_insert_with(new).tasks += 1;
        }
        true
    }

    /// Lists a task that is free at `place`. Returns the threads to spawn a runner on if one was hired for it, which
    /// `may_hire` allows.
    pub(super) fn put(&self, task: &Arc<T>, place: Place, may_hire: bool) -> Option<Threads> {
        let mut lists = self.lock();
        lists.list(place)?.push_back(Arc::clone(task));
        let Place::Helpers(pool) = place else { return None };
        if may_hire && lists.hire(pool) { Some(lists.crews.get(&pool)?.threads.clone()) } else { None }
    }

    /// Gives the next turn to a task that is free at `place`.
    pub(super) fn hurry(&self, task: &Arc<T>, place: Place) {
        if let Some(list) = self.lock().list(place) {
            list.push_front(Arc::clone(task));
        }
    }

    /// Returns the next task for a runner of `pool`. `None` ends the runner, which is no longer counted.
    pub(super) fn next(&self, pool: PoolId) -> Option<Next<T>> {
        let mut lists = self.lock();
        if let Some(crew) = lists.crews.get_mut(&pool)
            && let Some(task) = crew.ready.pop_front()
        {
            let (threads, more) = (crew.threads.clone(), !crew.ready.is_empty());
            return Some(Next { task, threads, hired: more && lists.hire(pool) });
        }
        self.count_off(lists, pool);
        None
    }

    /// Stops counting a runner of `pool`.
    pub(super) fn leave(&self, pool: PoolId) {
        self.count_off(self.lock(), pool);
    }

    fn count_off(&self, mut lists: MutexGuard<'_, Lists<T>>, pool: PoolId) {
        if let Some(crew) = lists.crews.get_mut(&pool) {
            crew.runners -= 1;
        }
        let unused = lists.take_unused(pool);
        drop(lists);
        // Before `reopen` is notified, as this may be the last handle to the threads.
        drop(unused);
        self.end_run();
    }

    /// Counts a call of `run_slice`, until [`Self::end_run`].
    pub(super) fn begin_run(&self) {
        self.lock().running += 1;
    }

    pub(super) fn end_run(&self) {
        self.lock().running -= 1;
        self.ended.notify_all();
    }

    /// Returns the next task for the owner.
    pub(super) fn next_owned(&self) -> Option<Arc<T>> {
        self.lock().owned.pop_front()
    }

    pub(super) fn has_owned(&self) -> bool {
        !self.lock().owned.is_empty()
    }

    /// Removes a task whose end was reported. `home` is its place for helpers.
    pub(super) fn remove(&self, id: u64, home: Place) {
        let mut lists = self.lock();
        if !lists.live.contains_key(&id) {
            return;
        }
        let mut unused = None;
        if let Place::Helpers(pool) = home
            && let Some(crew) = lists.crews.get_mut(&pool)
        {
            crew.tasks -= 1;
            unused = lists.take_unused(pool);
        }
        drop(lists);
        // As above.
        drop(unused);
        let task = self.lock().live.remove(&id);
        self.ended.notify_all();
        drop(task);
    }

    pub(super) fn is_busy(&self) -> bool {
        !self.lock().live.is_empty()
    }

    /// Adds no more tasks until [`Self::reopen`]. Returns the tasks that have not ended, in the order of their start.
    pub(super) fn close(&self) -> Vec<Arc<T>> {
        let mut lists = self.lock();
        lists.is_closing = true;
        lists.live.values().cloned().collect()
    }

    /// Waits until the queue has no tasks and no threads any more, then allows new tasks again.
    pub(super) fn reopen(&self) {
        let mut lists = self.lock();
        while !lists.live.is_empty() || lists.running > 0 {
            lists = self.ended.wait(lists).unwrap_or_else(PoisonError::into_inner);
        }
        let hints = std::mem::take(&mut lists.owned);
        drop(lists);
        drop(hints);
        self.devices.join();
        self.lock().is_closing = false;
    }

    fn lock(&self) -> MutexGuard<'_, Lists<T>> {
        // Nothing panics while the lock is held.
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Lists<T> {
    fn list(&mut self, place: Place) -> Option<&mut VecDeque<Arc<T>>> {
        match place {
            Place::Helpers(pool) => Some(&mut self.crews.get_mut(&pool)?.ready),
            Place::Owner => Some(&mut self.owned),
            // A thread for it is already coming, or not wanted.
            Place::Device | Place::Waiter | Place::Parked => None,
        }
    }

    /// Counts one more runner of a pool, if a helper has none.
    fn hire(&mut self, pool: PoolId) -> bool {
        let free = self.crews.get_mut(&pool).filter(|crew| crew.runners < crew.threads.count());
        let is_hired = free.map(|crew| crew.runners += 1).is_some();
        self.running += usize::from(is_hired);
        is_hired
    }

    /// Removes and returns the crew of a pool, if it has no tasks and no runners any more.
    fn take_unused(&mut self, pool: PoolId) -> Option<Crew<T>> {
        let is_unused = self.crews.get(&pool).is_some_and(|crew| crew.tasks == 0 && crew.runners == 0);
        if is_unused { self.crews.remove(&pool) } else { None }
    }
}

impl<T> fmt::Debug for Queue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = self.lock();
        let (live, running) = (lists.live.len(), lists.running);
        drop(lists);
        f.debug_struct("Queue").field("live", &live).field("running", &running).finish_non_exhaustive()
    }
}
