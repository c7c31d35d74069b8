//! Checks that bytes are a value, by running a [`Reader`] to its end.

use crate::error::CodecError;
use crate::reader::Reader;

/// Reads a value to its end, and returns its length in bytes, including its last padding even if that is missing.
///
/// Builds nothing, and allocates only the [`Reader`]'s stack of open containers.
///
/// # Errors
/// If there is no valid value; see [`Reader::next_event`].
pub fn validate(mut reader: Reader<'_>) -> Result<usize, CodecError> {
    reader.skip_value()?;
    Ok(reader.position())
}
