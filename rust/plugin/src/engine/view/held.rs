//! Counted references that any thread may hold and drop, beyond the value that they were taken from.
//!
//! Packed arrays and Strings are copied on write while there is another reference (`CowData` in the engine), so a
//! reference keeps the contents unchanged. A copy of a Variant would not: both would share the array itself.

use godot::prelude::*;
use varbatch_codec::{Keep, Payload};

use super::{View, bytes_of, chars, value};

/// A reference to an object of this library, to a packed array or to a String.
#[derive(Clone, Default)]
pub struct Reference<T>(T);

/// A reference to a byte array, which keeps its bytes unchanged.
pub type HeldBytes = Reference<PackedByteArray>;

/// What a [`Reference`] can refer to.
///
/// # Safety
/// The engine counts references atomically and lets any thread take and drop one. Contents are only read through a
/// reference, and writers copy them first while it exists; or only the thread that calls [`Reference::get`] uses them.
unsafe trait Counted {}

// SAFETY: it is copied on write.
unsafe impl Counted for PackedByteArray {}
// SAFETY: as above.
unsafe impl Counted for GString {}
// SAFETY: the Variant is a copy on write of its own.
unsafe impl Counted for PackedValue {}
// SAFETY: references to a RefCounted are counted atomically. Dropping a `Gd` of another Object does nothing.
unsafe impl<T: GodotClass> Counted for Gd<T> {}

// SAFETY: see `Counted`.
unsafe impl<T: Counted> Send for Reference<T> {}
// SAFETY: see `Counted`.
unsafe impl<T: Counted> Sync for Reference<T> {}

impl<T: Clone> Reference<T> {
    pub fn new(reference: T) -> Self {
        Self(reference)
    }

    pub fn into_inner(self) -> T {
        self.0
    }

    /// Takes another reference, for the calling thread. Writing to an array copies it first.
    pub fn get(&self) -> T {
        self.0.clone()
    }
}

impl HeldBytes {
    pub fn bytes(&self) -> &[u8] {
        bytes_of(&self.0)
    }
}

/// A packed array of plain data, in a Variant that nobody else has.
struct PackedValue(Variant);

impl AsRef<[u8]> for Reference<PackedValue> {
    fn as_ref(&self) -> &[u8] {
        value(&self.0.0).view().plain().bytes
    }
}

impl AsRef<[u32]> for Reference<GString> {
    fn as_ref(&self) -> &[u32] {
        chars(&self.0)
    }
}

impl<'a> Keep<'_, 'a> for View<'_> {
    fn bytes(self, _: &[u8]) -> Payload<'a> {
        Payload::HeldBytes(Box::new(Reference(PackedValue(self.to_own()))))
    }

    fn utf32(self, _: &[u32], len: u32) -> Payload<'a> {
        Payload::HeldUtf32 { chars: Box::new(Reference(self.gstring().clone())), len }
    }
}
