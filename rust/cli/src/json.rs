//! Values as JSON. The structs are the format: the help of each command promises the names of their fields.

use std::fmt::from_fn;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use varbatch_codec::describe::{Found, Node, nodes};
use varbatch_codec::quote::visible;
use varbatch_codec::{CodecError, Dialect, Event, Plain, Scalar, Shape, Text};

use crate::leaf;
use crate::number::{Number, elements};

/// One line of output.
pub fn line(value: &impl Serialize) -> String {
    // Of what is no structure, this escapes more than JSON asks for.
    visible(&serde_json::to_string(value).expect("nothing in it can fail"))
}

/// A value without the values inside of it.
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
    pub fn new(node: &Node<'a>, texts: Vec<Text<'a>>, items: usize) -> Self {
        let inside = leaf::values(node);
        let count = match node.event {
            Event::Packed(plain) => Some(plain.count),
            Event::PackedStrings { count } => Some(count),
            _ => inside,
        };
        let class = node.class().map(|class| class.to_utf8().into_owned());
        let value = inside.is_none().then_some(Content { event: node.event, texts, items });
        Self { r#type: node.type_name().into_owned(), class, count, value }
    }
}

/// The outermost node of a value, and its first texts, at most `max` but for a NodePath. Offsets in an error count from
/// `base` bytes before it.
pub fn first(bytes: &[u8], base: usize, dialect: Dialect, max: usize) -> Result<(Node<'_>, Vec<Text<'_>>), CodecError> {
    let mut walk = nodes(bytes, base, dialect);
    let Some(Found::Node(node)) = walk.next().transpose()? else {
        unreachable!("a walk begins with a node or an error")
    };
    let max = if let Event::NodePath { .. } = node.event { usize::MAX } else { max };
    let texts = walk.take(max).map_while(|found| match found {
        Ok(Found::Text(text)) => Some(Ok(text)),
        Ok(_) => None,
        Err(error) => Some(Err(error)),
    });
    Ok((node, texts.collect::<Result<_, _>>()?))
}

/// The content of a value that holds no others.
struct Content<'a> {
    event: Event<'a>,
    texts: Vec<Text<'a>>,
    items: usize,
}

impl Serialize for Content<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self.event {
            Event::Bool(value) => out.serialize_bool(value),
            Event::Int(value) => out.serialize_i64(value),
            Event::Float(value) => Number::F64(value).serialize(out),
            Event::String(text) | Event::StringName(text) => out.serialize_str(&text.to_utf8()),
            Event::Components(plain) => elements(plain).next().serialize(out),
            Event::Packed(Plain { kind, bytes, .. })
                if matches!(kind.shape(), Shape::Packed { scalar: Scalar::U8, .. }) =>
            {
                let bytes = bytes.iter().take(self.items);
                out.collect_str(&from_fn(|f| bytes.clone().try_for_each(|byte| write!(f, "{byte:02x}"))))
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
