//! The public functions, and how they read both values.

use super::collect::Collector;
use super::lockstep::{DiffError, Lockstep};
use super::sink::Edits;
use crate::change::model::{Changes, Edit};
use crate::error::{CodecError, CodecErrorKind};
use crate::kind::Width;

/// How [`diff`] reads both values.
#[derive(Clone, Copy, Debug)]
pub struct DiffOptions {
    /// Reads objects with properties instead of refusing them.
    pub allow_objects: bool,
    /// The caller's width of `real_t`. Packed arrays of another width are replaced as a whole.
    pub real: Width,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self { allow_objects: false, real: Width::Single }
    }
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
    let sink = Collector::new(before, after, options.real);
    let (collector, ends) = Lockstep::new(before, after, options.allow_objects, sink).run()?;
    check_end(before, ends[0]).map_err(DiffError::before)?;
    check_end(after, ends[1]).map_err(DiffError::after)?;
    Ok(collector.finish())
}

fn check_end(bytes: &[u8], end: usize) -> Result<(), CodecError> {
    let found = bytes.len().saturating_sub(end);
    if found == 0 { Ok(()) } else { Err(CodecError::new(end, CodecErrorKind::Behind { found })) }
}

/// Returns the bytes in which `before` and `after` differ, in order. Takes any bytes: bytes that are not a value, or
/// that follow a value, differ as a whole.
pub fn edits(before: &[u8], after: &[u8]) -> Vec<Edit> {
    if before == after {
        return Vec::new();
    }
    let (mut edits, ends) = match Lockstep::new(before, after, true, Edits::default()).run() {
        Ok((edits, ends)) => (edits.0, [ends[0].min(before.len()), ends[1].min(after.len())]),
        Err(_) => (Vec::new(), [0, 0]),
    };
    edits.push(Edit { before: ends[0]..before.len(), after: ends[1]..after.len() });
    edits
}
