//! Guards: a task can be cancelled wherever its work is. The work is dropped once, before the task has ended.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use varbatch_workers::tasks::{NextStep, TaskEvent};

use super::{Started, each, occupy};
use crate::support::{Door, shared, times, wait_for};

#[test]
fn a_task_in_the_queue_is_cancelled() {
    each([2], |threads, jobs| {
        let busy = shared::<Door>();
        let first = occupy(jobs, threads, busy);
        let (others, cancelled): (Vec<_>, Vec<_>) = (0..20)
            .map(|_| (jobs.start(threads, |_, _| NextStep::Done), jobs.start(threads, |_, _| panic!("was cancelled"))))
            .unzip();
        cancelled.iter().for_each(|task| task.task.cancel());
        cancelled.iter().for_each(|task| assert!(!task.task.is_done() && !task.task.is_cancelled()));
        busy.open();
        first.assert_finishes();
        cancelled.into_iter().for_each(Started::assert_is_cancelled);
        others.into_iter().for_each(Started::assert_finishes);
    });
}

#[test]
fn a_cancelled_task_ends_before_those_that_came_earlier() {
    each([1], |threads, jobs| {
        let others: Vec<_> = (0..5).map(|_| jobs.start(threads, |_, _| NextStep::Owner)).collect();
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
        let last = jobs.start(threads, |_, _| NextStep::More);
        last.task.cancel();
        busy.open();
        first.assert_finishes();
        last.assert_is_cancelled();
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
        let task = jobs.start(threads, |step, _| if step == 0 { NextStep::Owner } else { panic!("was cancelled") });
        wait_for("the owner's step", || task.told.count(TaskEvent::Waiting) > 0);
        task.task.cancel();
        assert!(!jobs.tasks.run_slice(Duration::from_secs(1)));
        task.assert_is_cancelled();
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
