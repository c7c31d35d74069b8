//! The argument `allow_objects`: a flag, or a list of the classes that bytes may make objects of; and their properties.

use foldhash::HashMap;
use godot::classes::{ClassDb, Script};
use godot::prelude::*;
use varbatch_codec::Kind;

use super::listed::Listed;
use crate::engine::{self, Slot, Value};
use crate::report::{NAME, short};

/// A class that is listed: a script and the class that it extends, or only a class.
pub struct Class {
    pub class: StringName,
    pub script: Option<Slot>,
}

/// What objects of these classes hold can run whatever the bytes want.
const CODE: [&str; 2] = ["Script", "PackedScene"];

/// Reads a list. Returns each class with its name in the bytes: a class or a script's path. The first of a name counts.
pub fn listed(argument: &Value) -> Result<Vec<(String, Class)>, String> {
    let view = argument.view();
    let mut listed = Vec::new();
    match view.kind() {
        Kind::Array => {
            for (index, element) in view.elements().iter().enumerate() {
                let class = Class::of(element).map_err(|why| format!("{why}, at index {index} of allow_objects"))?;
                let name = class.own_name().ok_or_else(|| {
                    format!(
                        "expected a script with a path in res://, found one without, at index {index} of allow_objects"
                    )
                })?;
                listed.push((name, class));
            }
        }
        Kind::Dictionary => {
            let ((keys, values), mut own_names) = (view.keys_and_values(), Vec::new());
            for (key, value) in engine::values(&keys).iter().zip(engine::values(&values)) {
                let name = text(key).ok_or_else(|| {
                    let found = key.view().kind().name();
                    format!("expected paths of scripts or names of classes as keys of allow_objects, found {found}")
                })?;
                let why = |why| format!("{why}, at key {:?} of allow_objects", short(&name, NAME));
                let class = Class::of(value).map_err(why)?;
                // A game that moved a script also has saves that name its new place.
                if let Some(own_name) = class.own_name() {
                    own_names.push((own_name, Class::of(value).map_err(why)?));
                }
                listed.push((name, class));
            }
            // Behind the keys: the first of a name counts.
            listed.append(&mut own_names);
        }
        kind => {
            let found = if kind == Kind::Int { view.int().to_string() } else { kind.name().into() };
            return Err(format!("expected true, false or classes as allow_objects, found {found}"));
        }
    }
    Ok(listed)
}
fn text(value: &Value) -> Option<String> {
    matches!(value.view().kind(), Kind::String | Kind::StringName).then(|| value.variant().stringify().to_string())
}

impl Class {
    fn of(value: &Value) -> Result<Self, String> {
        let expected = "expected a script or the name of a class that can be instantiated";
        let class = if let Some(name) = text(value) {
            if !engine::can_instantiate(&name) {
                return Err(format!("{expected}, found {:?}", short(&name, NAME)));
            }
            Self { class: StringName::from(&name), script: None }
        } else {
            let Ok(script) = value.variant().try_to::<Gd<Script>>() else {
                let kind = value.view().kind();
                let found = if kind == Kind::Object { engine::class_of(value).to_string() } else { kind.name().into() };
                let advice = if found == "GDScriptNativeClass" { " (write &\"Curve\" instead of Curve)" } else { "" };
                return Err(format!("{expected}, found {found}{advice}"));
            };
            Self { class: script.get_instance_base_type(), script: Some(Slot::of(value)) }
        };
        let classes = ClassDb::singleton();
        match CODE.into_iter().find(|code| classes.is_parent_class(&class.class, *code)) {
            Some(code) => {
                Err(format!("expected classes that hold data, found {}, as a {code} holds code", class.class))
            }
            None => Ok(class),
        }
    }

    /// Returns the script of one that has a script.
    pub fn script(&self) -> &Value {
        self.script.as_ref().expect("it has a script").value()
    }

    /// Returns the name of the class in bytes that are written now. `None` for a script without a path.
    fn own_name(&self) -> Option<String> {
        let Some(script) = &self.script else { return Some(self.class.to_string()) };
        let path = script.value().variant().to::<Gd<Script>>().get_path().to_string();
        path.starts_with("res://").then_some(path)
    }
}

/// Whether objects have a property that may be set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Has {
    Yes,
    /// The class decides when it is set.
    Perhaps,
    No,
}

/// The properties of objects of a class.
pub struct Stored {
    /// Those that they list, and whether they are stored.
    listed: HashMap<StringName, bool>,
    /// True if there may be properties in no list.
    has_more: bool,
    /// By the index of the name in their order.
    known: Vec<Option<Has>>,
}

impl Stored {
    /// Asks the class and the script. There may be properties that are in no list: those that a class makes up as it reads
    /// them, such as the tracks of an Animation, which come before the script; and those of a script that makes its list.
    #[cold]
    pub fn of(class: &Class) -> Self {
        let mut listed: HashMap<_, _> = Listed::of_class(&class.class).all().collect();
        let script = class.script.as_ref().map(Slot::value);
        let Some((value, script)) =
            script.and_then(|value| Some((value, value.variant().try_to::<Gd<Script>>().ok()?)))
        else {
            return Self { listed, has_more: true, known: Vec::new() };
        };
        listed.extend(Listed::from(&script.get_script_property_list()).all());
        // What the script itself has is no property of objects, but a static variable, which the engine would set.
        Listed::of(value).all().for_each(|(name, _)| _ = listed.entry(name).or_insert(false));
        let list = "_get_property_list".to_variant();
        let makes_list = |script: Gd<Script>| {
            script.get_script_method_list().iter_shared().any(|method| method.get("name").as_ref() == Some(&list))
        };
        let has_more = std::iter::successors(Some(script), |script| script.get_base_script()).any(makes_list);
        Self { listed, has_more, known: Vec::new() }
    }

    /// Returns whether there is a stored property of this name, which is at this index in the order if it is there.
    pub fn has(&mut self, name: &StringName, text: &str, index: Option<usize>) -> Has {
        if let Some(Some(has)) = index.and_then(|index| self.known.get(index)) {
            return *has;
        }
        let has = match self.listed.get(name) {
            Some(true) => Has::Yes,
            // No class declares metadata.
            None if self.has_more && !text.starts_with("metadata/") => Has::Perhaps,
            _ => Has::No,
        };
        if let Some(index) = index {
            self.known.resize(self.known.len().max(index + 1), None);
            self.known[index] = Some(has);
        }
        has
    }
}
