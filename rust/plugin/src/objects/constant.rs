//! What the list of an object's stored properties depends on, for native classes; and which of them need not be set.
//!
//! A class changes the list of its objects in `_get_property_list` and `_validate_property`, which GDExtension does not
//! show: `classes.txt` has the classes whose source was read. Objects of others are asked one by one. The suite
//! `values/object_lists` sets properties at random, and compares lists and decoded objects.

use std::sync::OnceLock;

use foldhash::{HashMap, HashSet};
use godot::classes::class_db::ApiType;
use godot::classes::{ClassDb, Engine};
use godot::prelude::*;

/// A property on which a list depends.
#[derive(Clone)]
pub enum Switch {
    Value(StringName),
    /// The list is only known if it is null, false or 0.
    Empty(StringName),
    Setting(StringName),
}

/// Classes whose transform is that of another object too, or of a physics body.
const LINKED: [&str; 4] = ["AnimatableBody2D", "AnimatableBody3D", "RemoteTransform2D", "RemoteTransform3D"];

/// Returns what the setters of some properties of a native class change; and all that changes if that is set in turn. `None`
/// if it is not known.
pub fn moved_by<'n>(class: &StringName, names: impl Iterator<Item = &'n str>) -> Option<[HashSet<&'static str>; 2]> {
    let rows = lineage(class).filter(|_| !LINKED.contains(&&*class.to_string()))?;
    let columns = rows.iter().flat_map(|[_, _, idle, moves, _]| [idle, moves]);
    let moves = columns.flat_map(|names| names.split_ascii_whitespace()).filter(|name| !name.ends_with('*'));
    let moves: HashMap<_, _> = moves.map(|text| text.split_once('>').unwrap_or((text, ""))).collect();
    let (mut left, mut all) = (Vec::new(), HashSet::default());
    let moved = |name| Some(moves.get(name)?.split(',').filter(|name| !name.is_empty()));
    for name in names {
        left.extend(moved(name)?);
    }
    let near = left.iter().copied().collect();
    while let Some(name) = left.pop() {
        if all.insert(name) {
            left.extend(moved(name)?);
        }
    }
    Some([near, all])
}

/// Returns the signals that the setters of some properties of a native class emit, if that is known: whoever listens may change
/// anything. With the places of the properties, in order.
pub fn told_by<'n>(class: &StringName, names: impl Iterator<Item = &'n str>) -> Vec<(usize, StringName)> {
    let rows = lineage(class).unwrap_or_default();
    let words = rows.iter().flat_map(|[.., tells]| tells.split_ascii_whitespace());
    let tells: Vec<_> = words.filter_map(|word| word.split_once('>')).collect();
    let of = |(at, name)| {
        let signals =
            tells.iter().filter(move |(telling, _)| *telling == name).flat_map(|(_, signals)| signals.split(','));
        signals.map(move |signal| (at, StringName::from(signal)))
    };
    names.enumerate().flat_map(of).collect()
}

/// Returns the properties that a new object of a native class need not be told if it has the value already. None in the
/// editor, where `EditorInterface.is_object_edited` tells of each object whether any property was set.
pub fn idle_setters(class: &StringName) -> HashSet<&'static str> {
    if Engine::singleton().is_editor_hint() {
        return HashSet::default();
    }
    let rows = lineage(class).unwrap_or_default();
    let names = rows.iter().flat_map(|[_, _, idle, ..]| idle.split_ascii_whitespace());
    names.map(|name| name.trim_end_matches('*')).collect()
}

/// Returns what the list of a native class depends on, beside an object's script and metadata. `None` if not known.
pub fn switches(class: &StringName) -> Option<Vec<Switch>> {
    let mut switches = Vec::new();
    for [values, empty, ..] in lineage(class)? {
        let of =
            |name: &str| if name.contains('/') { Switch::Setting(name.into()) } else { Switch::Value(name.into()) };
        switches.extend(values.split_ascii_whitespace().map(of));
        switches.extend(empty.split_ascii_whitespace().map(|name| Switch::Empty(name.into())));
    }
    Some(switches)
}

/// Returns the columns of a native class and of those that it extends. `None` if one of them is not in the table.
fn lineage(class: &StringName) -> Option<Vec<[&'static str; 5]>> {
    static KNOWN: OnceLock<HashMap<&str, [&str; 5]>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let version = Engine::singleton().get_version_info();
        let part = |name: &str| version.get(name).and_then(|part| part.try_to::<i64>().ok());
        if (part("major"), part("minor")) != (Some(4), Some(6)) {
            return HashMap::default();
        }
        let rows = include_str!("classes.txt").lines().filter(|line| !line.starts_with('#'));
        rows.map(|row| {
            let mut columns = row.split('|').map(str::trim);
            let mut next = || columns.next().unwrap_or_default();
            (next(), [next(), next(), next(), next(), next()])
        })
        .collect()
    });
    let (classes, mut class, mut all) = (ClassDb::singleton(), class.clone(), Vec::new());
    while !class.is_empty() {
        let columns = *known.get(&*class.to_string())?;
        if classes.class_get_api_type(&class) != ApiType::CORE {
            return None;
        }
        all.push(columns);
        class = classes.get_parent_class(&class);
    }
    Some(all)
}
