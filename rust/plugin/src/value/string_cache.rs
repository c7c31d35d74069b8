//! Caches short texts, most of which are keys, and NodePaths.
//!
//! Most keys and many values repeat. Sharing one takes a reference count, a new String an allocation, a NodePath more.

use std::cell::RefCell;

use godot::global::bytes_to_var;
use varbatch_codec::Kind;

use crate::engine::{Slot, byte_array_of};

/// Number of cached texts, a power of two.
const COUNT: usize = 64;

/// Max length of a cached text, and of the bytes of a NodePath.
const LONGEST: usize = 24;
const LONGEST_PATH: usize = 80;

/// Min length in bytes of an input that uses a cache of its own.
const FROM: usize = 1 << 10;

thread_local! {
    /// The cache of small values, each of which is too short for one of its own.
    static KEPT: RefCell<Texts> = const { RefCell::new(Texts { entries: Vec::new(), is_wanted: false }) };
}

/// Calls `build`, which runs no script, with the cache between small values; only the thread of [`keep`] has one.
#[inline]
pub fn with_kept<R>(build: impl FnOnce(&mut Texts) -> R) -> R {
    KEPT.with_borrow_mut(build)
}

/// Begins or ends to keep texts, on the thread that loads the library: they must be dropped before it is unloaded.
pub fn keep(is_wanted: bool) {
    KEPT.set(Texts { entries: Vec::new(), is_wanted });
}

/// The cache. A hash gives each text an entry, which keeps a text that came twice in a row: most come only once.
pub struct Texts {
    entries: Vec<Entry>,
    is_wanted: bool,
}

struct Entry {
    /// The text that is kept, or the bytes of a NodePath; at first `Nil`.
    kind: Kind,
    len: u8,
    bytes: [u8; LONGEST_PATH],
    made: Slot,
    /// The hash of the last other text.
    last: u64,
}

impl Texts {
    #[inline]
    pub fn for_bytes(len: usize) -> Self {
        Self { entries: Vec::new(), is_wanted: len >= FROM }
    }

    /// Makes the value a String or StringName, shared with the cache if the text is in it.
    #[inline]
    pub fn set(&mut self, slot: &mut Slot, kind: Kind, text: &str) {
        match self.kept(kind, text.as_bytes(), LONGEST, |slot| set_text(slot, kind, text)) {
            Some(made) => slot.set_text_of(made),
            None => set_text(slot, kind, text),
        }
    }

    /// Returns a String or StringName: the cached one, or a new one in `own`.
    #[inline]
    pub fn get<'k>(&'k mut self, own: &'k mut Slot, kind: Kind, text: &str) -> &'k Slot {
        match self.kept(kind, text.as_bytes(), LONGEST, |slot| set_text(slot, kind, text)) {
            Some(made) => made,
            None => {
                set_text(own, kind, text);
                own
            }
        }
    }

    /// Makes the value the NodePath of these bytes, shared with the cache if it is in it.
    // GDExtension can only make one from text, in which names may be ambiguous, and which takes longer.
    pub fn set_node_path(&mut self, slot: &mut Slot, bytes: &[u8]) {
        let make = |slot: &mut Slot| slot.set_variant(bytes_to_var(&byte_array_of(bytes)));
        match self.kept(Kind::NodePath, bytes, LONGEST_PATH, make) {
            Some(made) => slot.set_copy(made.value()),
            None => make(slot),
        }
    }

    /// Returns what is cached for a text, or `None` if it is longer than `max` bytes, or came only once of late.
    #[inline]
    fn kept(&mut self, kind: Kind, bytes: &[u8], max: usize, make: impl FnOnce(&mut Slot)) -> Option<&Slot> {
        if !self.is_wanted || bytes.len() > max {
            return None;
        }
        if self.entries.is_empty() {
            let none = || Entry { kind: Kind::Nil, len: 0, bytes: [0; LONGEST_PATH], made: Slot::new(), last: 0 };
            self.entries.extend(std::iter::repeat_with(none).take(COUNT));
        }
        let hash = hash_of(kind, bytes);
        let entry = &mut self.entries[(hash >> (u64::BITS - COUNT.trailing_zeros())) as usize];
        if entry.kind != kind || entry.bytes[..entry.len.into()] != *bytes {
            if entry.last != hash {
                entry.last = hash;
                return None;
            }
            entry.kind = Kind::Nil;
            make(&mut entry.made);
            (entry.kind, entry.len) = (kind, bytes.len() as u8);
            entry.bytes[..bytes.len()].copy_from_slice(bytes);
        }
        Some(&entry.made)
    }
}

pub fn set_text(slot: &mut Slot, kind: Kind, text: &str) {
    match kind {
        Kind::StringName => slot.set_string_name(text),
        _ => slot.set_string(text),
    }
}

/// Hashes a text by its length and up to 16 bytes, and a NodePath by all of its bytes. The high bits differ most.
#[inline]
fn hash_of(kind: Kind, text: &[u8]) -> u64 {
    let (first, last) = match (text.first_chunk(), text.last_chunk(), text.first_chunk(), text.last_chunk()) {
        _ if text.len() > LONGEST => {
            let add = |sum: u64, word: &[u8; 4]| sum.rotate_left(13) ^ u64::from(u32::from_le_bytes(*word));
            (text.as_chunks().0.iter().fold(0, add), 0)
        }
        (Some(first), Some(last), _, _) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        (_, _, Some(first), Some(last)) => (u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into()),
        _ => (text.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)), 0),
    };
    // Fibonacci hashing: the high bits of the product depend on all bits of the input.
    let mixed = first ^ last.rotate_left(29) ^ text.len() as u64 ^ u64::from(kind.id()) << 32;
    mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
