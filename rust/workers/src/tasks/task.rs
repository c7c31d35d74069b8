//! One task: the holder of its work, its turns, and its end.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::Instant;

use super::queue::{Place, Queue};
use super::work::{NextStep, TaskEvent, Work};
use crate::Threads;

/// The min change of progress that is reported.
const REPORTED: f32 = 0.01;

pub(super) type Listener<W> = Box<dyn Fn(&Arc<Task<W>>, TaskEvent) + Send + Sync>;

/// Work that was started. It continues when no handle to it remains.
pub struct Task<W: Work> {
    id: u64,
    /// The place for steps that any thread may do: the helpers, or the owner if there are none.
    home: Place,
    pub(super) outlives_shut_down: bool,
    queue: Arc<Queue<Self>>,
    listener: Listener<W>,
    state: Mutex<State<W>>,
    /// Wakes one waiting thread when the work is handed to it, all when the task is done.
    changed: Condvar,
    /// Set, never reset: checked after each step. Both are checked again under the lock of `state`.
    cancelled: AtomicBool,
    wanted: AtomicBool,
    /// Set by [`Task::unpark`] during a step, which may be about to park. Only changed under the lock of `state`.
    unparked: AtomicBool,
    /// Bits of f32. They only grow.
    progress: AtomicU32,
    reported: AtomicU32,
}

enum State<W> {
    /// No thread works on it.
    Free(Place, W),
    /// This thread works on it.
    Claimed(ThreadId),
    Done(End<W>),
}

enum End<W> {
    Finished(Option<W>),
    Cancelled,
    Panicked,
}

/// The steps of one task that a thread does before it works on the next one.
pub(super) struct Turn<'a> {
    pub(super) threads: &'a Threads,
    /// The place where the work was claimed. The turn continues with steps that belong there, or with all for a waiting
    /// thread.
    pub(super) place: Place,
    pub(super) until: Option<Instant>,
}

impl<W: Work> Task<W> {
    /// Makes a task whose work is free at `home`, in no list so far.
    pub(super) fn new(queue: &Arc<Queue<Self>>, home: Place, work: W, listener: Listener<W>) -> Arc<Self> {
        let outlives_shut_down = work.outlives_shut_down();
        Arc::new(Self {
            id: queue.next_id(),
            home,
            outlives_shut_down,
            queue: Arc::clone(queue),
            listener,
            state: Mutex::new(State::Free(home, work)),
            changed: Condvar::new(),
            cancelled: AtomicBool::new(false),
            wanted: AtomicBool::new(false),
            unparked: AtomicBool::new(false),
            progress: AtomicU32::new(0),
            reported: AtomicU32::new(0),
        })
    }

    /// See [`Task::cancel`]. Returns the place of the work if it is free.
    pub(super) fn note_cancelled(&self) -> Option<Place> {
        self.cancelled.store(true, Ordering::Relaxed);
        // A thread that has claimed the work checks the flag under this lock before it leaves the work.
        match &*self.lock() {
            State::Free(place, _) => Some(*place),
            State::Claimed(_) | State::Done(_) => None,
        }
    }

    /// Returns the place where a parked task must be put. Notes it for a step that may be about to park.
    pub(super) fn end_park(&self) -> Option<Place> {
        match &mut *self.lock() {
            State::Free(place @ Place::Parked, _) => *place = self.home,
            State::Claimed(_) => {
                self.unparked.store(true, Ordering::Relaxed);
                return None;
            }
            State::Free(..) | State::Done(_) => return None,
        }
        Some(self.home)
    }

    /// True if the task has ended.
    pub fn is_done(&self) -> bool {
        matches!(&*self.lock(), State::Done(_))
    }

    /// True if the task was ended by [`Self::cancel`] or [`Tasks::shut_down`](super::Tasks::shut_down), without its work.
    pub fn is_cancelled(&self) -> bool {
        matches!(&*self.lock(), State::Done(End::Cancelled))
    }

    /// True if the task ended because a step panicked, without its work.
    pub fn is_panicked(&self) -> bool {
        matches!(&*self.lock(), State::Done(End::Panicked))
    }

    /// Returns how much is done, from 0 to 1. Never falls, and is 1 when the work is done.
    pub fn progress(&self) -> f32 {
        f32::from_bits(self.progress.load(Ordering::Relaxed))
    }

    /// Returns the work of a task that ended with it, the first time.
    pub fn take(&self) -> Option<W> {
        match &mut *self.lock() {
            State::Done(End::Finished(work)) => work.take(),
            _ => None,
        }
    }

    /// Returns true when the task is done. This thread works on it with `threads` as soon as no other does, including
    /// the owner's steps. Several threads may wait, even inside a step of another task. Inside a step of this task it
    /// returns false at once.
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
            self.take_turn(work, &Turn { threads, place: Place::Waiter, until: None });
        }
        true
    }

    /// Returns the work, if it is free at `place`.
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

    /// Does steps until the turn is over, then leaves the work or ends the task. Returns the place where the task must
    /// be put, if any.
    pub(super) fn take_turn(self: &Arc<Self>, mut work: W, turn: &Turn<'_>) -> Option<Place> {
        loop {
            if self.cancelled.load(Ordering::Relaxed) {
                self.end_without(work, End::Cancelled);
                return None;
            }
            let stepped = catch_unwind(AssertUnwindSafe(|| {
                let next = work.step(turn.threads, &|progress| self.note(progress));
                if next == NextStep::Parked && turn.place == Place::Waiter {
                    work.unblock(turn.threads);
                }
                (next, work.progress())
            }));
            let Ok((next, progress)) = stepped else {
                self.end_without(work, End::Panicked);
                return None;
            };
            self.note(if next == NextStep::Done { 1.0 } else { progress });
            let place = match next {
                NextStep::More => self.home,
                NextStep::Blocking if self.home != Place::Owner => Place::Device,
                NextStep::Blocking | NextStep::Owner => Place::Owner,
                NextStep::Parked => Place::Parked,
                NextStep::Done => {
                    self.end(End::Finished(Some(work)));
                    return None;
                }
            };
            let goes_on = turn.place == Place::Waiter
                || turn.place == place
                    && !self.wanted.load(Ordering::Relaxed)
                    && turn.until.is_none_or(|until| Instant::now() < until);
            if !goes_on {
                return self.leave(work, place);
            }
        }
    }

    /// Leaves the work at `place`, unless a thread waits for it or it was cancelled.
    fn leave(self: &Arc<Self>, work: W, place: Place) -> Option<Place> {
        let mut state = self.lock();
        if self.cancelled.load(Ordering::Relaxed) {
            drop(state);
            self.end_without(work, End::Cancelled);
            return None;
        }
        // A waiting thread stays until the task is done, so it will claim the work.
        let wanted = self.wanted.load(Ordering::Relaxed);
        let is_unparked = place == Place::Parked && self.unparked.swap(false, Ordering::Relaxed);
        let place = if is_unparked { self.home } else { place };
        *state = State::Free(if wanted { Place::Waiter } else { place }, work);
        drop(state);
        if wanted {
            self.changed.notify_one();
            return None;
        }
        Some(place)
    }

    /// Drops the work before the task is done, so that what it held is gone by then.
    fn end_without(self: &Arc<Self>, work: W, end: End<W>) {
        let _ = catch_unwind(AssertUnwindSafe(|| drop(work)));
        self.end(end);
    }

    fn end(self: &Arc<Self>, end: End<W>) {
        *self.lock() = State::Done(end);
        self.changed.notify_all();
        self.report(TaskEvent::Finished);
        self.queue.remove(self.id);
    }

    /// Several threads may call this at once within a step.
    fn note(self: &Arc<Self>, progress: f32) {
        // NaN and -0 are 0 as well, so that the bits are in the order of the numbers.
        let bits = if progress > 0.0 { progress.min(1.0).to_bits() } else { 0 };
        let bits = self.progress.fetch_max(bits, Ordering::Relaxed).max(bits);
        let is_news = |reported: u32| f32::from_bits(bits) - f32::from_bits(reported) >= REPORTED;
        let news = |reported| is_news(reported).then_some(bits);
        if self.reported.fetch_update(Ordering::Relaxed, Ordering::Relaxed, news).is_ok() {
            self.report(TaskEvent::Progressed);
        }
    }

    pub(super) fn report(self: &Arc<Self>, event: TaskEvent) {
        let _ = catch_unwind(AssertUnwindSafe(|| (self.listener)(self, event)));
    }

    pub(super) fn queue(&self) -> &Arc<Queue<Self>> {
        &self.queue
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        // Nothing panics while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Work> fmt::Debug for Task<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = self.is_done();
        f.debug_struct("Task").field("id", &self.id).field("done", &done).finish_non_exhaustive()
    }
}
