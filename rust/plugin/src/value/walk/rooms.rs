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

/// Plans items in runs over threads. `new` makes the writer of a run of so many items, and `plan` takes the index of the
/// first, the items, and that writer. A plan itself stores about `average` bytes of an item. Returns the results in the
/// order of the items.
///
/// This thread makes the room for all runs: its allocator may already have the memory, but that of a new thread would
/// have to get it from the system, page by page.
pub fn plan_in_rooms<'a, 'p, T: Sync, R: Send>(
    average: usize,
    items: &'a [T],
    threads: &Threads,
    new: impl Fn(usize) -> Writer<'p>,
    plan: impl Fn(usize, &'a [T], Writer<'p>) -> R + Sync,
) -> Vec<R> {
    let max = MAX_RUN / average.max(1);
    let run_len = items.len().div_ceil(threads.count() * RUNS).clamp(1, max.max(1));
    let (mut reserved, mut pages) = (0, Pages::default());
    let begin = |run: &'a [T]| {
        // A little more, as a plan that outgrows its room would be copied.
        let len = average.saturating_mul(run.len());
        let len = len.saturating_add(len / 16).min(MAX_RESERVED - reserved);
        reserved += len;
        let mut writer = new(run.len());
        writer.reserve_bytes(len);
        pages.add(writer.room());
        (run, writer)
    };
    let runs: Vec<_> = items.chunks(run_len).map(begin).collect();
    pages.prepare();
    // By value: plans that lie side by side would share cache lines.
    threads.map(runs.into_iter().enumerate(), |(index, (run, writer))| plan(index * run_len, run, writer))
}

#[cfg(test)]
#[path = "../../../tests/unit/rooms.rs"]
mod tests;
