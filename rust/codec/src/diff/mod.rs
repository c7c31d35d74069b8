//! What differs between two values: two Readers in lockstep, each on the bytes of one.
//!
//! Both stand at the same place of the same type tree. What is the same is compared as memory and passed; what holds values and has
//! the same head is entered; all else is a [`Change`]. No value is built. Parts that one side has more are found by `align`, with a
//! bounded effort.

mod align;
mod changes;
mod found;
mod lockstep;
mod order;
mod packed;
mod same;
mod ways;

pub use self::changes::{Change, Changes, Piece, Step, Texts, Way};
use self::found::Edits;
use self::lockstep::Lockstep;
use crate::delta::Edit;
use crate::dialect::Width;
use crate::error::{CodecError, CodecErrorKind};

/// How [`changes`] reads both values.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether objects with properties are read, instead of refused.
    pub allow_objects: bool,
    /// The width of `real_t` of who is told the changes. Arrays of another are not taken apart.
    pub real: Width,
}

/// Two values that cannot be compared, as one of them is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {error}", match .kind { DiffErrorKind::Before => "before", DiffErrorKind::After => "after" })]
pub struct DiffError {
    kind: DiffErrorKind,
    error: CodecError,
}

impl DiffError {
    pub(crate) fn new(kind: DiffErrorKind, error: CodecError) -> Self {
        Self { kind, error }
    }

    /// Which of the two is no value.
    pub fn kind(&self) -> DiffErrorKind {
        self.kind
    }

    /// Why it is none.
    pub fn into_error(self) -> CodecError {
        self.error
    }
}

/// One of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DiffErrorKind {
    /// The first one.
    Before,
    /// The second one.
    After,
}

/// What of `before` has to change so that it becomes `after`, in the order of their bytes.
///
/// Each change is about the value that those before it have left. If they are so many that they would take far more memory than
/// the values, there is one, of all.
///
/// # Errors
/// If one of the two is no value, or there are bytes behind it. What has the same bytes in both is only read for its length.
pub fn changes<'a>(before: &'a [u8], after: &'a [u8], options: Options) -> Result<Changes<'a>, DiffError> {
    let sink = Changes::new(before, after, options.real);
    let (mut changes, ends) = Lockstep::new(before, after, options.allow_objects, sink).run()?;
    check_end(before, ends.0).map_err(|error| DiffError::new(DiffErrorKind::Before, error))?;
    check_end(after, ends.1).map_err(|error| DiffError::new(DiffErrorKind::After, error))?;
    changes.finish();
    Ok(changes)
}

fn check_end(bytes: &[u8], end: usize) -> Result<(), CodecError> {
    let found = bytes.len().saturating_sub(end);
    if found == 0 { Ok(()) } else { Err(CodecError::new(end, CodecErrorKind::Behind { found })) }
}

/// The bytes in which `before` and `after` differ, in order. Any bytes will do: those that are no values differ as a whole, and so
/// does what stands behind a value.
pub fn edits(before: &[u8], after: &[u8]) -> Vec<Edit> {
    if before == after {
        return Vec::new();
    }
    let (mut edits, ends) = match Lockstep::new(before, after, true, Edits::default()).run() {
        Ok((edits, (end_before, end_after))) => (edits.0, (end_before.min(before.len()), end_after.min(after.len()))),
        Err(_) => (Vec::new(), (0, 0)),
    };
    edits.push(Edit { before: ends.0..before.len(), after: ends.1..after.len() });
    edits
}
