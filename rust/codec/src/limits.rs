//! Defines the limits of the format and the thresholds of this crate, with their units.

/// Max length of a value, in bytes. The engine's lengths are signed 32-bit integers: beyond this it overflows or
/// truncates (4.6.3 turns a PackedByteArray of 2^32 + 4 bytes into one of 4), so longer values are refused.
pub const MAX_VALUE_LEN: usize = i32::MAX as usize;

/// Max depth of a value; the outermost is at depth 0. The engine's `Variant::MAX_RECURSION_DEPTH`. Scalars have a depth
/// too: 1025 nested arrays are valid only if the innermost is empty.
pub const MAX_DEPTH: usize = 1024;

/// Payloads up to this length are copied into the plan's own bytes, longer ones are borrowed. In bytes; for UTF-32, in
/// characters.
///
/// A borrowed payload costs a [`crate::Plan`] one segment, about as much as this copy.
pub const INLINE_LEN: usize = 64;

/// Payloads up to this length are copied into a plan that outlives its values, longer ones are held by a counted
/// reference. In bytes.
///
/// Holding a payload takes two small allocations and two frees, about as long as copying this many bytes.
pub const HELD_LEN: usize = 1 << 10;
