//! Guards: who does which step, and in what order.
//!
//! Guards: many small tasks of all kinds, from several threads at once, while the threads change: none is lost, none ends
//! twice, and no work stays.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::{ThreadId, current};
use std::time::Duration;

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, OnProgress, TaskEvent, Tasks, Work};

use super::{Jobs, Started, each, occupy, steps};
use crate::support::{Count, Door, assert_works, panic_if, shared, times, wait_for, work_for};

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

#[path = "../../../../codec/tests/codec/support/random.rs"]
#[allow(dead_code)] // The codec's tests use more of it.
mod random;

use random::Random;

/// A task with steps of all kinds, one in thirty of which panics.
fn start(jobs: &Jobs, threads: &Threads, random: &mut Random) -> (Started, bool) {
    let (seed, steps, panics) = (random.next(), random.below(12), random.below(30) == 0);
    let mut random = Random::new(seed);
    let task = jobs.start(threads, move |step, threads| {
        if step >= steps {
            panic_if(panics, "one of them");
            return NextStep::Done;
        }
        match random.below(40) {
            0 => NextStep::Blocking,
            1 | 2 => NextStep::Owner,
            3 => {
                assert_works(threads);
                NextStep::More
            }
            _ => NextStep::More,
        }
    });
    (task, panics)
}

/// What a thread does with its tasks. Returns how many ended with their work.
fn use_tasks(jobs: &Jobs, shared: &Mutex<Threads>, count: usize, mut random: Random) -> usize {
    let (mut tasks, mut finished, mut started) = (Vec::new(), 0, 0);
    let threads = || shared.lock().unwrap().clone();
    while started < count || !tasks.is_empty() {
        let choice = if started < count { random.below(10) } else { 9 };
        if choice < 5 || tasks.is_empty() {
            tasks.push((start(jobs, &threads(), &mut random), false));
            started += 1;
            continue;
        }
        let at = random.below(tasks.len());
        match choice {
            5 => {
                tasks[at].0.0.task.cancel();
                tasks[at].1 = true;
            }
            6 => drop(tasks.swap_remove(at)),
            7 => assert_works(&threads()),
            _ => {
                let ((task, panics), cancelled) = tasks.swap_remove(at);
                if choice == 8 {
                    task.task.wait(&threads());
                }
                task.assert_ends();
                let (ended, panicked) = (task.task.take().is_some(), task.task.is_panicked());
                assert!(if panicked { panics && !ended } else { cancelled || ended });
                finished += usize::from(ended);
                // Waiting may be told late.
                let told = task.told.events.lock().unwrap();
                let last = told.iter().rev().find(|(event, _)| *event != TaskEvent::Waiting);
                assert_eq!(last.map(|(event, _)| *event), Some(TaskEvent::Finished));
            }
        }
    }
    finished
}

fn soak(count: usize, changes: &[usize], seed: u64) {
    let jobs = Jobs::new();
    let shared = Mutex::new(Threads::new(changes[0]));
    let (stop, mut random) = (AtomicBool::new(false), Random::new(seed));
    let finished: usize = std::thread::scope(|scope| {
        let users: Vec<_> = (0..4)
            .map(|user| {
                let (jobs, shared) = (&jobs, &shared);
                scope.spawn(move || use_tasks(jobs, shared, count / 4, Random::new(seed * 4 + user)))
            })
            .collect();
        let changer = scope.spawn(|| {
            while !stop.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(random.below(3) as u64));
                let new = Threads::new(random.pick(changes));
                let old = std::mem::replace(&mut *shared.lock().unwrap(), new);
                // Behind the lock, as it may wait for the threads.
                drop(old);
            }
        });
        // The owner, as in a game.
        while users.iter().any(|user| !user.is_finished()) {
            jobs.tasks.run_slice(Duration::from_micros(200));
            std::thread::yield_now();
        }
        stop.store(true, Ordering::SeqCst);
        changer.join().expect("the changes");
        users.into_iter().map(|user| user.join().expect("a user")).sum()
    });
    assert!(finished > count / 3, "{finished} of {count} ended with their work");
    wait_for("the end of all", || {
        jobs.tasks.run_slice(Duration::from_millis(1));
        jobs.live() == 0
    });
    // What nobody holds any more was dropped with its task; the hints are left to who looks.
    jobs.tasks.shut_down(&Threads::alone());
    assert_eq!(jobs.live(), 0);
}

#[test]
fn ten_thousand_tasks_end_once() {
    soak(times(10_000, 40), &[2, 1, 3, 4], 1);
    // With one helper, and with none.
    soak(times(2000, 20), &[2], 2);
    soak(times(2000, 20), &[1], 3);
}
