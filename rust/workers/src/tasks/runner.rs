//! Who works on tasks: runners on the pool, and threads for steps that wait for a device.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::Builder;
use std::time::Instant;

use rayon::Yield;

use super::lists::Hired;
use super::queue::Queue;
use super::task::Task;
use super::turn::{By, Place, Turn};
use super::{SLICE, Work};
use crate::Threads;

thread_local! {
    /// The address of the queue that a runner of this thread serves.
    static SERVED: Cell<usize> = const { Cell::new(0) };
}

impl<W: Work> Queue<W> {
    pub(super) fn spawn(self: &Arc<Self>, hired: Option<Hired>) {
        if let Some(Hired(pool, order)) = hired {
            let queue = Arc::clone(self);
            pool.spawn(move || queue.run(order));
        }
    }

    /// A runner.
    fn run(self: &Arc<Self>, order: u64) {
        let this = Arc::as_ptr(self).addr();
        let outer = SERVED.replace(this);
        if outer == this {
            // Below, on the stack of this thread, another lets the jobs of the pool go first. It looks at the queue after.
            self.lock().leave(order);
            self.idle.notify_all();
            return;
        }
        while let Some((task, threads)) = self.next(order) {
            let _ = catch_unwind(AssertUnwindSafe(move || {
                if let Some(work) = task.claim(Place::Ready) {
                    let until = Some(Instant::now() + SLICE);
                    let places = &[Place::Ready];
                    task.work_on(work, &Turn { threads: &threads, places, until, by: By::Runner(order) });
                }
            }));
            // Not for longer than a slice, as new ones may come all the time.
            let until = Instant::now() + SLICE;
            while rayon::yield_now() == Some(Yield::Executed) && Instant::now() < until {}
        }
        SERVED.set(outer);
    }

    /// The next task for a runner, and the threads for its turn. None ends the runner.
    fn next(self: &Arc<Self>, order: u64) -> Option<(Arc<Task<W>>, Threads)> {
        let mut lists = self.lock();
        if lists.order == order
            && let Some(pool) = lists.open_pool()
            && let Some(task) = lists.ready.pop_front()
        {
            let guest = Threads::guest(pool, lists.helpers);
            let hired = if lists.ready.is_empty() { None } else { lists.hire() };
            drop(lists);
            self.spawn(hired);
            return Some((task, guest));
        }
        lists.leave(order);
        drop(lists);
        self.idle.notify_all();
        None
    }

    /// Has the next step of a task, which is free at [`Place::Thread`], done on a thread of its own.
    pub(super) fn give_thread(self: &Arc<Self>, task: &Arc<Task<W>>) {
        fn run<W: Work>(task: &Arc<Task<W>>) {
            // It may have been claimed by who waits.
            if let Some(work) = task.claim(Place::Thread) {
                let places = &[Place::Thread];
                task.work_on(work, &Turn { threads: &Threads::alone(), places, until: None, by: By::Other });
            }
        }
        let own = Arc::clone(task);
        match Builder::new().name("varbatch-wait".to_owned()).spawn(move || run(&own)) {
            Ok(handle) => {
                let mut waiting = self.waiting();
                let ended: Vec<_> = waiting.extract_if(.., |handle| handle.is_finished()).collect();
                waiting.push(handle);
                drop(waiting);
                ended.into_iter().for_each(|handle| _ = handle.join());
            }
            Err(_) => run(task),
        }
    }
}
