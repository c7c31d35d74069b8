//! Room for the plans of runs that several threads walk.

use varbatch_codec::Writer;
use varbatch_workers::Threads;

use crate::engine::Pages;

/// Runs of values for each thread: several, so that one slow run does not hold up the call.
const RUNS: usize = 4;

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

    /// Plans items in runs over threads. `begin` makes the plan of a run of so many items, with room, and `plan` takes the
    /// index of the first, the items, and that plan. Returns the results in the order of the items.
    pub fn plan<'a, T: Sync, W: Send, R: Send>(
        mut self,
        items: &'a [T],
        threads: &Threads,
        begin: impl Fn(&mut Self, usize) -> W,
        plan: impl Fn(usize, &'a [T], W) -> R + Sync,
    ) -> Vec<R> {
        let run_len = self.run_len(items.len(), threads);
        let runs: Vec<_> = items.chunks(run_len).map(|run| (run, begin(&mut self, run.len()))).collect();
        self.pages.prepare();
        // By value: plans that lie side by side would share cache lines.
        threads.map(runs.into_iter().enumerate(), |(index, (run, begun))| plan(index * run_len, run, begun))
    }

    /// Returns how many of `count` values a run should plan.
    fn run_len(&self, count: usize, threads: &Threads) -> usize {
        let max = MAX_RUN / self.average.max(1);
        count.div_ceil(threads.count() * RUNS).clamp(1, max.max(1))
    }

    /// Reserves room for the plan of `count` values. A little more, as a plan that outgrows its room would be copied.
    pub fn reserved<'p>(&mut self, mut writer: Writer<'p>, count: usize) -> Writer<'p> {
        let len = self.average.saturating_mul(count);
        let len = len.saturating_add(len / 16).min(MAX_RESERVED - self.reserved);
        self.reserved += len;
        writer.reserve_bytes(len);
        self.pages.add(writer.room());
        writer
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/rooms.rs"]
mod tests;
