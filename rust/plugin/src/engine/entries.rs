//! Reads the entries of a Dictionary in place.
//!
//! GDExtension only offers a copy of all keys, and then a lookup for each: more work than encoding the entry. In the
//! engine's memory each entry is a block with its key before its value, linked to the next in insertion order
//! (`HashMapElement` in the engine's `core/templates/hash_map.h`). GDExtension does not promise this, so
//! `layout::dictionaries` checks it once against the engine's own functions before it is used. If the check fails, keys
//! and values are copied.

use godot::builtin::VarArray;
use godot::sys::GodotFfi;
use varbatch_codec::Kind;

use super::api::api;
use super::fetch;
use super::ffi::Inner;
use super::layout::entry::{Entry, Private};
use super::read::{Value, View, size};

/// The entries of a Dictionary, in order.
pub struct Entries<'a> {
    next: *const Entry,
    left: usize,
    _view: std::marker::PhantomData<View<'a>>,
}

impl<'a> View<'a> {
    /// Returns the number of entries of a Dictionary.
    ///
    /// # Panics
    /// If the Variant is of another type.
    #[inline]
    pub fn entry_count(self) -> usize {
        assert_eq!(self.kind, Kind::Dictionary);
        if api().entries {
            // SAFETY: `inner` points to a Dictionary, and `are_as_expected` has verified its layout in this engine.
            return unsafe { private(self.inner) }.size as usize;
        }
        // SAFETY: `inner` points to a Dictionary.
        unsafe { size(Kind::Dictionary, self.inner) }
    }

    /// True if neither the keys nor the values of a Dictionary are typed. `false` if its layout is not known.
    ///
    /// # Panics
    /// If the Variant is of another type.
    #[inline]
    pub fn is_untyped(self) -> bool {
        assert_eq!(self.kind, Kind::Dictionary);
        api().entries && {
            // SAFETY: as in `entry_count`.
            let private = unsafe { private(self.inner) };
            (private.key.id, private.value.id) == (0, 0)
        }
    }

    /// Returns copies of the keys and of the values of a Dictionary, in order.
    ///
    /// # Panics
    /// If the Variant is of another type.
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

impl Entries<'_> {
    /// Fetches the next entry.
    #[inline(always)]
    pub(super) fn fetch(&self) {
        fetch::lines(self.next.cast());
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
        Some((super::value(&entry.key), super::value(&entry.value)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Entries<'_> {}

/// # Safety
/// `dictionary` points to a Dictionary that lives for `'a`, in an engine whose private data is at least as large as
/// [`Private`].
#[inline]
unsafe fn private<'a>(dictionary: Inner) -> &'a Private {
    // SAFETY: a Dictionary is a pointer to its private data, which is large enough. Every field is an integer or a raw
    // pointer, so any bit pattern is valid; no field is dereferenced here.
    unsafe { &**dictionary.cast::<*const Private>() }
}
