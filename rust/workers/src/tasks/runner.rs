//! The threads that work on tasks: runners on the helpers, the owner in slices, and threads for steps that wait for a
//! device.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::Builder;
use std::time::{Duration, Instant};

use rayon::Yield;

use super::queue::{Next, Place, Queue};
use super::task::{Listener, Task, Turn};
use super::work::{SLICE, TaskEvent, Work};
use crate::Threads;
use crate::threads::{ENDING, PoolId};

type TaskQueue<W> = Arc<Queue<Task<W>>>;

thread_local! {
    /// The address of the queue that a runner of this thread serves.
    static SERVED: Cell<usize> = const { Cell::new(0) };
}

/// See [`Tasks::start`](super::Tasks::start).
pub(super) fn start<W: Work>(queue: &TaskQueue<W>, threads: &Threads, work: W, listener: Listener<W>) -> Arc<Task<W>> {
    let home = threads.pool().map_or(Place::Owner, Place::Helpers);
    let task = Task::new(queue, home, work, listener);
    if queue.add(task.id(), &task, threads) {
        put(&task, home, None);
    } else {
        task.cancel();
        work_on(&task, threads, home, None);
    }
    task
}

/// See [`Tasks::run_slice`](super::Tasks::run_slice).
pub(super) fn run_slice<W: Work>(queue: &TaskQueue<W>, budget: Duration) -> bool {
    let end = Instant::now() + budget;
    queue.begin_run();
    let may_have_more = loop {
        let Some(task) = queue.next_owned() else { break false };
        let until = end.min(Instant::now() + SLICE);
        if work_on(&task, &Threads::alone(), Place::Owner, Some(until)) && Instant::now() >= end {
            break queue.has_owned();
        }
    };
    queue.end_run();
    may_have_more
}

/// See [`Tasks::shut_down`](super::Tasks::shut_down).
pub(super) fn shut_down<W: Work>(queue: &TaskQueue<W>, threads: &Threads) {
    let tasks = queue.close();
    tasks.iter().filter(|task| !task.outlives_shut_down).for_each(Task::cancel);
    for task in tasks {
        task.wait(threads);
    }
    queue.reopen();
    ENDING.join();
}

impl<W: Work> Task<W> {
    /// Ends the task without its work, unless the work is done first. Does not wait: the thread that holds the work
    /// drops it after the current step.
    pub fn cancel(self: &Arc<Self>) {
        self.note_cancelled();
        self.unpark();
    }

    /// Continues a task that is [parked](super::NextStep::Parked), or about to be. Otherwise nothing happens, except
    /// that its next park may end at once.
    pub fn unpark(self: &Arc<Self>) {
        if let Some(home) = self.end_park() {
            put(self, home, None);
        }
    }
}

/// Works on a task for a turn, if its work is free at `place`, and then puts it where it belongs. Returns true if it
/// was free.
fn work_on<W: Work>(task: &Arc<Task<W>>, threads: &Threads, place: Place, until: Option<Instant>) -> bool {
    let Some(work) = task.claim(place) else { return false };
    if let Some(next) = task.take_turn(work, &Turn { threads, place, until }) {
        put(task, next, Some(place));
    }
    true
}

/// Lists a task that is free at `place`, after a turn that began at `from`.
fn put<W: Work>(task: &Arc<Task<W>>, place: Place, from: Option<Place>) {
    if place == Place::Device {
        return give_thread(task);
    }
    // A runner, and the owner, look for their next task after this anyway.
    let is_served = from == Some(place);
    if let (Some(threads), Place::Helpers(pool)) = (task.queue().put(task, place, !is_served), place) {
        spawn(task.queue(), pool, &threads);
    }
    if place == Place::Owner && !is_served {
        task.report(TaskEvent::Waiting);
    }
}

/// Spawns a runner that was hired.
fn spawn<W: Work>(queue: &TaskQueue<W>, pool: PoolId, threads: &Threads) {
    let queue = Arc::clone(queue);
    threads.spawn(move || run(&queue, pool));
}

/// Runs a runner.
fn run<W: Work>(queue: &TaskQueue<W>, pool: PoolId) {
    let this = Arc::as_ptr(queue).addr();
    let outer = SERVED.replace(this);
    if outer == this {
        // Below this frame on the stack, a runner is letting other jobs of the pool run. It checks the queue
        // afterwards.
        return queue.leave(pool);
    }
    while let Some(Next { task, threads, hired }) = queue.next(pool) {
        if hired {
            spawn(queue, pool, &threads);
        }
        let _ = catch_unwind(AssertUnwindSafe(move || {
            work_on(&task, &threads, Place::Helpers(pool), Some(Instant::now() + SLICE));
        }));
        // For at most a slice, as new jobs may come all the time.
        let until = Instant::now() + SLICE;
        while rayon::yield_now() == Some(Yield::Executed) && Instant::now() < until {}
    }
    SERVED.set(outer);
}

/// Runs the next step of a task that is free at [`Place::Device`] on a thread of its own.
fn give_thread<W: Work>(task: &Arc<Task<W>>) {
    let own = Arc::clone(task);
    let run = move || _ = work_on(&own, &Threads::alone(), Place::Device, None);
    match Builder::new().name("varbatch-wait".to_owned()).spawn(run) {
        Ok(thread) => task.queue().devices.keep(&mut vec![thread]),
        Err(_) => _ = work_on(task, &Threads::alone(), Place::Device, None),
    }
}
