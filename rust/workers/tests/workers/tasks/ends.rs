//! Guards: `shut_down` ends everything, wherever it is, and what must be done is done first.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, TaskEvent, Tasks, Work};

use super::{Door, Jobs, Started, work_for};
use crate::threads::{COUNTS, times, wait_for};

#[test]
fn shut_down_ends_tasks_wherever_their_work_is() {
    for count in COUNTS {
        let (threads, jobs) = (Threads::new(count), Jobs::new());
        for round in 0..times(30, 2) {
            let (mut kept, mut dropped) = (Vec::new(), Vec::new());
            for task in 0..24 {
                let kind = [NextStep::More, NextStep::Blocking, NextStep::Owner][task % 3];
                let mut job = jobs.job(move |step, _| if step < 8 { kind } else { NextStep::Done });
                job.kept = task % 2 == 0;
                if !job.kept {
                    job.step = Box::new(move |_, _| kind);
                }
                let list = if job.kept { &mut kept } else { &mut dropped };
                list.push(jobs.start_job(&threads, job));
            }
            if round % 2 == 0 {
                jobs.tasks.run_slice(Duration::from_millis(1));
            }
            jobs.tasks.shut_down(&threads);
            assert!(!jobs.tasks.is_busy());
            // All of it was told by then.
            assert!(kept.iter().chain(&dropped).all(|task| task.told.count(TaskEvent::Finished) == 1));
            kept.into_iter().for_each(Started::assert_finishes);
            dropped.into_iter().for_each(Started::assert_is_cancelled);
            assert_eq!(jobs.live.load(Ordering::SeqCst), 0);
        }
    }
}

#[test]
fn shut_down_joins_the_threads_of_devices() {
    thread_local! {
        static ENDS: std::cell::RefCell<Option<Ended>> = const { std::cell::RefCell::new(None) };
    }
    struct Ended(Arc<AtomicUsize>);
    impl Drop for Ended {
        fn drop(&mut self) {
            std::thread::sleep(Duration::from_millis(30));
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let (threads, jobs, ended) = (Threads::new(2), Jobs::new(), Arc::new(AtomicUsize::new(0)));
    let tasks: Vec<_> = (0..5)
        .map(|_| {
            let ended = Arc::clone(&ended);
            jobs.start(&threads, move |step, _| match step {
                0 => NextStep::Blocking,
                1 => {
                    ENDS.set(Some(Ended(Arc::clone(&ended))));
                    NextStep::Done
                }
                _ => unreachable!(),
            })
        })
        .collect();
    tasks.into_iter().for_each(Started::assert_finishes);
    jobs.tasks.shut_down(&threads);
    assert_eq!(ended.load(Ordering::SeqCst), 5);
}

#[test]
fn tasks_started_during_a_shut_down_are_cancelled() {
    let (threads, jobs) = (Threads::new(2), Arc::new(Jobs::new()));
    let (begun, go_on) = (Door::default(), Door::default());
    let (inside, open) = (begun.clone(), go_on.clone());
    let mut job = jobs.job(move |_, _| {
        inside.open();
        open.pass();
        NextStep::Done
    });
    job.kept = true;
    let kept = jobs.start_job(&threads, job);
    begun.pass();
    std::thread::scope(|scope| {
        let ends = scope.spawn(|| jobs.tasks.shut_down(&threads));
        // Until it has begun, tasks wait in the queue.
        let (mut early, mut late) = (Vec::new(), Vec::new());
        wait_for("a task that is cancelled", || {
            let task = jobs.start(&threads, |_, _| NextStep::Done);
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
    jobs.start(&threads, |step, _| if step < 5 { NextStep::More } else { NextStep::Done }).assert_finishes();
    jobs.assert_none_left();
}

#[test]
fn nothing_runs_after_a_shut_down() {
    for count in COUNTS {
        let (threads, jobs) = (Threads::new(count), Jobs::new());
        for _ in 0..times(30, 2) {
            let (ended, late) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
            for _ in 0..10 {
                let (ended, late) = (Arc::clone(&ended), Arc::clone(&late));
                jobs.start(&threads, move |_, _| {
                    work_for(Duration::from_micros(50));
                    late.fetch_add(usize::from(ended.load(Ordering::SeqCst)), Ordering::SeqCst);
                    NextStep::More
                });
            }
            jobs.tasks.shut_down(&threads);
            ended.store(true, Ordering::SeqCst);
            assert_eq!(jobs.live.load(Ordering::SeqCst), 0);
            assert_eq!(late.load(Ordering::SeqCst), 0);
        }
    }
}

#[test]
fn a_queue_that_is_dropped_ends_its_tasks() {
    for count in [1, 3] {
        let (threads, jobs) = (Threads::new(count), Jobs::new());
        let live = Arc::clone(&jobs.live);
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
