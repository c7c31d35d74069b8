//! Constants of the format, and the hash of the base.

use xxhash_rust::xxh3::xxh3_64;

/// The first byte of every delta. There is no other version.
pub const VERSION: u8 = 1;

/// The maximum number of bytes by which a delta of [`make`](super::make()) is longer than its result, if base and
/// result are at most [`MAX_VALUE_LEN`](crate::limits::MAX_VALUE_LEN) long: version, hash, length, and one token that
/// replaces everything.
pub const MAX_OVERHEAD: usize = 1 + 8 + 5 + 1 + 5 + 5;

/// The offset of the length of the result, after version and hash.
pub(super) const LEN_AT: usize = 9;

/// The maximum length of a number, in bytes: 63 bits, so that it fits in a signed integer.
pub(super) const MAX_NUMBER_LEN: usize = 9;

/// The code of a token whose literals have another length than the bytes that they replace.
pub(super) const OTHER_LEN: usize = 0;

/// The code of a token whose length, minus this, follows. The code of a shorter token is its length.
pub(super) const LONG: usize = 7;

/// Bits of the code in a token, below the number of bytes to copy.
pub(super) const CODE_BITS: u32 = 3;

/// Returns the hash that identifies the base of a delta: XXH3 of all its bytes, with 64 bits and seed 0.
///
/// It tells a program's own states apart. It does not protect against deliberate collisions.
pub fn hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}
