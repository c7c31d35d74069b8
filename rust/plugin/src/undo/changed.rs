//! A property that a step sets, with its old and its new state.

use std::sync::Arc;

use super::chain::Version;
use super::changes::Change;
use super::narrow::Narrowed;
use super::recording::Part;
use crate::engine::Slot;
use crate::value::states::{Span, State, States};

pub struct Changed {
    pub property: usize,
    pub narrowed: Option<Narrowed>,
    /// Both states: their bytes, and what is kept beside them. `None` if the object did not have the property.
    pub states: [Option<(Version, Arc<[Slot]>)>; 2],
    /// Whether the object stored it on either side, and if it has its value on both: then it is only set if it is missing.
    pub is_stored: [bool; 2],
    pub has_value: bool,
    /// True if one of them could not be encoded.
    pub is_lost: bool,
}

impl Changed {
    /// Keeps the old and the new state, which share data.
    pub fn new(part: &Part, edit: &Change, narrowed: Option<Narrowed>, states: [Option<State<'_>>; 2]) -> Self {
        let Change { property, is_stored, has_value, .. } = *edit;
        let kept = |state: State<'_>| state.kept.iter().map(Slot::of).collect::<Arc<[Slot]>>();
        let is_same =
            matches!(states, [Some(old), Some(new)] if old.kept.len() == new.kept.len() && old.keeps_same(new));
        let is_lost = states.iter().flatten().any(|state| state.is_none());
        let mut last = None;
        let states = states.map(|state| {
            let state = state?;
            let kept = last.take().filter(|_| is_same).unwrap_or_else(|| kept(state));
            last = Some(Arc::clone(&kept));
            Some((Version::new(part.id, &part.names.texts[property], state.bytes), kept))
        });
        Self { property, narrowed, states, is_stored, has_value, is_lost }
    }

    /// Adds the state of one side. If a part of the value changed, the rest of it stays as it is.
    pub fn goal(&self, side: usize, before: Span, states: &mut States) -> Span {
        let Some((bytes, kept)) = &self.states[side] else { return Span::default() };
        bytes.with(|bytes| {
            let state = State { bytes, kept: Slot::values(kept) };
            match self.narrowed {
                Some(part) if states.get(before).kind() == state.kind() => {
                    let mut whole = states.get(before).bytes.to_vec();
                    part.copy(state, &mut whole);
                    states.add(State { bytes: &whole, kept: &[] })
                }
                _ => states.add(state),
            }
        })
    }

    /// Returns what is the same in all edits that set the same.
    pub fn key(&self) -> (usize, bool, Option<Narrowed>) {
        (self.property, self.has_value, self.narrowed)
    }

    /// Takes the new state of an edit that follows this one.
    pub fn fold(&mut self, next: &mut Self) {
        std::mem::swap(&mut self.states[1], &mut next.states[1]);
        self.is_stored[1] = next.is_stored[1];
        self.is_lost |= next.is_lost;
    }
}
