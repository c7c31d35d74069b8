//! The classes and stored properties of Godot 3 that Godot 4 has under another name.
//!
//! For objects with properties: the name of a class, then names and values. A pair is here if both engines make the
//! class and it is the same one; a property if its value has the same type and means the same, so that only the name
//! changes. (Two differ in type and still arrive: a String that became a StringName, a margin that Godot 3 declares as
//! an int and saves as a float.) An object of each class was written by Godot 3 (3.2.3 and 3.6.2) and read by Godot 4
//! (4.6.3), with each property set to a value of its own: `tests/vectors/classes/renamed.txt` is what arrived, and the
//! tests below hold the tables to it.
//!
//! What has the name that it had is not here: `transform`, `Node2D.position`, `AnimationTree` itself. Nor is
//! - a class that became part of another one (`YSort`, `ToolButton`, `WindowDialog`, `DynamicFont`,
//!   `OpenSimplexNoise`), or whose content has no home in it (`CubeMap`, `TextureArray`, `ShortCut`, `StreamTexture`,
//!   `GIProbeData`, `BakedLightmapData`, `AudioStreamOGGVorbis`). Godot 4 refuses the whole value that holds an object
//!   of such a class, so that [`is_gone`] knows them;
//! - a property whose value changed with its name: half a size that became a size (`BoxShape.extents`), degrees that
//!   became radians (`Control.rect_rotation`), a bool that became an enum or its opposite (`Label.autowrap`,
//!   `TextEdit.readonly`), an enum that was numbered anew (`Node.pause_mode`, `RigidBody.mode`,
//!   `InputEventKey.scancode`), a base and a random part that became a range (`ParticlesMaterial.scale`);
//! - a name that is made at run time (`custom_colors/font_color`, `material/0`);
//! - what Godot 3 shows but does not save: `Spatial.translation` and `rotation_degrees`, `Control.rect_position`.
//!
//! Some kept their name and changed their meaning, and no table of names can tell: `Environment.background_mode`,
//! `TextureRect.stretch_mode`, `DirectionalLight.directional_shadow_mode`, `Light.light_bake_mode`,
//! `Light2D.shadow_filter`, `Viewport.render_target_update_mode`, `CPUParticles.emission_shape` and
//! `Node.physics_interpolation_mode` were numbered anew; `CapsuleShape.height` has the two caps in it now. `Tween` is
//! no node any more, and `Popup` with its heirs is a window: what they had as a `Control` is ignored.

mod tables;

use self::tables::{BASES, CLASSES, GONE, OLDER, PROPERTIES, Pair};

/// [`CLASSES`] by their names in Godot 4.
const CLASSES_OF_GODOT_4: [Pair; CLASSES.len()] = by_second(CLASSES);

/// The name in Godot 4 of a class of Godot 3, if it has another one.
pub(super) fn to_godot_4(class: &str) -> Option<&'static str> {
    let at = CLASSES.binary_search_by_key(&class, |(old, _)| old).ok()?;
    Some(CLASSES[at].1)
}

/// The name in Godot 3 of a class of Godot 4, if it has another one.
pub(super) fn to_godot_3(class: &str) -> Option<&'static str> {
    let at = CLASSES_OF_GODOT_4.binary_search_by_key(&class, |(_, new)| new).ok()?;
    Some(CLASSES_OF_GODOT_4[at].0)
}

/// Whether Godot 4 has nothing that a class of Godot 3 could become: it would refuse the whole value that holds an object of it.
pub(super) fn is_gone(class: &str) -> bool {
    GONE.binary_search(&class).is_ok() || class.starts_with("VisualScript")
}

/// The name in Godot 4 of a stored property that a class of Godot 3, called `class` there, declares or inherits, if
/// it has another one.
pub(super) fn property_to_godot_4(class: &str, property: &str) -> Option<&'static str> {
    let of = |table, class| declared(table, class).iter().find(|(old, _)| *old == property);
    lineage(class).find_map(|class| of(&PROPERTIES, class).or_else(|| of(&OLDER, class))).map(|(_, new)| *new)
}

/// The name in the last Godot 3 of a stored property that a class of Godot 4, called `class` there, declares or
/// inherits, if it has another one.
///
/// Where there is none, the name may be that of another property in Godot 3: `Node.process_mode` has no home there, but
/// `Timer.process_mode` is what Godot 4 calls `process_callback`. [`property_to_godot_4`] knows such a name.
pub(super) fn property_to_godot_3(class: &str, property: &str) -> Option<&'static str> {
    let class = to_godot_3(class).unwrap_or(class);
    let of = |class| declared(&PROPERTIES, class).iter().find(|(_, new)| *new == property);
    lineage(class).find_map(of).map(|(old, _)| *old)
}

/// A class of Godot 3 and those it inherits renamed properties from, nearest first.
fn lineage(class: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(class), |class| {
        let at = BASES.binary_search_by_key(class, |(class, _)| class).ok()?;
        Some(BASES[at].1)
    })
}

/// The rows of a class, if it has any.
fn declared(table: &[(&'static str, &'static [Pair])], class: &str) -> &'static [Pair] {
    table.binary_search_by_key(&class, |(class, _)| class).map_or(&[], |at| table[at].1)
}

/// The pairs sorted by their second names.
const fn by_second<const N: usize>(mut pairs: [Pair; N]) -> [Pair; N] {
    let mut sorted = 1;
    while sorted < N {
        let mut at = sorted;
        while at > 0 && is_less(pairs[at].1.as_bytes(), pairs[at - 1].1.as_bytes()) {
            pairs.swap(at, at - 1);
            at -= 1;
        }
        sorted += 1;
    }
    pairs
}

const fn is_less(left: &[u8], right: &[u8]) -> bool {
    let mut at = 0;
    while at < left.len() && at < right.len() {
        if left[at] != right[at] {
            return left[at] < right[at];
        }
        at += 1;
    }
    left.len() < right.len()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// A class of the record: its names, and those of its renamed properties.
    fn recorded() -> impl Iterator<Item = (Pair, Vec<Pair>)> {
        let record = include_str!("../../tests/vectors/classes/renamed.txt");
        record.lines().filter(|line| !line.starts_with('#')).map(|line| {
            let mut parts = line.split(" | ");
            let class = (parts.next().expect("a Godot 3 name"), parts.next().expect("a Godot 4 name"));
            let properties = parts.next().unwrap_or("").split_whitespace();
            (class, properties.map(|pair| pair.split_once('=').expect("two names")).collect())
        })
    }

    fn is_older(class: &str, property: &str) -> bool {
        lineage(class).any(|class| declared(&OLDER, class).iter().any(|(old, _)| *old == property))
    }

    #[test]
    fn tables_are_sorted_without_duplicates() {
        assert!(CLASSES.is_sorted_by(|left, right| left.0 < right.0));
        assert!(CLASSES_OF_GODOT_4.is_sorted_by(|left, right| left.1 < right.1));
        assert!(BASES.is_sorted_by(|left, right| left.0 < right.0));
        assert!(GONE.is_sorted_by(|left, right| left < right));
        for table in [&PROPERTIES[..], &OLDER[..]] {
            assert!(table.is_sorted_by(|left, right| left.0 < right.0));
            for (class, pairs) in table {
                assert!(pairs.is_sorted_by(|left, right| left.0 < right.0), "{class}");
                let new: HashSet<_> = pairs.iter().map(|(_, new)| new).collect();
                assert_eq!(new.len(), pairs.len(), "{class} has two properties of one new name");
            }
        }
    }

    #[test]
    fn each_direction_undoes_the_other() {
        for (old, new) in CLASSES {
            assert_eq!((to_godot_4(old), to_godot_3(new)), (Some(new), Some(old)));
            assert_eq!((to_godot_4(new), to_godot_3(old)), (None, None), "{old} and {new}");
        }
        for (class, pairs) in PROPERTIES {
            let new_class = to_godot_4(class).unwrap_or(class);
            for (old, new) in pairs {
                assert_eq!(property_to_godot_4(class, old), Some(*new), "{class}");
                assert_eq!(property_to_godot_3(new_class, new), Some(*old), "{class}");
            }
        }
    }

    #[test]
    fn tables_say_what_arrived_in_godot_4() {
        for ((old_class, new_class), properties) in recorded() {
            assert_eq!(to_godot_4(old_class).unwrap_or(old_class), new_class);
            assert_eq!(to_godot_3(new_class).unwrap_or(new_class), old_class);
            for (old, new) in properties {
                assert_eq!(property_to_godot_4(old_class, old), Some(new), "{old_class}.{old}");
                if !is_older(old_class, old) {
                    assert_eq!(property_to_godot_3(new_class, new), Some(old), "{new_class}.{new}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_in_the_tables_that_did_not_arrive() {
        let recorded: Vec<_> = recorded().collect();
        for class in CLASSES {
            assert!(recorded.iter().any(|(seen, _)| *seen == class), "{}", class.0);
        }
        for (class, pairs) in PROPERTIES.into_iter().chain(OLDER) {
            for pair in pairs {
                let mut heirs = recorded.iter().filter(|((heir, _), _)| lineage(heir).any(|of| of == class));
                assert!(heirs.any(|(_, seen)| seen.contains(pair)), "{class}.{}", pair.0);
            }
        }
        for (class, base) in BASES {
            assert!(recorded.iter().any(|((heir, _), _)| lineage(heir).any(|of| of == class)), "{class} of {base}");
        }
    }

    #[test]
    fn what_is_gone_is_no_class_of_godot_4() {
        assert!(is_gone("OpenSimplexNoise") && is_gone("VisualScriptFunctionCall") && !is_gone("Reference"));
        for (old, new) in CLASSES.into_iter().chain(recorded().map(|(class, _)| class)) {
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
}
