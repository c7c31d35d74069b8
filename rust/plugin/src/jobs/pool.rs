//! The threads that all calls share, started for the first large call or task; the queue of tasks; runs of many values.

use std::sync::Mutex;

use varbatch_workers::Threads;
use varbatch_workers::tasks::Tasks;

use super::lock;
use super::task::AnyJob;

static ALONE: Threads = Threads::alone();

static POOL: Mutex<Pool> = Mutex::new(Pool { wanted: 0, threads: None });

pub static TASKS: Tasks<AnyJob> = Tasks::new();

struct Pool {
    /// The thread count that the user set; 0 means one thread per core.
    wanted: usize,
    threads: Option<Threads>,
}

/// Returns the shared threads. They live as long as this handle, even if the count changes.
pub fn threads() -> Threads {
    let mut pool = lock(&POOL);
    let wanted = pool.wanted;
    pool.threads.get_or_insert_with(|| Threads::new(wanted)).clone()
}

/// Runs `work` with the shared threads if it is `large`, otherwise on the calling thread alone.
#[inline]
pub fn with<R>(large: bool, work: impl FnOnce(&Threads) -> R) -> R {
    if large { work(&threads()) } else { work(&ALONE) }
}

/// Sets the thread count, including the caller; 0 means one per core. Running calls and tasks keep their threads.
pub fn set_count(count: usize) {
    let mut pool = lock(&POOL);
    pool.wanted = count;
    let old = pool.threads.take();
    drop(pool);
    // Dropping the last handle waits for the threads to end, so drop it outside the lock.
    drop(old);
}

pub fn count() -> usize {
    let pool = lock(&POOL);
    pool.threads.as_ref().map_or_else(|| Threads::planned(pool.wanted), Threads::count)
}

/// Completes the tasks that must complete, and ends the others and the threads. Then the library may be unloaded.
pub fn shut_down() {
    let threads = lock(&POOL).threads.clone();
    TASKS.shut_down(&threads.unwrap_or(Threads::alone()));
    let _old = lock(&POOL).threads.take();
}

/// Bytes of work that a thread takes at a time.
const RUN: usize = 256 << 10;

/// Hands out runs of slots, each with a scan where its first item begins. While others work, one thread scans ahead.
pub struct Runs<'s, S, O, F> {
    pub scan: S,
    slots: &'s mut [O],
    len: usize,
    pass: F,
}

impl<'s, S: Clone, O, F: FnMut(&mut S) -> Option<usize>> Runs<'s, S, O, F> {
    /// Splits into runs of about `len` bytes. `pass` skips an item and returns its length in bytes; `None` at the end.
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

/// Calls `work` with each item and its slot, in runs over `threads`. Returns the states that `begin` makes for threads.
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
