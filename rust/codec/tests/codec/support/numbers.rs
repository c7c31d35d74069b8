//! The numbers of the types in each engine once more: beside the crate's table, not out of it.
//!
//! They are those of `Variant::Type` in Godot 3.6.2, Pandemonium 3.5.0, 3.8.0 and 5.2.0: see FORMAT.md.

use std::sync::LazyLock;

use varbatch_codec::Engine;

/// Types that Godot 4 has not, under numbers that it has not.
pub const TYPED_ARRAY: u8 = 100;
pub const VECTOR2I_ARRAY: u8 = 101;
pub const VECTOR3I_ARRAY: u8 = 102;
pub const VECTOR4I_ARRAY: u8 = 103;

/// The types of an engine, in its order, by what Godot 4 has for them.
pub fn types(engine: Engine) -> &'static [u8] {
    match engine {
        Engine::Godot4 => &GODOT_4,
        Engine::Godot3 => &GODOT_3,
        Engine::Pandemonium => &PANDEMONIUM,
        Engine::Pandemonium38 => &PANDEMONIUM_38,
        Engine::Pandemonium35 => &PANDEMONIUM_35,
        _ => panic!("{engine:?} has no types here"),
    }
}

/// The number that a type of Godot 4 has in an engine.
pub fn number(engine: Engine, kind: u8) -> Option<u8> {
    types(engine).iter().position(|&of| of == kind).map(|number| number as u8)
}

/// What an array of an engine has for elements if they have no headers: the type, and bytes of each.
pub fn bare(engine: Engine, number: u8) -> Option<(u8, usize)> {
    match types(engine).get(usize::from(number)) {
        Some(&VECTOR2I_ARRAY) => Some((6, 8)),
        Some(&VECTOR3I_ARRAY) => Some((10, 12)),
        Some(&VECTOR4I_ARRAY) => Some((13, 16)),
        _ => None,
    }
}

static GODOT_4: LazyLock<Vec<u8>> = LazyLock::new(|| (0..39).collect());

#[rustfmt::skip] // several a line
const GODOT_3: [u8; 27] = [
    0, 1, 2, 3, 4, // Nil to String
    5, 7, 9, 11, 14, 15, 16, 17, 18, // Vector2, Rect2, Vector3, Transform2D, Plane, Quat, AABB, Basis, Transform
    20, 22, 23, 24, 27, 28, // Color, NodePath, RID, Object, Dictionary, Array
    29, 30, 32, 34, 35, 36, 37, // pools of bytes, ints, reals, strings, Vector2, Vector3, colors
];

#[rustfmt::skip]
const PANDEMONIUM: [u8; 40] = [
    0, 1, 2, 3, 4, // Nil to String
    7, 8, 5, 6, 9, 10, 12, 13, // Rect2, Rect2i, Vector2, 2i, 3, 3i, 4, 4i
    14, 15, 16, 17, 18, 11, 19, // Plane, Quaternion, AABB, Basis, Transform, Transform2D, Projection
    20, 22, 23, 24, 21, // Color, NodePath, RID, Object, StringName
    27, 28, TYPED_ARRAY, TYPED_ARRAY, // Dictionary, Array, TypedArray, PackedTypedArray
    29, 30, 32, 34, // pools of bytes, ints, reals, strings
    35, VECTOR2I_ARRAY, 36, VECTOR3I_ARRAY, 38, VECTOR4I_ARRAY, 37, // and of vectors and colors
];

/// As from 5.0 on, without typed arrays.
static PANDEMONIUM_38: LazyLock<Vec<u8>> =
    LazyLock::new(|| PANDEMONIUM.into_iter().filter(|&of| of != TYPED_ARRAY).collect());

#[rustfmt::skip]
const PANDEMONIUM_35: [u8; 33] = [
    0, 1, 2, 3, 4, // Nil to String
    5, 6, 7, 8, 9, 10, 11, // Vector2, 2i, Rect2, Rect2i, Vector3, 3i, Transform2D
    14, 15, 16, 17, 18, 20, // Plane, Quaternion, AABB, Basis, Transform, Color
    22, 23, 24, 21, 27, 28, // NodePath, RID, Object, StringName, Dictionary, Array
    29, 30, 32, 34, // pools of bytes, ints, reals, strings
    35, VECTOR2I_ARRAY, 36, VECTOR3I_ARRAY, 37,
];
