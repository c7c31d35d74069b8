//! Collects values that are built batch by batch, and at the end builds those that need the engine.

use std::ops::Range;

use godot::builtin::{VarArray, Variant};
use varbatch_workers::tasks::NextStep;

use super::{Input, decode_kept};
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
    left: Vec<Deferred>,
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
        Self { values: OwnArray::new(0), count: 0, reports: Reports::default(), left: Vec::new(), allow_objects }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    pub fn allow_objects(&self) -> bool {
        self.allow_objects
    }

    /// Returns the index of the next value, and slots for `count` more values.
    pub fn grow(&mut self, count: usize) -> (usize, &mut [Slot]) {
        let first = self.count;
        self.count += count;
        (first, self.values.room(first, count))
    }

    /// Defers a value to the end of the call.
    pub fn leave(&mut self, left: Deferred) {
        self.left.push(left);
    }

    /// Ends the batches. Returns the next step: done, or the deferred values.
    pub fn end(&mut self) -> NextStep {
        self.left.reverse();
        self.next()
    }

    /// Builds the next deferred value. Scripts may run.
    pub fn step_with_engine(&mut self) -> NextStep {
        if let Some(Deferred { index, at, bytes, range }) = self.left.pop() {
            let mut slot = Slot::new();
            match decode_kept(Input { at, bytes: &bytes.bytes()[range] }, self.allow_objects, &mut slot) {
                Ok(None) => {}
                Ok(Some(dropped)) => self.reports.push(index, dropped),
                Err(report) => {
                    slot.clear();
                    self.reports.push(index, report);
                }
            }
            std::mem::swap(&mut self.values.elements()[index], &mut slot);
        }
        self.next()
    }

    fn next(&self) -> NextStep {
        if self.left.is_empty() { NextStep::Done } else { NextStep::Owner }
    }

    /// Takes the values. After this, `self` can only be dropped.
    pub fn take(&mut self) -> VarArray {
        self.values.resize(self.count);
        self.values.take()
    }
}
