//! Results that nobody else has seen, so that they may be written to in place, on any thread.

use godot::builtin::{Array, PackedByteArray, VarArray, VarDictionary, Variant};
use godot::meta::Element;
use godot::sys::GodotFfi;
use varbatch_codec::Kind;

use super::containers::{ArraySlot, DictionarySlot};
use super::set::Slot;
use super::write::{BytesOut, Memory};

/// An Array, typed or not, that nobody else has.
pub struct OwnArray<T: Element>(Array<T>);

// SAFETY: nobody else has the array. The engine lets any thread write to its memory and free it.
unsafe impl<T: Element> Send for OwnArray<T> {}

impl OwnArray<Variant> {
    /// Creates an array of nils.
    pub fn new(count: usize) -> Self {
        let mut array = Self(VarArray::new());
        array.slot().grow(count);
        array
    }

    /// Resizes the array to `count` elements; new ones are nil.
    pub fn resize(&mut self, count: usize) {
        self.slot().resize(count);
    }

    /// Returns the `count` elements from index `from` on, for filling. If the array is too short, it grows, by more
    /// than is needed.
    pub fn room(&mut self, from: usize, count: usize) -> &mut [Slot] {
        let needed = from + count;
        if self.slot().len() < needed {
            self.resize(needed.max(2 * from));
        }
        &mut self.elements()[from..needed]
    }

    /// Returns the elements, for filling.
    pub fn elements(&mut self) -> &mut [Slot] {
        self.slot().into_elements()
    }
}

impl OwnArray<PackedByteArray> {
    /// Creates a typed array of empty byte arrays.
    pub fn byte_arrays(count: usize) -> Self {
        Self::typed(count)
    }

    /// Returns the elements, for filling.
    pub fn elements(&mut self) -> &mut [BytesSlot] {
        // SAFETY: the elements are byte arrays of an array that nobody else has.
        unsafe { own_slots(self.slot().into_elements()) }
    }
}

/// Creates a typed array of `len` empty dictionaries and lets `fill` set them.
pub fn new_dictionaries(len: usize, fill: impl FnOnce(&mut [OwnDictionary])) -> Array<VarDictionary> {
    let mut array = OwnArray::typed(len);
    // SAFETY: the elements are Dictionaries of an array that nobody else has.
    fill(unsafe { own_slots(array.slot().into_elements()) });
    array.take()
}

impl<T: Element> OwnArray<T> {
    fn typed(count: usize) -> Self {
        let mut array = Self(Array::new());
        array.slot().resize(count);
        array
    }

    fn slot(&mut self) -> ArraySlot<'_> {
        // SAFETY: nobody else has the array, and it is mutably borrowed.
        unsafe { ArraySlot::of(self.0.sys_mut()) }
    }

    /// Takes the array out, and leaves an empty one.
    pub fn take(&mut self) -> Array<T> {
        std::mem::take(&mut self.0)
    }
}

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
unsafe fn own_slots<S>(slots: &mut [Slot]) -> &mut [S] {
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
