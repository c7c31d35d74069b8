//! Encodes objects with class and properties through the engine's own functions, and asks the engine before decoding
//! whether it can make them.

use std::ops::ControlFlow;

use godot::builtin::PackedByteArray;
use godot::global::var_to_bytes_with_objects;
use varbatch_codec::limits::{MAX_DEPTH, MAX_VALUE_LEN};
use varbatch_codec::{CodecError, CodecErrorKind, Event, Kind, Mark, Reader, Text, fill, validate};

use super::walk::Copying;
use super::{element_scripts, refused};
use crate::engine::{self, Value};

/// True if a value holds a live object, which only the engine can encode with class and properties.
pub fn is_in(value: &Value) -> bool {
    // Each value takes at least 4 bytes.
    search(value, 0, &mut (MAX_VALUE_LEN / 4)) == ControlFlow::Break(true)
}

/// Searches a value that may have `max` values in it. Breaks with true at a live object, and with false if the value
/// cannot be encoded.
fn search(value: &Value, depth: usize, max: &mut usize) -> ControlFlow<bool> {
    if depth > MAX_DEPTH || *max == 0 {
        return ControlFlow::Break(false);
    }
    *max -= 1;
    let view = value.view();
    match view.kind() {
        Kind::Object if value.object_id() != 0 => ControlFlow::Break(true),
        Kind::Array => view.elements().iter().try_for_each(|element| search(element, depth + 1, max)),
        Kind::Dictionary => {
            let both = |(key, value): (&Value, &Value)| {
                search(key, depth + 1, max)?;
                search(value, depth + 1, max)
            };
            if let Some(mut entries) = view.entries() {
                return entries.try_for_each(both);
            }
            let (keys, values) = view.keys_and_values();
            engine::values(&keys).iter().zip(engine::values(&values)).try_for_each(both)
        }
        _ => ControlFlow::Continue(()),
    }
}

/// Encodes one value; the engine encodes the objects in it.
///
/// # Errors
/// If the value cannot be written, or the engine does not write one of its objects.
pub fn encode(value: &Value) -> Result<PackedByteArray, CodecError> {
    let (plan, objects) = Copying::of(value, true)?;
    // Nothing is borrowed from here on, so scripts may run.
    let (mut bytes, mut from) = (Vec::new(), Mark::default());
    for (mark, object) in objects {
        bytes.append(&mut fill::to_vec(plan.part(from, mark)));
        from = mark;
        let encoded = var_to_bytes_with_objects(&object);
        if encoded.is_empty() {
            let class = engine::class_of(engine::value(&object)).to_string();
            let reader = Reader::new(&bytes).with_objects(true);
            return Err(reader.error_at(bytes.len(), refused::object_failed(&class)));
        }
        bytes.extend_from_slice(encoded.as_slice());
    }
    bytes.append(&mut fill::to_vec(plan.part(from, plan.mark())));
    if bytes.len() > MAX_VALUE_LEN {
        return Err(Reader::new(&bytes).error_at(0, CodecErrorKind::TooLarge { found: bytes.len() }));
    }
    // The engine counted the nesting depth from each object, not from the value.
    match validate(Reader::new(&bytes).with_objects(true)) {
        Err(error) if *error.kind() == CodecErrorKind::TooDeep => Err(error),
        _ => Ok(bytes.into()),
    }
}

/// True if a value holds something that [`check`] must ask the engine about: an object with class and properties, or a
/// script.
///
/// # Errors
/// If the bytes are no value.
pub fn has_any(mut reader: Reader<'_>) -> Result<bool, CodecError> {
    let mut found = false;
    while let Some(event) = reader.next_event()? {
        found |= matches!(event, Event::Object { .. }) || element_scripts(event).next().is_some();
    }
    Ok(found)
}

/// Checks that the engine can make the objects of a value. Call this only while nothing is borrowed that a script can
/// change.
///
/// # Errors
/// If the bytes are no value, or the engine does not have a class or a script.
pub fn check(mut reader: Reader<'_>) -> Result<(), CodecError> {
    let mut objects = refused::Objects::default();
    loop {
        let at = reader.position();
        let Some(event) = reader.next_event()? else { return Ok(()) };
        match event {
            Event::Object { class: Text::Utf8(class), .. } if engine::can_instantiate(class) => {
                objects.enter(&reader, class);
            }
            Event::Object { class: Text::Utf8(class), .. } => {
                return Err(reader.error_at(at, refused::no_such_class(class)));
            }
            Event::Text(Text::Utf8("script")) if reader.is_in_object() => check_script(&reader)?,
            Event::Text(Text::Utf8(name)) if reader.is_in_object() => objects.check(&reader, name)?,
            _ => {}
        }
        if let Some(path) = element_scripts(event).find(|path| engine::script(path).is_none()) {
            return Err(reader.error_at(at, refused::no_such_script(&format!("{path:?}"))));
        }
    }
}

/// Checks the value of the property "script", which must be null or the path of a script.
fn check_script(reader: &Reader<'_>) -> Result<(), CodecError> {
    let at = reader.position();
    let kind = reader.peek_kind()?;
    let found: String = match reader.clone().next_event()? {
        Some(Event::String(Text::Utf8(path))) if engine::script(path).is_none() => format!("{path:?}"),
        Some(Event::Nil | Event::String(_)) => return Ok(()),
        _ if kind == Kind::Nil => return Ok(()),
        _ => kind.name().into(),
    };
    Err(reader.error_at(at, refused::no_such_script(&found)))
}
