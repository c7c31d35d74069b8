//! Watches objects for changes of their property lists, with the signal that the engine's inspector uses.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex};

use godot::builtin::{Callable, StringName, varray};
use godot::classes::{Object, RefCounted};
use godot::obj::{Base, Gd};
use godot::register::{GodotClass, godot_api};

use super::lock;
use crate::engine::Value;

/// The object that the engine calls. Not for users.
#[derive(GodotClass)]
#[class(internal, no_init, base = RefCounted)]
pub struct VarBatchPropertyWatch {
    /// The watched objects, by id: true if the property list changed.
    has_changed: Arc<Mutex<HashMap<i64, bool>>>,
    _base: Base<RefCounted>,
}

#[godot_api]
impl VarBatchPropertyWatch {
    /// Called when the property list of an object changed.
    #[func]
    fn list_changed(&self, id: i64) {
        lock(&self.has_changed).insert(id, true);
    }
}

/// Watches objects as long as it lives: the engine disconnects signals from an object that is freed.
pub struct Watch {
    has_changed: Arc<Mutex<HashMap<i64, bool>>>,
    signal: StringName,
    callable: Callable,
    _watch: Gd<VarBatchPropertyWatch>,
}

impl Watch {
    pub fn new() -> Self {
        let has_changed: Arc<Mutex<HashMap<i64, bool>>> = Arc::default();
        let shared = Arc::clone(&has_changed);
        let watch = Gd::from_init_fn(|base| VarBatchPropertyWatch { has_changed: shared, _base: base });
        let callable = Callable::from_object_method(&watch, "list_changed");
        Self { has_changed, signal: StringName::from("property_list_changed"), callable, _watch: watch }
    }

    /// Watches an object, unless it is already watched.
    pub fn add(&self, object: &Value, id: u64) {
        let id = id.cast_signed();
        let is_new = match lock(&self.has_changed).entry(id) {
            Entry::Vacant(entry) => {
                entry.insert(false);
                true
            }
            Entry::Occupied(_) => false,
        };
        if let Ok(mut object) = object.variant().try_to::<Gd<Object>>()
            && is_new
        {
            object.connect(&self.signal, &self.callable.bindv(&varray![id]));
        }
    }

    /// True if the property list of an object changed since it was added.
    pub fn has_changed(&self, id: u64) -> bool {
        lock(&self.has_changed).get(&id.cast_signed()).copied().unwrap_or_default()
    }
}
