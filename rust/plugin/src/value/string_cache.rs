//! Caches short texts, most of which are keys.
//!
//! Most dictionaries of a game share their keys with others, and many values come from a small set of words. Sharing a
//! String that exists already only increments a reference count; a new one needs an allocation.

use varbatch_codec::Kind;

use crate::engine::Slot;

/// Number of cached texts, a power of two.
const COUNT: usize = 64;

/// Max length of a cached text, in bytes.
const LONGEST: usize = 24;

/// Min length in bytes of an input that uses the cache.
const FROM: usize = 1 << 10;

type Key<'a> = (Kind, &'a str);
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
        match self.kept(kind, text) {
            Some(made) => slot.set_text_of(made),
            None => set_text(slot, kind, text),
        }
    }

    /// Returns a String or StringName: the cached one, or a new one in `own`.
    #[inline]
    pub fn get<'k>(&'k mut self, own: &'k mut Slot, kind: Kind, text: &'a str) -> &'k Slot {
        match self.kept(kind, text) {
            Some(made) => made,
            None => {
                set_text(own, kind, text);
                own
            }
        }
    }

    /// Returns the cached text, or `None` if it is too long, or came only once of late.
    #[inline]
    fn kept(&mut self, kind: Kind, text: &'a str) -> Option<&Slot> {
        if !self.is_wanted || text.len() > LONGEST {
            return None;
        }
        if self.entries.is_empty() {
            let none = (Kind::Nil, "");
            self.entries.extend(std::iter::repeat_with(|| (none, Slot::new(), none)).take(COUNT));
        }
        let (kept, made, last) = &mut self.entries[place_of(text.as_bytes())];
        if *kept != (kind, text) {
            if *last != (kind, text) {
                *last = (kind, text);
                return None;
            }
            set_text(made, kind, text);
            *kept = (kind, text);
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
