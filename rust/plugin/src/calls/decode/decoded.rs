//! Collects values that are built batch by batch, and at the end builds those that need the engine.

use std::ops::Range;

use godot::builtin::{VarArray, Variant};
use varbatch_codec::Kind;
use varbatch_workers::Threads;
use varbatch_workers::tasks::NextStep;

use super::{Effort, Input, build_slots, decode_held};
use crate::engine::{HeldBytes, OwnArray, Slot};
use crate::report::Reports;

/// The values of a call that are built so far.
pub struct Decoded {
    /// Longer than `count`, so that it need not grow for each batch.
    values: OwnArray<Variant>,
    count: usize,
    pub reports: Reports,
    /// Values that need the engine, for example to create objects; only the thread of the call builds them. After
    /// [`Self::end`] in reverse order.
    deferred: Vec<Deferred>,
    allow_objects: bool,
}

/// A value that needs the engine.
pub struct Deferred {
    pub index: usize,
    /// Offset of its bytes in the buffer of the call.
    pub at: usize,
    /// Bytes that no script can change, and the range of the value in them.
    pub bytes: HeldBytes,
    pub range: Range<usize>,
}

impl Decoded {
    pub fn new(allow_objects: bool) -> Self {
        let (values, reports) = (OwnArray::new(0), Reports::default());
        Self { values, count: 0, reports, deferred: Vec::new(), allow_objects }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    pub fn allow_objects(&self) -> bool {
        self.allow_objects
    }

    /// Builds the values of the next `count` inputs. Those that need the engine more than `effort` allows are deferred,
    /// with the bytes that `hold` returns: held by a reference of our own, as scripts may change the caller's array.
    pub fn build<'a>(
        &mut self,
        inputs: impl Iterator<Item = Result<Input<'a>, Kind>> + Clone + Send,
        count: usize,
        effort: &Effort<'_>,
        hold: impl Fn(usize, Input<'a>) -> (HeldBytes, Range<usize>),
        threads: &Threads,
    ) {
        let (first, slots) = self.grow(count);
        let (reports, deferred) = build_slots(inputs, slots, effort, hold, threads);
        self.end_batch(first, reports, deferred);
    }

    /// Appends values that were built elsewhere. The indices of their reports and of deferred values begin at 0.
    pub fn append(&mut self, values: &mut [Slot], reports: Reports, deferred: Vec<Deferred>) {
        let (first, slots) = self.grow(values.len());
        slots.swap_with_slice(values);
        self.end_batch(first, reports, deferred);
    }

    /// Returns the index of the next value, and slots for `count` more values.
    fn grow(&mut self, count: usize) -> (usize, &mut [Slot]) {
        let first = self.count;
        self.count += count;
        (first, self.values.room(first, count))
    }

    fn end_batch(&mut self, first: usize, reports: Reports, deferred: Vec<Deferred>) {
        self.reports.append_from(first, reports);
        let moved = deferred.into_iter().map(|value| Deferred { index: first + value.index, ..value });
        self.deferred.extend(moved);
    }

    /// Ends the batches. Returns the next step: done, or the deferred values.
    pub fn end(&mut self) -> NextStep {
        self.deferred.reverse();
        self.next()
    }

    /// Builds the next deferred value. Scripts may run.
    pub fn step_with_engine(&mut self) -> NextStep {
        if let Some(Deferred { index, at, bytes, range }) = self.deferred.pop() {
            let mut slot = Slot::new();
            match decode_held(Input { at, bytes: &bytes.bytes()[range] }, self.allow_objects, &mut slot) {
                Ok(None) => {}
                Ok(Some(dropped)) => self.reports.push_warning(index, || dropped.to_string()),
                Err(error) => {
                    slot.clear();
                    self.reports.push_error(index, || error.to_string());
                }
            }
            std::mem::swap(&mut self.values.elements()[index], &mut slot);
        }
        self.next()
    }

    /// Ends the batches and builds all deferred values.
    pub fn finish(&mut self) {
        let mut step = self.end();
        while step != NextStep::Done {
            step = self.step_with_engine();
        }
    }

    fn next(&self) -> NextStep {
        if self.deferred.is_empty() { NextStep::Done } else { NextStep::Owner }
    }

    /// Takes the values. After this, `self` can only be dropped.
    pub fn take(&mut self) -> VarArray {
        self.values.resize(self.count);
        self.values.take()
    }
}
