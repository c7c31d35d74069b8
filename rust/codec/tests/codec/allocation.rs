//! Guards: reading allocates nothing but the box of an error, whatever a buffer announces.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use varbatch_codec::{Kind, Reader, Reason, frames};

use crate::support::vectors;

/// The system's allocator, with a count of what each thread takes.
struct Counting;

thread_local! {
    /// Calls, bytes.
    static TAKEN: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

fn count(len: usize) {
    // A thread that is ending has no count any more.
    let _ = TAKEN.try_with(|taken| {
        let (calls, bytes) = taken.get();
        taken.set((calls + 1, bytes + len));
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
        // SAFETY: the caller keeps the rules.
        unsafe { System.realloc(pointer, layout, len) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the rules.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Calls and bytes that `work` takes from the allocator, and what it gives.
fn taken<T>(work: impl FnOnce() -> T) -> ((usize, usize), T) {
    TAKEN.set((0, 0));
    let result = work();
    (TAKEN.get(), result)
}

/// Reads to the end, or to the first error.
fn read(bytes: &[u8]) -> Result<usize, varbatch_codec::Error> {
    let mut reader = Reader::new(bytes);
    while reader.next_event()?.is_some() {}
    Ok(reader.position())
}

#[track_caller]
fn assert_frugal<T>(what: &str, work: impl FnOnce() -> Result<T, varbatch_codec::Error>) {
    let (taken, result) = taken(work);
    let expected = if result.is_ok() { (0, 0) } else { (1, size_of::<Reason>()) };
    assert_eq!(taken, expected, "{what}");
    assert!(size_of::<Reason>() <= 64, "an error of {} bytes", size_of::<Reason>());
}

#[test]
fn the_counter_counts() {
    assert_eq!(taken(|| Vec::<u8>::with_capacity(100)).0, (1, 100));
    assert_eq!(taken(|| vec![0_u64; 10]).0, (1, 80));
}

#[test]
fn a_huge_count_allocates_nothing_but_its_error() {
    for kind in Kind::ALL {
        for flag in [0, 1] {
            for count in [0x7fff_ffff, 0x7fff_fffc, 0x4000_0000, 0x0fff_ffff, 0x8000_0000, 0xffff_ffff_u32] {
                let head = [[kind.id(), 0, flag, 0], count.to_le_bytes()];
                for len in [0, 4, 64] {
                    let bytes = [head.as_flattened(), &vec![0x61; len]].concat();
                    assert_frugal(kind.name(), || read(&bytes));
                }
            }
        }
    }
}

#[test]
fn a_huge_length_of_a_text_allocates_nothing_but_its_error() {
    for len in [0x7fff_ffff, 0x7fff_fffc, 0x4000_0000, 0xffff_ffff_u32] {
        for before in 0..3 {
            let good = [4, 0, 0, 0, 0x61, 0x62, 0x63, 0].repeat(before);
            let head = [34, 0, 0, 0, 3, 0, 0, 0];
            let bytes = [&head[..], &good, &len.to_le_bytes(), &[0x61; 64]].concat();
            assert_frugal("text", || read(&bytes));
        }
    }
}

#[test]
fn no_vector_allocates_while_it_is_read() {
    let encoded = vectors::encoded().into_iter().map(|vector| (vector.name, vector.bytes));
    let decoded = vectors::decoded().into_iter().map(|vector| (vector.name, vector.bytes));
    for (name, bytes) in encoded.chain(decoded) {
        assert_frugal(name, || read(&bytes));
    }
}

#[test]
fn frames_allocate_nothing_but_the_error_of_the_last() {
    let good = [8, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0].repeat(100);
    assert_frugal("good frames", || frames::read(&good).try_for_each(|frame| read(frame?.payload).map(drop)));
    for len in [9, 0x7fff_ffff, 0xffff_ffff_u32] {
        let bytes = [&good[..], &len.to_le_bytes(), &[0; 8]].concat();
        assert_frugal("a long frame", || frames::read(&bytes).try_for_each(|frame| frame.map(drop)));
    }
}
