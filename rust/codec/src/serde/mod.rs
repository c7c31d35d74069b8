//! Rust types to bytes and back with `serde`, behind the feature of that name.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, Deserialize, PartialEq, Serialize)]
//! struct Player {
//!     name: String,
//!     hp: u8,
//!     inventory: Vec<String>,
//! }
//!
//! let player = Player { name: "Ann".into(), hp: 12, inventory: vec!["lamp".into()] };
//! // As var_to_bytes({"name": "Ann", "hp": 12, "inventory": ["lamp"]}).
//! let bytes = varbatch_codec::serde::to_vec(&player)?;
//! assert_eq!(varbatch_codec::serde::from_slice::<Player>(&bytes)?, player);
//! # Ok::<(), varbatch_codec::CodecError>(())
//! ```
//!
//! | Rust | is written as | and read from |
//! |---|---|---|
//! | `bool`, integers, floats, `String` | `bool`, `int`, `float`, `String` | the same, and `String` from a `StringName` or `NodePath` |
//! | `()`, `None` | `null` | the same |
//! | sequences, tuples, arrays | `Array` | typed or not; a packed array; the numbers of a vector, matrix or color |
//! | bytes (`serde_bytes`) | `PackedByteArray` | the same |
//! | structs, maps | `Dictionary` | typed or not; the properties of an object |
//! | enums | the variant's name, with data a `Dictionary` of that one key | the same |
//!
//! Elements of a packed array of vectors are sequences: `Vec<[f32; 3]>`. `RID`s and ids of objects are read as `u64`.
//!
//! | [`Value`](crate::Value) | what it is | any value |
//! | [`Vector3`], [`StringName`], [`PackedInt32Array`] ... | what they are | that, and an `Array` or `String` of the same content |
//!
//! The last two rows are for what serde's own types cannot say: a `StringName`, a `NodePath`, a vector, matrix or color, a
//! packed array other than of bytes, a typed container, an object, a `Signal`. Elsewhere a `Callable` or a `Signal` is an
//! error, as are integers above those of the engine (`i64`) when they are written, texts that have a NUL or begin with a
//! byte-order mark, and more than 128 levels when they are read: of types, and of each `Value` in them.
//!
//! What serde buffers, for `#[serde(flatten)]`, `tag` and `untagged`, has its own types only: a vector arrives as an `Array`
//! of its numbers, a `StringName` as a `String`. Other formats, such as JSON, have the same forms.

mod native;
mod value;
mod write;

use std::fmt::Display;

use ::serde::de::value::{MapAccessDeserializer, SeqDeserializer, StrDeserializer};
use ::serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use ::serde::{Deserialize, Serialize, de, forward_to_deserialize_any, ser};

pub(crate) use self::native::{natives, parts};
use self::value::Talk;
pub use self::value::{from_value, to_value};
pub use crate::value::native::*;
use crate::{
    CodecError, CodecErrorKind, Dialect, DoubleValue, Element, Event, Kind, Plain, Reader, Scalar, Shape, Text, Writer,
};

/// More levels may overflow the stack, as reading by `serde` is recursive. The same as in `serde_json`.
const MAX_DEPTH: usize = 128;

impl ser::Error for CodecError {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(0, CodecErrorKind::Refused(message.to_string()))
    }
}

impl de::Error for CodecError {
    fn custom<T: Display>(message: T) -> Self {
        ser::Error::custom(message)
    }
}

/// Reads a value like `bytes_to_var`. Fails if there is none, it has objects with properties, or the type differs.
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, CodecError> {
    read(&mut Reader::new(bytes))
}

/// Reads the reader's next value, by its rules. Fails if the bytes are bad, or the value does not fit the type.
pub fn read<'de, T: Deserialize<'de>>(reader: &mut Reader<'de>) -> Result<T, CodecError> {
    if reader.has_ended() {
        return Err(ended().map_at(|_| reader.position()));
    }
    let mut again = reader.clone();
    T::deserialize(Next(reader)).map_err(|error| match error.kind() {
        CodecErrorKind::Refused(_) => {
            // The type knows only what does not fit, and `read` where that begins: the second walk knows inside what.
            while again.position() < error.at() && again.next_event().is_ok() {}
            again.error_at(again.position(), error.into_kind())
        }
        _ => error,
    })
}

/// Encodes a value like `var_to_bytes`. Fails if the type has what the engine cannot hold.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, CodecError> {
    let mut writer = Writer::new(Dialect::GODOT_4);
    let start = writer.mark();
    value.serialize(write::Next::new(&mut writer))?;
    writer.end_value(start)?;
    Ok(writer.into_plan().into_vec())
}

type Taken<T> = Result<T, CodecError>;

/// The value or the text that a reader has come to.
struct Next<'r, 'de>(&'r mut Reader<'de>);

impl<'de> Next<'_, 'de> {
    /// Visits `count` parts. Those that the type does not take are an error.
    fn parts<T>(self, count: usize, visit: impl FnOnce(&mut Parts<'_, 'de>) -> Taken<T>) -> Taken<T> {
        if self.0.depth() > MAX_DEPTH {
            return Err(CodecError::custom(format!("expected at most {MAX_DEPTH} levels, found one more")));
        }
        let mut parts = Parts { reader: self.0, left: count };
        let visited = visit(&mut parts)?;
        match parts.left {
            0 => Ok(visited),
            left => Err(CodecError::invalid_length(count, &format!("{left} fewer").as_str())),
        }
    }

    fn kind(&self) -> Taken<Option<Kind>> {
        if self.0.is_at_text() { Ok(None) } else { self.0.peek_kind().map(Some) }
    }
}

impl<'de> Deserializer<'de> for Next<'_, 'de> {
    type Error = CodecError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Taken<V::Value> {
        let event = self.0.next_event()?.ok_or_else(ended)?;
        match event {
            Event::Nil => visitor.visit_unit(),
            Event::Bool(value) => visitor.visit_bool(value),
            Event::Int(value) => visitor.visit_i64(value),
            Event::Float(value) => visitor.visit_f64(value),
            Event::Rid(id) | Event::ObjectId(id) => visitor.visit_u64(id),
            Event::String(text) | Event::StringName(text) | Event::Text(text) => match text {
                Text::Utf8(text) => visitor.visit_borrowed_str(text),
                text => visitor.visit_string(text.to_utf8().into_owned()),
            },
            Event::Components(plain) | Event::Packed(plain) => visit_plain(plain, visitor),
            Event::NodePath { names, subnames, absolute } => {
                let mut path = String::from(if absolute { "/" } else { "" });
                for index in 0..names + subnames {
                    if index >= names {
                        path.push(':');
                    } else if index > 0 {
                        path.push('/');
                    }
                    path += &self.0.next_text()?.map(Text::to_utf8).unwrap_or_default();
                }
                visitor.visit_string(path)
            }
            Event::Array { count, .. } | Event::PackedStrings { count } => {
                self.parts(count, |parts| visitor.visit_seq(parts))
            }
            Event::Dictionary { count, .. } | Event::Object { count, .. } => {
                self.parts(count, |parts| visitor.visit_map(parts))
            }
            Event::Callable => Err(unsaid(Kind::Callable)),
            Event::Signal { .. } => Err(unsaid(Kind::Signal)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Taken<V::Value> {
        if self.kind()? == Some(Kind::Nil) {
            self.0.next_event()?;
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Taken<V::Value> {
        if self.kind()? != Some(Kind::PackedByteArray) {
            return self.deserialize_any(visitor);
        }
        match self.0.next_event()? {
            Some(Event::Packed(plain)) => visitor.visit_borrowed_bytes(plain.bytes),
            _ => unreachable!("the kind says so"),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Taken<V::Value> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Taken<V::Value> {
        if name != value::NAME {
            return visitor.visit_newtype_struct(self);
        }
        match self.kind()? {
            None => self.deserialize_any(visitor),
            Some(_) if self.0.is_of_godot_4() => {
                let start = self.0.position();
                self.0.skip_value()?;
                let _said = Talk::Encoded.begin();
                visitor.visit_borrowed_bytes(self.0.bytes(start, self.0.position()))
            }
            // By way of the widest value, whose bytes any other is read from.
            Some(_) => {
                let bytes = DoubleValue::read(self.0)?.encode()?;
                let _said = Talk::Encoded.begin();
                visitor.visit_byte_buf(bytes)
            }
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Taken<V::Value> {
        match self.kind()? {
            // The only key names the variant, whose data is the value.
            Some(Kind::Dictionary) => match self.0.next_event()? {
                Some(Event::Dictionary { count: 1, .. }) => {
                    self.parts(1, |parts| visitor.visit_enum(MapAccessDeserializer::new(parts)))
                }
                _ => Err(CodecError::custom(format!("expected a Dictionary of one key, a variant of {name}"))),
            },
            _ => {
                let variant = <std::borrow::Cow<'de, str>>::deserialize(self)?;
                StrDeserializer::new(&variant).deserialize_enum(name, variants, visitor)
            }
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Taken<V::Value> {
        if self.0.is_at_text() { self.0.next_event().map(drop) } else { self.0.skip_value() }?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string unit unit_struct seq tuple tuple_struct map
        struct identifier
    }
}

/// The elements, entries or properties still to come.
struct Parts<'r, 'de> {
    reader: &'r mut Reader<'de>,
    left: usize,
}

impl<'de> Parts<'_, 'de> {
    fn next<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Taken<S::Value> {
        let start = self.reader.position();
        seed.deserialize(Next(self.reader)).map_err(|error| match error.kind() {
            // The innermost value that does not fit is the first that is told.
            CodecErrorKind::Refused(_) if error.at() == 0 => error.map_at(|_| start),
            _ => error,
        })
    }
}

impl<'de> SeqAccess<'de> for &mut Parts<'_, 'de> {
    type Error = CodecError;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Taken<Option<S::Value>> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        self.next(seed).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> MapAccess<'de> for &mut Parts<'_, 'de> {
    type Error = CodecError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Taken<Option<S::Value>> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Taken<S::Value> {
        self.next(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

fn ended() -> CodecError {
    CodecError::custom("expected another value")
}

fn unsaid(kind: Kind) -> CodecError {
    CodecError::custom(format!("expected a value that serde has a form for, found {}", kind.name()))
}

/// Visits the numbers of plain data: one by one, or as sequences of as many as an element has.
fn visit_plain<'de, V: Visitor<'de>>(plain: Plain<'de>, visitor: V) -> Taken<V::Value> {
    let (Shape::Components { scalar, count } | Shape::Packed { scalar, count }) = plain.kind.shape() else {
        unreachable!("no other shape is plain data");
    };
    let size = scalar.size(plain.width);
    let int = |bytes: &[u8]| match scalar {
        Scalar::U8 => i64::from(bytes[0]),
        Scalar::I32 => i64::from(i32::read(bytes)),
        _ => i64::read(bytes),
    };
    let scalars = plain.bytes.chunks_exact(size);
    match scalar {
        Scalar::U8 | Scalar::I32 | Scalar::I64 => visit_all(scalars.map(int), visitor),
        _ if count == 1 || plain.count == 1 && matches!(plain.kind.shape(), Shape::Components { .. }) => {
            visit_all(scalars.map(f64::read), visitor)
        }
        _ => {
            let elements = plain.bytes.chunks_exact(size * usize::from(count));
            visit_all(elements.map(|element| element.chunks_exact(size).map(f64::read).collect::<Vec<_>>()), visitor)
        }
    }
}

fn visit_all<'de, V: Visitor<'de>, T: de::IntoDeserializer<'de, CodecError>>(
    parts: impl Iterator<Item = T>,
    visitor: V,
) -> Taken<V::Value> {
    let mut parts = SeqDeserializer::new(parts);
    let visited = visitor.visit_seq(&mut parts)?;
    parts.end()?;
    Ok(visited)
}
