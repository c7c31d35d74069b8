//! References of our own to what values hold, so that it outlives them.
//!
//! Packed arrays and Strings are copied when they are written to while somebody else has a reference (`CowData` in the
//! engine's `core/templates/cowdata.h`). A reference of ours so keeps what was there. A copy of a Variant would not: the
//! two would share the array itself.

use godot::builtin::{GString, Variant};
use varbatch_codec::{Copied, Keep, Payload};

use super::api::api;
use super::read::{Str, View, chars, value};

/// A Variant of its own for what another one holds: a packed array of plain data, or a String.
struct HeldValue(Variant);

/// An element of a PackedStringArray.
struct HeldString(GString);

// SAFETY: nobody else has this Variant. It is only read, and dropped once, on any thread: the references to the memory
// behind it are counted atomically, and who writes to that memory makes a copy first while this reference is there.
unsafe impl Send for HeldValue {}
// SAFETY: as above.
unsafe impl Sync for HeldValue {}
// SAFETY: as above.
unsafe impl Send for HeldString {}
// SAFETY: as above.
unsafe impl Sync for HeldString {}

impl HeldValue {
    fn of(view: View<'_>) -> Self {
        let from_type = api().from_type[usize::from(view.kind.id())].expect("not Nil");
        // SAFETY: the constructor is that of the kind, and makes a Variant of what `inner` points to. That is only read.
        Self(unsafe { Variant::new_with_var_uninit(|variant| from_type(variant, view.inner)) })
    }
}

impl AsRef<[u8]> for HeldValue {
    fn as_ref(&self) -> &[u8] {
        value(&self.0).view().plain().bytes
    }
}

impl AsRef<[u32]> for HeldValue {
    fn as_ref(&self) -> &[u32] {
        value(&self.0).view().string()
    }
}

impl AsRef<[u32]> for HeldString {
    fn as_ref(&self) -> &[u32] {
        chars(&self.0)
    }
}

impl<'a> Keep<'_, 'a> for View<'_> {
    type Names = Copied;

    fn bytes(self, _: &[u8]) -> Payload<'a> {
        Payload::HeldBytes(Box::new(HeldValue::of(self)))
    }

    fn utf32(self, _: &[u32], len: u32) -> Payload<'a> {
        Payload::HeldUtf32 { chars: Box::new(HeldValue::of(self)), len }
    }
}

impl<'a> Keep<'_, 'a> for &Str {
    type Names = Copied;

    fn bytes(self, _: &[u8]) -> Payload<'a> {
        unreachable!("a String has characters")
    }

    fn utf32(self, _: &[u32], len: u32) -> Payload<'a> {
        Payload::HeldUtf32 { chars: Box::new(HeldString(self.string().clone())), len }
    }
}
