//! Guards: calls get the helpers while tasks run; tasks keep the threads that they were started with, which end after them.

use std::sync::{Arc, Barrier};
use std::thread::current;
use std::time::Duration;

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, TaskEvent};

use super::{Jobs, Started, each, occupy, steps, until};
use crate::support::{Count, Door, assert_works, counted, shared, times, together, wait_for, work_for};

#[test]
fn a_call_gets_its_helpers_while_tasks_run() {
    each([2, 3], |threads, jobs| {
        let stop = shared::<Door>();
        let tasks = jobs.start_all(threads, 3, |_| {
            move |_, _| {
                work_for(Duration::from_micros(500));
                if stop.is_open() { NextStep::Done } else { NextStep::More }
            }
        });
        for _ in 0..times(50, 2) {
            // Ends when every helper has come.
            together(threads, |_| {});
            assert_works(threads);
        }
        assert!(tasks.iter().all(|task| !task.task.is_done()));
        stop.open();
        tasks.into_iter().for_each(Started::assert_finishes);
    });
}

#[test]
fn tasks_go_on_while_calls_ask_for_the_helpers_all_the_time() {
    each([2], |threads, jobs| {
        let task = jobs.start(threads, steps(times(200, 20)));
        while !task.task.is_done() {
            threads.for_each(0..2, |_: i32| {});
        }
        task.assert_finishes();
    });
}

#[test]
fn a_helper_that_comes_back_from_a_call_takes_a_task() {
    for _ in 0..times(10, 1) {
        each([3], |threads, jobs| {
            let (begun, call, come, count) = (shared::<Door>(), shared::<Door>(), shared::<Door>(), shared::<Count>());
            let caller = std::thread::spawn({
                let (threads, both) = (threads.clone(), Barrier::new(2));
                move || {
                    threads.for_each(0..2, |_: i32| {
                        both.wait();
                        begun.open();
                        call.pass();
                    });
                }
            });
            begun.pass();
            // One helper is left for both.
            let both = Arc::new(Barrier::new(2));
            let tasks = jobs.start_all(threads, 2, |_| {
                let both = Arc::clone(&both);
                move |_, _| {
                    count.add();
                    work_for(Duration::from_micros(100));
                    if !come.is_open() {
                        return NextStep::More;
                    }
                    both.wait();
                    NextStep::Done
                }
            });
            wait_for("some turns", || count.get() > times(100, 4));
            call.open();
            caller.join().expect("the call");
            come.open();
            tasks.into_iter().for_each(Started::assert_finishes);
        });
    }
}

#[test]
fn a_task_keeps_the_threads_that_it_was_started_with() {
    let (jobs, owner) = (Jobs::new(), current().id());
    for count in [2, 3] {
        let (threads, stop, done) = (Threads::new(count), shared::<Door>(), shared::<Count>());
        let tasks = jobs.start_all(&threads, 5, |_| {
            move |_, threads| {
                assert!(current().id() != owner && threads.count() == count - 1);
                done.add();
                if stop.is_open() { NextStep::Done } else { NextStep::More }
            }
        });
        // Returns though the tasks go on.
        drop(threads);
        let before = done.get();
        wait_for("more steps", || done.get() > before + 10);
        assert!(!jobs.tasks.run_slice(Duration::from_secs(1)));
        stop.open();
        assert!(tasks.iter().all(|task| task.told.count(TaskEvent::Waiting) == 0));
        tasks.into_iter().for_each(Started::assert_finishes);
    }
    jobs.assert_none_left();
}

#[test]
fn a_task_without_helpers_stays_with_the_owner() {
    each([3], |threads, jobs| {
        let owner = current().id();
        let alone = jobs.start(&Threads::new(1), move |step, _| {
            assert_eq!(current().id(), owner);
            if step < 5 { NextStep::More } else { NextStep::Done }
        });
        for _ in 0..5 {
            jobs.start(threads, |_, _| NextStep::Done).assert_finishes();
            assert!(jobs.tasks.run_slice(Duration::ZERO));
        }
        assert!(!jobs.tasks.run_slice(Duration::ZERO));
        alone.assert_finishes();
    });
}

#[test]
fn new_tasks_use_new_threads_at_once() {
    each([2], |older, jobs| {
        let busy = shared::<Door>();
        let first = occupy(jobs, older, busy);
        for count in [2, 3, 8] {
            jobs.start(&Threads::new(count), move |step, threads| {
                assert_eq!(threads.count(), count - 1);
                if step < 9 { NextStep::More } else { NextStep::Done }
            })
            .assert_finishes();
        }
        assert!(!first.task.is_done());
        busy.open();
        first.assert_finishes();
    });
}

#[test]
fn the_threads_end_with_their_last_task() {
    for count in [2, 4] {
        let (jobs, ended, stop) = (Jobs::new(), shared::<Count>(), shared::<Door>());
        let threads = counted(count, ended);
        let tasks = jobs.start_all(&threads, 3, |_| until(stop));
        drop(threads);
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(ended.get(), 0);
        stop.open();
        wait_for("the end of the threads", || ended.get() == count - 1);
        // The tasks are held, and do not hold the threads.
        tasks.into_iter().for_each(Started::assert_finishes);
    }
}

#[test]
fn no_thread_outlives_a_shut_down() {
    for count in [2, 4] {
        for round in 0..times(10, 2) {
            let (jobs, ended) = (Jobs::new(), shared::<Count>());
            for _ in 0..3 {
                let threads = counted(count, ended);
                (0..5).for_each(|_| _ = jobs.start(&threads, |_, _| NextStep::More));
                if round % 2 == 0 {
                    jobs.start(&threads, |_, _| NextStep::Done).task.wait(&threads);
                }
            }
            jobs.tasks.shut_down(&Threads::alone());
            assert_eq!(ended.get(), 3 * (count - 1));
        }
    }
}

/// As in a browser without threads: this program once more, in which nothing gets one.
#[test]
#[cfg(target_os = "linux")]
#[cfg_attr(miri, ignore = "starts a process")]
fn nothing_needs_a_thread() {
    const NAME: &str = "tasks::pools::nothing_needs_a_thread";
    const IN_CHILD: &str = "VARBATCH_WITHOUT_THREADS";
    const PASSED: i32 = 42;
    if std::env::var_os(IN_CHILD).is_none() {
        let mut child = std::process::Command::new(std::env::current_exe().expect("this program"));
        // No address space has room for such a stack.
        let child = child.args(["--exact", NAME]).env("RUST_MIN_STACK", (1_u64 << 50).to_string()).env(IN_CHILD, "");
        return assert_eq!(child.status().expect("it starts").code(), Some(PASSED));
    }
    let caller = current().id();
    assert!(std::thread::Builder::new().spawn(|| {}).is_err(), "the system gives threads");
    each([0, 1, 2, 8], |threads, jobs| {
        assert_eq!(threads.count(), 1);
        assert_works(threads);
        let start = || {
            let steps = [NextStep::More, NextStep::Blocking, NextStep::Owner, NextStep::More, NextStep::Done];
            jobs.start(threads, move |step, _| {
                assert_eq!(current().id(), caller);
                steps[step]
            })
        };
        let (in_slices, waited_for, ended) = (start(), start(), start());
        while !in_slices.task.is_done() {
            jobs.tasks.run_slice(Duration::ZERO);
        }
        assert!(waited_for.task.wait(threads));
        jobs.tasks.shut_down(threads);
        in_slices.assert_finishes();
        waited_for.assert_finishes();
        assert!(ended.task.is_done());
    });
    std::process::exit(PASSED);
}
