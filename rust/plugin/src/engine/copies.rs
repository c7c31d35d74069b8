//! Slots that share their value with another Variant.

use godot::builtin::Variant;
use varbatch_codec::Shape;

use super::api::api;
use super::read::{Value, View};
use super::slot::Slot;

impl Slot {
    /// Creates a slot with the same value. Containers are shared.
    pub fn of(value: &Value) -> Self {
        let mut slot = Self::new();
        slot.set_copy(value);
        slot
    }

    /// Assigns another value. Containers are shared with it.
    #[inline]
    pub fn set_copy(&mut self, value: &Value) {
        // SAFETY: the old value is released, and the other value is alive. Shared contents, objects included, are
        // counted atomically, so any thread may do this.
        unsafe { (api().interface.variant_new_copy)(self.release().cast(), value.variant().var_sys()) };
    }

    /// Creates a slot with the value of a view. A packed array is copied on write, instead of being shared.
    pub fn of_view(view: View<'_>) -> Self {
        let from_type = api().from_type[usize::from(view.kind.id())].expect("not Nil");
        let mut slot = Self::new();
        // SAFETY: the constructor is that of the kind. It makes a Variant from the value at `inner`, which it only
        // reads.
        slot.set_variant(unsafe { Variant::new_with_var_uninit(|variant| from_type(variant, view.inner)) });
        slot
    }

    /// Assigns another value as [`Self::set_copy`] does, but a packed array as [`Self::of_view`] does.
    pub fn set_own(&mut self, value: &Value) {
        let view = value.view();
        match view.kind.shape() {
            Shape::Packed { .. } | Shape::PackedStrings => *self = Self::of_view(view),
            _ => self.set_copy(value),
        }
    }

    /// Borrows slots as values, for reading only.
    pub fn values(slots: &[Self]) -> &[Value] {
        // SAFETY: both are transparent wrappers of Variant, and a `Value` only allows reading.
        unsafe { &*(std::ptr::from_ref(slots) as *const [Value]) }
    }
}
