//! Makes texts and names in place.

use varbatch_codec::Kind;

use super::api::api;
use super::layout;
use super::slot::Slot;
use super::write::{StringSlot, name_of, node_path_of};

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
        let name = name_of(text);
        if !api().layout.is_known {
            return self.set(name);
        }
        // SAFETY: the layout is known, and the old value is released. A StringName is one pointer.
        unsafe { layout::write(self.release(), Kind::StringName, name) };
    }

    /// Makes the value the NodePath of a text.
    pub fn set_node_path(&mut self, text: &str) {
        let path = node_path_of(text);
        if !api().layout.is_known {
            return self.set(path);
        }
        // SAFETY: the layout is known, and the old value is released. A NodePath is one pointer.
        unsafe { layout::write(self.release(), Kind::NodePath, path) };
    }
}
