//! A value in short, on one line.

use console::Style;
use varbatch_codec::describe::Node;
use varbatch_codec::quote::{escaped, quoted};
use varbatch_codec::{Dialect, Event, PathStep, Plain, Reader, Text};

use crate::number::{Number, elements};

/// Characters that are shown of a text or a list.
pub const LINE: usize = 60;

/// Characters that are shown of a key.
const KEY: usize = 40;

/// Texts of a PackedStringArray or NodePath that are read: more do not fit on a line, even if they are empty.
pub const MAX_TEXTS: usize = LINE + 2;

/// How many values are inside of a container; `None` for other values.
pub fn values(node: &Node<'_>) -> Option<usize> {
    match node.event {
        Event::Array { count, .. } | Event::Dictionary { count, .. } | Event::Object { count, .. } => Some(count),
        _ => None,
    }
}

/// The key, index or property that a value is at.
pub fn step(step: PathStep<'_>, dialect: Dialect) -> String {
    match step {
        PathStep::Index(index) => format!("[{index}]"),
        PathStep::Property(name) => format!(".{}", escaped(name, KEY)),
        PathStep::Key(bytes) => key(bytes, dialect, KEY),
    }
}

/// A key, up to `room` characters; only its type if it holds other values.
pub fn key(bytes: &[u8], dialect: Dialect, room: usize) -> String {
    use Event::{Bool, Components, Float, Int, Nil, String, StringName};
    let mut reader = Reader::new(bytes).with_dialect(dialect);
    let kind = reader.peek_kind().expect("it was read before").name();
    match reader.next_event() {
        Ok(Some(Nil)) => "null".into(),
        Ok(Some(event @ (Bool(_) | Int(_) | Float(_) | String(_) | StringName(_)))) => value(event, &[], room),
        Ok(Some(event @ Components(_))) => format!("{kind}{}", value(event, &[], room)),
        _ => kind.into(),
    }
}

/// A value on one line: its type, its class, and what it is or how many values are inside. `name` is how the first two look.
pub fn short(node: &Node<'_>, texts: &[Text<'_>], name: &Style) -> String {
    let named = |text| name.apply_to(escaped(text, LINE)).to_string();
    let value = values(node).map_or_else(|| value(node.event, texts, LINE), |count| format!("of {count}"));
    let parts = [Some(named(Text::Utf8(&node.type_name()))), node.class().map(named), Some(value)];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A NodePath as in scripts. `texts` are its names and subnames, or the first of them.
pub fn node_path(event: Event<'_>, texts: &[Text<'_>]) -> String {
    let Event::NodePath { names, absolute, .. } = event else { return String::new() };
    let (names, subnames) = texts.split_at(names.min(texts.len()));
    let names: Vec<_> = names.iter().map(|name| name.to_utf8()).collect();
    let subnames: String = subnames.iter().map(|name| format!(":{}", name.to_utf8())).collect();
    format!("{}{}{subnames}", if absolute { "/" } else { "" }, names.join("/"))
}

/// A value that holds no others, without its type. `texts` are its first texts.
fn value(event: Event<'_>, texts: &[Text<'_>], room: usize) -> String {
    match event {
        Event::Bool(value) => value.to_string(),
        Event::Int(value) => value.to_string(),
        Event::Float(value) => Number::F64(value).to_string(),
        Event::String(text) => quoted(text, room),
        Event::StringName(text) => format!("&{}", quoted(text, room)),
        Event::NodePath { .. } => format!("^{}", quoted(Text::Utf8(&node_path(event, texts)), room)),
        Event::Components(plain) => plain_texts(plain, room).next().unwrap_or_default(),
        Event::Packed(plain) => format!("of {} [{}]", plain.count, list(plain.count, plain_texts(plain, room), room)),
        Event::PackedStrings { count } => {
            let texts = texts.iter().map(|text| quoted(*text, room));
            format!("of {count} [{}]", list(count, texts, room))
        }
        Event::Rid(id) => id.to_string(),
        Event::Signal { name, object } => format!("{} of object {object}", quoted(name, room)),
        Event::ObjectId(0) => "null".into(),
        Event::ObjectId(id) => format!("with id {id}"),
        _ => String::new(),
    }
}

/// As many of `count` texts as there is room for, and dots for the others.
fn list(count: usize, texts: impl Iterator<Item = String>, room: usize) -> String {
    let (mut list, mut taken) = (String::new(), 0);
    for text in texts {
        // The first is shown, however long it is.
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

/// The elements of plain data, as text.
fn plain_texts(plain: Plain<'_>, room: usize) -> impl Iterator<Item = String> {
    elements(plain).map(move |element| {
        let mut numbers = element.numbers().map(|number| number.to_string());
        let is_list = numbers.len() > 1;
        if is_list { format!("({})", list(numbers.len(), numbers, room)) } else { numbers.next().unwrap_or_default() }
    })
}
