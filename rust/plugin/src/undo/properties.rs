//! The properties of an object that are read together: their names, and the list that they come from.

use std::sync::Arc;

use foldhash::HashMap;
use godot::builtin::StringName;
use varbatch_codec::Kind;

use super::listed::{Listed, SCRIPT, metadata_of};
use crate::engine::{self, Slot, Value};

/// Names of properties, in order and without duplicates.
pub struct Properties {
    pub names: Vec<StringName>,
    /// The names as text.
    pub texts: Vec<String>,
    /// The list that they come from. `None` if the caller named them.
    pub list: Option<Arc<PropertyList>>,
}

/// The stored properties of an object, and everything that its list depends on.
#[derive(Clone)]
pub struct PropertyList {
    pub key: ListKey,
    pub names: Vec<StringName>,
    /// Number of names that the asked object stores. The class stores the other names, but that object did not.
    pub stored: usize,
    /// True if other objects have the same list.
    pub is_shared: bool,
    /// True if the script is the first name, so that an edit may change the list.
    pub is_complete: bool,
}

/// What a list depends on, if no script makes it.
#[derive(Clone, PartialEq, Eq)]
pub struct ListKey {
    /// The instance id of the script.
    pub script: u64,
    pub class: StringName,
    metadata: Vec<StringName>,
}

impl ListKey {
    pub fn of(object: &Value) -> Self {
        Self { script: engine::script_id(object), class: engine::class_name(object), metadata: metadata_of(object) }
    }
}

impl Properties {
    /// The properties that the caller named.
    pub fn named(names: Vec<StringName>) -> Self {
        Self::new(names, None)
    }

    pub fn of_list(list: PropertyList) -> Self {
        Self::new(list.names.clone(), Some(Arc::new(list)))
    }

    /// Asks an object for all properties that it stores; the script is before them if `is_complete`. A script may run.
    pub fn asked(object: &Value, is_complete: bool) -> Self {
        let (key, mut names) = (ListKey::of(object), Listed::of(object).stored());
        if is_complete {
            names.insert(0, StringName::from(SCRIPT));
        }
        Self::of_list(PropertyList { key, stored: names.len(), names, is_shared: false, is_complete })
    }

    fn new(names: Vec<StringName>, list: Option<Arc<PropertyList>>) -> Self {
        let texts = names.iter().map(ToString::to_string).collect();
        Self { names, texts, list }
    }

    /// Returns those with names that `keep` accepts.
    pub fn filter(&self, keep: impl Fn(&StringName) -> bool) -> Self {
        Self::new(self.names.iter().filter(|name| keep(name)).cloned().collect(), self.list.clone())
    }

    /// Returns another list without the names that were left out of this one.
    pub fn leave_out_of(&self, other: &Self) -> Self {
        let listed = self.list.as_ref().map_or(&[][..], |list| &list.names);
        other.filter(|name| self.names.contains(name) || !listed.contains(name))
    }

    pub fn index_of(&self, name: &StringName) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }

    /// True for a property that the class stores, but that this object may not.
    pub fn is_doubtful(&self, name: &StringName) -> bool {
        self.list.as_ref().is_some_and(|list| list.names[list.stored..].contains(name))
    }

    /// True if they include the script, so that an edit may change which properties there are.
    pub fn is_complete(&self) -> bool {
        self.list.as_ref().is_some_and(|list| list.is_complete)
    }

    /// True if other objects of the same class and script have the same list.
    pub fn is_shared(&self) -> bool {
        self.list.as_ref().is_some_and(|list| list.is_shared)
    }

    /// Reads the values. Returns the indices of names that may not be properties: their values are null, or what the
    /// engine returns for the name of a method or a signal.
    pub fn read(&self, object: &Value, values: &mut Vec<Slot>) -> Vec<usize> {
        let mut doubtful = Vec::new();
        for (index, name) in self.names.iter().enumerate() {
            let found = engine::property(object, name);
            let kind = found.as_ref().map_or(Kind::Nil, |found| found.value().view().kind());
            if found.is_none() || self.list.is_none() && matches!(kind, Kind::Callable | Kind::Signal) {
                doubtful.push(index);
            }
            values.push(found.unwrap_or_else(Slot::new));
        }
        doubtful
    }
}

impl PropertyList {
    /// Returns this shared list with what another object stores. In doubt is what only one of the two objects stores.
    pub fn agreed(&self, other: &Listed) -> Self {
        let stored = other.stored();
        let (mut names, doubtful): (Vec<_>, Vec<_>) = self
            .names
            .iter()
            .cloned()
            .partition(|name| self.names[..self.stored].contains(name) && stored.contains(name));
        let sure = names.len();
        names.extend(doubtful);
        names.extend(stored.into_iter().filter(|name| !self.names.contains(name)));
        Self { names, stored: sure, ..self.clone() }
    }

    /// Returns how the list of an object changed, or `None` if it did not. Only asks the object itself if `ask`.
    pub fn difference(&self, object: &Value, ask: bool) -> Option<String> {
        if engine::script_id(object) != self.key.script {
            return Some("its script changed".into());
        }
        if metadata_of(object) != self.key.metadata {
            return Some("its metadata changed".into());
        }
        if !ask {
            return None;
        }
        let now = Listed::of(object);
        let stored = now.stored();
        let gone = |&(index, name): &(usize, &StringName)| match self.is_shared {
            // Whether it is stored may vary, but it must still be a property.
            true => index < self.stored && !now.has(name),
            false => !stored.contains(name),
        };
        if let Some((_, name)) = self.names.iter().enumerate().find(gone) {
            return Some(format!("its property \"{name}\" is gone"));
        }
        let new = stored.iter().find(|name| !self.names.contains(name))?;
        Some(format!("its property \"{new}\" is new"))
    }
}

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
