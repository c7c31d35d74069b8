//! Lends a closure that borrows to helpers that may come late: to threads that the caller does not wait for.
//!
//! A helper holds the gate by an [`Arc`], and nothing of the caller's. It enters while the gate is open, and calls the
//! closure inside. When the caller has no work left, or panics, it closes the gate and waits until nobody is inside. A
//! helper that comes later goes away. So the invariant is: **a reference to the closure is in the gate only while it is
//! open, and with a helper only while that is inside**. Both are over before the closure's borrow ends.
//!
//! Nobody waits in a circle when calls nest: a caller waits only for what its own call began.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// How often a closed gate is looked at before the caller sleeps: some 20 µs, as long as it takes to wake it again.
const LOOKS: u32 = if cfg!(miri) { 2 } else { 300 };

/// What the caller lends.
type Work<'a> = dyn Fn() + Sync + 'a;

pub(super) struct Gate {
    state: Mutex<State>,
    /// Told when a closed gate becomes empty.
    empty: Condvar,
}

struct State {
    /// While the gate is open.
    work: Option<&'static Work<'static>>,
    /// How many helpers are inside.
    inside: usize,
    /// Of the first helper that panicked.
    panic: Option<Box<dyn Any + Send>>,
}

/// Lets `invite` hand out a gate, calls `work`, and returns when neither this thread nor one that has
/// [entered](Gate::enter) is in `work` any more.
///
/// # Panics
/// With the panic of a call that panicked: of this thread's own, if there is one.
pub(super) fn share<'a>(work: &'a Work<'a>, invite: impl FnOnce(&Arc<Gate>)) {
    // SAFETY: only the lifetime changes. The module's invariant keeps the longer one from being used: `Closing` is
    // dropped before this function returns or unwinds, and so before 'a ends; and it waits until the gate is closed and
    // empty. `enter` is the only other place that reads the reference, and is done with it when it leaves.
    let lent = unsafe { std::mem::transmute::<&'a Work<'a>, &'static Work<'static>>(work) };
    let state = Mutex::new(State { work: Some(lent), inside: 0, panic: None });
    let closing = Closing(Arc::new(Gate { state, empty: Condvar::new() }));
    invite(&closing.0);
    work();
    let gate = Arc::clone(&closing.0);
    drop(closing);
    let panic = gate.lock().panic.take();
    if let Some(panic) = panic {
        resume_unwind(panic);
    }
}

impl Gate {
    /// Does a helper's part of the work, if the gate is still open.
    pub(super) fn enter(&self) {
        let mut state = self.lock();
        let Some(work) = state.work else { return };
        state.inside += 1;
        drop(state);
        let panic = catch_unwind(AssertUnwindSafe(work)).err();
        let mut state = self.lock();
        // One that is not kept is dropped last, behind the lock: that may run anything.
        if state.panic.is_none() {
            state.panic = panic;
        }
        state.inside -= 1;
        if state.inside == 0 && state.work.is_none() {
            self.empty.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes the gate when dropped, and waits until it is empty.
struct Closing(Arc<Gate>);

impl Drop for Closing {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.work = None;
        for _ in 0..LOOKS {
            if state.inside == 0 {
                return;
            }
            drop(state);
            std::hint::spin_loop();
            state = self.0.lock();
        }
        while state.inside > 0 {
            state = self.0.empty.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// With plain threads, so that Miri sees the gate alone; `tests/workers/threads.rs` has the rest.
#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::{JoinHandle, spawn};

    /// Shares work that counts its calls with so many threads, each of which comes when it likes.
    fn count_calls(helpers: usize, late: &mut Vec<JoinHandle<()>>) -> usize {
        let calls = Box::new(AtomicUsize::new(0));
        let work = || _ = calls.fetch_add(1, Ordering::Relaxed);
        share(&work, |gate| {
            for _ in 0..helpers {
                let gate = Arc::clone(gate);
                late.push(spawn(move || gate.enter()));
            }
        });
        calls.into_inner()
    }

    #[test]
    fn helpers_come_when_they_like() {
        let mut late = Vec::new();
        for _ in 0..if cfg!(miri) { 20 } else { 500 } {
            assert!((1..=4).contains(&count_calls(3, &mut late)));
            late.drain(..).for_each(|helper| helper.join().expect("ends"));
        }
    }

    #[test]
    fn a_closed_gate_lets_nobody_in() {
        let mut handed_out = None;
        share(&|| {}, |gate| handed_out = Some(Arc::clone(gate)));
        let gate = handed_out.expect("the gate");
        assert!(gate.lock().work.is_none());
        gate.enter();
        assert_eq!(gate.lock().inside, 0);
    }

    #[test]
    fn the_caller_waits_for_who_is_inside_even_if_it_panics() {
        for panics in [false, true] {
            let (left, both, caller) = (Box::new(AtomicUsize::new(0)), Barrier::new(2), std::thread::current().id());
            let work = || {
                both.wait();
                if std::thread::current().id() != caller {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                    left.fetch_add(1, Ordering::Relaxed);
                } else if panics {
                    resume_unwind(Box::new("own"));
                }
            };
            let mut helper = None;
            let invite = |gate: &Arc<Gate>| {
                let gate = Arc::clone(gate);
                helper = Some(spawn(move || gate.enter()));
            };
            assert_eq!(catch_unwind(AssertUnwindSafe(|| share(&work, invite))).is_err(), panics);
            assert_eq!(left.into_inner(), 1);
            helper.expect("was invited").join().expect("ends");
        }
    }

    #[test]
    fn inviting_may_panic() {
        let mut helper = None;
        let result = catch_unwind(AssertUnwindSafe(|| {
            let calls = Box::new(AtomicUsize::new(0));
            let work = || _ = calls.fetch_add(1, Ordering::Relaxed);
            share(&work, |gate| {
                let gate = Arc::clone(gate);
                helper = Some(spawn(move || gate.enter()));
                resume_unwind(Box::new("no thread"));
            });
        }));
        assert!(result.is_err());
        helper.expect("was invited").join().expect("ends");
    }
}
