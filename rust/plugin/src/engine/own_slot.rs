//! Slots whose value stays of one kind, and that nobody else has seen: it may be written to in place.

use godot::builtin::PackedByteArray;
use varbatch_codec::Kind;

use super::container_slot::DictionarySlot;
use super::slot::Slot;
use super::write::{BytesOut, Memory};

/// A byte array that nobody else has seen. The one of a [`Slot`] may be shared with other Variants.
#[repr(transparent)]
pub struct BytesSlot(Slot);

/// A Dictionary that nobody else has seen.
#[repr(transparent)]
pub struct OwnDictionary(Slot);

/// Borrows slots as one of these types.
///
/// # Safety
/// `S` is one of these types, and the slots hold values of its kind that nobody else has seen.
pub(super) unsafe fn own_slots<S>(slots: &mut [Slot]) -> &mut [S] {
    // SAFETY: these types are transparent wrappers of `Slot`; the caller promises the rest.
    unsafe { &mut *(std::ptr::from_mut(slots) as *mut [S]) }
}

impl BytesSlot {
    #[inline]
    fn bytes(&mut self) -> &mut PackedByteArray {
        // SAFETY: the slot holds a byte array that nobody else has, and is mutably borrowed. gdext's type has the layout
        // of the engine's type of the same name.
        unsafe { &mut *self.0.inner(Kind::PackedByteArray).cast() }
    }
}

impl BytesOut for BytesSlot {
    #[inline]
    fn allocate(&mut self, len: usize) -> Memory<'_> {
        self.bytes().allocate(len)
    }

    fn set_bytes(&mut self, bytes: PackedByteArray) {
        *self.bytes() = bytes;
    }
}

impl OwnDictionary {
    /// Creates an empty one.
    pub fn new() -> Self {
        let mut slot = Slot::new();
        slot.set_dictionary();
        Self(slot)
    }

    /// Borrows the Dictionary, for filling.
    #[inline]
    pub fn slot(&mut self) -> DictionarySlot<'_> {
        // SAFETY: the slot holds a Dictionary that nobody else has, and is mutably borrowed.
        unsafe { DictionarySlot::of(self.0.inner(Kind::Dictionary)) }
    }

    /// Returns the Dictionary, which may be shared from then on.
    pub fn into_slot(self) -> Slot {
        self.0
    }
}
