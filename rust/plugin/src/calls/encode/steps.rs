//! Values to bytes, step by step. They were planned when the task was made.

use godot::builtin::AnyArray;
use godot::global::Error as EngineError;
use varbatch_codec::{Cursor, Plan};
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress};

use crate::calls::encode::{Form, Run, into_plans, plan_held};
use crate::engine::{BytesOut, Filling, OwnArray, Slot};
use crate::jobs::job::{Job, Outcome, STEP, VALUE};
use crate::report::{Reports, VALUES};
use crate::value::walk::Held;

/// Values that were planned, to one buffer each.
pub struct ToBytes {
    buffers: OwnArray,
    runs: Vec<Run<'static, Held>>,
    /// What is filled at the moment: a run, a value of it, and the index of that in the batch.
    run: usize,
    value: usize,
    index: usize,
    cursor: Cursor,
    filling: Option<Filling>,
    total: usize,
    done: usize,
    reports: Reports,
}

impl ToBytes {
    pub fn new(values: &AnyArray, full_objects: bool) -> Self {
        let (runs, encoded, reports) = plan_held(values, full_objects, Form::Bytes);
        // Not as many as there are now: a script may have changed the caller's array since.
        let count = runs.iter().map(Run::count).sum::<usize>();
        let mut buffers = OwnArray::byte_arrays(count);
        for (index, bytes) in encoded {
            buffers.elements()[index].set_bytes(bytes);
        }
        let total = runs.iter().map(|run| run.writer.plan().len()).sum::<usize>() + count * VALUE;
        let cursor = Cursor::new();
        Self { buffers, runs, run: 0, value: 0, index: 0, cursor, filling: None, total, done: 0, reports }
    }

    /// Goes on with the buffer at hand, or with the next one. `None` at the end.
    fn fill(&mut self, most: usize) -> Option<usize> {
        let run = loop {
            let run = self.runs.get(self.run)?;
            if self.value + 1 < run.marks.len() {
                break run;
            }
            // Nothing of it is needed any more.
            self.runs[self.run] = Run::new(false, false);
            self.run += 1;
            self.value = 0;
            self.cursor = Cursor::new();
        };
        let plan = run.writer.plan();
        let len = plan.part(run.marks[self.value], run.marks[self.value + 1]).len();
        let filling = self.filling.get_or_insert_with(|| Filling::new(len));
        let done = fill_from(plan, &mut self.cursor, filling, most);
        if filling.left() == 0 {
            let filled = self.filling.take().map(Filling::into_bytes);
            if let Some(bytes) = filled.filter(|_| len > 0) {
                self.buffers.elements()[self.index].set_bytes(bytes);
            }
            self.value += 1;
            self.index += 1;
        }
        Some(done)
    }
}

/// Fills in what is next, up to `most` bytes of it; gives how many.
fn fill_from(plan: &Plan<'_>, cursor: &mut Cursor, filling: &mut Filling, most: usize) -> usize {
    let mut done = 0;
    while filling.left() > 0 && done < most {
        let Some(chunk) = cursor.next(plan, filling.left().min(most - done)) else { break };
        let len = chunk.len();
        chunk.fill(filling.next(len));
        done += len;
    }
    done
}

impl Job for ToBytes {
    fn step(&mut self, _: &Threads, _: OnProgress<'_>) -> NextStep {
        let mut left = STEP;
        while left > 0 {
            let Some(done) = self.fill(left) else { return NextStep::Done };
            self.done += done + VALUE;
            left = left.saturating_sub(done + VALUE);
        }
        NextStep::More
    }

    fn progress(&self) -> f32 {
        self.done as f32 / self.total.max(1) as f32
    }

    fn outcome(self: Box<Self>) -> Outcome {
        Outcome::of_batch(self.buffers.into_slot(), &VALUES, &self.reports, EngineError::ERR_INVALID_DATA)
    }
}

/// Values that were planned, to one buffer of frames.
pub struct ToFrames {
    plans: Vec<Plan<'static>>,
    plan: usize,
    cursor: Cursor,
    filling: Filling,
    total: usize,
    reports: Reports,
}

impl ToFrames {
    pub fn new(values: &AnyArray, full_objects: bool) -> Self {
        let (runs, _, reports) = plan_held(values, full_objects, Form::Frames);
        let plans = into_plans(runs);
        let total = plans.iter().map(Plan::len).sum();
        Self { plans, plan: 0, cursor: Cursor::new(), filling: Filling::new(total), total, reports }
    }
}

impl Job for ToFrames {
    fn step(&mut self, _: &Threads, _: OnProgress<'_>) -> NextStep {
        let Some(plan) = self.plans.get(self.plan) else { return NextStep::Done };
        if fill_from(plan, &mut self.cursor, &mut self.filling, STEP) == 0 {
            self.plan += 1;
            self.cursor = Cursor::new();
        }
        NextStep::More
    }

    fn progress(&self) -> f32 {
        1.0 - self.filling.left() as f32 / self.total.max(1) as f32
    }

    fn outcome(self: Box<Self>) -> Outcome {
        let mut result = Slot::new();
        result.set_bytes(self.filling.into_bytes());
        Outcome::of_batch(result, &VALUES, &self.reports, EngineError::ERR_INVALID_DATA)
    }
}
