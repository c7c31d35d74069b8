//! Knows the lists of classes and scripts.
//!
//! Only one object of each class and script is asked for its list, because that takes up to 0.2 ms. The list applies to
//! all objects of the class and script, unless a script makes it or the object has properties that its class does not
//! list.

use std::sync::Arc;

use godot::builtin::StringName;

use super::listed::Listed;
use super::properties::{ListKey, Properties, PropertyList};
use crate::engine::{self, Value};

/// Methods of scripts that make lists differ from object to object.
const LIST_MAKERS: [&str; 2] = ["_get_property_list", "_validate_property"];

/// The known lists.
#[derive(Default)]
pub struct Lists {
    /// Most recently used first.
    shared: Vec<SharedList>,
    /// Classes and scripts whose objects are asked one by one.
    alone: Vec<(StringName, u64)>,
}

struct SharedList {
    properties: Arc<Properties>,
    /// True if a second object is to be asked: it may not store the same as the first one.
    is_in_doubt: bool,
}

impl SharedList {
    fn list(&self) -> &PropertyList {
        self.properties.list.as_ref().expect("they come from a list")
    }
}

impl Lists {
    /// Returns all stored properties of an object. Its script may run.
    pub fn of(&mut self, object: &Value) -> Arc<Properties> {
        let key = ListKey::of(object);
        let Some(index) = self.shared.iter().position(|known| known.list().key == key) else {
            return self.ask(object, key);
        };
        self.shared[..=index].rotate_right(1);
        let known = &mut self.shared[0];
        if std::mem::take(&mut known.is_in_doubt) {
            known.properties = Arc::new(Properties::of_list(known.list().agreed(&Listed::of(object))));
        }
        Arc::clone(&known.properties)
    }

    /// Puts all known lists in doubt.
    pub fn ask_again(&mut self) {
        self.shared.iter_mut().for_each(|known| known.is_in_doubt = true);
    }

    fn ask(&mut self, object: &Value, key: ListKey) -> Arc<Properties> {
        let of_script = (key.class.clone(), key.script);
        let is_alone = self.alone.contains(&of_script);
        let of_class = (!is_alone).then(|| Listed::of_class(&key.class));
        let listed = Listed::of(object);
        let of_class = of_class.filter(|of_class| !makes_list(object) && listed.is_explained_by(of_class));
        let mut names = listed.stored();
        let stored = names.len();
        let is_shared = of_class.is_some();
        // Other objects may store what this one does not store now.
        let others = of_class.map(|of_class| of_class.stored()).unwrap_or_default();
        names.extend(others.into_iter().filter(|name| !listed.stores(name)));
        let list = PropertyList { key, names, stored, is_shared, is_complete: false };
        let properties = Arc::new(Properties::of_list(list));
        if is_shared {
            self.shared.insert(0, SharedList { properties: Arc::clone(&properties), is_in_doubt: false });
        } else if !is_alone {
            self.alone.push(of_script);
        }
        properties
    }
}

/// True if the script of an object makes its list.
fn makes_list(object: &Value) -> bool {
    LIST_MAKERS.iter().any(|name| engine::has_script_method(object, &StringName::from(*name)))
}
