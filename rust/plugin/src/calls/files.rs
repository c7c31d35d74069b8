//! Shared by the file calls. Files hold frames in the format of `FileAccess.store_var`, compressed or not.

use std::io;

use godot::builtin::{AnyArray, Variant, varray};
use godot::global::Error as EngineError;
use varbatch_storage::compressed::Compression;

/// The values that a call saves.
pub enum Contents<'v> {
    /// One value.
    One(&'v Variant),
    /// All elements.
    All(&'v AnyArray),
}

impl Contents<'_> {
    /// Returns the values as a batch.
    pub fn values(&self) -> AnyArray {
        match *self {
            Self::One(value) => varray![value].upcast_any_array(),
            Self::All(values) => values.clone(),
        }
    }
}

/// Returns the engine's error code for a file that cannot be opened.
pub fn open_code(error: &io::Error) -> EngineError {
    match error.kind() {
        io::ErrorKind::NotFound => EngineError::ERR_FILE_NOT_FOUND,
        _ => EngineError::ERR_FILE_CANT_OPEN,
    }
}

/// Returns the compression of a mode of `FileAccess`, or `None` for [`NOT_COMPRESSED`].
///
/// # Errors
/// If the mode does not exist, or cannot be written.
pub fn compression(mode: i64) -> Result<Option<Compression>, String> {
    if mode == NOT_COMPRESSED {
        return Ok(None);
    }
    let known = u32::try_from(mode).ok().and_then(Compression::from_mode);
    known.filter(|compression| compression.written() == *compression).map(Some).ok_or_else(|| {
        let name = match mode {
            0 => " (COMPRESSION_FASTLZ, which can only be loaded: use COMPRESSION_ZSTD)",
            4 => " (COMPRESSION_BROTLI)",
            _ => "",
        };
        format!(
            "expected COMPRESSION_DEFLATE, COMPRESSION_ZSTD or COMPRESSION_GZIP of FileAccess, or \
             VarBatch.COMPRESSION_NONE, as the compression mode, found {mode}{name}"
        )
    })
}

/// No compression.
pub const NOT_COMPRESSED: i64 = -1;
