//! What changed, as compact bytes: a delta, which makes one byte string of another.
//!
//! [`make`] writes one from edits, [`apply`] gives a plan that borrows from the base and from the delta. Neither knows
//! of values. The format, byte for byte, is in `rust/docs/DELTA.md`.
//!
//! ```text
//! u8 version  u64 hash of the base  number: length of the result  tokens to the end of the delta
//! token: number (copy << 3 | code), then by the code
//!   1 to 6  as many literal bytes, in the place of as many of the base
//!   7       number (n - 7), n literal bytes, in the place of n of the base
//!   0       number (skip), number (insert), `insert` literal bytes, in the place of `skip` of the base
//! ```
//!
//! Each token first copies `copy` bytes of the base. Behind the last one, what is left of the base is copied. So the
//! base is passed once from its start to its end: the result is at most as long as base and delta together, whatever
//! the delta says.
//!
//! ```
//! use varbatch_codec::delta::{self, Edit};
//!
//! let (before, after) = (b"the quick fox", b"the slow fox");
//! let delta = delta::make(before, after, [Edit { before: 4..9, after: 4..8 }]).to_vec();
//! assert_eq!(delta::apply(before, &delta)?.to_vec(), after);
//! # Ok::<(), delta::DeltaError>(())
//! ```

mod apply;
mod error;
mod make;
mod number;
mod output;
mod refine;
mod swap;

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

pub use apply::apply;
pub use error::{DeltaError, DeltaErrorKind};
pub use make::make;
pub use swap::Swap;

/// The first byte of each delta, and the only version there is.
pub const VERSION: u8 = 1;

/// The most bytes by which a delta of [`make`] is longer than the result that it holds, where base and result are no
/// longer than [`MAX_VALUE_LEN`](crate::limits::MAX_VALUE_LEN): version, hash and length, and one token that replaces
/// all.
pub const MAX_OVERHEAD: usize = 1 + 8 + 5 + 1 + 5 + 5;

/// Where the length of the result stands: behind version and hash.
const LEN_AT: usize = 9;

/// The token's code of a part of another length than what it replaces.
const OTHER_LEN: usize = 0;

/// The token's code of a part whose length follows it, less this: shorter ones have their length as their code.
const LONG: usize = 7;

/// How far the count of bytes to copy stands to the left of the code.
const CODE_BITS: u32 = 3;

/// Bytes of `before` that others of `after` take the place of; either may be empty. Between two edits both have the
/// same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Those that go.
    pub before: Range<usize>,
    /// Those that come.
    pub after: Range<usize>,
}

/// The hash by which a delta knows its base: XXH3 of 64 bits with seed 0, of all its bytes.
///
/// It tells states of one's own apart. It is no protection against somebody who looks for two that have the same.
pub fn hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}
