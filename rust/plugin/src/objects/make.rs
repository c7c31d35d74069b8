//! Makes objects of their class and properties, as `decode_variant` in the engine's `core/io/marshalls.cpp` does; and checks
//! before whether the engine can make them.

use std::borrow::Cow;

use foldhash::HashMap;
use godot::builtin::{StringName, Variant};
use varbatch_codec::{CodecError, Event, Kind, Reader, Text};

use crate::engine::{self, NewObject, Slot};
use crate::value::{element_scripts, refused};

/// What a call has asked the engine about the classes, scripts and properties in its bytes.
#[derive(Default)]
pub struct Makers {
    /// The place of each class; `None` if it cannot be instantiated.
    places: HashMap<String, Option<usize>>,
    classes: Vec<Class>,
    /// The script at each path, and the class that it extends.
    scripts: HashMap<String, Option<(Slot, StringName)>>,
    /// The objects of the current value that have no counted references.
    made: Vec<Slot>,
}

/// A class, and the names of the properties of its first object: others have the same names in the same places.
struct Class {
    name: StringName,
    properties: Vec<(String, StringName)>,
}

/// Max names that are known of a class.
const MAX_NAMES: usize = 1000;

/// Returns what is known of a text, or asks.
fn known<'k, T>(known: &'k mut HashMap<String, T>, text: &str, ask: impl FnOnce() -> T) -> &'k mut T {
    if !known.contains_key(text) {
        known.insert(text.into(), ask());
    }
    known.get_mut(text).expect("it is known")
}

impl Makers {
    /// Returns the place of a class if the engine can create an object of it.
    fn place(&mut self, class: &str) -> Option<usize> {
        let ask = || {
            let name = engine::can_instantiate(class).then(|| StringName::from(class))?;
            self.classes.push(Class { name, properties: Vec::new() });
            Some(self.classes.len() - 1)
        };
        *known(&mut self.places, class, ask)
    }

    /// Creates an object; also returns the place of its class. `None` if the engine cannot.
    pub fn make(&mut self, class: &str) -> Option<(NewObject, usize)> {
        let place = self.place(class)?;
        let object = NewObject::of(&self.classes[place].name)?;
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

    /// Returns the name of a property, which an object of the class at `place` has at this index.
    pub fn property(&mut self, place: usize, index: usize, text: &str) -> Cow<'_, StringName> {
        let names = &mut self.classes[place].properties;
        if index == names.len() && index < MAX_NAMES {
            names.push((text.into(), StringName::from(text)));
        }
        match names.get(index) {
            Some((known, name)) if known == text => Cow::Borrowed(name),
            _ => Cow::Owned(StringName::from(text)),
        }
    }

    /// Loads the script at a path in `res://`; also returns the class that it extends.
    pub fn script(&mut self, path: &str) -> Option<(&Variant, &StringName)> {
        let ask = || engine::script(path).map(|(script, class)| (Slot::from(script), class));
        known(&mut self.scripts, path, ask).as_ref().map(|(script, class)| (script.value().variant(), class))
    }

    /// Checks that the engine can make the objects of a value. Call this only while nothing is borrowed that a script can
    /// change.
    ///
    /// # Errors
    /// If the bytes are no value, or the engine does not have a class or a script.
    pub fn check(&mut self, mut reader: Reader<'_>) -> Result<(), CodecError> {
        self.made.clear();
        let mut objects = refused::Objects::default();
        loop {
            let at = reader.position();
            let Some(event) = reader.next_event()? else { return Ok(()) };
            match event {
                Event::Object { class: Text::Utf8(class), .. } if self.place(class).is_some() => {
                    objects.enter(&reader, class);
                }
                Event::Object { class: Text::Utf8(class), .. } => {
                    return Err(reader.error_at(at, refused::no_such_class(class)));
                }
                Event::Text(Text::Utf8("script")) if reader.is_in_object() => self.check_script(&reader)?,
                Event::Text(Text::Utf8(name)) if reader.is_in_object() => objects.check(&reader, name)?,
                _ => {}
            }
            if let Some(path) = element_scripts(event).find(|path| self.script(path).is_none()) {
                return Err(reader.error_at(at, refused::no_such_script(&format!("{path:?}"))));
            }
        }
    }

    /// Checks the value of the property "script", which must be null or the path of a script.
    fn check_script(&mut self, reader: &Reader<'_>) -> Result<(), CodecError> {
        let at = reader.position();
        let kind = reader.peek_kind()?;
        let found: String = match reader.clone().next_event()? {
            Some(Event::String(Text::Utf8(path))) if self.script(path).is_none() => format!("{path:?}"),
            Some(Event::Nil | Event::String(_)) => return Ok(()),
            _ if kind == Kind::Nil => return Ok(()),
            _ => kind.name().into(),
        };
        Err(reader.error_at(at, refused::no_such_script(&found)))
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
