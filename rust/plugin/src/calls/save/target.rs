//! The file that a call writes, and the checks and messages of that call.

use std::io;
use std::path::{Path, PathBuf};

use godot::builtin::{AnyArray, GString, Variant, varray};
use godot::global::Error as EngineError;
use varbatch_storage::compressed::Compression;
use varbatch_storage::{AppendError, Saver};

use super::WriteTicket;
use crate::calls::load::open_code;
use crate::engine::{self, DIALECT, FlagArg};
use crate::jobs::outcome::Failure;
use crate::report::{Line, Reports};
use crate::value::walk::Lost;

/// No compression.
pub const NOT_COMPRESSED: i64 = -1;

/// The values that a call saves.
pub enum Contents<'v> {
    /// One value.
    One(&'v Variant),
    /// All elements.
    All(&'v AnyArray),
}

/// What a call writes.
pub struct Request {
    pub target: SaveTarget,
    pub values: AnyArray,
    /// True if objects are saved in full.
    pub full_objects: bool,
}

/// The file that a call saves to.
pub struct SaveTarget {
    path: PathBuf,
    /// The path as the caller wrote it.
    shown: String,
    pub compression: Option<Compression>,
    /// True if the values are added to the file.
    pub appends: bool,
    /// True if messages name the index of a value.
    is_batch: bool,
}

impl SaveTarget {
    /// The file at a Godot path, with a compression mode of `FileAccess`.
    ///
    /// # Errors
    /// If the mode does not exist, or cannot be written.
    pub fn new(path: &GString, compression_mode: i64) -> Result<Self, Failure> {
        let mut target = Self::plain(path);
        target.compression =
            compression(compression_mode).map_err(|why| target.failure(EngineError::ERR_INVALID_PARAMETER, &why))?;
        Ok(target)
    }

    /// The plain file at a Godot path.
    fn plain(path: &GString) -> Self {
        let mut at = engine::globalize(path);
        // Resolve it now: the engine changes the current folder temporarily, and a task would ask later.
        if at.is_relative() {
            at = std::path::absolute(&at).unwrap_or(at);
        }
        Self { path: at, shown: path.to_string(), compression: None, appends: false, is_batch: true }
    }

    /// Takes the ticket of a call that writes this file. No script may run before the call has ended: one that appends to
    /// the file would wait for it.
    pub fn ticket(&self) -> WriteTicket {
        WriteTicket::take(&self.path)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins the file, of `total` bytes if it is compressed. Returns `None` for an append that was overtaken.
    ///
    /// # Errors
    /// If the file cannot be created or added to.
    pub fn begin(&self, total: u64, ticket: &WriteTicket) -> Result<Option<Saver>, Failure> {
        if !self.appends {
            return self.create(total).map(Some);
        }
        Saver::append(&self.path, ticket.ticket(), DIALECT).map_err(|error| match &error {
            AppendError::System(error) if error.kind() == io::ErrorKind::ResourceBusy => self.not_written(error),
            AppendError::System(error) => self.failure(open_code(error), error),
            AppendError::Compressed => {
                let advice = "load its values, and save them with VarBatch.COMPRESSION_NONE first";
                self.failure(EngineError::ERR_FILE_UNRECOGNIZED, &format_args!("{error}; {advice}"))
            }
            AppendError::OneValue => {
                let advice = "bytes_to_var(FileAccess.get_file_as_bytes(path)) reads it; remove it to begin a new file";
                self.failure(EngineError::ERR_FILE_UNRECOGNIZED, &format_args!("{error}; {advice}"))
            }
            _ => {
                let advice =
                    "the file was not changed; to go on, copy it, and save what load_vars() returns with save_vars()";
                self.failure(EngineError::ERR_FILE_CORRUPT, &format_args!("{error}; {advice}"))
            }
        })
    }

    pub fn create(&self, total: u64) -> Result<Saver, Failure> {
        let compressed = self.compression.map(|compression| (compression, total));
        Saver::create(&self.path, compressed).map_err(|error| self.failure(open_code(&error), &error))
    }

    pub fn not_written(&self, error: &io::Error) -> Failure {
        let code = match error.kind() {
            // Only Windows cannot replace an open file.
            io::ErrorKind::ResourceBusy => EngineError::ERR_FILE_ALREADY_IN_USE,
            _ => EngineError::ERR_FILE_CANT_WRITE,
        };
        self.failure(code, error)
    }

    fn failure(&self, code: EngineError, why: &dyn std::fmt::Display) -> Failure {
        let what = if self.appends { "append to" } else { "save" };
        Failure::new(code, format!("cannot {what} \"{}\": {why}", self.shown))
    }

    /// Returns an error if a value cannot be saved.
    pub fn check(&self, reports: &Reports) -> Result<(), Failure> {
        let Some((index, report)) = reports.first_error() else { return Ok(()) };
        let text = if self.is_batch { format!("value {index}: {report}") } else { report.to_string() };
        Err(self.failure(EngineError::ERR_INVALID_DATA, &text))
    }

    /// Returns the warning about values that are lost in a save.
    pub fn warning(&self, lost: &Lost) -> Line {
        Line::warning(format_args!("\"{}\": {}", self.shown, lost.text(self.is_batch)))
    }
}

/// Checks the arguments of a save.
///
/// # Errors
/// If an argument is invalid.
pub fn to_save(
    path: &GString,
    contents: Contents<'_>,
    full_objects: FlagArg,
    compression_mode: i64,
) -> Result<Request, Failure> {
    let full_objects = full_objects.flag("full_objects").map_err(|why| {
        Failure::invalid(format_args!("cannot save \"{path}\": {why}; the compression mode is the fourth argument"))
    })?;
    let target = SaveTarget::new(path, compression_mode)?;
    let (values, is_batch) = match contents {
        Contents::One(value) => (varray![value].upcast_any_array(), false),
        Contents::All(values) => (values.clone(), true),
    };
    Ok(Request { target: SaveTarget { is_batch, ..target }, values, full_objects })
}

/// Checks the arguments of an append.
///
/// # Errors
/// If an argument is invalid.
pub fn to_append(path: &GString, values: &AnyArray, full_objects: FlagArg) -> Result<Request, Failure> {
    let target = SaveTarget { appends: true, ..SaveTarget::plain(path) };
    match full_objects.flag("full_objects") {
        Ok(full_objects) => Ok(Request { target, values: values.clone(), full_objects }),
        Err(why) => {
            let why = format_args!("{why}; only files without compression can be appended to");
            Err(target.failure(EngineError::ERR_INVALID_PARAMETER, &why))
        }
    }
}

/// Returns the compression of a mode of `FileAccess`, or `None` for [`NOT_COMPRESSED`].
///
/// # Errors
/// If the mode does not exist, or cannot be written.
fn compression(mode: i64) -> Result<Option<Compression>, String> {
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
