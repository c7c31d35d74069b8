//! Class `VarBatchUndoRecorder`: reports what an edit changed, as modifications of properties.

use std::sync::{Arc, Mutex};

use godot::builtin::{AnyArray, Array, GString, PackedStringArray, VarDictionary};
use godot::classes::RefCounted;
use godot::obj::{Base, Gd};
use godot::register::{GodotClass, godot_api};

use crate::engine::{self, ObjectArg, Slot};
use crate::report::{Line, OBJECTS, Reports};
use crate::undo::changes::Changes;
use crate::undo::commit::History;
use crate::undo::deep;
use crate::undo::record::{Wanted, record};
use crate::undo::recording::Recording;
use crate::undo::{lock, shared};

/// Documented for users in `docs/VarBatchUndoRecorder.xml`.
#[derive(GodotClass)]
#[class(init, base = RefCounted)]
pub struct VarBatchUndoRecorder {
    #[init(val = shared(Mutex::default()))]
    recording: Arc<Mutex<Recording>>,
    _base: Base<RefCounted>,
}

#[godot_api]
impl VarBatchUndoRecorder {
    /// Records the state of an object.
    #[func(gd_self)]
    fn record(
        this: Gd<Self>,
        object: ObjectArg,
        #[opt(default = &PackedStringArray::new())] properties: PackedStringArray,
    ) {
        let recording = Arc::clone(&this.bind().recording);
        let reports = record(&recording, vec![Slot::of(object.value())], &Wanted::new(&properties));
        print("record", reports.lines(&OBJECTS));
    }

    /// Records the states of many objects.
    #[func(gd_self)]
    fn record_all(
        this: Gd<Self>,
        objects: AnyArray,
        #[opt(default = &PackedStringArray::new())] properties: PackedStringArray,
    ) {
        let recording = Arc::clone(&this.bind().recording);
        let objects = engine::values(&objects).iter().map(Slot::of).collect();
        let reports = record(&recording, objects, &Wanted::new(&properties));
        print("record_all", reports.lines(&OBJECTS));
    }

    /// Returns the changes since the objects were recorded, and ends the recording.
    #[func(gd_self)]
    fn flush(this: Gd<Self>, #[opt(default = false)] deep: bool) -> Array<VarDictionary> {
        let (changes, reports) = take_changes(&this);
        let modifications = if deep { deep::to_array(&changes) } else { changes.to_array() };
        // Objects that only the recording kept alive are freed before anything is printed.
        drop(changes);
        print("flush", reports.lines(&OBJECTS));
        modifications
    }

    /// Registers the changes since the objects were recorded as one action of an undo history.
    #[func(gd_self)]
    fn commit(this: Gd<Self>, undo_redo: ObjectArg, action_name: GString) -> i64 {
        let history = match History::new(undo_redo.value()) {
            Ok(history) => history,
            Err(text) => {
                print("commit", [Line::error(text)]);
                return 0;
            }
        };
        let (changes, reports) = take_changes(&this);
        history.register(&action_name, &changes);
        let count = changes.len();
        drop(changes);
        print("commit", reports.lines(&OBJECTS));
        i64::try_from(count).unwrap_or(i64::MAX)
    }
}

/// Ends the recording and finds the changes.
fn take_changes(this: &Gd<VarBatchUndoRecorder>) -> (Changes, Reports) {
    let recording = Arc::clone(&this.bind().recording);
    let taken = std::mem::take(&mut *lock(&recording));
    Changes::find(taken)
}

fn print(method: &str, lines: impl IntoIterator<Item = Line>) {
    lines.into_iter().for_each(|line| line.print("VarBatchUndoRecorder", method));
}
