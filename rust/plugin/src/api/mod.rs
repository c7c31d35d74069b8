//! The classes that GDScript sees, documented for users in `docs/*.xml`, and the printing of their messages.

mod diagnostics;
mod state;
#[cfg(feature = "store")]
mod store;
pub mod task;
mod type_table;
mod undo_recorder;
mod var_batch;

use self::var_batch::VarBatch;
use crate::engine;
use crate::report::{Failure, Outcome};

/// Registers the members of the class that are not `#[func]`s. Call it after gdext has registered the class.
pub fn register() {
    engine::register::<VarBatch>();
    engine::register_dialects::<VarBatch>();
}

/// Ends a call with an invalid argument, which was not made.
pub fn refuse(class: &str, method: &str, text: String) {
    task::end_of(class, method, Outcome::failed((), Failure::invalid(text)));
}

pub fn load_docs() {
    engine::load_docs(include_str!("../../docs/VarBatch.xml"));
    engine::load_docs(include_str!("../../docs/VarBatchState.xml"));
    #[cfg(feature = "store")]
    engine::load_docs(include_str!("../../docs/VarBatchStore.xml"));
    engine::load_docs(include_str!("../../docs/VarBatchTask.xml"));
    engine::load_docs(include_str!("../../docs/VarBatchUndoRecorder.xml"));
}

#[cfg(test)]
#[path = "../../tests/unit/api.rs"]
mod tests;
