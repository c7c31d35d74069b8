//! Slots that share their value with another Variant.

use varbatch_codec::Shape;

use super::set::Slot;
use crate::engine::api::api;
use crate::engine::view::{Value, View};

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
        Self::from(view.to_own())
    }

    /// Assigns another value as [`Self::set_copy`] does, but a packed array as [`Self::of_view`] does.
    pub fn set_own(&mut self, value: &Value) {
        let view = value.view();
        match view.kind().shape() {
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
