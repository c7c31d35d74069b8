//! Encodes each value to a buffer of its own.

use godot::builtin::{AnyArray, PackedByteArray};
use varbatch_codec::{Borrowed, Cursor, Part};
use varbatch_storage::fill::{self, Fills};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress};

use super::run::{Form, Run, Source, plan_runs, with_engine};
use crate::engine::{self, BytesOut, BytesSlot, Growing, OwnArray, Pages, Value};
use crate::jobs::job::{Job, Outcome, Product, VALUE};
use crate::jobs::runs::each_run;
use crate::jobs::tuning::{
    BUFFERS_PARALLEL_FROM, CONTAINERS_PARALLEL_FROM, LARGE_VALUE, PARALLEL_VALUE, SHARED_RUN, SINGLE_RUN,
};
use crate::jobs::{pool, run};
use crate::report::{Reports, VALUES};
use crate::value::walk::{Held, KeepWalked, mostly_containers};

/// The job that encodes each value to a buffer of its own, run by run, so that plans stay small.
pub struct ToBytes<'p, K> {
    buffers: OwnArray<PackedByteArray>,
    full_objects: bool,
    runs: Vec<BufferRun<'p, K>>,
    /// Values of each run except the last.
    run_len: usize,
    /// Index of the first unfinished run.
    next: usize,
    /// True if each run is planned and filled by one of several threads.
    is_shared: bool,
    /// A finished run, whose memory is reused.
    spare: Option<Run<'p, K>>,
    reports: Reports,
    done: usize,
    total: usize,
    asks_engine: bool,
}

/// Some values and their buffers.
struct BufferRun<'p, K> {
    /// Values that are not planned yet.
    values: &'p [Value],
    plan: Option<Run<'p, K>>,
    /// Number of filled buffers.
    filled: usize,
    /// The next buffer, if it is filled in several steps.
    long: Option<(Cursor, Growing)>,
}

/// Encodes values at once.
pub fn vars_to_bytes(values: &AnyArray, full_objects: bool) -> Outcome {
    with_engine(values, full_objects, |source, reports| {
        let mut job = ToBytes::<Borrowed>::new(source, full_objects, reports);
        if let Source::Values(values) = source {
            job.is_shared = match mostly_containers(values) {
                true => values.len() >= CONTAINERS_PARALLEL_FROM,
                false => values.len() >= BUFFERS_PARALLEL_FROM && engine::allocates_in_parallel(),
            };
            job.run_len = if job.is_shared { SHARED_RUN } else { SINGLE_RUN };
            job.runs = values.chunks(job.run_len).map(|values| BufferRun::new(values, None)).collect();
        }
        run::finish(&mut job);
        (!job.asks_engine).then(|| job.outcome())
    })
}

impl ToBytes<'static, Held> {
    /// Plans all values, so that they may be changed or dropped afterwards.
    pub fn held(values: &AnyArray, full_objects: bool) -> Self {
        with_engine(values, full_objects, |source, reports| {
            let mut job = Self::new(source, full_objects, reports);
            if let Source::Values(values) = source {
                let plan = |threads: &Threads| plan_runs(source, 0, Form::Bytes, full_objects, threads);
                let plans = pool::with(source.is_shared_if_held(), plan)?;
                job.total =
                    plans.iter().map(|run: &Run<'_, Held>| run.plan().len()).sum::<usize>() + values.len() * VALUE;
                job.runs = plans.into_iter().map(|run| BufferRun::new(&[], Some(run))).collect();
                job.run_len = job.runs[0].count().max(1);
            }
            Some(job)
        })
    }
}

impl<'p, K> ToBytes<'p, K> {
    /// Makes a job that already has the buffers of encoded values.
    fn new(source: Source<'_>, full_objects: bool, reports: Reports) -> Self {
        let mut buffers = OwnArray::byte_arrays(source.len());
        if let Source::Encoded(encoded) = source {
            for (slot, bytes) in buffers.elements().iter_mut().zip(encoded) {
                slot.set_bytes(bytes.get());
            }
        }
        Self {
            buffers,
            full_objects,
            runs: Vec::new(),
            run_len: 1,
            next: 0,
            is_shared: false,
            spare: None,
            reports,
            done: 0,
            total: 0,
            asks_engine: false,
        }
    }

    /// Plans and fills each run on one of several threads.
    fn step_shared(&mut self, threads: &Threads) -> Option<()>
    where
        K: KeepWalked<'p, 'p>,
    {
        let (run_len, full_objects) = (self.run_len, self.full_objects);
        let slots = self.buffers.elements().chunks_mut(run_len);
        let mut runs: Vec<_> = self.runs.drain(..).zip(slots).map(|(run, slots)| (run, slots, None)).collect();
        type Item<'r, 's, 'p, K> = (usize, &'r mut (BufferRun<'p, K>, &'s mut [BytesSlot], Option<Reports>));
        let fill = |(index, (run, slots, reports)): Item<'_, '_, 'p, K>| {
            let plan = Run::new(Form::Bytes, full_objects, false);
            if run.plan(plan, index * run_len).is_some() {
                run.fill(slots, usize::MAX, &Threads::alone());
                // Only the reports are still needed.
                *reports = run.plan.take().map(|plan| plan.reports);
            }
        };
        threads.for_each(runs.iter_mut().enumerate(), fill);
        runs.into_iter().try_for_each(|(.., reports)| {
            self.reports.append(&mut reports?);
            Some(())
        })
    }
}

impl<'p, K> BufferRun<'p, K> {
    fn new(values: &'p [Value], plan: Option<Run<'p, K>>) -> Self {
        Self { values, plan, filled: 0, long: None }
    }

    fn count(&self) -> usize {
        self.plan.as_ref().map_or(self.values.len(), |run| run.marks.len() - 1)
    }

    /// Plans the values. `first` is the index of the first value in the batch.
    fn plan(&mut self, mut run: Run<'p, K>, first: usize) -> Option<()>
    where
        K: KeepWalked<'p, 'p>,
    {
        run.plan_values(Source::Values(self.values), first)?;
        self.plan = Some(run);
        Some(())
    }

    /// True if several threads should fill it.
    fn is_large(&self) -> bool {
        self.plan.as_ref().is_some_and(|run| {
            let len = run.plan().len();
            len >= fill::PARALLEL_FROM && len >= self.count() * PARALLEL_VALUE
        })
    }

    /// Fills the next buffers, max `size` bytes of work. Returns the work done, or `None` at the end.
    fn fill(&mut self, slots: &mut [BytesSlot], size: usize, threads: &Threads) -> Option<usize> {
        let run = self.plan.as_ref()?;
        let (plan, marks) = (run.plan(), &run.marks[self.filled..]);
        let parts = marks.windows(2).map(|pair| plan.part(pair[0], pair[1]));
        let mut work = 0;
        let fits = |part: &Part<'_, '_>| {
            work += part.len() + VALUE;
            work <= size
        };
        let count = parts.clone().take_while(fits).count();
        let slots = &mut slots[self.filled..];
        if count > 0 {
            let done = plan.part(marks[0], marks[count]).len();
            if threads.count() > 1 && done >= count * LARGE_VALUE && engine::makes_blocks() {
                // All by this thread, so that they reuse what it has freed: other threads have memory of their own.
                let (mut fills, mut pages) = (Fills::default(), Pages::default());
                for (part, slot) in parts.take(count).zip(slots) {
                    let dest = slot.allocate(part.len());
                    pages.add(dest);
                    fills.part(part, dest);
                }
                pages.prepare();
                fills.fill(threads);
                self.filled += count;
                return Some(done + count * VALUE);
            }
            let put = |part: Part<'_, '_>, slot: &mut BytesSlot, (): &mut ()| {
                fill::fill_parallel(part, slot.allocate(part.len()), threads);
            };
            each_run(parts.take(count), Part::len, &mut slots[..count], threads, || (), put, |()| ());
            self.filled += count;
            return Some(done + count * VALUE);
        }
        let len = parts.clone().next()?.len();
        let (cursor, bytes) = self.long.get_or_insert_with(|| (Cursor::at(marks[0]), Growing::with_room(len)));
        let mut done = 0;
        while done < size && bytes.len() < len {
            let chunk = cursor.next(plan, (size - done).min(len - bytes.len())).expect("the value has more");
            chunk.fill(bytes.grow(chunk.len(), 0));
            done += chunk.len();
        }
        if bytes.len() == len {
            slots[0].set_bytes(bytes.take());
            self.long = None;
            self.filled += 1;
        }
        Some(done)
    }
}

impl<'p, K> Job for ToBytes<'p, K>
where
    K: KeepWalked<'p, 'p>,
{
    fn step(&mut self, size: usize, threads: &Threads, _: OnProgress<'_>) -> NextStep {
        if self.is_shared {
            self.asks_engine = self.step_shared(threads).is_none();
            return NextStep::Done;
        }
        let first = self.next * self.run_len;
        let Some(run) = self.runs.get_mut(self.next) else { return NextStep::Done };
        if run.plan.is_none() {
            let plan = self.spare.take().unwrap_or_else(|| Run::new(Form::Bytes, self.full_objects, true));
            if run.plan(plan, first).is_none() {
                self.asks_engine = true;
                return NextStep::Done;
            }
            return NextStep::More;
        }
        let slots = &mut self.buffers.elements()[first..first + run.count()];
        match run.fill(slots, size, threads) {
            Some(done) => self.done += done,
            None => {
                // Drops the values that the plan holds.
                let mut plan = run.plan.take();
                plan.iter_mut().for_each(|run| self.reports.append(&mut run.reports));
                self.next += 1;
                self.spare = plan.filter(|_| self.runs.get(self.next).is_some_and(|next| next.plan.is_none()));
            }
        }
        NextStep::More
    }

    fn is_large(&self) -> bool {
        self.is_shared || self.runs.get(self.next).is_some_and(BufferRun::is_large)
    }

    fn progress(&self) -> f32 {
        self.done as f32 / self.total.max(1) as f32
    }

    fn outcome(&mut self) -> Outcome {
        Outcome::of_batch(Product::Buffers(self.buffers.take()), &VALUES, &self.reports)
    }
}
