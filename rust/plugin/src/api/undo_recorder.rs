//! Class `VarBatchUndoRecorder`: reports what an edit changed, as modifications of properties.

use std::sync::{Arc, Mutex};

use godot::builtin::{AnyArray, AnyDictionary, Array, GString, PackedStringArray, VarDictionary, Variant};
use godot::obj::Gd;
use godot::register::{GodotClass, godot_api};
use varbatch_codec::Kind;

use super::task::end_of;
use crate::calls::change::parts;
use crate::engine::{self, DictionaryArg, ObjectArg, Slot, Value, value};
use crate::jobs::lock;
use crate::report::{Line, OBJECTS, Outcome};
use crate::undo::changes::Changes;
use crate::undo::commit::History;
use crate::undo::compare::{Pair, References, compare, map_references};
use crate::undo::record::{Wanted, record};
use crate::undo::recording::Recording;
use crate::undo::rows;

#[derive(GodotClass)]
#[class(init, base = RefCounted)]
pub struct VarBatchUndoRecorder {
    recording: Arc<Mutex<Recording>>,
}

#[godot_api]
impl VarBatchUndoRecorder {
    #[func(gd_self)]
    fn record(
        this: Gd<Self>,
        object: ObjectArg,
        #[opt(default = &PackedStringArray::new())] properties: PackedStringArray,
        #[opt(default = &PackedStringArray::new())] except: PackedStringArray,
    ) {
        record_in(&this, "record", vec![Slot::of(value(&object.0))], &Wanted::new(&properties, &except));
    }

    /// Records all of an object, for an edit that may change which properties it has.
    #[func(gd_self)]
    fn record_complete(
        this: Gd<Self>,
        object: ObjectArg,
        #[opt(default = &PackedStringArray::new())] except: PackedStringArray,
    ) {
        record_in(&this, "record_complete", vec![Slot::of(value(&object.0))], &Wanted::complete(&except));
    }

    #[func(gd_self)]
    fn record_all(
        this: Gd<Self>,
        objects: AnyArray,
        #[opt(default = &PackedStringArray::new())] properties: PackedStringArray,
        #[opt(default = &PackedStringArray::new())] except: PackedStringArray,
        #[opt(default = false)] complete: bool,
    ) {
        let wanted = match (complete, properties.is_empty()) {
            (false, _) => Wanted::new(&properties, &except),
            (true, true) => Wanted::complete(&except),
            (true, false) => {
                let text = "expected no properties, because complete is true: all of them are recorded";
                return end("record_all", (), vec![Line::error(text)]);
            }
        };
        record_in(&this, "record_all", engine::values(&objects).iter().map(Slot::of).collect(), &wanted);
    }

    #[func]
    fn compare(
        before: ObjectArg,
        after: ObjectArg,
        #[opt(default = &PackedStringArray::new())] properties: PackedStringArray,
        #[opt(default = &DictionaryArg::empty())] references: DictionaryArg,
    ) -> Array<VarDictionary> {
        let pair = Pair::new(value(&before.0), value(&after.0));
        compared("compare", &[pair], &properties, &references, &|_| String::new())
    }

    #[func]
    fn compare_all(
        pairs: Variant,
        #[opt(default = &PackedStringArray::new())] properties: PackedStringArray,
        #[opt(default = &DictionaryArg::empty())] references: DictionaryArg,
    ) -> Array<VarDictionary> {
        match pairs_of(value(&pairs)) {
            Ok(pairs) => compared("compare_all", &pairs, &properties, &references, &|index| format!("pair {index}: ")),
            Err(text) => end("compare_all", Array::new(), vec![Line::error(text)]),
        }
    }

    #[func]
    fn map_references(before: ObjectArg, after: ObjectArg) -> VarDictionary {
        let (map, reports) = map_references(Pair::new(value(&before.0), value(&after.0)));
        end("map_references", map, reports.lines(&OBJECTS))
    }

    #[func(gd_self)]
    fn flush(this: Gd<Self>, #[opt(default = false)] deep: bool) -> Array<VarDictionary> {
        end_recording(&this, "flush", |changes| match deep {
            true => Ok(rows::deep_to_array(changes)),
            false => Ok(rows::to_array(changes, false)),
        })
    }

    #[func(gd_self)]
    fn commit(this: Gd<Self>, undo_redo: ObjectArg, action_name: GString, #[opt(default = 0)] merge_mode: i64) -> i64 {
        let refused = |text| end("commit", 0, vec![Line::error(text)]);
        let history = match History::new(value(&undo_redo.0)) {
            Ok(_) if !(0..=2).contains(&merge_mode) => {
                return refused(format!("expected a merge mode of UndoRedo, found {merge_mode}"));
            }
            Ok(history) => history,
            Err(text) => return refused(text),
        };
        end_recording(&this, "commit", |changes| {
            history.register(&action_name, merge_mode, changes)?;
            Ok(i64::try_from(changes.len()).unwrap_or(i64::MAX))
        })
    }
}

fn record_in(this: &Gd<VarBatchUndoRecorder>, method: &str, objects: Vec<Slot>, wanted: &Wanted) {
    let (recording, is_batch) = (Arc::clone(&this.bind().recording), objects.len() > 1);
    let named = |index| if is_batch { format!("object {index}: ") } else { String::new() };
    end(method, (), record(&recording, objects, wanted, &named).lines(&OBJECTS));
}

fn compared(
    method: &str,
    pairs: &[Pair],
    properties: &PackedStringArray,
    references: &DictionaryArg,
    named: &dyn Fn(usize) -> String,
) -> Array<VarDictionary> {
    let mut map = References::default();
    entries_of(&references.0).iter().for_each(|pair| map.add(pair));
    let (changes, reports) = compare(pairs, &Wanted::now(properties), map, named);
    let modifications = rows::to_array(&changes, true);
    drop(changes);
    end(method, modifications, reports.lines(&OBJECTS))
}

/// Returns the entries of a Dictionary, or the elements of an Array, as pairs.
fn pairs_of(pairs: &Value) -> Result<Vec<Pair>, String> {
    let view = pairs.view();
    let pair = |(index, element)| {
        let refused = |found| format!("pair {index}: expected an Array of two objects, found {found}");
        parts(element, "one").map(|[before, after]| Pair::new(before, after)).map_err(refused)
    };
    match view.kind() {
        Kind::Dictionary => Ok(entries_of(&pairs.variant().to())),
        Kind::Array => view.elements().iter().enumerate().map(pair).collect(),
        kind => Err(format!("expected a Dictionary or an Array of pairs, found {}", kind.name())),
    }
}

fn entries_of(dictionary: &AnyDictionary) -> Vec<Pair> {
    let pair = |(before, after): (Variant, Variant)| Pair::new(value(&before), value(&after));
    dictionary.iter_shared().map(pair).collect()
}

/// Ends the recording, finds the changes and returns what `make` makes of them.
fn end_recording<R: Default>(
    this: &Gd<VarBatchUndoRecorder>,
    method: &str,
    make: impl FnOnce(&Changes) -> Result<R, String>,
) -> R {
    let recording = Arc::clone(&this.bind().recording);
    let taken = std::mem::take(&mut *lock(&recording));
    let (changes, reports) = Changes::find(taken);
    let made = make(&changes);
    // Objects that only the recording kept alive are freed before anything is printed.
    drop(changes);
    let mut lines = reports.lines(&OBJECTS);
    let made = made.unwrap_or_else(|why| {
        lines.push(Line::error(why));
        R::default()
    });
    end(method, made, lines)
}

fn end<T>(method: &str, value: T, lines: Vec<Line>) -> T {
    end_of("VarBatchUndoRecorder", method, Outcome::new(value, lines))
}
