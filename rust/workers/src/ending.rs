//! Threads that end by themselves, and are joined later, which frees their system resources.

use std::sync::{LockResult, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Threads of devices, and helpers whose last handle one of them dropped: it cannot wait for its own end. All end soon.
static ENDING: Mutex<Vec<JoinHandle<()>>> = Mutex::new(Vec::new());

/// Held while threads are joined. One of them may still keep others, so `ENDING` is not held then.
static JOINING: Mutex<()> = Mutex::new(());

/// Keeps a thread that ends by itself. [`Tasks::shut_down`](crate::tasks::Tasks::shut_down) waits for it.
pub fn join_later(thread: JoinHandle<()>) {
    keep([thread]);
}

/// Keeps `threads`, and joins those that have ended.
pub(crate) fn keep(threads: impl IntoIterator<Item = JoinHandle<()>>) {
    lock(&ENDING).extend(threads);
    // Another thread that joins them may be waiting for this one.
    if let Ok(_joining) = JOINING.try_lock() {
        let ended: Vec<_> = lock(&ENDING).extract_if(.., |thread| thread.is_finished()).collect();
        join(ended);
    }
}

/// Waits for all kept threads, including those that another thread is joining.
pub(crate) fn join_kept() {
    let _joining = lock(&JOINING);
    loop {
        let Some(thread) = lock(&ENDING).pop() else { return };
        join([thread]);
    }
}

/// Locks data that stays valid even if a thread panics while it holds the lock.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    unpoisoned(mutex.lock())
}

/// Returns what is locked like [`lock`].
pub(crate) fn unpoisoned<G>(locked: LockResult<G>) -> G {
    locked.unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn join(threads: impl IntoIterator<Item = JoinHandle<()>>) {
    for thread in threads {
        // A helper's panic was already passed on to the caller that it worked for.
        let _ = thread.join();
    }
}
