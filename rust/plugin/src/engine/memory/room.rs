//! Makes room in the calling thread's heap for many small results.
//!
//! The C library of Linux lets a heap grow by 132 KiB at a time, and the system hands out each of its pages when it is
//! first written. For small blocks in new memory that takes longer than all other work. So before many of them are
//! made, a few MiB are allocated in blocks, populated with pages at once, and freed again, all but the last block. It
//! keeps the heap from shrinking; the small blocks are then cut from what was freed before it. If that memory was used
//! before, nothing happens to it.

use super::pages::{self, Pages};

/// Bytes of small blocks before the first room: less is not worth it.
const FROM: usize = 256 << 10;

/// Min bytes that must be expected for a room; max bytes of a room. Where too much was expected, the rest of a room stays
/// unused.
const MIN: usize = 8 << 20;
const MAX: usize = 16 << 20;

/// The blocks of a room: short enough that they belong to the heap, and not to a mapping of their own.
const BLOCK: usize = 120 << 10;

/// Room for the small blocks that one thread allocates in one call.
pub struct Room {
    /// Bytes of blocks that are expected, that were allocated, and after which the next room is made.
    expected: usize,
    taken: usize,
    next: usize,
    /// The end of the current room.
    _last: Vec<u8>,
}

impl Room {
    /// Makes no room yet. About `expected` bytes of blocks will be allocated.
    #[inline]
    pub const fn new(expected: usize) -> Self {
        Self { expected, taken: 0, next: FROM, _last: Vec::new() }
    }

    /// Call this before about `len` bytes of blocks are allocated.
    #[inline]
    pub fn take(&mut self, len: usize) {
        self.taken = self.taken.saturating_add(len);
        if self.taken > self.next {
            self.make();
        }
    }

    #[cold]
    fn make(&mut self) {
        let left = self.expected.saturating_sub(self.taken);
        if left < MIN || !pages::are_there() {
            self.next = usize::MAX;
            return;
        }
        if !is_next_new() {
            self.next = self.taken + FROM;
            return;
        }
        self.next = usize::MAX;
        let len = left.min(MAX);
        let (mut blocks, mut pages) = (Vec::new(), Pages::default());
        while blocks.len() * BLOCK < len {
            let mut block = Vec::new();
            if block.try_reserve_exact(BLOCK).is_err() {
                return;
            }
            pages.add(block.spare_capacity_mut());
            blocks.push(block);
        }
        pages.populate();
        let last = (0..blocks.len()).max_by_key(|&at| blocks[at].as_ptr().addr()).expect("there is a block");
        self._last = blocks.swap_remove(last);
        self.next = self.taken + len;
    }
}

/// True if the next small blocks would be in memory that was never written.
fn is_next_new() -> bool {
    // Long enough that a page lies inside of which the C library writes nothing.
    let mut probe = Vec::<u8>::new();
    probe.try_reserve_exact(3 * pages::SMALL_PAGE).is_ok() && !pages::is_written(probe.spare_capacity_mut())
}
