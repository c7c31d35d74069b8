//! Finds the changes since the objects were recorded.

use foldhash::HashMap;
use godot::builtin::{Array, StringName, VarDictionary};

use super::lists::Listed;
use super::narrow::Narrowed;
use super::record::{BATCH, read};
use super::recording::{Part, Recording};
use super::states::{OwnState, Span, State, States};
use crate::engine::{self, Slot};
use crate::jobs::pool;
use crate::report::Reports;
use crate::value::string_cache::Texts;

/// Min modifications for which several threads make the Dictionaries, in engines that do not count allocations.
const PARALLEL_FROM: usize = 1000;

/// Modifications that a thread makes at a time.
const RUN: usize = 500;

/// The properties that have changed.
pub struct Changes {
    recording: Recording,
    /// The new values of changed properties.
    new: States,
    changes: Vec<Change>,
}

struct Change {
    part: usize,
    property: usize,
    new: Span,
    /// The changed part of the value, if it is not the whole value.
    narrowed: Option<Narrowed>,
}

/// One modification.
pub struct Modification<'c> {
    pub object: &'c Slot,
    pub name: &'c StringName,
    pub narrowed: Option<Narrowed>,
    pub old: State<'c>,
    pub new: State<'c>,
    text: &'c str,
}

impl Changes {
    /// Compares objects with their recorded states. Their getters run.
    pub fn find(recording: Recording) -> (Self, Reports) {
        let mut found = Self { recording, new: States::default(), changes: Vec::new() };
        let (mut reports, mut values, mut read_parts) = (Reports::default(), Vec::new(), Vec::new());
        for index in 0..found.recording.parts.len() {
            let start = values.len();
            match found.read(index, &mut values) {
                Ok(()) => read_parts.push(index),
                Err(why) => {
                    values.truncate(start);
                    reports.push_warning(index, || format!("skipped {}: {why}", found.recording.parts[index].shown()));
                }
            }
            if values.len() >= BATCH {
                found.compare(&mut read_parts, &mut values, &mut reports);
            }
        }
        found.compare(&mut read_parts, &mut values, &mut reports);
        (found, reports)
    }

    /// Reads the current property values of a part, or returns why it must be skipped.
    fn read(&self, index: usize, values: &mut Vec<Slot>) -> Result<(), String> {
        let part = &self.recording.parts[index];
        let (object, properties) = (part.object.value(), &part.properties);
        if !part.is_alive() {
            return Err("it was freed".into());
        }
        if let Some(all) = &properties.all {
            let ask = !properties.is_shared() || self.recording.has_list_changed(part.id);
            if let Some(why) = all.difference(object, ask) {
                return Err(why);
            }
        }
        let doubtful = read(object, properties, values);
        if !part.is_alive() {
            return Err("it was freed by one of its getters".into());
        }
        if !doubtful.is_empty() {
            let listed = Listed::of(object);
            if let Some(&gone) = doubtful.iter().find(|&&index| !listed.has(&properties.names[index])) {
                return Err(format!("its property \"{}\" is gone", properties.texts[gone]));
            }
        }
        Ok(())
    }

    /// Compares the values that were read of some parts.
    fn compare(&mut self, parts: &mut Vec<usize>, values: &mut Vec<Slot>, reports: &mut Reports) {
        let (mut now, mut spans) = (States::default(), Vec::with_capacity(values.len()));
        let errors: HashMap<usize, _> = now.encode(values, &mut spans).into_iter().collect();
        let mut at = 0;
        for index in parts.drain(..) {
            let part = &self.recording.parts[index];
            let mut listed = None;
            for (property, name) in part.properties.texts.iter().enumerate() {
                let (old, new) = (self.recording.spans[part.first_span + property], spans[at]);
                at += 1;
                if let Some(error) = errors.get(&(at - 1)) {
                    reports.push_error(index, || format!("{}, property \"{name}\": {error}", part.shown()));
                }
                if old.is_empty() || new.is_empty() {
                    continue;
                }
                let (old_state, new_state) = (self.recording.states.get(old), now.get(new));
                if old_state.is_same(new_state) || !is_stored(part, property, &mut listed) {
                    continue;
                }
                let narrowed = Narrowed::of_change(old_state, new_state).filter(|_| is_plain_name(name));
                let new = self.new.add(new_state);
                self.changes.push(Change { part: index, property, new, narrowed });
            }
        }
        values.clear();
    }

    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Returns the modifications, in the order in which the objects were recorded.
    pub fn iter(&self) -> impl Iterator<Item = Modification<'_>> {
        self.changes.iter().map(|change| {
            let part = &self.recording.parts[change.part];
            Modification {
                object: &part.object,
                name: &part.properties.names[change.property],
                narrowed: change.narrowed,
                old: self.recording.states.get(self.recording.spans[part.first_span + change.property]),
                new: self.new.get(change.new),
                text: &part.properties.texts[change.property],
            }
        })
    }

    /// Returns the modifications for scripts.
    pub fn to_array(&self) -> Array<VarDictionary> {
        let is_large = self.len() >= PARALLEL_FROM && engine::allocates_in_parallel();
        engine::new_dictionaries(self.len(), |slots| {
            pool::with(is_large, |threads| {
                if threads.count() == 1 {
                    let mut maker = RowMaker::default();
                    return self.iter().zip(slots).for_each(|(change, slot)| maker.make(&change.row(), slot));
                }
                // The threads only read what they share.
                let rows: Vec<_> = self.iter().map(|change| change.row()).collect();
                threads.for_each(rows.chunks(RUN).zip(slots.chunks_mut(RUN)), |(rows, slots)| {
                    let mut maker = RowMaker::default();
                    rows.iter().zip(slots).for_each(|(row, slot)| maker.make(row, slot));
                });
            });
        })
    }
}

impl<'c> Modification<'c> {
    /// Returns the path of the change, in the syntax of NodePath subnames.
    pub fn path(&self) -> String {
        path_of(self.text, self.narrowed)
    }

    /// Returns the old and the new value.
    pub fn values(&self) -> (Slot, Slot) {
        let made = |state| {
            let mut slot = Slot::new();
            build(state, self.narrowed, &mut slot, &mut Texts::for_bytes(0));
            slot
        };
        (made(self.old), made(self.new))
    }

    /// Returns the old and the new value encoded, for a history.
    pub fn own_states(&self) -> (OwnState, OwnState) {
        OwnState::pair(self.object.value(), self.text, self.old, self.new)
    }

    fn row(&self) -> Row<'c> {
        let (text, narrowed) = (self.text, self.narrowed);
        Row { object: self.object.value(), text, narrowed, old: self.old, new: self.new }
    }
}

/// The contents of a modification's Dictionary, for use on any thread.
struct Row<'c> {
    object: &'c engine::Value,
    text: &'c str,
    narrowed: Option<Narrowed>,
    old: State<'c>,
    new: State<'c>,
}

/// Makes Dictionaries. They share their keys and repeated paths.
struct RowMaker<'c> {
    keys: [Slot; 4],
    paths: HashMap<(*const u8, Option<Narrowed>), Slot>,
    texts: Texts<'c>,
}

impl Default for RowMaker<'_> {
    fn default() -> Self {
        let key = |text| {
            let mut slot = Slot::new();
            slot.set_string(text);
            slot
        };
        let keys = ["object", "property", "old", "new"].map(key);
        Self { keys, paths: HashMap::default(), texts: Texts::for_bytes(usize::MAX) }
    }
}

impl<'c> RowMaker<'c> {
    fn make(&mut self, row: &Row<'c>, slot: &mut Slot) {
        let Self { keys: [object, property, old, new], paths, texts } = self;
        let path = paths.entry((row.text.as_ptr(), row.narrowed)).or_insert_with(|| {
            let mut slot = Slot::new();
            slot.set_string(&path_of(row.text, row.narrowed));
            slot
        });
        let mut dictionary = slot.dictionary();
        dictionary.entry(object).set_copy(row.object);
        dictionary.entry(property).set_copy(path.value());
        build(row.old, row.narrowed, dictionary.entry(old), texts);
        build(row.new, row.narrowed, dictionary.entry(new), texts);
    }
}

fn build<'c>(state: State<'c>, narrowed: Option<Narrowed>, slot: &mut Slot, texts: &mut Texts<'c>) {
    match narrowed {
        Some(part) => part.build(state, slot),
        None => state.build(slot, texts),
    }
}

fn path_of(text: &str, narrowed: Option<Narrowed>) -> String {
    let mut path = text.to_string();
    if let Some(part) = narrowed {
        part.add_to(&mut path);
    }
    path
}

/// True if a path can begin with the name: a path splits names at colons, and drops empty ones.
fn is_plain_name(name: &str) -> bool {
    !name.contains(':') && name.split('/').all(|part| !part.is_empty())
}

/// True if the object stores the property. Asks the object if that is not certain.
fn is_stored(part: &Part, property: usize, listed: &mut Option<Listed>) -> bool {
    if !part.properties.are_doubtful[property] {
        return true;
    }
    let listed = listed.get_or_insert_with(|| Listed::of(part.object.value()));
    listed.stores(&part.properties.names[property])
}
