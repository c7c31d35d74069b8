//! The argument `allow_objects`: a flag, or a list of the classes that bytes may make objects of.

use foldhash::HashSet;
use godot::classes::{ClassDb, Engine, Script};
use godot::prelude::*;
use varbatch_codec::{CodecError, CodecErrorKind, Event, Kind, Reader};

use super::listed::{LIST_METHODS, alive};
use crate::engine::{self, Slot, Value};
use crate::report::{NAME, PATH, short};
use crate::value::budget::{can_make, is_single};
use crate::value::{element_scripts, refused};

/// A class that is listed: a script and the class that it extends, or only a class.
pub struct Class {
    pub class: StringName,
    pub script: Option<Slot>,
}

/// What objects of these classes hold can run whatever the bytes want.
const CODE: [&str; 2] = ["Script", "PackedScene"];

/// Which objects a call may make.
#[derive(Default)]
pub enum Allows {
    #[default]
    None,
    /// Those of each class and each script of the project.
    All,
    /// Those of the classes and scripts in a list, of which only their own properties are set.
    Listed(List),
}

/// What a list says besides the classes that it names.
#[derive(Default)]
pub struct List {
    /// The classes that are allowed with all that extend them.
    bases: Vec<StringName>,
    /// The paths of scripts that extend a listed one, each of which is loaded when bytes name it.
    scripts: HashSet<String>,
    pub keeps_metadata: bool,
    /// True if null takes the place of what is not listed.
    leaves_null: bool,
}

/// Classes with their names in the bytes: a class or a script's path. The first of a name counts.
type Named = Vec<(String, Class)>;

impl Allows {
    /// Reads the argument: a flag, or a list. Also returns each class that is listed.
    pub fn of(argument: &Value) -> Result<(Self, Named), String> {
        let (mut list, mut listed, view) = (List::default(), Vec::new(), argument.view());
        match view.kind() {
            Kind::Bool => return Ok((if view.bool() { Self::All } else { Self::None }, listed)),
            Kind::Array => list.add(argument, "allow_objects", false, &mut listed)?,
            Kind::Dictionary => {
                let (keys, values) = view.keys_and_values();
                let mut own_names = Vec::new();
                for (key, value) in engine::values(&keys).iter().zip(engine::values(&values)) {
                    let name = text(key).ok_or_else(|| {
                        let found = key.view().kind().name();
                        format!("expected paths of scripts or names of classes as keys of allow_objects, found {found}")
                    })?;
                    let place = format!("key {:?} of allow_objects", short(&name, NAME));
                    match (&*name, value.view().kind()) {
                        ("classes" | "extends", Kind::Array) => {
                            list.add(value, &place, name == "extends", &mut own_names)?;
                        }
                        ("metadata", Kind::Bool) => list.keeps_metadata = value.view().bool(),
                        ("unlisted", Kind::Nil) => list.leaves_null = true,
                        ("classes" | "extends" | "metadata" | "unlisted", kind) => {
                            let expected = match &*name {
                                "metadata" => "true or false",
                                "unlisted" => "null",
                                _ => "an Array of classes",
                            };
                            return Err(format!("expected {expected}, found {}, at {place}", kind.name()));
                        }
                        _ => {
                            let class = || Class::of(value, false).map_err(|why| format!("{why}, at {place}"));
                            let own = class()?;
                            own.check_name(&name).map_err(|why| format!("{why}, at {place}"))?;
                            // A game that moved a script also has saves that name its new place.
                            own_names.extend(own.own_name().ok().map(|own_name| (own_name, own)));
                            listed.push((name, class()?));
                        }
                    }
                }
                // Behind the keys: the first of a name counts.
                listed.append(&mut own_names);
            }
            kind => {
                let found = if kind == Kind::Int { view.int().to_string() } else { kind.name().into() };
                return Err(format!("expected true, false or classes as allow_objects, found {found}"));
            }
        }
        Ok((Self::Listed(list), listed))
    }

    /// Returns a class, or the script at a path, that is not in the list but allowed, if objects of it can be made.
    pub fn find(&self, text: &str, is_class: bool) -> Option<Class> {
        if !is_class {
            let may_load = match self {
                Self::None => false,
                Self::All => true,
                Self::Listed(list) => list.scripts.contains(text),
            };
            let (script, class) = may_load.then(|| engine::script(text)).flatten()?;
            return Some(Class { class, script: Some(Slot::from(script)) });
        }
        let class = can_make(text)?;
        let may_make = match self {
            Self::None => false,
            Self::All => true,
            Self::Listed(list) => list.bases.iter().any(|base| extends(&class, base)) && code_in(&class).is_none(),
        };
        may_make.then_some(Class { class, script: None })
    }

    /// Returns why there is no object of a class, or with the script at a path; true if null takes its place.
    pub fn refusal(&self, found: &str, is_class: bool) -> (CodecErrorKind, bool) {
        let Self::Listed(list) = self else {
            let path = || refused::no_such_script(&format!("{found:?}"));
            return (if is_class { refused::no_such_class(found) } else { path() }, false);
        };
        let class = StringName::from(found);
        let advice = match code_in(&class) {
            Some(code) => format!("; as a {code} holds code, save its resource_path instead"),
            None if !is_class => format!("; list it as preload({:?})", short(found, PATH)),
            None if can_make(found).is_none() => String::new(),
            None if extends(&class, &StringName::from("Resource")) => {
                format!("; list it as &{found:?}, or save its resource_path")
            }
            None => format!("; list it as &{found:?}"),
        };
        let text = format!("expected a class of allow_objects, found {found:?}{advice}");
        (CodecErrorKind::Refused(text), list.leaves_null)
    }
}

impl List {
    /// True if it allows scripts that are not loaded before bytes name them.
    pub fn has_unloaded(&self) -> bool {
        !self.scripts.is_empty()
    }

    /// Adds the classes in an Array, also those that extend them if it is asked for.
    fn add(
        &mut self,
        array: &Value,
        place: &str,
        extends: bool,
        listed: &mut Vec<(String, Class)>,
    ) -> Result<(), String> {
        let mut names = HashSet::default();
        for (index, element) in array.view().elements().iter().enumerate() {
            let why = |why| format!("{why}, at index {index} of {place}");
            let class = Class::of(element, extends).map_err(why)?;
            match &class.script {
                None if extends => self.bases.push(class.class),
                script => {
                    if let Some(script) = script.as_ref().filter(|_| extends) {
                        let name = script.value().variant().to::<Gd<Script>>().get_global_name().to_string();
                        let unnamed =
                            "expected a script with a class_name, which those that extend it are found by, found none";
                        names.insert(Some(name).filter(|name| !name.is_empty()).ok_or_else(|| why(unnamed.into()))?);
                    }
                    listed.push((class.own_name().map_err(why)?, class));
                }
            }
        }
        if names.is_empty() {
            return Ok(());
        }
        let (all, mut count) = (global_classes(), 0);
        while count < names.len() {
            count = names.len();
            let extend = |[_, base, _]: &&[String; 3]| names.contains(base);
            let found: Vec<_> = all.iter().filter(extend).cloned().collect();
            for [class, _, path] in found {
                names.insert(class);
                self.scripts.insert(path);
            }
        }
        Ok(())
    }
}

fn text(value: &Value) -> Option<String> {
    matches!(value.view().kind(), Kind::String | Kind::StringName).then(|| value.variant().stringify().to_string())
}

/// Returns the name, the base and the path of each named script: the project knows them without loading any.
fn global_classes() -> Vec<[String; 3]> {
    let settings = Engine::singleton().get_singleton("ProjectSettings");
    let all = settings.map(|mut settings| settings.call("get_global_class_list", &[]).to::<Array<VarDictionary>>());
    let fields = |class: VarDictionary| ["class", "base", "path"].map(|field| class.get_or_nil(field).to_string());
    all.iter().flat_map(Array::iter_shared).map(fields).collect()
}

pub fn extends(class: &StringName, base: &StringName) -> bool {
    ClassDb::singleton().is_parent_class(class, base)
}

fn code_in(class: &StringName) -> Option<&'static str> {
    CODE.into_iter().find(|code| extends(class, &StringName::from(*code)))
}

impl Class {
    fn of(value: &Value, is_base: bool) -> Result<Self, String> {
        let expected = "expected a script or the name of a class that can be instantiated";
        let class = if let Some(name) = text(value) {
            let class = StringName::from(&name);
            let classes = ClassDb::singleton();
            if can_make(&name).is_none() && !(is_base && classes.class_exists(&class) && !is_single(&name)) {
                let (name, heirs) = (short(&name, NAME), classes.get_inheriters_from_class(&class));
                let advice = if heirs.as_slice().iter().any(|heir| can_make(&heir.to_string()).is_some()) {
                    format!(" (write {{\"extends\": [&{name:?}]}} for what extends it)")
                } else if global_classes().iter().any(|[class, ..]| *class == name) {
                    format!(" (write {name} instead of {name:?})")
                } else {
                    String::new()
                };
                return Err(format!("{expected}, found {name:?}{advice}"));
            }
            Self { class, script: None }
        } else {
            let Ok(script) = value.variant().try_to::<Gd<Script>>() else {
                let found = alive(value).map_or_else(str::to_owned, |_| engine::class_of(value).to_string());
                let advice = if found == "GDScriptNativeClass" { " (write &\"Curve\" instead of Curve)" } else { "" };
                return Err(format!("{expected}, found {found}{advice}"));
            };
            Self { class: script.get_instance_base_type(), script: Some(Slot::of(value)) }
        };
        match code_in(&class.class) {
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

    pub fn as_script(&self) -> Option<Gd<Script>> {
        self.script.as_ref().and_then(|script| script.value().variant().try_to().ok())
    }

    /// True if no object can have the script: it is only for those that extend it, and a type of containers.
    pub fn is_abstract(&self) -> bool {
        self.as_script().is_some_and(|script| script.is_abstract())
    }

    /// True for each of the [`LIST_METHODS`] that the script has, or one that it extends.
    pub fn list_methods(&self) -> [bool; 2] {
        let scripts = std::iter::successors(self.as_script(), |script| script.get_base_script());
        let lists: Vec<_> = scripts.map(|script| script.get_script_method_list()).collect();
        LIST_METHODS.map(|name| {
            let name = name.to_variant();
            lists.iter().flat_map(Array::iter_shared).any(|method| method.get("name").as_ref() == Some(&name))
        })
    }

    /// Checks that bytes can mean this class by a name: that of a class, or the path of a script.
    fn check_name(&self, name: &str) -> Result<(), String> {
        match (name.contains("://"), &self.script) {
            (true, None) => Err(format!("expected a script for the path of one, found the class {}", self.class)),
            (true, _) if !name.starts_with("res://") => Err("expected a path in res://, found another".into()),
            (false, Some(_)) => Err("expected the name of a class for that of another, found a script".into()),
            _ => Ok(()),
        }
    }

    /// Returns the name of the class in bytes that are written now, or why there is none.
    fn own_name(&self) -> Result<String, String> {
        let Some(script) = &self.script else { return Ok(self.class.to_string()) };
        let script = script.value().variant().to::<Gd<Script>>();
        let path = script.get_path().to_string();
        if path.starts_with("res://") {
            return Ok(path);
        }
        // The engine keeps the source only of whole scripts.
        let found =
            if script.has_source_code() { "one without" } else { "an inner class: move it to a file of its own" };
        Err(format!("expected a script with a path in res://, found {found}"))
    }
}

/// True if [`super::Makers::check`] must ask the engine about objects or scripts in a value. Fails if the bytes are broken.
pub fn has_any(mut reader: Reader<'_>) -> Result<bool, CodecError> {
    let mut found = false;
    while let Some(event) = reader.next_event()? {
        found |= matches!(event, Event::Object { .. }) || element_scripts(event).next().is_some();
    }
    Ok(found)
}
