//! One task: the holder of its work, its turns on any thread, and its end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{Builder, ThreadId};
use std::time::{Duration, Instant};

use super::queue::Queue;
use super::{NextStep, TaskEvent, Work};
use crate::ending::{join_later, lock, unpoisoned};
use crate::threads::{HasTurns, Order, SLICE, Threads};

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

/// How often a thread that waits for another one asks if it still has to.
const LOOK: Duration = Duration::from_millis(10);

/// The min change of progress that is reported.
const REPORTED: f32 = 0.01;

/// The place of work that no thread works on, which says who may claim it: if a thread waits, it alone, anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the list of its helpers.
    Helpers,
    /// In the owner's list.
    Owner,
    /// Reserved for a thread of its own, which is being started.
    Device,
    /// In no list: for the helper or owner that gets it when it is unparked.
    Parked,
}

pub(super) type Listener<W> = Box<dyn Fn(&Arc<Task<W>>, TaskEvent) + Send + Sync>;

/// Work that was started. It continues when no handle to it remains.
pub struct Task<W: Work> {
    /// Larger than those of all tasks before.
    pub(super) id: u64,
    /// The place for steps that any thread may do: the helpers, or the owner if there are none.
    home: Place,
    pub(super) outlives_shut_down: bool,
    queue: Arc<Queue<W>>,
    listener: Listener<W>,
    state: Mutex<State<W>>,
    /// Wakes one waiting thread when the work is handed to it, all when the task is done.
    changed: Condvar,
    /// Set, never reset: checked after each step, and again under the lock of `state`.
    cancelled: AtomicBool,
    /// How many threads wait. Only changed under the lock of `state`.
    wanted: AtomicUsize,
    /// Set by [`Self::unpark`] during a step, which may be about to park. Only changed under the lock of `state`.
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
    /// It is done. The work is here until it is taken, unless the task was cancelled.
    Ended(Option<W>),
    Panicked,
}

impl<W: Work> Task<W> {
    /// Makes a task whose work is free, in no list so far.
    pub(super) fn new(queue: &Arc<Queue<W>>, home: Place, work: W, listener: Listener<W>) -> Arc<Self> {
        let outlives_shut_down = work.outlives_shut_down();
        let place = if work.is_parked() { Place::Parked } else { home };
        Arc::new(Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            home,
            outlives_shut_down,
            queue: Arc::clone(queue),
            listener,
            state: Mutex::new(State::Free(place, work)),
            changed: Condvar::new(),
            cancelled: AtomicBool::new(false),
            wanted: AtomicUsize::new(0),
            unparked: AtomicBool::new(false),
            progress: AtomicU32::new(0),
            reported: AtomicU32::new(0),
        })
    }

    /// Lists it, unless it waits from the start.
    pub(super) fn begin(self: &Arc<Self>) {
        let place = if let State::Free(place, _) = &*lock(&self.state) { Some(*place) } else { None };
        if place == Some(self.home) {
            self.put(self.home, Order::Last);
        }
    }

    /// Ends the task without its work, unless that is done first. Its holder drops the work after the current step.
    pub fn cancel(self: &Arc<Self>) {
        self.cancelled.store(true, Ordering::Relaxed);
        // A thread that has claimed the work checks the flag under this lock before it leaves the work.
        let free_at = if let State::Free(place, _) = &*lock(&self.state) { Some(*place) } else { None };
        if let Some(place) = free_at {
            self.list(place, Order::First);
        }
        self.unpark();
    }

    /// Continues a task that is [parked](NextStep::Parked), or about to be. Another one's next park may end at once.
    pub fn unpark(self: &Arc<Self>) {
        match &mut *lock(&self.state) {
            State::Free(place @ Place::Parked, _) => *place = self.home,
            State::Claimed(_) => return self.unparked.store(true, Ordering::Relaxed),
            _ => return,
        }
        self.put(self.home, Order::Last);
    }

    /// True if the task has ended.
    pub fn is_done(&self) -> bool {
        !matches!(&*lock(&self.state), State::Free(..) | State::Claimed(_))
    }

    /// True if the task ended because a step panicked, without its work.
    pub fn is_panicked(&self) -> bool {
        matches!(&*lock(&self.state), State::Panicked)
    }

    /// Returns how much is done, from 0 to 1. Never falls, and is 1 when the work is done.
    pub fn progress(&self) -> f32 {
        f32::from_bits(self.progress.load(Ordering::Relaxed))
    }

    /// Returns the work of a task that ended with it, the first time: not if it was cancelled or shut down.
    pub fn take(&self) -> Option<W> {
        if let State::Ended(work) = &mut *lock(&self.state) { work.take() } else { None }
    }

    /// Returns true when the task is done; works on it with `threads`, even on the owner's steps, while no other thread
    /// does. Several may wait, even inside a step of another task. Inside a step of this task it returns false at once.
    pub fn wait(self: &Arc<Self>, threads: &Threads) -> bool {
        self.wait_until(threads, &|| false)
    }

    /// Waits in the same way, but not any more when `is_over`, which is asked between steps.
    pub fn wait_until(self: &Arc<Self>, threads: &Threads, is_over: &dyn Fn() -> bool) -> bool {
        let state = lock(&self.state);
        let this = std::thread::current().id();
        if matches!(&*state, State::Claimed(thread) if *thread == this) {
            return false;
        }
        self.wanted.fetch_add(1, Ordering::Relaxed);
        drop(state);
        loop {
            let is_claimed = |state: &mut State<W>| matches!(state, State::Claimed(_));
            let waited = self.changed.wait_timeout_while(lock(&self.state), LOOK, is_claimed);
            let (mut state, waited) = unpoisoned(waited);
            let work = Self::claim_in(&mut state, |_| true);
            drop(state);
            if let Some((place, work)) = work {
                self.take_turn(work, place, threads, None, is_over);
                break;
            }
            if !waited.timed_out() || is_over() {
                break;
            }
        }
        let state = lock(&self.state);
        let is_last = self.wanted.fetch_sub(1, Ordering::Relaxed) == 1;
        let left_at = if let State::Free(place, _) = &*state { Some(*place).filter(|_| is_last) } else { None };
        drop(state);
        left_at.into_iter().for_each(|place| self.put(place, Order::Last));
        true
    }

    /// Works on the task for a turn, if its work is free at `place`, and puts it where it belongs. True if it was free.
    pub(super) fn work_on(self: &Arc<Self>, threads: &Threads, place: Place, until: Option<Instant>) -> bool {
        let may_claim = |at| at == place && self.wanted.load(Ordering::Relaxed) == 0;
        let Some((_, work)) = Self::claim_in(&mut lock(&self.state), may_claim) else { return false };
        let is_over = || until.is_some_and(|until| Instant::now() >= until);
        if let Some(next) = self.take_turn(work, place, threads, Some(place), &is_over) {
            self.put(next, if next == place { Order::Again } else { Order::Last });
        }
        true
    }

    /// Puts the task, which is free at `place`, there.
    pub(super) fn put(self: &Arc<Self>, place: Place, order: Order) {
        self.list(place, order);
        match place {
            Place::Device => {
                let own = Arc::clone(self);
                let run = move || _ = own.work_on(&Threads::alone(), place, None);
                match Builder::new().name("varbatch-wait".to_owned()).spawn(run) {
                    Ok(thread) => join_later(thread),
                    Err(_) => _ = self.work_on(&Threads::alone(), place, None),
                }
            }
            Place::Owner if order != Order::Again => self.report(TaskEvent::Waiting),
            _ => {}
        }
    }

    /// Lists the task, which is free at `place`, if there is a list.
    fn list(self: &Arc<Self>, place: Place, order: Order) {
        let task = Arc::clone(self);
        if place == Place::Owner {
            let owned = &mut lock(&self.queue.lists).owned;
            return if order == Order::First { owned.push_front(task) } else { owned.push_back(task) };
        }
        // At other places, a thread for it is already coming, or not wanted.
        let threads = if place == Place::Helpers { self.queue.begin_turn(self.id) } else { None };
        if let Some(threads) = threads {
            threads.clone().add_turn(order, (task, threads));
        }
    }

    /// Returns the work and its place, if it is free where this thread may claim it.
    fn claim_in(state: &mut State<W>, may_claim: impl FnOnce(Place) -> bool) -> Option<(Place, W)> {
        match std::mem::replace(state, State::Claimed(std::thread::current().id())) {
            State::Free(at, work) if may_claim(at) => Some((at, work)),
            other => {
                *state = other;
                None
            }
        }
    }

    /// Does steps until the turn is over, then leaves the work, claimed at `place`, or ends the task. Goes on with
    /// steps that belong at `only`, or with all for a waiting thread. Returns where the task must be put, if anywhere.
    fn take_turn(
        self: &Arc<Self>,
        mut work: W,
        mut place: Place,
        threads: &Threads,
        only: Option<Place>,
        is_over: &dyn Fn() -> bool,
    ) -> Option<Place> {
        loop {
            if self.is_cancelled(&work) {
                return self.end_without(work, State::Ended(None));
            }
            if only.is_none() && is_over() {
                return self.leave(work, place);
            }
            let stepped = catch_unwind(AssertUnwindSafe(|| {
                let next = work.step(threads, &|progress| self.note(progress));
                if next == NextStep::Parked && only.is_none() {
                    work.unblock(threads);
                }
                (next, work.progress())
            }));
            let Ok((next, progress)) = stepped else { return self.end_without(work, State::Panicked) };
            self.note(if next == NextStep::Done { 1.0 } else { progress });
            place = match next {
                NextStep::More => self.home,
                NextStep::Blocking if self.home != Place::Owner => Place::Device,
                NextStep::Blocking | NextStep::Owner => Place::Owner,
                NextStep::Parked => Place::Parked,
                NextStep::Done => return self.end(State::Ended(Some(work))),
            };
            let goes_on =
                only.is_none() || only == Some(place) && self.wanted.load(Ordering::Relaxed) == 0 && !is_over();
            if !goes_on {
                return self.leave(work, place);
            }
        }
    }

    /// Leaves the work at `place`, unless it was cancelled. Returns where the task must be put, if no thread waits for it.
    fn leave(self: &Arc<Self>, work: W, place: Place) -> Option<Place> {
        let mut state = lock(&self.state);
        if self.is_cancelled(&work) {
            drop(state);
            return self.end_without(work, State::Ended(None));
        }
        let is_unparked = place == Place::Parked && self.unparked.swap(false, Ordering::Relaxed);
        let place = if is_unparked { self.home } else { place };
        *state = State::Free(place, work);
        let is_wanted = self.wanted.load(Ordering::Relaxed) > 0;
        drop(state);
        if is_wanted {
            // It claims the work, or puts the task at its place if it waits no longer.
            self.changed.notify_one();
            return None;
        }
        Some(place)
    }

    fn is_cancelled(&self, work: &W) -> bool {
        self.cancelled.load(Ordering::Relaxed) && !work.is_committed()
    }

    /// Drops the work before the task is done, so that what it held is gone by then.
    fn end_without(self: &Arc<Self>, work: W, end: State<W>) -> Option<Place> {
        let _ = catch_unwind(AssertUnwindSafe(|| drop(work)));
        self.end(end)
    }

    /// Ends the task, which must be put at no place any more.
    fn end(self: &Arc<Self>, end: State<W>) -> Option<Place> {
        let mut state = lock(&self.state);
        *state = end;
        let is_wanted = self.wanted.load(Ordering::Relaxed) > 0;
        drop(state);
        if is_wanted {
            self.changed.notify_all();
        }
        self.report(TaskEvent::Finished);
        self.queue.remove(self.id);
        None
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

    fn report(self: &Arc<Self>, event: TaskEvent) {
        let _ = catch_unwind(AssertUnwindSafe(|| (self.listener)(self, event)));
    }
}

impl<W: Work> HasTurns for Task<W> {
    fn turn(self: Arc<Self>, threads: Threads) {
        let queue = Arc::clone(&self.queue);
        // Drops the task, too, before a shut down is notified.
        let _ = catch_unwind(AssertUnwindSafe(move || {
            self.work_on(&threads, Place::Helpers, Some(Instant::now() + SLICE));
        }));
        queue.end_run();
    }
}
