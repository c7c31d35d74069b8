//! What changed between two values: as a list of changes, or as compact bytes.
//!
//! - [`diff()`] compares two encoded values and gives [`Changes`]; [`patch()`] applies them to the first and gives the second.
//! - [`edits`] gives the bytes that differ; [`delta`] turns them into a delta, which is bytes that lead from one buffer to the other.
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

pub use self::diff::{DiffError, DiffErrorKind, DiffOptions, diff, edits};
pub use self::model::{Change, ChangePart, ChangePath, ChangeStep, Changes, Edit, Op};
pub use self::patch::{Patch, PatchError, PatchErrorKind, StepKind, patch};
