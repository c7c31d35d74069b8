//! The threads that work on tasks: helpers and the owner in turns, and threads for steps that wait for a device.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::Builder;
use std::time::{Duration, Instant};

use super::queue::{Place, Queue};
use super::task::{Listener, Task, Turn};
use super::work::{TaskEvent, Work};
use crate::Threads;
use crate::ending::ENDING;
use crate::turns::{Order, SLICE};

type TaskQueue<W> = Arc<Queue<Task<W>>>;

/// See [`Tasks::start`](super::Tasks::start).
pub(super) fn start<W: Work>(queue: &TaskQueue<W>, threads: &Threads, work: W, listener: Listener<W>) -> Arc<Task<W>> {
    let home = if threads.has_helpers() { Place::Helpers } else { Place::Owner };
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
        if let Some(place) = self.note_cancelled() {
            list(self, place, Order::First);
        }
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

/// Puts a task that is free at `place` there, after a turn that began at `from`.
fn put<W: Work>(task: &Arc<Task<W>>, place: Place, from: Option<Place>) {
    let is_again = from == Some(place);
    list(task, place, if is_again { Order::Again } else { Order::Last });
    match place {
        Place::Device => give_thread(task),
        Place::Owner if !is_again => task.report(TaskEvent::Waiting),
        _ => {}
    }
}

/// Lists a task that is free at `place`, if there is a list.
fn list<W: Work>(task: &Arc<Task<W>>, place: Place, order: Order) {
    let queue = Arc::clone(task.queue());
    let threads = match place {
        Place::Helpers => queue.begin_turn(task.id()),
        Place::Owner => return queue.add_owned(order, task),
        // A thread for it is already coming, or not wanted.
        Place::Device | Place::Waiter | Place::Parked => None,
    };
    let Some(threads) = threads else { return };
    let (task, with) = (Arc::clone(task), threads.clone());
    threads.add_turn(order, move || {
        // Drops the task, too, before `reopen` is notified.
        let _ = catch_unwind(AssertUnwindSafe(move || {
            work_on(&task, &with, Place::Helpers, Some(Instant::now() + SLICE));
        }));
        queue.end_run();
    });
}

/// Runs the next step of a task that is free at [`Place::Device`] on a thread of its own.
fn give_thread<W: Work>(task: &Arc<Task<W>>) {
    let own = Arc::clone(task);
    let run = move || _ = work_on(&own, &Threads::alone(), Place::Device, None);
    match Builder::new().name("varbatch-wait".to_owned()).spawn(run) {
        Ok(thread) => task.queue().devices.keep([thread]),
        Err(_) => _ = work_on(task, &Threads::alone(), Place::Device, None),
    }
}
