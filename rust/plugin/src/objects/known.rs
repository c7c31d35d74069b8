//! What a call knows of texts in its bytes, to ask the engine once about each: classes, scripts, names of properties.
//!
//! Most objects of a class or script have the same properties in order, so bytes are compared with the last name there.

use std::sync::Mutex;

use foldhash::{HashMap, HashSet};
use godot::builtin::StringName;
use varbatch_codec::{CodecError, Event, Reader, Text};

use crate::jobs::lock;

/// Max names that are kept in order of a class or a script.
const MAX_NAMES: usize = 1000;

/// Max bytes of texts that are kept between calls, and how many each takes besides its own.
const MAX_KEPT: usize = 2 << 20;
const KEEPING: usize = 100;

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

    pub fn text(&self, place: usize) -> &str {
        &self.all[place].0
    }
}

#[derive(Default)]
struct Name {
    name: StringName,
    /// As it is encoded.
    bytes: Vec<u8>,
}

/// Goes through the properties of an object: first those of its class, then those of its script.
pub struct Walk {
    /// The place of their order in [`Names`].
    list: usize,
    /// How many names of that list were passed.
    index: usize,
    /// True if the list had each name at its place: none came twice.
    is_listed: bool,
}

impl Walk {
    pub fn of(list: usize) -> Self {
        Self { list, index: 0, is_listed: true }
    }
}

/// The names of properties, and their order by class and script. Kept between calls: a wrong order only costs time, and
/// the values of new objects are those of the class itself, whatever name it has in the bytes.
#[derive(Default)]
pub struct Names {
    all: Known<Name>,
    lists: Known<List>,
    /// The bytes of all texts, and what keeping them takes.
    len: usize,
}

#[derive(Default)]
struct List {
    names: Vec<Ordered>,
    /// How many objects were begun.
    count: usize,
    /// The first place at which an object had another name.
    mixed_from: Option<usize>,
}

struct Ordered {
    /// The place of the name.
    name: usize,
    /// With the value of a new object, as they are encoded, if that need not be set.
    initial: Option<Vec<u8>>,
}

static NAMES: Mutex<Option<Names>> = Mutex::new(None);

impl Names {
    /// Takes the names of earlier calls, unless there are some already. A call that a script makes meanwhile has none.
    pub fn take_once(&mut self) {
        if self.lists.all.is_empty() {
            *self = lock(&NAMES).take().unwrap_or_default();
        }
    }

    pub fn forget() {
        lock(&NAMES).take();
    }

    /// Keeps the names for later calls, in the order that was the same for all objects.
    pub fn give_back(mut self) {
        for (_, list) in &mut self.lists.all {
            let Some(first) = list.mixed_from.take() else { continue };
            // If new objects are not known, or were where names are forgotten, counts the objects anew.
            let last_known = list.names.iter().rposition(|name| name.initial.is_some());
            if last_known.is_none_or(|last| last >= first) {
                list.count = 0;
            }
            list.names.truncate(first);
        }
        if (1..=MAX_KEPT).contains(&self.len) {
            *lock(&NAMES) = Some(self);
        }
    }

    /// Returns the place of the order for a class or a script.
    pub fn list(&mut self, text: &str) -> usize {
        self.lists.place(text, || {
            self.len += text.len() + KEEPING;
            List::default()
        })
    }

    /// Begins an object with a list. Returns how many there are.
    pub fn begin(&mut self, list: usize) -> usize {
        let list = self.lists.at(list);
        list.count += 1;
        list.count
    }

    /// Reads the next property's name. Returns its place, and its index in the list if it comes at that; `None` if it
    /// skipped one that a new object has. Fails if it is none.
    #[inline(always)]
    pub fn read(
        &mut self,
        walk: &mut Walk,
        reader: &mut Reader<'_>,
    ) -> Result<Option<(usize, Option<usize>)>, CodecError> {
        let index = walk.index;
        walk.index += 1;
        if walk.is_listed
            && let Some(next) = self.lists.all[walk.list].1.names.get(index)
        {
            if next.initial.as_ref().is_some_and(|initial| reader.pass_property(initial)) {
                return Ok(None);
            }
            if reader.pass_name(&self.all.all[next.name].1.bytes) {
                return Ok(Some((next.name, Some(index))));
            }
        }
        self.read_other(walk, index, reader).map(Some)
    }

    /// Reads a name that the list may have at this place, of an object whose names are not all listed; or another one.
    #[cold]
    fn read_other(
        &mut self,
        walk: &mut Walk,
        index: usize,
        reader: &mut Reader<'_>,
    ) -> Result<(usize, Option<usize>), CodecError> {
        let start = reader.position();
        let Some(Event::Text(Text::Utf8(text))) = reader.next_event()? else { unreachable!("a name comes next") };
        let name = self.all.place(text, || {
            self.len += 2 * text.len() + KEEPING;
            Name { name: StringName::from(text), bytes: reader.bytes(start, reader.position()).into() }
        });
        let list = self.lists.at(walk.list);
        if index == list.names.len() && index < MAX_NAMES {
            list.names.push(Ordered { name, initial: None });
        }
        let is_at_index = list.names.get(index).is_some_and(|next| next.name == name);
        if !is_at_index {
            list.mixed_from = Some(list.mixed_from.map_or(index, |first| first.min(index)));
            walk.is_listed = false;
        }
        Ok((name, is_at_index.then_some(index)))
    }

    /// Learns the values that a new object need not be told: `ask` returns the encoded value for a name.
    pub fn learn(&mut self, list: usize, mut ask: impl FnMut(&str, &StringName) -> Option<Vec<u8>>) {
        let mut seen = HashSet::default();
        for next in &mut self.lists.at(list).names {
            if seen.insert(next.name) {
                let (text, Name { name, bytes }) = &self.all.all[next.name];
                next.initial = ask(text, name).map(|value| [bytes, &*value].concat());
            }
        }
    }

    pub fn text(&self, place: usize) -> &str {
        self.all.text(place)
    }

    pub fn name(&self, place: usize) -> &StringName {
        &self.all.all[place].1.name
    }

    /// Moves a reader behind a name that was read before.
    #[inline]
    pub fn pass(&self, place: usize, reader: &mut Reader<'_>) -> Result<(), CodecError> {
        // Other padding makes other bytes.
        if reader.pass_name(&self.all.all[place].1.bytes) { Ok(()) } else { reader.next_event().map(drop) }
    }
}
