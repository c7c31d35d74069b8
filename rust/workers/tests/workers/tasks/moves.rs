//! Guards: tasks move from threads to threads and lose nothing, and calls get the helpers while tasks run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread::current;
use std::time::Duration;

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, TaskEvent};

use super::{Door, Jobs, Started, occupy, work_for};
use crate::threads::{assert_works, times, together, wait_for};

/// Tasks without an end, and the number of their steps so far.
fn endless(jobs: &Jobs, threads: &Threads, count: usize) -> (Vec<Started>, Arc<AtomicUsize>) {
    let steps = Arc::new(AtomicUsize::new(0));
    let start = |_| {
        let steps = Arc::clone(&steps);
        jobs.start(threads, move |_, _| {
            steps.fetch_add(1, Ordering::SeqCst);
            NextStep::More
        })
    };
    ((0..count).map(start).collect(), steps)
}

#[test]
fn a_call_gets_its_helpers_while_tasks_run() {
    for count in [2, 3] {
        let (threads, jobs, stop) = (Threads::new(count), Jobs::new(), Door::default());
        let tasks: Vec<_> = (0..3)
            .map(|_| {
                let stop = stop.clone();
                jobs.start(&threads, move |_, _| {
                    work_for(Duration::from_micros(500));
                    if stop.is_open() { NextStep::Done } else { NextStep::More }
                })
            })
            .collect();
        for _ in 0..times(50, 2) {
            // Ends when every helper has come.
            together(&threads, |_| {});
            assert_works(&threads);
        }
        assert!(tasks.iter().all(|task| !task.task.is_done()));
        stop.open();
        tasks.into_iter().for_each(Started::assert_finishes);
        jobs.assert_none_left();
    }
}

#[test]
fn tasks_go_on_while_calls_ask_for_the_helpers_all_the_time() {
    let (threads, jobs) = (Threads::new(2), Jobs::new());
    let task = jobs.start(&threads, |step, _| if step < times(200, 20) { NextStep::More } else { NextStep::Done });
    while !task.task.is_done() {
        threads.for_each(0..2, |_: i32| {});
    }
    task.assert_finishes();
    jobs.assert_none_left();
}

#[test]
fn a_helper_that_comes_back_from_a_call_takes_a_task() {
    for _ in 0..times(10, 1) {
        let (threads, jobs, call, come) = (Arc::new(Threads::new(3)), Jobs::new(), Door::default(), Door::default());
        let both = Arc::new(Barrier::new(2));
        let caller = {
            let (threads, call, both) = (Arc::clone(&threads), call.clone(), Arc::new(Barrier::new(2)));
            let begun = Door::default();
            let inside = begun.clone();
            let caller = std::thread::spawn(move || {
                threads.for_each(0..2, |_: i32| {
                    both.wait();
                    inside.open();
                    call.pass();
                });
            });
            begun.pass();
            caller
        };
        // One helper is left for both.
        let steps = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..2)
            .map(|_| {
                let (both, come, steps) = (Arc::clone(&both), come.clone(), Arc::clone(&steps));
                jobs.start(&threads, move |_, _| {
                    steps.fetch_add(1, Ordering::SeqCst);
                    work_for(Duration::from_micros(100));
                    if !come.is_open() {
                        return NextStep::More;
                    }
                    both.wait();
                    NextStep::Done
                })
            })
            .collect();
        wait_for("some turns", || steps.load(Ordering::SeqCst) > times(100, 4));
        call.open();
        caller.join().expect("the call");
        come.open();
        tasks.into_iter().for_each(Started::assert_finishes);
        jobs.assert_none_left();
    }
}

#[test]
fn nothing_is_lost_when_the_threads_change() {
    let jobs = Jobs::new();
    let mut threads = Threads::new(2);
    for round in 0..times(300, 6) {
        let tasks: Vec<_> = (0..6)
            .map(|task| {
                jobs.start(&threads, move |step, _| match step % 7 {
                    3 if task % 2 == 0 => NextStep::Blocking,
                    5 if task % 3 == 0 => NextStep::Owner,
                    _ if step < 20 => NextStep::More,
                    _ => NextStep::Done,
                })
            })
            .collect();
        for change in 0..4 {
            let new = Threads::new([1, 2, 3, 1, 4][(round + change) % 5]);
            jobs.tasks.set_threads(&new);
            // Waits for the old ones.
            threads = new;
            jobs.tasks.run_slice(Duration::ZERO);
        }
        for task in tasks {
            wait_for("the end", || {
                jobs.tasks.run_slice(Duration::ZERO);
                task.task.is_done()
            });
            task.assert_finishes();
        }
    }
    jobs.assert_none_left();
}

#[test]
fn tasks_of_a_pool_that_goes_wait_for_the_owner() {
    let (jobs, owner) = (Jobs::new(), current().id());
    for _ in 0..times(50, 2) {
        let (old, new) = (Threads::new(3), Threads::new(1));
        let moved = Door::default();
        let go_on = moved.clone();
        let tasks: Vec<_> = (0..5)
            .map(|_| {
                let moved = moved.clone();
                let mut helped = 0;
                jobs.start(&old, move |_, _| {
                    work_for(Duration::from_micros(100));
                    if !moved.is_open() {
                        return NextStep::More;
                    }
                    // One turn may have begun before.
                    helped += usize::from(current().id() != owner);
                    assert!(helped < 25);
                    if current().id() == owner { NextStep::Done } else { NextStep::More }
                })
            })
            .collect();
        jobs.tasks.set_threads(&new);
        go_on.open();
        drop(old);
        assert!(tasks.iter().all(|task| task.told.count(TaskEvent::Waiting) > 0));
        while jobs.tasks.run_slice(Duration::from_millis(1)) {}
        tasks.into_iter().for_each(Started::assert_finishes);
    }
    jobs.assert_none_left();
}

#[test]
fn tasks_that_wait_for_the_owner_go_to_helpers_that_come() {
    let (jobs, owner) = (Jobs::new(), current().id());
    for _ in 0..times(50, 2) {
        let tasks: Vec<_> = {
            let none = Threads::new(1);
            let step =
                move |_: usize, _: &Threads| if current().id() == owner { NextStep::More } else { NextStep::Done };
            (0..5).map(|_| jobs.start(&none, step)).collect()
        };
        jobs.tasks.run_slice(Duration::ZERO);
        let some = Threads::new(3);
        jobs.tasks.set_threads(&some);
        tasks.into_iter().for_each(Started::assert_finishes);
        jobs.assert_none_left();
    }
}

#[test]
fn older_threads_are_not_gone_back_to() {
    let (jobs, older, newer) = (Jobs::new(), Threads::new(2), Threads::new(1));
    jobs.tasks.set_threads(&newer);
    let task = jobs.start(&older, |_, _| NextStep::Done);
    jobs.tasks.set_threads(&older);
    jobs.tasks.set_threads(&Threads::alone());
    assert_eq!(task.told.count(TaskEvent::Waiting), 1);
    std::thread::sleep(Duration::from_millis(5));
    assert!(!task.task.is_done());
    assert!(!jobs.tasks.run_slice(Duration::from_secs(1)));
    task.assert_finishes();
    jobs.assert_none_left();
}

#[test]
fn the_old_threads_are_waited_for_for_a_slice_at_most() {
    let (jobs, mut threads) = (Jobs::new(), Threads::new(3));
    let (tasks, steps) = endless(&jobs, &threads, 3);
    for round in 0..times(20, 2) {
        let new = Threads::new(2 + round % 3);
        jobs.tasks.set_threads(&new);
        let old = std::mem::replace(&mut threads, new);
        // A runner that stayed would be there as long as the tasks.
        let ends = std::thread::spawn(|| drop(old));
        wait_for("the end of the old threads", || ends.is_finished());
        let before = steps.load(Ordering::SeqCst);
        wait_for("more steps", || steps.load(Ordering::SeqCst) > before + 10);
    }
    tasks.iter().for_each(|task| task.task.cancel());
    tasks.into_iter().for_each(Started::assert_is_cancelled);
    jobs.assert_none_left();
}

#[test]
fn dropping_threads_waits_for_no_task() {
    let (jobs, threads) = (Jobs::new(), Threads::new(6));
    let (tasks, steps) = endless(&jobs, &threads, 10);
    wait_for("a few steps", || steps.load(Ordering::SeqCst) > 10);
    let ends = std::thread::spawn(|| drop(threads));
    wait_for("the end of the threads", || ends.is_finished());
    // Nobody works on them, until threads come again.
    let before = steps.load(Ordering::SeqCst);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(steps.load(Ordering::SeqCst), before);
    let threads = Threads::new(2);
    jobs.tasks.set_threads(&threads);
    wait_for("more steps", || steps.load(Ordering::SeqCst) > before + 10);
    tasks.iter().for_each(|task| task.task.cancel());
    tasks.into_iter().for_each(Started::assert_is_cancelled);
    jobs.assert_none_left();
}

#[test]
fn a_helper_is_known_as_one() {
    let (threads, others, jobs) = (Arc::new(Threads::new(2)), Threads::new(2), Jobs::new());
    let shared = Arc::clone(&threads);
    assert!(!threads.is_helper());
    let task = jobs.start(&threads, move |_, _| {
        assert!(shared.is_helper() && !others.is_helper());
        NextStep::Done
    });
    task.assert_finishes();
    let (busy, end) = (Door::default(), Door::default());
    end.open();
    occupy(&jobs, &threads, &end).assert_finishes();
    let held = occupy(&jobs, &threads, &busy);
    assert!(jobs.tasks.is_busy());
    busy.open();
    held.assert_finishes();
    jobs.assert_none_left();
}
