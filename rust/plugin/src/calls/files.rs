//! Shared by the calls for files: frames as `FileAccess.store_var` writes them, compressed or not.

use std::fmt;
use std::io;

use godot::builtin::{AnyArray, Variant, varray};
use godot::global::Error as EngineError;
use varbatch_storage::compressed::Compression;

/// Why a file was not saved, or not loaded: the engine's code for it, and the text.
#[derive(Debug)]
pub struct Failure {
    /// Not `OK`.
    pub code: EngineError,
    /// With the path.
    pub text: String,
}

impl Failure {
    pub fn new(code: EngineError, text: impl fmt::Display) -> Self {
        Self { code, text: text.to_string() }
    }
}

/// The values that a call saves.
pub enum Contents<'v> {
    /// One value.
    One(&'v Variant),
    /// All elements.
    All(&'v AnyArray),
}

impl Contents<'_> {
    /// As a batch.
    pub fn values(&self) -> AnyArray {
        match *self {
            Self::One(value) => varray![value].upcast_any_array(),
            Self::All(values) => values.clone(),
        }
    }
}

/// The code that the engine has for a file that cannot be opened.
pub fn open_code(error: &io::Error) -> EngineError {
    match error.kind() {
        io::ErrorKind::NotFound => EngineError::ERR_FILE_NOT_FOUND,
        _ => EngineError::ERR_FILE_CANT_OPEN,
    }
}

/// A compression mode as `FileAccess` numbers them, or [`NOT_COMPRESSED`].
///
/// # Errors
/// If there is no such mode, or none that is served.
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
