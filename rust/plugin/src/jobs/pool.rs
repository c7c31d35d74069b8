//! The threads that all calls share, started for the first large call or task, and the queue of tasks.

use std::sync::Mutex;

use varbatch_workers::Threads;
use varbatch_workers::tasks::Tasks;

use super::job::AnyJob;
use super::lock;

/// Only the calling thread.
static ALONE: Threads = Threads::alone();

static POOL: Mutex<Pool> = Mutex::new(Pool { wanted: 0, threads: None });

static TASKS: Tasks<AnyJob> = Tasks::new();

struct Pool {
    /// The thread count that the user set; 0 means one thread per core.
    wanted: usize,
    threads: Option<Threads>,
}

/// Returns the shared threads. They live as long as this handle, even if the count changes.
pub fn threads() -> Threads {
    let mut pool = lock(&POOL);
    let wanted = pool.wanted;
    pool.threads.get_or_insert_with(|| Threads::new(wanted)).clone()
}

/// Returns the tasks, which are started with [`threads`].
pub fn tasks() -> &'static Tasks<AnyJob> {
    &TASKS
}

/// Runs `work` with the shared threads if it is `large`, otherwise on the calling thread alone.
#[inline]
pub fn with<R>(large: bool, work: impl FnOnce(&Threads) -> R) -> R {
    if large { work(&threads()) } else { work(&ALONE) }
}

/// Sets the thread count, including the caller; 0 means one per core. Running calls and tasks keep their threads.
pub fn set_count(count: usize) {
    let mut pool = lock(&POOL);
    pool.wanted = count;
    let old = pool.threads.take();
    drop(pool);
    // Dropping the last handle waits for the threads to end, so drop it outside the lock.
    drop(old);
}

/// Returns how many threads work on a large call.
pub fn count() -> usize {
    let pool = lock(&POOL);
    pool.threads.as_ref().map_or_else(|| Threads::planned(pool.wanted), Threads::count)
}

/// Ends the tasks and the threads, after completing the tasks that must complete. The library may be unloaded after
/// this.
pub fn shut_down() {
    let threads = lock(&POOL).threads.clone();
    TASKS.shut_down(threads.as_ref().unwrap_or(&ALONE));
    drop(threads);
    let old = lock(&POOL).threads.take();
    drop(old);
}
