//! A fixed set of threads that share work with the caller, who waits.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::thread::JoinHandle;

use crate::gate;

static CORES: OnceLock<usize> = OnceLock::new();

static LAST_ORDER: AtomicU64 = AtomicU64::new(0);

/// Threads for the parallel parts. The caller is one of them, so that small work starts at once.
///
/// Dropping waits for the threads to end: an extension can be unloaded after that.
#[derive(Debug)]
pub struct Threads {
    /// Shared with guests, which have no handles.
    pool: Option<Arc<Pool>>,
    handles: Mutex<Vec<JoinHandle<()>>>,
    count: usize,
    order: u64,
    is_awake: bool,
}

/// The helpers.
#[derive(Debug)]
pub(crate) struct Pool {
    jobs: rayon::ThreadPool,
    /// When the owner waits for the threads to end: guests go then.
    closed: AtomicBool,
}

impl Pool {
    pub(crate) fn is_open(&self) -> bool {
        !self.closed.load(Ordering::Relaxed)
    }

    pub(crate) fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        self.jobs.spawn(job);
    }
}

impl Threads {
    /// No thread but the caller.
    pub const fn alone() -> Self {
        Self { pool: None, handles: Mutex::new(Vec::new()), count: 1, order: 0, is_awake: false }
    }

    /// The pool's own threads without the caller that they help, for a job that runs on one of them.
    pub(crate) fn guest(pool: Arc<Pool>, count: usize) -> Self {
        Self { pool: Some(pool), handles: Mutex::new(Vec::new()), count, order: 0, is_awake: false }
    }

    /// The same threads for work that keeps them awake: one call follows the other at once, so that little is enough to
    /// share.
    pub fn awake(&self) -> Self {
        let (pool, handles) = (self.pool.clone(), Mutex::new(Vec::new()));
        Self { pool, handles, count: self.count, order: 0, is_awake: true }
    }

    /// Whether these are [`Self::awake`].
    pub fn are_awake(&self) -> bool {
        self.is_awake
    }

    /// How many threads [`Self::new`] asks the system for: `count`, or one a core where it is 0.
    pub fn planned(count: usize) -> usize {
        match count {
            // Asked once: on Linux it reads files of the system.
            0 => *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from)),
            count => count,
        }
    }

    /// `count` threads, the caller among them; 0 means one a core. Where the system gives no thread, there is one.
    pub fn new(count: usize) -> Self {
        let order = LAST_ORDER.fetch_add(1, Ordering::Relaxed) + 1;
        let count = Self::planned(count);
        if count == 1 {
            let mut alone = Self::alone();
            alone.order = order;
            return alone;
        }
        let mut handles = Vec::with_capacity(count - 1);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(count - 1)
            .spawn_handler(|thread| {
                let name = format!("varbatch-{}", thread.index() + 1);
                handles.push(std::thread::Builder::new().name(name).spawn(|| thread.run())?);
                Ok(())
            })
            .build()
            .ok()
            .map(|jobs| Arc::new(Pool { jobs, closed: AtomicBool::new(false) }));
        let count = if pool.is_some() { count } else { 1 };
        Self { pool, handles: Mutex::new(handles), count, order, is_awake: false }
    }

    /// How many threads work, the caller among them.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Larger for threads that were made later, 0 for those made by [`Self::alone`].
    pub(crate) fn order(&self) -> u64 {
        self.order
    }

    /// To make [guests](Self::guest) of.
    pub(crate) fn pool(&self) -> Weak<Pool> {
        self.pool.as_ref().map_or_else(Weak::new, Arc::downgrade)
    }

    /// Whether this code runs on one of the helpers, which must not drop this: it would wait for itself.
    pub fn is_helper(&self) -> bool {
        self.pool.as_ref().is_some_and(|pool| pool.jobs.current_thread_index().is_some())
    }

    /// Calls `work` once with each item, in no order, and returns when all are done. The items are made one at a time,
    /// on any of the threads, as they are asked for. The caller begins at once, and waits for no thread that has not
    /// come when the items are used up.
    ///
    /// # Panics
    /// With the panic of a call that panicked, after those that had begun have ended: items may be left then. That of
    /// a call on the caller's own thread comes first.
    pub fn for_each<T, I>(&self, items: I, work: impl Fn(T) + Sync)
    where
        I: IntoIterator<Item = T, IntoIter: Send>,
    {
        let items = items.into_iter();
        let most = items.size_hint().1.unwrap_or(usize::MAX);
        let helpers = (self.count - 1).min(most.saturating_sub(1));
        let Some(pool) = self.pool.as_ref().filter(|_| helpers > 0) else {
            return items.for_each(work);
        };
        let items = Mutex::new(items);
        let next = || items.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
        let run = || {
            while let Some(item) = next() {
                work(item);
            }
        };
        gate::share(&run, |gate| {
            for _ in 0..helpers {
                let gate = Arc::clone(gate);
                pool.spawn(move || gate.enter());
            }
        });
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        let handles = std::mem::take(self.handles.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner));
        if let Some(pool) = self.pool.take().filter(|_| !handles.is_empty()) {
            pool.closed.store(true, Ordering::Relaxed);
        }
        for handle in handles {
            // A worker's panic was already passed on to the caller that it worked for.
            let _ = handle.join();
        }
    }
}
