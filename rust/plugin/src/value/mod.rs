//! Converts Variants to events, and events to Variants.

pub mod build;
pub mod change_rows;
pub mod full_objects;
mod hostile;
mod refused;
pub mod string_cache;
pub mod walk;
