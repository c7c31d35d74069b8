//! Compares buffers: the codec finds the changes, and this module turns them into Dictionaries.
//!
//! A call holds references of its own to the bytes, because building objects may run scripts.

use godot::builtin::{AnyArray, Array, PackedByteArray, StringName, VarArray, VarDictionary};
use godot::meta::ToGodot;
use varbatch_codec::Text;
use varbatch_codec::change::{self, ChangePart, ChangePath, ChangeStep, Changes, DiffError, DiffOptions};
use varbatch_storage::fill;
use varbatch_workers::Threads;

use crate::calls::decode::{self, Input};
use crate::calls::pairs;
use crate::engine::{self, REAL, Slot};
use crate::jobs::pool;
use crate::report::{Line, PAIRS, Report, Reports};

/// Changes for scripts: a typed Array, so that scripts know that each element is a Dictionary.
pub type Dictionaries = Array<VarDictionary>;

/// Compares two buffers. Returns no changes if that fails.
pub fn diff(before: &PackedByteArray, after: &PackedByteArray, allow_objects: bool) -> (Dictionaries, Vec<Line>) {
    let found = find(engine::bytes_of(before), engine::bytes_of(after), allow_objects);
    let (changes, reports) = dictionaries(found, allow_objects);
    (changes, reports.lines(&PAIRS))
}

/// Compares each pair of buffers.
pub fn diff_each(pairs: &AnyArray, allow_objects: bool) -> (VarArray, Vec<Line>) {
    let pairs = pairs::held(pairs);
    let mut found: Vec<_> = pairs.iter().map(|_| None).collect();
    let mut reports = pairs::each(&pairs, &mut found, |(before, after), found| {
        *found = Some(find(before, after, allow_objects));
        Ok(())
    });
    let mut result = VarArray::new();
    for (index, found) in found.into_iter().enumerate() {
        let (changes, mut said) = found.map(|found| dictionaries(found, allow_objects)).unwrap_or_default();
        reports.append_as(&mut said, |_| Some(index));
        result.push(&changes.to_variant());
    }
    (result, reports.lines(&PAIRS))
}

fn find<'a>(before: &'a [u8], after: &'a [u8], allow_objects: bool) -> Result<Changes<'a>, DiffError> {
    change::diff(before, after, DiffOptions { allow_objects, real: REAL })
}

fn dictionaries(found: Result<Changes<'_>, DiffError>, allow_objects: bool) -> (Dictionaries, Reports) {
    let mut reports = Reports::default();
    let built = found
        .map_err(Report::failed)
        .and_then(|changes| ChangeBuilder::of(&changes, allow_objects, &mut reports).build());
    built.map(|built| (built, reports)).unwrap_or_else(|report| {
        let mut reports = Reports::default();
        reports.push(None, report);
        (Dictionaries::new(), reports)
    })
}

/// Builds Dictionaries from changes.
struct ChangeBuilder<'c, 'a> {
    changes: &'c Changes<'a>,
    allow_objects: bool,
    reports: &'c mut Reports,
}

impl<'c, 'a> ChangeBuilder<'c, 'a> {
    fn of(changes: &'c Changes<'a>, allow_objects: bool, reports: &'c mut Reports) -> Self {
        Self { changes, allow_objects, reports }
    }

    fn build(mut self) -> Result<Dictionaries, Report> {
        let mut steps = Vec::with_capacity(self.changes.steps().len());
        for &step in self.changes.steps() {
            steps.push(self.step(step)?);
        }
        let names = ["path", "op", "old", "new", "index"].map(text);
        let ops = [text("set"), text("insert"), text("remove")];
        let mut parts = Vec::with_capacity(self.changes.iter().len());
        for change in self.changes.iter() {
            parts.push([self.part(change.old)?, self.part(change.new)?]);
        }
        let built = engine::new_dictionaries(parts.len(), |slots| {
            for ((slot, change), [old, new]) in slots.iter_mut().zip(self.changes.iter()).zip(parts) {
                let mut entry = slot.dictionary();
                set_path(change.path, &steps, entry.entry(&names[0]));
                entry.entry(&names[1]).set_copy(ops[change.op as usize].value());
                entry.entry(&names[2]).set_copy(old.value());
                entry.entry(&names[3]).set_copy(new.value());
                if let Some(index) = change.index {
                    entry.entry(&names[4]).set_int(number(index));
                }
            }
        });
        Ok(built)
    }

    fn step(&mut self, step: ChangeStep<'a>) -> Result<Slot, Report> {
        match step {
            ChangeStep::Index(index) => {
                let mut slot = Slot::new();
                slot.set_int(number(index));
                Ok(slot)
            }
            ChangeStep::Key(bytes) => self.value(Input { at: 0, bytes }),
            ChangeStep::Property(name) => Ok(property(name)),
        }
    }

    /// Builds the old or new value of a change; null if there is none.
    fn part(&mut self, part: Option<ChangePart<'_>>) -> Result<Slot, Report> {
        match part {
            None => Ok(Slot::new()),
            Some(ChangePart::Value { at, bytes }) => self.value(Input { at, bytes }),
            Some(ChangePart::Elements(plain)) => {
                let mut slot = Slot::new();
                pool::with(plain.bytes.len() >= fill::PARALLEL_FROM, |threads: &Threads| {
                    fill::plain(plain, REAL, slot.set_packed(plain.kind, plain.count), threads);
                });
                Ok(slot)
            }
            Some(texts @ ChangePart::Texts { .. }) => self.value(Input { at: 0, bytes: &texts.to_value() }),
        }
    }

    fn value(&mut self, input: Input<'_>) -> Result<Slot, Report> {
        let mut slot = Slot::new();
        match decode::decode_kept(input, self.allow_objects, &mut slot) {
            Ok(None) => {}
            Ok(Some(dropped)) => self.reports.push(None, dropped),
            Err(report) => return Err(report),
        }
        Ok(slot)
    }
}

/// Makes the Array of a path from its steps.
fn set_path(path: ChangePath<'_>, steps: &[Slot], slot: &mut Slot) {
    slot.set_array();
    let indices: Vec<_> = path.indices().collect();
    let mut array = slot.array();
    for (slot, &index) in array.grow(indices.len()).iter_mut().zip(indices.iter().rev()) {
        slot.set_copy(steps[index].value());
    }
}

fn text(text: &str) -> Slot {
    let mut slot = Slot::new();
    slot.set(text);
    slot
}

fn property(name: Text<'_>) -> Slot {
    let mut slot = Slot::new();
    slot.set(StringName::from(&*name.to_utf8()));
    slot
}

fn number(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX)
}
