//! A fixed set of threads that share work with the waiting caller, and give turns to tasks when no call needs them.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Arc, LazyLock, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rayon::Yield;

use crate::ending::{join, keep, lock, unpoisoned};
use crate::gate;

/// Asked once: on Linux it reads system files.
static CORES: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));

/// A handle to threads for parallel parts. The caller is one of them, so that small work starts at once. Clones are
/// handles to the same threads, which end when the last one is dropped. That drop waits for their end, unless one of
/// the threads does it: then [`Tasks::shut_down`](crate::tasks::Tasks::shut_down) waits.
#[derive(Clone)]
pub struct Threads {
    /// `None` if there is no thread but the caller.
    pool: Option<Arc<Pool>>,
    count: usize,
    is_awake: bool,
}

struct Pool {
    /// Dropped first, which makes the threads end.
    jobs: rayon::ThreadPool,
    turns: Arc<Turns>,
    _helpers: Helpers,
}

struct Helpers(Vec<JoinHandle<()>>);

impl Drop for Helpers {
    fn drop(&mut self) {
        if rayon::current_thread_index().is_some() {
            keep(self.0.drain(..));
        } else {
            join(self.0.drain(..));
        }
    }
}

impl Threads {
    /// Returns a handle without threads: only the caller works.
    pub const fn alone() -> Self {
        Self { pool: None, count: 1, is_awake: false }
    }

    /// Makes `count` threads, including the caller; 0 means one per core. Only the caller if the system gives none.
    pub fn new(count: usize) -> Self {
        let count = Self::planned(count);
        if count == 1 {
            return Self::alone();
        }
        let mut helpers = Helpers(Vec::with_capacity(count - 1));
        let jobs = rayon::ThreadPoolBuilder::new()
            .num_threads(count - 1)
            .spawn_handler(|thread| {
                let name = format!("varbatch-{}", thread.index() + 1);
                helpers.0.push(std::thread::Builder::new().name(name).spawn(|| thread.run())?);
                Ok(())
            })
            .build();
        let Ok(jobs) = jobs else { return Self::alone() };
        let waiting = Waiting { helpers: count - 1, ..Waiting::default() };
        let pool = Pool { jobs, turns: Arc::new(Turns(Mutex::new(waiting))), _helpers: helpers };
        Self { pool: Some(Arc::new(pool)), count, is_awake: false }
    }

    /// Returns how many threads [`Self::new`] asks the system for: `count`, or one for each core if it is 0.
    pub fn planned(count: usize) -> usize {
        if count == 0 { *CORES } else { count }
    }

    /// Returns the same threads for consecutive calls, which keep them awake: little work is then enough to share.
    #[must_use]
    pub fn awake(&self) -> Self {
        Self { is_awake: true, ..self.clone() }
    }

    /// True for a handle from [`Self::awake`].
    pub fn are_awake(&self) -> bool {
        self.is_awake
    }

    /// Returns how many threads work, including the caller.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Calls `work` once with each item, in no particular order, and returns when all calls have ended. Items are made
    /// one at a time, on any thread. The caller begins at once, and does not wait for a thread that has not come at the
    /// end. Panics like a call that panicked, the caller's first, once all begun have ended; items may remain.
    pub fn for_each<T, I>(&self, items: I, work: impl Fn(T) + Sync)
    where
        I: IntoIterator<Item = T, IntoIter: Send>,
    {
        self.for_each_with(items, || (), |item, ()| work(item));
    }

    /// Calls `work` like [`Self::for_each`], and panics like it. Each thread that gets an item makes a state of its own
    /// with `begin`. Returns the states, in no particular order. A state that was in use during a panic is dropped.
    pub fn for_each_with<T, S: Send, I>(
        &self,
        items: I,
        begin: impl Fn() -> S + Sync,
        work: impl Fn(T, &mut S) + Sync,
    ) -> Vec<S>
    where
        I: IntoIterator<Item = T, IntoIter: Send>,
    {
        let mut items = items.into_iter();
        let max = items.size_hint().1.unwrap_or(usize::MAX);
        let helpers = (self.count - 1).min(max.saturating_sub(1));
        let take = |next: &mut dyn FnMut() -> Option<T>| {
            let mut item = Some(next()?);
            let mut state = begin();
            while let Some(now) = item {
                work(now, &mut state);
                item = next();
            }
            Some(state)
        };
        let Some(pool) = self.pool.as_ref().filter(|_| helpers > 0) else {
            return take(&mut || items.next()).into_iter().collect();
        };
        let (items, states) = (Mutex::new(items), Mutex::new(Vec::new()));
        let run = || {
            let state = take(&mut || lock(&items).next());
            lock(&states).extend(state);
        };
        gate::share(&run, |gate| {
            for _ in 0..helpers {
                let gate = Arc::clone(gate);
                pool.jobs.spawn(move || gate.enter());
            }
        });
        unpoisoned(states.into_inner())
    }

    /// Calls `work` like [`Self::for_each`], panics like it, and returns the results in the order of the items.
    pub fn map<T, R: Send, I>(&self, items: I, work: impl Fn(T) -> R + Sync) -> Vec<R>
    where
        I: IntoIterator<Item = T, IntoIter: Send>,
    {
        // One list: with one for each thread, translating a file of 48 MiB held up to 43 MiB instead of 37.
        let done = Mutex::new(Vec::new());
        self.for_each(items.into_iter().enumerate(), |(index, item)| {
            let result = work(item);
            lock(&done).push((index, result));
        });
        let mut done = unpoisoned(done.into_inner());
        done.sort_unstable_by_key(|(index, _)| *index);
        done.into_iter().map(|(_, result)| result).collect()
    }

    pub(crate) fn has_helpers(&self) -> bool {
        self.pool.is_some()
    }

    /// Returns the threads as one of the helpers sees them: without the caller.
    pub(crate) fn without_caller(&self) -> Self {
        Self { pool: self.pool.clone(), count: (self.count - 1).max(1), is_awake: false }
    }

    /// Adds a turn for the helpers, if there are any.
    pub(crate) fn add_turn(&self, order: Order, turn: Turn) {
        let Some(pool) = &self.pool else { return };
        let mut waiting = lock(&pool.turns.0);
        match order {
            Order::First => waiting.turns.push_front(turn),
            Order::Last | Order::Again => waiting.turns.push_back(turn),
        }
        if order != Order::Again && waiting.may_run() {
            drop(waiting);
            let turns = Arc::clone(&pool.turns);
            pool.jobs.spawn(move || turns.run());
        }
    }
}

/// How long one task is worked on before the next one has its turn, which is also how long a call waits for a helper.
pub(crate) const SLICE: Duration = Duration::from_millis(2);

/// Works for about a [`SLICE`] on a task, with the threads that it is given, and never panics.
pub(crate) type Turn = (Arc<dyn HasTurns>, Threads);

pub(crate) trait HasTurns: Send + Sync {
    fn turn(self: Arc<Self>, threads: Threads);
}

/// When a turn comes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    First,
    Last,
    /// The same, for what has just had a turn: whoever gave it looks for the next one after this.
    Again,
}

/// The turns of tasks on the helpers, the next one first. A rayon pool does what its own threads have spawned before
/// what comes from outside, as calls do: so turns are no jobs, but in a list. A **runner** is a job that takes turns
/// from it, and lets all other jobs run after each: those of calls. It ends when the list is empty. There are no more of
/// them than helpers: a job for each turn would cost the thread that starts thousands of tasks more than the tasks do.
#[derive(Default)]
struct Turns(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    turns: VecDeque<Turn>,
    /// Jobs that are runners, or will be.
    runners: usize,
    helpers: usize,
}

impl Waiting {
    /// Counts one more runner, if a helper may be without.
    fn may_run(&mut self) -> bool {
        let may = self.runners < self.helpers;
        self.runners += usize::from(may);
        may
    }
}

thread_local! {
    /// True while this helper is in a runner.
    static RUNS: Cell<bool> = const { Cell::new(false) };
}

impl Turns {
    fn run(self: Arc<Self>) {
        if RUNS.replace(true) {
            // Below this frame on the stack, a runner is letting other jobs run. It looks at the list afterwards.
            lock(&self.0).runners -= 1;
            return;
        }
        loop {
            let mut waiting = lock(&self.0);
            let Some((task, threads)) = waiting.turns.pop_front() else {
                waiting.runners -= 1;
                break;
            };
            let is_another = !waiting.turns.is_empty() && waiting.may_run();
            drop(waiting);
            if is_another {
                // A helper that has nothing else to do meanwhile becomes a runner.
                let this = Arc::clone(&self);
                rayon::spawn(move || this.run());
            }
            task.turn(threads);
            // For at most a slice, as new jobs may come all the time.
            let until = Instant::now() + SLICE;
            while rayon::yield_now() == Some(Yield::Executed) && Instant::now() < until {}
        }
        RUNS.set(false);
    }
}
