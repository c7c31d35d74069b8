//! Records the state of objects.
//!
//! A getter may free objects, record and flush. So nothing is locked meanwhile, and the result is added at the end.

use std::sync::{Arc, Mutex};

use godot::builtin::{PackedStringArray, StringName};

use super::recording::{Part, Recording};
use super::states::BATCH;
use crate::engine::Slot;
use crate::jobs::lock;
use crate::objects::{Listed, Properties, alive, distinct};
use crate::report::Reports;

pub struct Wanted {
    names: Names,
    /// Names that are left out; without those that were removed from the caller's names.
    except: Vec<StringName>,
    /// True if the objects will be read again. So their lists are watched, and a name that an object lacks is an error.
    is_edit: bool,
}

enum Names {
    Stored,
    /// All stored properties, and the script before them.
    Complete,
    Named(Arc<Properties>),
}

impl Wanted {
    /// Converts the caller's names; an empty array means all stored properties.
    pub fn new(names: &PackedStringArray, except: &PackedStringArray) -> Self {
        let (named, mut except) = (names_of(names), names_of(except));
        let names = if named.is_empty() {
            Names::Stored
        } else {
            let (out, rest) = named.into_iter().partition::<Vec<_>, _>(|name| except.contains(name));
            except.retain(|name| !out.contains(name));
            Names::Named(Arc::new(Properties::new(rest, Arc::default())))
        };
        Self { names, except, is_edit: true }
    }

    /// All stored properties, for edits that may change which properties there are.
    pub fn complete(except: &PackedStringArray) -> Self {
        Self { names: Names::Complete, except: names_of(except), is_edit: true }
    }

    /// Like [`Self::new`], for objects that are only read now.
    pub fn now(names: &PackedStringArray) -> Self {
        Self { is_edit: false, ..Self::new(names, &PackedStringArray::new()) }
    }

    pub fn named(&self) -> &[StringName] {
        match &self.names {
            Names::Named(properties) => &properties.names,
            _ => &[],
        }
    }
}

fn names_of(names: &PackedStringArray) -> Vec<StringName> {
    distinct(names.as_slice().iter().map(StringName::from))
}

/// Names an object or a pair by its index, in errors.
pub type Named<'n> = &'n dyn Fn(usize) -> String;

pub fn record(recording: &Mutex<Recording>, objects: Vec<Slot>, wanted: &Wanted, named: Named<'_>) -> Reports {
    let is_watched = wanted.is_edit && matches!(wanted.names, Names::Stored);
    let mut found = lock(recording).begin(is_watched);
    found.parts.reserve_exact(objects.len());
    let (values, reports) = (Vec::new(), Reports::default());
    let mut pass = Pass { recording, wanted, rests: Vec::new(), left_out: Vec::new(), found, values, reports };
    for (index, object) in objects.into_iter().enumerate() {
        if let Err(why) = pass.object(object) {
            let at = pass.found.parts.len();
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
    /// Shared lists, and what remains of them without the names that are left out.
    rests: Vec<[Arc<Properties>; 2]>,
    /// The names that were in a list and are left out.
    left_out: Vec<&'r StringName>,
    found: Recording,
    /// Values of the last parts, not encoded yet.
    values: Vec<Slot>,
    /// Indexed by part; for an object that was not recorded, by the next part.
    reports: Reports,
}

impl Pass<'_> {
    /// Reads the properties of an object, or returns why it is not recorded.
    fn object(&mut self, object: Slot) -> Result<(), String> {
        let id = alive(object.value()).map_err(|found| format!("expected an object, found {found}"))?;
        let properties = match &self.wanted.names {
            Names::Named(properties) => Arc::clone(properties),
            Names::Complete => Arc::new(Properties::asked(object.value(), true)),
            Names::Stored => {
                // First, so that changes by the object's own script are not missed.
                self.found.watch(object.value(), id);
                self.found.lists.of(object.value())
            }
        };
        let properties = self.without_except(properties);
        let Some(properties) = lock(self.recording).unrecorded(id, &properties) else { return Ok(()) };
        let mut part = Part::new(object, id, properties, self.found.spans.len() + self.values.len());
        let doubtful = self.read(&part)?;
        if !doubtful.is_empty() {
            self.read_doubtful(&mut part, &doubtful)?;
        }
        // An object that stores nothing still has a list to compare.
        if !part.properties.names.is_empty() || part.properties.list.is_asked || !self.wanted.is_edit {
            self.found.parts.push(part);
        }
        Ok(())
    }

    fn without_except(&mut self, properties: Arc<Properties>) -> Arc<Properties> {
        let Wanted { except, .. } = self.wanted;
        if except.is_empty() {
            return properties;
        }
        if let Some([_, rest]) = self.rests.iter().find(|[known, _]| Arc::ptr_eq(known, &properties)) {
            return Arc::clone(rest);
        }
        for name in except.iter().filter(|name| properties.names.contains(name)) {
            if !self.left_out.contains(&name) {
                self.left_out.push(name);
            }
        }
        let rest = Arc::new(properties.filter(|name| !except.contains(name)));
        if properties.list.is_shared {
            self.rests.push([properties, Arc::clone(&rest)]);
        }
        rest
    }

    /// Reads the values of a part. Returns the indices of names that may not be properties.
    fn read(&mut self, part: &Part) -> Result<Vec<usize>, String> {
        let start = self.values.len();
        let doubtful = part.properties.read(part.object.value(), &mut self.values);
        if !part.is_alive() {
            self.values.truncate(start);
            return Err(format!("{} was freed by one of its getters", part.shown()));
        }
        Ok(doubtful)
    }

    /// Decides what to record of a part that was read with doubtful names.
    #[cold]
    fn read_doubtful(&mut self, part: &mut Part, doubtful: &[usize]) -> Result<(), String> {
        let start = self.values.len() - part.properties.names.len();
        if part.properties.list.is_shared {
            // This object lacks a property of others of its class, so ask the object itself.
            let stored = Arc::new(Properties::asked(part.object.value(), false));
            part.properties = self.without_except(stored);
            self.values.truncate(start);
            return self.read(part).map(|_| ());
        }
        let listed = Listed::of(part.object.value());
        let names = doubtful.iter().map(|&index| &part.properties.names[index]);
        let missing: Vec<StringName> = names.filter(|name| !listed.has(name)).cloned().collect();
        if part.properties.list.is_asked || missing.is_empty() {
            return Ok(());
        }
        for name in missing.iter().filter(|_| self.wanted.is_edit) {
            self.reports.push_error(self.found.parts.len(), || format!("{} has no property \"{name}\"", part.shown()));
        }
        let is_present = |name: &StringName| !missing.contains(name);
        let values = self.values.split_off(start).into_iter().zip(&part.properties.names);
        self.values.extend(values.filter(|(_, name)| is_present(name)).map(|(value, _)| value));
        part.properties = Arc::new(part.properties.filter(is_present));
        Ok(())
    }

    fn encode(&mut self) {
        let first = self.found.spans.len();
        for (value, error) in self.found.states.encode(&self.values, &mut self.found.spans) {
            let index = self.found.parts.partition_point(|part| part.first_span <= first + value) - 1;
            let part = &self.found.parts[index];
            let name = &part.properties.texts[first + value - part.first_span];
            self.reports.push_error(index, || part.failure(name, &error));
        }
        // A value may hold the last reference to an object, whose script runs when it is freed: nothing is locked here.
        self.values.clear();
    }

    fn finish(mut self) -> Reports {
        self.encode();
        let wrong = self.wanted.except.iter().filter(|name| !self.left_out.contains(name));
        let wrong: Vec<_> = wrong.map(|name| format!("\"{name}\"")).collect();
        if !wrong.is_empty() && !self.found.parts.is_empty() {
            let text = || format!("expected names of recorded properties as except, found {}", wrong.join(", "));
            self.reports.push_error(self.found.parts.len(), text);
        }
        lock(self.recording).add(self.found);
        self.reports
    }
}
