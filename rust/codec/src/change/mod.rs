//! Compares two values. The result is a list of changes, or compact bytes.
//!
//! - [`diff()`] compares two encoded values and returns [`Changes`]; [`patch()`] applies them to the first and returns
//!   the second.
//! - [`edits`] returns the bytes that differ; [`delta`] encodes them as a delta, which turns the first buffer into the
//!   second.
//!
//! ```
//! use varbatch_codec::change::{DiffOptions, diff, patch};
//!
//! let (before, after) = ([2, 0, 0, 0, 7, 0, 0, 0], [2, 0, 0, 0, 8, 0, 0, 0]); // 7 and 8, as Godot 4 encodes them.
//! let changes = diff(&before, &after, DiffOptions::default())?;
//! assert_eq!(patch(&before, &changes)?, after);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bytes;
pub mod delta;
mod diff;
mod model;
mod patch;

pub use self::diff::{DiffError, DiffOptions, diff, edits};
pub use self::model::{Change, ChangePart, ChangePath, Changes, Edit, Op};
pub use self::patch::{Patch, PatchError, PatchErrorKind, patch};
