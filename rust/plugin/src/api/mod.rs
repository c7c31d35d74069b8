//! The classes that GDScript sees, and what their calls print.

mod files;
mod said;
mod table;
pub mod task;
mod undo_recorder;
mod var_batch;

use self::var_batch::VarBatch;
use crate::engine;

/// Adds to the class what is not a `#[func]`. To be called when it is registered.
pub fn register() {
    engine::register::<VarBatch>();
    engine::register_dialects::<VarBatch>();
}

/// Gives the editor the documentation of the class.
pub fn load_docs() {
    engine::load_docs(include_str!("../../docs/VarBatch.xml"));
    engine::load_docs(include_str!("../../docs/VarBatchTask.xml"));
    engine::load_docs(include_str!("../../docs/VarBatchUndoRecorder.xml"));
}

#[cfg(test)]
#[path = "../../tests/unit/api.rs"]
mod tests;
