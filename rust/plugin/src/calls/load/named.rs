//! Identifies files that cannot be loaded as values, for their error messages.

use godot::builtin::GString;
use varbatch_codec::Dialect;
use varbatch_storage::{Format, Guess};

use super::open::open;
use crate::engine::DIALECTS;
use crate::report::Line;

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
