//! Caches short texts, most of which are keys, and NodePaths.
//!
//! Most dictionaries of a game share their keys with others, and many values come from a small set of words. Sharing a
//! String that exists already only increments a reference count; a new one needs an allocation, and a NodePath several.

use godot::global::bytes_to_var;
use varbatch_codec::Kind;

use crate::engine::{Slot, byte_array_of};

/// Number of cached texts, a power of two.
const COUNT: usize = 64;

/// Max length of a cached text, and of the bytes of a NodePath.
const LONGEST: usize = 24;
const LONGEST_PATH: usize = 128;

/// Min length in bytes of an input that uses the cache.
const FROM: usize = 1 << 10;

/// A text, or the bytes of a NodePath.
type Key<'a> = (Kind, &'a [u8]);

/// The cache. A hash assigns each text one entry, which keeps a text that came twice in a row: most come once, and would
/// only drive out the keys.
pub struct Texts<'a> {
    /// A text that is kept, what is made of it, and the last other text. Allocated at the first text.
    entries: Vec<(Key<'a>, Slot, Key<'a>)>,
    is_wanted: bool,
}

impl<'a> Texts<'a> {
    /// Creates a cache for an input of `len` bytes.
    #[inline]
    pub fn for_bytes(len: usize) -> Self {
        Self { entries: Vec::new(), is_wanted: len >= FROM }
    }

    /// Makes the value a String or StringName, shared with the cache if the text is in it.
    #[inline]
    pub fn set(&mut self, slot: &mut Slot, kind: Kind, text: &'a str) {
        match self.kept_text(kind, text) {
            Some(made) => slot.set_text_of(made),
            None => set_text(slot, kind, text),
        }
    }

    /// Returns a String or StringName: the cached one, or a new one in `own`.
    #[inline]
    pub fn get<'k>(&'k mut self, own: &'k mut Slot, kind: Kind, text: &'a str) -> &'k Slot {
        match self.kept_text(kind, text) {
            Some(made) => made,
            None => {
                set_text(own, kind, text);
                own
            }
        }
    }

    /// Makes the value the NodePath of these bytes, shared with the cache if it is in it.
    pub fn set_node_path(&mut self, slot: &mut Slot, bytes: &'a [u8]) {
        let make = |slot: &mut Slot| slot.set_variant(bytes_to_var(&byte_array_of(bytes)));
        let cached = (self.is_wanted && bytes.len() <= LONGEST_PATH).then(|| {
            let sum = bytes
                .as_chunks()
                .0
                .iter()
                .fold(0, |sum: u64, word| sum.rotate_left(13) ^ u64::from(u32::from_le_bytes(*word)));
            self.kept((Kind::NodePath, bytes), place_of(&sum.to_le_bytes()), make)
        });
        match cached.flatten() {
            Some(made) => slot.set_copy(made.value()),
            None => make(slot),
        }
    }

    #[inline]
    fn kept_text(&mut self, kind: Kind, text: &'a str) -> Option<&Slot> {
        if !self.is_wanted || text.len() > LONGEST {
            return None;
        }
        self.kept((kind, text.as_bytes()), place_of(text.as_bytes()), |slot| set_text(slot, kind, text))
    }

    /// Returns what is cached for a key, or `None` if it came only once of late.
    #[inline]
    fn kept(&mut self, key: Key<'a>, place: usize, make: impl FnOnce(&mut Slot)) -> Option<&Slot> {
        if self.entries.is_empty() {
            let none: Key<'a> = (Kind::Nil, &[]);
            self.entries.extend(std::iter::repeat_with(|| (none, Slot::new(), none)).take(COUNT));
        }
        let (kept, made, last) = &mut self.entries[place];
        if *kept != key {
            if *last != key {
                *last = key;
                return None;
            }
            make(made);
            *kept = key;
        }
        Some(made)
    }
}

/// Makes the value a String or StringName of its own.
pub fn set_text(slot: &mut Slot, kind: Kind, text: &str) {
    match kind {
        Kind::StringName => slot.set_string_name(text),
        _ => slot.set_string(text),
    }
}

/// Hashes the length and up to 16 bytes to an index below [`COUNT`].
#[inline]
fn place_of(text: &[u8]) -> usize {
    let (first, last) = match (text.first_chunk(), text.last_chunk(), text.first_chunk(), text.last_chunk()) {
        (Some(first), Some(last), _, _) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        (_, _, Some(first), Some(last)) => (u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into()),
        _ => (text.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)), 0),
    };
    // Fibonacci hashing: the high bits of the product depend on all bits of the input.
    let mixed = (first ^ last.rotate_left(29) ^ text.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (u64::BITS - COUNT.trailing_zeros())) as usize
}
