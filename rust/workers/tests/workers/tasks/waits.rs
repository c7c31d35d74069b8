//! Guards: who waits works on the task, from any thread, and always returns.

use std::sync::{Arc, Mutex};
use std::thread::current;
use std::time::Duration;

use varbatch_workers::tasks::{NextStep, Task, TaskEvent};

use super::{Job, Started, each, occupy};
use crate::support::{COUNTS, Count, Door, assert_works, shared, times};

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
