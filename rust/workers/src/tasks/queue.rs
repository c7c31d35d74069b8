//! The queue: where tasks are put, and who is called for them.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::lists::Lists;
use super::task::{Listener, Task};
use super::turn::{By, Place, Turn};
use super::{SLICE, TaskEvent, Work};
use crate::Threads;

pub(super) struct Queue<W: Work> {
    lists: Mutex<Lists<W>>,
    /// Told when nothing may run any more.
    pub(super) idle: Condvar,
    /// Threads for steps that wait for a device.
    waiting: Mutex<Vec<JoinHandle<()>>>,
}

impl<W: Work> Queue<W> {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { lists: Mutex::new(Lists::new()), idle: Condvar::new(), waiting: Mutex::new(Vec::new()) })
    }

    pub(super) fn start(self: &Arc<Self>, work: W, listener: Listener<W>) -> Arc<Task<W>> {
        let task = Task::new(self, work, listener);
        let mut lists = self.lock();
        if lists.closing {
            drop(lists);
            task.cancel_unstarted();
            return task;
        }
        let id = lists.last_id + 1;
        lists.last_id = id;
        task.set_id(id);
        lists.live.insert(id, Arc::clone(&task));
        lists.ready.push_back(Arc::clone(&task));
        self.call_for(lists, &task, By::Other);
        task
    }

    /// Puts a task, which is free at `place`, where it is found there.
    pub(super) fn put(self: &Arc<Self>, task: &Arc<Task<W>>, place: Place, by: By) {
        let mut lists = self.lock();
        match place {
            Place::Ready => {
                lists.ready.push_back(Arc::clone(task));
                self.call_for(lists, task, by);
            }
            Place::Caller => {
                lists.callers.push_back(Arc::clone(task));
                drop(lists);
                if by != By::Owner {
                    task.tell(TaskEvent::Waiting);
                }
            }
            Place::Thread => {
                drop(lists);
                self.give_thread(task);
            }
            Place::Wanted => {}
        }
    }

    /// Lets a task that was cancelled have its turn next.
    pub(super) fn hurry(self: &Arc<Self>, task: &Arc<Task<W>>, place: Place) {
        let mut lists = self.lock();
        match place {
            Place::Ready => {
                lists.ready.push_front(Arc::clone(task));
                self.call_for(lists, task, By::Other);
            }
            Place::Caller => lists.callers.push_front(Arc::clone(task)),
            // Somebody is on the way.
            Place::Thread | Place::Wanted => {}
        }
    }

    /// Sees to it that somebody comes for a task that has become ready.
    fn call_for(self: &Arc<Self>, mut lists: MutexGuard<'_, Lists<W>>, task: &Arc<Task<W>>, by: By) {
        if lists.has_helpers() {
            // A runner looks for its next task after this.
            let comes = by == By::Runner(lists.order);
            let hired = if comes { None } else { lists.hire() };
            drop(lists);
            self.spawn(hired);
        } else {
            drop(lists);
            if by != By::Owner {
                task.tell(TaskEvent::Waiting);
            }
        }
    }

    pub(super) fn set_threads(self: &Arc<Self>, threads: &Threads) {
        let mut lists = self.lock();
        if threads.order() < lists.next_order {
            return;
        }
        lists.order = threads.order();
        lists.next_order = lists.order + 1;
        lists.pool = threads.pool();
        lists.helpers = threads.count() - 1;
        lists.runners = 0;
        if lists.helpers > 0 {
            // It calls for the others.
            let hired = if lists.ready.is_empty() { None } else { lists.hire() };
            drop(lists);
            self.spawn(hired);
        } else {
            let ready: Vec<_> = lists.ready.iter().cloned().collect();
            drop(lists);
            ready.iter().filter(|task| !task.is_done()).for_each(|task| task.tell(TaskEvent::Waiting));
        }
    }

    pub(super) fn run_slice(self: &Arc<Self>, budget: Duration) -> bool {
        const ALL: &[Place] = &[Place::Ready, Place::Caller, Place::Thread];
        let end = Instant::now() + budget;
        self.lock().running += 1;
        let left = loop {
            let mut lists = self.lock();
            let Some((task, place)) = lists.next_for_owner() else { break false };
            let places = if lists.has_helpers() { &[Place::Caller] } else { ALL };
            drop(lists);
            let Some(work) = task.claim(place) else { continue };
            let until = Some(end.min(Instant::now() + SLICE));
            task.work_on(work, &Turn { threads: &Threads::alone(), places, until, by: By::Owner });
            drop(task);
            if Instant::now() >= end {
                let lists = self.lock();
                break !lists.callers.is_empty() || !lists.has_helpers() && !lists.ready.is_empty();
            }
        };
        self.lock().running -= 1;
        self.idle.notify_all();
        left
    }

    pub(super) fn shut_down(self: &Arc<Self>, threads: &Threads) {
        let mut lists = self.lock();
        lists.closing = true;
        let mut tasks: Vec<_> = lists.live.values().cloned().collect();
        drop(lists);
        tasks.sort_by_key(|task| task.id());
        tasks.iter().filter(|task| !task.outlives_shut_down).for_each(Task::cancel);
        for task in tasks {
            task.wait(threads);
        }
        let mut lists = self.lock();
        while !lists.live.is_empty() || lists.running > 0 {
            lists = self.idle.wait(lists).unwrap_or_else(PoisonError::into_inner);
        }
        let hints = (std::mem::take(&mut lists.ready), std::mem::take(&mut lists.callers));
        lists.pool = Weak::new();
        lists.helpers = 0;
        // The same threads may be used again.
        lists.next_order = lists.order;
        drop(lists);
        drop(hints);
        let threads = std::mem::take(&mut *self.waiting());
        threads.into_iter().for_each(|handle| _ = handle.join());
        self.lock().closing = false;
    }

    pub(super) fn is_busy(&self) -> bool {
        !self.lock().live.is_empty()
    }

    /// After the end of a task was told.
    pub(super) fn forget(&self, id: u64) {
        let task = self.lock().live.remove(&id);
        self.idle.notify_all();
        drop(task);
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Lists<W>> {
        // Nothing panics while it is held.
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn waiting(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Work> fmt::Debug for Queue<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = self.lock();
        let (live, runners) = (lists.live.len(), lists.runners);
        drop(lists);
        f.debug_struct("Queue").field("live", &live).field("runners", &runners).finish_non_exhaustive()
    }
}
