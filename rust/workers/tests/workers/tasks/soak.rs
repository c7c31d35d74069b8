//! Guards: many small tasks of all kinds, from several threads at once, while the threads change: none is lost, none ends
//! twice, and no work stays.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use varbatch_workers::Threads;
use varbatch_workers::tasks::{NextStep, TaskEvent};

use super::{Jobs, Started};
use crate::support::{assert_works, panic_if, times, wait_for};

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
