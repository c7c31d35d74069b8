//! Converts values and files of other engines. The codec translates bytes between dialects; values are always encoded and
//! decoded in the dialect of Godot 4, so that objects and typed containers are handled in one place.

use godot::builtin::{GString, PackedByteArray, Variant};
use godot::global::Error as EngineError;
use varbatch_codec::transcode::{Losses, Lost, Translation};
use varbatch_codec::{CodecError, Dialect, Engine, Event, Plan, Reader, Writer};
use varbatch_storage::Seen;
use varbatch_storage::compressed::Compression;
use varbatch_storage::transcode::{self as frames, TranscodeError};

use super::decode::{self, Input};
use super::encode;
use super::load::{Source, explained, key_of};
use super::save::{SaveTarget, finish};
use crate::engine::{self, DIALECT, Slot};
use crate::jobs::tuning::LOAD_PARALLEL_FROM;
use crate::objects::Makers;
use crate::report::{Failure, Line, Outcome};

pub fn transcode(bytes: &PackedByteArray, translation: Translation) -> Outcome<PackedByteArray> {
    let (mut writer, mut losses) = (Writer::new(translation.to), Losses::default());
    let start = writer.mark();
    let translated = translation.value(engine::bytes_of(bytes), 0, &mut writer, &mut losses);
    let ended = translated.and_then(|_| writer.end_value(start));
    let outcome = |()| Outcome::new(encode::to_bytes(writer.plan()), losses.iter().map(Line::warning).collect());
    ended.map(outcome).into()
}

pub fn to_var(bytes: &PackedByteArray, from: Dialect, mut makers: Makers) -> Result<Outcome<Variant>, CodecError> {
    let (mut slot, mut lines) = (Slot::new(), Vec::new());
    let dropped = if from.engine == Engine::Godot4 {
        decode::decode_held(Input::of(&bytes.clone()), &mut makers, &mut slot)?
    } else {
        let bytes = engine::bytes_of(bytes);
        let translation = Translation { allow_objects: makers.allow_objects(), ..Translation::new(from, DIALECT) };
        // No script can reach the translated bytes.
        let (translated, losses) = translation.bytes(bytes)?;
        lines.extend(losses.iter().map(Line::warning));
        let input = Input { at: 0, bytes: &translated };
        let origin = |at| origin(bytes, from, &translated, at).unwrap_or(at);
        decode::decode_held(input, &mut makers, &mut slot).map_err(|error| error.map_at(origin))?
    };
    makers.made.keep_all();
    lines.extend(dropped.map(|dropped| dropped.lines(engine::bytes_of(bytes))).unwrap_or_default());
    Ok(Outcome::new(slot.value().variant().clone(), lines))
}

pub fn from_var(value: &Variant, to: Dialect, full_objects: bool) -> Outcome<PackedByteArray> {
    let mut bytes = PackedByteArray::new();
    match encode::encode(engine::value(value), full_objects, &mut bytes) {
        Ok(()) if to.engine == Engine::Godot4 => Outcome::new(bytes, Vec::new()),
        Ok(()) => transcode(&bytes, Translation::new(DIALECT, to)),
        Err(error) => Outcome::failed(PackedByteArray::new(), error),
    }
}

/// Maps offset `at` of a translation to `bytes` by reading both: their events are the same, but null for what was lost.
fn origin(bytes: &[u8], from: Dialect, translated: &[u8], at: usize) -> Option<usize> {
    let mut old = Reader::new(bytes).with_dialect(from).with_objects(true);
    let mut new = Reader::new(translated).with_objects(true);
    while new.position() < at {
        let depth = old.depth();
        old.next_event().ok()??;
        if let Event::Nil = new.next_event().ok()?? {
            old.finish_value(depth).ok()?;
        }
    }
    Some(old.position())
}

/// Translates all values of a file into a file, which may be the same. Returns when they are on the disk. It stays encrypted,
/// and compressed, in the same mode if that can be written. If this fails, an existing target stays unchanged: also if bytes
/// after values would be left out, unless `force` is set.
pub fn transcode_file(
    from: &GString,
    to: &GString,
    translation: Translation,
    key: &Variant,
    force: bool,
) -> Result<Outcome<EngineError>, Failure> {
    let key = key_of(key).map_err(Failure::invalid)?;
    if key.is_some() && translation.to.engine != Engine::Godot4 {
        let name = translation.to.engine.name();
        return Err(Failure::invalid(format_args!(
            "expected a file without a key for {name}, as encrypted files are those of Godot 4"
        )));
    }
    let mut target = SaveTarget { key, dialect: translation.to, ..SaveTarget::plain(to) };
    // Before the ticket, as the engine may print why it does not open a project file: a Logger may run.
    let file = Source { key, ..Source::plain(from) };
    let seen = file.seen();
    let mut loader = file.open()?;
    let ticket = target.ticket();
    target.compression = loader.compression().map(Compression::written);
    let (len, _) = loader.len();
    crate::jobs::pool::with(len >= LOAD_PARALLEL_FROM || loader.compression().is_some(), |threads| {
        let failed = |error| failure(&file, &target, translation.from, error);
        // A compressed source is read twice: the header of the target needs the total length.
        let mut total = 0;
        if loader.compression().is_some() {
            total = frames::translated_len(&mut loader, translation, threads, |_, _| {}).map_err(failed)?;
            loader = file.open()?;
        }
        let mut saver = target.create(total)?;
        let write = |plan: &Plan<'_>| saver.write_all(plan, threads);
        let (_, losses) = frames::file(&mut loader, translation, threads, |_, _| {}, write).map_err(failed)?;
        if let Some(rest) = losses.iter().find(|loss| loss.what == Lost::Rest && !force) {
            let text = format!("{rest}; nothing was written, force = true leaves them out");
            return Err(explained(&file, translation.from, text.into()));
        }
        // The source may be the file to replace, and some systems cannot replace an open file.
        drop(loader);
        // Nothing is lost if the source is replaced, even if it could not be loaded as values of Godot 4.
        let replaced = seen.filter(|seen| losses.is_empty() && Seen::at(&target.path).is_ok_and(|now| now == *seen));
        replaced.iter().for_each(|seen| seen.note(&target.path, true));
        let finished = finish(&target, &ticket, saver, threads);
        let aside = finished.inspect_err(|_| replaced.iter().for_each(|seen| seen.note(&target.path, false)))?;
        let warnings = losses.iter().map(|loss| Line::warning(format_args!("\"{}\": {loss}", file.shown)));
        Ok(Outcome::new(EngineError::OK, warnings.chain(aside).collect()))
    })
}

fn failure(source: &Source, target: &SaveTarget, from: Dialect, error: TranscodeError) -> Failure {
    let failure = match error {
        TranscodeError::Save(error) => return target.not_written(&error),
        TranscodeError::Load(error) => error.into(),
        TranscodeError::Value { index, error } => Failure::from(error).of(format_args!("value {index}")),
    };
    explained(source, from, failure)
}
