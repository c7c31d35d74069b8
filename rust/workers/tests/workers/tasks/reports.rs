//! Guards: how far a task is, told after each step and from within one.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, TaskEvent, Tasks, Work};

use super::{Jobs, each, steps};
use crate::support::{COUNTS, times, wait_for};

#[test]
fn progress_is_told_in_hundredths() {
    let (threads, jobs) = (Threads::new(2), Jobs::new());
    let count = times(5000, 500);
    let mut job = jobs.job(steps(count - 1));
    job.progress = Box::new(move |done| done as f32 / count as f32);
    let task = jobs.start_job(&threads, job);
    task.assert_ends();
    let told = task.told.events.lock().unwrap();
    let (last, progressed) = told.split_last().expect("the end");
    assert_eq!(last.0, TaskEvent::Finished);
    assert!((80..=100).contains(&progressed.len()), "{} times", progressed.len());
    assert!(progressed.iter().all(|(event, _)| *event == TaskEvent::Progressed));
    assert!(told.windows(2).all(|pair| pair[0].1 <= pair[1].1 && pair[1].1 <= 1.0));
}

#[test]
fn progress_never_falls_and_is_a_fraction() {
    each([1], |threads, jobs| {
        let mut job = jobs.job(steps(5));
        job.progress = Box::new(|done| [0.0, -1.0, 0.5, f32::NAN, 0.2, 0.4, 7.0][done]);
        let task = jobs.start_job(threads, job);
        // A step each.
        for expected in [0.0, 0.5, 0.5, 0.5, 0.5, 1.0] {
            jobs.tasks.run_slice(Duration::ZERO);
            assert!((task.task.progress() - expected).abs() < f32::EPSILON);
        }
        assert!(task.task.is_done());
        let expected = [
            (TaskEvent::Waiting, 0.0),
            (TaskEvent::Progressed, 0.5),
            (TaskEvent::Progressed, 1.0),
            (TaskEvent::Finished, 1.0),
        ];
        assert_eq!(*task.told.events.lock().unwrap(), expected);
    });
}

/// One long step of so many parts, which threads do in no order.
struct Long(u16);

impl Work for Long {
    fn step(&mut self, threads: &Threads, report: OnProgress<'_>) -> NextStep {
        let done = Mutex::new(0_u16);
        threads.for_each(0..self.0, |_| {
            let now = {
                let mut done = done.lock().unwrap();
                *done += 1;
                *done
            };
            // Told late by some, and some of it is nonsense.
            std::thread::yield_now();
            report(f32::from(now) / f32::from(self.0) * 0.9);
            for nonsense in [f32::NAN, -0.0, -1.0, f32::NEG_INFINITY] {
                report(nonsense);
            }
        });
        NextStep::Done
    }

    fn progress(&self) -> f32 {
        0.0
    }
}

/// As with one large value, whose task was at 0 until its end.
#[test]
fn progress_is_told_within_a_step_and_never_goes_back() {
    for count in COUNTS {
        let (threads, tasks) = (Threads::new(count), Tasks::new());
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&told);
        let task = tasks.start(&threads, Long(500), move |task, event| {
            if event == TaskEvent::Progressed {
                heard.lock().unwrap().push(task.progress());
            }
        });
        while tasks.run_slice(Duration::from_millis(1)) {}
        wait_for("the end", || task.is_done());
        let told = told.lock().unwrap();
        // Each is a hundredth or more after the one before, and the last is 1.
        assert!((40..=101).contains(&told.len()), "{count} threads: {} times", told.len());
        assert!(told.iter().all(|told| (0.01..=1.0).contains(told)), "{told:?}");
        assert!((task.progress() - 1.0).abs() < f32::EPSILON);
    }
}
