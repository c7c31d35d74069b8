//! Opens files that hold frames, and identifies others for their error messages.

use std::io;

use godot::builtin::GString;
use godot::global::Error as EngineError;
use varbatch_codec::Dialect;
use varbatch_storage::{Format, Guess, LoadError, Loader};

use crate::engine::{self, DIALECTS, EngineFile};
use crate::jobs::outcome::Failure;
use crate::report::Line;

/// Opens the file at a Godot path, such as `user://world.dat`.
///
/// # Errors
/// If the file does not exist or cannot be read.
pub fn open(path: &GString) -> Result<Loader, Failure> {
    let shown = path.to_string();
    let failure = |code, why: &dyn std::fmt::Display| Failure::new(code, format!("cannot load \"{shown}\": {why}"));
    // A project file may be in a pack, under another name.
    let loader = if shown.starts_with("res://") || shown.starts_with("uid://") {
        let (file, len) = EngineFile::open(path).map_err(|code| failure(code, &engine::error_text(code)))?;
        Loader::new(Box::new(file), len)
    } else {
        Loader::open(&engine::globalize(path))
    };
    loader.map_err(|damage| match damage {
        LoadError::Read(error) => failure(open_code(&error), &error),
        _ => Failure::new(EngineError::ERR_FILE_CORRUPT, format_args!("\"{shown}\": {damage}")),
    })
}

/// Returns the engine's error code for a file that cannot be opened.
pub fn open_code(error: &io::Error) -> EngineError {
    match error.kind() {
        io::ErrorKind::NotFound => EngineError::ERR_FILE_NOT_FOUND,
        _ => EngineError::ERR_FILE_CANT_OPEN,
    }
}

/// Adds to the first error what the file seems to be, after its values could not be read in `dialect`.
pub fn explain(path: &str, dialect: Dialect, lines: &mut Vec<Line>) {
    let Some(first) = lines.iter().position(|line| !line.is_warning) else { return };
    let Some(guess) = open(&GString::from(path)).ok().and_then(|loader| loader.guess(dialect)) else { return };
    let error = named(path, &guess, &lines[first].text);
    if matches!(guess, Guess::Engines(_)) {
        lines[first].text = error;
    } else {
        // The other lines are about values that the file does not contain.
        *lines = vec![Line::error(error)];
    }
}

/// Returns an error that says what the file seems to be.
fn named(path: &str, guess: &Guess, error: &str) -> String {
    match guess {
        // An error about the wrong format would mislead.
        Guess::Format(format) => format!(
            "\"{path}\": expected values as FileAccess.store_var() writes them, found {format}, at byte 0; {}",
            advice(*format)
        ),
        Guess::BigEndian => {
            format!("{error}; its lengths are big-endian: FileAccess.get_var() reads it with big_endian = true")
        }
        Guess::Value => {
            format!(
                "{error}; it is one value without a length: bytes_to_var(FileAccess.get_file_as_bytes(path)) reads it"
            )
        }
        Guess::Engines(engines) => {
            let dialects = DIALECTS.iter().filter(|(_, dialect)| engines.contains(&dialect.engine));
            let names: Vec<_> = dialects.map(|(name, _)| *name).collect();
            format!("{error}; its values can be read in {}: see transcode_file()", names.join(" or "))
        }
        _ => error.to_owned(),
    }
}

/// Returns advice on how a script can read this format.
fn advice(format: Format) -> &'static str {
    match format {
        Format::Encrypted => {
            "FileAccess.open_encrypted_with_pass() opens it, and \
             VarBatch.frames_to_vars(file.get_buffer(file.get_length())) reads it"
        }
        Format::Resource | Format::CompressedResource | Format::TextResource => "load() reads it",
        Format::Png => "Image.load_from_file() reads it",
        Format::Zip => "ZIPReader reads it",
        Format::Gzip => {
            "FileAccess.get_file_as_bytes(path).decompress_dynamic(-1, FileAccess.COMPRESSION_GZIP) unpacks it"
        }
        _ => "FileAccess.get_file_as_string() reads it",
    }
}
