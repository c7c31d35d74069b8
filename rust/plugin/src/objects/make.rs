//! Makes objects as the engine's `decode_variant` does; first checks whether they are allowed, and can be made.

use foldhash::HashMap;
use godot::builtin::{StringName, Variant};
use godot::global::var_to_bytes;
use varbatch_codec::{CodecError, CodecErrorKind, Event, Kind, Reader, Text};

use super::allowed::{Has, Stored, listed};
use super::known::{Known, Names, Walk};
use super::{SCRIPT, constant};
use crate::engine::{self, NewObject, Slot, Value};
use crate::value::budget::{Budget, Costs, costs_of};
use crate::value::build::Refused;
use crate::value::{element_scripts, refused};

/// The objects that a call may make, and what it asked the engine about classes, scripts and properties in its bytes.
#[derive(Default)]
pub struct Makers {
    allows: Allows,
    /// `None` if no object of a class can be made.
    classes: Known<Option<Class>>,
    /// `None` if there is no script at a path.
    scripts: Known<Option<Script>>,
    pub names: Names,
    /// What listed classes and scripts store, by the places of their names.
    stored: HashMap<usize, Stored>,
    /// The objects that have no counted references, of all values, and how many of them are of earlier values.
    made: Vec<Slot>,
    kept: usize,
    /// The properties of the current value that are not set, as a listed class does not have them.
    pub skipped: Refused,
    budget: Budget,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Allows {
    #[default]
    None,
    /// Those of each class and each script of the project.
    All,
    /// Those of the classes and scripts that are known from the start, of which only their own properties are set.
    Listed,
}

struct Class {
    name: StringName,
    /// The place of the names of its properties.
    names: usize,
    /// The properties whose numbers are charged.
    costs: Costs,
    /// False for a class that is only listed as the base of a script.
    is_allowed: bool,
}

struct Script {
    script: Slot,
    base: StringName,
    names: usize,
}

/// Objects of a class that are checked before it is asked for a new one's values, which takes as long as to set some.
const LEARN_FROM: usize = 6;

/// An object around the next value.
struct Around<'a> {
    at: usize,
    /// How many containers enclose it.
    depth: usize,
    class: &'a str,
    costs: Costs,
    walk: Walk,
    is_allowed: bool,
    has_script: bool,
}

impl Drop for Makers {
    fn drop(&mut self) {
        std::mem::take(&mut self.names).give_back();
    }
}

impl Makers {
    pub fn flag(allow_objects: bool) -> Self {
        let mut makers = Self::default();
        makers.allows = if allow_objects { Allows::All } else { Allows::None };
        makers
    }

    /// Reads the argument `allow_objects`: a flag, or a list of classes that may be listed.
    pub fn of(allow_objects: &Value) -> Result<Self, String> {
        let flag = allow_objects.view();
        if flag.kind() == Kind::Bool {
            return Ok(Self::flag(flag.bool()));
        }
        let mut makers = Self::default();
        makers.allows = Allows::Listed;
        makers.names.take_once();
        for (name, listed) in listed(allow_objects)? {
            match listed.script {
                None => makers.list_class(&name, listed.class, true),
                Some(script) => {
                    let names = makers.names.place(&name);
                    let stored = || Stored::new(listed.class.clone(), Some(Slot::of(script.value())));
                    makers.stored.entry(names).or_insert_with(stored);
                    makers.list_class(&listed.class.to_string(), listed.class.clone(), false);
                    makers.scripts.place(&name, || Some(Script { script, base: listed.class, names }));
                }
            }
        }
        Ok(makers)
    }

    /// Lists a class, under the name that it has in the bytes; only as the base of a script unless `is_allowed`.
    fn list_class(&mut self, text: &str, name: StringName, is_allowed: bool) {
        let names = self.names.place(text);
        self.stored.entry(names).or_insert_with(|| Stored::new(name.clone(), None));
        let costs = costs_of(&name.to_string());
        let place = self.classes.place(text, || Some(Class { name, names, costs, is_allowed }));
        self.classes.at(place).iter_mut().for_each(|class| class.is_allowed |= is_allowed);
    }

    pub fn allow_objects(&self) -> bool {
        self.allows != Allows::None
    }

    /// Returns a class if an object of it can be made, perhaps with a script.
    fn class(&mut self, text: &str) -> Option<&Class> {
        let may_ask = self.allows == Allows::All;
        let ask = || {
            let name = (may_ask && engine::can_instantiate(text)).then(|| StringName::from(text))?;
            let (names, costs) = (self.names.place(text), costs_of(text));
            Some(Class { name, names, costs, is_allowed: true })
        };
        let place = self.classes.place(text, ask);
        self.classes.at(place).as_ref()
    }

    /// Creates an object; also returns the walk through its properties. `None` if the engine cannot.
    pub fn make(&mut self, class: &str) -> Option<(NewObject, Walk)> {
        let class = self.class(class)?;
        let (object, walk) = (NewObject::of(&class.name)?, Walk::of(class.names));
        if !object.is_counted {
            self.made.push(Slot::of(object.value()));
        }
        Some((object, walk))
    }

    /// Frees the objects of a value that failed.
    #[cold]
    pub fn free_made(&mut self) {
        self.made.drain(self.kept..).for_each(|object| engine::free(object.value()));
    }

    /// Frees the objects of all values, which nobody gets.
    pub fn free_all(&mut self) {
        self.made.drain(..).for_each(|object| engine::free_later(object.value()));
    }

    pub fn keep_all(&mut self) {
        self.made.clear();
    }

    /// Learns the values that a new object of a class need not be told.
    #[cold]
    fn learn(&mut self, class: &str) {
        let Some(&Class { ref name, names, .. }) = self.class(class) else { return };
        let idle = constant::idle_setters(name);
        if idle.is_empty() {
            return;
        }
        let Some(object) = NewObject::of(name) else { return };
        self.names.learn(names, |name| {
            let value = idle.contains(&*name.text).then(|| engine::property(object.value(), &name.name))??;
            Some(var_to_bytes(value.value().variant()).to_vec())
        });
        if !object.is_counted {
            engine::free(object.value());
        }
    }

    /// Returns whether objects have the property whose name was read, and it may be set.
    pub fn has(&mut self, walk: &Walk) -> Has {
        match self.stored.get_mut(&walk.list) {
            Some(stored) => stored.has(self.names.current(walk), walk.known_index()),
            None => Has::Yes,
        }
    }

    /// Returns the script at a path in `res://`, which is loaded unless there is a list.
    fn known_script(&mut self, path: &str) -> Option<&Script> {
        let may_ask = self.allows == Allows::All;
        let ask = || {
            let (script, base) = may_ask.then(|| engine::script(path)).flatten()?;
            Some(Script { script: Slot::from(script), base, names: self.names.place(path) })
        };
        let place = self.scripts.place(path, ask);
        self.scripts.at(place).as_ref()
    }

    pub fn script(&mut self, path: &str) -> Option<(&Variant, &StringName)> {
        self.known_script(path).map(|script| (script.script.value().variant(), &script.base))
    }

    /// Returns the script of an object; the properties that follow are those of the script.
    pub fn enter_script(&mut self, path: &str, walk: &mut Walk) -> Option<&Value> {
        let script = self.known_script(path)?;
        *walk = Walk::of(script.names);
        Some(script.script.value())
    }

    /// Checks a value, and that its objects are allowed and can be made. Nothing may be borrowed: scripts may run.
    pub fn check(&mut self, mut reader: Reader<'_>) -> Result<(), CodecError> {
        self.kept = self.made.len();
        self.skipped = Refused::default();
        self.names.take_once();
        self.budget.add_bytes(reader.left());
        let mut objects: Vec<Around<'_>> = Vec::new();
        loop {
            while let Some(object) = objects.pop_if(|object| !reader.is_inside(object.depth)) {
                if !object.is_allowed && !object.has_script {
                    return Err(reader.error_at(object.at, refused::not_listed(object.class)));
                }
            }
            if let Some(object) = objects.last_mut().filter(|_| reader.is_at_name())
                && self.check_property(object, &mut reader)?
            {
                continue;
            }
            let (at, depth) = (reader.position(), reader.depth());
            // Most values say nothing about the engine.
            let event = reader.next_event_to(|event| match event {
                Event::Object { .. } | Event::Array { .. } | Event::Dictionary { .. } => Some(event),
                _ => None,
            })?;
            let Some(event) = event else { return Ok(()) };
            match event {
                Some(Event::Object { class: Text::Utf8(text), .. }) => {
                    let is_list = self.allows == Allows::Listed;
                    let Some(&Class { costs, names, is_allowed, .. }) = self.class(text) else {
                        let why = if is_list { refused::not_listed(text) } else { refused::no_such_class(text) };
                        return Err(reader.error_at(at, why));
                    };
                    if self.names.begin(names) == LEARN_FROM {
                        self.learn(text);
                    }
                    let walk = Walk::of(names);
                    objects.push(Around { at, depth, class: text, costs, walk, is_allowed, has_script: false });
                }
                Some(event) => {
                    if let Some(path) = element_scripts(event).find(|path| self.script(path).is_none()) {
                        return Err(reader.error_at(at, self.no_script(path)));
                    }
                }
                None => {}
            }
        }
    }

    /// Reads a property's name, and checks the value of "script": null or a path. True if the value needs no reading.
    fn check_property(&mut self, object: &mut Around<'_>, reader: &mut Reader<'_>) -> Result<bool, CodecError> {
        if self.names.read(&mut object.walk, reader)? {
            return Ok(true);
        }
        let name = &self.names.current(&object.walk).text;
        if !object.costs.is_empty() {
            self.budget.charge((object.at as u64, object.class), object.costs, name, reader)?;
        }
        if name != SCRIPT {
            return Ok(false);
        }
        let (at, kind, is_list) = (reader.position(), reader.peek_kind()?, self.allows == Allows::Listed);
        let why = match reader.next_event()? {
            Some(Event::Nil | Event::String(_)) if is_list && object.has_script => {
                CodecErrorKind::Refused("expected one script, found a second".into())
            }
            Some(Event::String(Text::Utf8(path))) => match self.known_script(path) {
                None => self.no_script(path),
                Some(script) => {
                    (object.walk, object.has_script) = (Walk::of(script.names), true);
                    if !is_list || script.base == object.class {
                        return Ok(true);
                    }
                    let (base, class) = (&script.base, object.class);
                    CodecErrorKind::Refused(format!("expected the script of a {class}, found one that extends {base}"))
                }
            },
            _ if kind == Kind::Nil => return Ok(true),
            _ => refused::no_such_script(kind.name()),
        };
        Err(reader.error_at(at, why))
    }

    fn no_script(&self, path: &str) -> CodecErrorKind {
        if self.allows == Allows::Listed {
            refused::not_listed(path)
        } else {
            refused::no_such_script(&format!("{path:?}"))
        }
    }
}

/// True if [`Makers::check`] must ask the engine about objects or scripts in a value. Fails if the bytes are broken.
pub fn has_any(mut reader: Reader<'_>) -> Result<bool, CodecError> {
    let mut found = false;
    while let Some(event) = reader.next_event()? {
        found |= matches!(event, Event::Object { .. }) || element_scripts(event).next().is_some();
    }
    Ok(found)
}
