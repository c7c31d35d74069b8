//! The numbers of the format.

use xxhash_rust::xxh3::xxh3_64;

/// The first byte of every delta. There is no other version.
pub const VERSION: u8 = 1;

/// The most bytes by which a delta of [`make`](super::make()) is longer than its result, if base and result are no longer than
/// [`MAX_VALUE_LEN`](crate::limits::MAX_VALUE_LEN): version, hash, length, and one token that replaces everything.
pub const MAX_OVERHEAD: usize = 1 + 8 + 5 + 1 + 5 + 5;

/// The offset of the length of the result, behind version and hash.
pub(super) const LEN_AT: usize = 9;

/// The longest number, in bytes: 63 bits, so that it fits where integers have a sign.
pub(super) const MAX_NUMBER_LEN: usize = 9;

/// The code of a token whose literals have another length than what they replace.
pub(super) const OTHER_LEN: usize = 0;

/// The code of a token whose length follows, less this. Shorter ones have their length as their code.
pub(super) const LONG: usize = 7;

/// Bits of the code in a token, below the count of bytes to copy.
pub(super) const CODE_BITS: u32 = 3;

/// Returns the hash by which a delta knows its base: XXH3 of all its bytes, with 64 bits and seed 0.
///
/// It tells a program's own states apart. It is no protection against somebody who looks for two states with the same hash.
pub fn hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}
