//! Values to bytes: plans the values and fills the outputs.

use godot::builtin::{AnyArray, Array, PackedByteArray, Variant};
use godot::global::{var_to_bytes, var_to_bytes_with_objects};
use varbatch_codec::{Kind, Mark, Part, Threads, Writer, fill, frames};

use crate::batch::{Failure, Failures, each_run};
use crate::engine::{self, BytesOut, DIALECT, Slot, Value};
use crate::pool;
use crate::walk::{NotWalked, walk};

/// Values that are planned at a time, where each gets a buffer of its own: what is known of them stays small beside their
/// bytes.
const RUN: usize = 4000;

/// From this many values on, several threads walk them. Below, the other core waits for what the first has in its cache:
/// 20,000 arrays of 64 bytes that were just used took 0.34 ms on one thread and 0.52 ms on two, 100,000 took 3.2 and 2.2.
const WALK_PARALLEL_FROM: usize = 50_000;

/// Values after which the room for the others is guessed.
const SAMPLE: usize = 64;

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
    let plan = writer.plan();
    let dest = out.allocate(plan.len());
    pool::with(plan.len() >= fill::PARALLEL_FROM, |threads| fill::fill_parallel(plan.whole(), dest, threads));
    Ok(())
}

/// Each value to bytes of its own.
pub fn encode_each(values: &AnyArray, full_objects: bool) -> (Array<PackedByteArray>, Failures) {
    with_engine(values, full_objects, |values, encoded, failures| {
        let bytes = slices(encoded);
        let mut native = Some(());
        let result = engine::new_byte_arrays(values.len(), |slots| {
            native = fill_slots(values, &bytes, slots, failures);
            for (index, bytes) in encoded {
                slots[*index].set_bytes(bytes.clone());
            }
        });
        native.map(|()| result)
    })
}

/// Fills one slot a value, run by run, so that no more than one plan is held; `None` as [`Run::plan`].
fn fill_slots(values: &[Value], encoded: &[(usize, &[u8])], slots: &mut [Slot], failures: &mut Failures) -> Option<()> {
    let mut run = Run::new();
    for (index, (values, slots)) in values.chunks(RUN).zip(slots.chunks_mut(RUN)).enumerate() {
        run.plan(values, index * RUN, encoded, Form::Bytes)?;
        let plan = run.writer.plan();
        pool::with(plan.len() >= fill::PARALLEL_FROM, |threads| {
            let parts = run.marks.windows(2).map(|pair| plan.part(pair[0], pair[1]));
            each_run(parts, Part::len, slots, threads, |part, slot| {
                fill::fill_parallel(part, slot.allocate(part.len()), threads);
            });
        });
        failures.append(&mut run.failures);
    }
    Some(())
}

/// All values to one buffer of frames.
pub fn encode_frames(values: &AnyArray, full_objects: bool) -> (PackedByteArray, Failures) {
    with_engine(values, full_objects, |values, encoded, failures| {
        let bytes = slices(encoded);
        let runs = pool::with(values.len() >= WALK_PARALLEL_FROM, |threads| plan_frames(values, &bytes, threads))?;
        let len = runs.iter().map(|run| run.writer.plan().len()).sum();
        let mut result = PackedByteArray::new();
        let mut dest = result.allocate(len);
        pool::with(runs.len() > 1 || len >= fill::PARALLEL_FROM, |threads| {
            let mut parts = Vec::with_capacity(runs.len());
            for run in &runs {
                let plan = run.writer.plan();
                let (head, tail) = dest.split_at_mut(plan.len());
                parts.push((plan.whole(), head));
                dest = tail;
            }
            threads.for_each(parts, |(part, dest)| fill::fill_parallel(part, dest, threads));
        });
        failures.extend(runs.into_iter().flat_map(|run| run.failures));
        Some(result)
    })
}

/// Plans all values as frames, one run for each thread; `None` as [`Run::plan`].
fn plan_frames<'a>(values: &'a [Value], encoded: &[(usize, &'a [u8])], threads: &Threads) -> Option<Vec<Run<'a>>> {
    let run_len = values.len().div_ceil(threads.count()).max(1);
    let mut runs: Vec<_> = values.chunks(run_len).map(|values| (Run::new(), values, Some(()))).collect();
    let items = runs.iter_mut().enumerate().collect();
    threads.for_each(items, |(index, (run, values, native)): (usize, &mut (Run<'a>, &'a [Value], Option<()>))| {
        *native = run.plan(values, index * run_len, encoded, Form::Frames);
    });
    runs.into_iter().map(|(run, _, native)| native.map(|()| run)).collect()
}

/// What the engine has encoded, by index; empty where it could not.
type EngineEncoded = Vec<(usize, PackedByteArray)>;

fn slices(encoded: &EngineEncoded) -> Vec<(usize, &[u8])> {
    encoded.iter().map(|(index, bytes)| (*index, engine::bytes_of(bytes))).collect()
}

/// Calls `encode` with the values; if that gives `None`, again with what the engine has encoded of them.
fn with_engine<R>(
    values: &AnyArray,
    full_objects: bool,
    encode: impl Fn(&[Value], &EngineEncoded, &mut Failures) -> Option<R>,
) -> (R, Failures) {
    let mut failures = Failures::new();
    if let Some(result) = encode(engine::values(values), &EngineEncoded::new(), &mut failures) {
        return (result, failures);
    }
    failures.clear();
    // The copy shares its elements with the original until one of them is changed.
    let values = values.duplicate_shallow();
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
    let result = encode(engine::values(&values), &encoded, &mut failures).expect("all others are native");
    failures.sort_by_key(|(index, _)| *index);
    (result, failures)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Values end to end, with a mark between each two. What the engine encoded takes no room.
    Bytes,
    /// Frames, those of the engine among them.
    Frames,
}

/// The plan of some values, one after the other.
struct Run<'a> {
    writer: Writer<'a>,
    /// For [`Form::Bytes`]: before the first value, and behind each.
    marks: Vec<Mark>,
    failures: Failures,
}

impl<'a> Run<'a> {
    fn new() -> Self {
        Self { writer: Writer::new(DIALECT), marks: Vec::new(), failures: Failures::new() }
    }

    /// Plans values, the first of which has the index `first` in the batch, instead of those before. `None` if one goes
    /// through the engine and is not in `encoded`.
    fn plan(&mut self, values: &'a [Value], first: usize, encoded: &[(usize, &'a [u8])], form: Form) -> Option<()> {
        let Self { writer, marks, failures } = self;
        writer.clear();
        marks.clear();
        if form == Form::Bytes {
            marks.reserve_exact(values.len() + 1);
            marks.push(writer.mark());
        }
        let mut encoded = encoded[encoded.partition_point(|(at, _)| *at < first)..].iter().peekable();
        for (index, value) in (first..).zip(values) {
            if index == first + SAMPLE {
                // Room for all, if they are like the first: growing bit by bit copies as much as it plans.
                writer.reserve(values.len() / SAMPLE);
            }
            let from_engine = encoded.next_if(|(at, _)| *at == index);
            let start = writer.mark();
            let written = match (form, from_engine) {
                (Form::Bytes, None) => walk(value, writer).and_then(|()| Ok(writer.end_value(start)?)),
                (Form::Frames, None) => frames::write(writer, |writer| walk(value, writer)),
                (Form::Frames, Some((_, bytes))) if !bytes.is_empty() => frames::write(writer, |writer| {
                    writer.encoded(bytes);
                    Ok(())
                }),
                (_, Some(_)) => Ok(()),
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
        Some(())
    }
}

fn engine_encode(value: &Variant, kind: Kind, full_objects: bool) -> Result<PackedByteArray, Failure> {
    let bytes = if full_objects { var_to_bytes_with_objects(value) } else { var_to_bytes(value) };
    // Every value takes at least a header.
    if bytes.is_empty() { Err(Failure::Engine(kind)) } else { Ok(bytes) }
}
