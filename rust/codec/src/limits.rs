//! The bounds of the format, and the thresholds of this crate with their units.

/// The longest value, in bytes. The engine's lengths are signed 32-bit integers: beyond this it overflows or truncates
/// (4.6.3 turns a PackedByteArray of 2^32 + 4 bytes into one of 4), so that longer values are refused.
pub const MAX_VALUE_LEN: usize = i32::MAX as usize;

/// The deepest that a value may lie, where the outermost lies at 0: `Variant::MAX_RECURSION_DEPTH` of the engine.
/// Scalars count, so that 1025 nested arrays are a value if the innermost is empty.
pub const MAX_DEPTH: usize = 1024;

/// Payloads up to this length are copied into the plan's own bytes, longer ones are borrowed. In bytes; of UTF-32 it is the
/// number of characters.
///
/// A borrowed payload costs a [`crate::Plan`] one segment, about as much as this.
pub const INLINE_LEN: usize = 64;

/// Payloads up to this length are copied into a plan that outlives its values, longer ones are held by a reference that is
/// counted. In bytes.
///
/// To hold one takes two small allocations and, at the end, two frees: as long as copying this much.
pub const HELD_LEN: usize = 1 << 10;

/// Bytes of room that a plan makes at once for values that may follow: they may be smaller than those before.
pub(crate) const MAX_ROOM: usize = 4 << 20;

/// Bytes of a piece that a worker fills before it takes the next. From 128 KiB to 512 KiB it made no difference, 64 KiB was
/// slower.
pub const PIECE_LEN: usize = 512 << 10;

/// Words that a template of a value has at most: a value with more is read in full.
pub(crate) const MAX_TEMPLATE: usize = 512;

/// Consecutive mismatches after which templates are no longer tried.
pub(crate) const MAX_MISSES: usize = 16;
