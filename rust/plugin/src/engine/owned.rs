//! Results and objects that one task owns, whichever thread it runs on.

use godot::builtin::{Array, PackedByteArray, VarArray, VarDictionary, Variant};
use godot::meta::Element;
use godot::obj::{Gd, GodotClass};
use godot::sys::GodotFfi;

use super::container_slot::ArraySlot;
use super::own_slot::{BytesSlot, OwnDictionary, own_slots};
use super::read::bytes_of;
use super::slot::Slot;

/// An Array, typed or not, that nobody else has.
pub struct OwnArray<T: Element>(Option<Array<T>>);

// SAFETY: nobody else has the array. The engine lets any thread write to its memory and free it.
unsafe impl<T: Element> Send for OwnArray<T> {}

impl OwnArray<Variant> {
    /// Creates an array of nils.
    pub fn new(count: usize) -> Self {
        let mut array = Self(Some(VarArray::new()));
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
        let mut array = Self(Some(Array::new()));
        array.slot().resize(count);
        array
    }

    fn slot(&mut self) -> ArraySlot<'_> {
        // SAFETY: nobody else has the array, and it is mutably borrowed.
        unsafe { ArraySlot::of(self.0.as_mut().expect("it is not taken yet").sys_mut()) }
    }

    /// Takes the array out.
    ///
    /// # Panics
    /// If it was taken before.
    pub fn take(&mut self) -> Array<T> {
        self.0.take().expect("it is not taken yet")
    }
}

/// A reference to a byte array, which keeps its bytes unchanged: see [`super::held`].
#[derive(Default)]
pub struct HeldBytes(PackedByteArray);

// SAFETY: nobody else has this reference. It is only read, and dropped once. References to the bytes are counted
// atomically, and writers copy the bytes first while this reference exists.
unsafe impl Send for HeldBytes {}
// SAFETY: as above.
unsafe impl Sync for HeldBytes {}

impl HeldBytes {
    /// Wraps a reference of the caller.
    pub fn new(bytes: PackedByteArray) -> Self {
        Self(bytes)
    }

    /// Takes another reference.
    pub fn share(&self) -> Self {
        Self(self.0.clone())
    }

    /// Returns the array. Writing to it copies it first.
    pub fn array(&self) -> PackedByteArray {
        self.0.clone()
    }

    /// Borrows the bytes.
    pub fn bytes(&self) -> &[u8] {
        bytes_of(&self.0)
    }
}

/// A reference to an object of this library that any thread may keep and drop.
pub struct Reference<T: GodotClass>(Gd<T>);

// SAFETY: references to a RefCounted are counted atomically, and the engine lets any thread take and drop one. Dropping
// a `Gd` of another Object does nothing. Only the thread that calls `get` uses the object.
unsafe impl<T: GodotClass> Send for Reference<T> {}

impl<T: GodotClass> Reference<T> {
    /// Wraps a reference of the caller.
    pub fn new(object: Gd<T>) -> Self {
        Self(object)
    }

    /// Returns another reference to the object.
    pub fn get(&self) -> Gd<T> {
        self.0.clone()
    }
}
