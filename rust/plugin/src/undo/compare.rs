//! Compares objects with others: what the one holds counts as recorded for the other.

use std::sync::{Arc, Mutex, PoisonError};

use super::changes::{Changes, Now};
use super::lists::Lists;
use super::record::record;
use super::recording::{Part, Recording};
use super::references::{Pair, References};
use super::wanted::Wanted;
use crate::engine::Slot;
use crate::report::Reports;

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
        self.before.part_of(pair.ids[0]).zip(self.after.part_of(pair.ids[1]))
    }
}

/// Compares the objects of each pair. Those of `references` belong together, and so do those of the pairs.
pub fn compare(
    pairs: &[Pair],
    wanted: &Wanted,
    mut references: References,
    named: &dyn Fn(usize) -> String,
) -> (Changes, Reports) {
    let (Sides { before, after }, mut reports) = Sides::read(pairs, wanted, named);
    pairs.iter().for_each(|pair| references.add(pair));
    let mut found = Changes::of(before);
    for (index, pair) in pairs.iter().enumerate() {
        let recorded = &mut found.recording;
        let Some((before, now)) = recorded.part_of(pair.ids[0]).zip(after.part_of(pair.ids[1])) else { continue };
        // One object may be compared with many.
        references.add(pair);
        if !before.is_alive() || !now.is_alive() {
            reports.push_warning(index, || format!("{}skipped: a getter freed one of the two", named(index)));
            continue;
        }
        for name in wanted.named() {
            if !before.properties.names.contains(name) && !now.properties.names.contains(name) {
                reports.push_error(index, || format!("{}{} has no property \"{name}\"", named(index), now.shown()));
            }
        }
        // A copy for this pair, in which references are mapped.
        let spans = before.first_span..before.first_span + before.properties.names.len();
        let copy =
            Part::new(Slot::of(pair.after.value()), now.id, Arc::clone(&before.properties), recorded.spans.len());
        recorded.spans.extend_from_within(spans);
        recorded.parts.push(copy);
        let part = recorded.parts.len() - 1;
        let united = recorded.unite(part, &now.properties);
        let spans = &after.spans[now.first_span..][..now.properties.names.len()];
        let now = Now { united: &united, states: &after.states, spans, before: Some(pair.before.value()) };
        map(recorded, part, &now, &references);
        found.compare_part(part, &now);
    }
    (found, reports)
}

/// Replaces objects in the recorded values of a part with those that belong to them, where this may decide.
fn map(recorded: &mut Recording, part: usize, now: &Now<'_>, references: &References) {
    let first = recorded.parts[part].first_span;
    for (property, [old, new]) in now.united.places().enumerate() {
        let span = &mut recorded.spans[first + property];
        if let Some((_, new)) = old.zip(new)
            && references.may_change(recorded.states.get(*span), now.get(new))
            && let Some(mapped) = references.add_mapped(&mut recorded.states, *span)
        {
            *span = mapped;
        }
    }
}
