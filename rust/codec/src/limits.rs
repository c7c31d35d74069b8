//! Defines the limits of the format and the thresholds of this crate, with their units.

/// Max length of a value, in bytes. Beyond, the engine's signed 32-bit lengths overflow, so longer values are refused.
pub const MAX_VALUE_LEN: usize = i32::MAX as usize;

/// Max depth of a value, scalars too; the outermost is at depth 0. The engine's `Variant::MAX_RECURSION_DEPTH`.
pub const MAX_DEPTH: usize = 1024;

/// Payloads up to this length, in bytes or characters, are copied into a plan: a segment that borrows costs as much.
pub const INLINE_LEN: usize = 64;

/// The same, in bytes, for plans that outlive their values: a counted reference takes two allocations and two frees.
pub const HELD_LEN: usize = 1 << 10;
