//! Files of frames: saved so that there is never half of one, loaded while they are read.

mod guess;
mod load;
mod open;
mod order;
mod replace;
mod save;

pub use guess::{Format, Guess};
pub use load::{Input, LoadError, Loader, ReadStep};
pub use open::open;
pub use order::Ticket;
pub use replace::{Committed, Replaced, Replacement};
pub use save::{Flushed, Saver};
