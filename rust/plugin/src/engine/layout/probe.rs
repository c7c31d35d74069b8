//! Makes engine values of every kind, once, and compares the layout with them; makes blocks, and lets the engine use them.

use godot::builtin::{
    Array, GString, PackedArray, PackedByteArray, Projection, Signal, StringName, VarArray, Variant, Vector4,
};
use godot::classes::{Engine, Object, RefCounted};
use godot::meta::{PackedElement, ToGodot};
use godot::obj::{Gd, NewGd, Singleton};
use godot::sys::{self, GodotFfi};
use varbatch_codec::Kind;

use super::seen::{SeenBlock, SeenVariant, Words, blocks_are_as_seen, element_types_are_as_seen, variant_is_as_seen};
use super::{new_block_in, new_packed};
use crate::engine::ffi::{Interface, default_value, sys_type};

pub struct EngineMemory(());

/// Only for [`seen`](super::seen), which gets the engine's answers about living values, in a version that was read.
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

/// True if values of every kind, packed arrays, Strings, Arrays and Signals are where the layout has them.
pub fn is_as_expected(interface: &Interface) -> bool {
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
fn types_are_as_expected(interface: &Interface) -> bool {
    Kind::ALL.into_iter().all(|kind| {
        let mut name = GString::new();
        // SAFETY: an empty String owns nothing, so it may be overwritten.
        unsafe { (interface.variant_get_type_name)(sys_type(kind), name.string_sys_mut().cast()) };
        name == kind.name()
    })
}

/// True if Variants have their value at the expected offset: new ones, and ones that held another value before.
fn variants_are_as_expected(interface: &Interface) -> bool {
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
fn seen_packed<T: PackedElement>(kind: Kind, array: &PackedArray<T>, references: u64) -> SeenBlock {
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
fn arrays_are_as_expected(interface: &Interface, count: usize) -> bool {
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

/// Element counts of the blocks: the minimum, and enough that the engine moves a block that grows.
const BLOCK_COUNTS: [usize; 2] = [1, 300];

/// Element count to which the blocks grow.
const LARGE: usize = 700;

/// Makes a few test blocks with `layout` and lets the engine read, share, resize and free them: only if all of that works
/// are blocks used for results. True if the engine treats those of each kind like its own. The rest of the layout must be known.
pub fn blocks_are_taken(interface: &Interface) -> bool {
    BLOCK_COUNTS.into_iter().all(|count| {
        all_packed!(packed_is_taken(interface, count))
            && string_is_taken(interface, count)
            && array_is_taken(interface, count)
    })
}

fn packed_is_taken<T: PackedElement + Default>(kind: Kind, interface: &Interface, count: usize) -> bool {
    let bytes = |array: &PackedArray<T>| -> Vec<u8> {
        let slice = array.as_slice();
        // SAFETY: the elements have no padding; Strings are read as pointers, which are null.
        unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), size_of_val(slice)) }.to_vec()
    };
    let element_len = size_of::<T>();
    let pattern: Vec<u8> = match kind {
        Kind::PackedStringArray => vec![0; count * element_len],
        _ => (0..count * element_len).map(|at| at as u8 % 101).collect(),
    };
    let mut array = PackedArray::<T>::new();
    // SAFETY: the layout is known. The array is empty, and all elements are written: null is an empty String. The memory of
    // the Variant holds no value, so nothing is lost.
    let (first, variant) = unsafe {
        let first = new_block_in(interface, kind, array.sys_mut(), count, element_len);
        first.copy_from_nonoverlapping(pattern.as_ptr(), pattern.len());
        let variant = Variant::new_with_var_uninit(|variant| {
            let from_type = (interface.get_variant_from_type_constructor)(sys_type(kind));
            let data = new_packed(interface, variant, from_type.expect("each type has one"), count, element_len);
            data.copy_from_nonoverlapping(pattern.as_ptr(), pattern.len());
        });
        (first, variant)
    };
    let is_first = array.as_slice().as_ptr().cast::<u8>() == first.cast_const();
    let is_read = is_first && array.len() == count && bytes(&array) == pattern;
    let is_seen = |array: &_, references| blocks_are_as_seen(&MEMORY, &[seen_packed(kind, array, references)]);
    let is_alone = is_seen(&array, 1);
    let shared = array.clone();
    let is_shared = is_seen(&array, 2) && is_seen(&shared, 2);
    drop(shared);
    let copied = variant.to::<PackedArray<T>>();
    drop(variant);
    let is_good = is_read && is_alone && is_shared && is_seen(&array, 1) && bytes(&copied) == pattern;
    is_good
        && [array, copied].into_iter().all(|mut array| {
            array.extend_array(&PackedArray::from([T::default()]));
            let has_grown = array.len() == count + 1 && bytes(&array).starts_with(&pattern);
            array.resize(LARGE);
            let is_large = array.len() == LARGE && bytes(&array).starts_with(&pattern);
            array.resize(1);
            let is_small = array.len() == 1 && pattern.starts_with(&bytes(&array));
            array.clear();
            has_grown && is_large && is_small && array.is_empty()
        })
}

fn string_is_taken(interface: &Interface, count: usize) -> bool {
    let mut string = GString::new();
    // SAFETY: the layout is known, and the String is empty. All of its characters are written, and the last is a NUL.
    unsafe {
        let chars = new_block_in(interface, Kind::String, string.sys_mut(), count + 1, 4).cast::<u32>();
        (0..count).for_each(|at| chars.add(at).write(u32::from('a')));
        chars.add(count).write(0);
    }
    let text = "a".repeat(count);
    let is_read = string == GString::from(&text) && string.len() == count;
    // SAFETY: the String is alive. `string_resize` counts the NUL, so all indices up to `LARGE` exist; the new
    // characters and the NUL are written before they are read.
    let is_large = unsafe {
        let resized = (interface.string_resize)(string.string_sys_mut(), LARGE as i64 + 1) == 0;
        (count..=LARGE).for_each(|at| *(interface.string_operator_index)(string.string_sys_mut(), at as i64) = 0);
        resized
            && (0..count as i64)
                .all(|at| *(interface.string_operator_index_const)(string.string_sys(), at) == u32::from('a'))
    };
    is_read && is_large
}

fn array_is_taken(interface: &Interface, count: usize) -> bool {
    let mut array = VarArray::new();
    // SAFETY: the layout is known, and the Array is empty. All elements are set to zeros, which are nil.
    unsafe {
        let elements = new_block_in(interface, Kind::Array, array.sys_mut(), count, size_of::<Variant>());
        elements.write_bytes(0, count * size_of::<Variant>());
    }
    let is_read = array.len() == count && array.iter_shared().all(|element| element.is_nil());
    array.set(count - 1, &Variant::from("text"));
    let copied = array.duplicate_shallow();
    array.push(&Variant::from(7));
    let has_grown = array.len() == count + 1 && array.at(count - 1) == Variant::from("text");
    array.resize(LARGE, &Variant::nil());
    let is_large = array.at(count - 1) == Variant::from("text") && array.at(LARGE - 1).is_nil();
    array.clear();
    is_read && has_grown && is_large && array.is_empty() && copied.len() == count
}
