//! Files of Godot's Variants: saved so that half a file never exists, decoded while they are read, compressed as the engine's
//! `FileAccess.open_compressed` does, translated piece by piece.
//!
//! `varbatch-codec` defines the bytes and `varbatch-workers` the threads; this crate connects both with the file system.
//! [`Saver`] and [`Replacement`] put a file in its place when it is complete, [`Ticket`] lets the last call win, [`Loader`]
//! reads frames, [`compressed`] compresses and decompresses blocks, [`transcode`] and [`fill`] share work among threads.
#![forbid(unsafe_code)]

pub mod compressed;
pub mod fill;
mod guess;
mod limits;
mod load;
mod open;
mod order;
mod replace;
mod save;
pub mod transcode;

pub use guess::{Format, Guess};
pub use load::{Input, LoadError, LoadErrorKind, Loader, ReadStep};
pub use open::open;
pub use order::Ticket;
pub use replace::{Committed, Replaced, Replacement};
pub use save::{Flushed, Saver};
