//! Keeps what was recorded until it is flushed.

use std::sync::Arc;

use foldhash::HashMap;
use godot::builtin::StringName;

use super::lists::{Lists, Properties};
use super::shared;
use super::states::{Span, States};
use super::watch::Watch;
use crate::engine::{self, Slot, Value};

/// Objects, and what their properties were.
#[derive(Default)]
pub struct Recording {
    pub parts: Vec<Part>,
    pub states: States,
    pub spans: Vec<Span>,
    pub lists: Lists,
    /// One, unless a getter has flushed the recording while it went on.
    pub watches: Vec<Arc<Watch>>,
    /// By instance id: the first part of an object.
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

/// The properties of an object that are not recorded yet.
pub enum Unrecorded {
    Everything,
    /// These of the properties, by index.
    Only(Vec<usize>),
}

impl Part {
    pub fn new(object: Slot, id: u64, properties: Arc<Properties>, first_span: usize) -> Self {
        let class = engine::class_name(object.value());
        Self { object, id, class, properties, first_span, next: None }
    }

    /// The object, as messages call it.
    pub fn shown(&self) -> String {
        shown(self.object.value(), &self.class, self.id)
    }

    /// True if the object is alive.
    pub fn is_alive(&self) -> bool {
        self.object.value().object_id() != 0
    }
}

/// An object, as messages call it. A getter may run.
pub fn shown(object: &Value, class: &StringName, id: u64) -> String {
    let name = engine::property(object, &StringName::from("name"));
    match name.map(|name| name.value().variant().to_string()).filter(|name| !name.is_empty()) {
        Some(name) => format!("{class} \"{name}\" (id {})", id.cast_signed()),
        None => format!("{class} (id {})", id.cast_signed()),
    }
}

impl Recording {
    /// Returns those of these properties that are not recorded yet.
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

    /// Adds what was recorded apart from this. What is recorded already stays as it was.
    pub fn add(&mut self, parts: Vec<Part>, states: States, spans: &[Span]) {
        let base = self.spans.len();
        self.states.append(states, spans, &mut self.spans);
        for mut part in parts {
            part.first_span += base;
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

    /// True if the list of an object has changed since it was recorded, as far as objects tell.
    pub fn has_list_changed(&self, id: u64) -> bool {
        self.watches.iter().any(|watch| watch.has_changed(id))
    }
}
