//! Values of the engine that are only read: Variants where they lie, and references that keep their contents.

pub mod containers;
pub mod held;
pub mod read;
