//! Memory that notices what is written beside it, and what is not written in it.
//!
//! An allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::mem::MaybeUninit;

use varbatch_codec::{Part, fill};

const CANARY_LEN: usize = 64;
const CANARY: u8 = 0xc5;

/// The `len` bytes, or characters, that `write` writes.
///
/// # Panics
/// If it writes before or behind them, or leaves one of them as it was.
#[track_caller]
pub fn filled<T: Copy + PartialEq + From<u8>>(len: usize, mut write: impl FnMut(&mut [MaybeUninit<T>])) -> Vec<T> {
    // What is not written keeps its old value, so that two runs over different values differ there.
    let mut run = |old: u8| {
        let mut memory = vec![MaybeUninit::new(T::from(CANARY)); len + 2 * CANARY_LEN];
        let (before, rest) = memory.split_at_mut(CANARY_LEN);
        let (dest, behind) = rest.split_at_mut(len);
        dest.fill(MaybeUninit::new(T::from(old)));
        write(dest);
        assert!(read(before).all(|value| value == T::from(CANARY)), "written before the destination");
        assert!(read(behind).all(|value| value == T::from(CANARY)), "written behind the destination");
        read(dest).collect::<Vec<_>>()
    };
    let (first, second) = (run(0x00), run(0xff));
    if first != second {
        let at = first.iter().zip(&second).position(|(a, b)| a != b);
        panic!("place {} of {len} was not written", at.expect("the runs have the same length"));
    }
    first
}

fn read<T: Copy>(memory: &[MaybeUninit<T>]) -> impl Iterator<Item = T> {
    // SAFETY: `filled` gives each place a value before anything else is done with it.
    memory.iter().map(|place| unsafe { place.assume_init() })
}

/// Fills a part piece by piece, the last piece first: any order must do, as pieces go to any threads.
pub fn fill_pieces(part: Part<'_, '_>, dest: &mut [MaybeUninit<u8>]) {
    let mut pieces = Vec::new();
    fill::cut(part, dest, &mut pieces);
    pieces.into_iter().rev().for_each(fill::Piece::fill);
}

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
