//! Records the state of objects.
//!
//! A getter is a script: it may free objects, record and flush. So nothing is locked while properties are read, and the
//! result is only added to the recording at the end.

use std::sync::{Arc, Mutex};

use godot::builtin::StringName;
use varbatch_codec::Kind;

use super::listed::Listed;
use super::lock;
use super::properties::Properties;
use super::recording::{Part, Recording};
use super::states::BATCH;
use super::wanted::{Except, Names, Wanted};
use crate::engine::{Slot, Value};
use crate::report::Reports;

/// Records objects and returns the reports about them. `named` names an object by its index, in errors.
pub fn record(
    recording: &Mutex<Recording>,
    objects: Vec<Slot>,
    wanted: &Wanted,
    named: &dyn Fn(usize) -> String,
) -> Reports {
    let is_watched = wanted.is_edit && matches!(wanted.names, Names::Stored);
    let mut found = lock(recording).begin(is_watched);
    found.parts.reserve_exact(objects.len());
    let (except, values, reports) = (Except::new(&wanted.except), Vec::new(), Reports::default());
    let mut pass = Pass { recording, wanted, except, found, values, reports };
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
    except: Except<'r>,
    /// What was recorded, to be added to `recording`.
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
        let properties = self.except.leave_out_of(properties);
        let Some(properties) = lock(self.recording).unrecorded(id, &properties) else { return Ok(()) };
        let mut part = Part::new(object, id, properties, self.found.spans.len() + self.values.len());
        let doubtful = self.read(&part)?;
        if !doubtful.is_empty() {
            self.read_doubtful(&mut part, &doubtful)?;
        }
        // An object that stores nothing still has a list to compare.
        if !part.properties.names.is_empty() || part.properties.list.is_some() || !self.wanted.is_edit {
            self.found.parts.push(part);
        }
        Ok(())
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
        if part.properties.is_shared() {
            // This object lacks a property of others of its class, so ask the object itself.
            let stored = Arc::new(Properties::asked(part.object.value(), false));
            part.properties = self.except.leave_out_of(stored);
            self.values.truncate(start);
            return self.read(part).map(|_| ());
        }
        let listed = Listed::of(part.object.value());
        let names = doubtful.iter().map(|&index| &part.properties.names[index]);
        let missing: Vec<StringName> = names.filter(|name| !listed.has(name)).cloned().collect();
        if part.properties.list.is_some() || missing.is_empty() {
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

    /// Encodes the values that were read.
    fn encode(&mut self) {
        for ([index, property], error) in self.found.encode(&self.values) {
            let part = &self.found.parts[index];
            self.reports.push_error(index, || part.failure(&part.properties.texts[property], &error));
        }
        // A value may hold the last reference to an object, whose script runs when it is freed: nothing is locked here.
        self.values.clear();
    }

    fn finish(mut self) -> Reports {
        self.encode();
        let wrong: Vec<_> = self.except.wrong().map(|name| format!("\"{name}\"")).collect();
        if !wrong.is_empty() && !self.found.parts.is_empty() {
            let text = || format!("expected names of recorded properties as except, found {}", wrong.join(", "));
            self.reports.push_error(self.found.parts.len(), text);
        }
        lock(self.recording).add(self.found);
        self.reports
    }
}

/// Returns the instance id of a living object, or what the value is instead.
fn alive(object: &Value) -> Result<u64, &'static str> {
    match (object.view().kind(), object.object_id()) {
        (Kind::Nil, _) => Err("null"),
        (Kind::Object, 0) if object.variant().is_nil() => Err("null"),
        (Kind::Object, 0) => Err("a freed object"),
        (Kind::Object, id) => Ok(id),
        (kind, _) => Err(kind.name()),
    }
}
