//! Makes a few test blocks with `layout` and lets the engine read, share, resize and free them. Only if all of that
//! works are blocks used for results.

use godot::builtin::{GString, PackedArray, VarArray, Variant};
use godot::meta::PackedElement;
use godot::sys::{self, GodotFfi};
use varbatch_codec::Kind;

use super::probe::{MEMORY, all_packed, seen_packed};
use super::seen::blocks_are_as_seen;
use super::{new_block_in, new_packed};
use crate::engine::ffi::sys_type;

/// Element counts of the blocks: the minimum, and enough that the engine moves a block that grows.
const COUNTS: [usize; 2] = [1, 300];

/// Element count to which the blocks grow.
const LARGE: usize = 700;

/// True if the engine treats blocks of each kind like its own. The rest of the layout must be known.
pub fn are_taken(interface: &sys::GDExtensionInterface) -> bool {
    COUNTS.into_iter().all(|count| {
        all_packed!(packed_is_taken(interface, count))
            && string_is_taken(interface, count)
            && array_is_taken(interface, count)
    })
}

fn packed_is_taken<T: PackedElement + Default>(
    kind: Kind,
    interface: &sys::GDExtensionInterface,
    count: usize,
) -> bool {
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

fn string_is_taken(interface: &sys::GDExtensionInterface, count: usize) -> bool {
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

fn array_is_taken(interface: &sys::GDExtensionInterface, count: usize) -> bool {
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
