//! Finds the changes since the objects were recorded.

use std::cell::LazyCell;
use std::sync::Arc;

use foldhash::HashMap;
use godot::builtin::StringName;
use varbatch_codec::change::Op;

use super::narrow::Narrowed;
use super::properties::{Listed, Properties, SCRIPT, United};
use super::recording::Recording;
use super::states::{BATCH, Span, State, States};
use crate::engine::{Slot, Value};
use crate::report::Reports;
use crate::value::string_cache::Texts;

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

/// One modification. Any thread may read it.
#[derive(Clone, Copy)]
pub struct Modification<'c> {
    pub object: &'c Value,
    pub name: &'c StringName,
    pub text: &'c str,
    pub op: Op,
    pub narrowed: Option<Narrowed>,
    pub old: State<'c>,
    pub new: State<'c>,
    pub whole: Option<usize>,
}

/// The values to compare with those of a part.
pub struct Now<'n> {
    /// The properties of the part, and of the values.
    pub united: &'n United,
    pub states: &'n States,
    /// One for each property of the values.
    pub spans: &'n [Span],
    /// The object that the part was read of, if it is not the part's own.
    pub before: Option<&'n Value>,
}

impl Now<'_> {
    pub fn get(&self, at: usize) -> State<'_> {
        self.states.get(self.spans[at])
    }
}

impl Changes {
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
            properties = Arc::new(properties.leave_out_of(&Properties::asked(object, true)));
        } else if let Some(list) = &properties.list {
            let ask = !properties.is_shared() || self.recording.has_list_changed(part.id);
            if let Some(why) = list.difference(object, ask) {
                return Err(format!("{why}: record it with record_complete()"));
            }
        }
        let doubtful = properties.read(object, values);
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
        let mut first = 0;
        for (index, properties) in parts.drain(..) {
            let end = first + properties.names.len();
            for at in first..end {
                if let Some(error) = errors.get(&at) {
                    let (part, name) = (&self.recording.parts[index], &properties.texts[at - first]);
                    reports.push_error(index, || part.failure(name, error));
                }
            }
            let united = self.recording.unite(index, &properties);
            let now = Now { united: &united, states: &states, spans: &spans[first..end], before: None };
            self.compare_part(index, &now);
            first = end;
        }
        values.clear();
    }

    /// Compares a part with its values now.
    pub fn compare_part(&mut self, index: usize, now: &Now<'_>) {
        let part = &self.recording.parts[index];
        let (first, mut is_whole) = (self.changes.len(), !now.united.is_same());
        let listed = LazyCell::new(|| Listed::of(part.object.value()));
        let listed_before = now.before.map(|before| LazyCell::new(|| Listed::of(before)));
        for (property, [old, new]) in now.united.places().enumerate() {
            let mut old = old.map(|_| self.recording.state(part, property));
            let mut new = new.map(|at| now.get(at));
            if !has_changed(old, new) {
                continue;
            }
            let (name, text) = (&part.properties.names[property], &part.properties.texts[property]);
            if now.united.is_doubtful(name) {
                let is_stored = listed.stores(name);
                let was_stored = listed_before.as_ref().map_or(is_stored, |listed| listed.stores(name));
                (old, new) = (old.filter(|_| was_stored), new.filter(|_| is_stored));
            }
            let (op, narrowed) = match (old, new) {
                (Some(old), Some(new)) => (Op::Set, Narrowed::of_change(old, new).filter(|_| is_plain_name(text))),
                (None, Some(_)) => (Op::Insert, None),
                (Some(_), None) => (Op::Remove, None),
                (None, None) => continue,
            };
            is_whole |= text == SCRIPT;
            let new = new.map(|new| self.new.add(new)).unwrap_or_default();
            self.changes.push(Change { part: index, property, new, op, narrowed, whole: None });
        }
        if is_whole && part.properties.is_complete() && first < self.changes.len() {
            self.changes[first..].iter_mut().for_each(|change| change.whole = Some(self.wholes.len()));
            let new = now.united.places().map(|[_, at]| at.map(|at| self.new.add(now.get(at))).unwrap_or_default());
            self.wholes.push(Whole { part: index, new: new.collect() });
        }
    }

    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Returns the modifications, in the order in which the objects were recorded.
    pub fn iter(&self) -> impl Iterator<Item = Modification<'_>> {
        self.changes.iter().map(|change| {
            let part = &self.recording.parts[change.part];
            let is_new = change.op == Op::Insert;
            let old = if is_new { State::NONE } else { self.recording.state(part, change.property) };
            Modification {
                object: part.object.value(),
                name: &part.properties.names[change.property],
                text: &part.properties.texts[change.property],
                op: change.op,
                narrowed: change.narrowed,
                old,
                new: self.new.get(change.new),
                whole: change.whole,
            }
        })
    }

    /// Returns the names of all properties of a whole object, the script first, with their old and new values.
    pub fn whole(&self, whole: usize) -> impl Iterator<Item = (&StringName, &str, State<'_>, State<'_>)> {
        let Whole { part, new } = &self.wholes[whole];
        let part = &self.recording.parts[*part];
        new.iter().enumerate().map(|(property, new)| {
            let (name, text) = (&part.properties.names[property], &part.properties.texts[property]);
            (name, &**text, self.recording.state(part, property), self.new.get(*new))
        })
    }
}

impl<'c> Modification<'c> {
    /// Returns the path of the change, in the syntax of NodePath subnames.
    pub fn path(&self) -> String {
        let mut path = self.text.to_string();
        if let Some(part) = self.narrowed {
            part.add_to(&mut path);
        }
        path
    }

    pub fn values(&self) -> (Slot, Slot) {
        let mut texts = Texts::for_bytes(0);
        let [mut old, mut new] = [Slot::new(), Slot::new()];
        self.build(self.old, &mut old, &mut texts);
        self.build(self.new, &mut new, &mut texts);
        (old, new)
    }

    /// Builds what has changed of the old or the new state.
    pub fn build(&self, state: State<'c>, slot: &mut Slot, texts: &mut Texts<'c>) {
        match self.narrowed {
            Some(part) => part.build(state, slot),
            None => state.build(slot, texts),
        }
    }
}

/// True if a property changed. A value that could not be encoded is not compared.
fn has_changed(old: Option<State<'_>>, new: Option<State<'_>>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => !old.is_same(new) && !old.is_none() && !new.is_none(),
        (Some(one), None) | (None, Some(one)) => !one.is_none(),
        (None, None) => false,
    }
}

/// True if a path can begin with the name: a path splits names at colons, and drops empty ones.
fn is_plain_name(name: &str) -> bool {
    !name.contains(':') && name.split('/').all(|part| !part.is_empty())
}
