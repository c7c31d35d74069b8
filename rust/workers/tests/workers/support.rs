//! What the tests share.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};

use varbatch_workers::Threads;

pub const COUNTS: [usize; 4] = [1, 2, 3, 8];

/// So long a test waits for what must happen.
const PATIENCE: Duration = Duration::from_secs(if cfg!(miri) { 600 } else { 60 });

/// `few` under Miri, which is slow.
pub const fn times(many: usize, few: usize) -> usize {
    if cfg!(miri) { few } else { many }
}

/// Waits until `done`, or panics.
#[track_caller]
pub fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !done() {
        assert!(begin.elapsed() < PATIENCE, "{what} did not happen");
        std::thread::yield_now();
    }
}

/// Whether `threads` works on all of some items, once each.
#[track_caller]
pub fn assert_works(threads: &Threads) {
    let seen: Vec<_> = (0..50).map(|_| AtomicUsize::new(0)).collect();
    threads.for_each(&seen, |seen| _ = seen.fetch_add(1, Ordering::Relaxed));
    assert!(seen.iter().all(|seen| seen.load(Ordering::Relaxed) == 1));
}

/// Panics if `really`, and prints nothing.
pub fn panic_if(really: bool, text: &'static str) {
    if really {
        resume_unwind(Box::new(text));
    }
}

/// What `run` panics with.
#[track_caller]
pub fn panic_of(run: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("a panic");
    let text: Option<&str> = <dyn Any>::downcast_ref(&*panic).copied();
    text.expect("a text").to_owned()
}

/// A call of `threads` in which each of its threads has an item at the same time. `work` is told whether it is the
/// caller's.
pub fn together(threads: &Threads, work: impl Fn(bool) + Sync) {
    let (caller, all) = (std::thread::current().id(), Barrier::new(threads.count()));
    threads.for_each(0..threads.count(), |_: usize| {
        all.wait();
        work(std::thread::current().id() == caller);
    });
}

/// What a test has in common with its tasks, to the end of the program.
pub fn shared<T: Default + Sync + 'static>() -> &'static T {
    static ALL: Mutex<Vec<&(dyn Any + Sync)>> = Mutex::new(Vec::new());
    let value: &'static T = Box::leak(Box::default());
    // Miri looks for what is really lost.
    ALL.lock().unwrap().push(value);
    value
}

/// Opens once, for all.
#[derive(Default)]
pub struct Door(AtomicBool);

impl Door {
    pub fn open(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub fn is_open(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    #[track_caller]
    pub fn pass(&self) {
        wait_for("the door's opening", || self.is_open());
    }
}

/// Counts events.
#[derive(Default)]
pub struct Count(AtomicUsize);

impl Count {
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    pub fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Uses a processor for so long.
pub fn work_for(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Counts the thread that drops it, some time after its end has begun.
struct AtEnd(&'static Count);

impl Drop for AtEnd {
    fn drop(&mut self) {
        std::thread::sleep(Duration::from_millis(20));
        self.0.add();
    }
}

/// Counts the end of this thread.
pub fn count_end(ended: &'static Count) {
    thread_local! {
        static AT_END: RefCell<Option<AtEnd>> = const { RefCell::new(None) };
    }
    AT_END.set(Some(AtEnd(ended)));
}

/// Threads whose helpers count their ends.
pub fn counted(count: usize, ended: &'static Count) -> Threads {
    let threads = Threads::new(count);
    together(&threads, |is_caller| {
        if !is_caller {
            count_end(ended);
        }
    });
    threads
}
