//! Finds the changes since the objects were recorded.

use std::cell::LazyCell;
use std::sync::Arc;

use godot::builtin::StringName;
use varbatch_codec::change::Op;

use super::narrow::Narrowed;
use super::recording::{Part, Recording};
use super::states::{BATCH, Span, State, States};
use crate::engine::{Slot, Value};
use crate::objects::{Listed, Properties, SCRIPT, United};
use crate::report::Reports;
use crate::value::string_cache::Texts;

pub struct Changes {
    pub parts: Vec<Part>,
    pub old: States,
    /// The new values of changed properties, and of all properties of whole objects.
    new: States,
    changes: Vec<Change>,
    /// Parts of objects that now have other properties or another script, with old and new values, empty if missing.
    wholes: Vec<(usize, Vec<[Span; 2]>)>,
}

struct Change {
    part: usize,
    property: usize,
    old: Span,
    new: Span,
    op: Op,
    /// The changed part of the value, if it is not the whole value.
    narrowed: Option<Narrowed>,
    /// The object that the change is a part of, if it can only be undone with all of the object's properties.
    whole: Option<usize>,
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

impl Changes {
    pub fn of(parts: Vec<Part>, old: States) -> Self {
        Self { parts, old, new: States::default(), changes: Vec::new(), wholes: Vec::new() }
    }

    /// Compares objects with their recorded states. Their getters run.
    pub fn find(mut recording: Recording) -> (Self, Reports) {
        let mut found = Self::of(std::mem::take(&mut recording.parts), std::mem::take(&mut recording.states));
        let (mut reports, mut values, mut read_parts) = (Reports::default(), Vec::new(), Vec::new());
        for index in 0..found.parts.len() {
            let (start, part) = (values.len(), &found.parts[index]);
            match read(part, &recording, &mut values) {
                Ok(properties) => read_parts.push((index, properties)),
                Err(why) => {
                    values.truncate(start);
                    reports.push_warning(index, || format!("skipped {}: {why}", part.shown()));
                }
            }
            if values.len() < BATCH && index + 1 < found.parts.len() {
                continue;
            }
            let (mut states, mut spans, mut first) = (States::default(), Vec::with_capacity(values.len()), 0);
            let mut errors = states.encode(&values, &mut spans).into_iter().peekable();
            for (index, properties) in read_parts.drain(..) {
                let end = first + properties.names.len();
                while let Some((at, error)) = errors.next_if(|&(at, _)| at < end) {
                    let (part, name) = (&found.parts[index], &properties.texts[at - first]);
                    reports.push_error(index, || part.failure(name, &error));
                }
                let part = &mut found.parts[index];
                let (united, old) = (United::of(&part.properties, &properties), &recording.spans[part.first_span..]);
                part.properties = Arc::clone(&united.properties);
                found.compare_part(index, &united, old, (&states, &spans[first..end]), None);
                first = end;
            }
            values.clear();
        }
        (found, reports)
    }

    /// Compares the recorded values of a part with those of now, of which each property has one. `united` are the properties of
    /// both. `before` is the object that the part was read of, if it is not the part's own.
    pub fn compare_part(
        &mut self,
        index: usize,
        united: &United,
        recorded: &[Span],
        (states, now): (&States, &[Span]),
        before: Option<&Value>,
    ) {
        let part = &self.parts[index];
        let (first, mut is_whole) = (self.changes.len(), !united.is_same());
        let listed = LazyCell::new(|| Listed::of(part.object.value()));
        let listed_before = before.map(|before| LazyCell::new(|| Listed::of(before)));
        let spans = || united.places().map(|[old, new]| (old.map(|at| recorded[at]), new.map(|at| now[at])));
        for (property, (old_span, new)) in spans().enumerate() {
            let mut old = old_span.map(|old| self.old.get(old));
            let mut new = new.map(|new| states.get(new));
            if !has_changed(old, new) {
                continue;
            }
            let (name, text) = (&part.properties.names[property], &part.properties.texts[property]);
            if united.is_doubtful(name) {
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
            let old = old_span.filter(|_| old.is_some()).unwrap_or_default();
            self.changes.push(Change { part: index, property, old, new, op, narrowed, whole: None });
        }
        if is_whole && part.properties.list.is_complete && first < self.changes.len() {
            self.changes[first..].iter_mut().for_each(|change| change.whole = Some(self.wholes.len()));
            let values = spans().map(|(old, new)| {
                let new = new.map(|new| self.new.add(states.get(new)));
                [old.unwrap_or_default(), new.unwrap_or_default()]
            });
            self.wholes.push((index, values.collect()));
        }
    }

    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Returns the modifications, in the order in which the objects were recorded.
    pub fn iter(&self) -> impl Iterator<Item = Modification<'_>> {
        self.changes.iter().map(|change| {
            let part = &self.parts[change.part];
            Modification {
                object: part.object.value(),
                name: &part.properties.names[change.property],
                text: &part.properties.texts[change.property],
                op: change.op,
                narrowed: change.narrowed,
                old: self.old.get(change.old),
                new: self.new.get(change.new),
                whole: change.whole,
            }
        })
    }

    /// Returns the names of all properties of a whole object, the script first, with their old and new values.
    pub fn whole(&self, whole: usize) -> impl Iterator<Item = (&StringName, &str, State<'_>, State<'_>)> {
        let (part, values) = &self.wholes[whole];
        let Properties { names, texts, .. } = &*self.parts[*part].properties;
        let names = names.iter().zip(texts);
        names.zip(values).map(|((name, text), &[old, new])| (name, &**text, self.old.get(old), self.new.get(new)))
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

    pub fn values(&self) -> [Slot; 2] {
        [self.old, self.new].map(|state| Slot::with(|slot| self.build(state, slot, &mut Texts::for_bytes(0))))
    }

    pub fn build(&self, state: State<'c>, slot: &mut Slot, texts: &mut Texts) {
        match self.narrowed {
            Some(part) => part.build(state, slot),
            None => state.build(slot, texts),
        }
    }
}

/// Reads the current property values of a part and returns their list, or returns why the part must be skipped.
fn read(part: &Part, recording: &Recording, values: &mut Vec<Slot>) -> Result<Arc<Properties>, String> {
    let object = part.object.value();
    if !part.is_alive() {
        return Err("it was freed".into());
    }
    let mut properties = Arc::clone(&part.properties);
    if properties.list.is_complete {
        properties = Arc::new(properties.leave_out_of(&Properties::asked(object, true)));
    } else if properties.list.is_asked {
        let ask = !properties.list.is_shared || recording.has_list_changed(part.id);
        if let Some(why) = properties.list.difference(object, ask) {
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
