//! Keeps recorded states until they are flushed.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use godot::builtin::StringName;
use varbatch_codec::CodecError;

use crate::engine::{self, Slot};
use crate::objects::{List, Names, shown};
use crate::value::states::{Span, State, States};

#[derive(Default)]
pub struct Recording {
    pub parts: Vec<Part>,
    pub states: States,
    pub spans: Vec<Span>,
    /// By instance id.
    objects: HashMap<u64, PartsOf>,
}

/// The parts of an object.
#[derive(Default)]
struct PartsOf {
    last_part: usize,
    count: usize,
    /// The names of all parts, once there are many.
    names: HashSet<String>,
}

/// Parts of an object that are looked through for a name.
const FEW: usize = 8;

/// Properties of an object that were recorded together.
pub struct Part {
    /// Keeps a RefCounted alive.
    pub object: Slot,
    pub id: u64,
    pub class: StringName,
    pub names: Arc<Names>,
    /// The list that the names come from. `None` if the caller named them.
    pub list: Option<Arc<List>>,
    /// True if the script is the first name, so that an edit may change the list.
    pub is_complete: bool,
    pub first_span: usize,
    /// The part of the same object before this one.
    previous: Option<usize>,
}

impl Part {
    pub fn new(object: Slot, id: u64, names: Arc<Names>, list: Option<Arc<List>>) -> Self {
        let class = engine::class_name(object.value());
        Self { object, id, class, names, list, is_complete: false, first_span: 0, previous: None }
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

    fn keep_only(&mut self, rest: Arc<Names>, spans: &mut Vec<Span>) {
        let first_span = spans.len();
        for text in &rest.texts {
            let at = self.names.index_of(text).expect("one of these properties");
            spans.push(spans[self.first_span + at]);
        }
        (self.names, self.first_span) = (rest, first_span);
    }
}

impl Recording {
    pub fn state(&self, part: &Part, property: usize) -> State<'_> {
        self.states.get(self.spans_of(part)[property])
    }

    pub fn spans_of(&self, part: &Part) -> &[Span] {
        &self.spans[part.first_span..][..part.names.paths.len()]
    }

    pub fn part_of(&self, id: u64) -> Option<&Part> {
        self.parts_of(id).next().map(|index| &self.parts[index])
    }

    fn parts_of(&self, id: u64) -> impl Iterator<Item = usize> {
        let last = self.objects.get(&id).map(|of| of.last_part);
        std::iter::successors(last, |&index| self.parts[index].previous)
    }

    /// Returns those of these properties that are not recorded yet. `None` if all are.
    pub fn unrecorded(&self, id: u64, names: &Arc<Names>, is_complete: bool) -> Option<Arc<Names>> {
        let Some(of) = self.objects.get(&id) else { return Some(Arc::clone(names)) };
        let mut earlier = self.parts_of(id).map(|index| &self.parts[index]);
        if is_complete {
            // It takes over the states of earlier parts.
            return (!earlier.any(|earlier| earlier.is_complete)).then(|| Arc::clone(names));
        }
        let few: Vec<_> = earlier.take(FEW).collect();
        if few.iter().any(|earlier| Arc::ptr_eq(&earlier.names, names)) {
            return None;
        }
        let of_few = few.iter().filter(|_| of.names.is_empty()).flat_map(|earlier| &earlier.names.texts);
        let known: HashSet<_> = of_few.map(String::as_str).collect();
        let is_new = |text: &str| !known.contains(text) && !of.names.contains(text);
        match names.texts.iter().filter(|text| is_new(text)).count() {
            0 => None,
            count if count == names.texts.len() => Some(Arc::clone(names)),
            _ => Some(Arc::new(names.filter(is_new))),
        }
    }

    /// Adds what was recorded separately. Properties that are already recorded keep their first state.
    pub fn add(&mut self, other: Self) {
        let base = self.spans.len();
        self.states.append(other.states, &other.spans, &mut self.spans);
        for mut part in other.parts {
            part.first_span += base;
            // Getters may have recorded some since the part was read.
            let Some(rest) = self.unrecorded(part.id, &part.names, part.is_complete) else { continue };
            if part.is_complete {
                self.take_earlier(&part);
            } else if !Arc::ptr_eq(&rest, &part.names) {
                part.keep_only(rest, &mut self.spans);
            }
            self.push(part);
        }
    }

    fn push(&mut self, mut part: Part) {
        let of = self.objects.entry(part.id).or_default();
        part.previous = (of.count > 0).then_some(of.last_part);
        (of.last_part, of.count) = (self.parts.len(), of.count + 1);
        let (id, count) = (part.id, of.count);
        self.parts.push(part);
        if count >= FEW {
            let parts = self.parts_of(id).take(if count == FEW { FEW } else { 1 });
            let names: Vec<_> = parts.flat_map(|index| self.parts[index].names.texts.clone()).collect();
            self.objects.entry(id).or_default().names.extend(names);
        }
    }

    /// Gives a complete part the states of properties that were recorded earlier, and takes them from the earlier parts.
    fn take_earlier(&mut self, part: &Part) {
        let places: HashMap<&str, usize> = part.names.texts.iter().map(String::as_str).zip(0..).collect();
        for index in self.parts_of(part.id).collect::<Vec<_>>() {
            let earlier = &mut self.parts[index];
            for (at, text) in earlier.names.texts.iter().enumerate() {
                if let Some(to) = places.get(&**text) {
                    self.spans[part.first_span + to] = self.spans[earlier.first_span + at];
                }
            }
            // The list is left to the complete part.
            earlier.list = None;
            earlier.keep_only(Arc::new(earlier.names.filter(|text| !places.contains_key(text))), &mut self.spans);
        }
    }
}
