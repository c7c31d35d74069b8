//! Decides which objects are made of bytes, and which of their properties are set; and makes them, as the engine's
//! `decode_variant` does.
//!
//! [`Makers::check`] asks the engine about each class, script and name in a value, and lists what is to be done as
//! [`Step`]s. A build follows them: it looks nothing up and decides nothing.

use godot::global::var_to_bytes;
use varbatch_codec::{CodecError, CodecErrorKind, Event, Kind, Reader, Text};

use super::allowed::{Allows, Class, extends};
use super::known::{Known, Names, Walk};
use super::made::Made;
use super::maker::{LeftOut, Maker, is_changed};
use super::stored::{RESOURCE_PATH, Stored, Takes, leads_into_project};
use super::{METADATA, SCRIPT, constant};
use crate::engine::{self, NewObject, Value};
use crate::value::budget::{Budget, Charges, charges_of};
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
    /// Sets a property if the object stores it, then or when all else of it is set.
    Ask(u32),
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
    pub made: Made,
    pub left_out: LeftOut,
    budget: Budget,
    /// What is said of the first null in the current value.
    pub why: Option<CodecErrorKind>,
}

/// Objects of a class that are checked before it is asked for a new one's values, which takes as long as to set some.
const LEARN_FROM: usize = 6;

/// A value that may turn out not to be listed, and what was there before it.
#[derive(Clone, Copy)]
struct Start {
    at: usize,
    /// How many containers enclose it.
    depth: usize,
    /// How many properties it has, and where they begin.
    count: usize,
    from: usize,
    step: usize,
    left_out: LeftOut,
}

/// An object around the next value.
struct Around {
    start: Start,
    class: usize,
    /// The script, if there is one, or the class.
    maker: usize,
    walk: Walk,
    is_allowed: bool,
    /// How many steps there were after its last [`Step::Pass`].
    passed: usize,
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

    /// Reads the argument `allow_objects`.
    pub fn of(allow_objects: &Value) -> Result<Self, String> {
        let (allows, listed) = Allows::of(allow_objects)?;
        let (classes, scripts): (Vec<_>, Vec<_>) = listed.into_iter().partition(|(_, class)| class.script.is_none());
        let mut makers = Self::default();
        makers.allows = allows;
        for (name, class) in classes {
            makers.place(&name, true, Some(class));
        }
        for (path, script) in scripts {
            let (base, known) = (script.class.to_string(), makers.all.len());
            makers.place(&base, true, Some(Class { class: script.class.clone(), script: None }));
            // It may only be the base of a script.
            let is_allowed = makers.allows.find(&base, true).is_some();
            makers.all[known..].iter_mut().for_each(|base| base.is_allowed = is_allowed);
            makers.place(&path, false, Some(script));
        }
        Ok(makers)
    }

    pub fn allow_objects(&self) -> bool {
        !matches!(self.allows, Allows::None)
    }

    /// Returns the index of a class or of a script, the first that was listed. If it is new to this call and not listed,
    /// finds out whether objects of it may and can be made.
    fn place(&mut self, text: &str, is_class: bool, listed: Option<Class>) -> Option<usize> {
        let Self { classes, scripts, all, names, allows, .. } = self;
        let known = if is_class { classes } else { scripts };
        let place = known.place(text, || {
            names.take_once();
            let has_other = is_class && listed.is_some();
            let of = listed.or_else(|| allows.find(text, is_class))?;
            // Whatever name it has in the bytes, its properties and their values are those of the class itself.
            let key = if has_other { &of.class.to_string() } else { text };
            let (names, charges) = (names.list(key), if is_class { charges_of(key) } else { Charges::default() });
            all.push(Maker::new(of, names, charges));
            Some(all.len() - 1)
        });
        *known.at(place)
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
            self.made.add(&object);
        }
        Some(object)
    }

    /// Learns the values that a new object of a class need not be told.
    #[cold]
    fn learn(&mut self, class: usize) {
        let Maker { of: Class { class, .. }, names, .. } = &self.all[class];
        let idle = constant::idle_setters(class);
        let object = if idle.is_empty() { None } else { NewObject::of(class) };
        let Some(object) = object else { return };
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
        (self.taken, self.left_out) = (0, LeftOut::default());
        self.made.begin_value();
        self.budget.add_bytes(reader.left());
        self.steps.clear();
        // At once as many as a small value takes.
        self.steps.reserve(64);
        let mut objects: Vec<Around> = Vec::new();
        loop {
            while let Some(object) = objects.pop_if(|object| !reader.is_inside(object.start.depth)) {
                if !object.is_allowed {
                    let class = self.all[object.class].of.class.to_string();
                    self.leave_out(object.start, object.start.at, &class, true, &mut reader)?;
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
            let (from, step, left_out) = (reader.position(), self.steps.len(), self.left_out);
            let start = |count| Start { at, depth, count, from, step, left_out };
            match event {
                Some(Event::Object { class: Text::Utf8(text), count }) => {
                    let Some(class) = self.place(text, true, None) else {
                        self.leave_out(start(count), at, text, true, &mut reader)?;
                        continue;
                    };
                    let Maker { names, is_allowed, charges, .. } = self.all[class];
                    if charges.new > 0 {
                        self.budget.charge_new(text, charges.new, at, &reader)?;
                    }
                    if self.names.begin(names) == LEARN_FROM {
                        self.learn(class);
                    }
                    self.steps.push(Step::Make(class as u32));
                    let (start, walk) = (start(count), Walk::of(names));
                    objects.push(Around { start, class, maker: class, walk, is_allowed, passed: 0 });
                }
                Some(event) => {
                    for path in element_scripts(event) {
                        let Some(script) = self.place(path, false, None) else {
                            self.leave_out(start(0), at, path, false, &mut reader)?;
                            break;
                        };
                        self.steps.push(Step::Script(script as u32, 0));
                    }
                }
                None => {}
            }
        }
    }

    /// Leaves null in the place of a value that is not listed, if that is asked for. Fails otherwise, at `at`.
    #[cold]
    fn leave_out(
        &mut self,
        start: Start,
        at: usize,
        name: &str,
        is_class: bool,
        reader: &mut Reader<'_>,
    ) -> Result<(), CodecError> {
        let (why, leaves_null) = self.allows.refusal(name, is_class);
        if !leaves_null {
            return Err(reader.error_at(at, why));
        }
        reader.finish_value(start.depth)?;
        self.left_out = start.left_out;
        if self.left_out.objects.count == 0 {
            self.why = Some(why);
        }
        self.left_out.objects.add(Refused { count: 1, first: start.at });
        self.steps.truncate(start.step);
        self.steps.push(Step::Pass(start.count as u32, (reader.position() - start.from) as u32));
        Ok(())
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
        let mut takes = Takes::Always;
        if let Allows::Listed(list) = &self.allows
            && !(list.keeps_metadata && text.starts_with(METADATA))
        {
            let Maker { stored, of, .. } = &mut self.all[object.maker];
            takes = stored.get_or_insert_with(|| Stored::of(of)).takes(self.names.name(name), text, index);
            let is_before_script = object.maker == object.class && !text.starts_with(METADATA);
            if text == RESOURCE_PATH || takes == Takes::IfInProject && !leads_into_project(reader) {
                takes = Takes::Never;
            } else if takes == Takes::Never && is_before_script && is_changed(&mut self.all, object.class, list) {
                takes = Takes::IfStored;
            }
        }
        if takes == Takes::Never {
            self.left_out.properties.add(Refused { count: 1, first: reader.position() });
            reader.skip_value()?;
            self.pass(object, reader.position() - start);
            return Ok(true);
        }
        let Maker { charges: Charges { costs, .. }, of, .. } = &self.all[object.class];
        if !costs.is_empty() {
            self.budget.charge((object.start.at as u64, &of.class.to_string()), costs, text, reader)?;
        }
        self.steps.push(match takes {
            Takes::IfStored => Step::Ask(name as u32),
            Takes::IfTaken => Step::Offer(name as u32),
            _ => Step::Set(name as u32),
        });
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
        let (at, kind) = (reader.position(), reader.peek_kind()?);
        let is_list = matches!(self.allows, Allows::Listed(_));
        let has_script = object.maker != object.class;
        let why = match reader.next_event()? {
            Some(Event::Nil | Event::String(_)) if is_list && has_script => {
                CodecErrorKind::Refused("expected one script, found a second".into())
            }
            Some(Event::String(Text::Utf8(path))) => match self.place(path, false, None) {
                None => {
                    object.is_allowed = true;
                    return self.leave_out(object.start, at, path, false, reader);
                }
                Some(script) => {
                    let Maker { of, is_abstract, .. } = &mut self.all[script];
                    if *is_abstract.get_or_insert_with(|| of.is_abstract()) {
                        return Err(reader.error_at(at, refused::abstract_script(path)));
                    }
                    let Maker { of: Class { class: base, .. }, names, .. } = &self.all[script];
                    let is_class_listed = object.is_allowed;
                    (object.walk, object.maker, object.is_allowed) = (Walk::of(*names), script, true);
                    self.steps.push(Step::Script(script as u32, (reader.position() - start) as u32));
                    let class = &self.all[object.class].of.class;
                    if !is_list || base == class || is_class_listed && extends(class, base) {
                        return Ok(());
                    }
                    CodecErrorKind::Refused(format!("expected the script of a {class}, found one that extends {base}"))
                }
            },
            _ if kind == Kind::Nil => {
                match has_script {
                    true => self.steps.push(Step::Set(name as u32)),
                    false => self.pass(object, reader.position() - start),
                }
                return Ok(());
            }
            _ => refused::no_such_script(kind.name()),
        };
        Err(reader.error_at(at, why))
    }
}
