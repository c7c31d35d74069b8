//! Guards: a panic of an item reaches the caller when nobody is at work any more, keeps nobody waiting, and costs the
//! threads nothing.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use varbatch_workers::Threads;

use crate::support::{COUNTS, assert_works, panic_if, panic_of, times, together};

#[test]
fn a_panic_of_the_caller_waits_for_who_is_inside() {
    for count in [2, 3, 8] {
        let threads = Threads::new(count);
        for _ in 0..times(20, 2) {
            // On the heap and gone when the call has unwound: a helper that is still there then would be seen by Miri.
            let left = Box::new(AtomicUsize::new(0));
            let text = panic_of(|| {
                together(&threads, |caller| {
                    panic_if(caller, "of the caller");
                    std::thread::sleep(Duration::from_millis(2));
                    left.fetch_add(1, Ordering::Relaxed);
                });
            });
            assert_eq!(text, "of the caller");
            assert_eq!(left.into_inner(), count - 1);
        }
        assert_works(&threads);
    }
}

#[test]
fn a_panic_of_a_helper_reaches_the_caller() {
    for count in [2, 3, 8] {
        let threads = Threads::new(count);
        for _ in 0..times(20, 2) {
            let once = AtomicBool::new(false);
            let text = panic_of(|| {
                together(&threads, |caller| {
                    panic_if(!caller && !once.swap(true, Ordering::Relaxed), "of a helper");
                });
            });
            assert_eq!(text, "of a helper");
        }
        assert_works(&threads);
    }
}

#[test]
fn of_many_panics_one_reaches_the_caller_its_own_first() {
    for count in [2, 3, 8] {
        let threads = Threads::new(count);
        for _ in 0..times(20, 2) {
            let text = panic_of(|| together(&threads, |caller| panic_if(true, if caller { "own" } else { "other" })));
            assert_eq!(text, "own");
            let text = panic_of(|| together(&threads, |caller| panic_if(!caller, "other")));
            assert_eq!(text, "other");
        }
        assert_works(&threads);
    }
}

#[test]
fn a_panic_of_the_items_reaches_the_caller() {
    for count in COUNTS {
        let threads = Threads::new(count);
        let items = (0..20).inspect(|&item| panic_if(item == 10, "no item"));
        assert_eq!(panic_of(|| threads.for_each(items, |_: i32| {})), "no item");
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

#[test]
fn a_panic_within_a_call_within_a_call() {
    for count in COUNTS {
        let threads = Threads::new(count);
        let inner = |item: i32| threads.for_each(0..4, |other: i32| panic_if(item == 3 && other == 2, "deep"));
        assert_eq!(panic_of(|| threads.for_each(0..6, inner)), "deep");
        assert_works(&threads);
    }
}
