//! The entries of a Dictionary, read where they lie.
//!
//! GDExtension offers a copy of all keys, and then a look-up a key: more than the engine needs for all of an entry. But
//! each entry is a block of its own, with its key before its value, linked to the next in order of insertion
//! (`HashMapElement` in the engine's `core/templates/hash_map.h`). That is no promise. So it is compared with what the
//! engine's own functions say, once, before it is relied on; in an engine that has it otherwise, keys and values
//! are copied.

use std::ffi::c_void;

use godot::builtin::{StringName, VarArray, VarDictionary, Variant};
use godot::meta::ToGodot;
use godot::sys::{self, GodotFfi};
use varbatch_codec::Kind;

use super::read::{Value, View, size};
use super::{Inner, api, sys_type};

/// One entry, as the engine has it.
#[repr(C)]
struct Entry {
    next: *const Entry,
    previous: *const Entry,
    key: Variant,
    value: Variant,
}

/// A Dictionary's private data (`DictionaryPrivate` in `core/variant/dictionary.cpp`).
#[repr(C)]
struct Private {
    references: u64,
    read_only: *const c_void,
    tables: [*const c_void; 2],
    first: *const Entry,
    last: *const Entry,
    capacity: u32,
    size: u32,
    key: ElementType,
    value: ElementType,
}

/// What the keys or the values must be (`ContainerTypeValidate`).
#[repr(C)]
struct ElementType {
    id: u32,
    class: *const c_void,
    script: *const c_void,
    text: *const c_void,
}

/// The entries of a Dictionary, in order.
pub struct Entries<'a> {
    next: *const Entry,
    left: usize,
    _view: std::marker::PhantomData<View<'a>>,
}

impl<'a> View<'a> {
    /// How many entries a Dictionary has.
    ///
    /// # Panics
    /// If the Variant is of another type.
    #[inline]
    pub fn entry_count(self) -> usize {
        assert_eq!(self.kind, Kind::Dictionary);
        if api().entries {
            // SAFETY: `inner` points to a Dictionary, and `are_as_expected` has seen how one looks.
            return unsafe { private(self.inner) }.size as usize;
        }
        size(Kind::Dictionary, self.inner)
    }

    /// Whether neither the keys nor the values of a Dictionary have to be of a type. `false` if that is not seen.
    ///
    /// # Panics
    /// If the Variant is of another type.
    #[inline]
    pub(super) fn is_untyped(self) -> bool {
        assert_eq!(self.kind, Kind::Dictionary);
        api().entries && {
            // SAFETY: as in `entry_count`.
            let private = unsafe { private(self.inner) };
            (private.key.id, private.value.id) == (0, 0)
        }
    }

    /// Copies of the keys and of the values of a Dictionary, in order.
    ///
    /// # Panics
    /// If the Variant is of another type.
    pub fn keys_and_values(self) -> (VarArray, VarArray) {
        assert_eq!(self.kind, Kind::Dictionary);
        let (mut keys, mut values) = (VarArray::new(), VarArray::new());
        // SAFETY: `inner` points to a Dictionary, whose methods take nothing and assign an Array.
        unsafe {
            (api().dictionary_keys)(self.inner, std::ptr::null(), keys.sys_mut(), 0);
            (api().dictionary_values)(self.inner, std::ptr::null(), values.sys_mut(), 0);
        }
        (keys, values)
    }

    /// The entries of a Dictionary. `None` if this engine has them otherwise than known.
    ///
    /// # Panics
    /// If the Variant is of another type.
    #[inline]
    pub fn entries(self) -> Option<Entries<'a>> {
        assert_eq!(self.kind, Kind::Dictionary);
        if !api().entries {
            return None;
        }
        // SAFETY: as in `entry_count`.
        let Private { first, size, .. } = unsafe { private(self.inner) };
        Some(Entries { next: *first, left: *size as usize, _view: std::marker::PhantomData })
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a Value, &'a Value);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        assert!(!self.next.is_null(), "a dictionary has fewer entries than its size");
        // SAFETY: the dictionary has this entry, and does not change as long as `'a`.
        let entry: &'a Entry = unsafe { &*self.next };
        self.next = entry.next;
        Some((super::value(&entry.key), super::value(&entry.value)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Entries<'_> {}

/// # Safety
/// `dictionary` points to a Dictionary of an engine whose private data is that large, alive as long as `'a`.
#[inline]
unsafe fn private<'a>(dictionary: Inner) -> &'a Private {
    // SAFETY: a Dictionary is a pointer to its private data. All of it are integers here, which nothing is believed of.
    unsafe { &**dictionary.cast::<*const Private>() }
}

/// Whether this engine keeps entries as [`Entry`] says: seen in dictionaries that grew, shrank and grew again.
///
/// Where it does not, no pointer is followed that was not compared with one from the engine's own functions before.
pub fn are_as_expected(interface: &sys::GDExtensionInterface) -> bool {
    if cfg!(feature = "no-engine-internals") {
        return false;
    }
    let mut dictionary = VarDictionary::new();
    if !types_are_as_expected(interface) {
        return false;
    }
    let mut keys: Vec<Variant> = Vec::new();
    let mut good = matches(interface, &dictionary, &keys);
    for round in 0..40_i64 {
        let key = if round % 2 == 0 { round.to_variant() } else { format!("key {round}").to_variant() };
        dictionary.set(&key, &round.to_variant());
        keys.push(key);
        if round % 5 == 4 {
            // Gone from the middle, and back at the end.
            let moved = keys.remove(keys.len() / 2);
            dictionary.remove(&moved);
            dictionary.set(&moved, &round.to_variant());
            keys.push(moved);
        }
        good = good && matches(interface, &dictionary, &keys);
    }
    good
}

/// Whether the entries are those of `keys`, in that order, each linked to the next.
fn matches(interface: &sys::GDExtensionInterface, dictionary: &VarDictionary, keys: &[Variant]) -> bool {
    let entry_of = |key: &Variant| -> *const Entry {
        // SAFETY: the dictionary and the key are alive, and the dictionary has the key: this gives where its value is.
        let value = unsafe { (interface.dictionary_operator_index_const)(dictionary.sys(), key.var_sys()) };
        value.cast_const().cast::<u8>().wrapping_sub(std::mem::offset_of!(Entry, value)).cast()
    };
    let expected: Vec<_> = keys.iter().map(entry_of).collect();
    // SAFETY: the private data of a Dictionary is as large in any engine since 4.4, tables and types included.
    let private = unsafe { private(dictionary.sys().cast_mut()) };
    let first = expected.first().copied().unwrap_or(std::ptr::null());
    if (private.first, private.size as usize) != (first, keys.len()) {
        return false;
    }
    expected.iter().enumerate().all(|(index, &entry)| {
        let previous = index.checked_sub(1).map_or(std::ptr::null(), |index| expected[index]);
        let next = expected.get(index + 1).copied().unwrap_or(std::ptr::null());
        // SAFETY: what the first entry's address was compared with shows that a key and two links lie before the value;
        // they are read as integers, from the block of memory that the value is in.
        unsafe { (&raw const (*entry).previous).read() == previous && (&raw const (*entry).next).read() == next }
    }) && keys.iter().zip(&expected).all(|(key, &entry)| {
        // SAFETY: the links were as expected, so the key is where the layout has it.
        unsafe { (*entry).key == *key }
    })
}

/// Whether dictionaries have the types of their keys and values where [`Private`] says.
fn types_are_as_expected(interface: &sys::GDExtensionInterface) -> bool {
    let (nil, name) = (Variant::nil(), StringName::default());
    let types = [(Kind::Nil, Kind::Nil), (Kind::String, Kind::Int), (Kind::Nil, Kind::Array), (Kind::Color, Kind::Nil)];
    types.into_iter().all(|(key, value)| {
        let mut dictionary = VarDictionary::new();
        // SAFETY: the dictionary is new; the types are no objects, so that they have no class and no script.
        let private = unsafe {
            let (name, nil) = (name.string_sys(), nil.var_sys());
            let typed = dictionary.sys_mut();
            (interface.dictionary_set_typed)(typed, sys_type(key), name, nil, sys_type(value), name, nil);
            private(dictionary.sys_mut())
        };
        (private.key.id, private.value.id) == (key.id().into(), value.id().into())
    })
}
