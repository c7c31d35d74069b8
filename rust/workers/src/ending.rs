//! Threads that end by themselves, and are joined later, which frees their system resources.

use std::sync::{LockResult, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Among them helpers whose last handle was dropped by one of them: it cannot wait for its own end. All end soon.
pub(crate) static ENDING: Ending = Ending::new();

/// Keeps a thread that ends by itself. [`Tasks::shut_down`](crate::tasks::Tasks::shut_down) waits for it.
pub fn join_later(thread: JoinHandle<()>) {
    ENDING.keep([thread]);
}

/// A list of such threads.
pub(crate) struct Ending {
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Held while threads are joined. One of them may still keep others, so `threads` is not held then.
    joining: Mutex<()>,
}

impl Ending {
    pub(crate) const fn new() -> Self {
        Self { threads: Mutex::new(Vec::new()), joining: Mutex::new(()) }
    }

    /// Keeps `threads`, and joins those that have ended.
    pub(crate) fn keep(&self, threads: impl IntoIterator<Item = JoinHandle<()>>) {
        lock(&self.threads).extend(threads);
        // Another thread that joins them may be waiting for this one.
        if let Ok(_joining) = self.joining.try_lock() {
            let ended: Vec<_> = lock(&self.threads).extract_if(.., |thread| thread.is_finished()).collect();
            join(ended);
        }
    }

    /// Waits for all kept threads, including those that another thread is joining.
    pub(crate) fn join(&self) {
        let _joining = lock(&self.joining);
        loop {
            let Some(thread) = lock(&self.threads).pop() else { return };
            join([thread]);
        }
    }
}

/// Locks a mutex.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    unpoisoned(mutex.lock())
}

/// Returns what is locked. Nothing panics while it is.
pub(crate) fn unpoisoned<G>(locked: LockResult<G>) -> G {
    locked.unwrap_or_else(PoisonError::into_inner)
}

/// Waits for threads.
pub(crate) fn join(threads: impl IntoIterator<Item = JoinHandle<()>>) {
    for thread in threads {
        // A helper's panic was already passed on to the caller that it worked for.
        let _ = thread.join();
    }
}
