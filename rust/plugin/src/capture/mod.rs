//! Captures the values of properties of many objects, and restores what differs.
//!
//! ```text
//! capture: members --read--> Array --encode--> bytes
//! restore: bytes --Reader--> the bytes of a value, compared with those of the property now --build--> set, if they differ
//! ```
//!
//! Getters, setters and Loggers may run in any call of the engine and use the same state again. So each call works on the
//! members as they were when it began, nothing is locked or borrowed meanwhile, and messages are printed last.

mod members;
mod read;
mod restore;
mod skipped;

pub use self::members::{Members, add};
pub use self::read::{capture, capture_values};
pub use self::restore::{restore, restore_values};
