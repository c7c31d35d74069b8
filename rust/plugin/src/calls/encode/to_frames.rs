//! Encodes values to one byte array of frames.

use godot::builtin::AnyArray;
use varbatch_codec::{Borrowed, Cursor, Plan};
use varbatch_storage::fill::{self, Fills};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress};

use super::run::{Form, Run, Source, plan_runs, with_engine};
use crate::engine::Growing;
use crate::jobs::job::{Job, Outcome, Product};
use crate::jobs::tuning::{FRAMES_PARALLEL_FROM, LARGE_FRAME, SHARED_STREAM_RUN, STREAM_RUN};
use crate::jobs::{pool, run};
use crate::report::{Reports, VALUES};
use crate::value::walk::{Held, KeepWalked};

/// Plans of frames, made in several steps or all at once.
pub struct FramePlans<'p, K> {
    /// The values that are not planned yet, and the index of the first.
    rest: Source<'p>,
    first: usize,
    full_objects: bool,
    /// The current plans, and the index of the one to write next.
    runs: Vec<Run<'p, K>>,
    next: usize,
    cursor: Cursor,
    pub reports: Reports,
    /// True if a planned value may be lossy.
    pub is_lossy: bool,
}

impl<'p, K> FramePlans<'p, K> {
    pub fn new(values: Source<'p>, full_objects: bool, reports: Reports) -> Self {
        Self {
            rest: values,
            first: 0,
            full_objects,
            runs: Vec::new(),
            next: 0,
            cursor: Cursor::new(),
            reports,
            is_lossy: false,
        }
    }

    /// True if all values are planned.
    pub fn is_planned(&self) -> bool {
        self.rest.len() == 0
    }

    /// Returns the number of planned values.
    pub fn count(&self) -> usize {
        self.first
    }

    /// Plans the next `count` values and replaces the current plans. Returns `None` like [`Run::plan_values`].
    pub fn plan_next(&mut self, count: usize, threads: &Threads) -> Option<()>
    where
        K: KeepWalked<'p, 'p>,
    {
        let (values, rest) = self.rest.split_at(count.min(self.rest.len()));
        self.rest = rest;
        self.plan(values, threads)
    }

    /// Plans values and replaces the current plans. Returns `None` like [`Run::plan_values`].
    pub fn plan<'a>(&mut self, values: Source<'a>, threads: &Threads) -> Option<()>
    where
        K: KeepWalked<'a, 'p>,
    {
        match self.runs.as_mut_slice() {
            [run] if threads.count() == 1 => run.plan_values(values, self.first)?,
            _ => self.runs = plan_runs(values, self.first, Form::Frames, self.full_objects, threads)?,
        }
        for run in &mut self.runs {
            self.reports.append(&mut run.reports);
            self.is_lossy |= run.is_lossy();
        }
        self.first += values.len();
        self.next = 0;
        self.cursor = Cursor::new();
        Some(())
    }

    /// Returns the bytes of the current plans.
    pub fn len(&self) -> usize {
        self.plans().map(Plan::len).sum()
    }

    /// Returns the bytes that the current plans store themselves.
    pub fn inline_len(&self) -> usize {
        self.runs.iter().map(Run::inline_len).sum()
    }

    fn plans(&self) -> impl Iterator<Item = &Plan<'p>> {
        self.runs.iter().map(Run::plan)
    }

    /// Returns the plan to write next, and the position in it.
    pub fn current(&mut self) -> Option<(&Plan<'p>, &mut Cursor)> {
        Some((self.runs.get(self.next)?.plan(), &mut self.cursor))
    }

    /// Moves to the next plan.
    pub fn advance(&mut self) {
        self.next += 1;
        self.cursor = Cursor::new();
    }
}

/// The job that encodes values to one byte array of frames.
pub struct ToFrames<'p, K> {
    plans: FramePlans<'p, K>,
    is_shared: bool,
    result: Growing,
    /// Bytes of the result, if all values were planned at the start.
    total: usize,
    asks_engine: bool,
}

/// Encodes values at once.
pub fn vars_to_frames(values: &AnyArray, full_objects: bool) -> Outcome {
    with_engine(values, full_objects, |values, reports| {
        let mut job = ToFrames::<Borrowed>::new(values, full_objects, reports);
        run::finish(&mut job);
        (!job.asks_engine).then(|| job.outcome())
    })
}

impl<'p, K> ToFrames<'p, K> {
    fn new(values: Source<'p>, full_objects: bool, reports: Reports) -> Self {
        let plans = FramePlans::new(values, full_objects, reports);
        let is_shared = values.is_shared() || values.len() >= FRAMES_PARALLEL_FROM;
        Self { plans, is_shared, result: Growing::with_room(0), total: 0, asks_engine: false }
    }

    /// Fills in all current plans.
    fn fill(&mut self, len: usize, threads: &Threads) {
        // Expect the remaining values to be like the previous ones.
        let left = self.plans.rest.len();
        let expected = (self.result.len() + len).saturating_mul(left) / self.plans.count().max(1);
        let mut dest = self.result.grow(len, expected);
        if let [run] = self.plans.runs.as_slice() {
            fill::fill_parallel(run.plan().whole(), dest, threads);
        } else {
            let mut fills = Fills::default();
            for plan in self.plans.plans() {
                let (head, tail) = dest.split_at_mut(plan.len());
                fills.part(plan.whole(), head);
                dest = tail;
            }
            fills.fill(threads);
        }
        self.plans.next = self.plans.runs.len();
    }

    /// Fills in the next `size` bytes.
    fn fill_some(&mut self, size: usize) {
        let mut done = 0;
        while done < size
            && let Some((plan, cursor)) = self.plans.current()
        {
            let Some(chunk) = cursor.next(plan, size - done) else {
                self.plans.advance();
                continue;
            };
            chunk.fill(self.result.grow(chunk.len(), 0));
            done += chunk.len();
        }
    }
}

impl ToFrames<'static, Held> {
    /// Plans all values, so that they may be changed or dropped afterwards.
    pub fn held(values: &AnyArray, full_objects: bool) -> Self {
        with_engine(values, full_objects, |values, reports| {
            let mut job = Self::new(Source::EMPTY, full_objects, reports);
            pool::with(values.is_shared_if_held(), |threads| job.plans.plan(values, threads))?;
            job.total = job.plans.len();
            job.result = Growing::with_room(job.total);
            Some(job)
        })
    }
}

impl<'p, K> Job for ToFrames<'p, K>
where
    K: KeepWalked<'p, 'p>,
{
    fn step(&mut self, size: usize, threads: &Threads, _: OnProgress<'_>) -> NextStep {
        if self.plans.current().is_some() {
            match self.plans.len() {
                len if len <= size => self.fill(len, threads),
                _ => self.fill_some(size),
            }
        } else if self.plans.is_planned() {
            return NextStep::Done;
        } else {
            let count = self.plans.count();
            // While values are small, plan some at a time, so that the plan stays in the cache.
            let is_small = self.result.len() < LARGE_FRAME * count.max(1);
            let run = if threads.count() == 1 { STREAM_RUN } else { SHARED_STREAM_RUN };
            if self.plans.plan_next(if is_small { run } else { usize::MAX }, threads).is_none() {
                self.asks_engine = true;
                return NextStep::Done;
            }
        }
        NextStep::More
    }

    fn is_large(&self) -> bool {
        self.is_shared || self.plans.next < self.plans.runs.len() && self.plans.len() >= fill::PARALLEL_FROM
    }

    fn progress(&self) -> f32 {
        self.result.len() as f32 / self.total.max(1) as f32
    }

    fn outcome(&mut self) -> Outcome {
        Outcome::of_batch(Product::Bytes(self.result.take()), &VALUES, &self.plans.reports)
    }
}
