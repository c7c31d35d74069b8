//! What a queue knows of its tasks and runners.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Weak};

use super::Work;
use super::task::Task;
use super::turn::Place;
use crate::threads::Pool;

/// Under the queue's lock.
pub(super) struct Lists<W: Work> {
    /// Hints at tasks that are free at [`Place::Ready`] and [`Place::Caller`]: they may have been claimed by who waits.
    pub(super) ready: VecDeque<Arc<Task<W>>>,
    pub(super) callers: VecDeque<Arc<Task<W>>>,
    /// All that have not ended, or whose end is being told.
    pub(super) live: HashMap<u64, Arc<Task<W>>>,
    pub(super) last_id: u64,
    /// Of the threads that are used now. Its owner may drop them at any time.
    pub(super) pool: Weak<Pool>,
    pub(super) helpers: usize,
    /// That of the threads that are used now; those before [`Self::next_order`] are too old.
    pub(super) order: u64,
    pub(super) next_order: u64,
    /// Runners of the pool that is used now, begun or not.
    pub(super) runners: usize,
    /// Runners of all pools, and calls of [`Queue::run_slice`].
    pub(super) running: usize,
    pub(super) closing: bool,
    /// Which list the owner looks at first.
    pub(super) callers_first: bool,
}

/// A runner that was counted, and must be spawned.
#[must_use]
pub(super) struct Hired(pub(super) Arc<Pool>, pub(super) u64);

impl<W: Work> Lists<W> {
    pub(super) fn new() -> Self {
        Self {
            ready: VecDeque::new(),
            callers: VecDeque::new(),
            live: HashMap::new(),
            last_id: 0,
            pool: Weak::new(),
            helpers: 0,
            order: 0,
            next_order: 0,
            runners: 0,
            running: 0,
            closing: false,
            callers_first: true,
        }
    }

    /// One more runner, if there is a thread for it.
    pub(super) fn hire(&mut self) -> Option<Hired> {
        if self.runners >= self.helpers {
            return None;
        }
        let pool = self.open_pool()?;
        self.runners += 1;
        self.running += 1;
        Some(Hired(pool, self.order))
    }

    /// A runner ends.
    pub(super) fn leave(&mut self, order: u64) {
        self.running -= 1;
        if order == self.order {
            self.runners -= 1;
        }
    }

    /// Of the threads that are used now, unless they are being dropped.
    pub(super) fn open_pool(&self) -> Option<Arc<Pool>> {
        self.pool.upgrade().filter(|pool| pool.is_open())
    }

    /// Whether runners come for what is ready.
    pub(super) fn has_helpers(&self) -> bool {
        self.open_pool().is_some()
    }

    pub(super) fn next_for_owner(&mut self) -> Option<(Arc<Task<W>>, Place)> {
        self.callers_first = !self.callers_first;
        let caller = |lists: &mut Self| Some((lists.callers.pop_front()?, Place::Caller));
        let ready = |lists: &mut Self| match lists.has_helpers() {
            true => None,
            false => Some((lists.ready.pop_front()?, Place::Ready)),
        };
        if self.callers_first { caller(self).or_else(|| ready(self)) } else { ready(self).or_else(|| caller(self)) }
    }
}
