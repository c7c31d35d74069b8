//! What the calls on many values have in common: their failures, and how their work is cut up.
//!
//! Types that are not walked yet go through the engine's own functions. Those can run scripts (a property's getter, an
//! object's `_init`, a `Logger` that hears of an error), and a script can change the arrays of the call. So the engine
//! is only called while nothing of them is borrowed: `encode` calls it before the walk of a private copy, `decode`
//! after the build, and errors are printed last of all.

use std::fmt;

use varbatch_codec::{Error, Kind, Threads};

use crate::engine::Slot;

/// Why a value was not written or read.
#[derive(Debug)]
pub enum Failure {
    /// The codec says why.
    Codec(Error),
    /// The engine refused, and has printed why.
    Engine(Kind),
    /// The element of a batch is no buffer.
    NoBuffer(Kind),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Codec(error) => error.fmt(f),
            Self::Engine(kind) => write!(f, "expected {} as the engine takes it, at byte 0", kind.name()),
            Self::NoBuffer(kind) => write!(f, "expected a PackedByteArray, found {}", kind.name()),
        }
    }
}

/// The failures of a batch, by index.
pub type Failures = Vec<(usize, Failure)>;

/// Bytes of work that a thread takes at a time.
const RUN: usize = 256 << 10;

/// Values shorter than this on average are not worth a second thread: allocating them is most of the work, and the
/// allocator lets one thread at a time through.
const PARALLEL_VALUE: usize = 1 << 10;

/// Calls `work` once with each item and its slot, in runs of about [`RUN`] bytes over `threads`.
pub fn each_run<T: Send>(
    items: impl ExactSizeIterator<Item = T> + Clone,
    len: impl Fn(&T) -> usize,
    slots: &mut [Slot],
    threads: &Threads,
    work: impl Fn(T, &mut Slot) + Sync,
) {
    let pairs = items.clone().zip(slots.iter_mut());
    if threads.count() == 1 {
        return pairs.for_each(|(item, slot)| work(item, slot));
    }
    let total: usize = items.clone().map(|item| len(&item)).sum();
    if total / items.len().max(1) < PARALLEL_VALUE {
        return pairs.for_each(|(item, slot)| work(item, slot));
    }
    let mut runs = vec![Vec::new()];
    let mut run_len = 0;
    for (item, slot) in pairs {
        run_len += len(&item);
        runs.last_mut().expect("there is one from the start").push((item, slot));
        if run_len >= RUN {
            runs.push(Vec::new());
            run_len = 0;
        }
    }
    threads.for_each(runs, |run: Vec<(T, &mut Slot)>| {
        for (item, slot) in run {
            work(item, slot);
        }
    });
}
