//! How the engine keeps values in memory, where it was seen to do so.
//!
//! GDExtension has a call for each look at a value: its type, where it is, how long it is, where its elements are. Each
//! takes 2 to 5 ns, which for a small value or a text is more than all else. What those calls do is to read a few
//! words. The words stand here, as Godot 4.6 has them (`core/variant/variant.h`, `core/variant/array.cpp`,
//! `core/templates/cowdata.h`). That is no promise of GDExtension. So it is compared with what the engine's own
//! functions say, for each type, when the library is loaded: `probe` and `dictionaries` ask, `seen` compares, `blocks`
//! lets the engine use what is made here. In an engine that has it otherwise, and in versions whose sources were not
//! read, the calls are made.

mod blocks;
pub mod dictionaries;
pub mod entry;
mod memory;
mod probe;
mod seen;
#[cfg(test)]
#[path = "../../../tests/unit/layout.rs"]
mod tests;

use godot::builtin::Variant;
use godot::sys;
use varbatch_codec::{Kind, Shape};

use super::ffi::{FromType, Inner, is_packed};

/// What was seen of this engine.
#[derive(Clone, Copy)]
pub struct Layout {
    /// Whether all that stands here holds for it, so that values may be read and written in place.
    pub is_known: bool,
    /// Whether blocks may be made here as well: the engine was seen to resize and to free some.
    pub makes_blocks: bool,
}

/// Bytes of a Variant before its value: an id of 32 bits, and padding.
const VALUE_AT: usize = 8;

/// Bytes of a value in a Variant.
pub const VALUE_LEN: usize = size_of::<Variant>() - VALUE_AT;

/// Where the value of a Variant is: this many bytes from its start, or, with [`POINTED_TO`], from the start of what its
/// second word points to.
const fn place(kind: Kind) -> u8 {
    match kind {
        Kind::Transform2D | Kind::Aabb | Kind::Basis | Kind::Transform3D | Kind::Projection => POINTED_TO,
        // Behind a table of functions and a count of references.
        _ if is_packed(kind) => POINTED_TO | 16,
        // Behind its id.
        Kind::Object => VALUE_AT as u8 + 8,
        _ => VALUE_AT as u8,
    }
}

const POINTED_TO: u8 = 1 << 7;

const PLACES: &[u8; Kind::ALL.len()] = &{
    let mut places = [0; Kind::ALL.len()];
    let mut id = 0;
    while id < places.len() {
        places[id] = place(Kind::ALL[id]);
        id += 1;
    }
    places
};

/// Whether values of this kind lie in their Variant, and own nothing.
pub const fn is_bare(kind: Kind) -> bool {
    let is_small = matches!(
        kind.shape(),
        Shape::Nil | Shape::Bool | Shape::Int | Shape::Float | Shape::Rid | Shape::Components { .. }
    );
    is_small && place(kind) & POINTED_TO == 0
}

/// Whether an empty value of this kind is nothing but zeros, in its Variant.
pub const fn is_empty_zero(kind: Kind) -> bool {
    matches!(kind, Kind::String | Kind::Callable | Kind::Signal)
}

const BARE: u64 = {
    let (mut bits, mut id) = (0, 0);
    while id < Kind::ALL.len() {
        bits |= (is_bare(Kind::ALL[id]) as u64) << id;
        id += 1;
    }
    bits
};

/// The id of the type of a Variant.
///
/// # Safety
/// The layout is known, and the Variant alive.
#[inline(always)]
pub unsafe fn id(variant: sys::GDExtensionConstVariantPtr) -> u32 {
    // SAFETY: a Variant begins with its id.
    unsafe { *variant.cast::<u32>() }
}

/// Where the value of a Variant of this kind is.
///
/// # Safety
/// As [`id`].
#[inline(always)]
pub unsafe fn inner(kind: Kind, variant: sys::GDExtensionVariantPtr) -> Inner {
    let place = PLACES[usize::from(kind.id())];
    // SAFETY: a Variant has two words and more; of these kinds the second is a pointer.
    unsafe {
        let start = if place & POINTED_TO == 0 { variant.cast() } else { *variant.cast::<*mut u8>().add(1) };
        start.wrapping_add(usize::from(place & !POINTED_TO)).cast()
    }
}

/// Whether a Variant owns nothing, so that it may be forgotten.
///
/// # Safety
/// As [`id`].
#[inline(always)]
pub unsafe fn owns_nothing(variant: sys::GDExtensionConstVariantPtr) -> bool {
    // SAFETY: promised by the caller.
    let id = unsafe { id(variant) };
    // A type that is not known here may own something.
    BARE.checked_shr(id).unwrap_or(0) & 1 == 1
}

/// Makes memory a Variant.
///
/// # Safety
/// The layout is known. `variant` points to the memory of a Variant, whose value, if it has one, may be forgotten.
/// Values of `kind` lie in their Variant, as `T`.
#[inline(always)]
pub unsafe fn write<T>(variant: *mut Variant, kind: Kind, value: T) {
    const { assert!(size_of::<T>() <= VALUE_LEN && align_of::<T>() <= VALUE_AT) }
    // SAFETY: the memory is large enough for both, and aligned for them.
    unsafe {
        variant.cast::<u32>().write(kind.id().into());
        variant.cast::<u8>().add(VALUE_AT).cast::<T>().write(value);
    }
}

/// What lies before the elements of an array and the characters of a String.
#[repr(C)]
struct Header {
    references: u64,
    /// In elements, as `size`.
    capacity: u64,
    size: u64,
    _padding: u64,
}

/// Where the private data of an Array has the pointer to its elements, behind a count of references and an empty
/// member; and the type of the elements, behind that and a pointer.
const ARRAY_BLOCK_AT: usize = 16;
const ARRAY_TYPE_AT: usize = 32;

/// Where a packed array, a String or an Array has the pointer to its elements.
///
/// # Safety
/// The layout is known. `inner` points to a value of `kind`, one of those.
#[inline(always)]
unsafe fn block(kind: Kind, inner: Inner) -> *mut *mut u8 {
    // SAFETY: an Array is a pointer to its private data, and a packed array has an empty member before the pointer.
    unsafe {
        match kind {
            Kind::Array => (*inner.cast::<*mut u8>()).add(ARRAY_BLOCK_AT).cast(),
            Kind::String => inner.cast(),
            _ => inner.cast::<*mut u8>().add(1),
        }
    }
}

/// The elements of a packed array or an Array, or the characters of a String with its NUL: where they are, and how
/// many.
///
/// # Safety
/// As [`block`].
#[inline(always)]
pub unsafe fn elements(kind: Kind, inner: Inner) -> (*const u8, usize) {
    // SAFETY: promised by the caller; a pointer that is not null has a header before what it points to.
    unsafe {
        let data = *block(kind, inner);
        if data.is_null() {
            return (std::ptr::null(), 0);
        }
        (data, (*data.cast::<Header>().sub(1)).size as usize)
    }
}

/// The id of the type of an Array's elements.
///
/// # Safety
/// As [`block`], for an Array.
#[inline(always)]
pub unsafe fn element_id(array: Inner) -> u32 {
    // SAFETY: an Array is a pointer to its private data.
    unsafe { (*array.cast::<*const u8>()).add(ARRAY_TYPE_AT).cast::<u32>().read() }
}

/// A block of `count` elements without a value, in an array or String that has none.
///
/// # Safety
/// The layout is known. `inner` points to an empty value of `kind`, a packed array, a String or an Array, that nobody
/// else uses. All elements must be given a value before anyone else sees it.
#[inline]
pub unsafe fn new_block_in(
    interface: &sys::GDExtensionInterface,
    kind: Kind,
    inner: Inner,
    count: usize,
    element_len: usize,
) -> *mut u8 {
    let data = new_block(interface, count, element_len);
    // SAFETY: as promised; it is empty, so that nothing is lost.
    unsafe { *block(kind, inner) = data };
    data
}

/// A packed array with a block of `count` elements without a value, put where a new Variant is to be.
///
/// # Safety
/// The layout is known. `variant` points to the memory of a Variant that may be forgotten. All elements must be given
/// a value before anyone else sees it.
#[inline]
pub unsafe fn new_packed(
    interface: &sys::GDExtensionInterface,
    variant: sys::GDExtensionUninitializedVariantPtr,
    from_type: FromType,
    count: usize,
    element_len: usize,
) -> *mut u8 {
    let data = new_block(interface, count, element_len);
    let mut array = [std::ptr::null_mut(), data];
    // SAFETY: `array` is a packed array of one reference. The Variant takes a second; the first ends with `array`.
    unsafe {
        from_type(variant, array.as_mut_ptr().cast());
        (*data.cast::<Header>().sub(1)).references = 1;
    }
    data
}

fn new_block(interface: &sys::GDExtensionInterface, count: usize, element_len: usize) -> *mut u8 {
    assert!(count > 0, "an empty array has no block");
    // As the engine does it: never less than two.
    let capacity = count.max(2);
    let len = capacity.checked_mul(element_len).and_then(|len| len.checked_add(size_of::<Header>()));
    // SAFETY: any length may be asked for.
    let header: *mut Header = unsafe { (interface.mem_alloc)(len.expect("lengths are 32-bit")).cast() };
    assert!(!header.is_null(), "out of memory");
    // SAFETY: the memory is large enough for a header, and aligned as malloc aligns.
    unsafe {
        header.write(Header { references: 1, capacity: capacity as u64, size: count as u64, _padding: 0 });
        header.add(1).cast()
    }
}
