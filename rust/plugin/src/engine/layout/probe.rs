//! Asks the engine about values of every kind, once, and compares the layout with its answers; makes blocks, and lets the
//! engine use them. Until all of it is as expected, the layout is not known, so whatever is used here calls the engine.

use godot::classes::Engine;
use godot::prelude::*;
use godot::sys::GodotFfi;
use varbatch_codec::Kind;

use super::seen::{
    SeenBlock, SeenDictionary, blocks_are_as_seen, dictionary_is_as_seen, element_types_are_as_seen, variant_is_as_seen,
};
use super::{SignalParts, new_block_in};
use crate::engine::{REAL, Slot, SlotType, api, default_value, elements, is_packed, sys_type, value};

/// Reads a word of memory. Only to compare the layout with the engine's answers on live values in read versions.
fn word(at: usize) -> usize {
    // SAFETY: they read only words of the caller's memory, at addresses that the engine returned, and next to those
    // that were as expected, which are in the same block in the probed versions. Any bit pattern is a valid integer.
    unsafe { *(at as *const usize) }
}

/// True if values of every kind, packed arrays, Strings, Arrays, Signals and Dictionaries are where the layout has them.
pub fn is_as_expected() -> bool {
    types_are_as_expected()
        && variants_are_as_expected()
        && COUNTS.into_iter().all(|count| blocks_are_as_expected(count) && arrays_are_as_expected(count))
        && signals_are_as_expected()
        && dictionary_types_are_as_expected()
        && entries_are_as_expected()
}

fn types_are_as_expected() -> bool {
    Kind::ALL.into_iter().all(|kind| {
        let mut name = GString::new();
        // SAFETY: an empty String owns nothing, so it may be overwritten.
        unsafe { (api().interface.variant_get_type_name)(sys_type(kind), name.string_sys_mut().cast()) };
        name == kind.name()
    })
}

fn variants_are_as_expected() -> bool {
    let is_as_expected = |variant: &Variant, kind: Kind, is_default: bool| {
        let view = value(variant).view();
        let inner = (!view.inner.is_null()).then_some(view.inner as usize);
        view.kind() == kind && variant_is_as_seen(&word, variant.var_sys() as usize, kind, inner, is_default)
    };
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
    Kind::ALL.into_iter().all(|kind| {
        let new = default_value(kind);
        is_as_expected(&new, kind, true)
            && before.iter().all(|before| {
                used.fill(before);
                used.fill(&new);
                // SAFETY: the array has an element 0, which is a Variant.
                let assigned =
                    unsafe { &*(api().interface.array_operator_index_const)(used.sys(), 0).cast::<Variant>() };
                is_as_expected(assigned, kind, false)
            })
    })
}

const COUNTS: [usize; 6] = [0, 1, 2, 3, 40, 500];

/// Returns what the engine says about a packed array, an untyped Array, or a String that is not empty.
fn seen(variant: &Variant, references: usize) -> SeenBlock {
    let view = value(variant).view();
    let (first, count) = match view.kind() {
        Kind::String => (view.string().as_ptr().cast(), view.string().len() + 1),
        // SAFETY: `inner` points to an array of this kind.
        kind => unsafe { elements(kind, view.inner) },
    };
    let (inner, first) = (view.inner as usize, first as usize);
    SeenBlock { kind: view.kind(), inner, first, count, references, element: Kind::Nil }
}

/// True if these packed arrays, Arrays or Strings share one block, and nothing else does.
fn share_a_block(variants: &[&Variant]) -> bool {
    let seen: Vec<_> = variants.iter().map(|variant| seen(variant, variants.len())).collect();
    blocks_are_as_seen(&word, &seen)
}

/// True if packed arrays and Strings, alone and shared, have their elements and header at the expected offsets.
fn blocks_are_as_expected(count: usize) -> bool {
    let is_as_expected =
        |block: &Variant| share_a_block(&[block, &value(block).view().to_own()]) && share_a_block(&[block]);
    let mut packed = Kind::ALL.into_iter().filter(|&kind| is_packed(kind));
    packed.all(|kind| is_as_expected(&new_array(kind, count)))
        // An empty String may have a NUL or no block.
        && (count == 0 || is_as_expected(&"x".repeat(count).to_variant()))
}

fn new_array(kind: Kind, count: usize) -> Variant {
    let array = default_value(kind);
    array.call("resize", &[(count as i64).to_variant()]);
    array
}

fn type_of(kind: Kind, class: &str) -> SlotType {
    match kind {
        Kind::Object => SlotType::objects(StringName::from(class), Variant::nil()),
        _ => SlotType::of(kind),
    }
}

/// True if Arrays are as expected: untyped, typed by kind and by class, shared, and read-only.
fn arrays_are_as_expected(count: usize) -> bool {
    let new = |(kind, class): (Kind, &str)| {
        let mut slot = Slot::new();
        slot.set_typed_array(&type_of(kind, class)).resize(count);
        (slot.value().variant().clone(), kind, 1)
    };
    let kinds = [(Kind::Nil, ""), (Kind::Int, ""), (Kind::String, ""), (Kind::Object, "RefCounted")];
    let mut arrays = Vec::from(kinds.map(new));
    // Another reference to the same private data.
    arrays.push((arrays[0].0.clone(), Kind::Nil, 1));
    // Two Arrays that share elements until one of them is written to.
    let (bytes, element, _) = new((Kind::PackedByteArray, ""));
    let read_only = bytes.call("duplicate", &[]);
    read_only.call("make_read_only", &[]);
    arrays.extend([(bytes, element, 2), (read_only, element, 2)]);
    let of = |(array, element, references): &(Variant, Kind, usize)| SeenBlock {
        element: *element,
        ..seen(array, *references)
    };
    let seen: Vec<_> = arrays.iter().map(of).collect();
    blocks_are_as_seen(&word, &seen) && element_types_are_as_seen(&word, &seen)
}

fn signals_are_as_expected() -> bool {
    let (object, name) = (Engine::singleton().upcast::<Object>(), StringName::from("script_changed"));
    let signal = Signal::from_object_signal(&object, &name);
    let at = signal.sys() as usize;
    // A StringName is one pointer; equal names have equal pointers.
    word(at) == word(name.string_sys() as usize)
        && word(at + std::mem::offset_of!(SignalParts, object)) == object.instance_id().to_i64() as usize
}

/// Entry count of the largest Dictionary, which grows its table nine times, and the sizes at which it is checked.
const ENTRY_COUNT: i64 = 2000;
const SIZES: [usize; 6] = [1, 2, 3, 24, 500, ENTRY_COUNT as usize];

fn key(number: i64) -> Variant {
    if number % 64 == 7 { format!("key {number}").to_variant() } else { number.to_variant() }
}

/// True if the entries of an untyped Dictionary are where the engine finds their keys.
fn entries_are_as_seen(dictionary: &VarDictionary) -> bool {
    let seen = |key: Variant| {
        // SAFETY: the Dictionary and the key are alive. The call returns the address of the key's value.
        let at = unsafe { (api().interface.dictionary_operator_index_const)(dictionary.sys(), key.var_sys()) };
        (at as usize, key.try_to().ok())
    };
    let values = dictionary.keys_array().iter_shared().map(seen).collect();
    let inner = dictionary.sys() as usize;
    dictionary_is_as_seen(&word, &SeenDictionary { inner, values, key: Kind::Nil, value: Kind::Nil })
}

/// True if entries are as expected when a Dictionary grows, shrinks, regrows, is shared, cleared and made read-only.
fn entries_are_as_expected() -> bool {
    let mut dictionary = VarDictionary::new();
    let small = [Variant::nil(), 7.to_variant(), "text".to_variant(), VarDictionary::new().to_variant()];
    let mut is_good = entries_are_as_seen(&dictionary);
    for number in 0..ENTRY_COUNT {
        dictionary.set(&key(number), &small[0]);
        is_good = is_good && (!SIZES.contains(&dictionary.len()) || entries_are_as_seen(&dictionary));
    }
    (0..ENTRY_COUNT).step_by(2).for_each(|number| _ = dictionary.remove(&key(number)));
    is_good = is_good && entries_are_as_seen(&dictionary);
    // Add some again at the end, in the memory of removed ones, and overwrite some values.
    for (at, value) in (0..40).zip(small.iter().cycle()) {
        dictionary.set(&key(at), value);
        dictionary.set(&key(10 * at + 3), value);
        if at % 5 == 4 {
            let keys = dictionary.keys_array();
            dictionary.remove(&keys.at(keys.len() / 2));
        }
    }
    let shared = dictionary.clone();
    is_good = is_good && entries_are_as_seen(&dictionary) && entries_are_as_seen(&shared);
    dictionary.clear();
    is_good = is_good && entries_are_as_seen(&dictionary);
    (0..5).for_each(|number| dictionary.set(&key(number), &small[1]));
    is_good = is_good && entries_are_as_seen(&dictionary);
    is_good && entries_are_as_seen(&dictionary.into_read_only())
}

fn dictionary_types_are_as_expected() -> bool {
    let types = [
        (Kind::Nil, Kind::Nil),
        (Kind::String, Kind::Int),
        (Kind::Nil, Kind::Array),
        (Kind::Color, Kind::Nil),
        (Kind::Int, Kind::Object),
        (Kind::Object, Kind::PackedByteArray),
    ];
    types.into_iter().all(|(key, value)| {
        let of = |kind| type_of(kind, "RefCounted");
        let mut slot = Slot::new();
        slot.set_dictionary().set_types(&of(key), &of(value));
        let inner = slot.value().view().inner as usize;
        dictionary_is_as_seen(&word, &SeenDictionary { inner, values: Vec::new(), key, value })
    })
}

/// Element counts of the blocks: the minimum, and enough that the engine moves a block that grows.
const BLOCK_COUNTS: [usize; 2] = [1, 300];

const LARGE: usize = 700;

/// True if the engine takes blocks of each kind like its own: only then are they made. The rest must be as expected.
pub fn blocks_are_taken() -> bool {
    BLOCK_COUNTS.into_iter().all(|count| {
        let mut arrays = Kind::ALL.into_iter().filter(|&kind| is_packed(kind) || kind == Kind::Array);
        arrays.all(|kind| arrays_are_taken(kind, count)) && string_is_taken(count)
    })
}

fn arrays_are_taken(kind: Kind, count: usize) -> bool {
    // Nil and an empty String are zeros.
    let modulus = if matches!(kind, Kind::Array | Kind::PackedStringArray) { 1 } else { 101 };
    let len = element_len(kind);
    let pattern: Vec<u8> = (0..count * len).map(|at| (at % modulus) as u8).collect();
    let array = default_value(kind);
    // SAFETY: the layout is as expected, the array is empty and nobody else has it, and all elements are written.
    unsafe {
        let data = new_block_in(kind, value(&array).view().inner, count, len).expect("out of memory");
        data.copy_from_nonoverlapping(pattern.as_ptr(), pattern.len());
    }
    let is_read = bytes(&array) == pattern;
    if kind == Kind::Array {
        array.call("set", &[(count as i64 - 1).to_variant(), "text".to_variant()]);
    }
    let (before, is_alone) = (bytes(&array), share_a_block(&[&array]));
    let shared = array.call("duplicate", &[]);
    let is_shared = share_a_block(&[&array, &shared]);
    drop(array);
    let is_kept = share_a_block(&[&shared]) && bytes(&shared) == before;
    let keeps = |change: &str, args: &[Variant], count: usize| {
        shared.call(change, args);
        let after = bytes(&shared);
        after.len() == count * len && after.iter().zip(&before).all(|(after, before)| after == before)
    };
    is_read
        && is_alone
        && is_shared
        && is_kept
        && keeps("append_array", &[new_array(kind, 1)], count + 1)
        && keeps("resize", &[(LARGE as i64).to_variant()], LARGE)
        && keeps("resize", &[1.to_variant()], 1)
        && keeps("clear", &[], 0)
}

fn element_len(kind: Kind) -> usize {
    match kind {
        Kind::Array => size_of::<Variant>(),
        Kind::PackedStringArray => size_of::<GString>(),
        _ => kind.shape().element_len(REAL).expect("plain data"),
    }
}

/// Returns a copy of the memory of an array's elements.
fn bytes(array: &Variant) -> Vec<u8> {
    let SeenBlock { kind, first, count, .. } = seen(array, 1);
    if count == 0 {
        return Vec::new();
    }
    // SAFETY: the engine has `count` elements there, without padding: Strings and Variants are made of pointers and zeros.
    unsafe { std::slice::from_raw_parts(first as *const u8, count * element_len(kind)) }.to_vec()
}

fn string_is_taken(count: usize) -> bool {
    let mut string = GString::new();
    // SAFETY: the layout is as expected, and the String is empty. All of its characters are written, and the last is a NUL.
    unsafe {
        let chars = new_block_in(Kind::String, string.sys_mut(), count + 1, 4).expect("out of memory").cast::<u32>();
        (0..count).for_each(|at| chars.add(at).write(u32::from('a')));
        chars.add(count).write(0);
    }
    let text = "a".repeat(count);
    let is_read = string == GString::from(&text);
    for _ in count..LARGE {
        // SAFETY: the String is alive.
        unsafe { (api().interface.string_operator_plus_eq_char)(string.string_sys_mut(), 'b'.into()) };
    }
    is_read && string == GString::from(&(text + &"b".repeat(LARGE - count)))
}
