//! Runs the work of calls: threads, tasks, and the main thread.

pub mod dispatch;
pub mod job;
pub mod pool;
pub mod run;
pub mod runs;
pub mod task;
pub mod tuning;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks what stays sound if somebody panics meanwhile.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
