//! Values to bytes: plans the values and fills the outputs.

mod run;
pub mod steps;

use std::marker::PhantomData;
use std::sync::atomic::AtomicBool;

use godot::builtin::{AnyArray, Array, PackedByteArray};
use varbatch_codec::fill::fill;
use varbatch_codec::{Borrowed, CodecError, Part, Writer};
use varbatch_storage::fill;
use varbatch_workers::Threads;

pub use self::run::{Form, Run, into_plans, plan_held, plan_runs, slices, with_engine};
use crate::engine::{self, BytesOut, DIALECT, Growing, Memory, Slot, Value};
use crate::jobs::pool;
use crate::jobs::runs::each_run;
use crate::report::Reports;
use crate::value::full_objects;
use crate::value::walk::{NotWalked, Planning, mostly_containers, walk};

/// Values that are planned at a time, where each gets a buffer of its own: what is known of them stays small beside their
/// bytes.
const RUN: usize = 4000;

/// The same for containers, which threads plan, allocate and fill run by run.
const CONTAINER_RUN: usize = 250;

/// From this many values on, several threads walk them, if most are containers.
pub const CONTAINERS_PARALLEL_FROM: usize = 2000;

/// The same for other values that get a buffer each, in engines that do not count their allocations.
const BUFFERS_PARALLEL_FROM: usize = 5000;

/// Outputs shorter than this on average are not worth a second thread where they were planned by one: allocating them is
/// most of the work then. In bytes.
const PARALLEL_VALUE: usize = 1 << 10;

/// Frames that one thread plans at a time, while they are shorter than this on average, in bytes.
const STREAM_RUN: usize = 500;
const LARGE_FRAME: usize = 1 << 10;

/// One value to bytes. Nothing is put out if it fails.
pub fn encode(value: &Value, full_objects: bool, out: &mut impl BytesOut) -> Result<(), CodecError> {
    let mut writer = Writer::new(DIALECT);
    let start = writer.mark();
    let is_lossy = &AtomicBool::new(false);
    let keep = PhantomData::<Borrowed>;
    let mut target = Planning { writer: &mut writer, full_objects, may_split: true, is_lossy, keep };
    match walk(value, &mut target) {
        Ok(()) => writer.end_value(start)?,
        Err(NotWalked::Error(error)) => return Err(error),
        Err(NotWalked::FullObject) => {
            out.set_bytes(full_objects::encode(value)?);
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
    let mut run = Run::<Borrowed>::new(full_objects, true);
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
                |()| (),
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
    let mut runs: Vec<_> = chunks.map(|(values, slots)| (values, slots, Some(Reports::default()))).collect();
    let items = runs.iter_mut().enumerate();
    threads.for_each(items, |(index, (values, slots, reports)): (usize, &mut (&[Value], &mut [Slot], _))| {
        let mut run = Run::<Borrowed>::new(full_objects, false);
        *reports = run.plan(values, index * CONTAINER_RUN, encoded, Form::Bytes).map(|()| {
            for (pair, slot) in run.marks.windows(2).zip(slots.iter_mut()) {
                let part = run.writer.plan().part(pair[0], pair[1]);
                fill(part, slot.allocate(part.len()));
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
                let runs: Vec<Run<'_, Borrowed>> = plan_runs(values, 0, &bytes, full_objects, Form::Frames, threads)?;
                let mut result = PackedByteArray::new();
                fill_frames(&runs, result.allocate(len_of(&runs)), threads);
                runs.into_iter().for_each(|mut run| reports.append(&mut run.reports));
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
    let mut run = Run::<Borrowed>::new(full_objects, true);
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

fn len_of(runs: &[Run<'_, Borrowed>]) -> usize {
    runs.iter().map(|run| run.writer.plan().len()).sum()
}

fn fill_frames(runs: &[Run<'_, Borrowed>], mut dest: Memory<'_>, threads: &Threads) {
    let mut parts = Vec::with_capacity(runs.len());
    for run in runs {
        let plan = run.writer.plan();
        let (head, tail) = dest.split_at_mut(plan.len());
        parts.push((plan.whole(), head));
        dest = tail;
    }
    threads.for_each(parts, |(part, dest)| fill::fill_parallel(part, dest, threads));
}
