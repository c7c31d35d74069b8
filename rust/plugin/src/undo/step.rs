//! Values that an undo history must not share with scripts.

use godot::builtin::StringName;
use godot::classes::RefCounted;
use godot::obj::{Base, Gd};
use godot::register::{GodotClass, godot_api};

use super::states::OwnState;
use crate::engine::{self, Slot};

/// The object that an undo history calls. Not for users.
///
/// A history that held an Array itself would hold what a script changes in it later. This makes a new one each time, of bytes
/// that the steps of one property share.
#[derive(GodotClass)]
#[class(internal, no_init, base = RefCounted)]
pub struct VarBatchUndoStep {
    object: Slot,
    property: StringName,
    old: OwnState,
    new: OwnState,
    _base: Base<RefCounted>,
}

#[godot_api]
impl VarBatchUndoStep {
    /// Does it again.
    #[func]
    fn redo(&self) {
        self.set(&self.new);
    }

    /// Undoes it.
    #[func]
    fn undo(&self) {
        self.set(&self.old);
    }
}

impl VarBatchUndoStep {
    pub fn new(object: &Slot, property: &StringName, (old, new): (OwnState, OwnState)) -> Gd<Self> {
        let (object, property) = (Slot::of(object.value()), property.clone());
        Gd::from_init_fn(|base| Self { object, property, old, new, _base: base })
    }

    // A setter may run, and undo or do this again: it only reads itself.
    fn set(&self, state: &OwnState) {
        let mut value = Slot::new();
        state.build(&mut value);
        engine::set_property(self.object.value(), &self.property, value.value());
    }
}
