//! Decodes the value at a path, and nothing else of a buffer.
//!
//! Values that need the engine are built last, from our own references, as are containers with parts of other types.

use godot::builtin::{AnyArray, PackedByteArray, VarArray, Variant};
use varbatch_codec::lookup::{Found, Key, Target, element_kind, find, within};
use varbatch_codec::{CodecError, Kind, Plain, Shape, Text};

use super::decode::{self, Input};
use super::encode::encode_part;
use crate::engine::{self, DIALECT, OwnArray, Slot, Value};
use crate::jobs::pool::{self, each_run};
use crate::report::{BUFFERS, Dropped, Failure, Line, Outcome, Reports, no_buffer};
use crate::value::build::{MOST_NESTED, MayAsk, Stop, build_flat, components, number};

/// Encodes the steps of a path that a script passes.
fn steps(path: &AnyArray) -> Result<Vec<Vec<u8>>, Failure> {
    let step = |(index, step): (usize, &Value)| {
        let mut bytes = encode_part(step, false)
            .map_err(|error| Failure::from(error).of(format_args!("step {index} of the path")))?;
        // A Reader takes one byte-order mark away.
        if let [4 | 21, _, _, _, _, _, _, _, 0xef, 0xbb, 0xbf, ..] = bytes[..] {
            let len = u32::from_le_bytes(bytes[4..8].try_into().expect("4 bytes")) + 3;
            bytes[4..8].copy_from_slice(&len.to_le_bytes());
            bytes.splice(8..8, [0xef, 0xbb, 0xbf]);
            bytes.resize(8 + (len as usize).next_multiple_of(4), 0);
        }
        Ok(bytes)
    };
    engine::values(path).iter().enumerate().map(step).collect()
}

fn keys(steps: &[Vec<u8>]) -> Vec<Key<'_>> {
    steps.iter().map(|step| Key::of(step, DIALECT).expect("it was encoded")).collect()
}
enum PathEnd {
    /// The value is in the slot, perhaps without elements that its typed containers refuse.
    Value(Option<Box<Dropped>>),
    Nothing,
    /// The engine must be asked to convert something.
    Later,
}

type Got = Result<PathEnd, CodecError>;

/// Returns the value at `path`; `default` if there is none, or if the bytes are damaged before it is found.
pub fn get_in(bytes: &PackedByteArray, path: &AnyArray, default: &Variant) -> Outcome<Variant> {
    let mut slot = Slot::new();
    // The caller's reference keeps the bytes as they are, whatever a script does.
    let mut get = |steps| get_converted(Input::of(bytes), steps, path, &mut slot).map_err(failure);
    let (value, lines) = match steps(path).and_then(&mut get) {
        Ok(PathEnd::Value(dropped)) => (slot.value().variant(), dropped.map(Line::warning).into_iter().collect()),
        Ok(PathEnd::Nothing | PathEnd::Later) => (default, Vec::new()),
        Err(error) => (default, vec![Line::error(error)]),
    };
    Outcome::new(value.clone(), lines)
}

pub fn get_in_each(buffers: &AnyArray, path: &AnyArray, default: &Variant) -> Outcome<VarArray> {
    let mut values = OwnArray::new(buffers.len());
    let steps = match steps(path) {
        Ok(steps) => steps,
        Err(error) => {
            values.elements().iter_mut().for_each(|slot| slot.set_copy(engine::value(default)));
            return Outcome::new(values.take(), vec![Line::error(error)]);
        }
    };
    let default = engine::value(default);
    let (mut reports, later) = look_in_each(buffers, &steps, default, values.elements());
    // From here on scripts may run: first take references to what is still needed.
    let later: Vec<_> =
        later.into_iter().filter_map(|index| Some((index, engine::byte_array_at(buffers, index)?))).collect();
    for (index, bytes) in later {
        let slot = &mut values.elements()[index];
        let end = get_converted(Input::of(&bytes), steps.clone(), path, slot);
        settle(index, end, default, slot, &mut reports);
    }
    Outcome::new(values.take(), reports.lines(&BUFFERS))
}

/// Fills the slots as far as no script can run. Returns the reports, and in order the indices to look at again.
fn look_in_each(buffers: &AnyArray, steps: &[Vec<u8>], default: &Value, slots: &mut [Slot]) -> (Reports, Vec<usize>) {
    let values = engine::values(buffers);
    let inputs = values.iter().enumerate().map(|(index, buffer): (usize, &Value)| {
        engine::ahead(values, index);
        (index, decode::input(buffer))
    });
    let total: usize = inputs.clone().map(|(_, input)| decode::len_of(&input)).sum();
    let states = pool::with(total >= crate::jobs::tuning::PAIRS_PARALLEL_FROM, |threads| {
        each_run(
            inputs,
            |(_, input)| decode::len_of(input),
            slots,
            threads,
            || (keys(steps), Reports::default(), Vec::new()),
            |(index, input), slot, (path, reports, later)| {
                let get = |i: Input<'_>| put(find(i.bytes, i.at, DIALECT, path)?, i, path, MayAsk::Nothing, slot);
                match input.map(get) {
                    Ok(Ok(PathEnd::Later)) => later.push(index),
                    Ok(end) => settle(index, end, default, slot, reports),
                    Err(kind) => {
                        reports.push_error(index, || no_buffer(kind));
                        slot.set_copy(default);
                    }
                }
            },
        )
    });
    let (mut reports, mut later) = (Reports::default(), Vec::new());
    for (_, mut more, mut others) in states {
        reports.append(&mut more);
        later.append(&mut others);
    }
    later.sort_unstable();
    (reports, later)
}

/// Reports what is wrong with what was found, if anything. Puts the default in the slot if there is no value.
fn settle(index: usize, end: Got, default: &Value, slot: &mut Slot, reports: &mut Reports) {
    match end {
        Ok(PathEnd::Value(dropped)) => {
            return dropped.into_iter().for_each(|dropped| reports.push_dropped(index, dropped));
        }
        Ok(_) => {}
        Err(error) => reports.push_error(index, || failure(error)),
    }
    slot.set_copy(default);
}

/// These methods have no `allow_objects`.
pub fn failure(error: CodecError) -> Failure {
    let Failure { code, text } = error.into();
    let advice = "(bytes_to_var() has allow_objects)";
    Failure { code, text: text.replace("(allow_objects: true, or a list of classes)", advice) }
}

/// Builds what was found at a path in `slot`, which stays empty if that is nothing.
#[inline(always)] // for the reason that `Follower::step` of the codec gives
fn put(found: Found<'_>, input: Input<'_>, path: &[Key<'_>], may_ask: MayAsk, slot: &mut Slot) -> Got {
    match found {
        Found::Nothing => return Ok(PathEnd::Nothing),
        Found::OtherKey { .. } | Found::Mistyped { .. } => return Ok(PathEnd::Later),
        Found::Target(Target::Text { text: Text::Utf8(text), .. }) => slot.set_string(text),
        Found::Target(Target::Text { text, .. }) => slot.set_string(&text.to_utf8()),
        Found::Target(Target::Element { plain, .. }) => element(plain, slot),
        Found::Target(Target::Value { bytes, .. }) if build_flat(bytes, slot, MOST_NESTED, None) => {}
        Found::Target(Target::Value { at, bytes }) => return build(input, path, Input { at, bytes }, may_ask, slot),
    }
    Ok(PathEnd::Value(None))
}

fn build(input: Input<'_>, path: &[Key<'_>], value: Input<'_>, may_ask: MayAsk, slot: &mut Slot) -> Got {
    match decode::build(value, false, may_ask, slot) {
        Ok(dropped) => Ok(PathEnd::Value(dropped)),
        Err(Stop::MayNotAsk) => Ok(PathEnd::Later),
        Err(Stop::Error(error)) => Err(within(input.bytes, input.at, DIALECT, path, error)),
    }
}

/// Builds the value at a path in `slot`, and asks the engine what it makes of parts that are not of the type of their container.
fn get_converted(input: Input<'_>, mut steps: Vec<Vec<u8>>, path: &AnyArray, slot: &mut Slot) -> Got {
    loop {
        let keys = keys(&steps);
        match find(input.bytes, input.at, DIALECT, &keys)? {
            Found::OtherKey { step, kind } => match converted(&engine::values(path)[step], kind) {
                Some(key) => steps[step] = encode_part(key.value(), false)?,
                None => return Ok(PathEnd::Nothing),
            },
            Found::Mistyped { step, at, bytes } => {
                let got = build(input, &keys[..step], Input { at, bytes }, MayAsk::Conversions, slot)?;
                let whole = Some(slot.value().variant().clone());
                let found = engine::values(path)[step..].iter().fold(whole, |value, step| part(&value?, step));
                return Ok(found.map_or(PathEnd::Nothing, |found| {
                    slot.set_variant(found);
                    got
                }));
            }
            found => return put(found, input, &keys, MayAsk::Conversions, slot),
        }
    }
}

fn part(value: &Variant, step: &Value) -> Option<Variant> {
    let (kind, step_kind, key) = (engine::value(value).view().kind(), step.view().kind(), step.variant().clone());
    match kind {
        Kind::Dictionary if step_kind == Kind::Object => {
            let id = |key: &Value| engine::encoded_id(key).unwrap_or(key.object_id() as i64);
            let keys = value.call("keys", &[]).to::<AnyArray>();
            let key = keys.iter_shared().find(|key| !key.is_nil() && id(engine::value(key)) == id(step))?;
            Some(value.call("get", &[key]))
        }
        Kind::Dictionary => {
            let kind = Kind::from_id(value.call("get_typed_key_builtin", &[]).try_to().ok()?)?;
            let key = converted(step, kind)?.value().variant().clone();
            value.call("has", std::slice::from_ref(&key)).booleanize().then(|| value.call("get", &[key]))
        }
        _ if step_kind == Kind::Int
            && matches!(kind.shape(), Shape::Array | Shape::PackedStrings | Shape::Packed { .. }) =>
        {
            let size: i64 = value.call("size", &[]).try_to().ok()?;
            (0..size).contains(&key.to()).then(|| value.call("get", &[key]))
        }
        _ => None,
    }
}

/// Returns a key as it is in a Dictionary with keys of a kind.
fn converted(key: &Value, kind: Kind) -> Option<Slot> {
    let mut slot = Slot::of(key);
    let fits = match (key.view().kind(), kind) {
        (_, Kind::Nil) | (Kind::Nil, Kind::Object) => true,
        // Decoded objects are new ones.
        (_, Kind::Object) => false,
        (found, kind) => found == kind || slot.convert(kind),
    };
    fits.then_some(slot)
}

/// Makes the value an element of a packed array.
fn element(plain: Plain<'_>, slot: &mut Slot) {
    match element_kind(plain.kind) {
        kind @ (Kind::Int | Kind::Float) => number(slot, kind == Kind::Int, plain.bytes),
        kind => components(slot, Plain { kind, ..plain }),
    }
}
