//! Splits the work of a call on many values into runs.

use varbatch_workers::Threads;

/// Bytes of work that a thread takes at a time.
const RUN: usize = 256 << 10;

/// Hands out runs of slots, each with a scan that stands where its first item begins. While threads work on runs, one of
/// them scans ahead to find where the next run begins.
pub struct Runs<'s, S, O, F> {
    /// Where the next run begins.
    pub scan: S,
    slots: &'s mut [O],
    len: usize,
    pass: F,
}

impl<'s, S: Clone, O, F: FnMut(&mut S) -> Option<usize>> Runs<'s, S, O, F> {
    /// Splits into runs of about `len` bytes. `pass` moves the scan over an item and returns its length in bytes, or
    /// `None` if there is no further item.
    pub fn new(scan: S, slots: &'s mut [O], len: usize, pass: F) -> Self {
        Self { scan, slots, len, pass }
    }
}

impl<'s, S: Clone, O, F: FnMut(&mut S) -> Option<usize>> Iterator for Runs<'s, S, O, F> {
    type Item = (S, &'s mut [O]);

    fn next(&mut self) -> Option<Self::Item> {
        let (start, mut count, mut len) = (self.scan.clone(), 0, 0);
        while count < self.slots.len() && len < self.len {
            let Some(passed) = (self.pass)(&mut self.scan) else { break };
            len += passed;
            count += 1;
        }
        let (run, rest) = std::mem::take(&mut self.slots).split_at_mut(count);
        self.slots = rest;
        (count > 0).then_some((start, run))
    }
}

/// Calls `work` once with each item and its slot, in runs of about [`RUN`] bytes over `threads`. `begin` makes the state
/// that the calls of one thread share; returns these states.
pub fn each_run<T, O: Send, S: Send>(
    items: impl Iterator<Item = T> + Clone + Send,
    len: impl Fn(&T) -> usize + Sync,
    slots: &mut [O],
    threads: &Threads,
    begin: impl Fn() -> S + Sync,
    work: impl Fn(T, &mut O, &mut S) + Sync,
) -> Vec<S> {
    if threads.count() == 1 {
        let mut state = begin();
        items.zip(slots).for_each(|(item, slot)| work(item, slot, &mut state));
        return vec![state];
    }
    let runs = Runs::new(items, slots, RUN, |items| items.next().map(|item| len(&item)));
    threads.for_each_with(runs, begin, |(items, slots), state| {
        items.zip(slots).for_each(|(item, slot)| work(item, slot, state));
    })
}
