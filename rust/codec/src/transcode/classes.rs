//! The classes and stored properties of Godot 3 that Godot 4 has under another name.
//!
//! For objects with properties: the name of a class, then names and values. A pair is here if both engines make the
//! class and it is the same one; a property if its value has the same type and means the same, so that only the name
//! changes. (Two differ in type and still arrive: a String that became a StringName, a margin that Godot 3 declares as
//! an int and saves as a float.) An object of each class was written by Godot 3 (3.2.3 and 3.6.2) and read by Godot 4
//! (4.6.3), with each property set to a value of its own: `tests/vectors/classes/renamed.txt` is what arrived, and
//! `tests/codec/transcode_classes.rs` holds `classes.txt` to it.
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

use std::iter::successors;
use std::sync::LazyLock;

/// What `classes.txt` says of Godot 3's classes, sorted by their names there.
pub(super) static CLASSES: LazyLock<Vec<Class>> = LazyLock::new(|| parse(include_str!("classes.txt")));

/// The renamed classes, sorted by their names in Godot 4.
static RENAMED: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let mut names: Vec<_> = CLASSES.iter().filter_map(|class| Some((class.new_name?, class.name))).collect();
    names.sort_unstable();
    names
});

/// A class of Godot 3.
pub(super) struct Class {
    pub(super) name: &'static str,
    /// Its name in Godot 4, if it has another one.
    pub(super) new_name: Option<&'static str>,
    /// The nearest class that it inherits renamed properties from.
    pub(super) base: Option<&'static str>,
    is_gone: bool,
    /// The renamed properties that it declares.
    pub(super) properties: Vec<Property>,
}

/// A stored property that has another name in Godot 4.
pub(super) struct Property {
    pub(super) old: &'static str,
    pub(super) new: &'static str,
    /// Whether later versions of Godot 3 had the old name no more.
    pub(super) is_outdated: bool,
}

/// The name in Godot 4 of a class of Godot 3, if it has another one.
pub(super) fn to_godot_4(class: &str) -> Option<&'static str> {
    find(class)?.new_name
}

/// The name in Godot 3 of a class of Godot 4, if it has another one.
pub(super) fn to_godot_3(class: &str) -> Option<&'static str> {
    let at = RENAMED.binary_search_by_key(&class, |(new, _)| new).ok()?;
    Some(RENAMED[at].1)
}

/// True if Godot 4 has nothing that a class of Godot 3 could become: it would refuse the whole value that holds an
/// object of it.
pub(super) fn is_gone(class: &str) -> bool {
    find(class).is_some_and(|class| class.is_gone) || class.starts_with("VisualScript")
}

/// The name in Godot 4 of a stored property that a class of Godot 3, called `class` there, declares or inherits, if
/// it has another one.
pub(super) fn property_to_godot_4(class: &str, property: &str) -> Option<&'static str> {
    lineage(class).flat_map(|class| &class.properties).find(|pair| pair.old == property).map(|pair| pair.new)
}

/// The name in the last Godot 3 of a stored property that a class of Godot 4, called `class` there, declares or
/// inherits, if it has another one.
///
/// Where there is none, the name may be that of another property in Godot 3: `Node.process_mode` has no home there, but
/// `Timer.process_mode` is what Godot 4 calls `process_callback`. [`property_to_godot_4`] knows such a name.
pub(super) fn property_to_godot_3(class: &str, property: &str) -> Option<&'static str> {
    let mut pairs = lineage(to_godot_3(class).unwrap_or(class)).flat_map(|class| &class.properties);
    pairs.find(|pair| pair.new == property && !pair.is_outdated).map(|pair| pair.old)
}

/// A class of Godot 3 and those it inherits renamed properties from, nearest first.
pub(super) fn lineage(class: &str) -> impl Iterator<Item = &'static Class> {
    successors(find(class), |class| find(class.base?))
}

fn find(name: &str) -> Option<&'static Class> {
    let at = CLASSES.binary_search_by_key(&name, |class| class.name).ok()?;
    Some(&CLASSES[at])
}

/// Reads `classes.txt`, whose first lines describe its form.
fn parse(text: &'static str) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<_> = line.split_whitespace().collect();
        let after = |mark| words.iter().position(|word| *word == mark).map(|at| words[at + 1]);
        if line.starts_with(' ') {
            let is_outdated = words[1] == "->";
            let class = classes.last_mut().expect("a class stands before its properties");
            class.properties.push(Property { old: words[0], new: words[2], is_outdated });
        } else {
            classes.push(Class {
                name: words[0],
                new_name: after("="),
                base: after(":"),
                is_gone: words.last() == Some(&"gone"),
                properties: Vec::new(),
            });
        }
    }
    classes
}
