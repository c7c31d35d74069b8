//! Finds what an edit has changed, as modifications of properties.
//!
//! ```text
//! record: properties --read--> values --States::encode, over threads--> Recording
//! flush:  properties --read--> values --States::encode--> compared --> Changes --> Dictionaries
//! commit:                                                             Changes --> an undo history
//! ```
//!
//! A state is bytes, so that whatever a script does to an Array later changes nothing of it. Objects are in it as they
//! are. Getters, setters and Loggers may run at any call of the engine and use the recorder again: nothing is locked or
//! borrowed meanwhile, and messages are printed last.

pub mod changes;
pub mod commit;
mod lists;
mod narrow;
pub mod record;
pub mod recording;
mod states;
mod step;
mod versions;
mod watch;

use std::sync::Arc;

pub use crate::jobs::lock;

/// Counted atomically: which thread calls, and drops, is decided by the engine.
pub fn shared<T>(value: T) -> Arc<T> {
    Arc::new(value)
}
