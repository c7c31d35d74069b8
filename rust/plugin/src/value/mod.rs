//! Converts Variants to events, and events to Variants.

pub mod budget;
pub mod build;
pub mod change_rows;
mod nesting;
pub mod refused;
pub mod states;
pub mod string_cache;
pub mod walk;

use varbatch_codec::{ElementType, Event, Text};

/// Returns the paths of the scripts that the elements of a container must have, or its keys and values.
pub fn element_scripts(event: Event<'_>) -> impl Iterator<Item = &str> {
    let types = match event {
        Event::Array { element, .. } => [element, ElementType::Any],
        Event::Dictionary { key, value, .. } => [key, value],
        _ => [ElementType::Any; 2],
    };
    types.into_iter().filter_map(|element| match element {
        ElementType::Script(Text::Utf8(path)) => Some(path),
        _ => None,
    })
}
