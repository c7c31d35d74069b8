//! A `Value` is what was read, in a type of serde as well; where serde buffers it, it is made of serde's own types.

use serde::Deserialize;
use varbatch_codec::serde::{from_value, read, to_vec};
use varbatch_codec::{CodecErrorKind, Dialect, DoubleValue, Engine, OwnedType, Value};

use super::Options;
use super::steps::{plain_of, read as events_of, reader, validated, write};

/// Any value, which serde buffers before it knows that.
#[derive(Deserialize)]
#[serde(untagged)]
enum Buffered {
    Any(Value),
}

/// Reads a value in several ways. Bit 0 of the options: objects are allowed; the next three are the engine.
///
/// # Panics
/// If something does not hold.
pub fn values(data: &[u8]) {
    let (options, bytes) = Options::split(data);
    let (engine, objects) = (options.engine(), options.allow_objects());
    let reader = || reader(bytes, engine, objects);
    let value = match Value::read(&mut reader()) {
        Ok(value) => value,
        Err(error) => {
            let is_deep = matches!(error.kind(), CodecErrorKind::Refused(why) if why.contains(" levels of nesting"));
            return assert!(is_deep || Err(error) == validated(bytes, engine, objects), "refused as a value alone");
        }
    };
    let (events, _) = events_of(bytes, engine, objects).expect("it is a value");
    assert!(!value.to_string().is_empty(), "shown as nothing");
    // A text that begins with a byte-order mark, or an object that only another engine has.
    let Ok(encoded) = value.encode() else { return };
    if engine == Engine::Godot4
        && events.iter().filter_map(plain_of).all(|plain| plain.has_width(Dialect::GODOT_4.real))
    {
        assert_eq!(encoded, write(&events, Dialect::GODOT_4), "written by its events");
        let wide = DoubleValue::read(&mut reader()).expect("it is as deep").encode().expect("it has the same texts");
        assert_eq!(
            Value::read(&mut super::steps::reader(&wide, engine, true)).expect("a value").encode(),
            Ok(encoded.clone())
        );
    }
    let of_type: Value = read(&mut reader()).expect("any value");
    assert_eq!(of_type.encode().as_ref(), Ok(&encoded), "in a type");
    assert_eq!(to_vec(&value).as_ref(), Ok(&encoded), "of a type");
    assert_eq!(from_value::<Value, _>(&value).and_then(|value| value.encode()).as_ref(), Ok(&encoded), "converted");
    match read(&mut reader()) {
        Ok(Buffered::Any(found)) if is_plain(&value) => assert_eq!(found.encode(), Ok(encoded), "{value} in a buffer"),
        Ok(Buffered::Any(found)) => assert!(is_plain(&found), "{found} of a buffer"),
        Err(error) => assert!(!is_plain(&value), "{error}"),
    }
}

/// True if a value is made of what serde has as well.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_) => true,
        Value::Array { element: OwnedType::Any, elements } => elements.iter().all(is_plain),
        Value::Dictionary { key: OwnedType::Any, value: OwnedType::Any, entries } => {
            entries.iter().all(|(key, value)| is_plain(key) && is_plain(value))
        }
        _ => false,
    }
}
