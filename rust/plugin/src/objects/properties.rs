//! The properties of an object that are read together: their names, and the list that they come from.
//!
//! Only one object of each class and script is asked for its list, as that takes up to 0.2 ms. It applies to all of
//! these, unless a script makes it or the object has properties that its class does not list.

use std::sync::Arc;

use foldhash::HashMap;
use godot::builtin::StringName;
use varbatch_codec::Kind;

use super::listed::{ListKey, Listed, SCRIPT, makes_list};
use super::path::read;
use crate::engine::{self, Slot, Value};

/// Names of properties, in order and without duplicates.
pub struct Properties {
    pub names: Vec<StringName>,
    pub texts: Vec<String>,
    /// The list that they come from. Empty if the caller named them.
    pub list: Arc<PropertyList>,
}

/// The stored properties of an object, and everything that its list depends on.
#[derive(Clone, Default)]
pub struct PropertyList {
    pub is_asked: bool,
    key: ListKey,
    names: Vec<StringName>,
    /// Number of names that the asked object stores. The class stores the other names, but that object did not.
    stored: usize,
    /// True if other objects of the same class and script have the same list.
    pub is_shared: bool,
    /// True if the script is the first name, so that an edit may change the list.
    pub is_complete: bool,
}

impl Properties {
    pub fn of_list(list: PropertyList) -> Self {
        Self::new(list.names.clone(), Arc::new(list))
    }

    /// Asks an object for all properties that it stores; the script is before them if `is_complete`. A script may run.
    pub fn asked(object: &Value, is_complete: bool) -> Self {
        let (key, mut names) = (ListKey::of(object), Listed::of(object).stored());
        if is_complete {
            names.insert(0, StringName::from(SCRIPT));
        }
        Self::of_list(PropertyList { is_asked: true, key, stored: names.len(), names, is_shared: false, is_complete })
    }

    pub fn new(names: Vec<StringName>, list: Arc<PropertyList>) -> Self {
        let texts = names.iter().map(ToString::to_string).collect();
        Self { names, texts, list }
    }

    pub fn filter(&self, keep: impl Fn(&StringName) -> bool) -> Self {
        Self::new(self.names.iter().filter(|name| keep(name)).cloned().collect(), self.list.clone())
    }

    /// Returns another list without the names that were left out of this one.
    pub fn leave_out_of(&self, other: &Self) -> Self {
        other.filter(|name| self.names.contains(name) || !self.list.names.contains(name))
    }

    pub fn index_of(&self, name: &StringName) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }

    /// True for a property that the class stores, but that this object may not.
    pub fn is_doubtful(&self, name: &StringName) -> bool {
        self.list.names[self.list.stored..].contains(name)
    }

    /// Reads the values. Returns the indices of those that may be no properties: they are null, a method or a signal.
    pub fn read(&self, object: &Value, values: &mut Vec<Slot>) -> Vec<usize> {
        let (mut doubtful, first) = (Vec::new(), values.len());
        values.resize_with(first + self.names.len(), Slot::new);
        read(object, &self.names, &mut values[first..], |index| doubtful.push(index));
        if !self.list.is_asked {
            let found = values[first..].iter().map(|found| found.value().view().kind());
            let methods = found.enumerate().filter(|(_, kind)| matches!(kind, Kind::Callable | Kind::Signal));
            doubtful.extend(methods.map(|(index, _)| index));
            doubtful.sort_unstable();
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
        if engine::meta_list(object) != self.key.metadata {
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

    pub fn is_same(&self) -> bool {
        self.places.is_none()
    }

    /// True for a property that one of the two objects may not store.
    pub fn is_doubtful(&self, name: &StringName) -> bool {
        self.properties.is_doubtful(name) || self.new.is_doubtful(name)
    }

    pub fn places(&self) -> impl Iterator<Item = [Option<usize>; 2]> {
        let places = |index| self.places.as_ref().map_or([Some(index); 2], |places| places[index]);
        (0..self.properties.names.len()).map(places)
    }
}

/// The known lists of classes and scripts. Wrong ones are seen as objects are read; full objects have `lists` instead.
#[derive(Default)]
pub struct SharedLists {
    /// Most recently used first.
    shared: Vec<Arc<Properties>>,
    /// Lists for which a second object is to be asked: it may not store the same as the first one.
    in_doubt: Vec<Arc<Properties>>,
    /// Classes and scripts whose objects are asked one by one.
    alone: Vec<(StringName, u64)>,
}

impl SharedLists {
    /// Returns all stored properties of an object. Its script may run.
    pub fn of(&mut self, object: &Value) -> Arc<Properties> {
        let key = ListKey::of(object);
        let has_key = |known: &Arc<Properties>| known.list.key == key;
        if let Some(index) = self.shared.iter().position(has_key) {
            self.shared[..=index].rotate_right(1);
        } else if let Some(index) = self.in_doubt.iter().position(has_key) {
            let agreed = self.in_doubt.swap_remove(index).list.agreed(&Listed::of(object));
            self.shared.insert(0, Arc::new(Properties::of_list(agreed)));
        } else {
            return self.ask(object, key);
        }
        Arc::clone(&self.shared[0])
    }

    pub fn ask_again(&mut self) {
        self.in_doubt.append(&mut self.shared);
    }

    fn ask(&mut self, object: &Value, key: ListKey) -> Arc<Properties> {
        let of_script = (key.class.clone(), key.script);
        let is_alone = self.alone.contains(&of_script);
        let of_class = (!is_alone).then(|| Listed::of_class(&key.class));
        let listed = Listed::of(object);
        // A script that makes lists makes them differ from object to object.
        let of_class = of_class.filter(|of_class| !makes_list(object) && listed.is_explained_by(of_class));
        let mut names = listed.stored();
        let stored = names.len();
        let is_shared = of_class.is_some();
        // Other objects may store what this one does not store now.
        let others = of_class.map(|of_class| of_class.stored()).unwrap_or_default();
        names.extend(others.into_iter().filter(|name| !listed.stores(name)));
        let list = PropertyList { is_asked: true, key, names, stored, is_shared, is_complete: false };
        let properties = Arc::new(Properties::of_list(list));
        if is_shared {
            self.shared.insert(0, Arc::clone(&properties));
        } else if !is_alone {
            self.alone.push(of_script);
        }
        properties
    }
}
