//! Compares two values: two Readers in lockstep, each on the bytes of one.
//!
//! Both are always at the same point of the same type tree. Equal bytes are compared as memory and passed; containers
//! with the same head are entered; everything else is a [`Change`](crate::change::Change). No value is built. `align`
//! finds elements and entries that only one side has, with bounded effort.

mod align;
mod keys;
mod lockstep;
mod order;
mod walk;

use self::lockstep::Lockstep;
use super::model::{Changes, Edit};
use crate::error::CodecError;
use crate::kind::Width;

/// The indices of the two sides: whatever both have is an array of two.
const BEFORE: usize = 0;
const AFTER: usize = 1;

/// How [`diff`](diff()) reads both values.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiffOptions {
    /// Reads objects with properties instead of refusing them.
    pub allow_objects: bool,
    /// The caller's width of `real_t`. Packed arrays of another width are replaced as a whole.
    pub real: Width,
}

/// The error of a comparison: one of the two inputs is not exactly one value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiffError {
    /// It is the first one.
    #[error("before: {0}")]
    Before(CodecError),
    /// It is the second one.
    #[error("after: {0}")]
    After(CodecError),
}

/// Makes the errors of one side.
fn of(side: usize) -> fn(CodecError) -> DiffError {
    if side == BEFORE { DiffError::Before } else { DiffError::After }
}

/// Returns the changes that turn `before` into `after`, in the order of their bytes.
///
/// Each change refers to the value that the changes before it produced. [`patch`](crate::change::patch()) applies them
/// and returns `after`, if both are values as an engine writes them. If the changes would take far more memory than the
/// values, there is only one change, which replaces the whole value.
///
/// # Errors
/// If one of the two is not exactly one value. Bytes that are the same in both are only read for their lengths.
pub fn diff<'a>(before: &'a [u8], after: &'a [u8], options: DiffOptions) -> Result<Changes<'a>, DiffError> {
    let walked = Lockstep::new(before, after, Some(options)).run()?;
    for side in [BEFORE, AFTER] {
        walked.readers[side].check_end().map_err(of(side))?;
    }
    Ok(walked.into_changes())
}

/// Returns the bytes in which `before` and `after` differ, in order. Takes any bytes: bytes that are not a value, or
/// that follow a value, differ as a whole.
pub fn edits(before: &[u8], after: &[u8]) -> Vec<Edit> {
    if before == after {
        return Vec::new();
    }
    let (ends, mut edits) = match Lockstep::new(before, after, None).run() {
        Ok(walked) => (walked.at(), walked.edits),
        Err(_) => ([0, 0], Vec::new()),
    };
    edits.push(Edit { before: ends[BEFORE]..before.len(), after: ends[AFTER]..after.len() });
    edits
}
