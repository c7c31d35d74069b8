//! Compares the layout with what the engine says of values.

use std::mem::offset_of;

use varbatch_codec::Kind;

use super::{
    ARRAY_BLOCK_AT, ARRAY_TYPE_AT, Entry, Header, POINTED_TO, Private, VALUE_AT, VALUE_LEN, WORD, is_empty_zero, place,
};

/// Returns the word of memory at an address, which must be a multiple of its size.
pub type Words<'w> = &'w dyn Fn(usize) -> usize;

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
    pub references: usize,
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

/// True if a Variant, the caller's own memory, has its id and its value in place: at `inner`, which is `None` for Nil.
pub fn variant_is_as_seen(word: Words<'_>, at: usize, kind: Kind, inner: Option<usize>, is_default: bool) -> bool {
    if word(at) as u32 != u32::from(kind.id()) {
        return false;
    }
    let Some(inner) = inner else { return kind == Kind::Nil };
    let at_value = at + VALUE_AT;
    if is_default && is_empty_zero(kind) && (0..VALUE_LEN).step_by(WORD).any(|offset| word(at_value + offset) != 0) {
        return false;
    }
    let place = place(kind);
    let start = if place & POINTED_TO == 0 { at } else { word(at_value) };
    inner == start + usize::from(place & !POINTED_TO)
}

/// True if arrays and Strings have their elements, and the header before them, at the expected offsets.
pub fn blocks_are_as_seen(word: Words<'_>, seen: &[SeenBlock]) -> bool {
    let data = |block: &SeenBlock| match block.kind {
        Kind::Array => word(word(block.inner) + ARRAY_BLOCK_AT),
        // A String is one word, a packed array two: the caller's own memory.
        Kind::String => word(block.inner),
        _ => word(block.inner + WORD),
    };
    let full = || seen.iter().filter(|block| block.count > 0);
    let before = |block: &SeenBlock, field: usize| word(block.first - size_of::<Header>() + field);
    seen.iter().all(|block| data(block) == if block.count == 0 { 0 } else { block.first })
        // Backwards from the elements.
        && full().all(|block| before(block, offset_of!(Header, size)) == block.count)
        && full().all(|block| before(block, offset_of!(Header, capacity)) >= block.count)
        && full().all(|block| before(block, offset_of!(Header, references)) == block.references)
}

/// True if Arrays have their element type at the expected offset, after the pointer to their elements.
pub fn element_types_are_as_seen(word: Words<'_>, seen: &[SeenBlock]) -> bool {
    let mut arrays = seen.iter().filter(|block| block.kind == Kind::Array);
    arrays.all(|array| word(word(array.inner) + ARRAY_TYPE_AT) as u32 == u32::from(array.element.id()))
}

/// True if a Dictionary has its entries, linked in order, and its types at the expected offsets.
pub fn dictionary_is_as_seen(word: Words<'_>, seen: &SeenDictionary) -> bool {
    let private = |field: usize| word(word(seen.inner) + field / WORD * WORD) >> (field % WORD * 8);
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
        let at = entry(seen, index);
        let key_at = at + offset_of!(Entry, key);
        word(at + offset_of!(Entry, next)) == entry(seen, index + 1)
            && word(at + offset_of!(Entry, previous)) == entry(seen, index.wrapping_sub(1))
            && key.is_none_or(|key| {
                word(key_at) as u32 == u32::from(Kind::Int.id()) && word(key_at + VALUE_AT) == key as usize
            })
    })
}

fn entry(seen: &SeenDictionary, index: usize) -> usize {
    seen.values.get(index).map_or(0, |&(value, _)| value - offset_of!(Entry, value))
}
