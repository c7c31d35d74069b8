//! Room for the plans of runs that several threads walk.

use varbatch_codec::Writer;
use varbatch_workers::Threads;

use crate::engine::Pages;

/// Runs of values for each thread: several, so that one slow run does not hold up the call.
pub const RUNS: usize = 4;

/// Max bytes that the plan of a run should store: with its reserve no more than a plan reserves at once, and small
/// enough that the C library reuses the memory.
const MAX_RUN: usize = 3 << 20;

/// Max bytes to reserve in a call, as values may be smaller than those that were sampled.
const MAX_RESERVED: usize = 128 << 20;

/// Makes room for runs, all by one thread: its allocator may already have the memory, but that of a new thread would
/// have to get it from the system, page by page.
pub struct Rooms {
    /// Bytes that a plan itself stores of a value, about.
    average: usize,
    reserved: usize,
    pages: Pages,
}

impl Rooms {
    pub fn new(average: usize) -> Self {
        Self { average, reserved: 0, pages: Pages::default() }
    }

    /// Returns how many of `count` values a run should plan.
    pub fn run_len(&self, count: usize, threads: &Threads) -> usize {
        let max = MAX_RUN / self.average.max(1);
        count.div_ceil(threads.count() * RUNS).clamp(1, max.max(1))
    }

    /// Reserves room for the plan of `count` values. A little more, as a plan that outgrows its room would be copied.
    pub fn reserve(&mut self, writer: &mut Writer<'_>, count: usize) {
        let len = self.average.saturating_mul(count);
        let len = len.saturating_add(len / 16).min(MAX_RESERVED - self.reserved);
        self.reserved += len;
        writer.reserve_bytes(len);
        self.pages.add(writer.room());
    }

    /// Gets the memory from the system.
    pub fn prepare(self) {
        self.pages.prepare();
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/rooms.rs"]
mod tests;
