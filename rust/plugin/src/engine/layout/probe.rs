//! Compares the layout with the engine, once.

use std::mem::MaybeUninit;

use godot::builtin::{
    Array, GString, PackedByteArray, PackedColorArray, PackedFloat32Array, PackedFloat64Array, PackedInt32Array,
    PackedInt64Array, PackedStringArray, PackedVector2Array, PackedVector3Array, PackedVector4Array, VarArray, Variant,
};
use godot::init::GdextBuild;
use godot::sys::{self, GodotFfi};
use varbatch_codec::Kind;

use super::super::{default_value, sys_type};
use super::{Header, Layout, POINTED_TO, block, element_id, is_empty_zero, place};

impl Layout {
    /// Compares what stands here with the engine.
    pub fn of(interface: &sys::GDExtensionInterface) -> Self {
        let is_known = !cfg!(feature = "no-engine-internals")
            && Kind::ALL.into_iter().all(|kind| variant_is_as_expected(interface, kind))
            && arrays_are_as_expected(interface);
        let (major, minor, _) = GdextBuild::godot_runtime_version_triple();
        Self { is_known, makes_blocks: is_known && (major, minor) == (4, 6) }
    }
}

/// Whether a Variant of this kind has its id and its value where they should be.
fn variant_is_as_expected(interface: &sys::GDExtensionInterface, kind: Kind) -> bool {
    let mut variant = default_value(interface, kind);
    let pointer = variant.var_sys_mut();
    // SAFETY: a Variant has three words and more in every engine, which are read as integers; nothing that they may point
    // to is looked at.
    let [id, second, third] = unsafe { *pointer.cast::<[usize; 3]>() };
    if id as u32 != u32::from(kind.id()) || kind == Kind::Nil {
        return id as u32 == u32::from(kind.id());
    }
    if is_empty_zero(kind) && (second, third) != (0, 0) {
        return false;
    }
    // SAFETY: the getter is that of the Variant's type.
    let found =
        unsafe { (interface.variant_get_ptr_internal_getter)(sys_type(kind)).map(|getter| getter(pointer) as usize) };
    let place = place(kind);
    let start = if place & POINTED_TO == 0 { pointer as usize } else { second };
    found == Some(start + usize::from(place & !POINTED_TO))
}

/// Whether arrays and Strings have their elements, and the header before them, where they should be.
fn arrays_are_as_expected(interface: &sys::GDExtensionInterface) -> bool {
    const COUNTS: [usize; 6] = [0, 1, 2, 3, 40, 1000];
    macro_rules! packed {
        ($($kind:ident $array:ident)*) => {
            COUNTS.into_iter().all(|count| true $(&& {
                let mut array = $array::new();
                array.resize(count);
                let shared = (count % 2 == 0).then(|| array.clone());
                block_is_as_expected(Kind::$kind, array.sys(), array.as_slice().as_ptr().cast(), count, shared.is_some())
            })*)
        };
    }
    let packed = packed! {
        PackedByteArray PackedByteArray PackedInt32Array PackedInt32Array PackedInt64Array PackedInt64Array
        PackedFloat32Array PackedFloat32Array PackedFloat64Array PackedFloat64Array PackedStringArray PackedStringArray
        PackedVector2Array PackedVector2Array PackedVector3Array PackedVector3Array PackedColorArray PackedColorArray
        PackedVector4Array PackedVector4Array
    };
    packed
        && COUNTS.into_iter().all(|count| {
            let string = GString::from(&"x".repeat(count));
            let chars = string.chars().as_ptr().cast();
            // An empty one has a NUL, or nothing.
            count == 0 || block_is_as_expected(Kind::String, string.sys(), chars, count + 1, false)
        })
        && COUNTS.into_iter().all(|count| {
            let mut array = VarArray::new();
            array.resize(count, &Variant::nil());
            // SAFETY: the array is alive; one that has no element 0 is not asked for it.
            let first = unsafe {
                match count {
                    0 => std::ptr::null(),
                    _ => (interface.array_operator_index_const)(array.sys(), 0),
                }
            };
            block_is_as_expected(Kind::Array, array.sys(), first.cast(), count, false)
        })
        && [
            (VarArray::new().sys(), Kind::Nil),
            (Array::<i64>::new().sys(), Kind::Int),
            (Array::<GString>::new().sys(), Kind::String),
            (Array::<PackedByteArray>::new().sys(), Kind::PackedByteArray),
        ]
        .into_iter()
        .all(|(array, kind)| {
            // SAFETY: the private data of an Array is more than four words in every engine, of which one is read as an integer.
            unsafe { element_id(array.cast_mut()) == u32::from(kind.id()) }
        })
}

/// `first` is where the engine has the elements.
fn block_is_as_expected(
    kind: Kind,
    array: sys::GDExtensionConstTypePtr,
    first: *const u8,
    count: usize,
    is_shared: bool,
) -> bool {
    // SAFETY: each of these values is that many words in every engine, and the private data of an Array more than three;
    // they are read as integers.
    let data = unsafe { *block(kind, array.cast_mut()) };
    if count == 0 {
        return data.is_null();
    }
    if data.cast_const() != first {
        return false;
    }
    // SAFETY: before the elements is a header in every engine, and before that what the allocator keeps: memory that may
    // be read, as integers.
    let header = unsafe { data.cast::<Header>().sub(1).cast::<MaybeUninit<[u64; 3]>>().read().assume_init() };
    header[0] == 1 + u64::from(is_shared) && header[1] >= count as u64 && header[2] == count as u64
}
