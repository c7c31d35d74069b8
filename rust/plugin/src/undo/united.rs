//! The properties of two objects, or of one object at two times.

use std::sync::Arc;

use foldhash::HashMap;
use godot::builtin::StringName;

use crate::objects::Properties;

/// The names of two lists: those of the old one, then those that only the new one has.
pub struct United {
    pub properties: Arc<Properties>,
    new: Arc<Properties>,
    /// Where each name is in the old and in the new list. `None` if both have the same names in the same order.
    places: Option<Vec<[Option<usize>; 2]>>,
}

impl United {
    pub fn of(old: &Arc<Properties>, new: &Arc<Properties>) -> Self {
        let (old, new) = (Arc::clone(old), Arc::clone(new));
        if Arc::ptr_eq(&old, &new) || old.names == new.names {
            return Self { properties: old, new, places: None };
        }
        let indices = |list: &Properties| list.names.iter().cloned().zip(0..).collect::<HashMap<_, usize>>();
        let (in_old, in_new) = (indices(&old), indices(&new));
        let only_new = new.names.iter().filter(|name| !in_old.contains_key(*name));
        let names: Vec<_> = old.names.iter().chain(only_new).cloned().collect();
        let places = names.iter().map(|name| [&in_old, &in_new].map(|indices| indices.get(name).copied())).collect();
        Self { properties: Arc::new(Properties::new(names, old.list.clone())), new, places: Some(places) }
    }

    /// True if both lists have the same names in the same order.
    pub fn is_same(&self) -> bool {
        self.places.is_none()
    }

    /// True for a property that one of the two objects may not store.
    pub fn is_doubtful(&self, name: &StringName) -> bool {
        self.properties.is_doubtful(name) || self.new.is_doubtful(name)
    }

    /// Returns where each name is in the old and in the new list.
    pub fn places(&self) -> impl Iterator<Item = [Option<usize>; 2]> {
        let places = |index| self.places.as_ref().map_or([Some(index); 2], |places| places[index]);
        (0..self.properties.names.len()).map(places)
    }
}
