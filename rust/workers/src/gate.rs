//! Lends a borrowing closure to helpers that may come late, and that the caller does not wait for.
//!
//! A helper holds the gate in an [`Arc`], and nothing else of the caller's. It enters while the gate is open, and calls
//! the closure inside. When the caller has no more work, or panics, it closes the gate and waits until no helper is
//! inside. A helper that comes later leaves at once. So the invariant is: **the gate holds a reference to the closure
//! only while it is open, and a helper only while it is inside**. Both end before the closure's borrow does. Nested
//! calls never deadlock: a caller waits only for what its own call began.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// How often the caller checks a closed gate before it sleeps: for some 20 µs, as long as it takes to wake it again.
const LOOKS: u32 = if cfg!(miri) { 2 } else { 300 };

type Lent<'a> = dyn Fn() + Sync + 'a;

pub(crate) struct Gate {
    state: Mutex<GateState>,
    /// Woken when a closed gate becomes empty.
    empty: Condvar,
}

struct GateState {
    /// Set while the gate is open.
    work: Option<&'static Lent<'static>>,
    /// The number of helpers inside.
    inside: usize,
    /// The panic of the first helper that panicked.
    panic: Option<Box<dyn Any + Send>>,
}

/// Lets `invite` hand out a gate, calls `work`, and returns once no thread is in it. Panics like a call, ours first.
pub(crate) fn share<'a>(work: &'a Lent<'a>, invite: impl FnOnce(&Arc<Gate>)) {
    // SAFETY: only the lifetime changes. The module's invariant keeps the longer one from being used: `Closing` is
    // dropped before this function returns or unwinds, and so before 'a ends; and it waits until the gate is closed and
    // empty. `enter` is the only other place that reads the reference, and is done with it when it leaves.
    let lent = unsafe { std::mem::transmute::<&'a Lent<'a>, &'static Lent<'static>>(work) };
    let state = Mutex::new(GateState { work: Some(lent), inside: 0, panic: None });
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
    pub(crate) fn enter(&self) {
        let mut state = self.lock();
        let Some(work) = state.work else { return };
        state.inside += 1;
        drop(state);
        let panic = catch_unwind(AssertUnwindSafe(work)).err();
        let mut state = self.lock();
        // A payload that is not kept is dropped last, after unlocking: its drop may run anything.
        if state.panic.is_none() {
            state.panic = panic;
        }
        state.inside -= 1;
        if state.inside == 0 && state.work.is_none() {
            self.empty.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, GateState> {
        // Nothing panics while the lock is held.
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
