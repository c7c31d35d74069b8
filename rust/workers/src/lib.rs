//! Threads for work that borrows, and tasks that take turns on those threads. Knows nothing about bytes.
//!
//! [`Threads`] divide the work of a caller that waits for it. [`tasks`] work in steps, in the background.
#![deny(unsafe_code)]

mod ending;
#[allow(unsafe_code)] // One line: see there.
mod gate;
pub mod tasks;
mod threads;

pub use ending::{join_later, lock};
pub use threads::Threads;
