//! Guards: a task ends, and once, wherever its work is: cancelled, parked, or in a queue that shuts down. Its work is
//! dropped before it has ended, and what must be done is done first.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, TaskEvent, Tasks};

use super::{Job, Jobs, Started, each, occupy, steps};
use crate::support::{COUNTS, Count, Door, count_end, shared, times, wait_for};

#[test]
fn a_cancelled_task_ends_before_those_that_came_earlier() {
    each([1], |threads, jobs| {
        let others = jobs.start_all(threads, 5, |_| |_, _| NextStep::Owner);
        let last = jobs.start(threads, |_, _| NextStep::More);
        last.task.cancel();
        assert!(jobs.tasks.run_slice(Duration::ZERO));
        last.assert_is_cancelled();
        // The same in the owner's list.
        for _ in 0..10 {
            jobs.tasks.run_slice(Duration::ZERO);
        }
        others[4].task.cancel();
        jobs.tasks.run_slice(Duration::ZERO);
        assert!(others[4].task.is_done());
        others.iter().for_each(|task| task.task.cancel());
        jobs.run_owned();
        others.into_iter().for_each(Started::assert_is_cancelled);
    });
    // The same in the list of the helpers.
    each([2], |threads, jobs| {
        let (busy, late) = (shared::<Door>(), shared::<Door>());
        let first = occupy(jobs, threads, busy);
        let second = jobs.start(threads, |_, _| {
            late.pass();
            NextStep::Done
        });
        let cancelled = jobs.start_all(threads, 20, |_| |_, _| panic!("was cancelled"));
        cancelled.iter().for_each(|task| task.task.cancel());
        cancelled.iter().for_each(|task| assert!(!task.task.is_done()));
        busy.open();
        first.assert_finishes();
        cancelled.into_iter().for_each(Started::assert_is_cancelled);
        assert!(!second.task.is_done());
        late.open();
        second.assert_finishes();
    });
}

#[test]
fn a_task_is_cancelled_while_it_is_worked_on() {
    // By a helper, a thread of its own, the owner, and one that waits.
    for (count, kind) in [
        (2, NextStep::More),
        (2, NextStep::Blocking),
        (2, NextStep::Owner),
        (1, NextStep::More),
        (1, NextStep::Blocking),
    ] {
        for waits in [false, true] {
            each([count], |threads, jobs| {
                let (begun, go_on) = (shared::<Door>(), shared::<Door>());
                let task = jobs.start(threads, move |step, _| {
                    assert!(step < 2, "was cancelled");
                    if step == 1 {
                        begun.open();
                        go_on.pass();
                    }
                    kind
                });
                std::thread::scope(|scope| {
                    if waits {
                        scope.spawn(|| assert!(task.task.wait(threads)));
                    } else if count == 1 || kind == NextStep::Owner {
                        scope.spawn(|| {
                            wait_for("the owner's step", || task.told.count(TaskEvent::Waiting) > 0);
                            while jobs.tasks.run_slice(Duration::from_millis(1)) {}
                        });
                    }
                    begun.pass();
                    task.task.cancel();
                    assert!(!task.task.is_done());
                    go_on.open();
                });
                task.assert_is_cancelled();
            });
        }
    }
}

#[test]
fn a_task_is_cancelled_while_it_waits_for_its_owner() {
    each([2], |threads, jobs| {
        for waits in [false, true] {
            let task = jobs.start(threads, |step, _| if step == 0 { NextStep::Owner } else { panic!("was cancelled") });
            wait_for("the owner's step", || task.told.count(TaskEvent::Waiting) > 0);
            task.task.cancel();
            assert_eq!(waits && task.task.wait(threads), waits);
            assert!(!jobs.tasks.run_slice(Duration::from_secs(1)));
            task.assert_is_cancelled();
        }
    });
}

#[test]
fn cancelling_after_the_end_or_twice_changes_nothing() {
    each([1, 2], |threads, jobs| {
        let task = jobs.start(threads, |_, _| NextStep::Done);
        task.task.wait(threads);
        task.task.cancel();
        task.assert_finishes();
        let task = jobs.start(threads, |_, _| NextStep::More);
        (0..3).for_each(|_| task.task.cancel());
        task.task.wait(threads);
        task.task.cancel();
        task.assert_is_cancelled();
    });
}

#[test]
fn the_work_is_dropped_before_the_end_is_reported() {
    each([3], |threads, jobs| {
        for _ in 0..times(200, 5) {
            let task = jobs.start(threads, |_, _| NextStep::More);
            let told = Arc::clone(&task.told);
            task.task.cancel();
            task.assert_is_cancelled();
            assert_eq!(told.live_at_end.load(Ordering::SeqCst), 0);
        }
    });
}

#[test]
fn shut_down_ends_tasks_wherever_their_work_is() {
    each(COUNTS, |threads, jobs| {
        for round in 0..times(30, 2) {
            let (mut kept, mut dropped) = (Vec::new(), Vec::new());
            for task in 0..24 {
                let kind = [NextStep::More, NextStep::Blocking, NextStep::Owner][task % 3];
                let is_kept = task % 2 == 0;
                let mut job = jobs.job(move |step, _| if is_kept && step >= 8 { NextStep::Done } else { kind });
                job.kept = is_kept;
                if is_kept { &mut kept } else { &mut dropped }.push(jobs.start_job(threads, job));
            }
            if round % 2 == 0 {
                jobs.tasks.run_slice(Duration::from_millis(1));
            }
            jobs.tasks.shut_down(threads);
            // All of it was told by then.
            assert!(kept.iter().chain(&dropped).all(|task| task.told.count(TaskEvent::Finished) == 1));
            kept.into_iter().for_each(Started::assert_finishes);
            dropped.into_iter().for_each(Started::assert_is_cancelled);
            assert_eq!(jobs.live(), 0);
        }
    });
}

#[test]
fn shut_down_joins_the_threads_of_devices() {
    each([2], |threads, jobs| {
        let ended = shared::<Count>();
        let tasks = jobs.start_all(threads, 5, |_| {
            move |step, _| {
                if step == 0 {
                    return NextStep::Blocking;
                }
                count_end(ended);
                NextStep::Done
            }
        });
        tasks.into_iter().for_each(Started::assert_finishes);
        jobs.tasks.shut_down(threads);
        assert_eq!(ended.get(), 5);
    });
}

#[test]
fn tasks_started_during_a_shut_down_are_cancelled() {
    each([2], |threads, jobs| {
        let (begun, go_on) = (shared::<Door>(), shared::<Door>());
        let mut job = jobs.job(move |_, _| {
            begun.open();
            go_on.pass();
            NextStep::Done
        });
        job.kept = true;
        let kept = jobs.start_job(threads, job);
        begun.pass();
        std::thread::scope(|scope| {
            let ends = scope.spawn(|| jobs.tasks.shut_down(threads));
            // Until it has begun, tasks wait in the queue.
            let (mut early, mut late) = (Vec::new(), Vec::new());
            wait_for("a task that is cancelled", || {
                let task = jobs.start(threads, |_, _| NextStep::Done);
                let is_late = task.task.is_done();
                if is_late { &mut late } else { &mut early }.push(task);
                !late.is_empty()
            });
            assert!(!ends.is_finished());
            late.into_iter().for_each(Started::assert_is_cancelled);
            go_on.open();
            ends.join().expect("ends");
            early.into_iter().for_each(|task| task.assert_ends());
        });
        kept.assert_finishes();
        // It can be used again, with the same threads.
        jobs.start(threads, steps(5)).assert_finishes();
    });
}

#[test]
fn a_queue_that_is_dropped_ends_its_tasks() {
    for count in [1, 3] {
        let (threads, jobs) = (Threads::new(count), Jobs::new());
        let live = Arc::downgrade(&jobs.live);
        let tasks = jobs.start_all(&threads, 5, |_| |_, _| NextStep::More);
        drop(jobs);
        tasks.into_iter().for_each(Started::assert_is_cancelled);
        assert_eq!(live.strong_count(), 0);
    }
}

#[test]
fn an_empty_queue_costs_nothing_and_can_be_static() {
    static TASKS: Tasks<Job> = Tasks::new();
    assert!(!TASKS.run_slice(Duration::from_secs(1)));
    TASKS.shut_down(&Threads::alone());
    let task = TASKS.start(&Threads::alone(), Jobs::new().job(steps(0)), |_, _| {});
    assert!(!task.is_done() && task.wait(&Threads::alone()) && task.take().is_some());
}

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
        let others = jobs.start_all(threads, 10, |_| |_, _| NextStep::Done);
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
