//! An allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, with a count of what each thread takes and holds.
struct Counting;

thread_local! {
    /// Calls, bytes.
    static TAKEN: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    /// Bytes that are held, and the most that were: more or less than when the count began.
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

fn count(len: usize) {
    // A thread that is ending has no count any more.
    let _ = TAKEN.try_with(|taken| {
        let (calls, bytes) = taken.get();
        taken.set((calls + 1, bytes.saturating_add(len)));
    });
    hold(len as isize);
}

fn hold(len: isize) {
    let _ = HELD.try_with(|held| {
        let (now, most) = held.get();
        held.set((now + len, most.max(now + len)));
    });
}

// SAFETY: each call goes on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the rules.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the rules.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        count(len);
        hold(-(layout.size() as isize));
        // SAFETY: the caller keeps the rules.
        unsafe { System.realloc(pointer, layout, len) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        hold(-(layout.size() as isize));
        // SAFETY: the caller keeps the rules.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Calls and bytes that `work` takes from the allocator, and what it gives.
pub fn taken<T>(work: impl FnOnce() -> T) -> ((usize, usize), T) {
    TAKEN.set((0, 0));
    let result = work();
    (TAKEN.get(), result)
}

/// The most bytes that `work` holds at a time on this thread, and what it gives.
pub fn most_held<T>(work: impl FnOnce() -> T) -> (usize, T) {
    HELD.set((0, 0));
    let result = work();
    (HELD.get().1 as usize, result)
}
