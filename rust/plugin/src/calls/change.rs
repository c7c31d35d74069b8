//! Finds changes between two buffers and applies those of a script; makes and applies deltas. The codec does the work.

use godot::prelude::*;
use varbatch_codec::change::delta::{self, DeltaError, DeltaErrorKind};
use varbatch_codec::change::{self, Change, ChangePart, ChangePath, Changes, DiffError, DiffOptions, Op, Patch, edits};
use varbatch_codec::limits::MAX_VALUE_LEN;
use varbatch_codec::{Kind, PathStep, Plan, Writer};

use super::decode::{self, Input};
use super::encode::{self, encode_part};
use crate::engine::{self, BytesOut, DIALECT, HeldBytes, OwnArray, REAL, Slot, Value};
use crate::objects::{Makers, has_any};
use crate::report::{Cause, Failure, Outcome, PAIRS, Reports};
use crate::value::change_rows::{ChangeRow, RowKeys};

/// Changes for scripts: a typed Array, so that scripts know that each element is a Dictionary.
pub type Dictionaries = Array<VarDictionary>;

pub fn diff(before: &PackedByteArray, after: &PackedByteArray, mut makers: Makers) -> Outcome<Dictionaries> {
    let found = find(engine::bytes_of(before), engine::bytes_of(after), makers.allow_objects());
    let (changes, reports) = dictionaries(found, &mut makers);
    Outcome::new(changes, reports.lines(&PAIRS))
}

pub fn diff_each(pairs: &AnyArray, mut makers: Makers) -> Outcome<VarArray> {
    let allow_objects = makers.allow_objects();
    let pairs = held(pairs);
    let mut found: Vec<_> = pairs.iter().map(|_| None).collect();
    let mut reports = each_pair(&pairs, &mut found, |before, after, found| {
        *found = Some(find(before, after, allow_objects));
        Ok(())
    });
    let mut result = VarArray::new();
    for (index, found) in found.into_iter().enumerate() {
        let (changes, mut others) = found.map(|found| dictionaries(found, &mut makers)).unwrap_or_default();
        reports.append_as(&mut others, |_| Some(index));
        result.push(&changes.to_variant());
    }
    Outcome::new(result, reports.lines(&PAIRS))
}

fn find<'a>(before: &'a [u8], after: &'a [u8], allow_objects: bool) -> Result<Changes<'a>, DiffError> {
    change::diff(before, after, DiffOptions { allow_objects, real: REAL })
}

fn dictionaries(found: Result<Changes<'_>, DiffError>, makers: &mut Makers) -> (Dictionaries, Reports) {
    let mut reports = Reports::default();
    let mut value = |at, bytes: &[u8]| {
        let mut slot = Slot::new();
        if let Some(dropped) = decode::decode_held(Input { at, bytes }, makers, &mut slot)? {
            reports.push_dropped(None, dropped);
        }
        Ok::<_, Failure>(slot)
    };
    let rows = found.map_err(unreadable).and_then(|changes| ChangeRow::all(&changes, &mut value));
    match rows {
        Ok(rows) => {
            makers.made.keep_all();
            let keys = RowKeys::default();
            let put = |(slot, row): (&mut Slot, _)| keys.put(row, &mut slot.set_dictionary());
            (engine::new_dictionaries(rows.len(), |slots| slots.iter_mut().zip(rows).for_each(put)), reports)
        }
        Err(error) => {
            makers.made.free_all();
            let mut reports = Reports::default();
            reports.push_error(None, || error);
            (Dictionaries::new(), reports)
        }
    }
}

/// Returns `before` with all changes applied; empty if a change does not fit.
pub fn patch(before: &PackedByteArray, changes: &AnyArray, full_objects: bool) -> Outcome<PackedByteArray> {
    try_patch(engine::bytes_of(before), changes, full_objects).map(|plan| Outcome::new(plan, Vec::new())).into()
}

fn try_patch(before: &[u8], changes: &AnyArray, full_objects: bool) -> Result<PackedByteArray, Failure> {
    // Take everything out of the changes first: encoding a value may run a script that modifies them.
    let args: Vec<_> = engine::values(changes).iter().map(fields).collect();
    let mut encoded = Vec::with_capacity(args.len());
    for (index, args) in args.into_iter().enumerate() {
        let change = args.and_then(|args| EncodedChange::of(&args, full_objects));
        encoded.push(change.map_err(|why| format!("change {index}: {why}"))?);
    }
    let mut patch = Patch::new(before).map_err(|error| Failure::from(error).of("before"))?;
    let paths: Vec<Vec<_>> =
        encoded.iter().map(|change| change.path.iter().map(|step| PathStep::Key(step)).collect()).collect();
    for (change, path) in encoded.iter().zip(&paths) {
        let same = |found: &[u8], old: &[u8]| canonical(found, full_objects).is_some_and(|found| found == old);
        patch.apply(&change.change(path), same).map_err(|misfit| misfit.to_string())?;
    }
    let plan = patch.plan()?;
    Ok(encode::to_bytes(&plan))
}

/// Takes the fields of a change: "op", "path", "old", "new" and "index". Runs no script.
fn fields(change: &Value) -> Result<[Option<Variant>; 5], String> {
    let kind = change.view().kind();
    let change: AnyDictionary =
        change.variant().try_to().map_err(|_| format!("expected a Dictionary, found {}", kind.name()))?;
    let [op, path, old, new, index] = ["op", "path", "old", "new", "index"].map(|name| change.get(name));
    // No script can change a copy.
    let copy = |path: Variant| match path.try_to::<AnyArray>() {
        Ok(steps) => steps.duplicate_shallow().to_variant(),
        Err(_) => path,
    };
    Ok([op, path.map(copy), old, new, index])
}

struct EncodedChange {
    path: Vec<Vec<u8>>,
    op: Op,
    index: Option<usize>,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
}

impl EncodedChange {
    fn of([op, path, old, new, index]: &[Option<Variant>; 5], full_objects: bool) -> Result<Self, String> {
        let op = op.as_ref().ok_or("expected a value of \"op\", found none")?.to_string();
        let op = Op::ALL
            .into_iter()
            .find(|known| op == known.name())
            .ok_or_else(|| format!("expected \"set\", \"insert\" or \"remove\" as \"op\", found {op}"))?;
        let path = engine::value(path.as_ref().ok_or("expected a value of \"path\", found none")?).view();
        let path = match path.kind() {
            Kind::Array => path.elements().iter().map(|step| bytes(step, "path", full_objects)),
            kind => return Err(format!("expected an Array as \"path\", found {}", kind.name())),
        };
        let path = path.collect::<Result<_, _>>()?;
        let part = |part: &Option<Variant>, name, is_used: bool| match part.as_ref().filter(|_| is_used) {
            Some(part) => bytes(engine::value(part), name, full_objects).map(Some),
            None => Ok(None),
        };
        let (old, new) = (part(old, "old", op != Op::Insert)?, part(new, "new", op != Op::Remove)?);
        let index = match index {
            None => None,
            Some(index) => {
                let count = index.try_to::<i64>().ok().and_then(super::count_of);
                Some(count.ok_or_else(|| format!("expected a non-negative int as \"index\", found {index}"))?)
            }
        };
        Ok(Self { path, op, index, old, new })
    }

    fn change<'a>(&'a self, steps: &'a [PathStep<'a>]) -> Change<'a> {
        let [old, new] =
            [&self.old, &self.new].map(|part| part.as_ref().map(|bytes| ChangePart::Value { at: 0, bytes }));
        Change { path: ChangePath::new(steps), op: self.op, index: self.index, old, new }
    }
}

fn bytes(value: &Value, name: &str, full_objects: bool) -> Result<Vec<u8>, String> {
    encode_part(value, full_objects).map_err(|error| format!("\"{name}\": {error}"))
}

/// Returns the bytes that the engine would write for an encoded value. Makes no object and loads no script.
fn canonical(bytes: &[u8], full_objects: bool) -> Option<Vec<u8>> {
    let (input, mut slot) = (Input { at: 0, bytes }, Slot::new());
    let mut reader = input.reader(full_objects);
    if full_objects && has_any(reader.clone()).ok()? {
        let mut writer = Writer::new(DIALECT);
        while let Some(event) = reader.next_event().ok()? {
            writer.write(event).ok()?;
        }
        return Some(writer.into_plan().into_vec());
    }
    decode::decode_held(input, &mut Makers::flag(full_objects), &mut slot).ok()?;
    encode_part(slot.value(), full_objects).ok()
}

fn unreadable(error: DiffError) -> Failure {
    match error {
        DiffError::Before(error) => Failure::from(error).of("before"),
        DiffError::After(error) => Failure::from(error).of("after"),
    }
}

fn misfit(error: DeltaError) -> Failure {
    match error.kind {
        DeltaErrorKind::Base { .. } => error.to_string().into(),
        DeltaErrorKind::Version(_) => Failure::new(Cause::Foreign, error),
        _ => Failure::damaged(error),
    }
}

/// [`make_delta`] or [`apply_delta`].
type PlanOf = for<'a> fn(&'a [u8], &'a [u8]) -> Result<Plan<'a>, Failure>;

pub fn delta(first: &PackedByteArray, second: &PackedByteArray, plan: PlanOf) -> Outcome<PackedByteArray> {
    let plan = plan(engine::bytes_of(first), engine::bytes_of(second));
    plan.map(|plan| Outcome::new(encode::to_bytes(&plan), Vec::new())).into()
}

pub fn deltas(pairs: &AnyArray, plan: PlanOf) -> Outcome<Array<PackedByteArray>> {
    let pairs = held(pairs);
    let mut result = OwnArray::byte_arrays(pairs.len());
    let reports = each_pair(&pairs, result.elements(), |first, second, slot| {
        let plan = plan(first, second)?;
        varbatch_codec::fill::fill(plan.whole(), slot.allocate(plan.len()));
        Ok(())
    });
    Outcome::new(result.take(), reports.lines(&PAIRS))
}

pub fn make_delta<'a>(before: &'a [u8], after: &'a [u8]) -> Result<Plan<'a>, Failure> {
    if after.len() > MAX_VALUE_LEN {
        // Such a delta could not be applied.
        return Err(format!("after: expected at most {MAX_VALUE_LEN} bytes, found {}", after.len()).into());
    }
    Ok(delta::make(before, after, edits(before, after)))
}

pub fn apply_delta<'a>(before: &'a [u8], delta: &'a [u8]) -> Result<Plan<'a>, Failure> {
    delta::apply(before, delta).map_err(misfit)
}

/// Two buffers, held by references of our own, so that no script can change them; or what is there instead.
type Pair = Result<[HeldBytes; 2], String>;

fn held(pairs: &AnyArray) -> Vec<Pair> {
    engine::values(pairs).iter().map(pair).collect()
}

/// Returns the two elements of a pair, or what is there instead; `array` names an Array of another size.
pub fn parts<'v>(value: &'v Value, array: &str) -> Result<[&'v Value; 2], String> {
    let view = value.view();
    match view.kind() {
        Kind::Array => match view.elements() {
            [first, second] => Ok([first, second]),
            others => Err(format!("{array} of size {}", others.len())),
        },
        kind => Err(kind.name().into()),
    }
}

fn pair(value: &Value) -> Pair {
    let [first, second] = parts(value, "an Array")?;
    let held = |index, buffer| decode::hold(buffer).map_err(|kind| format!("{} as element {index}", kind.name()));
    Ok([held(0, first)?, held(1, second)?])
}

/// Calls `work` with each pair's bytes and slot, over threads if there are many. Reports failures and what is no pair.
fn each_pair<'p, S: Send>(
    pairs: &'p [Pair],
    slots: &mut [S],
    work: impl Fn(&'p [u8], &'p [u8], &mut S) -> Result<(), Failure> + Sync,
) -> Reports {
    let total: usize = pairs.iter().flatten().flatten().map(|buffer| buffer.bytes().len()).sum();
    let all = pairs.iter().zip(slots).enumerate();
    let states = crate::jobs::pool::with(total >= crate::jobs::tuning::PAIRS_PARALLEL_FROM, |threads| {
        threads.for_each_with(all, Reports::default, |(index, (pair, slot)), reports| {
            let done = match pair {
                Ok([first, second]) => work(first.bytes(), second.bytes(), slot),
                Err(found) => Err(format!("expected an Array of two PackedByteArrays, found {found}").into()),
            };
            if let Err(error) = done {
                reports.push_error(index, || error);
            }
        })
    });
    let mut joined = Reports::default();
    states.into_iter().for_each(|mut reports| joined.append(&mut reports));
    joined
}

#[cfg(test)]
#[path = "../../tests/unit/deltas.rs"]
mod tests;
