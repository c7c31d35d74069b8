//! Slots with values that somebody else has as well.

use godot::builtin::Variant;
use varbatch_codec::Shape;

use super::api::api;
use super::read::{Value, View};
use super::slot::Slot;

impl Slot {
    /// A slot of its own with a value that somebody else has as well.
    pub fn of(value: &Value) -> Self {
        let mut slot = Self::new();
        slot.set_copy(value);
        slot
    }

    /// Makes the value the same as another one. Containers are shared with it.
    #[inline]
    pub fn set_copy(&mut self, value: &Value) {
        self.release();
        // SAFETY: what was in the slot is gone, and the other value is alive. What the two share, an object among it, is
        // counted atomically, so that any thread may do this.
        unsafe { (api().interface.variant_new_copy)(self.memory().cast(), value.variant().var_sys()) };
    }

    /// A slot of its own with what a view shows. An array is not shared with it: who writes to one of the two copies it first.
    pub fn of_view(view: View<'_>) -> Self {
        let from_type = api().from_type[usize::from(view.kind.id())].expect("not Nil");
        let mut slot = Self::new();
        // SAFETY: the constructor is that of the kind, and makes a Variant of what `inner` points to. That is only read.
        slot.set_variant(unsafe { Variant::new_with_var_uninit(|variant| from_type(variant, view.inner)) });
        slot
    }

    /// Makes the value the same as another one, a packed array as [`Self::of_view`] does.
    pub fn set_own(&mut self, value: &Value) {
        let view = value.view();
        match view.kind.shape() {
            Shape::Packed { .. } | Shape::PackedStrings => *self = Self::of_view(view),
            _ => self.set_copy(value),
        }
    }

    /// Slots that are only read.
    pub fn values(slots: &[Self]) -> &[Value] {
        // SAFETY: both are transparent Variants, and a `Value` gives out less.
        unsafe { &*(std::ptr::from_ref(slots) as *const [Value]) }
    }
}
