//! Decodes the value at a path, and nothing else of a buffer.
//!
//! The codec finds where the value is. Values that need the engine are built at the end, from references of our own.

use std::sync::Mutex;

use godot::builtin::{AnyArray, PackedByteArray, VarArray, Variant};
use varbatch_codec::lookup::{Target, element_kind, find, within};
use varbatch_codec::{Kind, Plain, Text};

use super::decode::{self, Input};
use super::patch::encoded;
use crate::engine::{self, DIALECT, OwnArray, Slot, Value};
use crate::jobs::runs::each_run;
use crate::jobs::tuning::{PAIRS_PARALLEL_FROM, SMALL_VALUE};
use crate::jobs::{lock, pool};
use crate::report::{BUFFERS, Line, Report, Reports};
use crate::value::build::{self, Dropped, MayAsk, Stop, build_flat};
use crate::value::string_cache::Texts;

/// The steps of a path, encoded.
struct Steps(Vec<Vec<u8>>);

impl Steps {
    /// Encodes the steps that a script passes.
    ///
    /// # Errors
    /// If one cannot be encoded.
    fn of(path: &AnyArray) -> Result<Self, Report> {
        let step = |(index, step)| {
            encoded(step, false).map_err(|error| Report::failed(format_args!("step {index} of the path: {error}")))
        };
        engine::values(path).iter().enumerate().map(step).collect::<Result<_, _>>().map(Self)
    }

    fn path(&self) -> Vec<&[u8]> {
        self.0.iter().map(Vec::as_slice).collect()
    }
}

/// What became of a path in one buffer.
enum Got {
    /// The value is in the slot, perhaps without elements that its typed containers refuse.
    Value(Option<Box<Dropped>>),
    /// The path is not there.
    Nothing,
    /// The value must be built again, with conversions that may ask the engine.
    Later,
}

/// Returns the value at `path`; `default` if there is none, or if the bytes are damaged before it is found.
pub fn get_in(bytes: &PackedByteArray, path: &AnyArray, default: &Variant) -> (Variant, Vec<Line>) {
    let mut slot = Slot::new();
    // The caller's reference keeps the bytes as they are, whatever a script does.
    let input = Input { at: 0, bytes: engine::bytes_of(bytes) };
    match Steps::of(path).and_then(|steps| get(input, &steps.path(), MayAsk::Conversions, &mut slot)) {
        Ok(Got::Value(dropped)) => {
            let warning = dropped.map(|dropped| Line::warning(Report::Dropped(dropped)));
            (slot.value().variant().clone(), warning.into_iter().collect())
        }
        Ok(Got::Nothing | Got::Later) => (default.clone(), Vec::new()),
        Err(report) => (default.clone(), vec![Line::error(report)]),
    }
}

/// Does the same for each buffer, over threads if there are many bytes.
pub fn get_in_each(buffers: &AnyArray, path: &AnyArray, default: &Variant) -> (VarArray, Vec<Line>) {
    let mut values = OwnArray::new(buffers.len());
    let steps = match Steps::of(path) {
        Ok(steps) => steps,
        Err(report) => {
            values.elements().iter_mut().for_each(|slot| slot.set_copy(engine::value(default)));
            return (values.take(), vec![Line::error(report)]);
        }
    };
    let (mut reports, mut missing, later) = look_in_each(buffers, &steps, values.elements());
    // From here on scripts may run: first take references to what is still needed.
    let later: Vec<_> =
        later.into_iter().filter_map(|index| Some((index, engine::byte_array_at(buffers, index)?))).collect();
    for (index, bytes) in later {
        let input = Input { at: 0, bytes: engine::bytes_of(&bytes) };
        let got = get(input, &steps.path(), MayAsk::Conversions, &mut values.elements()[index]);
        if !is_there(index, got, &mut reports) {
            missing.push(index);
        }
    }
    for index in missing {
        values.elements()[index].set_copy(engine::value(default));
    }
    (values.take(), reports.lines(&BUFFERS))
}

/// Fills the slots as far as no script can run. Returns the reports, the indices without a value, and those to look at
/// again.
fn look_in_each(buffers: &AnyArray, steps: &Steps, slots: &mut [Slot]) -> (Reports, Vec<usize>, Vec<usize>) {
    let values = engine::values(buffers);
    let inputs = values.iter().enumerate().map(|(index, buffer): (usize, &Value)| {
        engine::ahead(values, index);
        (index, decode::input(buffer))
    });
    let len = |(_, input): &(usize, Result<Input<'_>, Kind>)| input.as_ref().map_or(0, |input| input.bytes.len());
    let total: usize = inputs.clone().map(|input| len(&input)).sum();
    let found = Mutex::new((Reports::default(), Vec::new(), Vec::new()));
    pool::with(total >= PAIRS_PARALLEL_FROM, |threads| {
        each_run(
            inputs,
            len,
            slots,
            threads,
            || (steps.path(), Reports::default(), Vec::new(), Vec::new()),
            |(index, input), slot, (path, reports, missing, later)| {
                let got = input.map_err(Report::NoBuffer);
                match got.and_then(|input| get(input, path, MayAsk::Nothing, slot)) {
                    Ok(Got::Later) => later.push(index),
                    got => {
                        if !is_there(index, got, reports) {
                            missing.push(index);
                        }
                    }
                }
            },
            |(_, mut reports, mut missing, mut later)| {
                let mut found = lock(&found);
                found.0.append(&mut reports);
                found.1.append(&mut missing);
                found.2.append(&mut later);
            },
        );
    });
    let (reports, missing, mut later) = found.into_inner().expect("nothing panics while it is held");
    later.sort_unstable();
    (reports, missing, later)
}

/// Reports what is wrong with what was found, if anything. Returns false if there is no value.
fn is_there(index: usize, got: Result<Got, Report>, reports: &mut Reports) -> bool {
    let is_there = matches!(got, Ok(Got::Value(_)));
    match got {
        Ok(Got::Value(Some(dropped))) => reports.push(index, dropped),
        Ok(_) => {}
        Err(report) => reports.push(index, report),
    }
    is_there
}

/// Builds the value at a path in `slot`, which stays empty if there is none.
fn get(input: Input<'_>, path: &[&[u8]], may_ask: MayAsk, slot: &mut Slot) -> Result<Got, Report> {
    let Some(target) = find(input.bytes, input.at, DIALECT, path)? else { return Ok(Got::Nothing) };
    match target {
        Target::Text { text: Text::Utf8(text), .. } => slot.set_string(text),
        Target::Text { text, .. } => slot.set_string(&text.to_utf8()),
        Target::Element { plain, .. } => element(plain, slot),
        Target::Value { bytes, .. }
            if bytes.len() < SMALL_VALUE && build_flat(bytes, &mut Texts::for_bytes(0), slot) => {}
        Target::Value { at, bytes } => {
            return match decode::build(Input { at, bytes }, false, may_ask, slot) {
                Ok(dropped) => Ok(Got::Value(dropped)),
                Err(Stop::MayNotAsk) => Ok(Got::Later),
                Err(Stop::Error(error)) => Err(within(input.bytes, input.at, DIALECT, path, error).into()),
            };
        }
    }
    Ok(Got::Value(None))
}

/// Makes the value an element of a packed array.
fn element(plain: Plain<'_>, slot: &mut Slot) {
    let kind = element_kind(plain.kind);
    match (kind, plain.bytes) {
        (Kind::Int, &[byte]) => slot.set_int(byte.into()),
        (Kind::Int, &[a, b, c, d]) => slot.set_int(i32::from_le_bytes([a, b, c, d]).into()),
        (Kind::Float, &[a, b, c, d]) => slot.set_float(f32::from_le_bytes([a, b, c, d]).into()),
        (Kind::Int, bytes) => slot.set_int(i64::from_le_bytes(bytes.try_into().expect("8 bytes"))),
        (Kind::Float, bytes) => slot.set_float(f64::from_le_bytes(bytes.try_into().expect("8 bytes"))),
        (kind, _) => build::components(slot, Plain { kind, ..plain }),
    }
}
