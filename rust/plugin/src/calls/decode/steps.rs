//! Bytes to values, step by step.

use std::sync::atomic::{AtomicUsize, Ordering};

use godot::builtin::{AnyArray, PackedByteArray};
use godot::global::Error as EngineError;
use varbatch_codec::Kind;
use varbatch_storage::Loader;
use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress};

use crate::calls::decode::{self, Input, build_slots, decode_kept, held_input};
use crate::calls::load::Loading;
use crate::engine::{HeldBytes, OwnArray, Slot};
use crate::jobs::job::{Job, Outcome, PIECES, STEP, VALUE};
use crate::report::{BUFFERS, FRAMES, Reports};
use crate::value::build::MayAsk;

/// Buffers to one value each.
pub struct FromBytes {
    buffers: Vec<Result<HeldBytes, Kind>>,
    values: OwnArray,
    allow_objects: bool,
    next: usize,
    done: usize,
    total: usize,
    reports: Reports,
    /// Buffers that the engine is asked about. The next one last, when all others are done.
    left: Vec<usize>,
}

impl FromBytes {
    pub fn new(buffers: &AnyArray, allow_objects: bool) -> Self {
        let buffers = decode::held(buffers);
        let total = buffers.iter().map(work_of).sum();
        let values = OwnArray::new(buffers.len());
        let (reports, left) = (Reports::default(), Vec::new());
        Self { buffers, values, allow_objects, next: 0, done: 0, total, reports, left }
    }

    fn step_with_engine(&mut self) {
        let Some(index) = self.left.pop() else { return };
        let mut slot = Slot::new();
        let Ok(buffer) = &self.buffers[index] else { return };
        match decode_kept(Input { at: 0, bytes: buffer.bytes() }, self.allow_objects, &mut slot) {
            Ok(None) => {}
            Ok(Some(dropped)) => self.reports.push(index, dropped),
            Err(report) => {
                slot.clear();
                self.reports.push(index, report);
            }
        }
        std::mem::swap(&mut self.values.elements()[index], &mut slot);
    }
}

fn work_of(buffer: &Result<HeldBytes, Kind>) -> usize {
    VALUE + buffer.as_ref().map_or(0, |buffer| buffer.bytes().len())
}

impl Job for FromBytes {
    fn step(&mut self, threads: &Threads, report: OnProgress<'_>) -> NextStep {
        if self.next == self.buffers.len() {
            self.step_with_engine();
            return if self.left.is_empty() { NextStep::Done } else { NextStep::Owner };
        }
        let (first, mut len) = (self.next, 0);
        while self.next < self.buffers.len() && len < STEP {
            len += work_of(&self.buffers[self.next]);
            self.next += 1;
        }
        let buffers = &self.buffers[first..self.next];
        let sample: Vec<_> = buffers.iter().take(decode::SAMPLE).filter_map(|buffer| held_input(buffer).ok()).collect();
        let (done, total, built) = (self.done, self.total.max(1), AtomicUsize::new(0));
        let tell = |more| report((done + built.fetch_add(more, Ordering::Relaxed) + more) as f32 / total as f32);
        let work = decode::Work::of(&sample, len, buffers.len(), self.allow_objects, MayAsk::Nothing).telling(&tell);
        let slots = &mut self.values.elements()[first..self.next];
        let (reports, asking) = build_slots(buffers.iter().map(held_input), slots, &work, threads);
        self.reports.append_from(first, reports);
        self.left.extend(asking.into_iter().map(|index| first + index));
        self.done += len;
        if self.next < self.buffers.len() {
            return NextStep::More;
        }
        self.left.reverse();
        if self.left.is_empty() { NextStep::Done } else { NextStep::Owner }
    }

    fn progress(&self) -> f32 {
        self.done as f32 / self.total.max(1) as f32
    }

    fn outcome(self: Box<Self>) -> Outcome {
        Outcome::of_batch(self.values.into_slot(), &BUFFERS, &self.reports, EngineError::ERR_INVALID_DATA)
    }
}

/// Frames in memory to values.
pub struct FromFrames(Loading);

impl FromFrames {
    pub fn new(frames: PackedByteArray, allow_objects: bool) -> Self {
        let bytes = HeldBytes::new(frames);
        let len = bytes.bytes().len() as u64;
        Self(Loading::new(Loader::uncompressed(Box::new(std::io::Cursor::new(bytes)), len), allow_objects))
    }
}

impl Job for FromFrames {
    fn step(&mut self, threads: &Threads, report: OnProgress<'_>) -> NextStep {
        self.0.step(PIECES * threads.count(), threads, report)
    }

    fn progress(&self) -> f32 {
        self.0.progress()
    }

    fn outcome(self: Box<Self>) -> Outcome {
        let loaded = self.0.finish();
        Outcome::of_batch(loaded.values.into_slot(), &FRAMES, &loaded.reports, EngineError::ERR_INVALID_DATA)
    }
}
