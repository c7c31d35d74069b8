//! Objects with class and properties, which the engine's own functions write, and what it says of them beforehand.

use godot::builtin::PackedByteArray;
use godot::global::var_to_bytes_with_objects;
use varbatch_codec::limits::MAX_VALUE_LEN;
use varbatch_codec::{
    CodecError, CodecErrorKind, ElementType, Event, Kind, Mark, Reader, Text, Writer, fill, validate,
};

use crate::engine::{self, DIALECT, Value};
use crate::value::walk::{NotWalked, Owning, walk};

/// One value to bytes, with the objects in it as the engine writes them.
///
/// # Errors
/// If it cannot be written, or the engine does not write one of its objects.
pub fn encode(value: &Value) -> Result<PackedByteArray, CodecError> {
    let mut target = Owning { writer: Writer::new(DIALECT), objects: Vec::new() };
    match walk(value, &mut target) {
        Ok(()) => {}
        Err(NotWalked::Error(error)) => return Err(error),
        Err(NotWalked::FullObject) => unreachable!("their places are left"),
    }
    // From here on nothing is borrowed, and scripts may run.
    let Owning { writer, objects } = target;
    let plan = writer.into_plan();
    let (mut bytes, mut from) = (Vec::new(), Mark::default());
    for (mark, object) in objects {
        bytes.append(&mut fill::to_vec(plan.part(from, mark)));
        from = mark;
        let encoded = var_to_bytes_with_objects(&object);
        if encoded.is_empty() {
            let class = engine::class_of(engine::value(&object)).to_string();
            let reader = Reader::new(&bytes).with_objects(true);
            return Err(reader.error_at(bytes.len(), CodecErrorKind::ObjectFailed { class }));
        }
        bytes.extend_from_slice(encoded.as_slice());
    }
    bytes.append(&mut fill::to_vec(plan.part(from, plan.mark())));
    if bytes.len() > MAX_VALUE_LEN {
        return Err(Reader::new(&bytes).error_at(0, CodecErrorKind::TooLarge { found: bytes.len() }));
    }
    // The engine has counted levels from each object on, not from the value.
    match validate(Reader::new(&bytes).with_objects(true)) {
        Err(error) if *error.kind() == CodecErrorKind::TooDeep => Err(error),
        _ => Ok(bytes.into()),
    }
}

/// True if a value holds what the engine has to be asked about: an object with class and properties, or a script.
///
/// # Errors
/// If it is no value.
pub fn has_any(mut reader: Reader<'_>) -> Result<bool, CodecError> {
    let mut found = false;
    while let Some(event) = reader.next_event()? {
        found |= match event {
            Event::Object { .. } => true,
            Event::Array { element, .. } => matches!(element, ElementType::Script(_)),
            Event::Dictionary { key, value, .. } => {
                matches!(key, ElementType::Script(_)) || matches!(value, ElementType::Script(_))
            }
            _ => false,
        };
    }
    Ok(found)
}

/// Asks the engine whether it would make the objects of a value. To be called while nothing is borrowed that a script can
/// change.
///
/// # Errors
/// If it is no value, or the engine has no such class or script.
pub fn check(mut reader: Reader<'_>) -> Result<(), CodecError> {
    loop {
        let at = reader.position();
        let element_types = match reader.next_event()? {
            None => return Ok(()),
            Some(Event::Object { class: Text::Utf8(name), .. }) if !engine::can_instantiate(name) => {
                return Err(reader.error_at(at, CodecErrorKind::NoSuchClass { name: name.into() }));
            }
            Some(Event::Text(Text::Utf8("script"))) => {
                check_script(&reader)?;
                continue;
            }
            Some(Event::Array { element, .. }) => [element, ElementType::Any],
            Some(Event::Dictionary { key, value, .. }) => [key, value],
            Some(_) => continue,
        };
        for element in element_types {
            if let ElementType::Script(Text::Utf8(path)) = element
                && engine::script(path).is_none()
            {
                return Err(reader.error_at(at, CodecErrorKind::NoSuchScript { found: format!("{path:?}") }));
            }
        }
    }
}

/// The property "script": nothing, or the path of one.
fn check_script(reader: &Reader<'_>) -> Result<(), CodecError> {
    if !reader.is_in_object() {
        // A text of another value.
        return Ok(());
    }
    let at = reader.position();
    let kind = reader.peek_kind()?;
    let found = match reader.clone().next_event()? {
        Some(Event::String(Text::Utf8(path))) if engine::script(path).is_none() => format!("{path:?}"),
        Some(Event::Nil | Event::String(_)) => return Ok(()),
        _ if kind == Kind::Nil => return Ok(()),
        _ => kind.name().into(),
    };
    Err(reader.error_at(at, CodecErrorKind::NoSuchScript { found }))
}
