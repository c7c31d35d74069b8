//! The writing half of the format once more, as plainly as it can be said: what the Writer and `fill` must give.

use varbatch_codec::{Engine, Kind, Width};

use super::numbers::{self, TYPED_ARRAY};
use super::value::{Chars, Element, Value};
use super::wire::{doubles, floats, text, words};

/// One value.
pub fn value(of: &Value) -> Vec<u8> {
    value_of(Engine::Godot4, of)
}

/// One value by the rules of an engine, which has a type for each part of it.
pub fn value_of(engine: Engine, of: &Value) -> Vec<u8> {
    let number = |kind| u32::from(numbers::number(engine, kind).expect("a type of the engine"));
    let head = |kind| words(&[number(kind)]);
    let all = |values: &[&Value]| values.iter().map(|one| value_of(engine, one)).collect::<Vec<_>>().concat();
    match of {
        Value::Nil => words(&[0]),
        Value::Bool(value) => words(&[1, if *value { 1 } else { 0 }]),
        Value::Int(value) if (-0x8000_0000..=0x7fff_ffff).contains(value) => words(&[2, *value as u32]),
        Value::Int(value) => [&words(&[0x10002])[..], &value.to_le_bytes()].concat(),
        Value::Float(value) if f64::from(*value as f32) == *value => [words(&[3]), floats(&[*value as f32])].concat(),
        Value::Float(value) => [words(&[0x10003]), doubles(&[*value])].concat(),
        Value::Plain { kind, width, count, bytes } => {
            let flag = if *width == Width::Double { 0x10000 } else { 0 };
            let count = if kind.id() >= Kind::PackedByteArray.id() { words(&[*count as u32]) } else { vec![] };
            let mut out = [words(&[number(kind.id()) | flag]), count, bytes.clone()].concat();
            while !out.len().is_multiple_of(4) {
                out.push(0);
            }
            out
        }
        Value::Texts(texts) => {
            let all: Vec<_> = texts.iter().map(|chars| text([&utf8(chars)[..], b"\0"].concat())).collect();
            [words(&[number(34), texts.len() as u32]), all.concat()].concat()
        }
        Value::String(chars) => [words(&[4]), text(utf8(chars))].concat(),
        Value::StringName(chars) => [head(21), text(utf8(chars))].concat(),
        Value::NodePath { names, subnames, absolute } => {
            let flags = if *absolute { 1 } else { 0 };
            let head = words(&[number(22), 0x8000_0000 + names.len() as u32, subnames.len() as u32, flags]);
            [head, names.iter().chain(subnames).flat_map(|name| text(utf8(name))).collect()].concat()
        }
        Value::Rid(id) if engine == Engine::Godot4 => [&head(23)[..], &id.to_le_bytes()].concat(),
        // Other engines write no id.
        Value::Rid(_) => head(23),
        Value::Callable => head(25),
        Value::Signal { name, object } => [&head(26)[..], &text(utf8(name)), &object.to_le_bytes()].concat(),
        Value::ObjectId(id) => [&words(&[0x10000 + number(24)])[..], &id.to_le_bytes()].concat(),
        Value::Object { class, properties } => {
            let property = |(name, value): &(Chars, Value)| [text(utf8(name)), value_of(engine, value)].concat();
            let all = properties.iter().flat_map(property).collect();
            [head(24), text(utf8(class)), words(&[properties.len() as u32]), all].concat()
        }
        Value::Dictionary { key, value, entries } => {
            let header = number(27) + 0x1_0000 * form(key) + 0x4_0000 * form(value);
            let parts: Vec<_> = entries.iter().flat_map(|(key, value)| [key, value]).collect();
            let head = [words(&[header]), element(key), element(value), words(&[entries.len() as u32])];
            [head.concat(), all(&parts)].concat()
        }
        Value::Array { element: of_all, elements } => {
            let head = if engine == Engine::Pandemonium && form(of_all) > 0 {
                typed_array(of_all, elements)
            } else {
                [words(&[number(28) + 0x1_0000 * form(of_all)]), element(of_all)].concat()
            };
            [head, words(&[elements.len() as u32]), all(&elements.iter().collect::<Vec<_>>())].concat()
        }
    }
}

/// Whether it is an Array that says what is in it.
fn is_typed(value: &Value) -> bool {
    matches!(value, Value::Array { element, .. } if form(element) > 0)
}

fn form(element: &Element) -> u32 {
    match element {
        Element::Any => 0,
        Element::Builtin(_) => 1,
        Element::Class(_) => 2,
        Element::Script(_) => 3,
    }
}

fn element(element: &Element) -> Vec<u8> {
    match element {
        Element::Any => vec![],
        Element::Builtin(kind) => words(&[kind.id().into()]),
        Element::Class(chars) | Element::Script(chars) => text(utf8(chars)),
    }
}

/// The head of a typed array of Pandemonium 5, up to its count.
fn typed_array(element: &Element, elements: &[Value]) -> Vec<u8> {
    let number = |kind| u32::from(numbers::number(Engine::Pandemonium, kind).expect("a type of the engine"));
    let of_class = |class| [words(&[number(TYPED_ARRAY), number(24), number(21)]), text(class)].concat();
    match element {
        Element::Builtin(Kind::Array) if elements.iter().any(is_typed) => words(&[number(TYPED_ARRAY); 2]),
        Element::Builtin(kind) if *kind != Kind::Object => words(&[number(TYPED_ARRAY), number(kind.id())]),
        // The class is a value: a StringName.
        Element::Class(class) if !class.is_empty() => of_class(utf8(class)),
        Element::Builtin(_) | Element::Class(_) => of_class(b"Object".to_vec()),
        Element::Any | Element::Script(_) => panic!("not {element:?}"),
    }
}

/// Text, with the five and six byte forms that UTF-8 once had; beyond 31 bits U+FFFD.
pub fn utf8(chars: &[u32]) -> Vec<u8> {
    let mut out = Vec::new();
    for &c in chars {
        let tail = |shift: u32| 0x80 | ((c >> shift) & 0x3f) as u8;
        match c {
            0..=0x7f => out.push(c as u8),
            0x80..=0x7ff => out.extend([0xc0 | (c >> 6) as u8, tail(0)]),
            0x800..=0xffff => out.extend([0xe0 | (c >> 12) as u8, tail(6), tail(0)]),
            0x1_0000..=0x1f_ffff => out.extend([0xf0 | (c >> 18) as u8, tail(12), tail(6), tail(0)]),
            0x20_0000..=0x3ff_ffff => out.extend([0xf8 | (c >> 24) as u8, tail(18), tail(12), tail(6), tail(0)]),
            0x400_0000..=0x7fff_ffff => {
                out.extend([0xfc | (c >> 30) as u8, tail(24), tail(18), tail(12), tail(6), tail(0)]);
            }
            0x8000_0000.. => out.extend([0xef, 0xbf, 0xbd]),
        }
    }
    out
}
