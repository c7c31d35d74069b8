//! The machine's memory: pages of the system and lines of the processor's cache.

mod lines;
mod pages;

pub use lines::{LINE, line, lines};
pub use pages::{Pages, prepare};
