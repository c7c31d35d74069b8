//! Chooses the properties of an object to record.
//!
//! Only one object of each class and script is asked for its list, because that takes up to 0.2 ms. The list applies to
//! all objects of the class and script, unless a script makes it or the object has properties that its class does not
//! list.

use std::sync::Arc;

use foldhash::HashMap;
use godot::builtin::{Array, StringName, VarDictionary, Variant};
use godot::classes::Engine;
use godot::meta::ToGodot;
use godot::obj::Singleton;
use varbatch_codec::Kind;

use super::shared;
use crate::engine::{self, Value};

/// `PROPERTY_USAGE_STORAGE`: scene files store the property.
const STORAGE: i64 = 1 << 1;

/// `PROPERTY_USAGE_NO_INSTANCE_STATE`: scene files do not store the property of an instance, as it is not an edit.
const NO_INSTANCE_STATE: i64 = 1 << 10;

/// `PROPERTY_USAGE_GROUP`, `_CATEGORY` and `_SUBGROUP`: a heading, not a property.
const HEADINGS: i64 = 1 << 6 | 1 << 7 | 1 << 8;

/// `PROPERTY_USAGE_SCRIPT_VARIABLE`.
const OF_SCRIPT: i64 = 1 << 12;

/// The property that holds the script.
const SCRIPT: &str = "script";

/// The prefix of metadata in property names.
const METADATA: &str = "metadata/";

/// Methods of scripts that make lists differ from object to object.
const LIST_MAKERS: [&str; 2] = ["_get_property_list", "_validate_property"];

/// Names of properties, in order.
pub struct Properties {
    pub names: Vec<StringName>,
    /// The names as text.
    pub texts: Vec<String>,
    /// True for a property that the class stores, but that this object may not.
    pub are_doubtful: Vec<bool>,
    /// The list that they come from. `None` if the caller named them.
    pub all: Option<Arc<All>>,
}

/// The stored properties of an object, and everything that its list depends on.
pub struct All {
    class: StringName,
    script: u64,
    metadata: Vec<StringName>,
    names: Vec<StringName>,
    /// Number of names that the asked object stores. The class stores the other names, but that object did not.
    stored: usize,
    /// True if other objects have the same list.
    is_shared: bool,
    /// True if the script is the first name, so that an edit may change the list.
    is_complete: bool,
}

impl Properties {
    /// The properties that the caller named; without duplicates.
    pub fn named(names: Vec<StringName>) -> Self {
        Self::new(names, None)
    }

    fn of_list(list: All) -> Self {
        Self::new(list.names.clone(), Some(shared(list)))
    }

    fn new(names: Vec<StringName>, all: Option<Arc<All>>) -> Self {
        let texts = names.iter().map(ToString::to_string).collect();
        let is_doubtful = |name| all.as_ref().is_some_and(|all| all.names[all.stored..].contains(name));
        let are_doubtful = names.iter().map(is_doubtful).collect();
        Self { names, texts, are_doubtful, all }
    }

    /// Returns this shared list with what another object stores. In doubt is what only one of the two does.
    fn agreed(&self, listed: &Listed) -> Self {
        let all = self.all.as_ref().expect("a list of all");
        let stored = listed.stored();
        let (sure, doubtful): (Vec<_>, Vec<_>) =
            all.names.iter().enumerate().partition(|(index, name)| *index < all.stored && stored.contains(name));
        let mut names: Vec<_> = sure.iter().chain(&doubtful).map(|(_, name)| (*name).clone()).collect();
        names.extend(stored.iter().filter(|name| !all.names.contains(name)).cloned());
        let (class, metadata) = (all.class.clone(), all.metadata.clone());
        Self::of_list(All { class, metadata, names, stored: sure.len(), ..**all })
    }

    /// Returns another list without the names that were left out of this one.
    pub fn leave_out(&self, list: &Arc<Self>) -> Arc<Self> {
        let Some(all) = &self.all else { return Arc::clone(list) };
        let is_out = |name| all.names.contains(name) && !self.names.contains(name);
        let rest: Vec<_> = (0..list.names.len()).filter(|&index| !is_out(&list.names[index])).collect();
        shared(list.only(&rest))
    }

    /// Returns some of these, by index.
    pub fn only(&self, indices: &[usize]) -> Self {
        let names = indices.iter().map(|&index| self.names[index].clone()).collect();
        Self::new(names, self.all.clone())
    }

    /// True if they include the script, so that an edit may change which properties there are.
    pub fn is_complete(&self) -> bool {
        self.all.as_ref().is_some_and(|all| all.is_complete)
    }

    /// True if other objects of the same class and script have the same list.
    pub fn is_shared(&self) -> bool {
        self.all.as_ref().is_some_and(|all| all.is_shared)
    }
}

/// The known lists.
#[derive(Default)]
pub struct Lists {
    /// Most recently used first.
    shared: Vec<Arc<Properties>>,
    /// Classes and scripts whose objects are asked one by one.
    asked: Vec<(StringName, u64)>,
    /// Shared lists of which a second object is to be asked.
    to_ask_again: Vec<Arc<Properties>>,
}

impl Lists {
    /// Returns all stored properties of an object. Its script may run.
    pub fn of(&mut self, object: &Value) -> Arc<Properties> {
        let (class, script, metadata) = (engine::class_name(object), engine::script_id(object), metadata_of(object));
        let is_same = |list: &Arc<Properties>| {
            let all = list.all.as_ref().expect("a list of all");
            all.script == script && all.class == class && all.metadata == metadata
        };
        if let Some(index) = self.shared.iter().position(is_same) {
            self.shared[..=index].rotate_right(1);
            let again = self.to_ask_again.iter().position(|list| Arc::ptr_eq(list, &self.shared[0]));
            if let Some(again) = again {
                self.to_ask_again.swap_remove(again);
                self.shared[0] = shared(self.shared[0].agreed(&Listed::of(object)));
            }
            return Arc::clone(&self.shared[0]);
        }
        let of_class = match self.asked.contains(&(class.clone(), script)) {
            true => None,
            false => Listed::of_class(&class),
        };
        let listed = Listed::of(object);
        let is_shared = of_class.as_ref().is_some_and(|of_class| {
            let is_made = LIST_MAKERS.iter().any(|name| engine::has_script_method(object, &StringName::from(*name)));
            let is_told = |entry: &ListedProperty| {
                entry.usage & OF_SCRIPT != 0 || entry.is_metadata() || of_class.has(&entry.name)
            };
            !is_made && listed.0.iter().all(is_told)
        });
        let mut names = listed.stored();
        let stored = names.len();
        if is_shared {
            // Other objects may store what this one does not store now.
            let of_class = of_class.map(|of_class| of_class.stored()).unwrap_or_default();
            let others: Vec<_> = of_class.into_iter().filter(|name| !names.contains(name)).collect();
            names.extend(others);
        } else {
            self.asked.push((class.clone(), script));
        }
        let list =
            shared(Properties::of_list(All { class, script, metadata, names, stored, is_shared, is_complete: false }));
        if is_shared {
            self.shared.insert(0, Arc::clone(&list));
        }
        list
    }

    /// Asks a second object of each class and script that is known: it may not store the same as the first one.
    pub fn ask_again(&mut self) {
        self.to_ask_again.clone_from(&self.shared);
    }

    /// Like [`Self::of`], but always asks the object itself.
    pub fn of_one(object: &Value) -> Arc<Properties> {
        Self::asked(object, false)
    }

    /// Returns the script and all stored properties of an object.
    pub fn complete(object: &Value) -> Arc<Properties> {
        Self::asked(object, true)
    }

    fn asked(object: &Value, is_complete: bool) -> Arc<Properties> {
        let (class, script, metadata) = (engine::class_name(object), engine::script_id(object), metadata_of(object));
        let mut names = Listed::of(object).stored();
        if is_complete {
            names.insert(0, StringName::from(SCRIPT));
        }
        let stored = names.len();
        shared(Properties::of_list(All { class, script, metadata, names, stored, is_shared: false, is_complete }))
    }
}

/// The names of two lists: those of the old one, then those that only the new one has.
pub struct United {
    pub properties: Arc<Properties>,
    /// Where each name is in the old and in the new list.
    pub places: Vec<(Option<usize>, Option<usize>)>,
}

impl United {
    /// Unites two lists. `None` if they have the same names in the same order.
    pub fn of(old: &Arc<Properties>, new: &Arc<Properties>) -> Option<Self> {
        if Arc::ptr_eq(old, new) || old.names == new.names && old.are_doubtful == new.are_doubtful {
            return None;
        }
        let index_of = |list: &Properties| {
            let places = list.names.iter().cloned().enumerate().map(|(index, name)| (name, index));
            places.collect::<HashMap<_, _>>()
        };
        let (in_old, in_new) = (index_of(old), index_of(new));
        let mut names = old.names.clone();
        names.extend(new.names.iter().filter(|name| !in_old.contains_key(*name)).cloned());
        let place = |name| (in_old.get(name).copied(), in_new.get(name).copied());
        let places: Vec<_> = names.iter().map(place).collect();
        let is_doubtful = |&(old_at, new_at): &(Option<usize>, Option<usize>)| {
            old_at.is_some_and(|at| old.are_doubtful[at]) || new_at.is_some_and(|at| new.are_doubtful[at])
        };
        let texts = names.iter().map(ToString::to_string).collect();
        let are_doubtful = places.iter().map(is_doubtful).collect();
        Some(Self { properties: shared(Properties { names, texts, are_doubtful, all: old.all.clone() }), places })
    }
}

impl All {
    /// Returns how the list of an object changed, or `None` if it did not. Only asks the object itself if `ask`.
    pub fn difference(&self, object: &Value, ask: bool) -> Option<String> {
        if engine::script_id(object) != self.script {
            return Some("its script changed".into());
        }
        if metadata_of(object) != self.metadata {
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

/// The properties that an object or a class lists.
pub struct Listed(Vec<ListedProperty>);

struct ListedProperty {
    name: StringName,
    usage: i64,
}

impl ListedProperty {
    fn is_stored(&self) -> bool {
        self.usage & (STORAGE | NO_INSTANCE_STATE) == STORAGE
    }

    fn is_metadata(&self) -> bool {
        self.name.to_string().starts_with(METADATA)
    }
}

impl Listed {
    /// Asks an object for its list.
    pub fn of(object: &Value) -> Self {
        Self::from(&engine::property_list(object))
    }

    fn of_class(class: &StringName) -> Option<Self> {
        let mut classes = Engine::singleton().get_singleton("ClassDB")?;
        Some(Self::from(&classes.call("class_get_property_list", &[class.to_variant()])))
    }

    fn from(list: &Variant) -> Self {
        let list: Array<VarDictionary> = list.try_to().unwrap_or_default();
        let script = StringName::from(SCRIPT);
        let entry = |entry: VarDictionary| {
            let name: StringName = entry.get("name")?.try_to_relaxed().ok()?;
            let usage = entry.get("usage")?.try_to().ok()?;
            // `script` is left out: a different script has a different list.
            (usage & HEADINGS == 0 && name != script).then_some(ListedProperty { name, usage })
        };
        Self(list.iter_shared().filter_map(entry).collect())
    }

    /// True if there is a property with this name, stored or not.
    pub fn has(&self, name: &StringName) -> bool {
        self.0.iter().any(|entry| entry.name == *name)
    }

    /// True if there is a stored property with this name.
    pub fn stores(&self, name: &StringName) -> bool {
        self.0.iter().any(|entry| entry.is_stored() && entry.name == *name)
    }

    /// Returns the names of stored properties, without duplicates.
    fn stored(&self) -> Vec<StringName> {
        let mut names: Vec<StringName> = Vec::new();
        for entry in &self.0 {
            if entry.is_stored() && !names.contains(&entry.name) {
                names.push(entry.name.clone());
            }
        }
        names
    }
}

/// True for the name of the property that holds the script.
pub fn is_script(name: &str) -> bool {
    name == SCRIPT
}

/// Returns the name of metadata from its name as a property.
pub fn metadata_name(name: &str) -> Option<StringName> {
    name.strip_prefix(METADATA).map(StringName::from)
}

fn metadata_of(object: &Value) -> Vec<StringName> {
    let list = engine::meta_list(object);
    let view = engine::value(&list).view();
    match view.kind() {
        Kind::Array => view.elements().iter().map(|name| name.variant().to()).collect(),
        _ => Vec::new(),
    }
}
