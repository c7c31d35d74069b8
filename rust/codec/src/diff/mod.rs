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
use crate::error::{Error, Reason};

/// How [`changes`] reads both values.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether objects with properties are read, instead of refused.
    pub allow_objects: bool,
    /// The width of `real_t` of who is told the changes. Arrays of another are not taken apart.
    pub real: Width,
}

/// Which of the two is no value, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// The first one.
    #[error("before: {0}")]
    Before(Error),
    /// The second one.
    #[error("after: {0}")]
    After(Error),
}

/// What of `before` has to change so that it becomes `after`, in the order of their bytes.
///
/// Each change is about the value that those before it have left. If they are so many that they would take far more memory than
/// the values, there is one, of all.
///
/// # Errors
/// If one of the two is no value, or there are bytes behind it. What has the same bytes in both is only read for its length.
pub fn changes<'a>(before: &'a [u8], after: &'a [u8], options: Options) -> Result<Changes<'a>, Invalid> {
    let sink = Changes::new(before, after, options.real);
    let (mut changes, ends) = Lockstep::new(before, after, options.allow_objects, sink).run()?;
    check_end(before, ends.0).map_err(Invalid::Before)?;
    check_end(after, ends.1).map_err(Invalid::After)?;
    changes.finish();
    Ok(changes)
}

fn check_end(bytes: &[u8], end: usize) -> Result<(), Error> {
    let found = bytes.len().saturating_sub(end);
    if found == 0 { Ok(()) } else { Err(Error::new(end, Reason::Behind { found })) }
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
