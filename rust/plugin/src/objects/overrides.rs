//! Which items of the theme a Control overrides: it stores exactly these.
//!
//! The items are those of its class. A Control lists them on the main thread only.

use godot::builtin::StringName;
use godot::init::is_main_thread;

use super::listed::Listed;
use crate::engine::{self, THEME_ITEMS, Value};

/// The items that the Controls of a class can override, and what each is; none for other classes.
#[derive(Default)]
pub struct Overrides(Vec<(usize, StringName)>);

impl Overrides {
    /// Asks a Control for its list. `None` on other threads. Its script may run.
    pub fn listed(object: &Value) -> Option<Self> {
        let item = |name: StringName| {
            let text = name.to_string();
            let (group, item) = text.split_once('/')?;
            Some((THEME_ITEMS.iter().position(|(known, _)| *known == group)?, item.into()))
        };
        is_main_thread().then(|| Self(Listed::of(object).all().filter_map(|(name, _)| item(name)).collect()))
    }

    /// Returns which of the items an object overrides. `None` on other threads.
    pub fn of(&self, object: &Value) -> Option<Vec<i64>> {
        (self.0.is_empty() || is_main_thread()).then(|| engine::theme_overrides(object, &self.0))
    }
}
