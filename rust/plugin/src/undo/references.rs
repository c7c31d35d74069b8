//! Which objects belong together when objects are compared with others.

use foldhash::HashMap;
use varbatch_codec::Event;

use super::states::{Span, State, States};
use crate::engine::{Slot, Value};

/// Two objects that belong together.
pub struct Pair {
    pub before: Slot,
    pub after: Slot,
    /// Their instance ids, 0 for what is no object.
    pub ids: [u64; 2],
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
    /// Adds a pair. It replaces one with the same first object.
    pub fn add(&mut self, pair: &Pair) {
        if !pair.ids.contains(&0) {
            self.0.insert(pair.ids[0], Slot::of(pair.after.value()));
        }
    }

    /// Returns the object that belongs to this one.
    fn get(&self, id: u64) -> Option<&Value> {
        self.0.get(&id).map(Slot::value)
    }

    /// True if the values may compare differently with other objects in the first one.
    pub fn may_change(&self, old: State<'_>, new: State<'_>) -> bool {
        !old.is_same(new) || old.kept.iter().any(|kept| self.get(kept.object_id()).is_some())
    }

    /// Appends a copy of a value with other objects in the place of those that belong to them. `None` if it holds no
    /// such object.
    pub fn add_mapped(&self, states: &mut States, span: Span) -> Option<Span> {
        let state = states.get(span);
        let (mut reader, mut found) = (state.reader(), Vec::new());
        // This cannot fail, because the bytes were encoded here.
        while let Ok(Some(event)) = reader.next_event() {
            if let Event::ObjectId(id) | Event::Signal { object: id, .. } = event
                && let Some(other) = self.get(id)
            {
                found.push((reader.position() - size_of::<u64>(), other.object_id()));
            }
        }
        if found.is_empty() {
            return None;
        }
        let mut bytes = state.bytes.to_vec();
        for (at, id) in found {
            bytes[at..][..size_of::<u64>()].copy_from_slice(&id.to_le_bytes());
        }
        let kept = state.kept.iter().map(|kept| Slot::of(self.get(kept.object_id()).unwrap_or(kept)));
        let kept: Vec<_> = kept.collect();
        Some(states.add(State { bytes: &bytes, kept: Slot::values(&kept) }))
    }
}
