//! Registers modifications with an undo history of the engine, as one step.

use godot::prelude::*;

use super::changes::Changes;
use super::line::VarBatchUndoStep;
use super::step::Step;
use crate::engine::{self, Value};
use crate::objects::alive;

pub struct History {
    object: Gd<Object>,
    is_editor: bool,
}

impl History {
    /// Accepts an object of one of the engine's two history classes.
    pub fn new(value: &Value) -> Result<Self, String> {
        let object = alive(value).map(|_| value.variant().try_to::<Gd<Object>>());
        let found = match object {
            Err(found) => found.into(),
            Ok(Ok(object)) if object.is_class("UndoRedo") => return Ok(Self { object, is_editor: false }),
            Ok(Ok(object)) if object.is_class("EditorUndoRedoManager") => return Ok(Self { object, is_editor: true }),
            Ok(_) => engine::class_of(value).to_string(),
        };
        Err(format!("expected an UndoRedo or EditorUndoRedoManager, found {found}"))
    }

    /// Registers all modifications as one action, without executing it. Fails if a getter has freed the history.
    pub fn register(mut self, name: &GString, merge_mode: i64, changes: &Changes) -> Result<(), String> {
        let Some(first) = changes.iter().next() else { return Ok(()) };
        if !self.object.is_instance_valid() {
            return Err(FREED.into());
        }
        let mut args = vec![name.to_variant(), merge_mode.to_variant()];
        let manager = self.object.to_variant();
        if self.is_editor && self.history_of(&manager) == GLOBAL {
            // The history of a scene, if it has one of the objects: the scene is saved only then.
            let of_scene = changes.iter().find(|change| self.history_of(change.object.variant()) != GLOBAL);
            args.push(of_scene.unwrap_or(first).object.variant().clone());
        }
        self.object.call("create_action", &args);
        let number = if self.is_editor { self.history_of(&manager) } else { GLOBAL };
        let mut history = match self.is_editor {
            true => self.object.call("get_history_undo_redo", &[number.to_variant()]).to(),
            false => self.object.clone(),
        };
        let version = |history: &mut Gd<Object>| history.call("get_version", &[]).try_to().unwrap_or(0);
        let (key, before) = ((self.object.instance_id().to_i64(), number), version(&mut history));
        let step = VarBatchUndoStep::add_to(key, before, Step::new(changes));
        // What only dropped steps have kept may have freed it.
        if !self.object.is_instance_valid() {
            return Err(FREED.into());
        }
        for (add, method) in [("add_do_method", "redo"), ("add_undo_method", "undo")] {
            let args = match self.is_editor {
                true => vec![step.to_variant(), method.to_variant()],
                false => vec![Callable::from_object_method(&step, method).to_variant()],
            };
            self.object.call(add, &args);
        }
        self.object.call("commit_action", &[false.to_variant()]);
        // Who listens to the history may have freed it, or gone on with it.
        if history.is_instance_valid() {
            let is_last = !history.call("has_redo", &[]).booleanize();
            VarBatchUndoStep::settle(&step, key, [before, version(&mut history)], is_last);
        }
        Ok(())
    }

    /// Returns the number of the history that the editor has for an object; for others, that of the action which has begun.
    fn history_of(&self, object: &Variant) -> i64 {
        self.object.clone().call("get_object_history_id", std::slice::from_ref(object)).try_to().unwrap_or(GLOBAL)
    }
}

const FREED: &str = "nothing was registered, as a getter has freed the history";

/// `EditorUndoRedoManager.GLOBAL_HISTORY`: of what is in no scene.
const GLOBAL: i64 = 0;
