//! Runs the work of calls, on threads, in tasks and on the main thread.

pub mod dispatch;
pub mod pool;
pub mod task;
pub mod tuning;

pub use varbatch_workers::lock;
