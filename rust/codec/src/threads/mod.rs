//! A fixed set of threads that share work with the caller, who waits.

#[allow(unsafe_code)] // One line: see there.
mod gate;

use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;

static CORES: OnceLock<usize> = OnceLock::new();

/// Threads for the parallel parts. The caller is one of them, so that small work starts at once.
///
/// Dropping waits for the threads to end: an extension can be unloaded after that.
#[derive(Debug)]
pub struct Threads {
    // Before `handles`, so that the threads are told to end before they are waited for.
    pool: Option<rayon::ThreadPool>,
    handles: Mutex<Vec<JoinHandle<()>>>,
    count: usize,
}

impl Threads {
    /// No thread but the caller.
    pub const fn alone() -> Self {
        Self { pool: None, handles: Mutex::new(Vec::new()), count: 1 }
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
        let count = Self::planned(count);
        if count == 1 {
            return Self::alone();
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
            .ok();
        let count = if pool.is_some() { count } else { 1 };
        Self { pool, handles: Mutex::new(handles), count }
    }

    /// How many threads work, the caller among them.
    pub fn count(&self) -> usize {
        self.count
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
        self.pool = None;
        for handle in self.handles.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).drain(..) {
            // A worker's panic was already passed on to the caller that it worked for.
            let _ = handle.join();
        }
    }
}
