//! Guards: a parked task uses no thread, continues when it is unparked, and ends whatever becomes of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, TaskEvent};

use super::{Door, Job, Jobs, Started};
use crate::threads::{COUNTS, times, wait_for};

/// A task that parks until the door is open. Returns the number of its steps, too.
fn parked(jobs: &Jobs, threads: &Threads, until: &Door) -> (Started, Arc<AtomicUsize>) {
    let steps = Arc::new(AtomicUsize::new(0));
    let (counted, until) = (Arc::clone(&steps), until.clone());
    let task = jobs.start(threads, move |_, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        if until.is_open() { NextStep::Done } else { NextStep::Parked }
    });
    (task, steps)
}

fn run_owned(jobs: &Jobs) {
    while jobs.tasks.run_slice(Duration::ZERO) {}
}

#[test]
fn a_parked_task_continues_when_it_is_unparked_and_not_before() {
    for count in COUNTS {
        let (threads, jobs, door) = (Threads::new(count), Jobs::new(), Door::default());
        let (task, steps) = parked(&jobs, &threads, &door);
        let others: Vec<_> = (0..10).map(|_| jobs.start(&threads, |_, _| NextStep::Done)).collect();
        run_owned(&jobs);
        others.into_iter().for_each(Started::assert_finishes);
        wait_for("its step", || steps.load(Ordering::SeqCst) == 1);
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(steps.load(Ordering::SeqCst), 1, "{count} threads");
        door.open();
        task.task.unpark();
        run_owned(&jobs);
        task.assert_finishes();
        jobs.assert_none_left();
    }
}

/// The wake may come at any moment of the step that parks.
#[test]
fn no_wake_is_lost() {
    for count in [2, 3] {
        let (threads, jobs) = (Threads::new(count), Jobs::new());
        for round in 0..times(2000, 5) {
            let door = Door::default();
            let (task, _) = parked(&jobs, &threads, &door);
            (0..round % 50).for_each(|_| std::hint::spin_loop());
            door.open();
            task.task.unpark();
            task.assert_finishes();
        }
        jobs.assert_none_left();
    }
}

#[test]
fn a_parked_task_is_cancelled() {
    for count in COUNTS {
        let (threads, jobs) = (Threads::new(count), Jobs::new());
        let (task, steps) = parked(&jobs, &threads, &Door::default());
        run_owned(&jobs);
        wait_for("its step", || steps.load(Ordering::SeqCst) == 1);
        task.task.cancel();
        run_owned(&jobs);
        task.assert_is_cancelled();
        let (task, _) = parked(&jobs, &threads, &Door::default());
        jobs.tasks.shut_down(&threads);
        task.assert_is_cancelled();
        jobs.assert_none_left();
    }
}

/// Whoever waits cannot leave: it is asked to work on what the task waits for.
#[test]
fn a_waiting_thread_unblocks_a_parked_task() {
    for count in COUNTS {
        let (threads, jobs) = (Threads::new(count), Jobs::new());
        for _ in 0..times(100, 2) {
            let door = Door::default();
            let (opened, unblocked) = (door.clone(), door.clone());
            let step = move |_, _: &Threads| if opened.is_open() { NextStep::Done } else { NextStep::Parked };
            let job = Job { unblock: Some(Box::new(move || unblocked.open())), ..jobs.job(step) };
            let task = jobs.start_job(&threads, job);
            assert!(task.task.wait(&threads));
            task.assert_finishes();
        }
        run_owned(&jobs);
        jobs.assert_none_left();
    }
}

#[test]
fn a_task_that_is_not_parked_may_be_unparked() {
    for count in COUNTS {
        let (threads, jobs) = (Threads::new(count), Jobs::new());
        let task = jobs.start(&threads, |step, _| if step < 20 { NextStep::More } else { NextStep::Done });
        (0..5).for_each(|_| task.task.unpark());
        run_owned(&jobs);
        wait_for("the end", || task.task.is_done());
        task.task.unpark();
        assert!(task.told.count(TaskEvent::Finished) <= 1);
        task.assert_finishes();
        jobs.assert_none_left();
    }
}
