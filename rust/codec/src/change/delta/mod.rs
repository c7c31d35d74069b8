//! Deltas: compact bytes that turn one byte string, the base, into another, the result.
//!
//! [`make`] writes a delta from edits, [`apply`] returns a plan that borrows from the base and from the delta. Both
//! take any bytes. `rust/docs/DELTA.md` specifies the format byte by byte.
//!
//! ```text
//! u8 version  u64 hash of the base  number: length of the result  tokens to the end of the delta
//! token: number (copy << 3 | code), then by the code
//!   1 to 6  as many literal bytes, which replace as many of the base
//!   7       number (n - 7), n literal bytes, which replace n of the base
//!   0       number (skip), number (insert), `insert` literal bytes, which replace `skip` of the base
//! ```
//!
//! Each token first copies `copy` bytes of the base. After the last token, the rest of the base is copied. So the base
//! is read once from start to end: the result is at most as long as base and delta together, whatever the delta says.
//!
//! ```
//! use varbatch_codec::change::{Edit, delta};
//!
//! let (before, after) = (b"the quick fox", b"the slow fox");
//! let delta = delta::make(before, after, [Edit { before: 4..9, after: 4..8 }]).to_vec();
//! assert_eq!(delta::apply(before, &delta)?.to_vec(), after);
//! # Ok::<(), delta::DeltaError>(())
//! ```

mod apply;
mod make;
mod swap;
mod token;

use xxhash_rust::xxh3::xxh3_64;

pub use self::apply::apply;
pub use self::make::make;
pub use self::swap::Swap;
use crate::limits::MAX_VALUE_LEN;

/// The first byte of every delta. There is no other version.
pub const VERSION: u8 = 1;

/// The maximum number of bytes by which a delta of [`make`](make()) is longer than its result, if base and result are at
/// most [`MAX_VALUE_LEN`] long: version, hash, length, and one token that replaces everything.
pub const MAX_OVERHEAD: usize = 1 + 8 + 5 + 1 + 5 + 5;

/// The offset of the length of the result, after version and hash.
const LEN_AT: usize = 9;

/// Returns the hash that identifies the base of a delta: XXH3 of all its bytes, with 64 bits and seed 0.
///
/// It tells a program's own states apart. It does not protect against deliberate collisions.
pub fn hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// A delta that cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}, at byte {at} of the delta")]
pub struct DeltaError {
    kind: DeltaErrorKind,
    at: usize,
}

impl DeltaError {
    fn new(at: usize, kind: DeltaErrorKind) -> Self {
        Self { kind, at }
    }

    #[cold]
    fn damaged(at: usize, text: String) -> Self {
        Self::new(at, DeltaErrorKind::Damaged(text))
    }

    /// Makes the error of a result that would take `found` bytes, more than a value may.
    #[doc(hidden)]
    pub fn too_large(found: u64) -> Self {
        Self::damaged(LEN_AT, format!("expected at most {MAX_VALUE_LEN} bytes for the result, found {found}"))
    }

    /// Returns what was expected and what was found.
    pub fn kind(&self) -> &DeltaErrorKind {
        &self.kind
    }

    /// Returns the offset in the delta, in bytes.
    pub fn at(&self) -> usize {
        self.at
    }
}

/// Why a delta cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeltaErrorKind {
    /// The bytes are not a delta, or a delta of an unknown version, which is their first byte.
    #[error("expected version {VERSION} of the delta format, found {0}")]
    Version(u8),
    /// The delta was made from another base.
    #[error("expected a base with the hash {expected:016x}, found {found:016x} for its {}", bytes(*.len as u64))]
    Base {
        /// The hash of the base that the delta was made from.
        expected: u64,
        /// The hash of the base that it was applied to.
        found: u64,
        /// The length of that base, in bytes.
        len: usize,
    },
    /// The delta ends early, or holds a number that cannot be: what was expected and what was found.
    #[error("{0}")]
    Damaged(String),
    /// The result does not have the length that the delta announces.
    #[error("expected {} for the result, found {found}", bytes(*.expected))]
    Len {
        /// The announced length, in bytes.
        expected: u64,
        /// The length of the result, in bytes.
        found: usize,
    },
}

fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".into() } else { format!("{count} bytes") }
}
