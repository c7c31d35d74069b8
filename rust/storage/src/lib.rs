//! Files of Godot's Variants: saved so that no half-written file ever exists, decoded while they are read, compressed
//! like the engine's `FileAccess.open_compressed`, translated piece by piece.
//!
//! `varbatch-codec` defines the bytes and `varbatch-workers` the threads; this crate connects both with the file
//! system. [`Saver`] replaces a file when the new one is complete, or adds to it, [`Ticket`] lets the last call win,
//! [`Loader`] reads frames, and [`transcode`] and [`fill`] share work among threads.
#![forbid(unsafe_code)]

mod append;
mod beside;
pub mod compressed;
mod disk;
pub mod encrypted;
mod error;
pub mod fill;
mod guess;
mod known;
mod load;
mod open;
mod order;
mod replace;
mod save;
mod stores;
pub mod transcode;
#[cfg(windows)]
mod windows;
mod words;

pub use append::AppendError;
pub use error::LoadError;
pub use guess::{Format, Guess, may_be_value};
pub use known::{Contents, Seen, backup_of, note_unseen};
pub use load::{Loader, ReadStep};
pub use open::{Input, is_exhausted, open, refuse_name};
pub use order::{LineName, Ticket};
pub use replace::Committed;
pub use save::{Flushed, Saver, WRITE_LEN};
pub use words::words;
