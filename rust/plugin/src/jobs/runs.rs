//! Splits the work of a call on many values into runs.

use varbatch_workers::Threads;

/// Bytes of work that a thread takes at a time.
const RUN: usize = 256 << 10;

/// Calls `work` once with each item and its slot, in runs of about [`RUN`] bytes over `threads`. `begin` makes the
/// state that the calls of one thread share, and `end` takes it. One thread can look for the next run while others work.
pub fn each_run<T, O: Send, S>(
    mut items: impl Iterator<Item = T> + Clone + Send,
    len: impl Fn(&T) -> usize + Sync,
    slots: &mut [O],
    threads: &Threads,
    begin: impl Fn() -> S + Sync,
    work: impl Fn(T, &mut O, &mut S) + Sync,
    end: impl Fn(S) + Sync,
) {
    if threads.count() == 1 {
        let mut shared = begin();
        items.zip(slots).for_each(|(item, slot)| work(item, slot, &mut shared));
        return end(shared);
    }
    let mut rest = slots;
    let runs = std::iter::from_fn(|| {
        let (start, mut count, mut run_len) = (items.clone(), 0, 0);
        while count < rest.len() && run_len < RUN {
            run_len += len(&items.next()?);
            count += 1;
        }
        let (run, others) = std::mem::take(&mut rest).split_at_mut(count);
        rest = others;
        (count > 0).then_some((start, run))
    });
    threads.for_each_with(
        runs,
        begin,
        |(items, slots), shared| items.zip(slots).for_each(|(item, slot)| work(item, slot, shared)),
        end,
    );
}
