//! Compares the words of a few values in memory with the engine's answers about them.
//!
//! Nothing here asks the engine: `probe` does, and tests invent engines with other layouts. **Words
//! next to an address that the engine returned are compared first**, for all gathered values, and the first mismatch
//! ends the comparison. So in an engine with smaller blocks, a nearer word differs before anything outside its block is
//! read. The words that are read first are in every block: the size is next to the elements, the private data of an
//! Array has a count and its elements (24 bytes), and that of a Dictionary has its table (40 bytes).

use std::mem::offset_of;

use varbatch_codec::Kind;

use super::{ARRAY_BLOCK_AT, ARRAY_TYPE_AT, Entry, Header, POINTED_TO, Private, is_empty_zero, place};

/// Memory, word by word.
pub trait Words {
    /// Returns the word at an address, which must be a multiple of 8.
    fn word(&self, at: usize) -> u64;
}

/// The engine's answers about a Variant.
#[derive(Clone, Copy, Debug)]
pub struct SeenVariant {
    pub kind: Kind,
    pub at: usize,
    /// The address of the value, according to the engine; `None` for Nil.
    pub inner: Option<usize>,
    pub is_default: bool,
}

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

/// True if a Variant has its id and its value at the expected offsets. All of a Variant is the caller's own memory.
pub fn variant_is_as_seen(words: &impl Words, seen: SeenVariant) -> bool {
    let SeenVariant { kind, at, inner, is_default } = seen;
    if words.word(at) as u32 != u32::from(kind.id()) {
        return false;
    }
    let Some(inner) = inner else { return kind == Kind::Nil };
    let (second, third) = (at + WORD, at + 2 * WORD);
    if is_default && is_empty_zero(kind) && (words.word(second), words.word(third)) != (0, 0) {
        return false;
    }
    let place = place(kind);
    let start = if place & POINTED_TO == 0 { at } else { words.word(second) as usize };
    inner == start + usize::from(place & !POINTED_TO)
}

/// True if arrays and Strings have their elements, and the header before them, at the expected offsets.
pub fn blocks_are_as_seen(words: &impl Words, seen: &[SeenBlock]) -> bool {
    let data = |block: &SeenBlock| match block.kind {
        Kind::Array => words.word(words.word(block.inner) as usize + ARRAY_BLOCK_AT),
        // A String is one word, a packed array two: the caller's own memory.
        Kind::String => words.word(block.inner),
        _ => words.word(block.inner + WORD),
    };
    let before = |block: &SeenBlock, field: usize| words.word(block.first - size_of::<Header>() + field);
    let all = |check: &dyn Fn(&SeenBlock) -> bool| seen.iter().all(check);
    let each = |check: &dyn Fn(&SeenBlock) -> bool| seen.iter().filter(|block| block.count > 0).all(check);
    all(&|block| data(block) as usize == if block.count == 0 { 0 } else { block.first })
        // Backwards from the elements.
        && each(&|block| before(block, offset_of!(Header, size)) == block.count as u64)
        && each(&|block| before(block, offset_of!(Header, capacity)) >= block.count as u64)
        && each(&|block| before(block, offset_of!(Header, references)) == block.references)
}

/// True if Arrays have their element type at the expected offset, after the pointer to their elements.
pub fn element_types_are_as_seen(words: &impl Words, seen: &[SeenBlock]) -> bool {
    let arrays = || seen.iter().filter(|block| block.kind == Kind::Array);
    arrays().all(|array| {
        words.word(words.word(array.inner) as usize + ARRAY_TYPE_AT) as u32 == u32::from(array.element.id())
    })
}

/// True if Dictionaries have their entries, linked in order, and their types at the expected offsets.
pub fn dictionaries_are_as_seen(words: &impl Words, seen: &[SeenDictionary]) -> bool {
    let private = |dictionary: &SeenDictionary, field: usize| {
        words.word(words.word(dictionary.inner) as usize + field / WORD * WORD) >> (field % WORD * 8)
    };
    let all = |check: &dyn Fn(&SeenDictionary) -> bool| seen.iter().all(check);
    let id = |kind: Kind| u32::from(kind.id());
    all(&|seen| private(seen, offset_of!(Private, first)) == entry(seen, 0))
        && all(&|seen| private(seen, offset_of!(Private, last)) == entry(seen, seen.values.len().wrapping_sub(1)))
        && all(&|seen| private(seen, offset_of!(Private, size)) as u32 as usize == seen.values.len())
        && all(&|seen| private(seen, offset_of!(Private, key)) as u32 == id(seen.key))
        && all(&|seen| private(seen, offset_of!(Private, value)) as u32 == id(seen.value))
        && all(&|seen| entries_are_as_seen(words, seen))
}

/// True if each entry links to its neighbours, and has its key. It is read only after another was found to link to it.
fn entries_are_as_seen(words: &impl Words, seen: &SeenDictionary) -> bool {
    seen.values.iter().enumerate().all(|(index, &(_, key))| {
        let at = entry(seen, index) as usize;
        let key_at = at + offset_of!(Entry, key);
        words.word(at + offset_of!(Entry, next)) == entry(seen, index + 1)
            && words.word(at + offset_of!(Entry, previous)) == entry(seen, index.wrapping_sub(1))
            && key.is_none_or(|key| {
                words.word(key_at) as u32 == u32::from(Kind::Int.id())
                    && words.word(key_at + super::VALUE_AT).cast_signed() == key
            })
    })
}

/// Returns the address of an entry, or 0 if there is none.
fn entry(seen: &SeenDictionary, index: usize) -> u64 {
    seen.values.get(index).map_or(0, |&(value, _)| value - offset_of!(Entry, value)) as u64
}
