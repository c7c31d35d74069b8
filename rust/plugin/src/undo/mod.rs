//! Finds what an edit changed, as modifications of properties.
//!
//! ```text
//! record: properties --read--> values --States::encode, over threads--> Recording
//! flush:  properties --read--> values --States::encode--> compared --> Changes --> Dictionaries
//! flush(true): Changes --codec's diff of both states--> Dictionaries, one for each element that differs
//! commit: Changes --> a step --> an undo history, which calls it to set what it has kept
//! compare: properties of two objects --> two Recordings, references mapped --compared--> Changes --> Dictionaries
//! ```
//!
//! A state is bytes, so that no script can change it later; objects are kept by reference. Getters, setters and Loggers
//! may run in any call of the engine and use the recorder again: so nothing is locked then, and messages come last.

mod chain;
mod changed;
pub mod changes;
pub mod commit;
pub mod compare;
mod line;
mod narrow;
pub mod record;
pub mod recording;
pub mod rows;
mod step;
mod swept;
