//! A value in short, as a line has room for it.

use varbatch_codec::describe::{Node, Way};
use varbatch_codec::{Event, Plain, Scalar, Shape, Text};

/// Characters that a text or a list is cut at.
pub const LINE: usize = 60;

/// Characters that a key is cut at.
const KEY: usize = 40;

/// Texts of a PackedStringArray or NodePath that are looked at: even without a character they fill a line.
pub const MOST_TEXTS: usize = LINE + 2;

/// How many values are inside, of a container.
pub fn values(node: &Node<'_>) -> Option<usize> {
    match node.event {
        Event::Array { count, .. } | Event::Dictionary { count, .. } | Event::Object { count, .. } => Some(count),
        _ => None,
    }
}

/// What leads to a value.
pub fn way(way: Way<'_>) -> String {
    match way {
        Way::Root => String::new(),
        Way::Index(index) => format!("[{index}]"),
        Way::Property(name) => format!(".{}", escaped(&name.to_utf8(), KEY)),
        Way::Key { kind, event, .. } => match event {
            Event::Nil => "null".into(),
            Event::Bool(_) | Event::Int(_) | Event::Float(_) | Event::StringName(_) => of_event(event, KEY),
            Event::String(_) => of_event(event, KEY),
            Event::Components(_) => format!("{}{}", kind.name(), of_event(event, KEY)),
            _ => kind.name().into(),
        },
    }
}

/// A value without values inside. `texts` are the first of those that it has.
pub fn value(node: &Node<'_>, texts: &[Text<'_>]) -> String {
    match node.event {
        Event::PackedStrings { count } => {
            let list = list(count, texts.iter().map(|text| quoted(*text, LINE)), LINE);
            format!("of {count} [{list}]")
        }
        Event::NodePath { names, absolute, .. } => {
            let (names, subnames) = texts.split_at(names.min(texts.len()));
            let names: Vec<_> = names.iter().map(|text| text.to_utf8()).collect();
            let mut path = format!("{}{}", if absolute { "/" } else { "" }, names.join("/"));
            for name in subnames {
                path += &format!(":{}", name.to_utf8());
            }
            format!("^{}", quoted(Text::Utf8(&path), LINE))
        }
        event => of_event(event, LINE),
    }
}

fn of_event(event: Event<'_>, room: usize) -> String {
    match event {
        Event::Bool(value) => value.to_string(),
        Event::Int(value) => value.to_string(),
        Event::Float(value) => float(value, format!("{value:?}")),
        Event::String(text) => quoted(text, room),
        Event::StringName(text) => format!("&{}", quoted(text, room)),
        Event::Components(plain) => elements(plain, room).next().unwrap_or_default(),
        Event::Packed(plain) => {
            format!("of {} [{}]", plain.count, list(plain.count, elements(plain, room), room))
        }
        Event::Rid(id) => id.to_string(),
        Event::Signal { name, object } => format!("{} of object {object}", quoted(name, room)),
        Event::ObjectId(0) => "null".into(),
        Event::ObjectId(id) => format!("with id {id}"),
        _ => String::new(),
    }
}

/// As many of `count` texts as there is room for, and a sign that there are more.
fn list(count: usize, texts: impl Iterator<Item = String>, room: usize) -> String {
    let (mut list, mut taken) = (String::new(), 0);
    for text in texts {
        // The first is shown, however long.
        if taken > 0 && list.chars().count() + text.chars().count() > room {
            break;
        }
        list += if taken > 0 { ", " } else { "" };
        list += &text;
        taken += 1;
    }
    if taken < count {
        list += if taken > 0 { ", ..." } else { "..." };
    }
    list
}

/// The elements of plain data.
fn elements<'a>(plain: Plain<'a>, room: usize) -> impl Iterator<Item = String> + 'a {
    let (scalar, count) = match plain.kind.shape() {
        Shape::Components { scalar, count } | Shape::Packed { scalar, count } => (scalar, usize::from(count)),
        _ => unreachable!("no plain data is of {}", plain.kind.name()),
    };
    let size = scalar.size(plain.width);
    plain.bytes.chunks(size * count).map(move |element| {
        let scalars = element.chunks(size).map(|bytes| number(scalar, bytes));
        if count == 1 { scalars.collect() } else { format!("({})", list(count, scalars, room)) }
    })
}

/// A scalar.
fn number(scalar: Scalar, bytes: &[u8]) -> String {
    let four = || bytes.try_into().expect("of four bytes");
    let eight = || bytes.try_into().expect("of eight bytes");
    match (scalar, bytes.len()) {
        (Scalar::U8, _) => bytes[0].to_string(),
        (Scalar::I32, _) => i32::from_le_bytes(four()).to_string(),
        (Scalar::I64, _) => i64::from_le_bytes(eight()).to_string(),
        (Scalar::F32, _) | (Scalar::Real, 4) => {
            let value = f32::from_le_bytes(four());
            float(value.into(), format!("{value:?}"))
        }
        (Scalar::F64 | Scalar::Real, _) => {
            let value = f64::from_le_bytes(eight());
            float(value, format!("{value:?}"))
        }
    }
}

/// A float as GDScript writes it.
fn float(value: f64, text: String) -> String {
    if value.is_nan() { "nan".into() } else { text }
}

/// Text in quotes, with a sign if it is cut.
fn quoted(text: Text<'_>, room: usize) -> String {
    let text = text.to_utf8();
    let cut = if text.chars().nth(room).is_some() { "..." } else { "" };
    let escaped = escape(text.chars().take(room));
    format!("\"{escaped}\"{cut}")
}

/// Text on one line, with a sign if it is cut.
pub fn escaped(text: &str, room: usize) -> String {
    let cut = if text.chars().nth(room).is_some() { "..." } else { "" };
    format!("{}{cut}", escape(text.chars().take(room)))
}

/// A file must not be able to steer a terminal, or to turn the order of a line round.
fn escape(chars: impl Iterator<Item = char>) -> String {
    let mut escaped = String::new();
    for char in chars {
        match char {
            '"' | '\\' => escaped.extend(['\\', char]),
            '\n' => escaped += "\\n",
            '\r' => escaped += "\\r",
            '\t' => escaped += "\\t",
            '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => {
                escaped += &format!("\\u{:04x}", u32::from(char));
            }
            char if char.is_control() => escaped += &format!("\\u{:04x}", u32::from(char)),
            char => escaped.push(char),
        }
    }
    escaped
}
