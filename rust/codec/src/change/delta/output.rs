//! A plan made of many short parts.

use crate::limits::INLINE_LEN;
use crate::plan::{Borrowed, Plan};

/// A plan, and small parts that follow it.
///
/// The length of the next part cannot be predicted, and branching on it takes longer than copying it. So a short part
/// is copied together with the bytes after it, in a length that the compiler knows; then those bytes are cut off.
pub(super) struct Output<'a> {
    plan: Plan<'a>,
    pub(super) small: Vec<u8>,
}

impl<'a> Output<'a> {
    pub(super) fn new() -> Self {
        Self { plan: Plan::new(), small: Vec::new() }
    }

    /// Adds the first `len` bytes of `bytes`.
    ///
    /// # Panics
    /// If there are fewer.
    #[inline(always)]
    pub(super) fn start_of(&mut self, bytes: &'a [u8], len: usize) {
        match bytes.first_chunk::<INLINE_LEN>() {
            Some(block) if len <= INLINE_LEN => self.start_of_block(block, len),
            _ => self.any(&bytes[..len]),
        }
    }

    /// Copies the first `len` bytes of a block.
    #[inline(always)]
    pub(super) fn start_of_block<const N: usize>(&mut self, block: &[u8; N], len: usize) {
        let end = self.small.len() + len;
        self.small.extend_from_slice(block);
        self.small.truncate(end);
    }

    fn any(&mut self, bytes: &'a [u8]) {
        if bytes.len() <= INLINE_LEN {
            self.small.extend_from_slice(bytes);
        } else {
            self.plan.small(&self.small);
            self.small.clear();
            self.plan.bytes(bytes, Borrowed);
        }
    }

    pub(super) fn into_plan(mut self) -> Plan<'a> {
        self.plan.small(&self.small);
        self.plan
    }
}
