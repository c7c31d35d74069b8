//! What a call knows of texts in its bytes, to ask the engine once about each: classes, scripts, names of properties.
//!
//! Most objects of a class or script have the same properties in order, so bytes are compared with the last name there.

use std::sync::Mutex;

use foldhash::{HashMap, HashSet};
use godot::builtin::StringName;
use varbatch_codec::{CodecError, Event, Reader, Text};

use crate::jobs::lock;

/// Max names that are kept of a class or a script.
const MAX_NAMES: usize = 1000;

/// Max bytes of a name that is kept.
const MAX_LENGTH: usize = 100;

/// Max names that are kept between calls, and lists of them.
const MAX_KEPT: usize = 20_000;

#[derive(Default)]
pub struct Known<T> {
    places: HashMap<String, usize>,
    all: Vec<(String, T)>,
    /// The place of the text that was looked up last.
    last: usize,
}

impl<T> Known<T> {
    /// Returns the place of what is known of a text, or asks.
    pub fn place(&mut self, text: &str, ask: impl FnOnce() -> T) -> usize {
        if self.all.get(self.last).is_none_or(|(last, _)| last != text) {
            self.last = self.places.get(text).copied().unwrap_or_else(|| {
                self.places.insert(text.into(), self.all.len());
                self.all.push((text.into(), ask()));
                self.all.len() - 1
            });
        }
        self.last
    }

    pub fn at(&mut self, place: usize) -> &mut T {
        &mut self.all[place].1
    }
}

pub struct Name {
    pub name: StringName,
    pub text: String,
    /// As it is encoded.
    bytes: Vec<u8>,
    /// With the value of a new object, as they are encoded, if that need not be set.
    initial: Option<Vec<u8>>,
}

/// Goes through the properties of an object: first those of its class, then those of its script.
pub struct Walk {
    /// The place of their names in [`Names`].
    pub list: usize,
    /// How many names of that list were passed.
    index: usize,
    /// The name of the current property, if the list has another one at this place.
    other: Option<Name>,
    /// True if the list had each name at its place: none came twice.
    is_listed: bool,
}

impl Walk {
    pub fn of(list: usize) -> Self {
        Self { list, index: 0, other: None, is_listed: true }
    }

    /// Returns the index of the current property in the list, if its name is known there.
    pub fn known_index(&self) -> Option<usize> {
        self.other.is_none().then(|| self.index - 1)
    }
}

/// The names of properties in order, by class and script. Kept between calls, as wrong ones only cost time.
#[derive(Default)]
pub struct Names(Known<List>);

#[derive(Default)]
struct List {
    names: Vec<Name>,
    /// How many objects were begun.
    count: usize,
    /// The first place at which an object had another name.
    mixed_from: Option<usize>,
}

static NAMES: Mutex<Option<Names>> = Mutex::new(None);

impl Names {
    /// Takes the names of earlier calls, unless there are some already. A call that a script makes meanwhile has none.
    pub fn take_once(&mut self) {
        if self.0.all.is_empty() {
            *self = lock(&NAMES).take().unwrap_or_default();
        }
    }

    /// Keeps the names for later calls: those that were the same for all objects.
    pub fn give_back(mut self) {
        for (_, list) in &mut self.0.all {
            let Some(first) = list.mixed_from.take() else { continue };
            // If new objects are not known, or were where names are forgotten, counts the objects anew.
            let last_known = list.names.iter().rposition(|name| name.initial.is_some());
            if last_known.is_none_or(|last| last >= first) {
                list.count = 0;
            }
            list.names.truncate(first);
        }
        let count: usize = self.0.all.iter().map(|(_, list)| list.names.len() + 1).sum();
        if (1..=MAX_KEPT).contains(&count) {
            *lock(&NAMES) = Some(self);
        }
    }

    pub fn place(&mut self, text: &str) -> usize {
        self.0.place(text, List::default)
    }

    /// Begins an object with a list. Returns how many there are.
    pub fn begin(&mut self, list: usize) -> usize {
        let list = self.0.at(list);
        list.count += 1;
        list.count
    }

    /// Reads the next property's name, or returns `true` if it skipped one that a new object has. Fails if it is none.
    #[inline(always)]
    pub fn read(&mut self, walk: &mut Walk, reader: &mut Reader<'_>) -> Result<bool, CodecError> {
        let index = walk.index;
        walk.index += 1;
        if walk.is_listed
            && let Some(name) = self.0.all[walk.list].1.names.get(index)
        {
            if name.initial.as_ref().is_some_and(|initial| reader.pass_property(initial)) {
                return Ok(true);
            }
            if reader.pass_name(&name.bytes) {
                return Ok(false);
            }
        }
        self.read_other(walk, reader)?;
        Ok(false)
    }

    /// Reads a name that the list may have at this place, of an object whose names are not all listed; or another one.
    #[cold]
    fn read_other(&mut self, walk: &mut Walk, reader: &mut Reader<'_>) -> Result<(), CodecError> {
        let (list, index) = (self.0.at(walk.list), walk.index - 1);
        walk.other = None;
        if list.names.get(index).is_some_and(|name| reader.pass_name(&name.bytes)) {
            return Ok(());
        }
        let start = reader.position();
        let Some(Event::Text(Text::Utf8(text))) = reader.next_event()? else { unreachable!("a name comes next") };
        let bytes = reader.bytes(start, reader.position()).into();
        let name = Name { name: StringName::from(text), text: text.into(), bytes, initial: None };
        if index == list.names.len() && index < MAX_NAMES && text.len() <= MAX_LENGTH {
            list.names.push(name);
        } else {
            list.mixed_from = Some(list.mixed_from.map_or(index, |first| first.min(index)));
            walk.is_listed = false;
            walk.other = Some(name);
        }
        Ok(())
    }

    /// Learns the values that a new object need not be told: `ask` returns the encoded value for a name.
    pub fn learn(&mut self, list: usize, mut ask: impl FnMut(&Name) -> Option<Vec<u8>>) {
        let names = &mut self.0.at(list).names;
        let mut seen = HashSet::default();
        for name in names {
            if seen.insert(name.text.clone()) {
                name.initial = ask(name).map(|value| [&*name.bytes, &value].concat());
            }
        }
    }

    pub fn current<'n>(&'n self, walk: &'n Walk) -> &'n Name {
        walk.other.as_ref().unwrap_or_else(|| &self.0.all[walk.list].1.names[walk.index - 1])
    }
}
