//! Applies changes to a value: from [`diff`](crate::change::diff()), or written by hand.
//!
//! Values that paths lead into become nodes of a tree. Everything else stays bytes, which are copied once, when the
//! result is filled in. A [`Reader`](crate::Reader) reads all bytes of the value and of the changes once before
//! anything is made of them; a container is passed once more when a path leads into it. After that, each change costs
//! only its own bytes and its path, if changes come in ascending or descending order. Nothing is recursive.

mod apply;
mod emit;
mod error;
mod gap;
mod node;
mod slices;
mod source;
mod tree;

pub use self::apply::{Patch, patch};
pub use self::error::{PatchError, PatchErrorKind};
