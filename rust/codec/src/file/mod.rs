//! Files of frames: saved so that there is never half of one, loaded while they are read.

mod load;
mod replace;
mod save;

pub use load::{Input, LoadError, Loader};
pub use replace::{Replaced, Replacement};
pub use save::{Flushed, Saver};
