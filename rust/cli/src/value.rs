//! A value in short, on one line for people; or as JSON. The structs are its format: the help of each command promises the
//! names of their fields. Both have numbers with all of their digits.

use std::fmt::{Display, Formatter, from_fn};

use console::Style;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use varbatch_codec::describe::{Found, Node, nodes};
use varbatch_codec::quote::{escaped, quoted, visible};
use varbatch_codec::{CodecError, Dialect, Event, Kind, PathStep, Plain, Reader, Scalar, Shape, Text, validate};

/// Characters that are shown of a text or a list, and of a key.
pub const LINE: usize = 60;
const KEY: usize = 40;

/// Bytes of a key that is shown with the values in it, each level of which is read again.
const MAX_KEY: usize = 4096;

/// Texts of a PackedStringArray or NodePath that are read: more do not fit on a line, even if they are empty.
pub const MAX_TEXTS: usize = LINE + 2;

/// How many values are inside of a container; `None` for other values.
pub fn values(node: &Node<'_>) -> Option<usize> {
    match node.event {
        Event::Array { count, .. } | Event::Dictionary { count, .. } | Event::Object { count, .. } => Some(count),
        _ => None,
    }
}

pub fn step(step: PathStep<'_>, dialect: Dialect) -> String {
    match step {
        PathStep::Index(index) => format!("[{index}]"),
        PathStep::Property(name) => format!(".{}", escaped(name, KEY)),
        PathStep::Key(bytes) => key(bytes, dialect, KEY),
    }
}

/// A key, up to `room` characters; only its type if one that holds other values is longer.
pub fn key(bytes: &[u8], dialect: Dialect, room: usize) -> String {
    use Event::{
        Array, Bool, Components, Dictionary, Float, Int, Nil, NodePath, Packed, PackedStrings, String, StringName,
    };
    let mut reader = Reader::new(bytes).with_dialect(dialect);
    // One that a store lists was not read before.
    let Ok(kind) = reader.peek_kind().map(Kind::name) else { return "damaged".into() };
    let event = reader.next_event();
    let keys = |count| keys(&bytes[reader.position()..], count, dialect);
    let whole = match event {
        Ok(Some(Nil)) => return "null".into(),
        Ok(Some(event @ (Bool(_) | Int(_) | Float(_) | String(_) | StringName(_)))) => return value(event, &[], room),
        Ok(Some(event @ Components(_))) => return format!("{kind}{}", value(event, &[], room)),
        _ if bytes.len() > MAX_KEY => None,
        Ok(Some(NodePath { .. } | Packed(_) | PackedStrings { .. })) => first(bytes, 0, dialect, usize::MAX)
            .map(|Value { node, texts, .. }| format!("{kind} {}", value(node.event, &texts, usize::MAX)))
            .ok(),
        Ok(Some(Array { count, .. })) => keys(count).map(|keys| format!("[{}]", keys.join(", "))),
        Ok(Some(Dictionary { count, .. })) => keys(count.saturating_mul(2)).map(|keys| {
            let entries: Vec<_> = keys.chunks(2).map(|entry| entry.join(": ")).collect();
            format!("{{{}}}", entries.join(", "))
        }),
        _ => None,
    };
    whole.filter(|text| text.chars().count() <= room).unwrap_or_else(|| kind.into())
}

/// Values one after the other, each as a key.
fn keys(mut bytes: &[u8], count: usize, dialect: Dialect) -> Option<Vec<String>> {
    let next = |_| {
        let (value, rest) = bytes.split_at_checked(validate(Reader::new(bytes).with_dialect(dialect)).ok()?)?;
        bytes = rest;
        Some(key(value, dialect, usize::MAX))
    };
    (0..count).map(next).collect()
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
    let (mut shown, mut len) = (Vec::new(), 0);
    for text in texts {
        let more = text.chars().count();
        // The first is shown, however long it is.
        if !shown.is_empty() && len + more > room {
            break;
        }
        len += more + if shown.is_empty() { 0 } else { 2 };
        shown.push(text);
    }
    if shown.len() < count {
        shown.push("...".into());
    }
    shown.join(", ")
}

fn plain_texts(plain: Plain<'_>, room: usize) -> impl Iterator<Item = String> {
    elements(plain).map(move |element| match element {
        Element::One(number) => number.to_string(),
        Element::Many(numbers) => format!("({})", list(numbers.len(), numbers.iter().map(Number::to_string), room)),
    })
}

/// An element of plain data: a number, or as many as it has components.
#[derive(Serialize)]
#[serde(untagged)]
enum Element {
    One(Number),
    Many(Vec<Number>),
}

fn elements(plain: Plain<'_>) -> impl Iterator<Item = Element> {
    let (Shape::Components { scalar, count } | Shape::Packed { scalar, count }) = plain.kind.shape() else {
        unreachable!("no plain data is of {}", plain.kind.name())
    };
    let size = scalar.size(plain.width);
    plain.bytes.chunks_exact(size * usize::from(count)).map(move |bytes| match count {
        1 => Element::One(Number::of(scalar, bytes)),
        _ => Element::Many(bytes.chunks_exact(size).map(|bytes| Number::of(scalar, bytes)).collect()),
    })
}

#[derive(Clone, Copy)]
pub enum Number {
    Int(i64),
    F32(f32),
    F64(f64),
}

impl Number {
    fn of(scalar: Scalar, bytes: &[u8]) -> Self {
        let four = || bytes.try_into().expect("of four bytes");
        let eight = || bytes.try_into().expect("of eight bytes");
        match (scalar, bytes.len()) {
            (Scalar::U8, _) => Self::Int(bytes[0].into()),
            (Scalar::I32, _) => Self::Int(i32::from_le_bytes(four()).into()),
            (Scalar::I64, _) => Self::Int(i64::from_le_bytes(eight())),
            (Scalar::F32, _) | (Scalar::Real, 4) => Self::F32(f32::from_le_bytes(four())),
            (Scalar::F64 | Scalar::Real, _) => Self::F64(f64::from_le_bytes(eight())),
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Int(value) => out.serialize_i64(value),
            Self::F32(value) if value.is_finite() => out.serialize_f32(value),
            Self::F64(value) if value.is_finite() => out.serialize_f64(value),
            // JSON has no such numbers.
            _ => out.collect_str(self),
        }
    }
}

/// As GDScript writes it.
impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::F32(value) => f.write_str(&format!("{value:?}").replace("NaN", "nan")),
            Self::F64(value) => f.write_str(&format!("{value:?}").replace("NaN", "nan")),
        }
    }
}

pub fn json(value: &impl Serialize) -> String {
    // Of what is no structure, this escapes more than JSON asks for.
    visible(&serde_json::to_string(value).expect("nothing in it can fail"))
}

/// A value without the values inside of it: with its texts, and at most `items` elements of a packed array.
pub struct Value<'a> {
    pub node: Node<'a>,
    pub texts: Vec<Text<'a>>,
    pub items: usize,
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let inside = values(&self.node);
        let count = match self.node.event {
            Event::Packed(plain) => Some(plain.count),
            Event::PackedStrings { count } => Some(count),
            _ => inside,
        };
        let mut map = out.serialize_map(None)?;
        map.serialize_entry("type", &self.node.type_name())?;
        if let Some(class) = self.node.class() {
            map.serialize_entry("class", &class.to_utf8())?;
        }
        if let Some(count) = count {
            map.serialize_entry("count", &count)?;
        }
        if inside.is_none() {
            map.serialize_entry("value", &Content(self))?;
        }
        map.end()
    }
}

/// The outermost node of a value with its first texts, at most `items` but for a NodePath. It begins at `base` for errors.
pub fn first(bytes: &[u8], base: usize, dialect: Dialect, items: usize) -> Result<Value<'_>, CodecError> {
    let mut walk = nodes(bytes, base, dialect);
    let Some(Found::Node(node)) = walk.next().transpose()? else {
        unreachable!("a walk begins with a node or an error")
    };
    let max = if let Event::NodePath { .. } = node.event { usize::MAX } else { items };
    let text = |found| if let Found::Text(text) = found { Some(text) } else { None };
    let texts = walk.take(max).map_while(|found| found.map(text).transpose());
    Ok(Value { node, texts: texts.collect::<Result<_, _>>()?, items })
}

struct Content<'a>(&'a Value<'a>);

impl Serialize for Content<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let Value { node: Node { event, .. }, texts, items } = self.0;
        match *event {
            Event::Bool(value) => out.serialize_bool(value),
            Event::Int(value) => out.serialize_i64(value),
            Event::Float(value) => Number::F64(value).serialize(out),
            Event::String(text) | Event::StringName(text) => out.serialize_str(&text.to_utf8()),
            Event::Components(plain) => elements(plain).next().serialize(out),
            Event::Packed(Plain { kind: Kind::PackedByteArray, bytes, .. }) => {
                let bytes = bytes.iter().take(*items);
                out.collect_str(&from_fn(|f| bytes.clone().try_for_each(|byte| write!(f, "{byte:02x}"))))
            }
            Event::Packed(plain) => out.collect_seq(elements(plain).take(*items)),
            Event::PackedStrings { .. } => out.collect_seq(texts.iter().take(*items).map(|text| text.to_utf8())),
            Event::NodePath { .. } => out.serialize_str(&node_path(*event, texts)),
            Event::Rid(id) => out.serialize_u64(id),
            Event::Signal { name, object } => {
                serde_json::json!({ "name": name.to_utf8(), "object": object }).serialize(out)
            }
            Event::ObjectId(id) if id != 0 => out.serialize_u64(id),
            _ => out.serialize_none(),
        }
    }
}
