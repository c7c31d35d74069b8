//! The threads that all calls share, made when the first large call needs them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use varbatch_codec::Threads;

/// No threads but the caller.
static ALONE: Threads = Threads::alone();

static POOL: Mutex<Pool> = Mutex::new(Pool { wanted: 0, threads: None });

struct Pool {
    /// What the user asked for: 0 is one thread a core.
    wanted: usize,
    threads: Option<Arc<Threads>>,
}

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` with the threads that all share if it is `large`, alone otherwise.
#[inline]
pub fn with<R>(large: bool, work: impl FnOnce(&Threads) -> R) -> R {
    if !large {
        return work(&ALONE);
    }
    // A call that still uses these threads keeps them when the count is changed meanwhile.
    let threads = {
        let mut pool = pool();
        let wanted = pool.wanted;
        Arc::clone(pool.threads.get_or_insert_with(|| Arc::new(Threads::new(wanted))))
    };
    work(&threads)
}

/// Sets how many threads work, the caller among them; 0 is one a core.
pub fn set_count(count: usize) {
    let old = {
        let mut pool = pool();
        pool.wanted = count;
        pool.threads.take()
    };
    // Waits for the threads to end, if no call uses them any more: outside the lock.
    drop(old);
}

/// How many threads work on a large call.
pub fn count() -> usize {
    let pool = pool();
    pool.threads.as_ref().map_or_else(|| Threads::planned(pool.wanted), |threads| threads.count())
}

/// Ends the threads. The library may be unloaded after this.
pub fn shut_down() {
    let old = pool().threads.take();
    drop(old);
}
