//! The calls, and how they read both values.

use super::collect::Collector;
use super::lockstep::{DiffError, Lockstep};
use super::sink::Edits;
use crate::change::model::{Changes, Edit};
use crate::error::{CodecError, CodecErrorKind};
use crate::kind::Width;

/// How [`diff`] reads both values.
#[derive(Clone, Copy, Debug)]
pub struct DiffOptions {
    /// Reads objects with properties, instead of refusing them.
    pub allow_objects: bool,
    /// The width of `real_t` of the caller. Packed arrays of another width are replaced as a whole.
    pub real: Width,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self { allow_objects: false, real: Width::Single }
    }
}

/// Returns what has to change in `before` so that it becomes `after`, in the order of their bytes.
///
/// Each change is about the value that those before it have left. [`patch`](crate::change::patch()) makes `after` of them, if both
/// are values as an engine writes them. If the changes are so many that they would take far more memory than the values, there is
/// only one, which replaces the whole value.
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

/// Returns the bytes in which `before` and `after` differ, in order. Takes any bytes: those that are no values differ as a whole, and
/// so does what follows a value.
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
