//! Guards: who does which step, and in what order.

use std::panic::resume_unwind;
use std::sync::{Arc, Barrier, Mutex};
use std::thread::{ThreadId, current};
use std::time::Duration;

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, TaskEvent, Tasks, Work};

use super::{Started, each, occupy, steps};
use crate::support::{Count, Door, assert_works, shared, times, wait_for, work_for};

/// The steps that were done, and their tasks.
type Order = Mutex<Vec<(usize, usize)>>;

#[test]
fn a_short_task_is_not_kept_waiting_by_a_long_one() {
    each([2], |threads, jobs| {
        let mut all = Vec::new();
        for _ in 0..times(21, 3) {
            let (done, ended_at, stop) = (shared::<Count>(), shared::<Mutex<usize>>(), shared::<Door>());
            let long = jobs.start(threads, move |_, _| {
                work_for(Duration::from_millis(1));
                done.add();
                if stop.is_open() { NextStep::Done } else { NextStep::More }
            });
            wait_for("a few steps", || done.get() > 3);
            let before = done.get();
            let short = jobs.start(threads, move |step, _| {
                *ended_at.lock().unwrap() = done.get();
                if step < times(9, 1) { NextStep::More } else { NextStep::Done }
            });
            short.assert_finishes();
            // There is one helper: what it did of the long task came first.
            all.push(*ended_at.lock().unwrap() - before);
            stop.open();
            long.assert_finishes();
        }
        // Any may be more, where this thread or the helper has to wait for a processor.
        all.sort_unstable();
        assert!(all[all.len() / 2] <= 6, "{all:?} steps of the long task came first");
    });
}

#[test]
fn tasks_have_equal_shares() {
    each([2], |threads, jobs| {
        let (busy, order) = (shared::<Door>(), shared::<Order>());
        let first = occupy(jobs, threads, busy);
        let tasks = jobs.start_all(threads, 4, |task| {
            move |step, _| {
                // Longer than a slice.
                work_for(Duration::from_millis(3));
                order.lock().unwrap().push((step, task));
                if step < 5 { NextStep::More } else { NextStep::Done }
            }
        });
        busy.open();
        first.assert_finishes();
        tasks.into_iter().for_each(Started::assert_finishes);
        let expected: Vec<_> = (0..6).flat_map(|step| (0..4).map(move |task| (step, task))).collect();
        assert_eq!(*order.lock().unwrap(), expected);
    });
}

#[test]
fn every_helper_has_a_task() {
    each([3, 8], |threads, jobs| {
        for _ in 0..times(20, 2) {
            let all = Arc::new(Barrier::new(threads.count() - 1));
            let tasks = jobs.start_all(threads, threads.count() - 1, |_| {
                let all = Arc::clone(&all);
                move |_, _| {
                    all.wait();
                    NextStep::Done
                }
            });
            tasks.into_iter().for_each(Started::assert_finishes);
        }
    });
}

#[test]
fn a_step_that_waits_for_a_device_lets_others_go_on() {
    each([2], |threads, jobs| {
        let (device, seen) = (shared::<Door>(), shared::<Mutex<Vec<ThreadId>>>());
        let save = jobs.start(threads, move |step, _| {
            seen.lock().unwrap().push(current().id());
            match step {
                0 | 1 => NextStep::Blocking,
                2 => {
                    device.pass();
                    NextStep::More
                }
                _ => NextStep::Done,
            }
        });
        jobs.start(threads, steps(9)).assert_finishes();
        assert!(!save.task.is_done());
        device.open();
        save.assert_finishes();
        let seen = seen.lock().unwrap();
        // The two that wait are done by one thread, the others by the helper.
        assert!(seen[0] == seen[3] && seen[1] == seen[2] && seen[0] != seen[1]);
    });
}

#[test]
fn what_only_the_owner_may_do_waits_for_it() {
    each([2], |threads, jobs| {
        let (owner, back) = (current().id(), shared::<Door>());
        let task = jobs.start(threads, move |step, _| {
            assert_eq!(current().id() == owner, [1, 2, 4].contains(&step), "step {step}");
            if step == 3 {
                back.pass();
            }
            match step {
                0 | 1 | 3 => NextStep::Owner,
                2 | 4 => NextStep::More,
                _ => NextStep::Done,
            }
        });
        for waited in [1, 2] {
            wait_for("the owner's step", || task.told.count(TaskEvent::Waiting) == waited);
            // The helper has nothing else to do, and must not do it.
            jobs.start(threads, |_, _| NextStep::Done).assert_finishes();
            std::thread::sleep(Duration::from_millis(5));
            assert!(!task.task.is_done());
            assert!(!jobs.tasks.run_slice(Duration::from_secs(1)));
            back.open();
        }
        task.assert_finishes();
    });
}

#[test]
fn without_helpers_the_owner_works_in_slices() {
    each([1], |threads, jobs| {
        let (owner, order) = (current().id(), shared::<Order>());
        let tasks = jobs.start_all(threads, 3, |task| {
            move |step, _| {
                assert_eq!(current().id(), owner);
                order.lock().unwrap().push((step, task));
                work_for(Duration::from_millis(3));
                [NextStep::More, NextStep::Blocking, NextStep::Owner, NextStep::Done][step]
            }
        });
        assert!(tasks.iter().all(|task| task.told.count(TaskEvent::Waiting) == 1));
        std::thread::sleep(Duration::from_millis(5));
        assert!(order.lock().unwrap().is_empty());
        for step in 1..=12 {
            assert_eq!(jobs.tasks.run_slice(Duration::ZERO), step < 12);
            assert_eq!(order.lock().unwrap().len(), step);
        }
        // In turn: without helpers all steps are the owner's.
        let order = order.lock().unwrap();
        assert_eq!(order[..6], [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
        assert!(!jobs.tasks.run_slice(Duration::from_secs(1)));
        tasks.into_iter().for_each(Started::assert_finishes);
    });
}

#[test]
fn a_panic_ends_its_task_alone() {
    struct Bad(&'static str);
    impl Work for Bad {
        fn step(&mut self, _: &Threads, _: OnProgress<'_>) -> NextStep {
            if self.0 == "step" { resume_unwind(Box::new("step")) } else { NextStep::Done }
        }

        fn progress(&self) -> f32 {
            if self.0 == "progress" { resume_unwind(Box::new("progress")) } else { 1.0 }
        }
    }
    impl Drop for Bad {
        fn drop(&mut self) {
            if self.0 == "step" && !std::thread::panicking() {
                resume_unwind(Box::new("drop"));
            }
        }
    }
    for count in [1, 2] {
        let (threads, tasks, ends) = (Threads::new(count), Tasks::new(), shared::<Count>());
        for (ended, (place, panics)) in
            (1..).zip([("step", true), ("progress", true), ("listener", false), ("nowhere", false)])
        {
            let task = tasks.start(&threads, Bad(place), move |_, event| {
                if event == TaskEvent::Finished {
                    ends.add();
                }
                if place == "listener" {
                    resume_unwind(Box::new("listener"));
                }
            });
            while tasks.run_slice(Duration::ZERO) {}
            wait_for("the end", || ends.get() == ended);
            assert_eq!((task.is_panicked(), task.take().is_some()), (panics, !panics));
        }
        assert_works(&threads);
    }
}
