//! Converts values of other engines. The codec translates bytes between dialects; values are always encoded and decoded
//! in the dialect of Godot 4, so that objects and typed containers are handled in one place.
//!
//! A call holds its bytes by a reference of its own. The caller prints the messages, last of all.

use godot::builtin::{PackedByteArray, Variant};
use varbatch_codec::transcode::{Losses, Lost, Translation};
use varbatch_codec::{CodecError, Dialect, Engine, Event, Reader, Writer};

use crate::calls::decode::{self, Input};
use crate::calls::encode;
use crate::engine::{self, DIALECT, Slot};
use crate::jobs::outcome::Outcome;
use crate::report::Line;

/// Translates the value at the start of `bytes` to another dialect.
pub fn transcode(bytes: &PackedByteArray, translation: Translation) -> Outcome<PackedByteArray> {
    match translate(engine::bytes_of(bytes), translation) {
        Ok((result, losses)) => Outcome::new(result, losses.iter().map(Line::warning).collect()),
        Err(error) => Outcome::of(Err(error)),
    }
}

/// Decodes bytes of another engine; null if that fails.
pub fn to_var(bytes: &PackedByteArray, from: Dialect, allow_objects: bool) -> Outcome<Variant> {
    let (mut slot, mut lines) = (Slot::new(), Vec::new());
    match decode_in(bytes, from, allow_objects, &mut slot, &mut lines) {
        Ok(()) => Outcome::new(slot.value().variant().clone(), lines),
        Err(error) => Outcome::of(Err(error)),
    }
}

fn decode_in(
    bytes: &PackedByteArray,
    from: Dialect,
    allow_objects: bool,
    slot: &mut Slot,
    lines: &mut Vec<Line>,
) -> Result<(), CodecError> {
    let dropped = if from.engine == Engine::Godot4 {
        decode::decode(bytes, allow_objects, slot)?
    } else {
        let bytes = engine::bytes_of(bytes);
        let translation = Translation::new(from, DIALECT).with_objects(allow_objects);
        // No script can reach the translated bytes.
        let (translated, losses) = translation.bytes(bytes)?;
        // Bytes after the value are ignored, as for Godot 4.
        lines.extend(losses.iter().filter(|loss| loss.what != Lost::Rest).map(Line::warning));
        let input = Input { at: 0, bytes: &translated };
        let origin = |at| origin(bytes, from, &translated, at).unwrap_or(at);
        decode::decode_held(input, allow_objects, slot).map_err(|error| error.map_at(origin))?
    };
    lines.extend(dropped.map(Line::warning));
    Ok(())
}

/// Encodes a value for another engine; empty if that fails.
pub fn from_var(value: &Variant, to: Dialect, full_objects: bool) -> Outcome<PackedByteArray> {
    let mut bytes = PackedByteArray::new();
    match encode::encode(engine::value(value), full_objects, &mut bytes) {
        Ok(()) if to.engine == Engine::Godot4 => Outcome::new(bytes, Vec::new()),
        Ok(()) => transcode(&bytes, Translation::new(DIALECT, to)),
        Err(error) => Outcome::of(Err(error)),
    }
}

fn translate(bytes: &[u8], translation: Translation) -> Result<(PackedByteArray, Losses), CodecError> {
    let (mut writer, mut losses) = (Writer::new(translation.to), Losses::default());
    let start = writer.mark();
    translation.value(bytes, 0, &mut writer, &mut losses)?;
    writer.end_value(start)?;
    Ok((encode::to_bytes(writer.plan()), losses))
}

/// Maps the offset `at` in a translation to the offset in the original `bytes`.
///
/// Reads both in step: a translation has the same events as the original, except null for the scripts and objects that
/// it leaves out.
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
