//! Keeps recorded states until they are flushed.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use foldhash::HashMap;
use godot::prelude::*;
use varbatch_codec::CodecError;

use super::states::{Span, State, States};
use crate::engine::{self, Slot, Value};
use crate::jobs::lock;
use crate::objects::{Properties, SharedLists, shown};

#[derive(Default)]
pub struct Recording {
    pub parts: Vec<Part>,
    pub states: States,
    pub spans: Vec<Span>,
    pub lists: SharedLists,
    /// One, unless a getter flushed the recording during a call of `record`.
    watches: Vec<Arc<Watch>>,
    /// The last part of each object, by instance id.
    last_parts: HashMap<u64, usize>,
}

/// Properties of an object that were recorded together.
pub struct Part {
    /// Keeps a RefCounted alive.
    pub object: Slot,
    pub id: u64,
    pub class: StringName,
    pub properties: Arc<Properties>,
    pub first_span: usize,
    /// The part of the same object before this one.
    previous: Option<usize>,
}

impl Part {
    pub fn new(object: Slot, id: u64, properties: Arc<Properties>, first_span: usize) -> Self {
        let class = engine::class_name(object.value());
        Self { object, id, class, properties, first_span, previous: None }
    }

    pub fn shown(&self) -> String {
        shown(self.object.value(), &self.class, self.id)
    }

    /// Returns the error of a value that cannot be encoded. A getter may run.
    pub fn failure(&self, property: &str, error: &CodecError) -> String {
        format!("{}, property \"{property}\": {error}", self.shown())
    }

    pub fn is_alive(&self) -> bool {
        self.object.value().object_id() != 0
    }

    fn keep_only(&mut self, rest: Arc<Properties>, spans: &mut Vec<Span>) {
        let first_span = spans.len();
        for name in &rest.names {
            let at = self.properties.index_of(name).expect("one of these properties");
            spans.push(spans[self.first_span + at]);
        }
        (self.properties, self.first_span) = (rest, first_span);
    }
}

impl Recording {
    pub fn with(lists: SharedLists) -> Self {
        Self { lists, ..Self::default() }
    }

    pub fn state(&self, part: &Part, property: usize) -> State<'_> {
        self.states.get(self.spans_of(part)[property])
    }

    pub fn spans_of(&self, part: &Part) -> &[Span] {
        &self.spans[part.first_span..][..part.properties.names.len()]
    }

    pub fn part_of(&self, id: u64) -> Option<&Part> {
        self.parts_of(id).next().map(|index| &self.parts[index])
    }

    fn parts_of(&self, id: u64) -> impl Iterator<Item = usize> {
        std::iter::successors(self.last_parts.get(&id).copied(), |&index| self.parts[index].previous)
    }

    /// Returns those of these properties that are not recorded yet. `None` if all are.
    pub fn unrecorded(&self, id: u64, properties: &Arc<Properties>) -> Option<Arc<Properties>> {
        let earlier: Vec<_> = self.parts_of(id).map(|index| &self.parts[index].properties).collect();
        if properties.list.is_complete {
            // It takes over the states of earlier parts.
            return (!earlier.iter().any(|earlier| earlier.list.is_complete)).then(|| Arc::clone(properties));
        }
        if earlier.is_empty() {
            return Some(Arc::clone(properties));
        }
        if earlier.iter().any(|earlier| Arc::ptr_eq(earlier, properties)) {
            return None;
        }
        let is_new = |name: &StringName| !earlier.iter().any(|earlier| earlier.names.contains(name));
        match properties.names.iter().filter(|name| is_new(name)).count() {
            0 => None,
            count if count == properties.names.len() => Some(Arc::clone(properties)),
            _ => Some(Arc::new(properties.filter(is_new))),
        }
    }

    /// Adds what was recorded separately. Properties that are already recorded keep their first state.
    pub fn add(&mut self, other: Self) {
        let base = self.spans.len();
        self.lists = other.lists;
        self.states.append(other.states, &other.spans, &mut self.spans);
        for watch in other.watches {
            if !self.watches.iter().any(|known| Arc::ptr_eq(known, &watch)) {
                self.watches.push(watch);
            }
        }
        for mut part in other.parts {
            part.first_span += base;
            // Getters may have recorded some since the part was read.
            let Some(rest) = self.unrecorded(part.id, &part.properties) else { continue };
            if part.properties.list.is_complete {
                self.take_earlier(&part);
            } else if !Arc::ptr_eq(&rest, &part.properties) {
                part.keep_only(rest, &mut self.spans);
            }
            part.previous = self.last_parts.insert(part.id, self.parts.len());
            self.parts.push(part);
        }
    }

    /// Gives a complete part the states of properties that were recorded earlier, and takes them from the earlier parts.
    fn take_earlier(&mut self, part: &Part) {
        for index in self.parts_of(part.id).collect::<Vec<_>>() {
            let earlier = &mut self.parts[index];
            let mut rest = Vec::new();
            for (at, name) in earlier.properties.names.iter().enumerate() {
                match part.properties.index_of(name) {
                    Some(to) => self.spans[part.first_span + to] = self.spans[earlier.first_span + at],
                    None => rest.push(name.clone()),
                }
            }
            // The list is left to the complete part.
            earlier.keep_only(Arc::new(Properties::new(rest, Arc::default())), &mut self.spans);
        }
    }

    /// Starts a recording to add to this one. It takes over the lists.
    pub fn begin(&mut self, is_watched: bool) -> Self {
        if is_watched && self.watches.is_empty() {
            self.watches.push(Arc::default());
        }
        let watches = if is_watched { vec![Arc::clone(&self.watches[0])] } else { Vec::new() };
        Self { watches, ..Self::with(std::mem::take(&mut self.lists)) }
    }

    pub fn watch(&self, object: &Value, id: u64) {
        self.watches.iter().for_each(|watch| watch.add(object, id.cast_signed()));
    }

    pub fn has_list_changed(&self, id: u64) -> bool {
        self.watches.iter().any(|watch| lock(&watch.changed).contains(&id.cast_signed()))
    }
}

/// The object that the engine calls when a property list changed. Not for users.
#[derive(GodotClass)]
#[class(internal, no_init, base = RefCounted)]
pub struct VarBatchPropertyWatch {
    changed: Arc<Mutex<HashSet<i64>>>,
}

#[godot_api]
impl VarBatchPropertyWatch {
    #[func]
    fn list_changed(&self, id: i64) {
        lock(&self.changed).insert(id);
    }
}

/// Watches objects for changes of their property lists, by the inspector's signal. Freeing it disconnects the signals.
struct Watch {
    /// Instance ids of objects, and of those whose list changed since they were added.
    watched: Mutex<HashSet<i64>>,
    changed: Arc<Mutex<HashSet<i64>>>,
    signal: StringName,
    callable: Callable,
    _watch: Gd<VarBatchPropertyWatch>,
}

impl Default for Watch {
    fn default() -> Self {
        let changed: Arc<Mutex<HashSet<i64>>> = Arc::default();
        let shared = Arc::clone(&changed);
        let watch = Gd::from_init_fn(|_| VarBatchPropertyWatch { changed: shared });
        let callable = Callable::from_object_method(&watch, "list_changed");
        let signal = StringName::from("property_list_changed");
        Self { watched: Mutex::default(), changed, signal, callable, _watch: watch }
    }
}

impl Watch {
    fn add(&self, object: &Value, id: i64) {
        let Ok(mut object) = object.variant().try_to::<Gd<Object>>() else { return };
        let is_new = lock(&self.watched).insert(id);
        if is_new {
            object.connect(&self.signal, &self.callable.bindv(&varray![id]));
        }
    }
}
