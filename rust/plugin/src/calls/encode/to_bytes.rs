//! Encodes each value to a buffer of its own.

use godot::builtin::{AnyArray, Array, PackedByteArray};
use varbatch_codec::{Borrowed, Cursor, Mark, Part, Plan};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

use super::{Batch, Form, Run};
use crate::engine::{self, BytesOut, BytesSlot, Growing, OwnArray, Pages, Slot};
use crate::jobs::pool::{self, each_run};
use crate::jobs::task::{Job, STEP, VALUE};
use crate::jobs::tuning::{
    BUFFERS_PARALLEL_FROM, CONTAINERS_PARALLEL_FROM, LARGE_VALUE, PARALLEL_VALUE, SHARED_RUN, SINGLE_RUN,
};
use crate::report::{Outcome, Reports, VALUES};
use crate::value::walk::{Held, mostly_containers};
use varbatch_storage::fill::{self, Fills, PARALLEL_FROM};

/// Encodes values at once, run by run, so that plans stay small.
pub fn vars_to_bytes(values: AnyArray, full_objects: bool) -> Outcome<Array<PackedByteArray>> {
    Batch::encoded(values, full_objects, to_buffers)
}

fn to_buffers(batch: &Batch) -> Option<Outcome<Array<PackedByteArray>>> {
    let (values, full, mut reports) = (batch.values(), batch.full(), Reports::default());
    let mut buffers = OwnArray::byte_arrays(values.len());
    let is_shared = match mostly_containers(values) {
        true => values.len() >= CONTAINERS_PARALLEL_FROM,
        false => values.len() >= BUFFERS_PARALLEL_FROM && engine::allocates_in_parallel(),
    };
    let run_len = if is_shared { SHARED_RUN } else { SINGLE_RUN };
    let runs = values.chunks(run_len).zip(buffers.elements().chunks_mut(run_len)).enumerate();
    let begin = || Run::<Borrowed>::new(Form::Bytes, !is_shared);
    let states = pool::with(is_shared, |threads| {
        threads.for_each_with(runs, begin, |(index, (values, slots)), run| {
            if run.is_given_up(full) {
                return;
            }
            run.plan_values(values, index * run_len, full);
            if run.is_given_up(full) {
                return;
            }
            let len = run.plan().len();
            let is_large = !is_shared && len >= PARALLEL_FROM && len >= slots.len() * PARALLEL_VALUE;
            pool::with(is_large, |threads| fill(run.plan(), &run.marks, slots, threads));
        })
    });
    if states.iter().any(|run| run.is_given_up(full)) {
        return None;
    }
    states.into_iter().for_each(|mut run| reports.append(&mut run.reports));
    Some(Outcome::new(buffers.take(), reports.lines(&VALUES)))
}

/// Fills a buffer with each part of a plan, from one mark to the next.
fn fill(plan: &Plan<'_>, marks: &[Mark], slots: &mut [BytesSlot], threads: &Threads) {
    let parts = parts(plan, marks);
    let len = || plan.part(marks[0], marks[slots.len()]).len();
    if threads.count() > 1 && len() >= slots.len() * LARGE_VALUE && engine::makes_blocks() {
        // All by this thread, so that they reuse what it has freed: other threads have memory of their own.
        let (mut fills, mut pages) = (Fills::default(), Pages::default());
        for (part, slot) in parts.zip(slots) {
            let dest = slot.allocate(part.len());
            pages.add(dest);
            fills.part(part, dest);
        }
        pages.prepare();
        return fills.fill(threads);
    }
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
}

fn parts<'r, 'p>(plan: &'r Plan<'p>, marks: &'r [Mark]) -> impl Iterator<Item = Part<'r, 'p>> + Clone + Send {
    marks.windows(2).map(move |pair| plan.part(pair[0], pair[1]))
}

pub struct ToBytes {
    buffers: OwnArray<PackedByteArray>,
    runs: std::collections::VecDeque<Run<'static, Held>>,
    /// Number of filled buffers, and of those of the first run.
    filled: usize,
    filled_of_run: usize,
    /// The next buffer, if it is filled in several steps.
    long: Option<(Cursor, Growing)>,
    reports: Reports,
    done: usize,
    total: usize,
}

impl ToBytes {
    pub fn held(values: AnyArray, full_objects: bool) -> Self {
        let (batch, mut reports) = (Batch::of(values, full_objects), Reports::default());
        let mut runs = batch.plan_held(Form::Bytes);
        runs.iter_mut().for_each(|run| reports.append(&mut run.reports));
        Self {
            buffers: OwnArray::byte_arrays(batch.values().len()),
            filled: 0,
            filled_of_run: 0,
            long: None,
            reports,
            done: 0,
            total: runs.iter().map(|run| run.plan().len()).sum::<usize>() + batch.values().len() * VALUE,
            runs: runs.into(),
        }
    }

    fn pass(&mut self, count: usize, len: usize) {
        self.filled += count;
        self.filled_of_run += count;
        self.done += len + count * VALUE;
    }
}

impl Work for ToBytes {
    fn step(&mut self, threads: &Threads, _: OnProgress<'_>) -> NextStep {
        let Some(run) = self.runs.front() else { return NextStep::Done };
        let (plan, marks) = (run.plan(), &run.marks[self.filled_of_run..]);
        let Some(part) = parts(plan, marks).next() else {
            // Drops the values that the plan holds.
            self.runs.pop_front();
            self.filled_of_run = 0;
            return NextStep::More;
        };
        let slots = &mut self.buffers.elements()[self.filled..];
        let mut work = 0;
        let fits = |part: &Part<'_, '_>| {
            work += part.len() + VALUE;
            work <= STEP
        };
        let count = parts(plan, marks).take_while(fits).count();
        if count > 0 {
            fill(plan, &marks[..=count], &mut slots[..count], threads);
            let len = plan.part(marks[0], marks[count]).len();
            self.pass(count, len);
            return NextStep::More;
        }
        let (len, start) = (part.len(), marks[0]);
        let (cursor, bytes) = self.long.get_or_insert_with(|| (Cursor::at(start), Growing::with_room(len)));
        let end = len.min(bytes.len() + STEP);
        while bytes.len() < end {
            let chunk = cursor.next(plan, end - bytes.len()).expect("the value has more");
            chunk.fill(bytes.grow(chunk.len(), 0));
            self.done += chunk.len();
        }
        if end == len {
            *slots[0].bytes() = bytes.take();
            self.long = None;
            self.pass(1, 0);
        }
        NextStep::More
    }

    fn progress(&self) -> f32 {
        self.done as f32 / self.total.max(1) as f32
    }
}

impl Job for ToBytes {
    fn outcome(&mut self) -> Outcome<Slot> {
        Outcome::new(self.buffers.take(), self.reports.lines(&VALUES)).into_slot()
    }
}
