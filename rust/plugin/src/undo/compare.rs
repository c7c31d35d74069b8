//! Compares objects as if one were the other's record; finds which of two node trees or resources belong together.

use std::sync::{Arc, Mutex, PoisonError};

use foldhash::{HashMap, HashSet};
use godot::prelude::*;
use varbatch_codec::Event;

use super::changes::Changes;
use super::record::{Named, Wanted, record};
use super::recording::{Part, Recording};
use crate::engine::{self, Slot, Value};
use crate::objects::United;
use crate::report::Reports;
use crate::value::states::{Span, State, States};

struct Sides {
    before: Recording,
    after: Recording,
}

impl Sides {
    /// Reads both objects of each pair. Their getters run.
    fn read(pairs: &[Pair], wanted: &Wanted, named: Named<'_>) -> (Self, Reports) {
        let mut reports = Reports::default();
        let mut read = |object: fn(&Pair) -> &Slot, side: &str| {
            let recording = Mutex::default();
            let objects = pairs.iter().map(|pair| Slot::of(object(pair).value())).collect();
            let mut said = record(&recording, objects, wanted, &|index| format!("{}{side}: ", named(index)));
            reports.append(&mut said);
            recording.into_inner().unwrap_or_else(PoisonError::into_inner)
        };
        let (before, after) = (read(|pair| &pair.before, "before"), read(|pair| &pair.after, "after"));
        (Self { before, after }, reports)
    }

    /// Returns the parts of a pair. `None` if one of the two could not be read.
    fn parts(&self, pair: &Pair) -> Option<(&Part, &Part)> {
        self.before.part_of(pair.ids[0]).zip(self.after.part_of(pair.ids[1]))
    }
}

/// Compares the objects of each pair. Those of `references` belong together, and so do those of the pairs.
pub fn compare(pairs: &[Pair], wanted: &Wanted, mut references: References, named: Named<'_>) -> (Changes, Reports) {
    let (mut sides, mut reports) = Sides::read(pairs, wanted, named);
    pairs.iter().for_each(|pair| references.add(pair));
    let mut found = Changes::of(Vec::new(), std::mem::take(&mut sides.before.states));
    for (index, pair) in pairs.iter().enumerate() {
        let Some((before, now)) = sides.parts(pair) else { continue };
        // One object may be compared with many.
        references.add(pair);
        if !before.is_alive() || !now.is_alive() {
            reports.push_warning(index, || format!("{}skipped: a getter freed one of the two", named(index)));
            continue;
        }
        for name in wanted.named() {
            if !before.names.has(name) && !now.names.has(name) {
                reports.push_error(index, || format!("{}{} has no property \"{name}\"", named(index), now.shown()));
            }
        }
        let united = United::of(&before.names, &now.names);
        // A copy for this pair, with the objects that belong to those in the values.
        let mut recorded = sides.before.spans_of(before).to_vec();
        let spans = sides.after.spans_of(now);
        let states = &sides.after.states;
        for [old, new] in united.places() {
            if let Some((old, new)) = old.zip(new)
                && let Some(mapped) = references.add_mapped(&mut found.old, recorded[old], states.get(spans[new]))
            {
                recorded[old] = mapped;
            }
        }
        let part = Part::new(Slot::of(pair.after.value()), now.id, Arc::clone(&united.names), None);
        found.parts.push(part);
        let lists = before.list.clone().zip(now.list.clone());
        found.compare_part(found.parts.len() - 1, &united, &recorded, (states, spans), lists.as_ref(), false);
    }
    (found, reports)
}

pub struct Pair {
    pub before: Slot,
    pub after: Slot,
    /// Their instance ids, 0 for what is no object.
    pub ids: [u64; 2],
}

impl Pair {
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

    fn get(&self, id: u64) -> Option<&Value> {
        self.0.get(&id).map(Slot::value)
    }

    /// Appends a copy of a value with the objects that belong to its own; `None` if that compares the same with `new`.
    fn add_mapped(&self, states: &mut States, span: Span, new: State<'_>) -> Option<Span> {
        let state = states.get(span);
        if state.is_same(new) && !state.kept.iter().any(|kept| self.get(kept.object_id()).is_some()) {
            return None;
        }
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
        let mapped = |kept: &Value| Slot::of(self.get(kept.object_id()).unwrap_or(kept));
        let kept: Vec<_> = state.kept.iter().map(mapped).collect();
        Some(states.add(State { bytes: &bytes, kept: Slot::values(&kept) }))
    }
}

/// Maps the nodes and the sub-resources of `before` to those of `after`.
pub fn map_references(root: Pair) -> (VarDictionary, Reports) {
    let (mut map, mut reports) = (VarDictionary::new(), Reports::default());
    let mut known = HashSet::default();
    let mut level = nodes(root);
    // Each level holds the sub-resources of the one before it.
    while !level.is_empty() {
        let (sides, mut said) = Sides::read(&level, &Wanted::now(&[].into()), &|_| String::new());
        reports.append(&mut said);
        let mut next = Vec::new();
        let parts = |pair| sides.parts(pair).map(|parts| (pair, parts));
        for (pair, (before, _)) in level.iter().filter_map(parts) {
            map.set(pair.before.value().variant(), pair.after.value().variant());
            known.insert(before.id);
        }
        for (_, (before, after)) in level.iter().filter_map(parts) {
            sub_resources(&sides, before, after, |before, after| {
                if known.insert(before.object_id()) {
                    next.push(Pair::new(before, after));
                }
            });
        }
        level = next;
    }
    (map, reports)
}

/// Returns the pairs of nodes at the same paths, in tree order; only the pair itself, if it is not of nodes.
fn nodes(root: Pair) -> Vec<Pair> {
    let node = |value: &Value| value.variant().try_to::<Gd<Node>>().ok();
    let Some(first) = node(root.before.value()).zip(node(root.after.value())) else { return vec![root] };
    // The engine made one of the names, which then tells nothing.
    let is_unnamed = |node: &Gd<Node>| node.get_name().to_string().starts_with('@');
    let are_unnamed = |one: &Gd<Node>, other: &Gd<Node>| {
        (is_unnamed(one) || is_unnamed(other)) && one.get_class() == other.get_class()
    };
    let (mut pairs, mut left) = (Vec::new(), std::collections::VecDeque::from([first]));
    while let Some((before, after)) = left.pop_front() {
        let (of_before, of_after) = (before.get_children(), after.get_children());
        let mut names: Option<HashMap<StringName, Gd<Node>>> = None;
        for (index, child) in of_before.iter_shared().enumerate() {
            let name = child.get_name();
            let same_place = of_after.get(index).filter(|other| other.get_name() == name || are_unnamed(&child, other));
            let other = same_place.or_else(|| {
                let named = || of_after.iter_shared().map(|other| (other.get_name(), other)).collect();
                names.get_or_insert_with(named).get(&name).cloned()
            });
            left.extend(other.map(|other| (child, other)));
        }
        pairs.push(Pair::new(engine::value(&before.to_variant()), engine::value(&after.to_variant())));
    }
    pairs
}

/// Calls `take` with the sub-resources that the same properties of two objects hold at the same place.
fn sub_resources(sides: &Sides, before: &Part, after: &Part, mut take: impl FnMut(&Value, &Value)) {
    for [old, new] in United::of(&before.names, &after.names).places() {
        let Some((old, new)) = old.zip(new) else { continue };
        let (old, new) = (sides.before.state(before, old).kept, sides.after.state(after, new).kept);
        if old.len() == new.len() {
            let pairs = old.iter().zip(new).filter(|(old, new)| are_sub_resources(old, new));
            pairs.for_each(|(old, new)| take(old, new));
        }
    }
}

/// True for two resources of the same class and script inside scenes: one with a file, or a script, may be overridden.
fn are_sub_resources(before: &Value, after: &Value) -> bool {
    let is_inside = |value: &Value| {
        let resource = value.variant().try_to::<Gd<Resource>>().ok();
        resource.filter(|resource| !resource.is_class("Script")).is_some_and(|resource| {
            let path = resource.get_path().to_string();
            path.is_empty() || path.contains("::") || path.starts_with("local://")
        })
    };
    before.object_id() != after.object_id()
        && engine::class_name(before) == engine::class_name(after)
        && engine::script_id(before) == engine::script_id(after)
        && is_inside(before)
        && is_inside(after)
}
