//! Records the state of objects.
//!
//! A getter is a script: it may free objects, record and flush. So nothing is locked while properties are read, and the
//! result is only added to the recording at the end.

use std::fmt;
use std::sync::{Arc, Mutex};

use godot::builtin::{PackedStringArray, StringName};
use varbatch_codec::Kind;

use super::lists::{Listed, Lists, Properties};
use super::recording::{Part, Recording, Unrecorded};
use super::states::{Span, States};
use super::watch::Watch;
use super::{lock, shared};
use crate::engine::{self, Slot, Value};
use crate::report::Reports;

/// Values to read before they are encoded: as many as fit in the cache.
pub const BATCH: usize = 16_000;

/// The properties to record of each object.
pub enum Wanted {
    /// All stored properties.
    Stored,
    Named(Arc<Properties>),
}

impl Wanted {
    /// Converts the caller's names; an empty array means all stored properties.
    pub fn new(names: &PackedStringArray) -> Self {
        let mut wanted: Vec<StringName> = Vec::with_capacity(names.len());
        for name in names.as_slice() {
            let name = StringName::from(name);
            if !wanted.contains(&name) {
                wanted.push(name);
            }
        }
        match wanted.is_empty() {
            true => Self::Stored,
            false => Self::Named(shared(Properties::named(wanted))),
        }
    }
}

/// The reason why an object was not recorded.
#[derive(Debug)]
enum NotRecorded {
    /// It is not an object, but this.
    NoObject(&'static str),
    /// The object, as messages name it, was freed while it was read.
    Freed(String),
}

impl fmt::Display for NotRecorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoObject(found) => write!(f, "expected an object, found {found}"),
            Self::Freed(object) => write!(f, "{object} was freed by one of its getters"),
        }
    }
}

/// Records objects and returns the reports about them.
pub fn record(recording: &Mutex<Recording>, objects: Vec<Slot>, wanted: &Wanted) -> Reports {
    let lists = std::mem::take(&mut lock(recording).lists);
    let watch = matches!(wanted, Wanted::Stored).then(|| {
        let mut recording = lock(recording);
        if recording.watches.is_empty() {
            recording.watches.push(shared(Watch::new()));
        }
        Arc::clone(&recording.watches[0])
    });
    let mut pass = Pass {
        recording,
        lists,
        watch,
        parts: Vec::with_capacity(objects.len()),
        values: Vec::new(),
        states: States::default(),
        spans: Vec::new(),
        reports: Reports::default(),
    };
    let is_batch = objects.len() > 1;
    for (index, object) in objects.into_iter().enumerate() {
        if let Err(why) = pass.object(object, wanted) {
            let at = pass.parts.len();
            pass.reports.push_error(at, || if is_batch { format!("object {index}: {why}") } else { why.to_string() });
        }
        if pass.values.len() >= BATCH {
            pass.encode();
        }
    }
    pass.finish()
}

struct Pass<'r> {
    recording: &'r Mutex<Recording>,
    lists: Lists,
    watch: Option<Arc<Watch>>,
    parts: Vec<Part>,
    /// Values of the last parts, not encoded yet.
    values: Vec<Slot>,
    states: States,
    spans: Vec<Span>,
    /// Indexed by part; for an object that was not recorded, by the next part.
    reports: Reports,
}

impl Pass<'_> {
    /// Reads the properties of an object.
    fn object(&mut self, object: Slot, wanted: &Wanted) -> Result<(), NotRecorded> {
        let id = alive(object.value())?;
        let properties = match wanted {
            Wanted::Named(properties) => Arc::clone(properties),
            Wanted::Stored => {
                // First, so that changes by the object's own script are not missed.
                if let Some(watch) = &self.watch {
                    watch.add(object.value(), id);
                }
                self.lists.of(object.value())
            }
        };
        let properties = match lock(self.recording).left(id, &properties) {
            Unrecorded::Everything => properties,
            Unrecorded::Only(left) if left.is_empty() => return Ok(()),
            Unrecorded::Only(left) => shared(properties.only(&left)),
        };
        let mut part = Part::new(object, id, properties, self.spans.len() + self.values.len());
        let doubtful = self.read(&part)?;
        if !doubtful.is_empty() {
            part = self.read_doubtful(part, &doubtful)?;
        }
        // An object that stores nothing still has a list to compare.
        if !part.properties.names.is_empty() || part.properties.all.is_some() {
            self.parts.push(part);
        }
        Ok(())
    }

    /// Reads the values of a part. Returns the indices of names that may not be properties.
    fn read(&mut self, part: &Part) -> Result<Vec<usize>, NotRecorded> {
        let start = self.values.len();
        let doubtful = read(part.object.value(), &part.properties, &mut self.values);
        if !part.is_alive() {
            self.values.truncate(start);
            return Err(NotRecorded::Freed(part.shown()));
        }
        Ok(doubtful)
    }

    #[cold]
    fn read_doubtful(&mut self, mut part: Part, doubtful: &[usize]) -> Result<Part, NotRecorded> {
        let start = self.values.len() - part.properties.names.len();
        if part.properties.is_shared() {
            // This object lacks a property of others of its class, so ask the object itself.
            part.properties = self.lists.of_one(part.object.value());
            self.values.truncate(start);
            self.read(&part)?;
            return Ok(part);
        }
        let listed = Listed::of(part.object.value());
        let is_missing = |index: &&usize| !listed.has(&part.properties.names[**index]);
        let missing: Vec<usize> = doubtful.iter().filter(is_missing).copied().collect();
        if part.properties.all.is_some() || missing.is_empty() {
            return Ok(part);
        }
        for &at in &missing {
            let name = &part.properties.texts[at];
            self.reports.push_error(self.parts.len(), || format!("{} has no property \"{name}\"", part.shown()));
        }
        let present: Vec<usize> = (0..part.properties.names.len()).filter(|at| !missing.contains(at)).collect();
        let values = self.values.split_off(start);
        let mut at = 0..;
        self.values.extend(values.into_iter().filter(|_| !missing.contains(&at.next().expect("no end"))));
        part.properties = shared(part.properties.only(&present));
        Ok(part)
    }

    /// Encodes the values that were read.
    fn encode(&mut self) {
        let first = self.spans.len();
        let errors = self.states.encode(&self.values, &mut self.spans);
        for (value, error) in errors {
            let at = first + value;
            let index = self.parts.partition_point(|part| part.first_span <= at) - 1;
            let part = &self.parts[index];
            let name = &part.properties.texts[at - part.first_span];
            self.reports.push_error(index, || format!("{}, property \"{name}\": {error}", part.shown()));
        }
        // A value may hold the last reference to an object, whose script runs when it is freed: nothing is locked here.
        self.values.clear();
    }

    fn finish(mut self) -> Reports {
        self.encode();
        let mut recording = lock(self.recording);
        recording.add(self.parts, self.states, &self.spans);
        let lists = std::mem::replace(&mut recording.lists, self.lists);
        if let Some(watch) = self.watch
            && !recording.watches.iter().any(|other| Arc::ptr_eq(other, &watch))
        {
            recording.watches.push(watch);
        }
        drop(recording);
        drop(lists);
        self.reports
    }
}

/// Returns the instance id of a living object.
fn alive(object: &Value) -> Result<u64, NotRecorded> {
    match (object.view().kind(), object.object_id()) {
        (Kind::Object, 0) if object.variant().is_nil() => Err(NotRecorded::NoObject("null")),
        (Kind::Object, 0) => Err(NotRecorded::NoObject("a freed object")),
        (Kind::Nil, _) => Err(NotRecorded::NoObject("null")),
        (Kind::Object, id) => Ok(id),
        (kind, _) => Err(NotRecorded::NoObject(kind.name())),
    }
}

/// Reads the values of properties. Returns the indices of names that may not be properties: their values are null, or
/// what the engine returns for the name of a method or a signal.
pub fn read(object: &Value, properties: &Properties, values: &mut Vec<Slot>) -> Vec<usize> {
    let mut doubtful = Vec::new();
    for (index, name) in properties.names.iter().enumerate() {
        let found = engine::property(object, name);
        let kind = found.as_ref().map_or(Kind::Nil, |found| found.value().view().kind());
        if found.is_none() || properties.all.is_none() && matches!(kind, Kind::Callable | Kind::Signal) {
            doubtful.push(index);
        }
        values.push(found.unwrap_or_else(Slot::new));
    }
    doubtful
}
