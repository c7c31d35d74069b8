//! Guards: `shut_down` ends everything, wherever it is, and what must be done is done first.

use std::sync::atomic::Ordering;
use std::time::Duration;

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, TaskEvent, Tasks, Work};

use super::{Jobs, Started, each, steps};
use crate::support::{COUNTS, Count, Door, count_end, shared, times, wait_for, work_for};

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
            assert!(!jobs.tasks.is_busy());
            // All of it was told by then.
            assert!(kept.iter().chain(&dropped).all(|task| task.told.count(TaskEvent::Finished) == 1));
            kept.into_iter().for_each(Started::assert_finishes);
            dropped.into_iter().for_each(Started::assert_is_cancelled);
            assert_eq!(jobs.live.load(Ordering::SeqCst), 0);
        }
    });
}

#[test]
fn shut_down_joins_the_threads_of_devices() {
    each([2], |threads, jobs| {
        let ended = shared::<Count>();
        let tasks: Vec<_> = (0..5)
            .map(|_| {
                jobs.start(threads, move |step, _| {
                    if step == 0 {
                        return NextStep::Blocking;
                    }
                    count_end(ended);
                    NextStep::Done
                })
            })
            .collect();
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
fn nothing_runs_after_a_shut_down() {
    each(COUNTS, |threads, jobs| {
        for _ in 0..times(30, 2) {
            let (ended, late) = (shared::<Door>(), shared::<Count>());
            for _ in 0..10 {
                jobs.start(threads, move |_, _| {
                    work_for(Duration::from_micros(50));
                    if ended.is_open() {
                        late.add();
                    }
                    NextStep::More
                });
            }
            jobs.tasks.shut_down(threads);
            ended.open();
            assert_eq!((jobs.live.load(Ordering::SeqCst), late.get()), (0, 0));
        }
    });
}

#[test]
fn a_queue_that_is_dropped_ends_its_tasks() {
    for count in [1, 3] {
        let (threads, jobs) = (Threads::new(count), Jobs::new());
        let live = jobs.live.clone();
        let tasks: Vec<_> = (0..5).map(|_| jobs.start(&threads, |_, _| NextStep::More)).collect();
        drop(jobs);
        tasks.into_iter().for_each(Started::assert_is_cancelled);
        assert_eq!(live.load(Ordering::SeqCst), 0);
    }
}

#[test]
fn an_empty_queue_costs_nothing_and_can_be_static() {
    struct Never;
    impl Work for Never {
        fn step(&mut self, _: &Threads, _: OnProgress<'_>) -> NextStep {
            NextStep::Done
        }

        fn progress(&self) -> f32 {
            1.0
        }
    }
    static TASKS: Tasks<Never> = Tasks::new();
    assert!(!TASKS.is_busy() && !TASKS.run_slice(Duration::from_secs(1)));
    TASKS.shut_down(&Threads::alone());
    let task = TASKS.start(&Threads::alone(), Never, |_, _| {});
    assert!(TASKS.is_busy());
    assert!(task.wait(&Threads::alone()) && task.take().is_some());
    assert!(!TASKS.is_busy());
}
