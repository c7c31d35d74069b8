//! One task: who has its work, and how it ends.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use super::queue::Queue;
use super::turn::{By, Place, Turn};
use super::{TaskEvent, Work};
use crate::Threads;

pub(super) type Listener<W> = Box<dyn Fn(&Arc<Task<W>>, TaskEvent) + Send + Sync>;

/// Work that was started. It goes on when nobody holds this.
pub struct Task<W: Work> {
    /// In the queue's list of tasks that have not ended. 0 for one that never was there.
    id: AtomicU64,
    pub(super) outlives_shut_down: bool,
    pub(super) queue: Arc<Queue<W>>,
    listener: Listener<W>,
    state: Mutex<State<W>>,
    /// Told to one waiting thread when the work is handed to it, to all when the task is done.
    pub(super) changed: Condvar,
    /// Set, never reset: seen at the next step border. Both are looked at again under the lock of `state`.
    pub(super) cancelled: AtomicBool,
    pub(super) wanted: AtomicBool,
    /// Bits of f32. They only grow.
    pub(super) progress: AtomicU32,
    pub(super) told: AtomicU32,
}

pub(super) enum State<W> {
    /// Nobody works on it.
    Free(Place, W),
    /// This thread does.
    Claimed(ThreadId),
    Done(End<W>),
}

pub(super) enum End<W> {
    Finished(Option<W>),
    Cancelled,
    Panicked,
}

impl<W: Work> Task<W> {
    /// With the work free to be claimed, but in no list yet.
    pub(super) fn new(queue: &Arc<Queue<W>>, work: W, listener: Listener<W>) -> Arc<Self> {
        let outlives_shut_down = work.outlives_shut_down();
        Arc::new(Self {
            id: AtomicU64::new(0),
            outlives_shut_down,
            queue: Arc::clone(queue),
            listener,
            state: Mutex::new(State::Free(Place::Ready, work)),
            changed: Condvar::new(),
            cancelled: AtomicBool::new(false),
            wanted: AtomicBool::new(false),
            progress: AtomicU32::new(0),
            told: AtomicU32::new(0),
        })
    }

    /// Ends the task without its work, unless the work is done first. Quick: whoever has the work drops it at the next
    /// step border. It may be this thread that tells [`TaskEvent::Waiting`].
    pub fn cancel(self: &Arc<Self>) {
        self.cancelled.store(true, Ordering::Relaxed);
        // Who claimed the work looks at the flag under this lock before it frees the work.
        let place = match &*self.lock() {
            State::Free(place, _) => *place,
            State::Claimed(_) | State::Done(_) => return,
        };
        self.queue.hurry(self, place);
    }

    /// For a task that is in no list.
    pub(super) fn cancel_unstarted(self: &Arc<Self>) {
        if let Some(work) = self.claim(Place::Ready) {
            self.end_without(work, End::Cancelled);
        }
    }

    /// Whether the task has ended.
    pub fn is_done(&self) -> bool {
        matches!(&*self.lock(), State::Done(_))
    }

    /// Whether the task ended because of [`Self::cancel`] or [`Tasks::shut_down`](super::Tasks::shut_down), without its
    /// work.
    pub fn is_cancelled(&self) -> bool {
        matches!(&*self.lock(), State::Done(End::Cancelled))
    }

    /// Whether the task ended because a step panicked, without its work.
    pub fn is_panicked(&self) -> bool {
        matches!(&*self.lock(), State::Done(End::Panicked))
    }

    /// How much is done, from 0 to 1. Never less than before, and 1 when the work is done.
    pub fn progress(&self) -> f32 {
        f32::from_bits(self.progress.load(Ordering::Relaxed))
    }

    /// The work of a task that ended with it: once.
    pub fn take(&self) -> Option<W> {
        match &mut *self.lock() {
            State::Done(End::Finished(work)) => work.take(),
            _ => None,
        }
    }

    /// Returns true when the task is done. This thread works on it, with `threads`, as soon as no other does; the owner's
    /// steps too. Several threads may wait, also inside a step of another task. Inside a step of this task there is
    /// nothing to wait for: returns false at once.
    pub fn wait(self: &Arc<Self>, threads: &Threads) -> bool {
        let mut state = self.lock();
        let this = std::thread::current().id();
        if matches!(&*state, State::Claimed(thread) if *thread == this) {
            return false;
        }
        self.wanted.store(true, Ordering::Relaxed);
        let work = loop {
            match &*state {
                State::Free(..) => break Self::claim_in(&mut state),
                State::Done(_) => return true,
                State::Claimed(_) => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        };
        drop(state);
        if let Some(work) = work {
            self.work_on(work, &Turn { threads, places: &[], until: None, by: By::Waiter });
        }
        true
    }

    /// The work, if it is free at `place`.
    pub(super) fn claim(&self, place: Place) -> Option<W> {
        let mut state = self.lock();
        match &*state {
            State::Free(at, _) if *at == place => Self::claim_in(&mut state),
            _ => None,
        }
    }

    fn claim_in(state: &mut State<W>) -> Option<W> {
        match std::mem::replace(state, State::Claimed(std::thread::current().id())) {
            State::Free(_, work) => Some(work),
            other => {
                *state = other;
                None
            }
        }
    }

    /// Drops the work before the task is done: what it leaves behind is gone then.
    pub(super) fn end_without(self: &Arc<Self>, work: W, end: End<W>) {
        let _ = catch_unwind(AssertUnwindSafe(|| drop(work)));
        self.end(end);
    }

    pub(super) fn end(self: &Arc<Self>, end: End<W>) {
        *self.lock() = State::Done(end);
        self.changed.notify_all();
        self.tell(TaskEvent::Finished);
        self.queue.forget(self.id());
    }

    pub(super) fn id(&self) -> u64 {
        self.id.load(Ordering::Relaxed)
    }

    pub(super) fn set_id(&self, id: u64) {
        self.id.store(id, Ordering::Relaxed);
    }

    pub(super) fn tell(self: &Arc<Self>, event: TaskEvent) {
        let _ = catch_unwind(AssertUnwindSafe(|| (self.listener)(self, event)));
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State<W>> {
        // Nothing panics while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Work> fmt::Debug for Task<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = self.is_done();
        f.debug_struct("Task").field("id", &self.id()).field("done", &done).finish_non_exhaustive()
    }
}
