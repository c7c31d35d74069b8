//! Compares objects with others: what the one holds counts as recorded for the other.

use std::sync::{Mutex, PoisonError};

use foldhash::HashMap;

use super::changes::{Changes, Now};
use super::lists::Lists;
use super::record::{Wanted, record};
use super::recording::{Part, Recording};
use super::states::State;
use crate::engine::{Slot, Value};
use crate::report::Reports;

/// Two objects to compare.
pub struct Pair {
    pub before: Slot,
    pub after: Slot,
    /// Their instance ids, 0 for what is no object.
    ids: [u64; 2],
}

impl Pair {
    /// Creates a pair.
    pub fn new(before: &Value, after: &Value) -> Self {
        Self { before: Slot::of(before), after: Slot::of(after), ids: [before, after].map(Value::object_id) }
    }
}

/// The objects of one side, by instance id, with those of the other side that they belong to.
#[derive(Default)]
pub struct References(HashMap<u64, Slot>);

impl References {
    /// Says that two objects belong together. The last one that is said to belong to an object does.
    pub fn add(&mut self, pair: &Pair) {
        if !pair.ids.contains(&0) {
            self.0.insert(pair.ids[0], Slot::of(pair.after.value()));
        }
    }

    /// Returns the object that belongs to this one.
    pub fn get(&self, id: u64) -> Option<&Value> {
        self.0.get(&id).map(Slot::value)
    }

    /// True if the values may compare differently with other objects in the first one.
    pub fn may_change(&self, old: State<'_>, new: State<'_>) -> bool {
        !old.is_same(new) || old.kept.iter().any(|kept| self.get(kept.object_id()).is_some())
    }
}

/// What two sides hold.
pub struct Sides {
    pub before: Recording,
    pub after: Recording,
}

impl Sides {
    /// Reads both objects of each pair. Their getters run. `named` names a pair in errors.
    pub fn read(pairs: &[Pair], wanted: &Wanted, named: &dyn Fn(usize) -> String) -> (Self, Reports) {
        let mut reports = Reports::default();
        let mut read = |object: fn(&Pair) -> &Slot, side: &str, lists: Lists| {
            let recording = Mutex::new(Recording::with(lists));
            let objects = pairs.iter().map(|pair| Slot::of(object(pair).value())).collect();
            let mut said = record(&recording, objects, wanted, &|index| format!("{}{side}: ", named(index)));
            reports.append_as(&mut said, |index| index);
            recording.into_inner().unwrap_or_else(PoisonError::into_inner)
        };
        let mut before = read(|pair| &pair.before, "before", Lists::default());
        before.lists.ask_again();
        let after = read(|pair| &pair.after, "after", std::mem::take(&mut before.lists));
        (Self { before, after }, reports)
    }

    /// Returns the parts of a pair. `None` if one of the two could not be read.
    pub fn parts(&self, pair: &Pair) -> Option<(&Part, &Part)> {
        let (before, after) = (self.before.first_part(pair.ids[0])?, self.after.first_part(pair.ids[1])?);
        Some((&self.before.parts[before], &self.after.parts[after]))
    }
}

/// Compares the objects of each pair. Those of `references` belong together, and so do those of the pairs.
pub fn compare(
    pairs: &[Pair],
    wanted: &Wanted,
    mut references: References,
    named: &dyn Fn(usize) -> String,
) -> (Changes, Reports) {
    let (mut sides, mut reports) = Sides::read(pairs, wanted, named);
    pairs.iter().for_each(|pair| references.add(pair));
    let mut recorded = Recording::default();
    std::mem::swap(&mut recorded.states, &mut sides.before.states);
    std::mem::swap(&mut recorded.spans, &mut sides.before.spans);
    let mut found = Changes::of(recorded);
    for (index, pair) in pairs.iter().enumerate() {
        let Some((before, after)) = sides.parts(pair) else { continue };
        // One object may be compared with many.
        references.add(pair);
        if !before.is_alive() || !after.is_alive() {
            reports.push_warning(index, || format!("{}skipped: a getter freed one of the two", named(index)));
            continue;
        }
        for name in wanted.named() {
            if !before.properties.names.contains(name) && !after.properties.names.contains(name) {
                reports.push_error(index, || format!("{}{} has no property \"{name}\"", named(index), after.shown()));
            }
        }
        let recorded = &mut found.recording;
        // A copy for this pair, in which references are mapped.
        let first_span = recorded.spans.len();
        recorded.spans.extend_from_within(before.first_span..before.first_span + before.properties.names.len());
        let object = Slot::of(after.object.value());
        recorded.parts.push(Part::new(object, after.id, before.properties.clone(), first_span));
        let spans = &sides.after.spans[after.first_span..][..after.properties.names.len()];
        let now = Now {
            properties: &after.properties,
            states: &sides.after.states,
            spans,
            before: Some(before.object.value()),
            references: Some(&references),
        };
        found.compare_part(found.recording.parts.len() - 1, &now);
    }
    (found, reports)
}
