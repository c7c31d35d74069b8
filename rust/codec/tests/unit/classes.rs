//! The renamed classes and properties, against the record of what a real Godot 4 read of a real Godot 3.

use std::collections::HashSet;

use super::{CLASSES, is_gone, lineage, property_to_godot_3, property_to_godot_4, to_godot_3, to_godot_4};

/// A name in Godot 3 and one in Godot 4.
type Pair = (&'static str, &'static str);

/// A class of the record: its names, and those of its renamed properties.
fn recorded() -> impl Iterator<Item = (Pair, Vec<Pair>)> {
    let record = include_str!("../vectors/classes/renamed.txt");
    record.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut parts = line.split(" | ");
        let class = (parts.next().expect("a Godot 3 name"), parts.next().expect("a Godot 4 name"));
        let properties = parts.next().unwrap_or("").split_whitespace();
        (class, properties.map(|pair| pair.split_once('=').expect("two names")).collect())
    })
}

/// The renamed classes.
fn renamed() -> impl Iterator<Item = Pair> {
    CLASSES.iter().filter_map(|class| Some((class.name, class.new_name?)))
}

fn is_outdated(class: &str, property: &str) -> bool {
    lineage(class).flat_map(|class| &class.properties).any(|pair| pair.old == property && pair.is_outdated)
}

#[test]
fn tables_are_sorted_without_duplicates() {
    assert!(CLASSES.is_sorted_by(|left, right| left.name < right.name));
    let new: HashSet<_> = renamed().map(|(_, new)| new).collect();
    assert_eq!(new.len(), renamed().count(), "two classes have one new name");
    for class in CLASSES.iter() {
        for is_outdated in [false, true] {
            let pairs: Vec<_> = class.properties.iter().filter(|pair| pair.is_outdated == is_outdated).collect();
            assert!(pairs.is_sorted_by(|left, right| left.old < right.old), "{}", class.name);
            let new: HashSet<_> = pairs.iter().map(|pair| pair.new).collect();
            assert_eq!(new.len(), pairs.len(), "{} has two properties of one new name", class.name);
        }
    }
}

#[test]
fn each_direction_undoes_the_other() {
    for (old, new) in renamed() {
        assert_eq!((to_godot_4(old), to_godot_3(new)), (Some(new), Some(old)));
        assert_eq!((to_godot_4(new), to_godot_3(old)), (None, None), "{old} and {new}");
    }
}

#[test]
fn tables_say_what_arrived_in_godot_4() {
    for ((old_class, new_class), properties) in recorded() {
        assert_eq!(to_godot_4(old_class).unwrap_or(old_class), new_class);
        assert_eq!(to_godot_3(new_class).unwrap_or(new_class), old_class);
        for (old, new) in properties {
            assert_eq!(property_to_godot_4(old_class, old), Some(new), "{old_class}.{old}");
            if !is_outdated(old_class, old) {
                assert_eq!(property_to_godot_3(new_class, new), Some(old), "{new_class}.{new}");
            }
        }
    }
}

#[test]
fn nothing_is_in_the_tables_that_did_not_arrive() {
    let recorded: Vec<_> = recorded().collect();
    for class in renamed() {
        assert!(recorded.iter().any(|(seen, _)| *seen == class), "{}", class.0);
    }
    for class in CLASSES.iter() {
        let is_heir = |heir: &str| lineage(heir).any(|of| of.name == class.name);
        for pair in &class.properties {
            let mut heirs = recorded.iter().filter(|((heir, _), _)| is_heir(heir));
            assert!(heirs.any(|(_, seen)| seen.contains(&(pair.old, pair.new))), "{}.{}", class.name, pair.old);
        }
        if let Some(base) = class.base {
            assert!(recorded.iter().any(|((heir, _), _)| is_heir(heir)), "{} of {base}", class.name);
        }
    }
}

#[test]
fn what_is_gone_is_no_class_of_godot_4() {
    assert!(is_gone("OpenSimplexNoise") && is_gone("VisualScriptFunctionCall") && !is_gone("Reference"));
    for (old, new) in renamed().chain(recorded().map(|(class, _)| class)) {
        assert!(!is_gone(old) && !is_gone(new), "{old} and {new}");
    }
}

#[test]
fn names_that_stay_or_are_unknown_have_no_other() {
    for class in ["", "Node2D", "Resource", "NoSuchClass", "Node3D", "Spatial2"] {
        assert_eq!(to_godot_4(class), None, "{class}");
    }
    assert_eq!(to_godot_3("Spatial"), None);
    assert_eq!(property_to_godot_4("NoSuchClass", "cast_to"), None);
    assert_eq!(property_to_godot_4("Button", "text"), None);
    // A renamed property of one class is another property of another class.
    assert_eq!(property_to_godot_4("PathFollow", "offset"), Some("progress"));
    assert_eq!(property_to_godot_4("Sprite", "offset"), None);
    assert_eq!(property_to_godot_3("Sprite2D", "scale"), None);
    // Windows in Godot 4, so they have no offsets.
    assert_eq!(property_to_godot_4("PopupMenu", "margin_left"), None);
    assert_eq!(property_to_godot_3("NavigationMesh", "agent_height"), None);
}
