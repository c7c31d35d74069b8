//! Values to bytes: plans the values and fills the outputs.

use godot::builtin::{AnyArray, Array, PackedByteArray};
use varbatch_codec::{Error, Mark, Part, Threads, Writer, fill, frames};

use crate::batch::{Report, Reports, each_run};
use crate::engine::{self, BytesOut, DIALECT, Growing, Memory, Slot, Value};
use crate::walk::{Borrowing, NotWalked, mostly_containers, walk};
use crate::{objects, pool};

/// Values that are planned at a time, where each gets a buffer of its own: what is known of them stays small beside their
/// bytes.
const RUN: usize = 4000;

/// The same for containers, which threads plan, allocate and fill run by run.
const CONTAINER_RUN: usize = 250;

/// From this many values on, several threads walk them, if most are containers.
const CONTAINERS_PARALLEL_FROM: usize = 2000;

/// The same for other values that get a buffer each, in engines that do not count their allocations.
const BUFFERS_PARALLEL_FROM: usize = 5000;

/// Outputs shorter than this on average are not worth a second thread where they were planned by one: allocating them is
/// most of the work then. In bytes.
const PARALLEL_VALUE: usize = 1 << 10;

/// Frames that one thread plans at a time, while they are shorter than this on average, in bytes.
const STREAM_RUN: usize = 500;
const LARGE_FRAME: usize = 1 << 10;

/// Values after which the room for the others is guessed.
const SAMPLE: usize = 64;

/// One value to bytes. Nothing is put out if it fails.
pub fn encode(value: &Value, full_objects: bool, out: &mut impl BytesOut) -> Result<(), Error> {
    let mut writer = Writer::new(DIALECT);
    let start = writer.mark();
    match walk(value, &mut Borrowing { writer: &mut writer, full_objects, may_split: true }) {
        Ok(()) => writer.end_value(start)?,
        Err(NotWalked::Error(error)) => return Err(error),
        Err(NotWalked::FullObject) => {
            out.set_bytes(objects::encode(value)?);
            return Ok(());
        }
    }
    let plan = writer.plan();
    let dest = out.allocate(plan.len());
    pool::with(plan.len() >= fill::PARALLEL_FROM, |threads| fill::fill_parallel(plan.whole(), dest, threads));
    Ok(())
}

/// Each value to bytes of its own.
pub fn encode_each(values: &AnyArray, full_objects: bool) -> (Array<PackedByteArray>, Reports) {
    with_engine(values, full_objects, |values, encoded, reports| {
        let bytes = slices(encoded);
        let mut native = Some(());
        let result = engine::new_byte_arrays(values.len(), |slots| {
            let (is_worth_it, from) = match mostly_containers(values) {
                true => (true, CONTAINERS_PARALLEL_FROM),
                false => (engine::allocates_in_parallel(), BUFFERS_PARALLEL_FROM),
            };
            native = if is_worth_it && values.len() >= from {
                pool::with(true, |threads| fill_runs(values, &bytes, full_objects, slots, reports, threads))
            } else {
                fill_slots(values, &bytes, full_objects, slots, reports)
            };
            for (index, bytes) in encoded {
                slots[*index].set_bytes(bytes.clone());
            }
        });
        native.map(|()| result)
    })
}

/// Fills one slot a value, run by run, so that no more than one plan is held; `None` as [`Run::plan`].
fn fill_slots(
    values: &[Value],
    encoded: &[(usize, &[u8])],
    full_objects: bool,
    slots: &mut [Slot],
    reports: &mut Reports,
) -> Option<()> {
    let mut run = Run::new(full_objects, true);
    for (index, (values, slots)) in values.chunks(RUN).zip(slots.chunks_mut(RUN)).enumerate() {
        run.plan(values, index * RUN, encoded, Form::Bytes)?;
        let plan = run.writer.plan();
        let is_worth_it = plan.len() >= fill::PARALLEL_FROM && plan.len() / values.len() >= PARALLEL_VALUE;
        pool::with(is_worth_it, |threads| {
            let parts = run.marks.windows(2).map(|pair| plan.part(pair[0], pair[1]));
            each_run(
                parts,
                Part::len,
                slots,
                threads,
                || (),
                |part, slot, ()| {
                    fill::fill_parallel(part, slot.allocate(part.len()), threads);
                },
            );
        });
        reports.append(&mut run.reports);
    }
    Some(())
}

/// As [`fill_slots`], each run on a thread of its own.
fn fill_runs(
    values: &[Value],
    encoded: &[(usize, &[u8])],
    full_objects: bool,
    slots: &mut [Slot],
    reports: &mut Reports,
    threads: &Threads,
) -> Option<()> {
    let chunks = values.chunks(CONTAINER_RUN).zip(slots.chunks_mut(CONTAINER_RUN));
    let mut runs: Vec<_> = chunks.map(|(values, slots)| (values, slots, Some(Reports::new()))).collect();
    let items = runs.iter_mut().enumerate();
    threads.for_each(items, |(index, (values, slots, reports)): (usize, &mut (&[Value], &mut [Slot], _))| {
        let mut run = Run::new(full_objects, false);
        *reports = run.plan(values, index * CONTAINER_RUN, encoded, Form::Bytes).map(|()| {
            for (pair, slot) in run.marks.windows(2).zip(slots.iter_mut()) {
                let part = run.writer.plan().part(pair[0], pair[1]);
                fill::fill(part, slot.allocate(part.len()));
            }
            run.reports
        });
    });
    for (_, _, run) in runs {
        reports.append(&mut run?);
    }
    Some(())
}

/// All values to one buffer of frames.
pub fn encode_frames(values: &AnyArray, full_objects: bool) -> (PackedByteArray, Reports) {
    with_engine(values, full_objects, |values, encoded, reports| {
        let bytes = slices(encoded);
        // What is not containers is walked faster than a second thread could take it from the first one's cache.
        let is_large = values.len() >= CONTAINERS_PARALLEL_FROM && mostly_containers(values);
        pool::with(is_large, |threads| match threads.count() {
            1 => stream_frames(values, &bytes, full_objects, reports),
            _ => {
                let runs = plan_frames(values, &bytes, full_objects, threads)?;
                let mut result = PackedByteArray::new();
                fill_frames(&runs, result.allocate(len_of(&runs)), threads);
                reports.extend(runs.into_iter().flat_map(|run| run.reports));
                Some(result)
            }
        })
    })
}

/// One thread's way: plans and fills some frames at a time, as long as they are small, so that the plan stays in the
/// cache. How large the result will be is guessed from those before.
fn stream_frames(
    values: &[Value],
    encoded: &[(usize, &[u8])],
    full_objects: bool,
    reports: &mut Reports,
) -> Option<PackedByteArray> {
    let mut result = Growing::new();
    let mut run = Run::new(full_objects, true);
    let mut done = 0;
    while done < values.len() {
        let count = if done == 0 || result.len() / done < LARGE_FRAME { STREAM_RUN } else { values.len() };
        let some = &values[done..values.len().min(done + count)];
        run.plan(some, done, encoded, Form::Frames)?;
        done += some.len();
        let plan = run.writer.plan();
        let (len, left) = (result.len() + plan.len(), values.len() - done);
        let dest = result.grow(plan.len(), len.saturating_mul(left) / done);
        pool::with(plan.len() >= fill::PARALLEL_FROM, |threads| fill::fill_parallel(plan.whole(), dest, threads));
        reports.append(&mut run.reports);
    }
    Some(result.into_bytes())
}

fn len_of(runs: &[Run<'_>]) -> usize {
    runs.iter().map(|run| run.writer.plan().len()).sum()
}

fn fill_frames(runs: &[Run<'_>], mut dest: Memory<'_>, threads: &Threads) {
    let mut parts = Vec::with_capacity(runs.len());
    for run in runs {
        let plan = run.writer.plan();
        let (head, tail) = dest.split_at_mut(plan.len());
        parts.push((plan.whole(), head));
        dest = tail;
    }
    threads.for_each(parts, |(part, dest)| fill::fill_parallel(part, dest, threads));
}

/// Plans all values as frames, one run for each thread; `None` as [`Run::plan`].
fn plan_frames<'a>(
    values: &'a [Value],
    encoded: &[(usize, &'a [u8])],
    full_objects: bool,
    threads: &Threads,
) -> Option<Vec<Run<'a>>> {
    let run_len = values.len().div_ceil(threads.count()).max(1);
    let may_split = threads.count() == 1;
    let mut runs: Vec<_> =
        values.chunks(run_len).map(|values| (Run::new(full_objects, may_split), values, Some(()))).collect();
    // Room for all, if they are like the first, from this thread: see `walk`.
    let mut sample = Run::new(full_objects, false);
    sample.plan(&values[..values.len().min(SAMPLE)], 0, encoded, Form::Frames)?;
    for (run, values, _) in &mut runs {
        run.writer.reserve_bytes(sample.writer.inline_len() * values.len() / SAMPLE);
    }
    let items = runs.iter_mut().enumerate();
    threads.for_each(items, |(index, (run, values, native)): (usize, &mut (Run<'a>, &'a [Value], Option<()>))| {
        *native = run.plan(values, index * run_len, encoded, Form::Frames);
    });
    runs.into_iter().map(|(run, _, native)| native.map(|()| run)).collect()
}

/// What the engine had a part in encoding, by index; empty where it could not.
type EngineEncoded = Vec<(usize, PackedByteArray)>;

fn slices(encoded: &EngineEncoded) -> Vec<(usize, &[u8])> {
    encoded.iter().map(|(index, bytes)| (*index, engine::bytes_of(bytes))).collect()
}

/// Calls `encode` with the values; if that gives `None`, again with those encoded that the engine has a part in.
fn with_engine<R>(
    values: &AnyArray,
    full_objects: bool,
    encode: impl Fn(&[Value], &EngineEncoded, &mut Reports) -> Option<R>,
) -> (R, Reports) {
    let mut reports = Reports::new();
    if let Some(result) = encode(engine::values(values), &EngineEncoded::new(), &mut reports) {
        return (result, reports);
    }
    reports.clear();
    // A script that the engine runs may change the caller's array, but not this one. What it may change are the
    // containers in it: so all values are encoded one by one, each with nothing borrowed at its end.
    let values = values.duplicate_shallow();
    let mut encoded = EngineEncoded::new();
    for index in 0..values.len() {
        let value = values.at(index);
        let mut bytes = PackedByteArray::new();
        if let Err(error) = self::encode(engine::value(&value), full_objects, &mut bytes) {
            reports.push((index, Report::Error(error)));
        }
        encoded.push((index, bytes));
    }
    let result = encode(engine::values(&values), &encoded, &mut reports).expect("all are encoded");
    (result, reports)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Values end to end, with a mark between each two. What is encoded already takes no room.
    Bytes,
    /// Frames, those of what is encoded already among them.
    Frames,
}

/// The plan of some values, one after the other.
struct Run<'a> {
    writer: Writer<'a>,
    full_objects: bool,
    may_split: bool,
    /// For [`Form::Bytes`]: before the first value, and behind each.
    marks: Vec<Mark>,
    reports: Reports,
}

impl<'a> Run<'a> {
    fn new(full_objects: bool, may_split: bool) -> Self {
        let (marks, reports) = (Vec::new(), Reports::new());
        Self { writer: Writer::new(DIALECT), full_objects, may_split, marks, reports }
    }

    /// Plans values, the first of which has the index `first` in the batch, instead of those before. `None` if the engine
    /// has to have a part in one, and it is not in `encoded`.
    fn plan(&mut self, values: &'a [Value], first: usize, encoded: &[(usize, &'a [u8])], form: Form) -> Option<()> {
        let Self { writer, full_objects, may_split, marks, reports } = self;
        writer.clear();
        marks.clear();
        if form == Form::Bytes {
            marks.reserve_exact(values.len() + 1);
            marks.push(writer.mark());
        }
        let mut encoded = &encoded[encoded.partition_point(|(at, _)| *at < first)..];
        for (index, value) in (first..).zip(values) {
            if index == first + SAMPLE {
                // Room for all, if they are like the first: growing bit by bit copies as much as it plans.
                writer.reserve(values.len() / SAMPLE);
            }
            let from_engine = encoded.first().filter(|(at, _)| *at == index);
            encoded = &encoded[usize::from(from_engine.is_some())..];
            let start = writer.mark();
            let (full_objects, may_split) = (*full_objects, *may_split);
            let walk = |writer: &mut Writer<'a>| walk(value, &mut Borrowing { writer, full_objects, may_split });
            let written = match (form, from_engine) {
                (Form::Bytes, None) => walk(writer).and_then(|()| Ok(writer.end_value(start)?)),
                (Form::Frames, None) => frames::write(writer, walk),
                (Form::Frames, Some((_, bytes))) if !bytes.is_empty() => {
                    frames::write(writer, |writer| Ok(writer.encoded(bytes)?))
                }
                (_, Some(_)) => Ok(()),
            };
            match written {
                Ok(()) => {}
                Err(NotWalked::Error(mut error)) => {
                    writer.drop_value(start);
                    error.at -= start.position().min(error.at);
                    reports.push((index, Report::Error(error)));
                }
                Err(NotWalked::FullObject) => return None,
            }
            if form == Form::Bytes {
                marks.push(writer.mark());
            }
        }
        Some(())
    }
}
