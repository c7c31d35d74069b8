//! Reads and writes the engine's memory layout of values, in engines where it was verified.
//!
//! A call of GDExtension takes longer than all other work on a small value, and only reads a few words. So this module
//! reads those words itself, with the layout of Godot 4.6 and 4.7 (`core/variant/variant.h`, `core/variant/array.cpp`,
//! `core/templates/cowdata.h`). GDExtension does not promise it: when the library is loaded, `probe` compares it with the
//! engine's own functions, and lets the engine use blocks that were made here. It is all or nothing: if anything
//! differs, all calls are made.
//!
//! **Nothing is read that the engine may not have.** What a pointer leads to is of unknown size in an unknown version,
//! and reading past its end could crash. So a version is looked at only if it [`was_read`], and the words next to an
//! address that the engine returned are compared first: where blocks are smaller, one of them differs before anything
//! outside its block is read. They are in every block: the size is next to the elements, the private data of an Array
//! has a count and its elements (24 bytes), and that of a Dictionary has its table (40 bytes).

mod probe;
#[cfg(test)]
#[path = "../../../tests/unit/layout.rs"]
mod tests;

use std::ffi::c_void;
use std::mem::offset_of;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use godot::builtin::{StringName, Variant};
use godot::init::GdextBuild;
use godot::sys;
use varbatch_codec::{Kind, Shape};

use super::{Inner, api, is_packed, memory};

/// True if this library may look at the engine's memory: the layout of this module is that of 64-bit engines.
const MAY_LOOK: bool = cfg!(all(target_pointer_width = "64", not(feature = "no-engine-internals")));

/// True if the sources of this version of the engine, major and minor, were read: what pointers lead to is at least as
/// large there as what is read of it. A version belongs here when that was looked up, whatever a probe would find. Before
/// 4.6 the header of an array has 16 bytes instead of 32.
const fn was_read(version: (u8, u8)) -> bool {
    matches!(version, (4, 6 | 7))
}

static IS_KNOWN: AtomicBool = AtomicBool::new(false);

/// True if this engine has the layout of this module, so that values may be read, written and made in place.
#[inline(always)]
pub fn is_known() -> bool {
    MAY_LOOK && IS_KNOWN.load(Ordering::Relaxed)
}

/// Why the layout is not known.
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

/// Returns why the layout is not known, if it is not.
pub fn why_not_known() -> Option<&'static str> {
    WHY_NOT.get().copied()
}

/// Offset of the value in a Variant: a 32-bit type id and padding come first.
const VALUE_AT: usize = 8;

/// Bytes of a Variant after `VALUE_AT`.
pub const VALUE_LEN: usize = size_of::<Variant>() - VALUE_AT;

/// Returns the offset of the value of a Variant in bytes: from the start of the Variant or, with the bit
/// [`POINTED_TO`], from the address in its second word.
const fn place(kind: Kind) -> u8 {
    match kind {
        Kind::Transform2D | Kind::Aabb | Kind::Basis | Kind::Transform3D | Kind::Projection => POINTED_TO,
        // After a vtable pointer and a reference count.
        _ if is_packed(kind) => POINTED_TO | 16,
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

/// Returns the type id of a Variant.
///
/// # Safety
/// The layout is known, and the Variant is alive.
#[inline(always)]
pub unsafe fn id(variant: sys::GDExtensionConstVariantPtr) -> u32 {
    // SAFETY: in the known layout a Variant begins with its type id.
    unsafe { *variant.cast::<u32>() }
}

/// Returns a pointer to the value of a Variant of this kind.
///
/// # Safety
/// The same as for [`id`].
#[inline(always)]
pub unsafe fn inner(kind: Kind, variant: sys::GDExtensionVariantPtr) -> Inner {
    let place = PLACES[usize::from(kind.id())];
    // SAFETY: a Variant has at least two words; for kinds with `POINTED_TO` the second is a pointer.
    unsafe {
        let start = if place & POINTED_TO == 0 { variant.cast() } else { *variant.cast::<*mut u8>().add(1) };
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

/// Writes a Variant to memory.
///
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

/// The header before the elements of an array and the characters of a String.
#[repr(C)]
struct Header {
    references: u64,
    /// In elements, like `size`.
    capacity: u64,
    size: u64,
    _padding: u64,
}

/// Offsets in the private data of an Array, in bytes: of the pointer to the elements, after a reference count and an
/// empty member, and of the element type, after that and another pointer.
const ARRAY_BLOCK_AT: usize = 16;
const ARRAY_TYPE_AT: usize = 32;

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
    references: u64,
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

/// Returns the type id of an Array's elements.
///
/// # Safety
/// The same as for [`block`], for an Array.
#[inline(always)]
pub unsafe fn element_id(array: Inner) -> u32 {
    // SAFETY: an Array is a pointer to its private data, which has the id at this offset.
    unsafe { (*array.cast::<*const u8>()).add(ARRAY_TYPE_AT).cast::<u32>().read() }
}

/// Allocates `count` uninitialised elements in an empty array or String, and returns a pointer to them.
///
/// # Safety
/// The layout is known. `inner` points to an empty value of `kind`, a packed array, a String or an Array, that nobody
/// else uses. All elements must be written before anyone else sees it.
#[inline]
pub unsafe fn new_block_in(kind: Kind, inner: Inner, count: usize, element_len: usize) -> *mut u8 {
    assert!(count > 0, "an empty array has no block");
    // Like the engine: at least two.
    let capacity = count.max(2);
    let len = capacity.checked_mul(element_len).and_then(|len| len.checked_add(size_of::<Header>()));
    let len = len.expect("lengths are 32-bit");
    // SAFETY: any length may be requested.
    let header: *mut Header = unsafe { (api().interface.mem_alloc)(len).cast() };
    assert!(!header.is_null(), "out of memory");
    memory::prepare(header.cast(), len);
    // SAFETY: the memory is large enough for a header, and has the alignment of malloc. The caller promises the rest; the
    // value is empty, so no block is lost.
    unsafe {
        header.write(Header { references: 1, capacity: capacity as u64, size: count as u64, _padding: 0 });
        let data = header.add(1).cast();
        *block(kind, inner) = data;
        data
    }
}

/// Returns the word of memory at an address, which must be a multiple of 8.
pub type Words<'w> = &'w dyn Fn(usize) -> u64;

/// The engine's answers about a packed array, a String or an Array.
#[derive(Clone, Copy, Debug)]
pub struct SeenBlock {
    pub kind: Kind,
    pub inner: usize,
    /// The address of element 0, according to the engine.
    pub first: usize,
    /// The number of elements, with the NUL of a String.
    pub count: usize,
    /// The number of arrays that share the elements.
    pub references: u64,
    pub element: Kind,
}

/// The engine's answers about a Dictionary.
#[derive(Clone, Debug)]
pub struct SeenDictionary {
    pub inner: usize,
    /// In order: the address of each value, according to the engine, and its key if that is an int.
    pub values: Vec<(usize, Option<i64>)>,
    pub key: Kind,
    pub value: Kind,
}

const WORD: usize = 8;

/// True if a Variant has its id and its value at the expected offsets: at `inner`, according to the engine, which is `None`
/// for Nil. All of a Variant is the caller's own memory.
pub fn variant_is_as_seen(word: Words<'_>, at: usize, kind: Kind, inner: Option<usize>, is_default: bool) -> bool {
    if word(at) as u32 != u32::from(kind.id()) {
        return false;
    }
    let Some(inner) = inner else { return kind == Kind::Nil };
    let (second, third) = (at + WORD, at + 2 * WORD);
    if is_default && is_empty_zero(kind) && (word(second), word(third)) != (0, 0) {
        return false;
    }
    let place = place(kind);
    let start = if place & POINTED_TO == 0 { at } else { word(second) as usize };
    inner == start + usize::from(place & !POINTED_TO)
}

/// True if arrays and Strings have their elements, and the header before them, at the expected offsets.
pub fn blocks_are_as_seen(word: Words<'_>, seen: &[SeenBlock]) -> bool {
    let data = |block: &SeenBlock| match block.kind {
        Kind::Array => word(word(block.inner) as usize + ARRAY_BLOCK_AT),
        // A String is one word, a packed array two: the caller's own memory.
        Kind::String => word(block.inner),
        _ => word(block.inner + WORD),
    };
    let full = || seen.iter().filter(|block| block.count > 0);
    let before = |block: &SeenBlock, field: usize| word(block.first - size_of::<Header>() + field);
    seen.iter().all(|block| data(block) as usize == if block.count == 0 { 0 } else { block.first })
        // Backwards from the elements.
        && full().all(|block| before(block, offset_of!(Header, size)) == block.count as u64)
        && full().all(|block| before(block, offset_of!(Header, capacity)) >= block.count as u64)
        && full().all(|block| before(block, offset_of!(Header, references)) == block.references)
}

/// True if Arrays have their element type at the expected offset, after the pointer to their elements.
pub fn element_types_are_as_seen(word: Words<'_>, seen: &[SeenBlock]) -> bool {
    let mut arrays = seen.iter().filter(|block| block.kind == Kind::Array);
    arrays.all(|array| word(word(array.inner) as usize + ARRAY_TYPE_AT) as u32 == u32::from(array.element.id()))
}

/// True if a Dictionary has its entries, linked in order, and its types at the expected offsets.
pub fn dictionary_is_as_seen(word: Words<'_>, seen: &SeenDictionary) -> bool {
    let private = |field: usize| word(word(seen.inner) as usize + field / WORD * WORD) >> (field % WORD * 8);
    let id = |kind: Kind| u32::from(kind.id());
    private(offset_of!(Private, first)) == entry(seen, 0)
        && private(offset_of!(Private, last)) == entry(seen, seen.values.len().wrapping_sub(1))
        && private(offset_of!(Private, size)) as u32 as usize == seen.values.len()
        && private(offset_of!(Private, key)) as u32 == id(seen.key)
        && private(offset_of!(Private, value)) as u32 == id(seen.value)
        && entries_are_as_seen(word, seen)
}

/// True if each entry links to its neighbours, and has its key. It is read only after another was found to link to it.
fn entries_are_as_seen(word: Words<'_>, seen: &SeenDictionary) -> bool {
    seen.values.iter().enumerate().all(|(index, &(_, key))| {
        let at = entry(seen, index) as usize;
        let key_at = at + offset_of!(Entry, key);
        word(at + offset_of!(Entry, next)) == entry(seen, index + 1)
            && word(at + offset_of!(Entry, previous)) == entry(seen, index.wrapping_sub(1))
            && key.is_none_or(|key| {
                word(key_at) as u32 == u32::from(Kind::Int.id()) && word(key_at + VALUE_AT).cast_signed() == key
            })
    })
}

/// Returns the address of an entry, or 0 if there is none.
fn entry(seen: &SeenDictionary, index: usize) -> u64 {
    seen.values.get(index).map_or(0, |&(value, _)| value - offset_of!(Entry, value)) as u64
}
