//! The threads that all calls share, made when the first large call or task needs them, and the queue of tasks.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use varbatch_workers::Threads;
use varbatch_workers::tasks::Tasks;

use crate::jobs::job::AnyJob;

/// No threads but the caller.
static ALONE: Threads = Threads::alone();

static POOL: Mutex<Pool> = Mutex::new(Pool { wanted: 0, threads: None, left: Vec::new() });

static TASKS: Tasks<AnyJob> = Tasks::new();

struct Pool {
    /// What the user asked for: 0 is one thread a core.
    wanted: usize,
    threads: Option<Arc<Threads>>,
    /// Threads that one of themselves used last, and so could not end.
    left: Vec<Lease>,
}

impl Pool {
    fn threads(&mut self) -> Lease {
        let wanted = self.wanted;
        Lease(Some(Arc::clone(self.threads.get_or_insert_with(|| Arc::new(Threads::new(wanted))))))
    }
}

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Threads that stay while this does, even if the count is changed meanwhile.
pub struct Lease(Option<Arc<Threads>>);

impl Deref for Lease {
    type Target = Threads;

    fn deref(&self) -> &Threads {
        self.0.as_deref().unwrap_or(&ALONE)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // The last one waits for the threads to end: a step of a task, which runs on one of them, would wait for itself.
        if !self.is_helper() {
            return;
        }
        let Some(threads) = self.0.take() else { return };
        let mut pool = pool();
        if pool.threads.as_ref().is_some_and(|current| Arc::ptr_eq(current, &threads)) {
            // Not the last, as long as the pool is locked.
            drop(threads);
        } else {
            // For the next that is not on one of them.
            pool.left.push(Self(Some(threads)));
        }
    }
}

/// The threads that all share.
pub fn threads() -> Lease {
    pool().threads()
}

/// The tasks, which are started with [`threads`].
pub fn tasks() -> &'static Tasks<AnyJob> {
    &TASKS
}

/// Runs `work` with the threads that all share if it is `large`, alone otherwise.
#[inline]
pub fn with<R>(large: bool, work: impl FnOnce(&Threads) -> R) -> R {
    if large { work(&threads()) } else { work(&ALONE) }
}

/// Sets how many threads work, the caller among them; 0 is one a core.
pub fn set_count(count: usize) {
    let (new, old) = {
        let mut pool = pool();
        pool.wanted = count;
        let Some(old) = pool.threads.take() else { return };
        // Made at once, as tasks that have begun go on with them.
        (pool.threads(), (Lease(Some(old)), std::mem::take(&mut pool.left)))
    };
    TASKS.set_threads(&new);
    // Waits for the threads to end, if no call uses them any more: outside the lock, and when no task does.
    drop(old);
}

/// How many threads work on a large call.
pub fn count() -> usize {
    let pool = pool();
    pool.threads.as_ref().map_or_else(|| Threads::planned(pool.wanted), |threads| threads.count())
}

/// Ends the tasks and the threads: tasks that must be done are done first. The library may be unloaded after this.
pub fn shut_down() {
    let threads = Lease(pool().threads.clone());
    TASKS.shut_down(&threads);
    drop(threads);
    let old = {
        let mut pool = pool();
        (Lease(pool.threads.take()), std::mem::take(&mut pool.left))
    };
    drop(old);
}
