//! Counted references to packed arrays and Strings, which keep their contents beyond the value that held them.
//!
//! Packed arrays and Strings are copied on write while there is another reference (`CowData` in the engine's
//! `core/templates/cowdata.h`), so a reference keeps the contents unchanged. A copy of a Variant would not: both
//! Variants would share the array itself.

use godot::builtin::{GString, Variant};
use varbatch_codec::{Copied, Keep, Payload};

use super::api::api;
use super::read::{Str, View, chars, value};

/// A separate Variant with the packed array of plain data, or the String, of another one.
struct HeldValue(Variant);

/// An element of a PackedStringArray.
struct HeldString(GString);

// SAFETY: nobody else has this Variant. It is only read, and dropped once, on any thread: references to its contents
// are counted atomically, and writers copy the contents first while this reference exists.
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
        // SAFETY: the constructor is that of the kind. It makes a Variant from the value at `inner`, which it only
        // reads.
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
