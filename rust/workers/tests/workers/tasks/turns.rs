//! Guards: who does which step, in what order, and what is told of it.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::{ThreadId, current};
use std::time::Duration;

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, TaskEvent, Tasks, Work};

use super::{Door, Jobs, Started, occupy, work_for};
use crate::threads::{COUNTS, assert_works, times, wait_for};

#[test]
fn a_task_that_nobody_holds_ends() {
    for count in [2, 3, 8] {
        let (threads, jobs, owner) = (Threads::new(count), Jobs::new(), current().id());
        let ended = Door::default();
        let end = ended.clone();
        let Started { task, told } = jobs.start(&threads, move |step, _| {
            assert_ne!(current().id(), owner);
            if step < 20 {
                return NextStep::More;
            }
            end.open();
            NextStep::Done
        });
        drop(task);
        ended.pass();
        wait_for("its end", || told.count(TaskEvent::Finished) == 1);
        assert_eq!(told.count(TaskEvent::Waiting), 0);
        jobs.assert_none_left();
    }
}

#[test]
fn a_short_task_is_not_kept_waiting_by_a_long_one() {
    let (threads, jobs) = (Threads::new(2), Jobs::new());
    for _ in 0..times(20, 2) {
        let (steps, stop) = (Arc::new(AtomicUsize::new(0)), Door::default());
        let (counted, stopped) = (Arc::clone(&steps), stop.clone());
        let long = jobs.start(&threads, move |_, _| {
            work_for(Duration::from_millis(1));
            counted.fetch_add(1, Ordering::SeqCst);
            if stopped.is_open() { NextStep::Done } else { NextStep::More }
        });
        wait_for("a few steps", || steps.load(Ordering::SeqCst) > 3);
        let before = steps.load(Ordering::SeqCst);
        let ended_at = Arc::new(AtomicUsize::new(0));
        let (steps, at) = (Arc::clone(&steps), Arc::clone(&ended_at));
        let short = jobs.start(&threads, move |step, _| {
            at.store(steps.load(Ordering::SeqCst), Ordering::SeqCst);
            if step < times(9, 1) { NextStep::More } else { NextStep::Done }
        });
        short.assert_finishes();
        // There is one helper: what it did of the long task came first.
        let between = ended_at.load(Ordering::SeqCst) - before;
        assert!(between <= 6, "{between} steps of the long task came first");
        stop.open();
        long.assert_finishes();
    }
    jobs.assert_none_left();
}

#[test]
fn tasks_have_equal_shares() {
    let (threads, jobs, busy) = (Threads::new(2), Jobs::new(), Door::default());
    let first = occupy(&jobs, &threads, &busy);
    let order = Arc::new(Mutex::new(Vec::new()));
    let tasks: Vec<_> = (0..4)
        .map(|task| {
            let order = Arc::clone(&order);
            jobs.start(&threads, move |step, _| {
                // Longer than a slice.
                work_for(Duration::from_millis(3));
                order.lock().unwrap().push((step, task));
                if step < 5 { NextStep::More } else { NextStep::Done }
            })
        })
        .collect();
    busy.open();
    first.assert_finishes();
    tasks.into_iter().for_each(Started::assert_finishes);
    let expected: Vec<_> = (0..6).flat_map(|step| (0..4).map(move |task| (step, task))).collect();
    assert_eq!(*order.lock().unwrap(), expected);
    jobs.assert_none_left();
}

#[test]
fn every_helper_has_a_task() {
    for count in [3, 8] {
        let (threads, jobs) = (Threads::new(count), Jobs::new());
        for _ in 0..times(20, 2) {
            let all = Arc::new(Barrier::new(count - 1));
            let tasks: Vec<_> = (1..count)
                .map(|_| {
                    let all = Arc::clone(&all);
                    jobs.start(&threads, move |_, _| {
                        all.wait();
                        NextStep::Done
                    })
                })
                .collect();
            tasks.into_iter().for_each(Started::assert_finishes);
        }
        jobs.assert_none_left();
    }
}

#[test]
fn a_step_may_use_the_other_helpers() {
    for count in COUNTS {
        let (threads, jobs) = (Threads::new(count), Jobs::new());
        let tasks: Vec<_> = (0..3)
            .map(|_| {
                jobs.start(&threads, move |step, threads| {
                    assert_eq!(threads.count(), if count == 1 { 1 } else { count - 1 });
                    assert_works(threads);
                    if step < times(50, 2) { NextStep::More } else { NextStep::Done }
                })
            })
            .collect();
        while jobs.tasks.run_slice(Duration::from_millis(1)) {}
        tasks.into_iter().for_each(Started::assert_finishes);
        jobs.assert_none_left();
    }
}

#[test]
fn a_step_that_waits_for_a_device_lets_others_go_on() {
    let (threads, jobs, device) = (Threads::new(2), Jobs::new(), Door::default());
    let ready = device.clone();
    let seen = Arc::new(Mutex::new(Vec::<ThreadId>::new()));
    let at = Arc::clone(&seen);
    let save = jobs.start(&threads, move |step, _| {
        at.lock().unwrap().push(current().id());
        match step {
            0 | 1 => NextStep::Blocking,
            2 => {
                ready.pass();
                NextStep::More
            }
            _ => NextStep::Done,
        }
    });
    jobs.start(&threads, |step, _| if step < 9 { NextStep::More } else { NextStep::Done }).assert_finishes();
    assert!(!save.task.is_done());
    device.open();
    save.assert_finishes();
    let seen = seen.lock().unwrap();
    // The two that wait are done by one thread, the others by the helper.
    assert!(seen[0] == seen[3] && seen[1] == seen[2] && seen[0] != seen[1]);
    jobs.assert_none_left();
}

#[test]
fn what_only_the_owner_may_do_waits_for_it() {
    let (threads, jobs, owner, back) = (Threads::new(2), Jobs::new(), current().id(), Door::default());
    let is_back = back.clone();
    let task = jobs.start(&threads, move |step, _| {
        assert_eq!(current().id() == owner, [1, 2, 4].contains(&step), "step {step}");
        if step == 3 {
            is_back.pass();
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
        jobs.start(&threads, |_, _| NextStep::Done).assert_finishes();
        std::thread::sleep(Duration::from_millis(5));
        assert!(!task.task.is_done());
        assert!(!jobs.tasks.run_slice(Duration::from_secs(1)));
        back.open();
    }
    task.assert_finishes();
    jobs.assert_none_left();
}

#[test]
fn without_helpers_the_owner_works_in_slices() {
    let (threads, jobs, owner) = (Threads::new(1), Jobs::new(), current().id());
    let order = Arc::new(Mutex::new(Vec::new()));
    let tasks: Vec<_> = (0..3)
        .map(|task| {
            let order = Arc::clone(&order);
            jobs.start(&threads, move |step, _| {
                assert_eq!(current().id(), owner);
                order.lock().unwrap().push((step, task));
                work_for(Duration::from_millis(3));
                [NextStep::More, NextStep::Blocking, NextStep::Owner, NextStep::Done][step]
            })
        })
        .collect();
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
    jobs.assert_none_left();
}

#[test]
fn progress_is_told_in_hundredths() {
    let (threads, jobs) = (Threads::new(2), Jobs::new());
    let steps = times(5000, 500);
    let mut job = jobs.job(move |step, _| if step + 1 < steps { NextStep::More } else { NextStep::Done });
    job.of = steps;
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
    struct Odd(usize);
    impl Work for Odd {
        fn step(&mut self, _: &Threads, _: OnProgress<'_>) -> NextStep {
            self.0 += 1;
            if self.0 < 6 { NextStep::More } else { NextStep::Done }
        }

        fn progress(&self) -> f32 {
            [0.0, -1.0, 0.5, f32::NAN, 0.2, 0.4, 7.0][self.0]
        }
    }
    let (tasks, seen) = (Tasks::new(), Arc::new(Mutex::new(Vec::new())));
    let told = Arc::clone(&seen);
    let task =
        tasks.start(&Threads::alone(), Odd(0), move |task, event| told.lock().unwrap().push((event, task.progress())));
    // A step each.
    for expected in [0.0, 0.5, 0.5, 0.5, 0.5, 1.0] {
        tasks.run_slice(Duration::ZERO);
        assert!((task.progress() - expected).abs() < f32::EPSILON);
    }
    assert!(task.is_done());
    let expected = [
        (TaskEvent::Waiting, 0.0),
        (TaskEvent::Progressed, 0.5),
        (TaskEvent::Progressed, 1.0),
        (TaskEvent::Finished, 1.0),
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
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
        let (threads, tasks, ends) = (Threads::new(count), Tasks::new(), Arc::new(AtomicUsize::new(0)));
        for (place, panics) in [("step", true), ("progress", true), ("listener", false), ("nowhere", false)] {
            let told = Arc::clone(&ends);
            let task = tasks.start(&threads, Bad(place), move |_, event| {
                told.fetch_add(usize::from(event == TaskEvent::Finished), Ordering::SeqCst);
                if place == "listener" {
                    resume_unwind(Box::new("listener"));
                }
            });
            while tasks.run_slice(Duration::ZERO) {}
            wait_for("the end", || !tasks.is_busy());
            assert_eq!((task.is_panicked(), task.is_cancelled(), task.take().is_some()), (panics, false, !panics));
        }
        assert_eq!(ends.load(Ordering::SeqCst), 4);
        assert_works(&threads);
    }
}
