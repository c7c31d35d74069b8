//! The turns of tasks on the helpers of one set of threads.
//!
//! A pool of rayon's does what its own threads have spawned before what comes from outside, as calls do. So a turn is no job
//! of the pool: turns are in a list of their own. A **runner** is a job that takes turns from the list, and lets all other
//! jobs run after each: those of calls. It ends when the list is empty, so that an idle list costs nothing.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rayon::Yield;

use crate::ending::lock;

/// How long one task is worked on before the next one has its turn, which is also how long a call waits for a helper.
pub(crate) const SLICE: Duration = Duration::from_millis(2);

/// Works for about a [`SLICE`], and never panics.
type Turn = Box<dyn FnOnce() + Send>;

/// When a turn comes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Before all others.
    First,
    /// After all others.
    Last,
    /// The same, for what has just had a turn: whoever gave it looks for the next one after this.
    Again,
}

/// The turns that wait for a helper, the next one first.
#[derive(Default)]
pub(crate) struct Turns(Mutex<VecDeque<Turn>>);

thread_local! {
    /// True while this helper is in a runner.
    static RUNS: Cell<bool> = const { Cell::new(false) };
}

impl Turns {
    /// Adds a turn. A runner must look at the list after this.
    pub(crate) fn add(&self, order: Order, turn: Turn) {
        let mut turns = lock(&self.0);
        if order == Order::First { turns.push_front(turn) } else { turns.push_back(turn) }
    }

    /// Runs a runner, on a helper.
    pub(crate) fn run(self: Arc<Self>) {
        if RUNS.replace(true) {
            // Below this frame on the stack, a runner is letting other jobs run. It looks at the list afterwards.
            return;
        }
        while let Some(turn) = self.next() {
            turn();
            // For at most a slice, as new jobs may come all the time.
            let until = Instant::now() + SLICE;
            while rayon::yield_now() == Some(Yield::Executed) && Instant::now() < until {}
        }
        RUNS.set(false);
    }

    /// Returns the next turn. If there are others, a helper that has nothing else to do meanwhile becomes a runner.
    fn next(self: &Arc<Self>) -> Option<Turn> {
        let mut turns = lock(&self.0);
        let turn = turns.pop_front()?;
        let are_others = !turns.is_empty();
        drop(turns);
        if are_others {
            let this = Arc::clone(self);
            rayon::spawn(move || this.run());
        }
        Some(turn)
    }
}
