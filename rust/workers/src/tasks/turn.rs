//! A turn: the steps that a thread does of a task before the next has it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::task::{End, State, Task};
use super::{NextStep, TaskEvent, Work};
use crate::Threads;

/// So far progress moves until it is told.
const TOLD_STEP: f32 = 0.01;

/// Where work is that nobody works on, and so who may claim it there. A thread that waits may claim it anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the queue: for a runner, or the owner where there are none.
    Ready,
    /// In the owner's list.
    Caller,
    /// For a thread of its own, that is on its way.
    Thread,
    /// For a thread that waits.
    Wanted,
}

/// Who works on a task, and for how long.
pub(super) struct Turn<'a> {
    pub(super) threads: &'a Threads,
    /// Which steps it may do: those of tasks at these places.
    pub(super) places: &'a [Place],
    pub(super) until: Option<Instant>,
    pub(super) by: By,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// That of the threads of this order.
    Runner(u64),
    /// The owner's thread, in a slice.
    Owner,
    /// One that waits for the task, and so does it to its end.
    Waiter,
    Other,
}

impl<W: Work> Task<W> {
    /// Does steps until the turn is over, and frees the work or ends the task. Returns where the task must be put by
    /// [`Queue::put`], if it must.
    #[must_use]
    pub(super) fn take_turn(self: &Arc<Self>, mut work: W, turn: &Turn<'_>) -> Option<Place> {
        loop {
            if self.cancelled.load(Ordering::Relaxed) {
                self.end_without(work, End::Cancelled);
                return None;
            }
            let done = catch_unwind(AssertUnwindSafe(|| {
                let step = work.step(turn.threads, &|progress| self.note(progress));
                (step, work.progress())
            }));
            let place = match done {
                Ok((step, progress)) => {
                    self.note(if step == NextStep::Done { 1.0 } else { progress });
                    match step {
                        NextStep::More => Place::Ready,
                        NextStep::Owner => Place::Caller,
                        NextStep::Blocking => Place::Thread,
                        NextStep::Done => {
                            self.end(End::Finished(Some(work)));
                            return None;
                        }
                    }
                }
                Err(_) => {
                    self.end_without(work, End::Panicked);
                    return None;
                }
            };
            let goes_on = turn.by == By::Waiter
                || turn.places.contains(&place)
                    && !self.wanted.load(Ordering::Relaxed)
                    && turn.until.is_none_or(|until| Instant::now() < until);
            if !goes_on {
                // Who may wait for the device does it in its next turn: without helpers it gets no thread either.
                let in_place = place == Place::Thread && turn.places.contains(&place);
                return self.free(work, if in_place { Place::Ready } else { place });
            }
        }
    }

    /// Works on the task for a turn, and puts it where it belongs then.
    pub(super) fn work_on(self: &Arc<Self>, work: W, turn: &Turn<'_>) {
        if let Some(place) = self.take_turn(work, turn) {
            self.queue.put(self, place, turn.by);
        }
    }

    /// Leaves the work at `place`, unless somebody wants it, or nobody.
    fn free(self: &Arc<Self>, work: W, place: Place) -> Option<Place> {
        let mut state = self.lock();
        if self.cancelled.load(Ordering::Relaxed) {
            drop(state);
            self.end_without(work, End::Cancelled);
            return None;
        }
        // Who waits does so until the task is done, and so is there to claim it.
        let wanted = self.wanted.load(Ordering::Relaxed);
        *state = State::Free(if wanted { Place::Wanted } else { place }, work);
        drop(state);
        if wanted {
            self.changed.notify_one();
            return None;
        }
        Some(place)
    }

    /// From several threads at once within a step.
    fn note(self: &Arc<Self>, progress: f32) {
        // NaN and -0 are 0 as well, so that the bits are in the order of the numbers.
        let bits = if progress > 0.0 { progress.min(1.0).to_bits() } else { 0 };
        let bits = self.progress.fetch_max(bits, Ordering::Relaxed).max(bits);
        let is_news = |told: u32| f32::from_bits(bits) - f32::from_bits(told) >= TOLD_STEP;
        let news = |told| is_news(told).then_some(bits);
        if self.told.fetch_update(Ordering::Relaxed, Ordering::Relaxed, news).is_ok() {
            self.tell(TaskEvent::Progressed);
        }
    }
}
