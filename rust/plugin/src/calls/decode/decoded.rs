//! Values that are built one batch after the other, and what the engine is asked about at the end.

use std::ops::Range;

use godot::builtin::{VarArray, Variant};
use varbatch_workers::tasks::NextStep;

use super::{Input, decode_kept};
use crate::engine::{HeldBytes, OwnArray, Slot};
use crate::report::Reports;

/// The values of a call, as far as they are built.
pub struct Decoded {
    /// Longer than what was built, so that it need not grow each time.
    values: OwnArray<Variant>,
    count: usize,
    pub reports: Reports,
    /// Values that the engine is asked about, as for objects: by the thread of the call alone. The next one last, when
    /// there are no more.
    left: Vec<Deferred>,
    allow_objects: bool,
}

/// A value that the engine is asked about.
pub struct Deferred {
    pub index: usize,
    /// Offset of its bytes in the buffer of the call.
    pub at: usize,
    /// Bytes that no script can change, and those of the value in them.
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

    /// Slots for `count` more values. The index of the first stands before them.
    pub fn grow(&mut self, count: usize) -> (usize, &mut [Slot]) {
        let first = self.count;
        self.count += count;
        (first, self.values.room(first, count))
    }

    /// Leaves a value to the engine.
    pub fn leave(&mut self, left: Deferred) {
        self.left.push(left);
    }

    /// Returns the next step when all others are built.
    pub fn end(&mut self) -> NextStep {
        self.left.reverse();
        self.next()
    }

    /// Builds the next value that the engine is asked about. Scripts may run.
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

    /// The values. They can only be dropped after this.
    pub fn take(&mut self) -> VarArray {
        self.values.resize(self.count);
        self.values.take()
    }
}
