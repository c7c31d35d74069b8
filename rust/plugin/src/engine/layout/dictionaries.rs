//! Asks the engine for Dictionaries with many lives, once, and compares with them how `entries` reads.
//!
//! Only in versions whose sources were read: there it is known how large the private data of a Dictionary is.

use godot::builtin::{StringName, VarDictionary, Variant};
use godot::init::GdextBuild;
use godot::meta::ToGodot;
use godot::sys::{self, GodotFfi};
use varbatch_codec::Kind;

use super::memory::EngineMemory;
use super::seen::{SeenDictionary, dictionaries_are_as_seen};
use crate::engine::ffi::sys_type;

/// Entries of the largest one, which was made larger nine times on the way, and sizes at which it is looked at.
const COUNT: i64 = 2000;
const SIZES: [usize; 6] = [1, 2, 3, 24, 500, COUNT as usize];

/// Whether this engine keeps entries as [`super::entry::Entry`] says.
pub fn are_as_expected(interface: &sys::GDExtensionInterface) -> bool {
    let (major, minor, _) = GdextBuild::godot_runtime_version_triple();
    !cfg!(feature = "no-engine-internals")
        && (major, minor) >= (4, 4)
        && (major, minor) <= (4, 6)
        && types_are_as_expected(interface)
        && entries_are_as_expected(interface)
}

/// A Dictionary, and what the engine said of its entries when they were made. They stay where they are as long as they
/// live.
struct Watched<'i> {
    interface: &'i sys::GDExtensionInterface,
    dictionary: VarDictionary,
    /// In order: a number for each key, and where the value is.
    entries: Vec<(i64, usize)>,
}

impl Watched<'_> {
    /// Most keys are ints, some are texts.
    fn key(number: i64) -> (Variant, Option<i64>) {
        match number % 64 {
            7 => (format!("key {number}").to_variant(), None),
            _ => (number.to_variant(), Some(number)),
        }
    }

    /// Adds an entry at the end, or assigns a value of another type to one.
    fn put(&mut self, number: i64, value: &Variant) {
        let (key, _) = Self::key(number);
        // SAFETY: the Dictionary and the key are alive. This gives where the value is, a Variant that may be assigned
        // to.
        let found = unsafe {
            let found = (self.interface.dictionary_operator_index)(self.dictionary.sys_mut(), key.var_sys());
            *found.cast::<Variant>() = value.clone();
            found as usize
        };
        if !self.entries.iter().rev().any(|&(_, value)| value == found) {
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
        dictionaries_are_as_seen(&EngineMemory, &[self.seen()])
    }
}

/// Whether entries are found in Dictionaries that grew, lost half of their entries, got some back, were cleared, filled
/// again, shared and made read-only.
fn entries_are_as_expected(interface: &sys::GDExtensionInterface) -> bool {
    let (mut watched, small) = (
        Watched { interface, dictionary: VarDictionary::new(), entries: Vec::with_capacity(COUNT as usize) },
        [Variant::nil(), 7.to_variant(), "text".to_variant(), VarDictionary::new().to_variant()],
    );
    let mut is_good = watched.is_as_expected();
    for number in 0..COUNT {
        let (key, _) = Watched::key(number);
        // SAFETY: as in `put`; the key is a new one.
        let value = unsafe { (interface.dictionary_operator_index)(watched.dictionary.sys_mut(), key.var_sys()) };
        watched.entries.push((number, value as usize));
        if SIZES.contains(&watched.entries.len()) {
            is_good = is_good && watched.is_as_expected();
        }
    }
    // Every second one goes.
    let kept = watched.entries.iter().copied().filter(|(number, _)| number % 2 == 1).collect();
    for (number, _) in std::mem::replace(&mut watched.entries, kept) {
        if number % 2 == 0 {
            watched.dictionary.remove(&Watched::key(number).0);
        }
    }
    is_good = is_good && watched.is_as_expected();
    // Some come back at the end, in the memory of others, and values are assigned over.
    for (at, value) in (0..40).zip(small.iter().cycle()) {
        watched.put(at, value);
        watched.put(10 * at + 3, value);
        if at % 5 == 4 {
            watched.remove(watched.entries.len() / 2);
        }
    }
    let same = watched.dictionary.clone();
    let shared = SeenDictionary { inner: same.sys() as usize, ..watched.seen() };
    is_good = is_good && watched.is_as_expected() && dictionaries_are_as_seen(&EngineMemory, &[shared]);
    watched.dictionary.clear();
    watched.entries.clear();
    is_good = is_good && watched.is_as_expected();
    (0..5).for_each(|number| watched.put(number, &small[1]));
    is_good = is_good && watched.is_as_expected();
    watched.dictionary = watched.dictionary.clone().into_read_only();
    is_good && watched.is_as_expected()
}

/// Whether Dictionaries have the types of their keys and values where they should be.
fn types_are_as_expected(interface: &sys::GDExtensionInterface) -> bool {
    let (nil, none, class) = (Variant::nil(), StringName::default(), StringName::from("RefCounted"));
    let types = [
        (Kind::Nil, Kind::Nil),
        (Kind::String, Kind::Int),
        (Kind::Nil, Kind::Array),
        (Kind::Color, Kind::Nil),
        (Kind::Int, Kind::Object),
        (Kind::Object, Kind::PackedByteArray),
    ];
    types.into_iter().all(|(key, value)| {
        let mut dictionary = VarDictionary::new();
        let class_of = |kind| if kind == Kind::Object { class.string_sys() } else { none.string_sys() };
        // SAFETY: the Dictionary is new; only objects have a class, and none has a script.
        unsafe {
            let (typed, nil) = (dictionary.sys_mut(), nil.var_sys());
            let (key_class, value_class) = (class_of(key), class_of(value));
            (interface.dictionary_set_typed)(typed, sys_type(key), key_class, nil, sys_type(value), value_class, nil);
        }
        let seen = SeenDictionary { inner: dictionary.sys() as usize, values: Vec::new(), key, value };
        dictionaries_are_as_seen(&EngineMemory, &[seen])
    })
}
