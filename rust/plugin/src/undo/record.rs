//! Records the state of objects.
//!
//! A getter may free objects, record and flush. So nothing is locked meanwhile, and the result is added at the end.

use std::sync::{Arc, Mutex};

use foldhash::{HashMap, HashSet};
use godot::builtin::PackedStringArray;

use super::recording::{Part, Recording};
use crate::engine::Slot;
use crate::jobs::lock;
use crate::objects::{List, Lists, Names, alive};
use crate::report::Reports;
use crate::value::states::BATCH;

pub struct Wanted {
    /// The properties that the caller named. `None` for all that an object stores.
    named: Option<Arc<Names>>,
    /// True to record the script before them.
    is_complete: bool,
    /// Names that are left out; without those that were removed from the caller's names.
    except: Vec<String>,
    /// The same names.
    is_except: HashSet<String>,
    /// True if the objects will be read again. So a name that an object lacks is an error.
    is_edit: bool,
}

impl Wanted {
    /// Converts the caller's names; an empty array means all stored properties.
    pub fn new(names: &PackedStringArray, except: &PackedStringArray) -> Self {
        let all = Self::complete(except);
        let names = Names::from(names);
        if names.texts.is_empty() {
            return Self { is_complete: false, ..all };
        }
        let named = Some(Arc::new(names.filter(|text| !all.leaves_out(text))));
        let Self { mut except, mut is_except, .. } = all;
        names.texts.iter().for_each(|text| _ = is_except.remove(text));
        except.retain(|text| is_except.contains(text));
        Self { named, except, is_except, is_complete: false, is_edit: true }
    }

    /// All stored properties, for edits that may change which properties there are.
    pub fn complete(except: &PackedStringArray) -> Self {
        let except: Vec<_> = except.as_slice().iter().map(ToString::to_string).collect();
        let is_except = except.iter().cloned().collect();
        Self { named: None, except, is_except, is_complete: true, is_edit: true }
    }

    /// Like [`Self::new`], for objects that are only read now.
    pub fn now(names: &PackedStringArray) -> Self {
        Self { is_edit: false, ..Self::new(names, &PackedStringArray::new()) }
    }

    pub fn named(&self) -> &[String] {
        self.named.as_ref().map_or(&[], |names| &names.texts)
    }

    fn leaves_out(&self, text: &str) -> bool {
        self.is_except.contains(text)
    }
}

/// Names an object or a pair by its index, in errors.
pub type Named<'n> = &'n dyn Fn(usize) -> String;

pub fn record(recording: &Mutex<Recording>, objects: Vec<Slot>, wanted: &Wanted, named: Named<'_>) -> Reports {
    let mut found = Recording::default();
    found.parts.reserve_exact(objects.len());
    let mut pass = Pass {
        recording,
        wanted,
        lists: Lists::take(),
        names: HashMap::default(),
        named: wanted.named.clone(),
        left_out: HashSet::default(),
        found,
        values: Vec::new(),
        reports: Reports::default(),
    };
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
    lists: Lists,
    /// What to record of objects with a list, by its address.
    names: HashMap<*const List, (Arc<List>, Arc<Names>)>,
    /// The caller's names, as the last object had them.
    named: Option<Arc<Names>>,
    /// The names that were in a list and are left out.
    left_out: HashSet<String>,
    found: Recording,
    /// Values of the last parts, not encoded yet.
    values: Vec<Slot>,
    /// Indexed by part; for an object that was not recorded, by the next part.
    reports: Reports,
}

impl<'r> Pass<'r> {
    /// Reads the properties of an object, or returns why it is not recorded.
    fn object(&mut self, object: Slot) -> Result<(), String> {
        let id = alive(object.value()).map_err(|found| format!("expected an object, found {found}"))?;
        let wanted = self.wanted;
        let (names, list) = match &self.named {
            Some(names) => (Arc::clone(names), None),
            None => {
                let list = self.lists.of_edited(object.value());
                (self.names_of(&list), Some(list))
            }
        };
        let Some(names) = lock(self.recording).unrecorded(id, &names, wanted.is_complete) else { return Ok(()) };
        let mut part = Part::new(object, id, names, list);
        part.is_complete = wanted.is_complete;
        part.first_span = self.found.spans.len() + self.values.len();
        let start = self.values.len();
        if part.list.is_some() {
            part.names.read(part.object.value(), &mut self.values);
        } else {
            let (names, gone) = Names::find(&part.names, part.object.value(), &mut self.values);
            for text in gone.iter().filter(|_| wanted.is_edit) {
                self.reports
                    .push_error(self.found.parts.len(), || format!("{} has no property \"{text}\"", part.shown()));
            }
            // Most likely the next object has the same.
            if names.texts.len() == wanted.named().len() {
                self.named = Some(Arc::clone(&names));
            }
            part.names = names;
        }
        if !part.is_alive() {
            self.values.truncate(start);
            return Err(format!("{} was freed by one of its getters", part.shown()));
        }
        // An object that stores nothing still has a list to compare.
        if !part.names.paths.is_empty() || part.list.is_some() || !wanted.is_edit {
            self.found.parts.push(part);
        }
        Ok(())
    }

    /// Returns what to record of objects with a list.
    fn names_of(&mut self, list: &Arc<List>) -> Arc<Names> {
        let wanted: &'r Wanted = self.wanted;
        if wanted.except.is_empty() && !wanted.is_complete {
            return Arc::clone(list.recorded());
        }
        let make = || {
            let all = if wanted.is_complete { list.complete() } else { Arc::clone(list.recorded()) };
            self.left_out.extend(all.texts.iter().filter(|text| wanted.leaves_out(text)).cloned());
            (Arc::clone(list), Arc::new(all.filter(|text| !wanted.leaves_out(text))))
        };
        Arc::clone(&self.names.entry(Arc::as_ptr(list)).or_insert_with(make).1)
    }

    fn encode(&mut self) {
        let first = self.found.spans.len();
        for (value, error) in self.found.states.encode(&self.values, &mut self.found.spans) {
            let index = self.found.parts.partition_point(|part| part.first_span <= first + value) - 1;
            let part = &self.found.parts[index];
            let name = &part.names.texts[first + value - part.first_span];
            self.reports.push_error(index, || part.failure(name, &error));
        }
        // A value may hold the last reference to an object, whose script runs when it is freed: nothing is locked here.
        self.values.clear();
    }

    fn finish(mut self) -> Reports {
        self.encode();
        self.lists.give_back();
        let wrong = self.wanted.except.iter().filter(|name| !self.left_out.contains(name.as_str()));
        let wrong: Vec<_> = wrong.map(|name| format!("\"{name}\"")).collect();
        if !wrong.is_empty() && !self.found.parts.is_empty() {
            let text = || format!("expected names of recorded properties as except, found {}", wrong.join(", "));
            self.reports.push_error(self.found.parts.len(), text);
        }
        lock(self.recording).add(self.found);
        self.reports
    }
}
