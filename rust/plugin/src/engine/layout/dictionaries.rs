//! Puts a few Dictionaries through many changes, once, and checks that `entries` would read them correctly.

use godot::builtin::{StringName, VarDictionary, Variant};
use godot::meta::ToGodot;
use godot::sys::GodotFfi;
use varbatch_codec::Kind;

use super::probe::MEMORY;
use super::seen::{SeenDictionary, dictionaries_are_as_seen};
use crate::engine::{Slot, SlotType, api};

/// Entry count of the largest Dictionary, which grows its table nine times, and the sizes at which it is checked.
const COUNT: i64 = 2000;
const SIZES: [usize; 6] = [1, 2, 3, 24, 500, COUNT as usize];

/// True if this engine has the layout of [`super::Entry`].
pub fn are_as_expected() -> bool {
    types_are_as_expected() && entries_are_as_expected()
}

/// A Dictionary, and the addresses that the engine returned for its entries when they were added. Entries do not move.
#[derive(Default)]
struct Watched {
    dictionary: VarDictionary,
    /// In order: the number of each key, and the address of the value.
    entries: Vec<(i64, usize)>,
}

impl Watched {
    /// Returns the key for a number, and its int if it is one. Most keys are ints, some are texts.
    fn key(number: i64) -> (Variant, Option<i64>) {
        match number % 64 {
            7 => (format!("key {number}").to_variant(), None),
            _ => (number.to_variant(), Some(number)),
        }
    }

    /// Sets the value of a key, which is added at the end if it is new.
    fn put(&mut self, number: i64, value: &Variant) {
        let (key, count) = (Self::key(number).0, self.dictionary.len());
        // SAFETY: the Dictionary and the key are alive. The call returns a pointer to the value, which may be set.
        let found = unsafe {
            let found = (api().interface.dictionary_operator_index)(self.dictionary.sys_mut(), key.var_sys());
            *found.cast::<Variant>() = value.clone();
            found as usize
        };
        if self.dictionary.len() > count {
            self.entries.push((number, found));
        }
    }

    fn remove(&mut self, index: usize) {
        let (number, _) = self.entries.remove(index);
        self.dictionary.remove(&Self::key(number).0);
    }

    fn seen(&self) -> SeenDictionary {
        let values = self.entries.iter().map(|&(number, value)| (value, Self::key(number).1)).collect();
        SeenDictionary { inner: self.dictionary.sys() as usize, values, key: Kind::Nil, value: Kind::Nil }
    }

    fn is_as_expected(&self) -> bool {
        dictionaries_are_as_seen(&MEMORY, &[self.seen()])
    }
}

/// True if entries are as expected when a Dictionary grows, shrinks, regrows, is shared, cleared and made read-only.
fn entries_are_as_expected() -> bool {
    let mut watched = Watched::default();
    let small = [Variant::nil(), 7.to_variant(), "text".to_variant(), VarDictionary::new().to_variant()];
    let mut is_good = watched.is_as_expected();
    for number in 0..COUNT {
        watched.put(number, &small[0]);
        if SIZES.contains(&watched.entries.len()) {
            is_good = is_good && watched.is_as_expected();
        }
    }
    // Remove every second entry.
    (0..COUNT as usize).step_by(2).rev().for_each(|index| watched.remove(index));
    is_good = is_good && watched.is_as_expected();
    // Add some again at the end, in the memory of removed ones, and overwrite some values.
    for (at, value) in (0..40).zip(small.iter().cycle()) {
        watched.put(at, value);
        watched.put(10 * at + 3, value);
        if at % 5 == 4 {
            watched.remove(watched.entries.len() / 2);
        }
    }
    let same = watched.dictionary.clone();
    let shared = SeenDictionary { inner: same.sys() as usize, ..watched.seen() };
    is_good = is_good && watched.is_as_expected() && dictionaries_are_as_seen(&MEMORY, &[shared]);
    watched.dictionary.clear();
    watched.entries.clear();
    is_good = is_good && watched.is_as_expected();
    (0..5).for_each(|number| watched.put(number, &small[1]));
    is_good = is_good && watched.is_as_expected();
    watched.dictionary = watched.dictionary.clone().into_read_only();
    is_good && watched.is_as_expected()
}

/// True if Dictionaries have the types of their keys and values at the expected offsets.
fn types_are_as_expected() -> bool {
    let types = [
        (Kind::Nil, Kind::Nil),
        (Kind::String, Kind::Int),
        (Kind::Nil, Kind::Array),
        (Kind::Color, Kind::Nil),
        (Kind::Int, Kind::Object),
        (Kind::Object, Kind::PackedByteArray),
    ];
    types.into_iter().all(|(key, value)| {
        let of = |kind| {
            let class = StringName::from(if kind == Kind::Object { "RefCounted" } else { "" });
            SlotType { kind, class, script: Variant::nil() }
        };
        let mut slot = Slot::new();
        slot.set_dictionary().set_types(&of(key), &of(value));
        let inner = slot.value().view().inner as usize;
        dictionaries_are_as_seen(&MEMORY, &[SeenDictionary { inner, values: Vec::new(), key, value }])
    })
}
