//! An undo step for values that a history must not share with scripts.

use godot::builtin::StringName;
use godot::classes::RefCounted;
use godot::obj::{Base, Gd};
use godot::register::{GodotClass, godot_api};

use super::states::OwnState;
use crate::engine::{self, Slot};

/// The object that an undo history calls. Not for users.
///
/// If a history held an Array directly, scripts could change it later. This object builds a new Array each time, from
/// bytes that the steps of one property share.
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
    /// Sets the new value.
    #[func]
    fn redo(&self) {
        self.set(&self.new);
    }

    /// Sets the old value.
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

    // A setter may run and call `undo` or `redo` again. That is safe: the step only reads itself.
    fn set(&self, state: &OwnState) {
        let mut value = Slot::new();
        state.build(&mut value);
        engine::set_property(self.object.value(), &self.property, value.value());
    }
}
