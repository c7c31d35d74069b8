//! Registers modifications with an undo history of the engine.

use godot::builtin::{Callable, GString, StringName, VarArray, Variant};
use godot::classes::Object;
use godot::meta::ToGodot;
use godot::obj::Gd;
use godot::register::{GodotClass, godot_api};
use varbatch_codec::Kind;

use super::changes::{Changes, Modification};
use super::properties::metadata_name;
use super::record::alive;
use super::rows::has_parts;
use super::states::{OwnState, State};
use crate::engine::{self, Slot, Value};

/// `UndoRedo.MERGE_DISABLE`.
const MERGE_DISABLE: i64 = 0;

pub struct History {
    object: Gd<Object>,
    is_editor: bool,
}

impl History {
    /// Accepts an object of one of the engine's two history classes.
    pub fn new(value: &Value) -> Result<Self, String> {
        let found = match alive(value) {
            Err(found) => found.into(),
            Ok(_) => match value.variant().try_to::<Gd<Object>>() {
                Ok(object) if object.is_class("UndoRedo") => return Ok(Self { object, is_editor: false }),
                Ok(object) if object.is_class("EditorUndoRedoManager") => return Ok(Self { object, is_editor: true }),
                _ => engine::class_of(value).to_string(),
            },
        };
        Err(format!("expected an UndoRedo or EditorUndoRedoManager, found {found}"))
    }

    /// Registers all modifications as one action, without executing it.
    pub fn register(mut self, name: &GString, changes: &Changes) {
        let Some(first) = changes.iter().next() else { return };
        let mut args = vec![name.to_variant(), MERGE_DISABLE.to_variant()];
        if self.is_editor {
            // The first object selects the history for all modifications, even those of other scenes.
            args.push(first.object.variant().clone());
        }
        self.object.call("create_action", &args);
        let mut last = None;
        for change in changes.iter() {
            match change.whole {
                None => self.add(&change),
                Some(whole) if last == Some(whole) => {}
                Some(whole) => {
                    let property = |(name, text, old, new)| StepProperty::new(change.object, name, text, old, new);
                    let properties = changes.whole(whole).map(property).collect();
                    self.add_step(VarBatchUndoStep::new(change.object, properties, true));
                }
            }
            last = change.whole;
        }
        self.object.call("commit_action", &[false.to_variant()]);
    }

    fn add(&mut self, change: &Modification<'_>) {
        let object = change.object.variant();
        if is_shared(change.old.kind()) || is_shared(change.new.kind()) {
            let property = StepProperty::new(change.object, change.name, change.text, change.old, change.new);
            return self.add_step(VarBatchUndoStep::new(change.object, [property].into(), false));
        }
        let (old, new) = change.values();
        let (old, new) = (old.value().variant().clone(), new.value().variant().clone());
        if change.narrowed.is_none() {
            let name = change.name.to_variant();
            self.object.call("add_do_property", &[object.clone(), name.clone(), new]);
            self.object.call("add_undo_property", &[object.clone(), name, old]);
            return;
        }
        let path = change.path().to_variant();
        self.add_method("add_do_method", object, "set_indexed", &[path.clone(), new]);
        self.add_method("add_undo_method", object, "set_indexed", &[path, old]);
    }

    fn add_step(&mut self, step: Gd<VarBatchUndoStep>) {
        let step = step.upcast::<Object>().to_variant();
        self.add_method("add_do_method", &step, "redo", &[]);
        self.add_method("add_undo_method", &step, "undo", &[]);
    }

    /// Calls a method that the two classes declare differently.
    fn add_method(&mut self, add: &str, object: &Variant, method: &str, args: &[Variant]) {
        if self.is_editor {
            let mut all = vec![object.clone(), StringName::from(method).to_variant()];
            all.extend_from_slice(args);
            self.object.call(add, &all);
        } else if let Ok(object) = object.try_to::<Gd<Object>>() {
            let callable =
                Callable::from_object_method(&object, method).bindv(&args.iter().cloned().collect::<VarArray>());
            self.object.call(add, &[callable.to_variant()]);
        }
    }
}

/// True if a value must be rebuilt each time: scripts may change it, or objects in it may be freed.
fn is_shared(kind: Kind) -> bool {
    kind == Kind::Object || has_parts(kind)
}

/// The object that an undo history calls. Not for users.
///
/// Scripts could change an Array that a history holds. This builds a new one each time, of bytes that steps share.
#[derive(GodotClass)]
#[class(internal, no_init, base = RefCounted)]
pub struct VarBatchUndoStep {
    object: Slot,
    /// The script first, if it is one of them.
    properties: Box<[StepProperty]>,
    /// True if they are all that the object has.
    is_whole: bool,
}

/// The states of a property before and after a step.
struct StepProperty {
    name: StringName,
    old: OwnState,
    new: OwnState,
}

#[godot_api]
impl VarBatchUndoStep {
    #[func]
    fn redo(&self) {
        self.set(|property| &property.new);
    }

    #[func]
    fn undo(&self) {
        self.set(|property| &property.old);
    }
}

impl VarBatchUndoStep {
    /// A step of properties of an object; of all that it has if `is_whole`.
    fn new(object: &Value, properties: Box<[StepProperty]>, is_whole: bool) -> Gd<Self> {
        let object = Slot::of(object);
        Gd::from_init_fn(|_| Self { object, properties, is_whole })
    }

    // A setter may run and call `undo` or `redo` again. That is safe: the step only reads itself.
    fn set(&self, state: impl Fn(&StepProperty) -> &OwnState) {
        if self.is_whole {
            // All of it, so that what comes back is in order.
            let metadata = self.properties.iter().filter_map(|property| metadata_name(&property.name.to_string()));
            metadata.for_each(|name| engine::remove_meta(self.object.value(), &name));
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
    fn new(object: &Value, name: &StringName, text: &str, old: State<'_>, new: State<'_>) -> Self {
        let (old, new) = OwnState::pair(object, text, old, new);
        Self { name: name.clone(), old, new }
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
