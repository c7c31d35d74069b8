//! Finds out which objects of two node trees, or of two resources, belong together.

use std::collections::VecDeque;

use foldhash::{HashMap, HashSet};
use godot::builtin::{StringName, VarDictionary};
use godot::classes::{Node, Resource};
use godot::meta::ToGodot;
use godot::obj::Gd;

use super::compare::Sides;
use super::properties::United;
use super::recording::Part;
use super::references::Pair;
use super::wanted::Wanted;
use crate::engine::{self, Value};
use crate::report::Reports;

/// Maps the nodes and the sub-resources of `before` to those of `after`.
pub fn map_references(root: Pair) -> (VarDictionary, Reports) {
    let (mut map, mut reports) = (VarDictionary::new(), Reports::default());
    let mut known = HashSet::default();
    let mut level = nodes(root);
    // Each level holds the sub-resources of the one before it.
    while !level.is_empty() {
        let (sides, mut said) = Sides::read(&level, &Wanted::now(&[].into()), &|_| String::new());
        reports.append_as(&mut said, |index| index);
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
    let (mut pairs, mut left) = (Vec::new(), VecDeque::from([first]));
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

/// True if the engine made one of the names, which then tells nothing, and the nodes are of the same class.
fn are_unnamed(one: &Gd<Node>, other: &Gd<Node>) -> bool {
    let is_unnamed = |node: &Gd<Node>| node.get_name().to_string().starts_with('@');
    (is_unnamed(one) || is_unnamed(other)) && one.get_class() == other.get_class()
}

/// Calls `take` with the sub-resources that the same properties of two objects hold at the same place.
fn sub_resources(sides: &Sides, before: &Part, after: &Part, mut take: impl FnMut(&Value, &Value)) {
    for [old, new] in United::of(&before.properties, &after.properties).places() {
        let Some((old, new)) = old.zip(new) else { continue };
        let (old, new) = (sides.before.state(before, old).kept, sides.after.state(after, new).kept);
        if old.len() == new.len() {
            let pairs = old.iter().zip(new).filter(|(old, new)| are_sub_resources(old, new));
            pairs.for_each(|(old, new)| take(old, new));
        }
    }
}

/// True for two different resources of the same class and script that no other scene can use: a resource with a file
/// of its own, and a script, are values that an instance may override.
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
