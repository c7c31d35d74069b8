//! Encodes values to one byte array of frames.

use std::mem::MaybeUninit;

use godot::builtin::{AnyArray, PackedByteArray};
use varbatch_codec::{Borrowed, Cursor, Part, Plan};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Work};

use super::{Batch, Form, Lossy, Run, plan_runs};
use crate::engine::{BytesOut, Growing, Slot, Value};
use crate::jobs::pool;
use crate::jobs::task::{Job, STEP};
use crate::jobs::tuning::{
    FIRST_RUN, FRAMES_PARALLEL_FROM, LARGE_FRAME, MAX_ALONE, MAX_SHARED, PLANNED, SHARED_STREAM_RUN, STREAM_RUN,
};
use crate::objects::FullObjects;
use crate::report::{Line, Outcome, Reports, VALUES};
use crate::value::walk::{Held, KeepWalked};
use varbatch_storage::fill::{self, Fills, PARALLEL_FROM};

pub fn vars_to_frames(values: AnyArray, full_objects: bool) -> Outcome<PackedByteArray> {
    Batch::encoded(values, full_objects, |batch| to_frames(batch, false))
}

/// Does the same for a file, and warns of what is lost in objects.
pub fn frames_to_store(values: AnyArray, full_objects: bool) -> Outcome<PackedByteArray> {
    Batch::encoded(values, full_objects, |batch| to_frames(batch, full_objects))
}

fn to_frames(batch: &Batch, tells: bool) -> Option<Outcome<PackedByteArray>> {
    let mut plans = Plans::<Borrowed>::new(batch, Form::Frames);
    let is_shared = batch.values().len() >= FRAMES_PARALLEL_FROM || batch.is_shared();
    let mut result = Growing::with_room(0);
    loop {
        let len = plans.len();
        // Expect the remaining values to be like the previous ones.
        let expected = (result.len() + len).saturating_mul(plans.rest.len()) / plans.count.max(1);
        pool::with(is_shared || len >= PARALLEL_FROM, |threads| plans.fill(result.grow(len, expected), threads));
        if plans.is_planned() {
            break;
        }
        // While values are small, plan some at a time, so that the plan stays in the cache.
        let is_small = result.len() < LARGE_FRAME * plans.count.max(1);
        pool::with(is_shared, |threads| {
            let run = if threads.count() == 1 { STREAM_RUN } else { SHARED_STREAM_RUN };
            plans.plan_next(if is_small { run } else { usize::MAX }, threads);
        });
        if plans.runs.iter().any(|run| run.is_given_up(plans.full)) {
            return None;
        }
    }
    let mut lines = plans.reports.lines(&VALUES);
    if tells && let Some(lost) = batch.lost(plans.is_lossy) {
        lines.push(Line::warning(lost.text(Some(&|index| format!("value {index}")))));
    }
    Some(Outcome::new(result.take(), lines))
}

/// Plans of values, made in several steps or all at once.
pub struct Plans<'p, K> {
    rest: &'p [Value],
    form: Form,
    count: usize,
    full: Option<&'p FullObjects>,
    /// The current plans, the number of their values, and where to go on writing: in which of them, and at which place.
    runs: Vec<Run<'p, K>>,
    /// The index of the first value of each, for [`Form::Bytes`].
    starts: Vec<usize>,
    planned: usize,
    next: usize,
    cursor: Cursor,
    pub reports: Reports,
    /// True if a plan was ever lossy.
    was_lossy: bool,
    pub is_lossy: Lossy,
}

impl Plans<'static, Held> {
    pub fn held(batch: &Batch, form: Form) -> Self {
        let mut plans = Self::of(&[], form, None);
        plans.set(batch.plan_held(form), batch.values().len());
        plans
    }
}

impl<'p, K> Plans<'p, K> {
    pub fn new(batch: &'p Batch, form: Form) -> Self {
        Self::of(batch.values(), form, batch.full())
    }

    fn of(rest: &'p [Value], form: Form, full: Option<&'p FullObjects>) -> Self {
        let (runs, cursor, reports) = (Vec::new(), Cursor::new(), Reports::default());
        let (was_lossy, is_lossy) = (false, Lossy(false));
        Self {
            rest,
            form,
            count: 0,
            full,
            runs,
            starts: Vec::new(),
            planned: 0,
            next: 0,
            cursor,
            reports,
            was_lossy,
            is_lossy,
        }
    }

    pub fn is_planned(&self) -> bool {
        self.rest.is_empty()
    }

    /// Plans the next `count` values and replaces the current plans.
    pub fn plan_next(&mut self, count: usize, threads: &Threads)
    where
        K: KeepWalked<'p, 'p>,
    {
        let (values, rest) = self.rest.split_at(count.min(self.rest.len()));
        self.rest = rest;
        let mut runs = std::mem::take(&mut self.runs);
        match runs.as_mut_slice() {
            [run] if threads.count() == 1 => run.plan_values(values, self.count, self.full),
            _ => runs = plan_runs(values, self.count, self.form, self.full, threads),
        }
        self.set(runs, values.len());
    }

    /// Plans as many of the next values as fill the memory for plans, if they are like those that were planned last.
    pub fn plan_some(&mut self, threads: &Threads)
    where
        K: KeepWalked<'p, 'p>,
    {
        let inline_len: usize = self.runs.iter().map(|run| run.writer.inline_len()).sum();
        let (room, max) = (PLANNED * threads.count(), if threads.count() == 1 { MAX_ALONE } else { MAX_SHARED });
        let count = room as u64 * self.planned as u64 / inline_len.max(1) as u64;
        let is_first = self.count == 0;
        self.plan_next(
            if is_first { FIRST_RUN * threads.count() } else { count.clamp(1, max as u64) as usize },
            threads,
        );
    }

    fn set(&mut self, mut runs: Vec<Run<'p, K>>, count: usize) {
        for run in &mut runs {
            self.reports.append(&mut run.reports);
            self.was_lossy |= run.is_lossy();
        }
        self.is_lossy = Lossy(self.was_lossy && self.is_planned() && self.reports.first_error().is_none());
        self.starts.clear();
        let mut next = 0;
        for run in &runs {
            self.starts.push(next);
            next += run.marks.len().saturating_sub(1);
        }
        self.count += count;
        (self.runs, self.planned, self.next, self.cursor) = (runs, count, 0, Cursor::new());
    }

    pub fn len(&self) -> usize {
        self.runs.iter().map(|run| run.plan().len()).sum()
    }

    /// Returns the plan to write next, and the place in it. `None` if all are written.
    pub fn current(&mut self) -> Option<(&Plan<'p>, &mut Cursor)> {
        Some((self.runs.get(self.next)?.plan(), &mut self.cursor))
    }

    /// Returns the bytes of a value, for [`Form::Bytes`], once all are planned.
    pub fn part(&self, index: usize) -> Option<Part<'_, 'p>> {
        let at = self.starts.partition_point(|start| *start <= index).checked_sub(1)?;
        let (run, index) = (&self.runs[at], index - self.starts[at]);
        let marks = run.marks.get(index..index + 2)?;
        Some(run.plan().part(marks[0], marks[1]))
    }

    /// Takes the bytes of what is planned.
    pub fn take(&mut self) -> PackedByteArray {
        let mut bytes = PackedByteArray::new();
        self.fill(bytes.allocate(self.len()), &Threads::alone());
        self.runs.clear();
        bytes
    }

    pub fn advance(&mut self) {
        self.next += 1;
        self.cursor = Cursor::new();
    }

    fn fill(&self, mut dest: &mut [MaybeUninit<u8>], threads: &Threads) {
        match self.runs.as_slice() {
            [] => return,
            [run] => return fill::fill_parallel(run.plan().whole(), dest, threads),
            _ => {}
        }
        let mut fills = Fills::default();
        for plan in self.runs.iter().map(Run::plan) {
            let (head, tail) = dest.split_at_mut(plan.len());
            fills.part(plan.whole(), head);
            dest = tail;
        }
        fills.fill(threads);
    }
}

pub struct ToFrames {
    plans: Plans<'static, Held>,
    result: Growing,
}

impl ToFrames {
    pub fn held(values: AnyArray, full_objects: bool) -> Self {
        let plans = Plans::held(&Batch::of(values, full_objects), Form::Frames);
        Self { result: Growing::with_room(plans.len()), plans }
    }
}

impl Work for ToFrames {
    fn step(&mut self, _: &Threads, _: OnProgress<'_>) -> NextStep {
        let end = self.result.len() + STEP;
        while let Some((plan, cursor)) = self.plans.current() {
            let left = end - self.result.len();
            match cursor.next(plan, left) {
                Some(chunk) => chunk.fill(self.result.grow(chunk.len(), 0)),
                None => self.plans.advance(),
            }
            if self.result.len() >= end {
                return NextStep::More;
            }
        }
        NextStep::Done
    }

    fn progress(&self) -> f32 {
        self.result.len() as f32 / self.plans.len().max(1) as f32
    }
}

impl Job for ToFrames {
    fn outcome(&mut self) -> Outcome<Slot> {
        Outcome::new(self.result.take(), self.plans.reports.lines(&VALUES)).into_slot()
    }
}
