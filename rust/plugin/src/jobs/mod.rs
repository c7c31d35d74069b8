//! Who does the work: the threads, the tasks, and the main thread.

pub mod dispatch;
pub mod job;
pub mod pool;
pub mod runs;
