//! Guards: the closure is called by nobody after the call that lent it. With plain threads, so that Miri sees the gate alone.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread::{JoinHandle, spawn};

#[path = "../../src/gate.rs"]
mod source;

use source::{Gate, share};

/// Shares work that counts its calls with so many threads, each of which comes when it likes.
fn count_calls(helpers: usize, late: &mut Vec<JoinHandle<()>>) -> usize {
    let calls = Box::new(AtomicUsize::new(0));
    let work = || _ = calls.fetch_add(1, Ordering::Relaxed);
    share(&work, |gate| {
        for _ in 0..helpers {
            let gate = Arc::clone(gate);
            late.push(spawn(move || gate.enter()));
        }
    });
    calls.into_inner()
}

#[test]
fn helpers_come_when_they_like() {
    let mut late = Vec::new();
    for _ in 0..if cfg!(miri) { 20 } else { 500 } {
        assert!((1..=4).contains(&count_calls(3, &mut late)));
        late.drain(..).for_each(|helper| helper.join().expect("ends"));
    }
}

#[test]
fn a_closed_gate_lets_nobody_in() {
    let (calls, mut handed_out) = (AtomicUsize::new(0), None);
    let work = || _ = calls.fetch_add(1, Ordering::Relaxed);
    share(&work, |gate| handed_out = Some(Arc::clone(gate)));
    handed_out.expect("the gate").enter();
    assert_eq!(calls.into_inner(), 1);
}

#[test]
fn the_caller_waits_for_helpers_inside_even_if_it_panics() {
    for panics in [false, true] {
        let (left, both, caller) = (Box::new(AtomicUsize::new(0)), Barrier::new(2), std::thread::current().id());
        let work = || {
            both.wait();
            if std::thread::current().id() != caller {
                std::thread::sleep(std::time::Duration::from_millis(20));
                left.fetch_add(1, Ordering::Relaxed);
            } else if panics {
                resume_unwind(Box::new("own"));
            }
        };
        let mut helper = None;
        let invite = |gate: &Arc<Gate>| {
            let gate = Arc::clone(gate);
            helper = Some(spawn(move || gate.enter()));
        };
        assert_eq!(catch_unwind(AssertUnwindSafe(|| share(&work, invite))).is_err(), panics);
        assert_eq!(left.into_inner(), 1);
        helper.expect("was invited").join().expect("ends");
    }
}

#[test]
fn inviting_may_panic() {
    let mut helper = None;
    let result = catch_unwind(AssertUnwindSafe(|| {
        let calls = Box::new(AtomicUsize::new(0));
        let work = || _ = calls.fetch_add(1, Ordering::Relaxed);
        share(&work, |gate| {
            let gate = Arc::clone(gate);
            helper = Some(spawn(move || gate.enter()));
            resume_unwind(Box::new("no thread"));
        });
    }));
    assert!(result.is_err());
    helper.expect("was invited").join().expect("ends");
}
