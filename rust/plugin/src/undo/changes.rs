//! Finds the changes since the objects were recorded.

use std::sync::Arc;

use foldhash::HashMap;
use godot::builtin::{Array, StringName, VarDictionary};
use varbatch_codec::change::Op;

use super::compare::References;
use super::lists::{Listed, Lists, Properties, United, is_script};
use super::narrow::Narrowed;
use super::record::{BATCH, read};
use super::recording::Recording;
use super::states::{Span, State, States};
use super::step::StepProperty;
use crate::engine::{self, OwnDictionary, Slot, Value};
use crate::jobs::pool;
use crate::report::Reports;
use crate::value::change_rows::text;
use crate::value::string_cache::Texts;

/// Min modifications for which several threads make the Dictionaries, in engines that do not count allocations.
const PARALLEL_FROM: usize = 1000;

/// Modifications that a thread makes at a time.
const RUN: usize = 500;

/// The properties that have changed.
pub struct Changes {
    pub recording: Recording,
    /// The new values of changed properties, and of all properties of whole objects.
    new: States,
    changes: Vec<Change>,
    wholes: Vec<Whole>,
}

struct Change {
    part: usize,
    property: usize,
    new: Span,
    op: Op,
    /// The changed part of the value, if it is not the whole value.
    narrowed: Option<Narrowed>,
    /// The object that the change is a part of, if it can only be undone with all of the object's properties.
    whole: Option<usize>,
}

/// An object that has other properties now, or another script.
struct Whole {
    part: usize,
    /// The new values of its properties; empty for those that it no longer has.
    new: Vec<Span>,
}

/// One modification.
pub struct Modification<'c> {
    pub object: &'c Slot,
    pub name: &'c StringName,
    pub narrowed: Option<Narrowed>,
    pub old: State<'c>,
    pub new: State<'c>,
    pub whole: Option<usize>,
    pub op: Op,
    text: &'c str,
}

/// The values to compare with those of a part.
pub struct Now<'n> {
    pub properties: &'n Arc<Properties>,
    pub states: &'n States,
    /// One for each property.
    pub spans: &'n [Span],
    /// The object that the part was read of, if it is not the part's own.
    pub before: Option<&'n Value>,
    /// Which objects stand for those that the part holds.
    pub references: Option<&'n References>,
}

impl Changes {
    /// No changes yet.
    pub fn of(recording: Recording) -> Self {
        Self { recording, new: States::default(), changes: Vec::new(), wholes: Vec::new() }
    }

    /// Compares objects with their recorded states. Their getters run.
    pub fn find(recording: Recording) -> (Self, Reports) {
        let mut found = Self::of(recording);
        let (mut reports, mut values, mut read_parts) = (Reports::default(), Vec::new(), Vec::new());
        for index in 0..found.recording.parts.len() {
            let start = values.len();
            match found.read(index, &mut values) {
                Ok(properties) => read_parts.push((index, properties)),
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

    /// Reads the current property values of a part and returns their list, or returns why the part must be skipped.
    fn read(&self, index: usize, values: &mut Vec<Slot>) -> Result<Arc<Properties>, String> {
        let part = &self.recording.parts[index];
        let object = part.object.value();
        if !part.is_alive() {
            return Err("it was freed".into());
        }
        let mut properties = Arc::clone(&part.properties);
        if properties.is_complete() {
            properties = properties.leave_out(&Lists::complete(object));
        } else if let Some(all) = &properties.all {
            let ask = !properties.is_shared() || self.recording.has_list_changed(part.id);
            if let Some(why) = all.difference(object, ask) {
                return Err(format!("{why}: record it with record_complete()"));
            }
        }
        let doubtful = read(object, &properties, values);
        if !part.is_alive() {
            return Err("it was freed by one of its getters".into());
        }
        if !doubtful.is_empty() {
            let listed = Listed::of(object);
            if let Some(&gone) = doubtful.iter().find(|&&index| !listed.has(&properties.names[index])) {
                return Err(format!("its property \"{}\" is gone", properties.texts[gone]));
            }
        }
        Ok(properties)
    }

    /// Compares the values that were read of some parts.
    fn compare(&mut self, parts: &mut Vec<(usize, Arc<Properties>)>, values: &mut Vec<Slot>, reports: &mut Reports) {
        let (mut states, mut spans) = (States::default(), Vec::with_capacity(values.len()));
        let errors: HashMap<usize, _> = states.encode(values, &mut spans).into_iter().collect();
        let mut rest = &spans[..];
        for (index, properties) in parts.drain(..) {
            let at = spans.len() - rest.len();
            let (of_part, others) = rest.split_at(properties.names.len());
            rest = others;
            if !errors.is_empty() {
                for (name, error) in properties.texts.iter().zip(at..).filter_map(|(n, at)| Some((n, errors.get(&at)?)))
                {
                    let part = &self.recording.parts[index];
                    reports.push_error(index, || format!("{}, property \"{name}\": {error}", part.shown()));
                }
            }
            self.compare_part(
                index,
                &Now { properties: &properties, states: &states, spans: of_part, before: None, references: None },
            );
        }
        values.clear();
    }

    /// Compares a part with its values now.
    pub fn compare_part(&mut self, index: usize, now: &Now<'_>) {
        let united = United::of(&self.recording.parts[index].properties, now.properties);
        if let Some(united) = &united {
            self.recording.unite(index, united);
        }
        let place = |property: usize| match &united {
            Some(united) => united.places[property],
            None => (Some(property), Some(property)),
        };
        let part = &self.recording.parts[index];
        let (first, mut is_whole) = (self.changes.len(), united.is_some());
        let (mut listed, mut listed_before) = (None, None);
        for (property, (name, text)) in part.properties.names.iter().zip(&part.properties.texts).enumerate() {
            let (old, new) = place(property);
            let new = new.map(|at| now.states.get(now.spans[at]));
            let span = &mut self.recording.spans[part.first_span + property];
            if let (Some(_), Some(new), Some(references)) = (old, new, now.references)
                && references.may_change(self.recording.states.get(*span), new)
                && let Some(mapped) = self.recording.states.add_mapped(*span, references)
            {
                *span = mapped;
            }
            let old = old.map(|_| self.recording.states.get(*span));
            let (mut old, mut new) = match (old, new) {
                (Some(old), Some(new)) if old.is_same(new) => continue,
                (Some(none), _) | (_, Some(none)) if none.is_none() => continue,
                different => different,
            };
            if part.properties.are_doubtful[property] {
                let stores = listed.get_or_insert_with(|| Listed::of(part.object.value())).stores(name);
                let stored = now
                    .before
                    .map_or(stores, |before| listed_before.get_or_insert_with(|| Listed::of(before)).stores(name));
                (old, new) = (old.filter(|_| stored), new.filter(|_| stores));
            }
            let (op, narrowed) = match (old, new) {
                (Some(old), Some(new)) => (Op::Set, Narrowed::of_change(old, new).filter(|_| is_plain_name(text))),
                (None, Some(_)) => (Op::Insert, None),
                (Some(_), None) => (Op::Remove, None),
                (None, None) => continue,
            };
            is_whole |= is_script(text);
            let new = new.map(|new| self.new.add(new)).unwrap_or_default();
            self.changes.push(Change { part: index, property, new, op, narrowed, whole: None });
        }
        if is_whole && part.properties.is_complete() && first < self.changes.len() {
            let places = (0..part.properties.names.len()).map(|property| place(property).1);
            let new = places.map(|at| at.map(|at| self.new.add(now.states.get(now.spans[at]))).unwrap_or_default());
            let new = new.collect();
            self.changes[first..].iter_mut().for_each(|change| change.whole = Some(self.wholes.len()));
            self.wholes.push(Whole { part: index, new });
        }
    }

    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Returns the modifications, in the order in which the objects were recorded.
    pub fn iter(&self) -> impl Iterator<Item = Modification<'_>> {
        self.changes.iter().map(|change| {
            let part = &self.recording.parts[change.part];
            let old = match change.op {
                Op::Insert => State::NONE,
                _ => self.recording.states.get(self.recording.spans[part.first_span + change.property]),
            };
            Modification {
                object: &part.object,
                name: &part.properties.names[change.property],
                narrowed: change.narrowed,
                old,
                new: self.new.get(change.new),
                whole: change.whole,
                op: change.op,
                text: &part.properties.texts[change.property],
            }
        })
    }

    /// Returns all properties of a whole object, the script first.
    pub fn properties_of(&self, whole: usize) -> Box<[StepProperty]> {
        let Whole { part, new } = &self.wholes[whole];
        let part = &self.recording.parts[*part];
        let old = &self.recording.spans[part.first_span..];
        let names = part.properties.names.iter().zip(&part.properties.texts);
        let property = |((name, text), (old, new)): ((&StringName, &String), (&Span, &Span))| {
            let (old, new) = (self.recording.states.get(*old), self.new.get(*new));
            StepProperty::new(part.object.value(), name, text, old, new)
        };
        names.zip(old.iter().zip(new)).map(property).collect()
    }

    /// Returns the modifications for scripts.
    pub fn to_array(&self, with_op: bool) -> Array<VarDictionary> {
        let is_large = self.len() >= PARALLEL_FROM && engine::allocates_in_parallel();
        engine::new_dictionaries(self.len(), |slots| {
            pool::with(is_large, |threads| {
                if threads.count() == 1 {
                    let mut maker = RowMaker::new(with_op);
                    return self.iter().zip(slots).for_each(|(change, slot)| maker.make(&change.row(), slot));
                }
                // The threads only read what they share.
                let rows: Vec<_> = self.iter().map(|change| change.row()).collect();
                threads.for_each(rows.chunks(RUN).zip(slots.chunks_mut(RUN)), |(rows, slots)| {
                    let mut maker = RowMaker::new(with_op);
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

    /// Returns the change for a history.
    pub fn step(&self) -> StepProperty {
        StepProperty::new(self.object.value(), self.name, self.text, self.old, self.new)
    }

    fn row(&self) -> Row<'c> {
        let (text, narrowed) = (self.text, self.narrowed);
        Row { object: self.object.value(), text, narrowed, op: self.op, old: self.old, new: self.new }
    }
}

/// The contents of a modification's Dictionary, for use on any thread.
struct Row<'c> {
    object: &'c Value,
    text: &'c str,
    narrowed: Option<Narrowed>,
    op: Op,
    old: State<'c>,
    new: State<'c>,
}

/// Makes Dictionaries. They share their keys and repeated paths.
struct RowMaker<'c> {
    keys: [Slot; 4],
    /// The key of the operation, and the operations. `None` to leave them out.
    ops: Option<(Slot, [Slot; 3])>,
    paths: HashMap<(*const u8, Option<Narrowed>), Slot>,
    texts: Texts<'c>,
}

impl<'c> RowMaker<'c> {
    fn new(with_op: bool) -> Self {
        let keys = ["object", "property", "old", "new"].map(text);
        let ops = with_op.then(|| (text("op"), Op::ALL.map(|op| text(op.name()))));
        Self { keys, ops, paths: HashMap::default(), texts: Texts::for_bytes(usize::MAX) }
    }

    fn make(&mut self, row: &Row<'c>, slot: &mut OwnDictionary) {
        let Self { keys: [object, property, old, new], ops, paths, texts } = self;
        let path =
            paths.entry((row.text.as_ptr(), row.narrowed)).or_insert_with(|| text(&path_of(row.text, row.narrowed)));
        let mut dictionary = slot.slot();
        dictionary.entry(object).set_copy(row.object);
        dictionary.entry(property).set_copy(path.value());
        if let Some((op, names)) = ops {
            dictionary.entry(op).set_copy(names[row.op as usize].value());
        }
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
