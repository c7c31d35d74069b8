//! Whether bytes are a value: a [`Reader`] run to its end.

use crate::error::CodecError;
use crate::reader::Reader;

/// Reads a value to its end, and returns the bytes that it takes, with a last padding though it may be missing.
///
/// Nothing is built, and nothing allocated but what the [`Reader`] needs to know where it is.
///
/// # Errors
/// If there is no such value; see [`Reader::next_event`].
pub fn validate(mut reader: Reader<'_>) -> Result<usize, CodecError> {
    reader.skip_value()?;
    Ok(reader.position())
}
