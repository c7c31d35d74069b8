//! Translates a file of frames for another engine, piece by piece.

use godot::builtin::GString;
use godot::global::Error as EngineError;
use varbatch_codec::transcode::Translation;
use varbatch_codec::{CodecErrorKind, Dialect};
use varbatch_storage::LoadError;
use varbatch_storage::compressed::Compression;
use varbatch_storage::transcode::{self, TranscodeError};

use super::load::{explain, open};
use super::save::{NOT_COMPRESSED, SaveTarget, finish};
use crate::jobs::outcome::Failure;
use crate::jobs::pool;
use crate::jobs::tuning::LOAD_PARALLEL_FROM;
use crate::report::Line;

/// Translates all values of the file at `source` into the file at `target`, which may be the same file. Returns when
/// they are on the disk. A compressed file stays compressed, in the same mode if that mode can be written. Returns
/// warnings about losses.
///
/// # Errors
/// If the source cannot be read to its end, a value cannot be translated, or the target cannot be written. An existing
/// target stays unchanged then.
pub fn transcode(source: &GString, target: &GString, translation: Translation) -> Result<Vec<Line>, Failure> {
    let mut target = SaveTarget::new(target, NOT_COMPRESSED)?;
    let ticket = target.ticket();
    let mut loader = open(source)?;
    target.compression = loader.compression().map(Compression::written);
    let (len, _) = loader.len();
    pool::with(len >= LOAD_PARALLEL_FROM || loader.is_compressed(), |threads| {
        let failed = |error| failure(source, &target, translation.from, &error);
        // A compressed source is read twice: the header of the target needs the total length.
        let mut total = 0;
        if loader.is_compressed() {
            total = transcode::translated_len(&mut loader, translation, threads, |_, _| {}).map_err(failed)?;
            loader = open(source)?;
        }
        let mut saver = target.create(total)?;
        let (_, losses) = transcode::file(&mut loader, &mut saver, translation, threads, |_, _| {}).map_err(failed)?;
        // The source may be the file to replace, and some systems cannot replace an open file.
        drop(loader);
        finish(&target, &ticket, saver, threads)?;
        Ok(losses.iter().map(|loss| Line::warning(format_args!("\"{source}\": {loss}"))).collect())
    })
}

fn failure(source: &GString, target: &SaveTarget, from: Dialect, error: &TranscodeError) -> Failure {
    let code = match error {
        TranscodeError::Save(error) => return target.not_written(error),
        TranscodeError::Load(LoadError::Read(_)) => EngineError::ERR_FILE_CANT_READ,
        // The value is valid, but the other engine cannot represent it.
        TranscodeError::Value { error, .. } if is_refused(error.kind()) => EngineError::ERR_INVALID_DATA,
        _ => EngineError::ERR_FILE_CORRUPT,
    };
    let mut lines = vec![Line::error(format_args!("\"{source}\": {error}"))];
    if code == EngineError::ERR_FILE_CORRUPT {
        explain(&source.to_string(), from, &mut lines);
    }
    Failure::new(code, &lines[0].text)
}

fn is_refused(kind: &CodecErrorKind) -> bool {
    matches!(kind, CodecErrorKind::NoSuchType { .. } | CodecErrorKind::TooLarge { .. })
}
