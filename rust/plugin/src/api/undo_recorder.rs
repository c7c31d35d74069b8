//! Class `VarBatchUndoRecorder`: reports what an edit changed, as modifications of properties.

use std::sync::{Arc, Mutex};

use godot::builtin::{AnyArray, AnyDictionary, Array, GString, PackedStringArray, VarDictionary, Variant};
use godot::classes::RefCounted;
use godot::obj::{Base, Gd};
use godot::register::{GodotClass, godot_api};
use varbatch_codec::Kind;

use crate::calls::pairs::{self, NoPair};
use crate::engine::{self, DictionaryArg, ObjectArg, Slot, Value};
use crate::report::{Line, OBJECTS, Reports};
use crate::undo::changes::Changes;
use crate::undo::commit::History;
use crate::undo::compare::compare;
use crate::undo::counterparts::map_references;
use crate::undo::record::record;
use crate::undo::recording::Recording;
use crate::undo::references::{Pair, References};
use crate::undo::wanted::Wanted;
use crate::undo::{deep, lock, rows, shared};

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
        #[opt(default = &PackedStringArray::new())] except: PackedStringArray,
    ) {
        let reports = record_one(&this, &object, &Wanted::new(&properties, &except));
        print("record", reports.lines(&OBJECTS));
    }

    /// Records all of an object, for an edit that may change which properties it has.
    #[func(gd_self)]
    fn record_complete(
        this: Gd<Self>,
        object: ObjectArg,
        #[opt(default = &PackedStringArray::new())] except: PackedStringArray,
    ) {
        let reports = record_one(&this, &object, &Wanted::complete(&except));
        print("record_complete", reports.lines(&OBJECTS));
    }

    /// Records the states of many objects.
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
                return print("record_all", [Line::error(text)]);
            }
        };
        let recording = Arc::clone(&this.bind().recording);
        let objects: Vec<_> = engine::values(&objects).iter().map(Slot::of).collect();
        let is_batch = objects.len() > 1;
        let named = |index| if is_batch { format!("object {index}: ") } else { String::new() };
        let reports = record(&recording, objects, &wanted, &named);
        print("record_all", reports.lines(&OBJECTS));
    }

    /// Returns how an object differs from another one.
    #[func]
    fn compare(
        before: ObjectArg,
        after: ObjectArg,
        #[opt(default = &PackedStringArray::new())] properties: PackedStringArray,
        #[opt(default = &DictionaryArg::empty())] references: DictionaryArg,
    ) -> Array<VarDictionary> {
        let pair = Pair::new(before.value(), after.value());
        compared("compare", &[pair], &properties, &references, &|_| String::new())
    }

    /// Returns how many objects differ from others.
    #[func]
    fn compare_all(
        pairs: Variant,
        #[opt(default = &PackedStringArray::new())] properties: PackedStringArray,
        #[opt(default = &DictionaryArg::empty())] references: DictionaryArg,
    ) -> Array<VarDictionary> {
        match pairs_of(engine::value(&pairs)) {
            Ok(pairs) => compared("compare_all", &pairs, &properties, &references, &|index| format!("pair {index}: ")),
            Err(text) => {
                print("compare_all", [Line::error(text)]);
                Array::new()
            }
        }
    }

    /// Returns the objects of a tree with those of another one that belong to them.
    #[func]
    fn map_references(before: ObjectArg, after: ObjectArg) -> VarDictionary {
        let (map, reports) = map_references(Pair::new(before.value(), after.value()));
        print("map_references", reports.lines(&OBJECTS));
        map
    }

    /// Returns the changes since the objects were recorded, and ends the recording.
    #[func(gd_self)]
    fn flush(this: Gd<Self>, #[opt(default = false)] deep: bool) -> Array<VarDictionary> {
        let (changes, reports) = take_changes(&this);
        let modifications = if deep { deep::to_array(&changes) } else { rows::to_array(&changes, false) };
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

fn record_one(this: &Gd<VarBatchUndoRecorder>, object: &ObjectArg, wanted: &Wanted) -> Reports {
    let recording = Arc::clone(&this.bind().recording);
    record(&recording, vec![Slot::of(object.value())], wanted, &|_| String::new())
}

fn compared(
    method: &str,
    pairs: &[Pair],
    properties: &PackedStringArray,
    references: &DictionaryArg,
    named: &dyn Fn(usize) -> String,
) -> Array<VarDictionary> {
    let mut map = References::default();
    entries_of(references.dictionary()).iter().for_each(|pair| map.add(pair));
    let (changes, reports) = compare(pairs, &Wanted::now(properties), map, named);
    let modifications = rows::to_array(&changes, true);
    drop(changes);
    print(method, reports.lines(&OBJECTS));
    modifications
}

/// Returns the entries of a Dictionary, or the elements of an Array, as pairs.
fn pairs_of(pairs: &Value) -> Result<Vec<Pair>, String> {
    let view = pairs.view();
    match view.kind() {
        Kind::Dictionary => Ok(entries_of(&pairs.variant().to())),
        Kind::Array => view.elements().iter().enumerate().map(pair).collect(),
        kind => Err(format!("expected a Dictionary or an Array of pairs, found {}", kind.name())),
    }
}

fn pair((index, element): (usize, &Value)) -> Result<Pair, String> {
    let found = match pairs::parts(element) {
        Ok([before, after]) => return Ok(Pair::new(before, after)),
        Err(NoPair::Size(size)) => format!("one of size {size}"),
        Err(NoPair::Other(kind) | NoPair::Element(_, kind)) => kind.name().to_owned(),
    };
    Err(format!("pair {index}: expected an Array of two objects, found {found}"))
}

fn entries_of(dictionary: &AnyDictionary) -> Vec<Pair> {
    let pair = |(before, after): (Variant, Variant)| Pair::new(engine::value(&before), engine::value(&after));
    dictionary.iter_shared().map(pair).collect()
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
