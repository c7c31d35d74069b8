//! Guards: every item is worked on once and on nobody's borrow but the caller's own; no call waits for a thread that is
//! late. A panic of an item reaches the caller when nobody is at work any more, keeps nobody waiting, and costs the threads
//! nothing.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use varbatch_workers::Threads;

use crate::support::{COUNTS, Count, Door, assert_works, counted, panic_if, panic_of, shared, times, together};

#[test]
fn each_thread_that_gets_an_item_has_a_state_of_its_own() {
    for threads in COUNTS.map(Threads::new) {
        for items in [0, 1, 2, 1000] {
            let begin = || (std::thread::current().id(), 0);
            let states = threads.for_each_with(0..items, begin, |_: usize, (thread, items)| {
                assert_eq!(*thread, std::thread::current().id());
                *items += 1;
            });
            assert_eq!(states.iter().map(|(_, items)| items).sum::<usize>(), items, "{} threads", threads.count());
            assert!(states.iter().all(|(_, items)| *items > 0) && states.len() <= threads.count());
            let threads: std::collections::HashSet<_> = states.iter().map(|(thread, _)| thread).collect();
            assert_eq!(threads.len(), states.len());
        }
    }
}

#[test]
fn results_have_the_order_of_the_items() {
    for threads in COUNTS.map(Threads::new) {
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
    for threads in COUNTS.map(Threads::new) {
        let (made, done, most) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let items = std::iter::from_fn(|| {
            let ahead = made.load(Ordering::SeqCst) - done.load(Ordering::SeqCst);
            most.fetch_max(ahead, Ordering::SeqCst);
            (made.fetch_add(1, Ordering::SeqCst) < 200).then_some(())
        });
        threads.for_each(items, |()| _ = done.fetch_add(1, Ordering::SeqCst));
        assert_eq!(done.into_inner(), 200);
        // No thread has more than one.
        assert!(most.into_inner() < threads.count(), "{} threads", threads.count());
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
    for threads in COUNTS.map(Threads::new) {
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
    for threads in [2, 3, 8].map(Threads::new) {
        let (release, all) = (Door::default(), Barrier::new(threads.count() + 1));
        std::thread::scope(|scope| {
            // Keeps all helpers busy.
            scope.spawn(|| {
                threads.for_each(0..threads.count(), |_: usize| {
                    all.wait();
                    release.pass();
                });
            });
            all.wait();
            // The helpers come when all of this is over: had they a borrow, it would be of memory that is freed.
            for round in 0..times(1000, 5) {
                let mut slots = vec![0; 10];
                threads.for_each(&mut slots, |slot: &mut usize| *slot = round);
                assert!(slots.iter().all(|&slot| slot == round));
            }
            assert_eq!(panic_of(|| threads.for_each(0..9, |item: i32| panic_if(item == 5, "alone"))), "alone");
            release.open();
        });
        assert_works(&threads);
    }
}

#[test]
fn dropping_joins_the_threads_and_the_late_ones_too() {
    for count in COUNTS {
        let ended = shared::<Count>();
        let threads = counted(count, ended);
        // So tiny that many are handed out, and perhaps not taken yet.
        for call in 0..times(100_000, 30) {
            let sum = AtomicUsize::new(0);
            threads.for_each(0..1 + call % 3, |item: usize| _ = sum.fetch_add(item + 1, Ordering::Relaxed));
            assert_eq!(sum.into_inner(), [1, 3, 6][call % 3], "{count} threads");
        }
        drop(threads);
        assert_eq!(ended.get(), count - 1);
    }
}

#[test]
fn of_many_panics_one_reaches_the_caller_its_own_first() {
    for threads in [2, 3, 8].map(Threads::new) {
        for _ in 0..times(20, 2) {
            let once = AtomicBool::new(false);
            let of_one = |caller: bool| panic_if(!caller && !once.swap(true, Ordering::Relaxed), "of a helper");
            assert_eq!(panic_of(|| together(&threads, of_one)), "of a helper");
            let of_all = |caller| panic_if(true, if caller { "own" } else { "other" });
            assert_eq!(panic_of(|| together(&threads, of_all)), "own");
            assert_eq!(panic_of(|| together(&threads, |caller| panic_if(!caller, "other"))), "other");
        }
        assert_works(&threads);
    }
}

#[test]
fn a_panic_of_the_items_or_of_a_call_within_reaches_the_caller() {
    for threads in COUNTS.map(Threads::new) {
        let items = (0..20).inspect(|&item| panic_if(item == 10, "no item"));
        assert_eq!(panic_of(|| threads.for_each(items, |_: i32| {})), "no item");
        let inner = |item: i32| threads.for_each(0..4, |other: i32| panic_if(item == 3 && other == 2, "deep"));
        assert_eq!(panic_of(|| threads.for_each(0..6, inner)), "deep");
        assert_works(&threads);
    }
}

#[test]
fn a_panic_that_panics_when_dropped_keeps_nobody() {
    struct Bad;
    impl Drop for Bad {
        fn drop(&mut self) {
            assert!(std::thread::panicking(), "dropped");
        }
    }
    let threads = Threads::new(2);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        together(&threads, |caller| {
            if !caller {
                resume_unwind(Box::new(Bad));
            }
        });
    }));
    assert!(panic.as_ref().is_err_and(|panic| panic.is::<Bad>()));
    std::mem::forget(panic);
    assert_works(&threads);
}
