//! Files of Godot's Variants: saved so that there is never half of one, loaded while they are read, compressed as the
//! engine's `open_compressed` has them, translated piece by piece.
//!
//! What the bytes are is the business of `varbatch-codec`; who works on them that of `varbatch-workers`. Here both meet the
//! file system: [`Saver`] and [`Replacement`] put a file in its place when it is complete, [`Ticket`] lets the last call
//! win, [`Loader`] reads frames, [`compressed`] packs and unpacks blocks, [`transcode`] and [`fill`] share work over threads.
#![forbid(unsafe_code)]

pub mod compressed;
pub mod fill;
mod guess;
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
