//! Makes engine values of every kind, once, and compares the layout with them.

use godot::builtin::{
    Array, GString, PackedArray, PackedByteArray, Projection, Signal, StringName, VarArray, Variant, Vector4,
};
use godot::classes::{Engine, Object, RefCounted};
use godot::meta::{PackedElement, ToGodot};
use godot::obj::{Gd, NewGd, Singleton};
use godot::sys::{self, GodotFfi};
use varbatch_codec::Kind;

use super::seen::{SeenBlock, SeenVariant, Words, blocks_are_as_seen, element_types_are_as_seen, variant_is_as_seen};
use crate::engine::ffi::{default_value, sys_type};

/// The engine's memory.
pub struct EngineMemory(());

/// Only for [`seen`](super::seen), which gets the engine's own answers about values that are alive, in a version that may
/// be looked at.
pub const MEMORY: EngineMemory = EngineMemory(());

impl Words for EngineMemory {
    fn word(&self, at: usize) -> u64 {
        // SAFETY: `seen` reads only words of the caller's own memory, words at addresses that the engine returned, and
        // words next to those that were as expected. In the probed versions, such neighbours belong to the same block
        // of memory. Any bit pattern is a valid integer.
        unsafe { *(at as *const u64) }
    }
}

/// Calls a function for each type of packed array, with its kind, until one returns `false`.
macro_rules! all_packed {
    ($check:ident($($arg:expr),*)) => {{
        use godot::builtin::{Color, GString, Vector2, Vector3, Vector4};
        use varbatch_codec::Kind;
        $check::<u8>(Kind::PackedByteArray, $($arg),*)
            && $check::<i32>(Kind::PackedInt32Array, $($arg),*)
            && $check::<i64>(Kind::PackedInt64Array, $($arg),*)
            && $check::<f32>(Kind::PackedFloat32Array, $($arg),*)
            && $check::<f64>(Kind::PackedFloat64Array, $($arg),*)
            && $check::<GString>(Kind::PackedStringArray, $($arg),*)
            && $check::<Vector2>(Kind::PackedVector2Array, $($arg),*)
            && $check::<Vector3>(Kind::PackedVector3Array, $($arg),*)
            && $check::<Color>(Kind::PackedColorArray, $($arg),*)
            && $check::<Vector4>(Kind::PackedVector4Array, $($arg),*)
    }};
}
pub(super) use all_packed;

/// True if values of every kind, packed arrays, Strings, Arrays and Signals are where the layout has them.
pub fn is_as_expected(interface: &sys::GDExtensionInterface) -> bool {
    types_are_as_expected(interface)
        && variants_are_as_expected(interface)
        && COUNTS.into_iter().all(|count| {
            all_packed!(packed_is_as_expected(count))
                && string_is_as_expected(count)
                && arrays_are_as_expected(interface, count)
        })
        && signals_are_as_expected()
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

/// What the engine says about a packed array.
pub fn seen_packed<T: PackedElement>(kind: Kind, array: &PackedArray<T>, references: u64) -> SeenBlock {
    let (inner, first) = (array.sys() as usize, array.as_slice().as_ptr() as usize);
    SeenBlock { kind, inner, first, count: array.len(), references, element: Kind::Nil }
}

/// True if a packed array has its elements and the header before them at the expected offsets, alone and shared.
fn packed_is_as_expected<T: PackedElement>(kind: Kind, count: usize) -> bool {
    let mut array = PackedArray::<T>::new();
    array.resize(count);
    let mut shared = array.clone();
    let both = |array: &_, shared: &_, references| {
        let seen = [seen_packed(kind, array, references), seen_packed(kind, shared, references)];
        blocks_are_as_seen(&MEMORY, &seen)
    };
    array.len() == count && both(&array, &shared, 2) && {
        // Writing to one of the two copies it.
        shared.as_mut_slice();
        both(&array, &shared, 1)
    }
}

/// True if a String has its characters and the header before them at the expected offsets, alone and shared.
fn string_is_as_expected(len: usize) -> bool {
    let string = GString::from(&"x".repeat(len));
    let first = string.chars().as_ptr() as usize;
    let shared = string.clone();
    let seen = |string: &GString, references| {
        let inner = string.sys() as usize;
        SeenBlock { kind: Kind::String, inner, first, count: len + 1, references, element: Kind::Nil }
    };
    // An empty String may have a NUL or no block.
    len == 0
        || blocks_are_as_seen(&MEMORY, &[seen(&string, 2), seen(&shared, 2)]) && {
            drop(shared);
            blocks_are_as_seen(&MEMORY, &[seen(&string, 1)])
        }
}

/// True if Arrays are as expected: untyped, typed by kind and by class, shared, and read-only.
fn arrays_are_as_expected(interface: &sys::GDExtensionInterface, count: usize) -> bool {
    let seen = |array: sys::GDExtensionConstTypePtr, count: usize, element: Kind| {
        // SAFETY: the array is alive and has an element 0, as `count` > 0.
        let first = (count > 0).then(|| unsafe { (interface.array_operator_index_const)(array, 0) as usize });
        let first = first.unwrap_or_default();
        SeenBlock { kind: Kind::Array, inner: array as usize, first, count, references: 1, element }
    };
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
}

/// True if a Signal has its name and the id of its object as [`super::SignalParts`] has them.
fn signals_are_as_expected() -> bool {
    let (object, name) = (Engine::singleton().upcast::<Object>(), StringName::from("script_changed"));
    let signal = Signal::from_object_signal(&object, &name);
    let words = signal.sys() as usize;
    // A StringName is one pointer; equal names have equal pointers.
    MEMORY.word(words) == MEMORY.word(name.string_sys() as usize)
        && MEMORY.word(words + 8).cast_signed() == object.instance_id().to_i64()
}
