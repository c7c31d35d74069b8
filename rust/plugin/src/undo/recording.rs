//! Keeps recorded states until they are flushed.

use std::sync::Arc;

use foldhash::HashMap;
use godot::builtin::StringName;

use super::lists::{Lists, Properties, United};
use super::shared;
use super::states::{Span, States};
use super::watch::Watch;
use crate::engine::{self, Slot, Value};

/// Recorded objects and the states of their properties.
#[derive(Default)]
pub struct Recording {
    pub parts: Vec<Part>,
    pub states: States,
    pub spans: Vec<Span>,
    pub lists: Lists,
    /// One, unless a getter flushed the recording during a call of `record`.
    pub watches: Vec<Arc<Watch>>,
    /// The first part of each object, by instance id.
    first_parts: HashMap<u64, usize>,
}

/// Properties of an object that were recorded together.
pub struct Part {
    /// Keeps a RefCounted alive.
    pub object: Slot,
    pub id: u64,
    pub class: StringName,
    pub properties: Arc<Properties>,
    /// Index of the first property's span.
    pub first_span: usize,
    /// The next part of the same object.
    pub next: Option<usize>,
}

/// The requested properties of an object that are not recorded yet.
pub enum Unrecorded {
    Everything,
    /// Only these properties, by index.
    Only(Vec<usize>),
}

impl Part {
    pub fn new(object: Slot, id: u64, properties: Arc<Properties>, first_span: usize) -> Self {
        let class = engine::class_name(object.value());
        Self { object, id, class, properties, first_span, next: None }
    }

    /// Returns the object as messages name it. A getter may run.
    pub fn shown(&self) -> String {
        shown(self.object.value(), &self.class, self.id)
    }

    /// True if the object is alive.
    pub fn is_alive(&self) -> bool {
        self.object.value().object_id() != 0
    }
}

/// Returns an object as messages name it. A getter may run.
pub fn shown(object: &Value, class: &StringName, id: u64) -> String {
    let name = engine::property(object, &StringName::from("name"));
    match name.map(|name| name.value().variant().to_string()).filter(|name| !name.is_empty()) {
        Some(name) => format!("{class} \"{name}\" (id {})", id.cast_signed()),
        None => format!("{class} (id {})", id.cast_signed()),
    }
}

impl Recording {
    /// Nothing recorded yet.
    pub fn with(lists: Lists) -> Self {
        Self { lists, ..Self::default() }
    }

    /// Returns which of these properties are not recorded yet.
    pub fn left(&self, id: u64, properties: &Arc<Properties>) -> Unrecorded {
        let mut next = self.first_parts.get(&id).copied();
        if next.is_none() {
            return Unrecorded::Everything;
        }
        let mut left: Vec<_> = (0..properties.names.len()).collect();
        while let Some(part) = next.map(|index| &self.parts[index]) {
            if Arc::ptr_eq(&part.properties, properties) {
                left.clear();
            }
            left.retain(|&index| !part.properties.names.contains(&properties.names[index]));
            next = part.next;
        }
        Unrecorded::Only(left)
    }

    /// Returns the index of the first part of an object.
    pub fn first_part(&self, id: u64) -> Option<usize> {
        self.first_parts.get(&id).copied()
    }

    /// True if the object is recorded with its script and all that it stores.
    pub fn is_complete(&self, id: u64) -> bool {
        let mut next = self.first_parts.get(&id).copied();
        while let Some(part) = next.map(|index| &self.parts[index]) {
            if part.properties.is_complete() {
                return true;
            }
            next = part.next;
        }
        false
    }

    /// Adds parts that were recorded separately. Properties that are already recorded keep their first state.
    pub fn add(&mut self, parts: Vec<Part>, states: States, spans: &[Span]) {
        let base = self.spans.len();
        self.states.append(states, spans, &mut self.spans);
        for mut part in parts {
            part.first_span += base;
            if part.properties.is_complete() {
                if !self.is_complete(part.id) {
                    self.take_earlier(&part);
                    self.push(part);
                }
                continue;
            }
            if let Unrecorded::Only(left) = self.left(part.id, &part.properties) {
                if left.is_empty() {
                    continue;
                }
                if left.len() < part.properties.names.len() {
                    let first = self.spans.len();
                    for &index in &left {
                        self.spans.push(self.spans[part.first_span + index]);
                    }
                    part.first_span = first;
                    part.properties = shared(part.properties.only(&left));
                }
            }
            self.push(part);
        }
    }

    /// Gives a complete part the states of properties that were recorded earlier, and takes them from the earlier parts.
    fn take_earlier(&mut self, part: &Part) {
        let mut next = self.first_parts.get(&part.id).copied();
        while let Some(index) = next {
            let (properties, first) = (Arc::clone(&self.parts[index].properties), self.parts[index].first_span);
            let mut rest = Vec::new();
            for (at, name) in properties.names.iter().enumerate() {
                match part.properties.names.iter().position(|other| other == name) {
                    Some(to) => self.spans[part.first_span + to] = self.spans[first + at],
                    None => rest.push(at),
                }
            }
            let names = rest.iter().map(|&at| properties.names[at].clone()).collect();
            self.parts[index].properties = shared(Properties::named(names));
            self.parts[index].first_span = self.spans.len();
            for at in rest {
                self.spans.push(self.spans[first + at]);
            }
            next = self.parts[index].next;
        }
    }

    /// Gives a part the properties of two lists; those that only the new one has are without a state.
    pub fn unite(&mut self, index: usize, united: &United) {
        let first = self.parts[index].first_span;
        self.parts[index].first_span = self.spans.len();
        self.parts[index].properties = Arc::clone(&united.properties);
        for (old, _) in &united.places {
            let span = old.map(|at| self.spans[first + at]).unwrap_or_default();
            self.spans.push(span);
        }
    }

    fn push(&mut self, part: Part) {
        let index = self.parts.len();
        let mut last = *self.first_parts.entry(part.id).or_insert(index);
        if last != index {
            while let Some(next) = self.parts[last].next {
                last = next;
            }
            self.parts[last].next = Some(index);
        }
        self.parts.push(part);
    }

    /// True if the object signaled that its property list changed since it was recorded.
    pub fn has_list_changed(&self, id: u64) -> bool {
        self.watches.iter().any(|watch| watch.has_changed(id))
    }
}
