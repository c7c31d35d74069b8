//! Makes engine values of every kind, once, and compares the layout with them.
//!
//! Of Variants only their own memory is read, in any version. Arrays and Strings are looked at in versions whose sources
//! were read, so the sizes of an Array's private data and of a block's header are known.

use godot::builtin::{
    Array, GString, PackedByteArray, PackedColorArray, PackedFloat32Array, PackedFloat64Array, PackedInt32Array,
    PackedInt64Array, PackedStringArray, PackedVector2Array, PackedVector3Array, PackedVector4Array, Projection,
    VarArray, Variant, Vector4,
};
use godot::classes::RefCounted;
use godot::init::GdextBuild;
use godot::meta::ToGodot;
use godot::obj::{Gd, NewGd};
use godot::sys::{self, GodotFfi};
use varbatch_codec::Kind;

use super::memory::EngineMemory;
use super::seen::{SeenBlock, SeenVariant, blocks_are_as_seen, element_types_are_as_seen, variant_is_as_seen};
use super::{Layout, MAY_LOOK, Part, blocks, was_read};
use crate::engine::ffi::{default_value, sys_type};

// SAFETY: only addresses that the engine returned, of values that are alive, are looked at here.
const MEMORY: EngineMemory = unsafe { EngineMemory::new() };

impl Layout {
    /// Compares the layout with the engine.
    pub fn of(interface: &sys::GDExtensionInterface) -> Self {
        let (major, minor, _) = GdextBuild::godot_runtime_version_triple();
        let reads_variants = MAY_LOOK && types_are_as_expected(interface) && variants_are_as_expected(interface);
        let is_known = reads_variants && was_read(Part::Arrays, (major, minor)) && arrays_are_as_expected(interface);
        Self { reads_variants, is_known, makes_blocks: is_known && blocks::are_taken(interface) }
    }
}

/// True if the type ids are those of [`Kind`].
fn types_are_as_expected(interface: &sys::GDExtensionInterface) -> bool {
    Kind::ALL.into_iter().all(|kind| {
        let mut name = GString::new();
        // SAFETY: an empty String owns nothing, so it may be overwritten.
        unsafe { (interface.variant_get_type_name)(sys_type(kind), name.string_sys_mut().cast()) };
        name == kind.name()
    })
}

/// True if Variants have their value at the expected offset: new ones, and ones that held another value before.
fn variants_are_as_expected(interface: &sys::GDExtensionInterface) -> bool {
    let is_as_expected = |pointer: sys::GDExtensionVariantPtr, kind: Kind, is_default: bool| {
        let getter = (kind != Kind::Nil).then(|| {
            // SAFETY: the id is that of a Variant type.
            unsafe { (interface.variant_get_ptr_internal_getter)(sys_type(kind)) }
        });
        // SAFETY: the getter is that of the Variant's type.
        let inner = getter.flatten().map(|getter| unsafe { getter(pointer) } as usize);
        (kind == Kind::Nil || inner.is_some())
            && variant_is_as_seen(&MEMORY, SeenVariant { kind, at: pointer as usize, inner, is_default })
    };
    let defaults = Kind::ALL.map(|kind| default_value(interface, kind));
    // Values that leave old bytes in the Variant: inline, by pointer, and reference-counted ones.
    let before = [
        Vector4::new(1.0, 2.0, 3.0, 4.0).to_variant(),
        Projection::IDENTITY.to_variant(),
        "text".to_variant(),
        PackedByteArray::from([1, 2, 3]).to_variant(),
        RefCounted::new_gd().to_variant(),
    ];
    let mut used = VarArray::new();
    used.resize(1, &Variant::nil());
    Kind::ALL.into_iter().zip(&defaults).all(|(kind, value)| {
        let mut new = value.clone();
        is_as_expected(new.var_sys_mut(), kind, true)
            && before.iter().all(|before| {
                used.fill(before);
                used.fill(value);
                // SAFETY: the array has an element 0. The getters take a mutable pointer but only read.
                let assigned = unsafe { (interface.array_operator_index_const)(used.sys(), 0) };
                is_as_expected(assigned.cast(), kind, false)
            })
    })
}

/// Sizes of the arrays and Strings that are checked.
const COUNTS: [usize; 6] = [0, 1, 2, 3, 40, 500];

/// True if arrays and Strings have their elements, the header before them, and their type at the expected offsets.
fn arrays_are_as_expected(interface: &sys::GDExtensionInterface) -> bool {
    macro_rules! packed {
        ($($array:ident)*) => {
            COUNTS.into_iter().all(|count| true $(&& {
                let mut array = $array::new();
                array.resize(count);
                let mut shared = array.clone();
                let seen = |array: &$array, references| SeenBlock {
                    kind: Kind::$array,
                    inner: array.sys() as usize,
                    first: array.as_slice().as_ptr() as usize,
                    count,
                    references,
                    element: Kind::Nil,
                };
                blocks_are_as_seen(&MEMORY, &[seen(&array, 2), seen(&shared, 2)]) && {
                    // Writing to one of the two copies it.
                    shared.as_mut_slice();
                    blocks_are_as_seen(&MEMORY, &[seen(&array, 1), seen(&shared, 1)])
                }
            })*)
        };
    }
    packed! {
        PackedByteArray PackedInt32Array PackedInt64Array PackedFloat32Array PackedFloat64Array PackedStringArray
        PackedVector2Array PackedVector3Array PackedColorArray PackedVector4Array
    }
    .then(|| strings_are_as_expected() && var_arrays_are_as_expected(interface))
    .unwrap_or_default()
}

fn strings_are_as_expected() -> bool {
    // Not 0: an empty String may have a NUL or no block.
    COUNTS.into_iter().skip(1).all(|count| {
        let string = GString::from(&"x".repeat(count));
        let first = string.chars().as_ptr() as usize;
        let inner = string.sys() as usize;
        let shared = string.clone();
        let seen = SeenBlock { kind: Kind::String, inner, first, count: count + 1, references: 2, element: Kind::Nil };
        let is_good = blocks_are_as_seen(&MEMORY, &[seen, SeenBlock { inner: shared.sys() as usize, ..seen }]);
        drop(shared);
        is_good && blocks_are_as_seen(&MEMORY, &[SeenBlock { references: 1, ..seen }])
    })
}

/// True if Arrays are as expected: untyped, typed by kind and by class, shared, and read-only.
fn var_arrays_are_as_expected(interface: &sys::GDExtensionInterface) -> bool {
    let seen = |array: sys::GDExtensionConstTypePtr, count: usize, element: Kind| {
        // SAFETY: the array is alive and has an element 0, as `count` > 0.
        let first = (count > 0).then(|| unsafe { (interface.array_operator_index_const)(array, 0) as usize });
        let first = first.unwrap_or_default();
        SeenBlock { kind: Kind::Array, inner: array as usize, first, count, references: 1, element }
    };
    COUNTS.into_iter().all(|count| {
        let mut any = VarArray::new();
        any.resize(count, &Variant::nil());
        // Another reference to the same private data.
        let same = any.clone();
        let mut ints = Array::<i64>::new();
        ints.resize(count, 7);
        let mut texts = Array::<GString>::new();
        texts.resize(count, &GString::from("text"));
        let mut bytes = Array::<PackedByteArray>::new();
        bytes.resize(count, &PackedByteArray::new());
        let read_only = bytes.duplicate_shallow().into_read_only();
        let objects = Array::<Option<Gd<RefCounted>>>::new();
        let arrays = [
            seen(any.sys(), count, Kind::Nil),
            seen(same.sys(), count, Kind::Nil),
            seen(ints.sys(), count, Kind::Int),
            seen(texts.sys(), count, Kind::String),
            // Two Arrays that share elements until one of them is written to.
            SeenBlock { references: 2, ..seen(bytes.sys(), count, Kind::PackedByteArray) },
            SeenBlock { references: 2, ..seen(read_only.sys(), count, Kind::PackedByteArray) },
            seen(objects.sys(), 0, Kind::Object),
        ];
        blocks_are_as_seen(&MEMORY, &arrays) && element_types_are_as_seen(&MEMORY, &arrays)
    })
}
