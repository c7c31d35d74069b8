//! Asks an object or a class which properties it has.

use godot::builtin::{Array, StringName, VarDictionary};
use godot::classes::ClassDb;
use godot::obj::Singleton;
use varbatch_codec::Kind;

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
pub const SCRIPT: &str = "script";

/// The prefix of metadata in property names.
const METADATA: &str = "metadata/";

/// The properties that an object or a class lists. The script is left out: a different script has a different list.
pub struct Listed(Vec<ListedProperty>);

struct ListedProperty {
    name: StringName,
    usage: i64,
}

impl ListedProperty {
    fn is_stored(&self) -> bool {
        self.usage & (STORAGE | NO_INSTANCE_STATE) == STORAGE
    }
}

impl Listed {
    /// Asks an object for its list. Its script may run.
    pub fn of(object: &Value) -> Self {
        Self::from(&engine::property_list(object).try_to().unwrap_or_default())
    }

    /// Asks a class of the engine.
    pub fn of_class(class: &StringName) -> Self {
        Self::from(&ClassDb::singleton().class_get_property_list(class))
    }

    fn from(list: &Array<VarDictionary>) -> Self {
        let script = StringName::from(SCRIPT);
        let entry = |entry: VarDictionary| {
            let name: StringName = entry.get("name")?.try_to_relaxed().ok()?;
            let usage = entry.get("usage")?.try_to().ok()?;
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
    pub fn stored(&self) -> Vec<StringName> {
        let mut names: Vec<StringName> = Vec::new();
        for entry in self.0.iter().filter(|entry| entry.is_stored()) {
            if !names.contains(&entry.name) {
                names.push(entry.name.clone());
            }
        }
        names
    }

    /// True if each property of an object is metadata, or one of its script or of its class.
    pub fn is_explained_by(&self, class: &Self) -> bool {
        self.0.iter().all(|entry| {
            entry.usage & OF_SCRIPT != 0 || metadata_name(&entry.name.to_string()).is_some() || class.has(&entry.name)
        })
    }
}

/// Returns the name of metadata from its name as a property.
pub fn metadata_name(property: &str) -> Option<StringName> {
    property.strip_prefix(METADATA).map(StringName::from)
}

/// Returns the names of an object's metadata.
pub fn metadata_of(object: &Value) -> Vec<StringName> {
    let list = engine::meta_list(object);
    let view = engine::value(&list).view();
    match view.kind() {
        Kind::Array => view.elements().iter().map(|name| name.variant().to()).collect(),
        _ => Vec::new(),
    }
}
