//! Values as an engine has them that is not Godot 4.
//!
//! Values through a translation, with what it says.

use varbatch_codec::transcode::Translation;
use varbatch_codec::{Dialect, Engine, Kind};

use super::numbers;
use super::value::{Element, Value, chars};

/// Whether the engine has such a type.
pub fn has(engine: Engine, kind: Kind) -> bool {
    numbers::number(engine, kind.id()).is_some()
}

/// The value as the engine can have it: what it has no type for is an int, and containers say less of what is in them.
pub fn fitted(engine: Engine, value: Value) -> Value {
    if engine == Engine::Godot4 {
        return value;
    }
    value.map(&mut |value| match with_type(engine, value) {
        Value::Rid(_) => Value::Rid(0),
        Value::NodePath { names, subnames, .. } if names.len() + subnames.len() == 0 => {
            Value::NodePath { names, subnames, absolute: false }
        }
        Value::Array { element, elements } => {
            let element = fitted_element(engine, element);
            let is = |typed| elements.iter().any(|value| is_array(value, typed));
            let is_mixed = engine == Engine::Pandemonium && is(true) && is(false);
            let element = if is_mixed && element == Element::Builtin(Kind::Array) { Element::Any } else { element };
            Value::Array { element, elements }
        }
        Value::Dictionary { entries, .. } => Value::dictionary(entries),
        other => other,
    })
}

/// The value, or an int if the engine has no type for it.
pub fn with_type(engine: Engine, value: Value) -> Value {
    match value {
        Value::Plain { kind, count, .. } if !has(engine, kind) => Value::Int(count as i64),
        Value::StringName(chars) if !has(engine, Kind::StringName) => Value::Int(chars.len() as i64),
        Value::Callable if !has(engine, Kind::Callable) => Value::Int(0),
        Value::Signal { object, .. } if !has(engine, Kind::Signal) => Value::Int(object as i64),
        other => other,
    }
}

/// Whether it is an Array that says, or does not say, what is in it.
pub fn is_array(value: &Value, typed: bool) -> bool {
    matches!(value, Value::Array { element, .. } if (*element != Element::Any) == typed)
}

fn fitted_element(engine: Engine, element: Element) -> Element {
    match (engine, element) {
        // Of a class without a name Pandemonium takes no object.
        (Engine::Pandemonium, Element::Builtin(Kind::Object)) => Element::Class(chars("Object")),
        (Engine::Pandemonium, Element::Builtin(kind)) if has(engine, kind) => Element::Builtin(kind),
        (Engine::Pandemonium, Element::Class(class)) if !class.is_empty() => Element::Class(class),
        _ => Element::Any,
    }
}

pub const GODOT_3: Dialect = Dialect::GODOT_3;
pub const GODOT_4: Dialect = Dialect::GODOT_4;
pub const DOUBLE: Dialect = Dialect::GODOT_4_DOUBLE;
pub const PANDEMONIUM: Dialect = Dialect::PANDEMONIUM;

/// The bytes, and the lines about what was lost, with "; " between them.
pub fn translate(from: Dialect, to: Dialect, bytes: &[u8]) -> (Vec<u8>, String) {
    let translated = Translation::new(from, to).bytes(bytes);
    let (bytes, losses) = translated.unwrap_or_else(|error| panic!("{error}: {bytes:02x?}"));
    (bytes, losses.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
}

/// Translates and compares the bytes and the lines.
#[track_caller]
pub fn assert_becomes(from: Dialect, to: Dialect, bytes: &[u8], expected: &[u8], lines: &str) {
    assert_eq!(translate(from, to, bytes), (expected.to_vec(), lines.to_owned()));
}
