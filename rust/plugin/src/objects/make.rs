//! Makes objects of their class and properties, as `decode_variant` in the engine's `core/io/marshalls.cpp` does; and checks
//! before whether they are allowed, and whether the engine can make them.

use std::borrow::Cow;

use foldhash::{HashMap, HashSet};
use godot::builtin::{StringName, Variant};
use varbatch_codec::{CodecError, CodecErrorKind, Event, Kind, Reader, Text};

use super::SCRIPT;
use super::allowed::{self, Allowed};
use crate::engine::{self, NewObject, Slot, Value};
use crate::value::build::Refused;
use crate::value::{element_scripts, refused};

/// The objects that a call may make, and what it has asked the engine about the classes, scripts and properties in its
/// bytes.
#[derive(Default)]
pub struct Makers {
    allows: Allows,
    /// The place of each class; `None` if no object of it can be made.
    classes: HashMap<String, Option<usize>>,
    /// The place of the script at each path; `None` if there is none.
    scripts: HashMap<String, Option<usize>>,
    makers: Vec<Maker>,
    /// The objects of the current value that have no counted references.
    made: Vec<Slot>,
    /// The properties of the current value that are not set, as a listed class does not have them.
    pub skipped: Refused,
}

/// Which objects with class and properties may be made.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Allows {
    #[default]
    None,
    /// Those of each class and each script of the project.
    All,
    /// Those of the classes and scripts that are known from the start.
    Listed,
}

/// A class, or a script. And the names of the properties that its first object has from there on: others have the same
/// names in the same places.
pub struct Maker {
    /// The class, or the one that the script extends.
    pub class: StringName,
    pub script: Option<Slot>,
    names: Vec<(String, StringName, Has)>,
    /// Which properties may be set if there is a list, once that was asked.
    stored: Option<Stored>,
    /// False for a class that is only listed as the base of a script.
    is_listed: bool,
}

/// Whether objects have a property that may be set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Has {
    Yes,
    /// The class decides when it is set.
    Perhaps,
    No,
}

/// The properties that a listed class or script has.
struct Stored {
    names: HashSet<StringName>,
    /// Those that are not stored.
    others: HashSet<StringName>,
    /// True if there are properties that are in no list before an object has them.
    has_more: bool,
}

/// Max names that are known of a class.
const MAX_NAMES: usize = 1000;

/// Returns what is known of a text, or asks.
fn known(known: &mut HashMap<String, Option<usize>>, text: &str, ask: impl FnOnce() -> Option<usize>) -> Option<usize> {
    if let Some(place) = known.get(text) {
        return *place;
    }
    let place = ask();
    known.insert(text.into(), place);
    place
}

impl Makers {
    /// Allows all objects, or none.
    pub fn flag(allow_objects: bool) -> Self {
        Self { allows: if allow_objects { Allows::All } else { Allows::None }, ..Self::default() }
    }

    /// Reads the argument `allow_objects`.
    ///
    /// # Errors
    /// If it is neither a flag nor a list of classes that may be listed.
    pub fn of(allow_objects: &Value) -> Result<Self, String> {
        let listed = match Allowed::of(allow_objects)? {
            Allowed::Flag(flag) => return Ok(Self::flag(flag)),
            Allowed::Listed(listed) => listed,
        };
        let mut makers = Self { allows: Allows::Listed, ..Self::default() };
        for (name, allowed) in listed {
            let is_script = allowed.script.is_some();
            let maker = Maker { is_listed: true, ..Maker::of(allowed.class, allowed.script) };
            if is_script {
                let base = maker.class.to_string();
                let place = makers.add(maker);
                makers.scripts.insert(name, Some(place));
                if !makers.classes.contains_key(&base) {
                    let class = makers.makers[place].class.clone();
                    let place = makers.add(Maker::of(class, None));
                    makers.classes.insert(base, Some(place));
                }
            } else {
                let place = makers.add(maker);
                makers.classes.insert(name, Some(place));
            }
        }
        Ok(makers)
    }

    /// True if only objects of some classes may be made, and only their own properties are set.
    pub fn are_listed(&self) -> bool {
        self.allows == Allows::Listed
    }

    /// True if any objects with class and properties may be made.
    pub fn allow_objects(&self) -> bool {
        self.allows != Allows::None
    }

    fn add(&mut self, maker: Maker) -> usize {
        self.makers.push(maker);
        self.makers.len() - 1
    }

    /// Returns the place of a class if an object of it can be made.
    fn class(&mut self, class: &str) -> Option<usize> {
        let Self { allows, classes, makers, .. } = self;
        known(classes, class, || {
            (*allows == Allows::All && engine::can_instantiate(class)).then(|| {
                makers.push(Maker::of(StringName::from(class), None));
                makers.len() - 1
            })
        })
    }

    /// Returns the place of the script at a path in `res://`, which is loaded unless there is a list.
    fn script_at(&mut self, path: &str) -> Option<usize> {
        let Self { allows, scripts, makers, .. } = self;
        known(scripts, path, || {
            let (script, class) = (*allows == Allows::All).then(|| engine::script(path)).flatten()?;
            makers.push(Maker::of(class, Some(Slot::from(script))));
            Some(makers.len() - 1)
        })
    }

    /// Creates an object; also returns the place of its class. `None` if the engine cannot.
    pub fn make(&mut self, class: &str) -> Option<(NewObject, usize)> {
        let place = self.class(class)?;
        let object = NewObject::of(&self.makers[place].class)?;
        if !object.is_counted {
            self.made.push(Slot::of(object.value()));
        }
        Some((object, place))
    }

    /// Frees the objects of a value that failed.
    #[cold]
    pub fn free_made(&mut self) {
        self.made.drain(..).for_each(|object| engine::free(object.value()));
    }

    /// Returns the name of a property that an object of the class or script at `place` has at this index in the bytes.
    pub fn property(&mut self, place: usize, index: usize, text: &str) -> (Cow<'_, StringName>, Has) {
        let is_list = self.are_listed();
        let maker = &mut self.makers[place];
        if index >= maker.names.len() || maker.names[index].0 != text {
            let name = StringName::from(text);
            let has = if is_list { maker.has(&name, text) } else { Has::Yes };
            if index != maker.names.len() || index >= MAX_NAMES {
                return (Cow::Owned(name), has);
            }
            maker.names.push((text.into(), name, has));
        }
        let (_, name, has) = &maker.names[index];
        (Cow::Borrowed(name), *has)
    }

    /// Returns the place of the script at a path, and the script with the class that it extends.
    pub fn script(&mut self, path: &str) -> Option<(usize, &Variant, &StringName)> {
        let place = self.script_at(path)?;
        let Maker { class, script, .. } = &self.makers[place];
        script.as_ref().map(|script| (place, script.value().variant(), class))
    }

    /// Checks that the objects of a value are allowed, and that the engine can make them. Call this only while nothing is
    /// borrowed that a script can change.
    ///
    /// # Errors
    /// If the bytes are no value, or the engine or the list does not have a class or a script.
    pub fn check(&mut self, mut reader: Reader<'_>) -> Result<(), CodecError> {
        self.made.clear();
        self.skipped = Refused::default();
        let is_list = self.are_listed();
        let (mut counts, mut open) = (refused::Objects::default(), Vec::new());
        loop {
            let (at, depth) = (reader.position(), reader.depth());
            let Some(event) = reader.next_event()? else { return Ok(()) };
            match event {
                Event::Object { class: Text::Utf8(class), .. } => {
                    let Some(place) = self.class(class) else {
                        let refused = if is_list { refused::not_listed } else { refused::no_such_class };
                        return Err(reader.error_at(at, refused(class)));
                    };
                    counts.enter(&reader, class);
                    if is_list {
                        open.push(Open { at, depth, place, has_script: false });
                    }
                }
                Event::Text(Text::Utf8(SCRIPT)) if reader.is_in_object() => {
                    let script = self.checked_script(&reader)?;
                    if let Some((script, object)) = script.zip(open.last_mut()) {
                        self.check_base(object, script).map_err(|kind| reader.error_at(reader.position(), kind))?;
                    }
                }
                Event::Text(Text::Utf8(name)) if reader.is_in_object() => counts.check(&reader, name)?,
                _ => {}
            }
            if let Some(path) = element_scripts(event).find(|path| self.script_at(path).is_none()) {
                return Err(reader.error_at(at, self.no_script(path)));
            }
            while let Some(object) = open.pop_if(|object| !reader.is_inside(object.depth)) {
                let Maker { class, is_listed, .. } = &self.makers[object.place];
                if !is_listed && !object.has_script {
                    return Err(reader.error_at(object.at, refused::not_listed(&class.to_string())));
                }
            }
        }
    }

    /// Returns the place of the script that the value of the property "script" names, `None` if that is null.
    fn checked_script(&mut self, reader: &Reader<'_>) -> Result<Option<usize>, CodecError> {
        let at = reader.position();
        let kind = reader.peek_kind()?;
        let why = match reader.clone().next_event()? {
            Some(Event::String(Text::Utf8(path))) => match self.script_at(path) {
                Some(place) => return Ok(Some(place)),
                None => self.no_script(path),
            },
            _ if kind == Kind::Nil => return Ok(None),
            _ => refused::no_such_script(kind.name()),
        };
        Err(reader.error_at(at, why))
    }

    fn no_script(&self, path: &str) -> CodecErrorKind {
        match self.allows {
            Allows::Listed => refused::not_listed(path),
            _ => refused::no_such_script(&format!("{path:?}")),
        }
    }

    /// Notes the listed script of an object, whose class must be the one that the script extends.
    fn check_base(&self, object: &mut Open, script: usize) -> Result<(), CodecErrorKind> {
        let (base, class) = (&self.makers[script].class, &self.makers[object.place].class);
        if base != class {
            return Err(refused::wrong_base(&base.to_string(), &class.to_string()));
        }
        if std::mem::replace(&mut object.has_script, true) {
            return Err(refused::second_script());
        }
        Ok(())
    }
}

/// An object whose properties are being checked.
struct Open {
    at: usize,
    /// How many containers enclose it.
    depth: usize,
    place: usize,
    has_script: bool,
}

impl Maker {
    fn of(class: StringName, script: Option<Slot>) -> Self {
        Self { class, script, names: Vec::new(), stored: None, is_listed: false }
    }

    /// Returns whether there is a stored property of this name. Metadata is none: no class declares it.
    fn has(&mut self, name: &StringName, text: &str) -> Has {
        let Self { class, script, stored, .. } = self;
        let stored = stored.get_or_insert_with(|| {
            let (names, others, has_more) = allowed::properties(class, script.as_ref());
            Stored { names, others, has_more }
        });
        if stored.names.contains(name) {
            Has::Yes
        } else if stored.has_more && !stored.others.contains(name) && !text.starts_with("metadata/") {
            Has::Perhaps
        } else {
            Has::No
        }
    }
}

/// True if a value holds something that [`Makers::check`] must ask the engine about: an object with class and properties,
/// or a script.
///
/// # Errors
/// If the bytes are no value.
pub fn has_any(mut reader: Reader<'_>) -> Result<bool, CodecError> {
    let mut found = false;
    while let Some(event) = reader.next_event()? {
        found |= matches!(event, Event::Object { .. }) || element_scripts(event).next().is_some();
    }
    Ok(found)
}
