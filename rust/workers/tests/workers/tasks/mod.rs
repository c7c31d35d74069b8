//! Guards: tasks share the helpers fairly, and each ends once, whoever works on it, cancels it, waits for it, or takes the
//! threads away.

mod ends;
mod pools;
mod turns;
mod waits;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Task, TaskEvent, Tasks, Work};

use crate::support::{Door, shared, wait_for};

/// A step is asked which it is, from 0.
type DoStep = Box<dyn FnMut(usize, &Threads) -> NextStep + Send>;

/// Work that is counted.
struct Job {
    step: DoStep,
    done: usize,
    /// What progress there is after so many steps.
    progress: Box<dyn Fn(usize) -> f32 + Send>,
    kept: bool,
    unblock: Option<Box<dyn FnMut() + Send>>,
    _live: Arc<()>,
}

impl Work for Job {
    fn step(&mut self, threads: &Threads, _: OnProgress<'_>) -> NextStep {
        self.done += 1;
        (self.step)(self.done - 1, threads)
    }

    fn unblock(&mut self, _: &Threads) {
        self.unblock.as_mut().expect("it never parks while it is waited for")();
    }

    fn progress(&self) -> f32 {
        (self.progress)(self.done)
    }

    fn outlives_shut_down(&self) -> bool {
        self.kept
    }
}

/// What a listener was told, in order, and how much work was alive at the end.
#[derive(Default)]
struct Told {
    events: Mutex<Vec<(TaskEvent, f32)>>,
    live_at_end: AtomicUsize,
}

impl Told {
    fn count(&self, event: TaskEvent) -> usize {
        self.events.lock().unwrap().iter().filter(|(told, _)| *told == event).count()
    }
}

/// A queue of jobs, each of which holds `live` while it is alive.
struct Jobs {
    tasks: Tasks<Job>,
    live: Arc<()>,
}

/// A task and what was told of it.
struct Started {
    task: Arc<Task<Job>>,
    told: Arc<Told>,
}

impl Jobs {
    fn new() -> Self {
        Self { tasks: Tasks::new(), live: Arc::default() }
    }

    fn job(&self, step: impl FnMut(usize, &Threads) -> NextStep + Send + 'static) -> Job {
        let (progress, live) = (Box::new(|done| done as f32 / 1000.0), Arc::clone(&self.live));
        Job { step: Box::new(step), done: 0, progress, kept: false, unblock: None, _live: live }
    }

    /// How many jobs are alive.
    fn live(&self) -> usize {
        Arc::strong_count(&self.live) - 1
    }

    fn start(&self, threads: &Threads, step: impl FnMut(usize, &Threads) -> NextStep + Send + 'static) -> Started {
        self.start_job(threads, self.job(step))
    }

    /// Starts so many tasks. `step` makes the steps of each, by its number.
    fn start_all<S>(&self, threads: &Threads, count: usize, step: impl FnMut(usize) -> S) -> Vec<Started>
    where
        S: FnMut(usize, &Threads) -> NextStep + Send + 'static,
    {
        (0..count).map(step).map(|step| self.start(threads, step)).collect()
    }

    fn start_job(&self, threads: &Threads, job: Job) -> Started {
        let told = Arc::new(Told::default());
        let (heard, live) = (Arc::clone(&told), Arc::downgrade(&self.live));
        let listener = move |task: &Arc<Task<Job>>, event| {
            heard.events.lock().unwrap().push((event, task.progress()));
            if event == TaskEvent::Finished {
                assert!(task.is_done());
                heard.live_at_end.store(live.strong_count() - 1, Ordering::SeqCst);
            }
        };
        Started { task: self.tasks.start(threads, job, listener), told }
    }

    /// Does the owner's steps until there are none.
    fn run_owned(&self) {
        while self.tasks.run_slice(Duration::ZERO) {}
    }

    #[track_caller]
    fn assert_none_left(&self) {
        // Who ended a task that nobody holds drops it after that. A task that is left keeps the queue from being dropped.
        wait_for("the end of all work", || self.live() == 0);
    }
}

impl Started {
    #[track_caller]
    fn assert_ends(&self) {
        wait_for("the end", || self.told.count(TaskEvent::Finished) > 0);
        assert!(self.task.is_done());
        assert_eq!(self.told.count(TaskEvent::Finished), 1);
    }

    /// Ends with its work.
    #[track_caller]
    fn assert_finishes(self) {
        self.assert_ends();
        assert!(!self.task.is_panicked());
        assert!((self.task.progress() - 1.0).abs() < f32::EPSILON);
        assert!(self.task.take().is_some());
        assert!(self.task.take().is_none());
    }

    #[track_caller]
    fn assert_is_cancelled(self) {
        self.assert_ends();
        assert!(!self.task.is_panicked());
        assert!(self.task.take().is_none());
    }
}

/// Calls `run` with so many threads each, and a queue that has nothing left afterwards.
#[track_caller]
fn each(counts: impl IntoIterator<Item = usize>, mut run: impl FnMut(&Threads, &Jobs)) {
    for count in counts {
        let (threads, jobs) = (Threads::new(count), Jobs::new());
        run(&threads, &jobs);
        jobs.run_owned();
        jobs.assert_none_left();
    }
}

/// Makes a step that goes on until the door is open.
fn until(door: &'static Door) -> impl FnMut(usize, &Threads) -> NextStep + Send {
    move |_, _| if door.is_open() { NextStep::Done } else { NextStep::More }
}

/// Makes a step that is done so many times before the last one.
fn steps(count: usize) -> impl FnMut(usize, &Threads) -> NextStep + Send {
    move |step, _| if step < count { NextStep::More } else { NextStep::Done }
}

/// A task that keeps a helper busy until the door opens. Returns when it has begun.
fn occupy(jobs: &Jobs, threads: &Threads, until: &'static Door) -> Started {
    let begun = shared::<Door>();
    let busy = jobs.start(threads, move |_, _| {
        begun.open();
        until.pass();
        NextStep::Done
    });
    begun.pass();
    busy
}
