//! Guards: who waits works on the task, from any thread, and always returns.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::current;

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, Task, TaskEvent};

use super::{Door, Job, Jobs, Started, occupy};
use crate::threads::{COUNTS, assert_works, times, wait_for};

#[test]
fn a_waiting_thread_works_when_no_other_does() {
    for count in COUNTS {
        let (threads, jobs, busy) = (Threads::new(count), Jobs::new(), Door::default());
        let occupied: Vec<_> = (1..count).map(|_| occupy(&jobs, &threads, &busy)).collect();
        let waiter = current().id();
        let task = jobs.start(&threads, move |step, threads| {
            assert_eq!((current().id(), threads.count()), (waiter, count));
            assert_works(threads);
            [NextStep::More, NextStep::Blocking, NextStep::Owner, NextStep::Done][step]
        });
        assert!(task.task.wait(&threads));
        assert!(task.task.wait(&threads));
        assert_eq!(task.told.count(TaskEvent::Finished), 1);
        task.assert_finishes();
        busy.open();
        occupied.into_iter().for_each(Started::assert_finishes);
        while jobs.tasks.run_slice(std::time::Duration::ZERO) {}
        jobs.assert_none_left();
    }
}

#[test]
fn a_waiting_thread_takes_the_work_at_the_next_step() {
    let (threads, jobs) = (Threads::new(2), Jobs::new());
    for _ in 0..times(50, 3) {
        let (begun, waiter) = (Door::default(), current().id());
        let inside = begun.clone();
        // It ends only on the thread that waits.
        let task = jobs.start(&threads, move |_, _| {
            inside.open();
            if current().id() == waiter { NextStep::Done } else { NextStep::More }
        });
        begun.pass();
        assert!(task.task.wait(&threads));
        task.assert_finishes();
    }
    jobs.assert_none_left();
}

#[test]
fn a_waiting_thread_does_the_owners_steps_and_takes_over_from_a_device() {
    let (threads, jobs, device) = (Threads::new(2), Jobs::new(), Door::default());
    let (waiter, ready, begun) = (current().id(), device.clone(), Door::default());
    let inside = begun.clone();
    let task = jobs.start(&threads, move |step, _| match step {
        0 => NextStep::Blocking,
        1 => {
            inside.open();
            ready.pass();
            NextStep::Blocking
        }
        _ => {
            assert_eq!(current().id(), waiter);
            if step < 9 { NextStep::Owner } else { NextStep::Done }
        }
    });
    begun.pass();
    let opener = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(10));
        device.open();
    });
    assert!(task.task.wait(&threads));
    opener.join().expect("opens");
    task.assert_finishes();

    let task = jobs.start(&threads, |_, _| NextStep::Owner);
    wait_for("the owner's step", || task.told.count(TaskEvent::Waiting) == 1);
    task.task.cancel();
    assert!(task.task.wait(&threads));
    task.assert_is_cancelled();
    jobs.assert_none_left();
}

#[test]
fn many_threads_wait_for_one_task() {
    for count in COUNTS {
        let (threads, jobs) = (Threads::new(count), Jobs::new());
        for round in 0..times(200, 3) {
            let task = jobs.start(&threads, |step, _| match step {
                0..5 => NextStep::More,
                5 => NextStep::Owner,
                6 => NextStep::Blocking,
                _ => NextStep::Done,
            });
            std::thread::scope(|scope| {
                for waiter in 0..4 {
                    let (task, threads) = (&task, &threads);
                    scope.spawn(move || {
                        if (round + waiter) % 3 == 0 {
                            std::thread::yield_now();
                        }
                        assert!(task.task.wait(threads));
                        assert!(task.task.is_done());
                    });
                }
            });
            task.assert_finishes();
        }
        while jobs.tasks.run_slice(std::time::Duration::ZERO) {}
        jobs.assert_none_left();
    }
}

#[test]
fn all_waiting_threads_are_woken() {
    let (threads, jobs, go_on) = (Threads::new(2), Jobs::new(), Door::default());
    let busy = occupy(&jobs, &threads, &go_on);
    let began = Arc::new(AtomicUsize::new(0));
    let waiters: Vec<_> = (0..4)
        .map(|_| {
            let (task, began) = (Arc::clone(&busy.task), Arc::clone(&began));
            std::thread::spawn(move || {
                began.fetch_add(1, Ordering::SeqCst);
                assert!(task.wait(&Threads::alone()));
            })
        })
        .collect();
    wait_for("the waiters", || began.load(Ordering::SeqCst) == 4);
    std::thread::sleep(std::time::Duration::from_millis(10));
    go_on.open();
    wait_for("their return", || waiters.iter().all(std::thread::JoinHandle::is_finished));
    waiters.into_iter().for_each(|waiter| waiter.join().expect("is told"));
    busy.assert_finishes();
    jobs.assert_none_left();
}

#[test]
fn steps_wait_for_other_tasks() {
    for count in COUNTS {
        let (threads, jobs) = (Threads::new(count), Jobs::new());
        for _ in 0..times(100, 2) {
            // Each waits for the one before it, and there are more than helpers.
            let ended = Arc::new(AtomicUsize::new(0));
            let mut before: Option<Arc<Task<Job>>> = None;
            let tasks: Vec<_> = (0..10)
                .map(|_| {
                    let (waits_for, ended) = (before.take(), Arc::clone(&ended));
                    let task = jobs.start(&threads, move |step, threads| {
                        if step == 1 {
                            assert!(waits_for.as_ref().is_none_or(|task| task.wait(threads)));
                        }
                        if step < 3 {
                            return NextStep::More;
                        }
                        ended.fetch_add(1, Ordering::SeqCst);
                        NextStep::Done
                    });
                    before = Some(Arc::clone(&task.task));
                    task
                })
                .collect();
            if count == 1 {
                assert!(tasks[9].task.wait(&threads));
            }
            tasks.into_iter().for_each(Started::assert_finishes);
            assert_eq!(ended.load(Ordering::SeqCst), 10);
        }
        while jobs.tasks.run_slice(std::time::Duration::ZERO) {}
        jobs.assert_none_left();
    }
}

#[test]
fn a_step_that_waits_for_its_own_task_goes_on() {
    for count in [1, 2] {
        let (threads, jobs) = (Threads::new(count), Jobs::new());
        let own = Arc::new(Mutex::new(None::<Arc<Task<Job>>>));
        let inside = Arc::clone(&own);
        let task = jobs.start(&threads, move |_, threads| {
            let Some(task) = inside.lock().unwrap().take() else { return NextStep::More };
            assert!(!task.wait(threads));
            task.cancel();
            assert!(!task.is_done());
            NextStep::More
        });
        *own.lock().unwrap() = Some(Arc::clone(&task.task));
        if count == 1 {
            assert!(task.task.wait(&threads));
        }
        task.assert_is_cancelled();
        while jobs.tasks.run_slice(std::time::Duration::ZERO) {}
        jobs.assert_none_left();
    }
}
