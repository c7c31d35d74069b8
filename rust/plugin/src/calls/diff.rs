//! Compares buffers: the codec finds the changes, and `value::change_rows` turns them into Dictionaries.
//!
//! A call holds references of its own to the bytes, because building objects may run scripts.

use godot::builtin::{AnyArray, Array, PackedByteArray, VarArray, VarDictionary};
use godot::meta::ToGodot;
use varbatch_codec::change::{self, Changes, DiffError, DiffOptions};

use crate::calls::decode::{self, Input};
use crate::calls::pairs;
use crate::engine::{self, REAL, Slot};
use crate::jobs::outcome::Outcome;
use crate::report::{PAIRS, Reports};
use crate::value::change_rows::{ChangeRow, RowKeys};

/// Changes for scripts: a typed Array, so that scripts know that each element is a Dictionary.
pub type Dictionaries = Array<VarDictionary>;

/// Compares two buffers. Returns no changes if that fails.
pub fn diff(before: &PackedByteArray, after: &PackedByteArray, allow_objects: bool) -> Outcome<Dictionaries> {
    let found = find(engine::bytes_of(before), engine::bytes_of(after), allow_objects);
    let (changes, reports) = dictionaries(found, allow_objects);
    Outcome::new(changes, reports.lines(&PAIRS))
}

/// Compares each pair of buffers.
pub fn diff_each(pairs: &AnyArray, allow_objects: bool) -> Outcome<VarArray> {
    let pairs = pairs::held(pairs);
    let mut found: Vec<_> = pairs.iter().map(|_| None).collect();
    let mut reports = pairs::each(&pairs, &mut found, |(before, after), found| {
        *found = Some(find(before, after, allow_objects));
        Ok(())
    });
    let mut result = VarArray::new();
    for (index, found) in found.into_iter().enumerate() {
        let (changes, mut others) = found.map(|found| dictionaries(found, allow_objects)).unwrap_or_default();
        reports.append_as(&mut others, |_| Some(index));
        result.push(&changes.to_variant());
    }
    Outcome::new(result, reports.lines(&PAIRS))
}

fn find<'a>(before: &'a [u8], after: &'a [u8], allow_objects: bool) -> Result<Changes<'a>, DiffError> {
    change::diff(before, after, DiffOptions { allow_objects, real: REAL })
}

fn dictionaries(found: Result<Changes<'_>, DiffError>, allow_objects: bool) -> (Dictionaries, Reports) {
    let mut reports = Reports::default();
    let mut value = |at, bytes: &[u8]| {
        let mut slot = Slot::new();
        let decoded = decode::decode_held(Input { at, bytes }, allow_objects, &mut slot);
        if let Some(dropped) = decoded.map_err(|error| error.to_string())? {
            reports.push_warning(None, || dropped.to_string());
        }
        Ok(slot)
    };
    let rows = found.map_err(|error| error.to_string()).and_then(|changes| ChangeRow::all(&changes, &mut value));
    match rows {
        Ok(rows) => (made(rows), reports),
        Err(error) => {
            let mut reports = Reports::default();
            reports.push_error(None, || error);
            (Dictionaries::new(), reports)
        }
    }
}

fn made(rows: Vec<ChangeRow>) -> Dictionaries {
    let keys = RowKeys::default();
    engine::new_dictionaries(rows.len(), |slots| {
        slots.iter_mut().zip(rows).for_each(|(slot, row)| keys.put(row, &mut slot.set_dictionary()));
    })
}
