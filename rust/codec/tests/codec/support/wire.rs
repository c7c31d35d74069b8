//! Bytes by hand.
//!
//! Events to write, and writers that were given some.

use varbatch_codec::{CodecErrorKind, Dialect, ElementType, Event, Kind, Mark, Plain, Text, Width, Writer};

/// Numbers, one after the other.
pub fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A length and a text, padded.
pub fn text(text: impl AsRef<[u8]>) -> Vec<u8> {
    let text = text.as_ref();
    let mut bytes = words(&[text.len() as u32]);
    bytes.extend(text);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// A String.
pub fn string(of: impl AsRef<[u8]>) -> Vec<u8> {
    [words(&[4]), text(of)].concat()
}

/// Components of 32 bits.
pub fn floats(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|float| float.to_le_bytes()).collect()
}

/// Components of 64 bits.
pub fn doubles(doubles: &[f64]) -> Vec<u8> {
    doubles.iter().flat_map(|double| double.to_le_bytes()).collect()
}

/// An object with its properties; `id` is that of the type in its engine.
pub fn object(id: u32, class: impl AsRef<[u8]>, properties: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = [words(&[id]), text(class), words(&[properties.len() as u32])].concat();
    for (name, value) in properties {
        bytes.extend(text(name));
        bytes.extend(value);
    }
    bytes
}

pub const ANY: ElementType<'_> = ElementType::Any;
pub const A: Event<'_> = Event::Text(Text::Utf8("a"));
pub const ARRAY: Event<'_> = Event::Array { element: ANY, count: 2 };
pub const DICTIONARY: Event<'_> = Event::Dictionary { key: ANY, value: ANY, count: 1 };
pub const OBJECT: Event<'_> = Event::Object { class: Text::Utf8("A"), count: 2 };
pub const STRINGS: Event<'_> = Event::PackedStrings { count: 1 };
pub const NODE_PATH: Event<'_> = Event::NodePath { names: 1, subnames: 1, absolute: false };

/// A PackedByteArray.
pub fn packed(bytes: &[u8]) -> Event<'_> {
    packed_of(Kind::PackedByteArray, bytes)
}

pub fn packed_of(kind: Kind, bytes: &[u8]) -> Event<'_> {
    let count = bytes.len() / kind.shape().element_len(Width::Single).expect("plain data");
    Event::Packed(Plain { kind, width: Width::Single, count, bytes })
}

/// A value for each place that a text can have.
pub fn texts(text: Text<'_>) -> Vec<Vec<Event<'_>>> {
    let (class, script, text_alone) = (ElementType::Class(text), ElementType::Script(text), Event::Text(text));
    vec![
        vec![Event::String(text)],
        vec![Event::StringName(text)],
        vec![Event::Signal { name: text, object: 1 }],
        vec![STRINGS, text_alone],
        vec![NODE_PATH, text_alone, text_alone],
        vec![Event::Object { class: text, count: 0 }],
        vec![Event::Object { class: Text::Utf8("A"), count: 1 }, text_alone, Event::Nil],
        vec![Event::Array { element: class, count: 0 }],
        vec![Event::Array { element: script, count: 0 }],
        vec![Event::Dictionary { key: class, value: script, count: 0 }],
    ]
}

/// A writer that has written these.
pub fn after<'a>(events: &[Event<'a>]) -> Writer<'a> {
    then(Writer::new(Dialect::GODOT_4), events)
}

const END: CodecErrorKind = CodecErrorKind::Order { expected: "the end of the value" };

/// A writer that has written these as well, which may be several values.
pub fn then<'a>(mut writer: Writer<'a>, events: &[Event<'a>]) -> Writer<'a> {
    for &event in events {
        let mut written = writer.write(event);
        if written.as_ref().is_err_and(|error| *error.kind() == END) {
            writer.end_value(Mark::default()).expect("a value");
            written = writer.write(event);
        }
        written.expect("in order");
    }
    writer
}
