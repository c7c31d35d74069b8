//! Guards: every item is worked on once and on nobody's borrow but the caller's own; no call waits for a thread that is
//! late. What a panic does is in `threads_panics`.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::ThreadId;

use varbatch_workers::Threads;

use crate::support::{COUNTS, Count, assert_works, count_end, panic_if, panic_of, shared, times, together, wait_for};

/// Keeps all of the helpers of `threads` busy while `run` runs.
fn with_busy_helpers(threads: &Arc<Threads>, run: impl FnOnce()) {
    let (release, all) = (Arc::new(AtomicBool::new(false)), Arc::new(Barrier::new(threads.count() + 1)));
    let busy = {
        let (threads, release, all) = (Arc::clone(threads), Arc::clone(&release), Arc::clone(&all));
        std::thread::spawn(move || {
            threads.for_each(0..threads.count(), |_: usize| {
                all.wait();
                wait_for("the release", || release.load(Ordering::Relaxed));
            });
        })
    };
    all.wait();
    let result = catch_unwind(AssertUnwindSafe(run));
    release.store(true, Ordering::Relaxed);
    busy.join().expect("the busy threads");
    result.unwrap_or_else(|panic| resume_unwind(panic));
}

#[test]
fn every_item_is_worked_on_once() {
    for count in COUNTS {
        let threads = Threads::new(count);
        for len in [0, 1, 2, 7, times(10_000, 60)] {
            let seen: Vec<_> = (0..len).map(|_| AtomicUsize::new(0)).collect();
            threads.for_each(0..len, |index: usize| _ = seen[index].fetch_add(1, Ordering::Relaxed));
            assert!(seen.iter().all(|seen| seen.load(Ordering::Relaxed) == 1), "{len} items, {count} threads");
        }
    }
}

#[test]
fn what_the_threads_wrote_is_there_when_the_call_returns() {
    for count in COUNTS {
        let threads = Threads::new(count);
        for round in 0..times(2000, 10) {
            // Plain memory, of the caller's, gone right after.
            let mut written = vec![0; 40];
            threads.for_each(written.chunks_mut(3), |slots: &mut [usize]| slots.fill(round + 1));
            assert!(written.iter().all(|&slot| slot == round + 1));
        }
    }
}

#[test]
fn all_threads_take_part() {
    for count in COUNTS {
        let threads = Threads::new(count);
        for _ in 0..times(50, 3) {
            let seen = Mutex::new(Vec::<ThreadId>::new());
            together(&threads, |_| seen.lock().unwrap().push(std::thread::current().id()));
            let mut seen = seen.into_inner().unwrap();
            seen.sort_by_key(|id| format!("{id:?}"));
            seen.dedup();
            assert_eq!(seen.len(), count);
        }
    }
}

#[test]
fn each_thread_that_gets_an_item_has_a_state_of_its_own() {
    for count in COUNTS {
        let threads = Threads::new(count);
        for items in [0, 1, 2, 1000] {
            let begin = || (std::thread::current().id(), 0);
            let states = threads.for_each_with(0..items, begin, |_: usize, (thread, items)| {
                assert_eq!(*thread, std::thread::current().id());
                *items += 1;
            });
            assert_eq!(states.iter().map(|(_, items)| items).sum::<usize>(), items, "{count} threads");
            assert!(states.iter().all(|(_, items)| *items > 0) && states.len() <= count);
            let threads: std::collections::HashSet<_> = states.iter().map(|(thread, _)| thread).collect();
            assert_eq!(threads.len(), states.len());
        }
    }
}

#[test]
fn results_have_the_order_of_the_items() {
    for count in COUNTS {
        let threads = Threads::new(count);
        for items in [0, 1, 2, times(1000, 30)] {
            assert_eq!(
                threads.map(0..items, |item: usize| 3 * item),
                (0..items).map(|item| 3 * item).collect::<Vec<_>>()
            );
        }
    }
}

#[test]
fn items_are_made_as_they_are_asked_for() {
    for count in COUNTS {
        let threads = Threads::new(count);
        let (made, done, most) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let items = std::iter::from_fn(|| {
            let ahead = made.load(Ordering::SeqCst) - done.load(Ordering::SeqCst);
            most.fetch_max(ahead, Ordering::SeqCst);
            (made.fetch_add(1, Ordering::SeqCst) < 200).then_some(())
        });
        threads.for_each(items, |()| _ = done.fetch_add(1, Ordering::SeqCst));
        assert_eq!(done.into_inner(), 200);
        // No thread has more than one.
        assert!(most.into_inner() < count, "{count} threads");
    }
}

#[test]
fn calls_within_calls_work() {
    for count in COUNTS {
        let (threads, others) = (Threads::new(count), Threads::new(3));
        let sum = AtomicUsize::new(0);
        let add = |item: usize| _ = sum.fetch_add(item, Ordering::Relaxed);
        let rounds = times(50, 2);
        for _ in 0..rounds {
            threads.for_each(0..6, |_: i32| {
                threads.for_each(0..4, |_: i32| threads.for_each(1..4, add));
                others.for_each(0..3, |_: i32| threads.for_each(1..4, add));
            });
        }
        assert_eq!(sum.into_inner(), rounds * 6 * (4 + 3) * 6);
    }
}

#[test]
fn several_callers_work_at_once() {
    for count in COUNTS {
        let threads = Threads::new(count);
        std::thread::scope(|scope| {
            for caller in 0..4 {
                let threads = &threads;
                scope.spawn(move || {
                    for round in 0..times(500, 3) {
                        let mut slots = [0; 17];
                        threads.for_each(slots.iter_mut().enumerate(), |(index, slot): (usize, &mut usize)| {
                            *slot = caller + round + index;
                        });
                        assert!(slots.iter().enumerate().all(|(index, &slot)| slot == caller + round + index));
                        if round % 7 == caller {
                            let one = |slot: &mut usize| panic_if(*slot == caller + round + 5, "one of them");
                            assert_eq!(panic_of(|| threads.for_each(&mut slots, one)), "one of them");
                        }
                    }
                });
            }
        });
    }
}

#[test]
fn a_late_helper_is_not_waited_for_and_finds_nothing() {
    for count in [2, 3, 8] {
        let threads = Arc::new(Threads::new(count));
        with_busy_helpers(&threads, || {
            // The helpers come when all of this is over: had they a borrow, it would be of memory that is freed.
            for round in 0..times(1000, 5) {
                let mut slots = vec![0; 10];
                threads.for_each(&mut slots, |slot: &mut usize| *slot = round);
                assert!(slots.iter().all(|&slot| slot == round));
            }
            assert_eq!(panic_of(|| threads.for_each(0..9, |item: i32| panic_if(item == 5, "alone"))), "alone");
        });
        assert_works(&threads);
    }
}

#[test]
fn dropping_joins_the_threads_and_the_late_ones_too() {
    for count in COUNTS {
        let (threads, ended) = (Threads::new(count), shared::<Count>());
        together(&threads, |caller| {
            if !caller {
                count_end(ended);
            }
        });
        // Handed out, and perhaps not taken yet.
        (0..times(100, 5)).for_each(|_| threads.for_each(0..count, |_: usize| {}));
        drop(threads);
        assert_eq!(ended.get(), count - 1);
    }
}

#[test]
fn a_hundred_thousand_tiny_calls_work() {
    for count in COUNTS {
        let threads = Threads::new(count);
        let sum = AtomicUsize::new(0);
        let calls = times(100_000, 30);
        for call in 0..calls {
            threads.for_each(0..1 + call % 3, |item: usize| _ = sum.fetch_add(item + 1, Ordering::Relaxed));
        }
        let expected = (0..calls).map(|call| [1, 3, 6][call % 3]).sum();
        assert_eq!(sum.into_inner(), expected, "{count} threads");
    }
}
