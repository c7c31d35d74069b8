//! Values as JSON. The structs are the format: the help of each command promises the names of their fields.

use std::fmt::from_fn;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use varbatch_codec::describe::{Found, Node, nodes};
use varbatch_codec::quote::visible;
use varbatch_codec::{CodecError, Dialect, Event, Plain, Scalar, Shape, Text};

use crate::leaf::{self, Number, elements};

/// One line of output.
pub fn line(value: &impl Serialize) -> String {
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
        let inside = leaf::values(&self.node);
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

/// The outermost node of a value, and its first texts, at most `items` but for a NodePath. Offsets in an error count from
/// `base` bytes before it.
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

/// The content of a value that holds no others.
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
            Event::Packed(Plain { kind, bytes, .. })
                if matches!(kind.shape(), Shape::Packed { scalar: Scalar::U8, .. }) =>
            {
                let bytes = bytes.iter().take(*items);
                out.collect_str(&from_fn(|f| bytes.clone().try_for_each(|byte| write!(f, "{byte:02x}"))))
            }
            Event::Packed(plain) => out.collect_seq(elements(plain).take(*items)),
            Event::PackedStrings { .. } => out.collect_seq(texts.iter().take(*items).map(|text| text.to_utf8())),
            Event::NodePath { .. } => out.serialize_str(&leaf::node_path(*event, texts)),
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
