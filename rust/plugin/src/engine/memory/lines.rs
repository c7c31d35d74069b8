//! Asks the processor for memory that is read soon.

/// Bytes of a line of the processor's cache.
pub const LINE: usize = 64;

/// Fetches two lines of memory from an address, which may be any.
#[inline(always)]
pub fn lines(at: *const u8) {
    line(at);
    line(at.wrapping_add(LINE));
}

/// Fetches a line of memory from an address, which may be any.
#[inline(always)]
pub fn line(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this architecture has the instruction, and it does nothing with a bad address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
