//! Decides which objects are made of bytes, and which of their properties are set; and makes them, as the engine's
//! `decode_variant` does.
//!
//! [`Makers::check`] asks the engine about each class, script and name in a value, and lists what is to be done as
//! [`Step`]s. A build follows them: it looks nothing up and decides nothing.

use godot::builtin::StringName;
use godot::global::var_to_bytes;
use varbatch_codec::{CodecError, CodecErrorKind, Event, Kind, Reader, Text};

use super::allowed::{Class, Has, Stored, listed};
use super::known::{Known, Names, Walk};
use super::{SCRIPT, constant};
use crate::engine::{self, NewObject, Slot, Value};
use crate::value::build::Refused;
use crate::value::{element_scripts, refused};

/// What is to be done for an object, a property or the type of a container. Indices are those of [`Makers`].
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Makes an object of a class.
    Make(u32),
    /// Gives an object, or the elements of a container, a script. A property takes so many bytes.
    Script(u32, u32),
    /// Sets a property.
    Set(u32),
    /// Sets a property if the object takes it.
    Offer(u32),
    /// Passes so many properties of so many bytes in all.
    Pass(u32, u32),
}

/// The objects that a call may make, and what it asked the engine about classes, scripts and properties in its bytes.
#[derive(Default)]
pub struct Makers {
    allows: Allows,
    all: Vec<Maker>,
    /// `None` if no object of a class can be made.
    classes: Known<Option<usize>>,
    /// `None` if there is no script at a path.
    scripts: Known<Option<usize>>,
    pub names: Names,
    /// What is to be done for the current value, in the order of its bytes, and how many of these steps were taken.
    steps: Vec<Step>,
    taken: usize,
    /// The objects that have no counted references and that nobody has yet, and how many of them are of earlier values.
    made: Vec<Slot>,
    kept: usize,
    /// The properties of the current value that are not set, as a listed class does not have them.
    pub skipped: Refused,
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

/// A class, or a script with the class that it extends.
struct Maker {
    of: Class,
    /// The place of the names of its properties.
    names: usize,
    /// The properties that are refused if they are too large.
    counts: Option<&'static [&'static str]>,
    /// False for a class that is only listed as the base of a script.
    is_allowed: bool,
    stored: Option<Stored>,
}

/// Objects of a class that are checked before it is asked for a new one's values, which takes as long as to set some.
const LEARN_FROM: usize = 6;

/// An object around the next value.
struct Around {
    at: usize,
    /// How many containers enclose it.
    depth: usize,
    class: usize,
    /// The script, if there is one, or the class.
    maker: usize,
    walk: Walk,
    is_allowed: bool,
    /// How many steps there were after its last [`Step::Pass`].
    passed: usize,
}

/// Frees the objects that nobody got.
impl Drop for Makers {
    fn drop(&mut self) {
        self.made.drain(..).for_each(|object| engine::free_later(object.value()));
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
        let (classes, scripts): (Vec<_>, Vec<_>) =
            listed(allow_objects)?.into_iter().partition(|(_, class)| class.script.is_none());
        let mut makers = Self::default();
        makers.allows = Allows::Listed;
        makers.names.take_once();
        for (name, class) in classes {
            makers.place(&name, true, || Some(class));
        }
        for (path, script) in scripts {
            let (base, known) = (script.class.clone(), makers.all.len());
            makers.place(&base.to_string(), true, || Some(Class { class: base, script: None }));
            // It is only the base of a script.
            makers.all[known..].iter_mut().for_each(|base| base.is_allowed = false);
            makers.place(&path, false, || Some(script));
        }
        Ok(makers)
    }

    pub fn allow_objects(&self) -> bool {
        self.allows != Allows::None
    }

    fn is_list(&self) -> bool {
        self.allows == Allows::Listed
    }

    /// Returns the index of a class or of a script; asks for it if the text is new.
    fn place(&mut self, text: &str, is_class: bool, ask: impl FnOnce() -> Option<Class>) -> Option<usize> {
        let Self { classes, scripts, all, names, .. } = self;
        let known = if is_class { classes } else { scripts };
        let place = known.place(text, || {
            let of = ask()?;
            // Whatever name it has in the bytes, its properties and their values are those of the class itself.
            let key = if is_class { of.class.to_string() } else { text.to_owned() };
            let (names, counts) = (names.list(&key), refused::counts_of(&key));
            all.push(Maker { of, names, counts, is_allowed: true, stored: None });
            Some(all.len() - 1)
        });
        *known.at(place)
    }

    /// Returns the index of a class if an object of it can be made, perhaps with a script.
    fn class(&mut self, text: &str) -> Option<usize> {
        let may_ask = self.allows == Allows::All;
        let ask = || Class { class: StringName::from(text), script: None };
        self.place(text, true, || (may_ask && engine::can_instantiate(text)).then(ask))
    }

    /// Returns the index of the script at a path in `res://`, which is loaded unless there is a list.
    fn script(&mut self, path: &str) -> Option<usize> {
        let may_ask = self.allows == Allows::All;
        self.place(path, false, || {
            let (script, class) = may_ask.then(|| engine::script(path)).flatten()?;
            Some(Class { class, script: Some(Slot::from(script)) })
        })
    }

    /// Takes the next step of the value that was checked.
    #[inline]
    pub fn step(&mut self) -> Step {
        self.taken += 1;
        self.steps[self.taken - 1]
    }

    pub fn class_of(&self, maker: u32) -> &Class {
        &self.all[maker as usize].of
    }

    /// Creates an object of a class. `None` if the engine cannot.
    pub fn make(&mut self, class: u32) -> Option<NewObject> {
        let object = NewObject::of(&self.class_of(class).class)?;
        if !object.is_counted {
            self.made.push(Slot::of(object.value()));
        }
        Some(object)
    }

    /// Returns how many of the objects that were made nobody has yet.
    pub fn made(&self) -> usize {
        self.made.len()
    }

    /// Frees the objects of a part that its container or its object refused, by how many there were before.
    #[cold]
    pub fn free_from(&mut self, made: usize) {
        self.made.drain(made..).for_each(|object| engine::free(object.value()));
    }

    /// Frees the objects of a value that failed.
    #[cold]
    pub fn free_made(&mut self) {
        self.free_from(self.kept);
    }

    /// Leaves the objects of all values to who gets these.
    pub fn keep_all(&mut self) {
        self.made.clear();
    }

    /// Learns the values that a new object of a class need not be told.
    #[cold]
    fn learn(&mut self, class: usize) {
        let Maker { of: Class { class, .. }, names, .. } = &self.all[class];
        let idle = constant::idle_setters(class);
        if idle.is_empty() {
            return;
        }
        let Some(object) = NewObject::of(class) else { return };
        self.names.learn(*names, |text, name| {
            let value = idle.contains(text).then(|| engine::property(object.value(), name))??;
            Some(var_to_bytes(value.value().variant()).to_vec())
        });
        if !object.is_counted {
            engine::free(object.value());
        }
    }

    /// Checks a value, and that its objects are allowed and can be made; lists the steps that make them. Nothing may be
    /// borrowed: scripts may run.
    pub fn check(&mut self, mut reader: Reader<'_>) -> Result<(), CodecError> {
        (self.kept, self.taken, self.skipped) = (self.made.len(), 0, Refused::default());
        self.steps.clear();
        self.names.take_once();
        let mut objects: Vec<Around> = Vec::new();
        loop {
            while let Some(object) = objects.pop_if(|object| !reader.is_inside(object.depth)) {
                if !object.is_allowed {
                    let class = self.all[object.class].of.class.to_string();
                    return Err(reader.error_at(object.at, refused::not_listed(&class)));
                }
            }
            if let Some(object) = objects.last_mut().filter(|_| reader.is_at_name())
                && self.property(object, &mut reader)?
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
                    let Some(class) = self.class(text) else {
                        let why = if self.is_list() { refused::not_listed } else { refused::no_such_class };
                        return Err(reader.error_at(at, why(text)));
                    };
                    let Maker { names, is_allowed, .. } = self.all[class];
                    if self.names.begin(names) == LEARN_FROM {
                        self.learn(class);
                    }
                    self.steps.push(Step::Make(class as u32));
                    let walk = Walk::of(names);
                    objects.push(Around { at, depth, class, maker: class, walk, is_allowed, passed: 0 });
                }
                Some(event) => {
                    for path in element_scripts(event) {
                        let script = self.script(path).ok_or_else(|| reader.error_at(at, self.no_script(path)))?;
                        self.steps.push(Step::Script(script as u32, 0));
                    }
                }
                None => {}
            }
        }
    }

    /// Decides about the next property. Returns true if its value needs no check.
    #[inline(always)]
    fn property(&mut self, object: &mut Around, reader: &mut Reader<'_>) -> Result<bool, CodecError> {
        let start = reader.position();
        let Some((name, index)) = self.names.read(&mut object.walk, reader)? else {
            self.pass(object, reader.position() - start);
            return Ok(true);
        };
        let text = self.names.text(name);
        if text == SCRIPT {
            return self.script_property(object, name, start, reader).map(|()| true);
        }
        let mut has = Has::Yes;
        if self.is_list() {
            let Maker { stored, of, .. } = &mut self.all[object.maker];
            has = stored.get_or_insert_with(|| Stored::of(of)).has(self.names.name(name), text, index);
        }
        if has == Has::No {
            self.skipped.add(Refused { count: 1, first: reader.position() });
            reader.skip_value()?;
            self.pass(object, reader.position() - start);
            return Ok(true);
        }
        let Maker { counts, of, .. } = &self.all[object.class];
        if let Some(counts) = counts {
            refused::check_count(reader, &of.class.to_string(), counts, text)?;
        }
        self.steps.push(if has == Has::Yes { Step::Set(name as u32) } else { Step::Offer(name as u32) });
        Ok(false)
    }

    /// Passes a property of so many bytes.
    #[inline]
    fn pass(&mut self, object: &mut Around, len: usize) {
        let is_behind = object.passed == self.steps.len();
        match self.steps.last_mut() {
            Some(Step::Pass(count, before)) if is_behind => (*count, *before) = (*count + 1, *before + len as u32),
            _ => self.steps.push(Step::Pass(1, len as u32)),
        }
        object.passed = self.steps.len();
    }

    /// Decides about the property "script", whose name was read: null or a path.
    #[cold]
    fn script_property(
        &mut self,
        object: &mut Around,
        name: usize,
        start: usize,
        reader: &mut Reader<'_>,
    ) -> Result<(), CodecError> {
        let (at, kind, is_list) = (reader.position(), reader.peek_kind()?, self.is_list());
        let has_script = object.maker != object.class;
        let why = match reader.next_event()? {
            Some(Event::Nil | Event::String(_)) if is_list && has_script => {
                CodecErrorKind::Refused("expected one script, found a second".into())
            }
            Some(Event::String(Text::Utf8(path))) => match self.script(path) {
                None => self.no_script(path),
                Some(script) => {
                    let Maker { of: Class { class: base, .. }, names, .. } = &self.all[script];
                    (object.walk, object.maker, object.is_allowed) = (Walk::of(*names), script, true);
                    self.steps.push(Step::Script(script as u32, (reader.position() - start) as u32));
                    let class = &self.all[object.class].of.class;
                    if !is_list || base == class {
                        return Ok(());
                    }
                    CodecErrorKind::Refused(format!("expected the script of a {class}, found one that extends {base}"))
                }
            },
            _ if kind == Kind::Nil && has_script => {
                self.steps.push(Step::Set(name as u32));
                return Ok(());
            }
            _ if kind == Kind::Nil => {
                self.pass(object, reader.position() - start);
                return Ok(());
            }
            _ => refused::no_such_script(kind.name()),
        };
        Err(reader.error_at(at, why))
    }

    fn no_script(&self, path: &str) -> CodecErrorKind {
        if self.is_list() { refused::not_listed(path) } else { refused::no_such_script(&format!("{path:?}")) }
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
