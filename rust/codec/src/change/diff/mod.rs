//! Compares two values: two Readers in lockstep, each on the bytes of one.
//!
//! Both are always at the same point of the same type tree. Equal bytes are compared as memory and passed; containers
//! with the same head are entered; everything else is a [`Change`](crate::change::Change). No value is built. `align`
//! finds elements and entries that only one side has, with bounded effort.

mod align;
mod api;
mod collect;
mod keys;
mod lockstep;
mod order;
mod packed;
mod same;
mod sink;
mod walk;

pub use self::api::{DiffOptions, diff, edits};
pub use self::lockstep::{DiffError, DiffErrorKind};
