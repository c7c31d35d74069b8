//! Values as JSON. The structs are the format: what their fields are called is promised in the help of each command.

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use varbatch_codec::describe::{Found, Node, nodes};
use varbatch_codec::{CodecError, Dialect, Event, Plain, Scalar, Shape, Text};

use crate::leaf;

/// One line of output.
pub fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("nothing in it can fail")
}

/// A value without those inside of it.
#[derive(Serialize)]
pub struct Value<'a> {
    r#type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<String>,
    /// Of containers and packed arrays.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    /// Of all but containers.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Content<'a>>,
}

impl<'a> Value<'a> {
    /// Of a node with its texts, and at most `items` elements of a packed array.
    pub fn new(node: &Node<'_>, content: Option<Content<'a>>) -> Self {
        let count = match node.event {
            Event::Packed(plain) => Some(plain.count),
            Event::PackedStrings { count } => Some(count),
            _ => leaf::values(node),
        };
        let class = node.class().map(|class| class.to_utf8().into_owned());
        Self { r#type: node.type_name().into_owned(), class, count, value: content }
    }
}

/// The outermost node of a value, and its first texts. Offsets in an error count from `base` bytes before it.
pub fn first(
    bytes: &[u8],
    base: usize,
    dialect: Dialect,
    most: usize,
) -> Result<(Node<'_>, Vec<Text<'_>>), CodecError> {
    let mut walk = nodes(bytes, base, dialect);
    let node = match walk.next() {
        Some(Ok(Found::Node(node))) => node,
        Some(Err(error)) => return Err(error),
        _ => unreachable!("a walk begins with a node or an error"),
    };
    let mut texts = Vec::new();
    let most = if let Event::NodePath { .. } = node.event { usize::MAX } else { most };
    for found in walk.take(most) {
        match found {
            Ok(Found::Text(text)) => texts.push(text),
            Err(error) => return Err(error),
            Ok(_) => break,
        }
    }
    Ok((node, texts))
}

/// What a value is that holds no others.
pub struct Content<'a> {
    event: Event<'a>,
    texts: Vec<Text<'a>>,
    items: usize,
}

impl<'a> Content<'a> {
    /// `None` for what holds others.
    pub fn of(node: &Node<'a>, texts: Vec<Text<'a>>, items: usize) -> Option<Self> {
        leaf::values(node).is_none().then_some(Self { event: node.event, texts, items })
    }

    /// Of an element of a packed array.
    pub fn of_element(event: Event<'a>) -> Self {
        Self { event, texts: Vec::new(), items: usize::MAX }
    }
}

impl Serialize for Content<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self.event {
            Event::Bool(value) => out.serialize_bool(value),
            Event::Int(value) => out.serialize_i64(value),
            Event::Float(value) => Number::F64(value).serialize(out),
            Event::String(text) | Event::StringName(text) => out.serialize_str(&text.to_utf8()),
            Event::Components(plain) => {
                let element = elements(plain).next().expect("it has components");
                element.serialize(out)
            }
            Event::Packed(Plain { kind, bytes, .. })
                if matches!(kind.shape(), Shape::Packed { scalar: Scalar::U8, .. }) =>
            {
                out.collect_str(&Hex(&bytes[..bytes.len().min(self.items)]))
            }
            Event::Packed(plain) => out.collect_seq(elements(plain).take(self.items)),
            Event::PackedStrings { .. } => {
                out.collect_seq(self.texts.iter().take(self.items).map(|text| text.to_utf8()))
            }
            Event::NodePath { .. } => out.serialize_str(&leaf::node_path(self.event, &self.texts)),
            Event::Rid(id) => out.serialize_u64(id),
            Event::Signal { name, object } => {
                let mut map = out.serialize_map(Some(2))?;
                map.serialize_entry("name", &name.to_utf8())?;
                map.serialize_entry("object", &object)?;
                map.end()
            }
            Event::ObjectId(id) if id != 0 => out.serialize_u64(id),
            _ => out.serialize_none(),
        }
    }
}

/// Bytes as digits.
struct Hex<'a>(&'a [u8]);

impl std::fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// An element of plain data: a number, or as many as it has components.
struct Element<'a> {
    scalar: Scalar,
    size: usize,
    bytes: &'a [u8],
    is_list: bool,
}

impl Serialize for Element<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut numbers = self.bytes.chunks_exact(self.size).map(|bytes| Number::of(self.scalar, bytes));
        if !self.is_list {
            return numbers.next().serialize(out);
        }
        let mut list = out.serialize_seq(Some(numbers.len()))?;
        numbers.try_for_each(|number| list.serialize_element(&number))?;
        list.end()
    }
}

fn elements(plain: Plain<'_>) -> impl Iterator<Item = Element<'_>> {
    let (scalar, count) = leaf::scalars(plain);
    let (size, is_list) = (scalar.size(plain.width), count > 1);
    plain.bytes.chunks_exact(size * count).map(move |bytes| Element { scalar, size, bytes, is_list })
}

/// A number with all of its digits.
#[derive(Clone, Copy)]
pub enum Number {
    Int(i64),
    F32(f32),
    F64(f64),
}

impl Number {
    pub fn of(scalar: Scalar, bytes: &[u8]) -> Self {
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
impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::F32(value) if value.is_nan() => f.write_str("nan"),
            Self::F64(value) if value.is_nan() => f.write_str("nan"),
            Self::F32(value) => write!(f, "{value:?}"),
            Self::F64(value) => write!(f, "{value:?}"),
        }
    }
}
