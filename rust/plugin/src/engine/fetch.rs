//! Asks the processor for memory that is read soon.
//!
//! The values of a large array lie scattered in memory, so most of the time of a walk is waiting: for the private data
//! of a container, then for its first entry or element, then for each text. The addresses are known a few values ahead.

use varbatch_codec::Kind;

use super::api::api;
use super::layout;
use super::read::Value;

/// Bytes of a line of the processor's cache.
const LINE: usize = 64;

/// Values between the one that is walked and those that are fetched: their private data, and then what that leads to.
const FAR: usize = 2;
const NEAR: usize = 1;

/// Fetches what the containers after `index` point to, if there is a container. Called for each index, in order.
#[inline(always)]
pub fn ahead(values: &[Value], index: usize) {
    if !matches!(values[index].view().kind, Kind::Array | Kind::Dictionary) {
        return;
    }
    if let Some(value) = values.get(index + FAR) {
        value.fetch();
    }
    if let Some(value) = values.get(index + NEAR) {
        value.fetch_contents();
    }
}

impl Value {
    /// Fetches the memory that the value points to, if it is a text or a container.
    #[inline(always)]
    pub fn fetch(&self) {
        if !api().layout.is_known {
            return;
        }
        let view = self.view();
        // SAFETY: in the known layout, values of these kinds are a pointer.
        let pointer = || unsafe { *view.inner.cast::<*const u8>() };
        match view.kind {
            // The length lies before the characters.
            Kind::String => lines(pointer().wrapping_sub(LINE / 2)),
            Kind::Array | Kind::Dictionary => lines(pointer()),
            _ => {}
        }
    }

    /// Fetches the first elements or the first entry of a container, whose private data was fetched.
    #[inline(always)]
    fn fetch_contents(&self) {
        let view = self.view();
        match view.kind {
            Kind::Dictionary => {
                if let Some(entries) = view.entries() {
                    entries.fetch();
                }
            }
            // SAFETY: the layout is known, and `inner` points to an Array. Its length is not used, and so not read.
            Kind::Array if api().layout.is_known => lines(unsafe { layout::elements(Kind::Array, view.inner) }.0),
            _ => {}
        }
    }
}

/// Fetches two lines of memory from an address, which may be any.
#[inline(always)]
pub(super) fn lines(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this architecture has the instruction, and it does nothing with a bad address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
        _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(LINE).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
