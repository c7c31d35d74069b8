//! Values of other engines: the codec translates their bytes, and what it makes of them is decoded or was encoded as
//! any value of Godot 4. So objects and typed containers are in one place.
//!
//! The bytes of a call are held by a reference of its own, and what there is to say is printed by the caller, last.

use godot::builtin::{PackedByteArray, Variant};
use varbatch_codec::transcode::{Losses, Lost, Translation};
use varbatch_codec::{CodecError, Dialect, Engine, Event, Reader, Writer};

use crate::calls::decode::{self, Input};
use crate::calls::encode;
use crate::engine::{self, DIALECT, Slot};
use crate::report::{Line, Report};

/// The value at the start of `bytes` in another dialect.
pub fn transcode(bytes: &PackedByteArray, translation: Translation) -> (PackedByteArray, Vec<Line>) {
    match translate(engine::bytes_of(bytes), translation) {
        Ok((result, losses)) => (result, losses.iter().map(Line::warning).collect()),
        Err(error) => (PackedByteArray::new(), vec![Line::error(error)]),
    }
}

/// Bytes of another engine to a value, null if that fails.
pub fn to_var(bytes: &PackedByteArray, from: Dialect, allow_objects: bool) -> (Variant, Vec<Line>) {
    let mut slot = Slot::new();
    let mut lines = Vec::new();
    match decode_in(bytes, from, allow_objects, &mut slot, &mut lines) {
        Ok(()) => {}
        Err(report) => {
            slot.clear();
            lines = vec![Line::error(report)];
        }
    }
    (slot.value().variant().clone(), lines)
}

fn decode_in(
    bytes: &PackedByteArray,
    from: Dialect,
    allow_objects: bool,
    slot: &mut Slot,
    lines: &mut Vec<Line>,
) -> Result<(), Report> {
    let dropped = if from.engine == Engine::Godot4 {
        decode::decode(bytes, allow_objects, slot)?
    } else {
        let bytes = engine::bytes_of(bytes);
        let translation = Translation::new(from, DIALECT).with_objects(allow_objects);
        // Nobody else sees these, so that no script can change them.
        let (translated, losses) = translation.bytes(bytes)?;
        // As with Godot 4, bytes behind the value are ignored.
        lines.extend(losses.iter().filter(|loss| loss.what != Lost::Rest).map(Line::warning));
        let input = Input { at: 0, bytes: &translated };
        decode::decode_kept(input, allow_objects, slot).map_err(|report| match report {
            Report::Error(mut error) => {
                error = error.map_at(|at| origin(bytes, from, &translated, at).unwrap_or(at));
                Report::Error(error)
            }
            report => report,
        })?
    };
    lines.extend(dropped.map(|dropped| Line::warning(Report::Dropped(dropped))));
    Ok(())
}

/// A value to the bytes of another engine, none if that fails.
pub fn from_var(value: &Variant, to: Dialect, full_objects: bool) -> (PackedByteArray, Vec<Line>) {
    let mut bytes = PackedByteArray::new();
    match encode::encode(engine::value(value), full_objects, &mut bytes) {
        Ok(()) if to.engine == Engine::Godot4 => (bytes, Vec::new()),
        Ok(()) => transcode(&bytes, Translation::new(DIALECT, to)),
        Err(error) => (PackedByteArray::new(), vec![Line::error(error)]),
    }
}

fn translate(bytes: &[u8], translation: Translation) -> Result<(PackedByteArray, Losses), CodecError> {
    let (mut writer, mut losses) = (Writer::new(translation.to), Losses::default());
    let start = writer.mark();
    translation.value(bytes, 0, &mut writer, &mut losses)?;
    writer.end_value(start)?;
    Ok((encode::to_bytes(writer.plan()), losses))
}

/// Finds the offset in `bytes` of the part that is at `at` in their translation.
///
/// Both are read in step: a translation has the events of what it translates, but null for the scripts and objects that
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
