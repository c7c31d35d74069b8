//! The memory of the engine, as [`seen`](super::seen) looks at it.

use super::seen::Words;

/// The engine's memory.
pub struct EngineMemory;

impl Words for EngineMemory {
    fn word(&self, at: usize) -> u64 {
        // SAFETY: `seen` asks for words of the caller's own memory, of what the engine gave out, and of what lies next
        // to words that were as expected; in the versions that are probed all of them belong to the same block of
        // memory. Any bits are an integer.
        unsafe { *(at as *const u64) }
    }
}
