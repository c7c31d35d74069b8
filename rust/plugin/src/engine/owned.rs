//! What one task at a time owns, on whatever thread it goes on: results that nobody has seen yet, and an object.

use godot::builtin::{PackedByteArray, VarArray, Variant};
use godot::meta::ToGodot;
use godot::obj::{Gd, GodotClass};
use godot::sys::GodotFfi;
use varbatch_codec::Kind;

use super::container_slot::{new_array, new_byte_arrays};
use super::read::{bytes_of, packed_data};
use super::slot::Slot;
use super::write::{BytesOut, Memory};

/// An Array, typed or not, that nobody else has.
pub struct OwnArray {
    /// A Variant, as only that is the same for typed arrays.
    array: Slot,
}

impl OwnArray {
    /// Nils.
    pub fn new(count: usize) -> Self {
        Self::of(new_array(count, |_| ()).to_variant())
    }

    /// Empty byte arrays in a typed array.
    pub fn byte_arrays(count: usize) -> Self {
        Self::of(new_byte_arrays(count, |_| ()).to_variant())
    }

    fn of(variant: Variant) -> Self {
        let mut array = Slot::new();
        array.set_variant(variant);
        Self { array }
    }

    /// Makes it `count` elements long; new ones are nil.
    pub fn resize(&mut self, count: usize) {
        self.array.array().resize(count);
    }

    /// `count` elements from `from` on, to be filled in. Makes the array longer, and more than that.
    pub fn room(&mut self, from: usize, count: usize) -> &mut [Slot] {
        let needed = from + count;
        if self.array.array().len() < needed {
            self.resize(needed.max(2 * from));
        }
        &mut self.elements()[from..needed]
    }

    /// The elements, to be filled in. Those of a typed array only with their type.
    pub fn elements(&mut self) -> &mut [Slot] {
        self.array.array().into_elements()
    }

    /// The array as a value.
    pub fn into_slot(self) -> Slot {
        self.array
    }

    /// The array itself.
    pub fn into_array(self) -> VarArray {
        self.array.value().variant().to()
    }
}

/// A byte array that is filled from its start to its end, over time. Nobody else has it.
pub struct Filling {
    bytes: PackedByteArray,
    done: usize,
}

// SAFETY: nobody else has the array, and its memory is the engine's, which any thread may write to and free.
unsafe impl Send for Filling {}

impl Filling {
    /// One of `len` bytes, which have no value yet.
    pub fn new(len: usize) -> Self {
        let mut bytes = PackedByteArray::new();
        bytes.allocate(len);
        Self { bytes, done: 0 }
    }

    /// Bytes that have no value yet.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.done
    }

    /// Memory for the next `len` bytes, to be given a value at once.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn next(&mut self, len: usize) -> Memory<'_> {
        assert!(len <= self.left(), "more bytes than planned");
        let from = self.done;
        self.done += len;
        if len == 0 {
            return &mut [];
        }
        // SAFETY: the array is borrowed for writing, nobody else has it, and it has as many bytes.
        unsafe {
            let data = packed_data(Kind::PackedByteArray, self.bytes.sys_mut(), true);
            std::slice::from_raw_parts_mut(data.cast_mut().add(from).cast(), len)
        }
    }

    /// The array.
    ///
    /// # Panics
    /// If not all of it was filled.
    pub fn into_bytes(self) -> PackedByteArray {
        assert_eq!(self.left(), 0, "fewer bytes than planned");
        self.bytes
    }
}

/// A reference to the bytes of a byte array, which keeps them as they are: see [`super::held`].
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

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        bytes_of(&self.0)
    }
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        self.bytes()
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
