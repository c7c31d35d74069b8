//! The threads that all calls share, made when the first large call or task needs them, and the queue of tasks.

use std::sync::Mutex;

use varbatch_workers::Threads;
use varbatch_workers::tasks::Tasks;

use super::job::AnyJob;
use super::lock;

/// No threads but the caller.
static ALONE: Threads = Threads::alone();

static POOL: Mutex<Pool> = Mutex::new(Pool { wanted: 0, threads: None });

static TASKS: Tasks<AnyJob> = Tasks::new();

struct Pool {
    /// What the user asked for: 0 is one thread for each core.
    wanted: usize,
    threads: Option<Threads>,
}

/// The threads that all share. They stay while this handle does, even if the count is changed meanwhile.
pub fn threads() -> Threads {
    let mut pool = lock(&POOL);
    let wanted = pool.wanted;
    pool.threads.get_or_insert_with(|| Threads::new(wanted)).clone()
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

/// Sets how many threads work, including the caller; 0 is one for each core. Calls and tasks under way keep theirs.
pub fn set_count(count: usize) {
    let mut pool = lock(&POOL);
    pool.wanted = count;
    let old = pool.threads.take();
    drop(pool);
    // The last handle waits for the threads to end: outside the lock.
    drop(old);
}

/// How many threads work on a large call.
pub fn count() -> usize {
    let pool = lock(&POOL);
    pool.threads.as_ref().map_or_else(|| Threads::planned(pool.wanted), Threads::count)
}

/// Ends the tasks and the threads: tasks that must be done are done first. The library may be unloaded after this.
pub fn shut_down() {
    let threads = lock(&POOL).threads.clone();
    TASKS.shut_down(threads.as_ref().unwrap_or(&ALONE));
    drop(threads);
    let old = lock(&POOL).threads.take();
    drop(old);
}
