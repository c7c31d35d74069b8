//! Guards: a parked task uses no thread, continues when it is unparked, and ends whatever becomes of it.

use std::time::Duration;

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, TaskEvent};

use super::{Job, Jobs, Started, each, steps};
use crate::support::{COUNTS, Count, Door, shared, times, wait_for};

/// A task that parks until the door is open. Returns the number of its steps, too.
fn parked(jobs: &Jobs, threads: &Threads, until: &'static Door) -> (Started, &'static Count) {
    let count = shared::<Count>();
    let task = jobs.start(threads, move |_, _| {
        count.add();
        if until.is_open() { NextStep::Done } else { NextStep::Parked }
    });
    (task, count)
}

#[test]
fn a_parked_task_continues_when_it_is_unparked_and_not_before() {
    each(COUNTS, |threads, jobs| {
        let door = shared::<Door>();
        let (task, count) = parked(jobs, threads, door);
        let others: Vec<_> = (0..10).map(|_| jobs.start(threads, |_, _| NextStep::Done)).collect();
        jobs.run_owned();
        others.into_iter().for_each(Started::assert_finishes);
        wait_for("its step", || count.get() == 1);
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(count.get(), 1, "{} threads", threads.count());
        door.open();
        task.task.unpark();
        jobs.run_owned();
        task.assert_finishes();
    });
}

/// The wake may come at any moment of the step that parks.
#[test]
fn no_wake_is_lost() {
    each([2, 3], |threads, jobs| {
        for round in 0..times(2000, 5) {
            let door = shared::<Door>();
            let (task, _) = parked(jobs, threads, door);
            (0..round % 50).for_each(|_| std::hint::spin_loop());
            door.open();
            task.task.unpark();
            task.assert_finishes();
        }
    });
}

#[test]
fn a_parked_task_is_cancelled() {
    each(COUNTS, |threads, jobs| {
        let (task, count) = parked(jobs, threads, shared());
        jobs.run_owned();
        wait_for("its step", || count.get() == 1);
        task.task.cancel();
        jobs.run_owned();
        task.assert_is_cancelled();
        let (task, _) = parked(jobs, threads, shared());
        jobs.tasks.shut_down(threads);
        task.assert_is_cancelled();
    });
}

/// Whoever waits cannot leave: it is asked to work on what the task waits for.
#[test]
fn a_waiting_thread_unblocks_a_parked_task() {
    each(COUNTS, |threads, jobs| {
        for _ in 0..times(100, 2) {
            let door = shared::<Door>();
            let step = move |_, _: &Threads| if door.is_open() { NextStep::Done } else { NextStep::Parked };
            let job = Job { unblock: Some(Box::new(move || door.open())), ..jobs.job(step) };
            let task = jobs.start_job(threads, job);
            assert!(task.task.wait(threads));
            task.assert_finishes();
        }
    });
}

#[test]
fn a_task_that_is_not_parked_may_be_unparked() {
    each(COUNTS, |threads, jobs| {
        let task = jobs.start(threads, steps(20));
        (0..5).for_each(|_| task.task.unpark());
        jobs.run_owned();
        wait_for("the end", || task.task.is_done());
        task.task.unpark();
        assert!(task.told.count(TaskEvent::Finished) <= 1);
        task.assert_finishes();
    });
}
