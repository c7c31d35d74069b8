//! Makes texts and names in place.

use godot::meta::ToGodot;
use varbatch_codec::Kind;

use super::set::Slot;
use super::write::{StringSlot, name_of, node_path_of};
use crate::engine::api::api;
use crate::engine::layout;

impl Slot {
    /// Makes the value a String.
    #[inline]
    pub fn set_string(&mut self, text: &str) {
        let inner = self.set_empty(Kind::String);
        // SAFETY: `inner` is the String in this slot, which is mutably borrowed.
        unsafe { StringSlot::from_inner(inner) }.set(text);
    }

    /// Makes the value a StringName.
    pub fn set_string_name(&mut self, text: &str) {
        // SAFETY: a StringName is one pointer.
        unsafe { self.set_pointer(Kind::StringName, name_of(text)) };
    }

    /// Makes the value the NodePath of a text.
    pub fn set_node_path(&mut self, text: &str) {
        // SAFETY: a NodePath is one pointer.
        unsafe { self.set_pointer(Kind::NodePath, node_path_of(text)) };
    }

    /// # Safety
    /// `T` is the type of `kind`, which is one pointer.
    unsafe fn set_pointer<T: ToGodot>(&mut self, kind: Kind, value: T) {
        match api().is_known {
            // SAFETY: the layout is known, and the old value is released. Pointers are stored inside the Variant.
            true => unsafe { layout::write(self.release(), kind, value) },
            false => self.set(value),
        }
    }
}
