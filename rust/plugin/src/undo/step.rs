//! An undo step for values that a history must not share with scripts.

use godot::builtin::StringName;
use godot::classes::RefCounted;
use godot::obj::{Base, Gd};
use godot::register::{GodotClass, godot_api};

use super::listed::metadata_name;
use super::states::{OwnState, State};
use crate::engine::{self, Slot, Value};

/// The object that an undo history calls. Not for users.
///
/// If a history held an Array directly, scripts could change it later. This object builds a new Array each time, from
/// bytes that the steps of one property share.
#[derive(GodotClass)]
#[class(internal, no_init, base = RefCounted)]
pub struct VarBatchUndoStep {
    object: Slot,
    /// The script first, if it is one of them.
    properties: Box<[StepProperty]>,
    /// True if they are all that the object has.
    is_whole: bool,
    _base: Base<RefCounted>,
}

/// The states of a property before and after a step.
pub struct StepProperty {
    name: StringName,
    /// Its name as metadata, if it is that.
    metadata: Option<StringName>,
    old: OwnState,
    new: OwnState,
}

#[godot_api]
impl VarBatchUndoStep {
    /// Sets the new values.
    #[func]
    fn redo(&self) {
        self.set(|property| &property.new);
    }

    /// Sets the old values.
    #[func]
    fn undo(&self) {
        self.set(|property| &property.old);
    }
}

impl VarBatchUndoStep {
    /// A step of properties of an object; of all that it has if `is_whole`.
    pub fn new(object: &Value, properties: Box<[StepProperty]>, is_whole: bool) -> Gd<Self> {
        let object = Slot::of(object);
        Gd::from_init_fn(|base| Self { object, properties, is_whole, _base: base })
    }

    // A setter may run and call `undo` or `redo` again. That is safe: the step only reads itself.
    fn set(&self, state: impl Fn(&StepProperty) -> &OwnState) {
        if self.is_whole {
            // All of it, so that what comes back is in order.
            let metadata = self.properties.iter().filter_map(|property| property.metadata.as_ref());
            metadata.for_each(|name| engine::remove_meta(self.object.value(), name));
        }
        let mut left: Vec<_> = self.properties.iter().collect();
        let mut count = usize::MAX;
        // A property may only be there once another one is set, such as those that a mesh brings with it.
        while left.len() < count {
            count = left.len();
            left.retain(|property| !property.set(self.object.value(), state(property)));
        }
    }
}

impl StepProperty {
    pub fn new(object: &Value, name: &StringName, text: &str, old: State<'_>, new: State<'_>) -> Self {
        let (old, new) = OwnState::pair(object, text, old, new);
        Self { name: name.clone(), metadata: metadata_name(text), old, new }
    }

    /// Sets the property. Returns `false` if the object does not have it, but should.
    fn set(&self, object: &Value, state: &OwnState) -> bool {
        if state.is_none() {
            // It goes with the script, or with the property that brought it.
            return true;
        }
        let mut value = Slot::new();
        state.build(&mut value);
        engine::set_property(object, &self.name, value.value())
    }
}
