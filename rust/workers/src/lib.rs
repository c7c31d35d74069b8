//! Threads for work that borrows, and tasks that share those threads in turns. Knows no bytes.
//!
//! [`Threads`] divide the work of a caller that waits for it. [`tasks`] are work in steps, in the background.
#![deny(unsafe_code)]

#[allow(unsafe_code)] // One line: see there.
mod gate;
pub mod tasks;
mod threads;

pub use threads::Threads;
