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

/// What to record of each object.
pub struct Wanted {
    names: Names,
    /// Names that are left out; without those that were removed from the caller's names.
    except: Vec<StringName>,
    /// True if the objects will be read again, after an edit. So their lists are watched, and a name that an object
    /// lacks is an error.
    is_edit: bool,
}

enum Names {
    /// All stored properties.
    Stored,
    /// All stored properties, and the script before them.
    Complete,
    Named(Arc<Properties>),
}

impl Wanted {
    /// Converts the caller's names; an empty array means all stored properties.
    pub fn new(names: &PackedStringArray, except: &PackedStringArray) -> Self {
        let (named, mut except) = (distinct(names), distinct(except));
        let names = if named.is_empty() {
            Names::Stored
        } else {
            let (out, rest) = named.into_iter().partition::<Vec<_>, _>(|name| except.contains(name));
            except.retain(|name| !out.contains(name));
            Names::Named(shared(Properties::named(rest)))
        };
        Self { names, except, is_edit: true }
    }

    /// All stored properties, for edits that may change which properties there are.
    pub fn complete(except: &PackedStringArray) -> Self {
        Self { names: Names::Complete, except: distinct(except), is_edit: true }
    }

    /// Like [`Self::new`], for objects that are only read now.
    pub fn now(names: &PackedStringArray) -> Self {
        Self { is_edit: false, ..Self::new(names, &PackedStringArray::new()) }
    }

    /// Returns the names that the caller gave, if any.
    pub fn named(&self) -> &[StringName] {
        match &self.names {
            Names::Named(properties) => &properties.names,
            _ => &[],
        }
    }
}

/// Returns names in order, without duplicates.
fn distinct(names: &PackedStringArray) -> Vec<StringName> {
    let mut distinct: Vec<StringName> = Vec::with_capacity(names.len());
    for name in names.as_slice() {
        let name = StringName::from(name);
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
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

/// Records objects and returns the reports about them. `named` names an object by its index, in errors.
pub fn record(
    recording: &Mutex<Recording>,
    objects: Vec<Slot>,
    wanted: &Wanted,
    named: &dyn Fn(usize) -> String,
) -> Reports {
    let lists = std::mem::take(&mut lock(recording).lists);
    let watch = (wanted.is_edit && matches!(wanted.names, Names::Stored)).then(|| {
        let mut recording = lock(recording);
        if recording.watches.is_empty() {
            recording.watches.push(shared(Watch::new()));
        }
        Arc::clone(&recording.watches[0])
    });
    let mut pass = Pass {
        recording,
        wanted,
        lists,
        left_out: LeftOut::default(),
        watch,
        parts: Vec::with_capacity(objects.len()),
        values: Vec::new(),
        states: States::default(),
        spans: Vec::new(),
        reports: Reports::default(),
    };
    for (index, object) in objects.into_iter().enumerate() {
        if let Err(why) = pass.object(object) {
            let at = pass.parts.len();
            pass.reports.push_error(at, || format!("{}{why}", named(index)));
        }
        if pass.values.len() >= BATCH {
            pass.encode();
        }
    }
    pass.finish()
}

struct Pass<'r> {
    recording: &'r Mutex<Recording>,
    wanted: &'r Wanted,
    lists: Lists,
    left_out: LeftOut,
    watch: Option<Arc<Watch>>,
    parts: Vec<Part>,
    /// Values of the last parts, not encoded yet.
    values: Vec<Slot>,
    states: States,
    spans: Vec<Span>,
    /// Indexed by part; for an object that was not recorded, by the next part.
    reports: Reports,
}

/// Lists without the names that are left out.
#[derive(Default)]
struct LeftOut {
    /// Known lists, and what is left of them.
    known: Vec<[Arc<Properties>; 2]>,
    /// The names that were in a list.
    found: Vec<StringName>,
}

impl LeftOut {
    fn of(&mut self, properties: Arc<Properties>, except: &[StringName]) -> Arc<Properties> {
        if except.is_empty() {
            return properties;
        }
        if let Some([_, rest]) = self.known.iter().find(|[known, _]| Arc::ptr_eq(known, &properties)) {
            return Arc::clone(rest);
        }
        let (out, rest): (Vec<usize>, Vec<usize>) =
            (0..properties.names.len()).partition(|&index| except.contains(&properties.names[index]));
        for name in out.into_iter().map(|index| &properties.names[index]) {
            if !self.found.contains(name) {
                self.found.push(name.clone());
            }
        }
        let rest = shared(properties.only(&rest));
        if properties.is_shared() {
            self.known.push([properties, Arc::clone(&rest)]);
        }
        rest
    }
}

impl Pass<'_> {
    /// Reads the properties of an object.
    fn object(&mut self, object: Slot) -> Result<(), NotRecorded> {
        let id = alive(object.value())?;
        let properties = match &self.wanted.names {
            Names::Named(properties) => Arc::clone(properties),
            Names::Stored => {
                // First, so that changes by the object's own script are not missed.
                if let Some(watch) = &self.watch {
                    watch.add(object.value(), id);
                }
                self.lists.of(object.value())
            }
            Names::Complete => Lists::complete(object.value()),
        };
        let properties = self.left_out.of(properties, &self.wanted.except);
        let left = match properties.is_complete() {
            // The recording takes over what is already recorded.
            true if !lock(self.recording).is_complete(id) => Unrecorded::Everything,
            true => return Ok(()),
            false => lock(self.recording).left(id, &properties),
        };
        let properties = match left {
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
        if !part.properties.names.is_empty() || part.properties.all.is_some() || !self.wanted.is_edit {
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
            let listed = Lists::of_one(part.object.value());
            part.properties = self.left_out.of(listed, &self.wanted.except);
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
        for &at in missing.iter().filter(|_| self.wanted.is_edit) {
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
        let wrong = self.wanted.except.iter().filter(|name| !self.left_out.found.contains(name));
        let wrong: Vec<_> = wrong.map(|name| format!("\"{name}\"")).collect();
        if !wrong.is_empty() && !self.parts.is_empty() {
            let text = || format!("expected names of recorded properties as except, found {}", wrong.join(", "));
            self.reports.push_error(self.parts.len(), text);
        }
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
