//! Reads the entries of a Dictionary in place.
//!
//! GDExtension only offers a copy of all keys, and then a lookup for each: more work than encoding the entry. In the
//! engine's memory each entry is a block with its key before its value, linked to the next in insertion order
//! (`HashMapElement` in the engine's `core/templates/hash_map.h`). Where the layout is not known, keys and values are
//! copied.

use godot::builtin::VarArray;
use godot::sys::GodotFfi;
use varbatch_codec::Kind;

use super::read::{Value, View, size, value};
use crate::engine::api::api;
use crate::engine::layout::entry::{Entry, Private};
use crate::engine::memory::lines;

/// The entries of a Dictionary, in order.
pub struct Entries<'a> {
    next: *const Entry,
    left: usize,
    _view: std::marker::PhantomData<View<'a>>,
}

impl<'a> View<'a> {
    /// Returns the number of entries of a Dictionary.
    #[inline]
    pub fn entry_count(self) -> usize {
        match self.private() {
            Some(private) => private.size as usize,
            // SAFETY: `inner` points to a Dictionary, as `private` has checked.
            None => unsafe { size(Kind::Dictionary, self.inner) },
        }
    }

    /// True if neither the keys nor the values of a Dictionary are typed. `false` if its layout is not known.
    #[inline]
    pub fn is_untyped(self) -> bool {
        self.private().is_some_and(|private| (private.key.id, private.value.id) == (0, 0))
    }

    /// Returns copies of the keys and of the values of a Dictionary, in order.
    pub fn keys_and_values(self) -> (VarArray, VarArray) {
        assert_eq!(self.kind, Kind::Dictionary);
        let (mut keys, mut values) = (VarArray::new(), VarArray::new());
        // SAFETY: `inner` points to a Dictionary; both methods take no arguments and assign an Array.
        unsafe {
            (api().dictionary_keys)(self.inner, std::ptr::null(), keys.sys_mut(), 0);
            (api().dictionary_values)(self.inner, std::ptr::null(), values.sys_mut(), 0);
        }
        (keys, values)
    }

    /// Returns the entries of a Dictionary, or `None` if this engine's layout of them is not known.
    #[inline]
    pub fn entries(self) -> Option<Entries<'a>> {
        let private = self.private()?;
        Some(Entries { next: private.first, left: private.size as usize, _view: std::marker::PhantomData })
    }

    /// Borrows the private data of a Dictionary, if its layout is known.
    #[inline(always)]
    fn private(self) -> Option<&'a Private> {
        assert_eq!(self.kind, Kind::Dictionary);
        // SAFETY: the layout is known, in which a Dictionary is a pointer to its private data. Every field is an integer or
        // a raw pointer, so any bit pattern is valid; none is dereferenced here.
        api().is_known.then(|| unsafe { &**self.inner.cast::<*const Private>() })
    }
}

impl Entries<'_> {
    /// Fetches the next entry.
    #[inline(always)]
    pub(super) fn fetch(&self) {
        lines(self.next.cast());
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a Value, &'a Value);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        assert!(!self.next.is_null(), "a dictionary has fewer entries than its size");
        // SAFETY: the entry belongs to the dictionary, which does not change during `'a`.
        let entry: &'a Entry = unsafe { &*self.next };
        self.next = entry.next;
        self.fetch();
        Some((value(&entry.key), value(&entry.value)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Entries<'_> {}
