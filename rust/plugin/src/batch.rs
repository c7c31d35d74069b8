//! Runs a call: plans the values and fills the outputs, or reads the inputs and builds the values.
//!
//! Types that are not walked yet go through the engine's own functions. Those can run scripts (a property's getter, an
//! object's `_init`, a `Logger` that hears of an error), and a script can change the arrays of the call. So the engine
//! is only called while nothing of them is borrowed: before the walk of a private copy, and after the build.

use std::fmt;
use std::ops::Range;

use godot::builtin::{AnyArray, Array, PackedByteArray, VarArray, Variant};
use godot::global::{bytes_to_var, bytes_to_var_with_objects, var_to_bytes, var_to_bytes_with_objects};
use varbatch_codec::{Error, Kind, Mark, Part, Plan, Reader, Threads, Writer, fill, frames};

use crate::build::build;
use crate::engine::{self, BytesOut, DIALECT, Slot, Value};
use crate::pool;
use crate::walk::{NotWalked, walk};

/// Why a value was not written or read.
#[derive(Debug)]
pub enum Failure {
    /// The codec says why.
    Codec(Error),
    /// The engine refused, and has printed why.
    Engine(Kind),
    /// The element of a batch is no buffer.
    NoBuffer(Kind),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Codec(error) => error.fmt(f),
            Self::Engine(kind) => write!(f, "expected {} as the engine takes it, at byte 0", kind.name()),
            Self::NoBuffer(kind) => write!(f, "expected a PackedByteArray, found {}", kind.name()),
        }
    }
}

/// The failures of a batch, by index.
pub type Failures = Vec<(usize, Failure)>;

// ---------------------------------------------------------------------------------------------------------------------
// Encoding

/// One value to bytes. Nothing is put out if it fails.
pub fn encode(value: &Value, full_objects: bool, out: &mut impl BytesOut) -> Result<(), Failure> {
    let mut writer = Writer::new(DIALECT);
    let start = writer.mark();
    match walk(value, &mut writer) {
        Ok(()) => writer.end_value(start).map_err(Failure::Codec)?,
        Err(NotWalked::Engine(kind)) => {
            out.set_bytes(engine_encode(value.variant(), kind, full_objects)?);
            return Ok(());
        }
        Err(NotWalked::Error(error)) => return Err(Failure::Codec(error)),
    }
    let plan = writer.into_plan();
    let dest = out.allocate(plan.len());
    pool::with(plan.len(), |threads| fill::fill_parallel(plan.whole(), dest, threads));
    Ok(())
}

/// Each value to bytes of its own.
pub fn encode_each(values: &AnyArray, full_objects: bool) -> (Array<PackedByteArray>, Failures) {
    with_plan(values, full_objects, Form::Bytes, |planned, engine_encoded| {
        let count = planned.marks.len() - 1;
        let mut result = Array::new();
        result.resize(count, &PackedByteArray::new());
        let slots = engine::byte_slots(&mut result);
        let parts: Vec<_> = planned.marks.windows(2).map(|pair| planned.plan.part(pair[0], pair[1])).collect();
        pool::with(planned.plan.len(), |threads| {
            let lens = parts.iter().map(Part::len);
            each_run(lens, slots, threads, |index, slot| {
                let part = parts[index];
                fill::fill_parallel(part, slot.allocate(part.len()), threads);
            });
        });
        for (index, bytes) in engine_encoded {
            slots[*index].set_bytes(bytes.clone());
        }
        result
    })
}

/// All values to one buffer of frames.
pub fn encode_frames(values: &AnyArray, full_objects: bool) -> (PackedByteArray, Failures) {
    with_plan(values, full_objects, Form::Frames, |planned, _| new_bytes(&planned.plan))
}

fn new_bytes(plan: &Plan<'_>) -> PackedByteArray {
    engine::new_bytes(plan.len(), |dest| {
        pool::with(plan.len(), |threads| fill::fill_parallel(plan.whole(), dest, threads));
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Values end to end, with a mark between each two. What the engine encoded takes no room.
    Bytes,
    /// Frames, those of the engine among them.
    Frames,
}

struct Planned<'a> {
    plan: Plan<'a>,
    /// For [`Form::Bytes`]: before the first value, and behind each.
    marks: Vec<Mark>,
}

type EngineEncoded = Vec<(usize, PackedByteArray)>;

/// Plans the values and hands the plan to `then`, with what the engine encoded, by index.
fn with_plan<R>(
    values: &AnyArray,
    full_objects: bool,
    form: Form,
    then: impl FnOnce(&Planned<'_>, &EngineEncoded) -> R,
) -> (R, Failures) {
    let mut failures = Failures::new();
    let none = EngineEncoded::new();
    if let Some(planned) = plan(engine::values(values), &none, form, &mut failures) {
        return (then(&planned, &none), failures);
    }
    // The copy shares its elements with the original until one of them is changed.
    let values = values.duplicate_shallow();
    failures.clear();
    let mut encoded = EngineEncoded::new();
    for index in 0..values.len() {
        let value = values.at(index);
        let kind = engine::value(&value).view().kind();
        if !kind.is_native() {
            let bytes = engine_encode(&value, kind, full_objects).unwrap_or_else(|failure| {
                failures.push((index, failure));
                PackedByteArray::new()
            });
            encoded.push((index, bytes));
        }
    }
    let planned = plan(engine::values(&values), &encoded, form, &mut failures).expect("all others are native");
    failures.sort_by_key(|(index, _)| *index);
    (then(&planned, &encoded), failures)
}

/// Plans all values; `None` if one goes through the engine and is not in `encoded`.
fn plan<'a>(
    values: &'a [Value],
    encoded: &'a EngineEncoded,
    form: Form,
    failures: &mut Failures,
) -> Option<Planned<'a>> {
    let mut writer = Writer::new(DIALECT);
    let mut marks = Vec::new();
    if form == Form::Bytes {
        marks.reserve_exact(values.len() + 1);
        marks.push(writer.mark());
    }
    let mut encoded = encoded.iter().peekable();
    for (index, value) in values.iter().enumerate() {
        let from_engine = encoded.next_if(|(at, _)| *at == index);
        let start = writer.mark();
        let written = match (form, from_engine) {
            (Form::Bytes, None) => walk(value, &mut writer).and_then(|()| Ok(writer.end_value(start)?)),
            (Form::Bytes, Some(_)) => Ok(()),
            (Form::Frames, None) => frames::write(&mut writer, |writer| walk(value, writer)),
            (Form::Frames, Some((_, bytes))) if bytes.is_empty() => Ok(()),
            (Form::Frames, Some((_, bytes))) => frames::write(&mut writer, |writer| {
                writer.encoded(bytes.as_slice());
                Ok(())
            }),
        };
        match written {
            Ok(()) => {}
            Err(NotWalked::Engine(_)) => return None,
            Err(NotWalked::Error(error)) => {
                writer.drop_value(start);
                failures.push((index, Failure::Codec(error)));
            }
        }
        if form == Form::Bytes {
            marks.push(writer.mark());
        }
    }
    Some(Planned { plan: writer.into_plan(), marks })
}

fn engine_encode(value: &Variant, kind: Kind, full_objects: bool) -> Result<PackedByteArray, Failure> {
    let bytes = if full_objects { var_to_bytes_with_objects(value) } else { var_to_bytes(value) };
    // Every value takes at least a header.
    if bytes.is_empty() { Err(Failure::Engine(kind)) } else { Ok(bytes) }
}

// ---------------------------------------------------------------------------------------------------------------------
// Decoding

/// Bytes to one value. Nothing is put out if it fails.
pub fn decode(bytes: &PackedByteArray, allow_objects: bool, out: &mut Slot) -> Result<(), Failure> {
    let data = engine::bytes_of(bytes);
    let mut reader = Reader::new(data);
    match reader.peek_kind() {
        Ok(kind) if !kind.is_native() => {
            out.set(engine_decode(bytes, kind, allow_objects)?);
            Ok(())
        }
        _ => pool::with(data.len(), |threads| build(&mut reader, out, threads)).map_err(Failure::Codec),
    }
}

/// Each buffer to a value; null where a buffer is bad.
pub fn decode_each(buffers: &AnyArray, allow_objects: bool) -> (VarArray, Failures) {
    // Scripts that the engine may run cannot change this copy, and so not the buffers in it.
    let buffers = buffers.duplicate_shallow();
    let mut failures = Failures::new();
    let mut inputs = Vec::with_capacity(buffers.len());
    for (index, value) in engine::values(&buffers).iter().enumerate() {
        let view = value.view();
        let bytes = if view.kind() == Kind::PackedByteArray {
            view.plain().bytes
        } else {
            failures.push((index, Failure::NoBuffer(view.kind())));
            &[]
        };
        inputs.push(Input { index, at: 0, bytes });
    }
    let (mut result, left) = build_all(&inputs, &mut failures);
    drop(inputs);
    for Left { index, kind, .. } in left {
        let bytes = buffers.at(index).to();
        finish(index, engine_decode(&bytes, kind, allow_objects), &mut result, &mut failures);
    }
    failures.sort_by_key(|(index, _)| *index);
    (result, failures)
}

/// Frames to values, as many as there are whole ones; null where a payload is bad.
pub fn decode_frames(stream: &PackedByteArray, allow_objects: bool) -> (VarArray, Failures) {
    let mut failures = Failures::new();
    let mut inputs = Vec::new();
    let mut damage = None;
    for (index, frame) in frames::read(engine::bytes_of(stream)).enumerate() {
        match frame {
            Ok(frame) => inputs.push(Input { index, at: frame.at, bytes: frame.payload }),
            Err(error) => damage = Some((index, Failure::Codec(error))),
        }
    }
    let (mut result, left) = build_all(&inputs, &mut failures);
    for Left { index, kind, range } in left {
        let bytes = stream.subarray(range);
        finish(index, engine_decode(&bytes, kind, allow_objects), &mut result, &mut failures);
    }
    failures.sort_by_key(|(index, _)| *index);
    failures.extend(damage);
    (result, failures)
}

/// Bytes that hold a value.
struct Input<'a> {
    index: usize,
    /// Where the bytes begin in the buffer of the call.
    at: usize,
    bytes: &'a [u8],
}

/// A value that is left to the engine.
struct Left {
    index: usize,
    kind: Kind,
    /// Where its bytes are in the buffer of the call.
    range: Range<usize>,
}

/// Builds what is native of `inputs`, one element of the result each, and returns what is left to the engine.
fn build_all(inputs: &[Input<'_>], failures: &mut Failures) -> (VarArray, Vec<Left>) {
    let mut result = VarArray::new();
    result.resize(inputs.len(), &Variant::nil());
    let skipped: Vec<usize> = failures.iter().map(|(index, _)| *index).collect();
    let outcomes = std::sync::Mutex::new((Failures::new(), Vec::new()));
    let total = inputs.iter().map(|input| input.bytes.len()).sum();
    pool::with(total, |threads| {
        let slots = engine::slots(&mut result);
        each_run(inputs.iter().map(|input| input.bytes.len()), slots, threads, |index, slot| {
            let input = &inputs[index];
            if skipped.binary_search(&index).is_ok() {
                return;
            }
            let mut reader = Reader::at(input.bytes, input.at);
            let built = match reader.peek_kind() {
                Ok(kind) if !kind.is_native() => Err(None.ok_or(kind)),
                _ => build(&mut reader, slot, threads).map_err(Ok),
            };
            let Err(outcome) = built else { return };
            let mut outcomes = outcomes.lock().expect("no panic while it is held");
            match outcome {
                Ok(error) => outcomes.0.push((input.index, Failure::Codec(error))),
                Err(kind) => {
                    let range = input.at..input.at + input.bytes.len();
                    outcomes.1.push(Left { index: input.index, kind, range });
                }
            }
        });
    });
    let (mut failed, mut left) = outcomes.into_inner().expect("no panic while it is held");
    failures.append(&mut failed);
    left.sort_by_key(|left| left.index);
    (result, left)
}

fn finish(index: usize, decoded: Result<Variant, Failure>, result: &mut VarArray, failures: &mut Failures) {
    match decoded {
        Ok(value) => result.set(index, &value),
        Err(failure) => failures.push((index, failure)),
    }
}

fn engine_decode(bytes: &PackedByteArray, kind: Kind, allow_objects: bool) -> Result<Variant, Failure> {
    let value = if allow_objects { bytes_to_var_with_objects(bytes) } else { bytes_to_var(bytes) };
    let failed = match kind {
        // The engine returns null for a failure, and for an object that is null.
        Kind::Object if value.is_nil() => bytes.decode_var_allow_nil(0, allow_objects).1 == 0,
        _ => value.is_nil(),
    };
    if failed { Err(Failure::Engine(kind)) } else { Ok(value) }
}

// ---------------------------------------------------------------------------------------------------------------------

/// Bytes of work that a thread takes at a time.
const RUN: usize = 256 << 10;

/// Values shorter than this on average are not worth a second thread: allocating them is most of the work, and the
/// allocator lets one thread at a time through.
const PARALLEL_VALUE: usize = 1 << 10;

/// Calls `work` once for each slot, with its index, in runs of about [`RUN`] bytes over `threads`.
fn each_run(
    lens: impl ExactSizeIterator<Item = usize> + Clone,
    slots: &mut [Slot],
    threads: &Threads,
    work: impl Fn(usize, &mut Slot) + Sync,
) {
    let total: usize = lens.clone().sum();
    if threads.count() == 1 || total / slots.len().max(1) < PARALLEL_VALUE {
        for (index, slot) in slots.iter_mut().enumerate() {
            work(index, slot);
        }
        return;
    }
    let mut runs = Vec::with_capacity(total / RUN + 1);
    let (mut rest, mut first, mut len) = (slots, 0, 0);
    let count = lens.len();
    for (index, value_len) in lens.enumerate() {
        len += value_len;
        if len >= RUN || index + 1 == count {
            let (run, tail) = rest.split_at_mut(index + 1 - first);
            runs.push((first, run));
            (rest, first, len) = (tail, index + 1, 0);
        }
    }
    threads.for_each(runs, |(first, run): (usize, &mut [Slot])| {
        for (index, slot) in run.iter_mut().enumerate() {
            work(first + index, slot);
        }
    });
}
