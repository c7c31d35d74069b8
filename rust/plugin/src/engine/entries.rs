//! The entries of a Dictionary, read where they lie.
//!
//! GDExtension offers a copy of all keys, and then a look-up a key: more than the engine needs for all of an entry. But
//! each entry is a block of its own, with its key before its value, linked to the next in order of insertion
//! (`HashMapElement` in the engine's `core/templates/hash_map.h`). That is no promise. So it is compared with what the
//! engine's own functions say, once, before it is relied on (`layout::dictionaries`); in an engine that has it otherwise, keys
//! and values are copied.

use godot::builtin::VarArray;
use godot::sys::GodotFfi;
use varbatch_codec::Kind;

use super::api::api;
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
