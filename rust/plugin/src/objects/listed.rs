//! What objects and classes list as their properties; and how messages name an object.

use foldhash::HashSet;
use godot::classes::{ClassDb, Script};
use godot::prelude::*;
use godot::register::info::PropertyUsageFlags;
use varbatch_codec::Kind;

use crate::engine::{self, Reference, Value, chars};

pub const SCRIPT: &str = "script";
pub const METADATA: &str = "metadata/";

/// What an object or a class lists, with the usage. As texts: to make a StringName takes longer than all else with a name.
pub struct Listed(Vec<(Reference<GString>, PropertyUsageFlags)>);

impl PartialEq for Listed {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |(one, other): (&(Reference<GString>, _), &(Reference<GString>, _))| {
            one.1 == other.1 && one.0.as_ref() == other.0.as_ref()
        };
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(is_same)
    }
}

impl Listed {
    /// Asks an object for its list. Its script may run.
    pub fn of(object: &Value) -> Self {
        Self::from(engine::property_list(object))
    }

    pub fn of_class(class: &StringName) -> Self {
        Self::from(ClassDb::singleton().class_get_property_list(class))
    }

    pub fn from(list: Array<VarDictionary>) -> Self {
        Self::of_wanted(list, |_| true)
    }

    /// Asks an object without a script for what it stores.
    pub fn stored_by(object: &Value) -> Self {
        Self::of_wanted(engine::property_list(object), |usage| usage.is_set(PropertyUsageFlags::STORAGE))
    }

    fn of_wanted(list: Array<VarDictionary>, is_wanted: impl Fn(PropertyUsageFlags) -> bool) -> Self {
        let list = list.upcast_any_array();
        let list = engine::values(&list);
        let is_key = |key: &Value, text: &str| key.variant().stringify() == text;
        // The engine makes all of them alike.
        let ends = list.first().and_then(|first| first.view().ends());
        let are_at_ends = ends.is_some_and(|[(name, _), (usage, _)]| is_key(name, "name") && is_key(usage, "usage"));
        let property = |index: usize| {
            engine::ahead(list, index);
            let ends = list[index].view().ends().map(|[(_, name), (_, usage)]| (name.view(), usage.view()));
            let ends =
                ends.filter(|(name, usage)| are_at_ends && (name.kind(), usage.kind()) == (Kind::String, Kind::Int));
            let of = |key| list[index].variant().to::<VarDictionary>().get_or_nil(key);
            let usage = ends.map_or_else(|| of("usage").try_to().unwrap_or_default(), |(_, usage)| usage.int());
            let usage = PropertyUsageFlags::from_ord(usage.cast_unsigned());
            let name = || ends.map_or_else(|| of("name").stringify(), |(name, _)| name.gstring().clone());
            is_wanted(usage).then(|| (Reference::new(name()), usage))
        };
        Self((0..list.len()).filter_map(property).collect())
    }

    /// Returns all names but those of groups, and whether the engine writes them of an object with class and properties.
    pub fn all(&self) -> impl Iterator<Item = (StringName, bool)> {
        let properties = self.0.iter().filter(|(_, usage)| !is_heading(*usage));
        properties.map(|(name, usage)| (StringName::from(&name.get()), usage.is_set(PropertyUsageFlags::STORAGE)))
    }

    /// Returns those that it writes.
    pub fn written(&self) -> Vec<StringName> {
        let written = self.0.iter().filter(|(_, usage)| usage.is_set(PropertyUsageFlags::STORAGE));
        written.map(|(name, _)| StringName::from(&name.get())).collect()
    }

    /// Returns the public variables of the script that are not stored, as they have no `@export`, and as the list does not
    /// have them once more.
    pub fn not_exported(&self) -> Vec<String> {
        let names = |flag| {
            let with = self.0.iter().filter(move |(_, usage)| usage.is_set(flag));
            with.map(|(name, _)| name.get().to_string())
        };
        let stored: HashSet<_> = names(PropertyUsageFlags::STORAGE).collect();
        let variables = names(PropertyUsageFlags::SCRIPT_VARIABLE);
        variables.filter(|name| !name.starts_with('_') && !stored.contains(name)).collect()
    }

    /// Returns the properties. Without the script: a different script has a different list.
    fn properties(&self) -> impl Iterator<Item = &(Reference<GString>, PropertyUsageFlags)> {
        let script = GString::from(SCRIPT);
        self.0.iter().filter(move |(name, usage)| name.as_ref() != chars(&script) && !is_heading(*usage))
    }

    /// True if there is a property with this name, stored or not.
    pub fn has(&self, name: &StringName) -> bool {
        let name = GString::from(name);
        self.properties().any(|(listed, _)| listed.as_ref() == chars(&name))
    }

    /// Returns what the object shows and does not store now, beside what its class declares. Without items of the theme, which null
    /// removes, and which are only listed on the main thread.
    pub fn stored_at_times(&self, declared: &HashSet<StringName>) -> Vec<StringName> {
        let theme = GString::from("theme_override_");
        let is_shown = |usage: PropertyUsageFlags| {
            usage.is_set(PropertyUsageFlags::EDITOR)
                && !usage.is_set(PropertyUsageFlags::STORAGE)
                && !usage.is_set(PropertyUsageFlags::SCRIPT_VARIABLE)
        };
        let is_theme = |name: &Reference<GString>| name.as_ref().starts_with(chars(&theme));
        let shown = self.properties().filter(|(name, usage)| is_shown(*usage) && !is_theme(name));
        shown.map(|(name, _)| StringName::from(&name.get())).filter(|name| !declared.contains(name)).collect()
    }

    /// Returns the names of what scenes store, without duplicates: no `NO_INSTANCE_STATE`, which is not an edit.
    pub fn stored(&self) -> Vec<StringName> {
        let is_stored = |usage: PropertyUsageFlags| {
            usage.is_set(PropertyUsageFlags::STORAGE) && !usage.is_set(PropertyUsageFlags::NO_INSTANCE_STATE)
        };
        let stored = self.properties().filter(|(_, usage)| is_stored(*usage));
        distinct(stored.map(|(name, _)| StringName::from(&name.get())))
    }
}

/// True for what is in a list, but is no property.
fn is_heading(usage: PropertyUsageFlags) -> bool {
    let headings = [PropertyUsageFlags::GROUP, PropertyUsageFlags::CATEGORY, PropertyUsageFlags::SUBGROUP];
    headings.into_iter().any(|heading| usage.is_set(heading))
}

/// What a list depends on, if no script makes it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ListKey {
    pub script: u64,
    pub class: StringName,
    pub metadata: Vec<StringName>,
}

impl ListKey {
    pub fn of(object: &Value) -> Self {
        Self {
            script: engine::script_id(object),
            class: engine::class_name(object),
            metadata: engine::meta_list(object),
        }
    }
}

/// The methods of a script that make a list, and that change what is in one.
pub const LIST_METHODS: [&str; 2] = ["_get_property_list", "_validate_property"];

pub fn makes_list(object: &Value) -> bool {
    LIST_METHODS.into_iter().any(|method| engine::has_script_method(object, &StringName::from(method)))
}

pub fn distinct(names: impl Iterator<Item = StringName>) -> Vec<StringName> {
    let mut known = HashSet::default();
    names.filter(|name| known.insert(name.clone())).collect()
}

/// Returns the name of metadata from its name as a property.
pub fn metadata_name(property: &str) -> Option<StringName> {
    property.strip_prefix(METADATA).map(StringName::from)
}

/// Returns the instance id of a living object, or what the value is instead.
pub fn alive(object: &Value) -> Result<u64, &'static str> {
    match (object.view().kind(), object.object_id()) {
        (Kind::Nil, _) => Err("null"),
        (Kind::Object, 0) if object.variant().is_nil() => Err("null"),
        (Kind::Object, 0) => Err("a freed object"),
        (Kind::Object, id) => Ok(id),
        (kind, _) => Err(kind.name()),
    }
}

/// Returns an object as messages name it, even one that was freed. A getter may run.
pub fn shown(object: &Value, class: &StringName, id: u64) -> String {
    let id = id.cast_signed();
    let name = engine::property(object, &StringName::from("name"));
    match name.map(|name| name.value().variant().to_string()).filter(|name| !name.is_empty()) {
        Some(name) => format!("{class} \"{name}\" (id {id})"),
        None => format!("{class} (id {id})"),
    }
}

/// True if no object can be made with its script alone: `_init` needs arguments.
pub fn needs_arguments(object: &Value) -> bool {
    let script = engine::script_of(object).try_to::<Gd<Script>>().ok();
    let methods = script.map(|script| script.get_script_method_list()).unwrap_or_default();
    let init = methods.iter_shared().find(|method| method.get_or_nil("name").stringify() == "_init");
    let [args, defaults] = ["args", "default_args"].map(|key| {
        let list = init.as_ref().map_or(Variant::nil(), |init| init.get_or_nil(key));
        let view = engine::value(&list).view();
        if view.kind() == Kind::Array { view.elements().len() } else { 0 }
    });
    args > defaults
}
