//! Encodes objects with class and properties through the engine's own functions, and asks the engine before decoding
//! whether it can make them.

use godot::builtin::PackedByteArray;
use godot::global::var_to_bytes_with_objects;
use varbatch_codec::limits::MAX_VALUE_LEN;
use varbatch_codec::{
    CodecError, CodecErrorKind, ElementType, Event, Kind, Mark, Reader, Text, Writer, fill, validate,
};

use super::hostile::Objects;
use super::refused;
use crate::engine::{self, DIALECT, Value};
use crate::value::walk::{NotWalked, Owning, walk};

/// Encodes one value; the engine encodes the objects in it.
///
/// # Errors
/// If the value cannot be written, or the engine does not write one of its objects.
pub fn encode(value: &Value) -> Result<PackedByteArray, CodecError> {
    let mut target = Owning { writer: Writer::new(DIALECT), objects: Vec::new() };
    match walk(value, &mut target) {
        Ok(()) => {}
        Err(NotWalked::Error(error)) => return Err(error),
        Err(NotWalked::FullObject) => unreachable!("`Owning` leaves gaps for objects"),
    }
    // Nothing is borrowed from here on, so scripts may run.
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

/// Checks that the engine can make the objects of a value. Call this only while nothing is borrowed that a script can
/// change.
///
/// # Errors
/// If the bytes are no value, or the engine does not have a class or a script.
pub fn check(mut reader: Reader<'_>) -> Result<(), CodecError> {
    let mut objects = Objects::default();
    loop {
        let at = reader.position();
        let element_types = match reader.next_event()? {
            None => return Ok(()),
            Some(Event::Object { class: Text::Utf8(name), .. }) if !engine::can_instantiate(name) => {
                return Err(reader.error_at(at, refused::no_such_class(name)));
            }
            Some(Event::Object { class: Text::Utf8(class), .. }) => {
                objects.enter(&reader, class);
                continue;
            }
            Some(Event::Text(Text::Utf8(name))) if name != "script" => {
                if reader.is_in_object() {
                    objects.check(&reader, name)?;
                }
                continue;
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
                return Err(reader.error_at(at, refused::no_such_script(&format!("{path:?}"))));
            }
        }
    }
}

/// Checks the value of the property "script", which must be null or the path of a script.
fn check_script(reader: &Reader<'_>) -> Result<(), CodecError> {
    if !reader.is_in_object() {
        // A text elsewhere in the value, not a property name.
        return Ok(());
    }
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
