//! What one task at a time owns, on whatever thread it goes on: results that nobody has seen yet, and an object.

use godot::builtin::{Array, PackedByteArray, Variant};
use godot::meta::Element;
use godot::obj::{Gd, GodotClass};
use godot::sys::GodotFfi;

use super::container_slot::{ArraySlot, new_array, new_byte_arrays};
use super::read::bytes_of;
use super::slot::Slot;

/// An Array, typed or not, that nobody else has.
pub struct OwnArray<T: Element>(Option<Array<T>>);

// SAFETY: nobody else has the array. Its memory is the engine's, which any thread may write to and free.
unsafe impl<T: Element> Send for OwnArray<T> {}

impl OwnArray<Variant> {
    /// An array of nils.
    pub fn new(count: usize) -> Self {
        Self(Some(new_array(count, |_| ())))
    }
}

impl OwnArray<PackedByteArray> {
    /// A typed array of empty byte arrays.
    pub fn byte_arrays(count: usize) -> Self {
        Self(Some(new_byte_arrays(count, |_| ())))
    }
}

impl<T: Element> OwnArray<T> {
    fn slot(&mut self) -> ArraySlot<'_> {
        ArraySlot::of(self.0.as_mut().expect("it is not taken yet").sys_mut())
    }

    /// Makes it `count` elements long; new ones are nil.
    pub fn resize(&mut self, count: usize) {
        self.slot().resize(count);
    }

    /// Returns `count` elements from `from` on, to be filled in. Makes the array longer than that.
    pub fn room(&mut self, from: usize, count: usize) -> &mut [Slot] {
        let needed = from + count;
        if self.slot().len() < needed {
            self.resize(needed.max(2 * from));
        }
        &mut self.elements()[from..needed]
    }

    /// The elements, to be filled in. Those of a typed array only with their type.
    pub fn elements(&mut self) -> &mut [Slot] {
        self.slot().into_elements()
    }

    /// Gives the array away.
    ///
    /// # Panics
    /// If it was given away before.
    pub fn take(&mut self) -> Array<T> {
        self.0.take().expect("it is not taken yet")
    }
}

/// A reference to the bytes of a byte array, which keeps them as they are: see [`super::held`].
#[derive(Default)]
pub struct HeldBytes(PackedByteArray);

// SAFETY: nobody else has this reference. It is only read, and dropped once; the references to the memory behind it are
// counted atomically, and who writes to that memory makes a copy first while this reference is there.
unsafe impl Send for HeldBytes {}
// SAFETY: as above.
unsafe impl Sync for HeldBytes {}

impl HeldBytes {
    /// Keeps a reference of the caller's own.
    pub fn new(bytes: PackedByteArray) -> Self {
        Self(bytes)
    }

    /// One more reference.
    pub fn share(&self) -> Self {
        Self(self.0.clone())
    }

    /// The array. Who writes to it makes a copy first.
    pub fn array(&self) -> PackedByteArray {
        self.0.clone()
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        bytes_of(&self.0)
    }
}

/// A reference to an object of ours that any thread may keep and drop.
pub struct Reference<T: GodotClass>(Gd<T>);

// SAFETY: the references to a RefCounted are counted atomically, and the engine lets any thread take and drop one; that to
// an Object does nothing when it is dropped. What is done with the object is done by the thread that calls `get`.
unsafe impl<T: GodotClass> Send for Reference<T> {}

impl<T: GodotClass> Reference<T> {
    /// Keeps a reference of the caller's own.
    pub fn new(object: Gd<T>) -> Self {
        Self(object)
    }

    /// The object.
    pub fn get(&self) -> Gd<T> {
        self.0.clone()
    }
}
