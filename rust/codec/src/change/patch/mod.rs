//! Applies changes to a value: those that [`diff`](crate::change::diff()) finds, or that a person writes.
//!
//! The value becomes a tree where paths lead. Everything else stays bytes, which are copied once, when the result is filled in. A
//! [`Reader`](crate::Reader) reads all bytes of the value and of the changes once before anything is made of them; a container is passed
//! once more when a path leads into it. Then each change costs its own bytes and its path, if changes come in order or in the opposite
//! order. Nothing is recursive.

mod apply;
mod emit;
mod error;
mod gap;
mod node;
mod slices;
mod source;
mod tree;

pub use self::apply::{Patch, patch};
pub use self::error::{PatchError, PatchErrorKind, StepKind};
