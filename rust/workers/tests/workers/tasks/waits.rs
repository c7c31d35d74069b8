//! Guards: who waits works on the task, from any thread, and always returns.
//!
//! Guards: how far a task is, told after each step and from within one.

use std::sync::{Arc, Mutex};
use std::thread::current;
use std::time::Duration;

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, Task, TaskEvent, Tasks, Work};

use super::{Job, Jobs, Started, each, occupy, steps};
use crate::support::{COUNTS, Count, Door, assert_works, shared, times, wait_for};

#[test]
fn a_waiting_thread_works_when_no_other_does() {
    each(COUNTS, |threads, jobs| {
        let (count, waiter, busy) = (threads.count(), current().id(), shared::<Door>());
        let occupied: Vec<_> = (1..count).map(|_| occupy(jobs, threads, busy)).collect();
        let task = jobs.start(threads, move |step, threads| {
            assert_eq!((current().id(), threads.count()), (waiter, count));
            assert_works(threads);
            [NextStep::More, NextStep::Blocking, NextStep::Owner, NextStep::Done][step]
        });
        assert!(task.task.wait(threads));
        assert!(task.task.wait(threads));
        assert_eq!(task.told.count(TaskEvent::Finished), 1);
        task.assert_finishes();
        busy.open();
        occupied.into_iter().for_each(Started::assert_finishes);
    });
}

#[test]
fn a_waiting_thread_takes_the_work_at_the_next_step() {
    each([2], |threads, jobs| {
        for _ in 0..times(50, 3) {
            let (begun, waiter) = (shared::<Door>(), current().id());
            // It ends only on the thread that waits.
            let task = jobs.start(threads, move |_, _| {
                begun.open();
                if current().id() == waiter { NextStep::Done } else { NextStep::More }
            });
            begun.pass();
            assert!(task.task.wait(threads));
            task.assert_finishes();
        }
    });
}

#[test]
fn a_waiting_thread_does_the_owners_steps_and_takes_over_from_a_device() {
    each([2], |threads, jobs| {
        let (waiter, device, begun) = (current().id(), shared::<Door>(), shared::<Door>());
        let task = jobs.start(threads, move |step, _| match step {
            0 => NextStep::Blocking,
            1 => {
                begun.open();
                device.pass();
                NextStep::Blocking
            }
            _ => {
                assert_eq!(current().id(), waiter);
                if step < 9 { NextStep::Owner } else { NextStep::Done }
            }
        });
        begun.pass();
        let opener = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(10));
            device.open();
        });
        assert!(task.task.wait(threads));
        opener.join().expect("opens");
        task.assert_finishes();
    });
}

#[test]
fn many_threads_wait_for_one_task() {
    each(COUNTS, |threads, jobs| {
        for round in 0..times(200, 3) {
            let task = jobs.start(threads, |step, _| match step {
                0..5 => NextStep::More,
                5 => NextStep::Owner,
                6 => NextStep::Blocking,
                _ => NextStep::Done,
            });
            std::thread::scope(|scope| {
                for waiter in 0..4 {
                    let task = &task;
                    scope.spawn(move || {
                        if (round + waiter) % 3 == 0 {
                            std::thread::yield_now();
                        }
                        assert!(task.task.wait(threads) && task.task.is_done());
                    });
                }
            });
            task.assert_finishes();
        }
    });
}

#[test]
fn steps_wait_for_other_tasks() {
    each(COUNTS, |threads, jobs| {
        for _ in 0..times(100, 2) {
            // Each waits for the one before it, and there are more than helpers.
            let ended = shared::<Count>();
            let mut before: Option<Arc<Task<Job>>> = None;
            let tasks: Vec<_> = (0..10)
                .map(|_| {
                    let waits_for = before.take();
                    let task = jobs.start(threads, move |step, threads| {
                        if step == 1 {
                            assert!(waits_for.as_ref().is_none_or(|task| task.wait(threads)));
                        }
                        if step < 3 {
                            return NextStep::More;
                        }
                        ended.add();
                        NextStep::Done
                    });
                    before = Some(Arc::clone(&task.task));
                    task
                })
                .collect();
            if threads.count() == 1 {
                assert!(tasks[9].task.wait(threads));
            }
            tasks.into_iter().for_each(Started::assert_finishes);
            assert_eq!(ended.get(), 10);
        }
    });
}

#[test]
fn a_step_that_waits_for_its_own_task_goes_on() {
    each([1, 2], |threads, jobs| {
        let own = shared::<Mutex<Option<Arc<Task<Job>>>>>();
        let task = jobs.start(threads, move |_, threads| {
            let Some(task) = own.lock().unwrap().take() else { return NextStep::More };
            assert!(!task.wait(threads));
            task.cancel();
            assert!(!task.is_done());
            NextStep::More
        });
        *own.lock().unwrap() = Some(Arc::clone(&task.task));
        if threads.count() == 1 {
            assert!(task.task.wait(threads));
        }
        task.assert_is_cancelled();
    });
}

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
