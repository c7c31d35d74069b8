//! Reads and writes the engine's memory layout of values, in engines where it was verified.
//!
//! A GDExtension call for a few words takes longer than all other work on a small value. So this module reads them,
//! with the layout of Godot 4.6 and 4.7 (`core/variant/variant.h`, `array.cpp`, `core/templates/cowdata.h`). `probe`
//! first compares it, and blocks made here, with the engine's functions: if any differ, all calls are made.
//!
//! **Nothing is read that the engine may not have.** Reading past the end of what a pointer leads to could crash. So a
//! version is looked at only if it [`was_read`], and the words next to an address that the engine returned are compared
//! first: where blocks are smaller, one of them differs before anything outside its block is read. They are in every
//! block: the size is next to the elements, an Array's private data has three words, and a Dictionary's has five.

mod probe;
mod seen;
#[cfg(test)]
#[path = "../../../tests/unit/layout.rs"]
mod tests;

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use godot::builtin::{StringName, Variant};
use godot::init::GdextBuild;
use godot::sys;
use varbatch_codec::{Kind, Shape};

use super::{Inner, api, is_packed, memory};

/// True if this library may look at the engine's memory: it knows engines with 64 bits, and those in browsers, with 32.
const MAY_LOOK: bool =
    cfg!(all(any(target_pointer_width = "64", target_family = "wasm"), not(feature = "no-engine-internals")));

/// True if the sources of this version, major and minor, were read: what pointers lead to is at least as large there as
/// what is read of it, whatever a probe would find. Before 4.6 the header of an array has 16 bytes instead of 32.
const fn was_read(version: (u8, u8)) -> bool {
    matches!(version, (4, 6 | 7))
}

static IS_KNOWN: AtomicBool = AtomicBool::new(false);

/// True if this engine has the layout of this module, so that values may be read, written and made in place.
#[inline(always)]
pub fn is_known() -> bool {
    MAY_LOOK && IS_KNOWN.load(Ordering::Relaxed)
}

static WHY_NOT: OnceLock<&str> = OnceLock::new();

/// Looks at the engine. Until then, and if anything differs, the layout is not known.
pub fn look() {
    let (major, minor, _) = GdextBuild::godot_runtime_version_triple();
    let why_not = if !MAY_LOOK {
        "this library never looks at it"
    } else if !was_read((major, minor)) {
        "it is not known of this version"
    } else if !(probe::is_as_expected() && probe::blocks_are_taken()) {
        "it is not as in other engines of this version"
    } else {
        return IS_KNOWN.store(true, Ordering::Relaxed);
    };
    WHY_NOT.get_or_init(|| why_not);
}

pub fn why_not_known() -> Option<&'static str> {
    WHY_NOT.get().copied()
}

const WORD: usize = size_of::<usize>();

/// Offset of the value in a Variant: a 32-bit type id and padding come first.
const VALUE_AT: usize = 8;

pub const VALUE_LEN: usize = size_of::<Variant>() - VALUE_AT;

/// Returns a value's offset in bytes, from the start of the Variant or, if [`POINTED_TO`], the address at `VALUE_AT`.
const fn place(kind: Kind) -> u8 {
    match kind {
        Kind::Transform2D | Kind::Aabb | Kind::Basis | Kind::Transform3D | Kind::Projection => POINTED_TO,
        // After a vtable pointer and a reference count.
        _ if is_packed(kind) => POINTED_TO | (2 * WORD as u8),
        // After the instance id.
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

/// True if values of this kind are stored inside the Variant and own nothing.
pub const fn is_bare(kind: Kind) -> bool {
    let is_small = matches!(
        kind.shape(),
        Shape::Nil | Shape::Bool | Shape::Int | Shape::Float | Shape::Rid | Shape::Components { .. }
    );
    is_small && place(kind) & POINTED_TO == 0
}

/// True if an empty value of this kind is all zeros in its Variant.
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

/// # Safety
/// The layout is known, and the Variant is alive.
#[inline(always)]
pub unsafe fn id(variant: sys::GDExtensionConstVariantPtr) -> u32 {
    // SAFETY: in the known layout a Variant begins with its type id.
    unsafe { *variant.cast::<u32>() }
}

/// # Safety
/// The same as for [`id`].
#[inline(always)]
pub unsafe fn inner(kind: Kind, variant: sys::GDExtensionVariantPtr) -> Inner {
    let place = PLACES[usize::from(kind.id())];
    // SAFETY: a Variant has a value at this offset, for kinds with `POINTED_TO` a pointer.
    unsafe {
        let start =
            if place & POINTED_TO == 0 { variant.cast() } else { *variant.byte_add(VALUE_AT).cast::<*mut u8>() };
        start.wrapping_add(usize::from(place & !POINTED_TO)).cast()
    }
}

/// True if a Variant owns nothing, so that it need not be destroyed.
///
/// # Safety
/// The same as for [`id`].
#[inline(always)]
pub unsafe fn owns_nothing(variant: sys::GDExtensionConstVariantPtr) -> bool {
    // SAFETY: promised by the caller.
    let id = unsafe { id(variant) };
    // An unknown type may own something.
    BARE.checked_shr(id).unwrap_or(0) & 1 == 1
}

/// # Safety
/// The layout is known. `variant` points to the memory of a Variant; its old value, if any, is not destroyed.
/// Values of `kind` are stored inside the Variant, as a `T`.
#[inline(always)]
pub unsafe fn write<T>(variant: *mut Variant, kind: Kind, value: T) {
    const { assert!(size_of::<T>() <= VALUE_LEN && align_of::<T>() <= VALUE_AT) }
    // SAFETY: the memory of a Variant is large enough and aligned for both writes, as the assertion above checks.
    unsafe {
        variant.cast::<u32>().write(kind.id().into());
        variant.cast::<u8>().add(VALUE_AT).cast::<T>().write(value);
    }
}

#[repr(C)]
pub struct SignalParts {
    pub name: StringName,
    pub object: u64,
}

/// The header before the elements of an array and the characters of a String, which have the alignment of `max_align_t`.
#[repr(C)]
#[cfg_attr(target_pointer_width = "64", repr(align(16)))]
struct Header {
    references: u64,
    /// In elements, like `size`.
    capacity: u64,
    size: u64,
}

/// Offsets in bytes in an Array's private data: of its elements, after a count and an empty member, and of their type.
const ARRAY_BLOCK_AT: usize = 2 * WORD;
const ARRAY_TYPE_AT: usize = 4 * WORD;

/// One entry of a Dictionary (`HashMapElement` in `core/templates/hash_map.h`), linked in insertion order.
#[repr(C)]
pub struct Entry {
    pub next: *const Entry,
    pub previous: *const Entry,
    pub key: Variant,
    pub value: Variant,
}

/// A Dictionary's private data (`DictionaryPrivate` in `core/variant/dictionary.cpp`).
#[repr(C)]
pub struct Private {
    references: u32,
    read_only: *const c_void,
    tables: [*const c_void; 2],
    pub first: *const Entry,
    pub last: *const Entry,
    capacity: u32,
    pub size: u32,
    pub key: ElementType,
    pub value: ElementType,
}

/// The type of the keys or the values (`ContainerTypeValidate`).
#[repr(C)]
pub struct ElementType {
    pub id: u32,
    class: *const c_void,
    script: *const c_void,
    text: *const c_void,
}

/// Returns the address of the pointer to the elements of a packed array, a String or an Array.
///
/// # Safety
/// The layout is known. `inner` points to a live value of `kind`, one of those.
#[inline(always)]
pub unsafe fn block(kind: Kind, inner: Inner) -> *mut *mut u8 {
    // SAFETY: an Array points to its private data, a String is only the pointer, a packed array has a member before it.
    unsafe {
        match kind {
            Kind::Array => (*inner.cast::<*mut u8>()).add(ARRAY_BLOCK_AT).cast(),
            Kind::String => inner.cast(),
            _ => inner.cast::<*mut u8>().add(1),
        }
    }
}

/// Returns a pointer to the elements of an array, or to the characters of a String, and their count, with the NUL.
///
/// # Safety
/// The same as for [`block`].
#[inline(always)]
pub unsafe fn elements(kind: Kind, inner: Inner) -> (*const u8, usize) {
    // SAFETY: promised by the caller; a pointer that is not null points to elements with a header before them.
    unsafe {
        let data = (*block(kind, inner)).cast_const();
        if data.is_null() {
            return (std::ptr::null(), 0);
        }
        (data, (*data.cast::<Header>().sub(1)).size as usize)
    }
}

/// # Safety
/// The same as for [`block`], for an Array.
#[inline(always)]
pub unsafe fn element_id(array: Inner) -> u32 {
    // SAFETY: an Array is a pointer to its private data, which has the id at this offset.
    unsafe { (*array.cast::<*const u8>()).add(ARRAY_TYPE_AT).cast::<u32>().read() }
}

/// Allocates `count` uninitialised elements in an empty array or String, and returns a pointer to them; `None` if there is
/// no memory: the value is empty then.
///
/// # Safety
/// The layout is known. `inner` points to an empty value of `kind`, a packed array, a String or an Array, that nobody
/// else uses. All elements must be written before anyone else sees it.
#[inline]
pub unsafe fn new_block_in(kind: Kind, inner: Inner, count: usize, element_len: usize) -> Option<*mut u8> {
    assert!(count > 0, "an empty array has no block");
    // Like the engine: at least two.
    let capacity = count.max(2);
    let len = capacity.checked_mul(element_len).and_then(|len| len.checked_add(size_of::<Header>()));
    let len = len.expect("lengths are 32-bit");
    // SAFETY: any length may be requested.
    let header: *mut Header = unsafe { (api().interface.mem_alloc)(len).cast() };
    if header.is_null() {
        return None;
    }
    memory::prepare(header.cast(), len);
    // SAFETY: the memory has room for a header, and malloc's alignment. The caller promises that there is no block yet.
    unsafe {
        header.write(Header { references: 1, capacity: capacity as u64, size: count as u64 });
        let data = header.add(1).cast();
        *block(kind, inner) = data;
        Some(data)
    }
}

/// Makes a Variant of a String, which both share.
///
/// # Safety
/// The same as for [`write()`]; `string` points to a live String.
#[inline(always)]
pub unsafe fn share_string(string: Inner, variant: *mut Variant) {
    // SAFETY: promised by the caller. The engine counts references atomically, and these characters have one already.
    unsafe {
        let data = *block(Kind::String, string);
        if !data.is_null() {
            let header = data.cast::<Header>().sub(1);
            AtomicU64::from_ptr(&raw mut (*header).references).fetch_add(1, Ordering::Relaxed);
        }
        write(variant, Kind::String, data);
    }
}
