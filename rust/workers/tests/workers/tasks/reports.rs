//! How far a task is, told from within a step.

use std::sync::{Arc, Mutex};

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, TaskEvent, Tasks, Work};

use crate::threads::{COUNTS, wait_for};

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

/// Guards: one large value, whose task was at 0 until its end.
#[test]
fn progress_is_told_within_a_step_and_never_goes_back() {
    for count in COUNTS {
        let threads = Threads::new(count);
        let tasks = Tasks::new();
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&told);
        let task = tasks.start(&threads, Long(500), move |task, event| {
            if event == TaskEvent::Progressed {
                heard.lock().unwrap().push(task.progress());
            }
        });
        if threads.count() == 1 {
            while tasks.run_slice(std::time::Duration::from_millis(1)) {}
        }
        wait_for("the end", || task.is_done());
        let told = told.lock().unwrap();
        // Each is a hundredth or more after the one before, and the last is 1.
        assert!((40..=101).contains(&told.len()), "{count} threads: {} times", told.len());
        assert!(told.iter().all(|told| (0.01..=1.0).contains(told)), "{told:?}");
        assert!((task.progress() - 1.0).abs() < f32::EPSILON);
    }
}
