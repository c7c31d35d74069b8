//! Runs the work of calls, on threads, in tasks and on the main thread.

pub mod dispatch;
pub mod job;
pub mod outcome;
pub mod pool;
pub mod runs;
pub mod task;
pub mod tuning;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks data that stays valid even if a thread panics while it holds the lock.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
