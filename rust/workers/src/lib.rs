//! Threads for work that borrows, and tasks that go on on them in turns. Knows no bytes.
//!
//! [`Threads`] share the work of a caller who waits. [`tasks`] are work in steps, for which nobody waits.
#![deny(unsafe_code)]

#[allow(unsafe_code)] // One line: see there.
mod gate;
pub mod tasks;
mod threads;

pub use threads::Threads;
