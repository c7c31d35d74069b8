//! Converts Variants to events, and events to Variants.

pub mod build;
pub mod change_rows;
pub mod full_objects;
pub mod string_cache;
pub mod walk;
