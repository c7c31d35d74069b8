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
mod error;
mod format;
mod make;
mod number;
mod output;
mod refine;
mod swap;

pub use self::apply::apply;
pub use self::error::{DeltaError, DeltaErrorKind};
pub use self::format::{MAX_OVERHEAD, VERSION, hash};
pub use self::make::make;
pub use self::swap::Swap;
