//! [`Value`](crate::Value) as a Rust type: in this format what it is, in others and in serde's buffers its structure.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use ::serde::de::{self, DeserializeOwned, Deserializer, MapAccess, SeqAccess, Unexpected, Visitor};
use ::serde::ser::{Error as _, Serializer};
use ::serde::{Deserialize, Serialize};

use super::{read, to_vec, unsaid};
use crate::{CodecError, OwnedValue, Reader, Real};

/// The name by which a value in a type is known.
pub(super) const NAME: &str = "$varbatch_codec::Value";

thread_local! {
    static TALK: Cell<Talk> = const { Cell::new(Talk::Structure) };
}

/// What this format and a value say to each other beside serde: data and other types cannot say it, as they can a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Talk {
    Structure,
    /// The format asks the value that comes for its encoded bytes.
    Asked,
    /// The bytes that come are an encoded value.
    Encoded,
}

impl Talk {
    /// Says it as long as what is returned lives.
    pub fn begin(self) -> Scope {
        Scope(TALK.replace(self))
    }

    /// Returns whether that was said last: it holds for one value.
    pub fn take(self) -> bool {
        TALK.replace(Self::Structure) == self
    }
}

/// What was said before, and is said again at the end.
pub(super) struct Scope(Talk);

impl Drop for Scope {
    fn drop(&mut self) {
        TALK.set(self.0);
    }
}

/// Converts a value to a Rust type, by way of its bytes: those are what the error's offset counts. Fails if it does not fit.
pub fn from_value<T: DeserializeOwned, R: Real>(value: &OwnedValue<R>) -> Result<T, CodecError> {
    read(&mut Reader::new(&value.encode()?).with_objects(true))
}

/// Converts a Rust type to a value. Fails if it has what the engine cannot hold, as [`to_vec`].
pub fn to_value<T: Serialize + ?Sized, R: Real>(value: &T) -> Result<OwnedValue<R>, CodecError> {
    OwnedValue::read(&mut Reader::new(&to_vec(value)?).with_objects(true))
}

/// Other formats must say what comes next, as JSON does: a value is read from what it looks like.
impl<'de, R: Real> Deserialize<'de> for OwnedValue<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(NAME, AnyValue(PhantomData))
    }
}

struct AnyValue<R>(PhantomData<R>);

macro_rules! visits {
    ($($method:ident($($value:ident: $type:ty)?) => $result:expr;)*) => {
        $(fn $method<E: de::Error>(self, $($value: $type)?) -> Result<Self::Value, E> {
            Ok($result)
        })*
    };
}

impl<'de, R: Real> Visitor<'de> for AnyValue<R> {
    type Value = OwnedValue<R>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value that Godot has")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    visits! {
        visit_none() => OwnedValue::Nil;
        visit_unit() => OwnedValue::Nil;
        visit_bool(value: bool) => value.into();
        visit_i64(value: i64) => value.into();
        visit_f64(value: f64) => value.into();
        visit_str(text: &str) => text.into();
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        i64::try_from(value).map(Into::into).map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        match Talk::Encoded.take() {
            // The reader that gives them has refused objects, or allows them.
            true => {
                OwnedValue::read(&mut Reader::new(bytes).with_objects(true)).map_err(|error| E::custom(error.kind()))
            }
            false => Ok(bytes.to_vec().into()),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = parts.next_element::<Self::Value>()? {
            elements.push(element);
        }
        Ok(elements.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = parts.next_entry::<Self::Value, Self::Value>()? {
            entries.push(entry);
        }
        Ok(entries.into())
    }
}

/// Other formats get what a value is made of, without its type.
impl<R: Real + Serialize> Serialize for OwnedValue<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(NAME, &Asked(self))
    }
}

struct Asked<'a, R>(&'a OwnedValue<R>);

impl<R: Real + Serialize> Serialize for Asked<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if Talk::Asked.take() {
            let bytes = self.0.encode().map_err(|error| S::Error::custom(error.kind()))?;
            let _said = Talk::Encoded.begin();
            return serializer.serialize_bytes(&bytes);
        }
        match self.0 {
            OwnedValue::Nil => serializer.serialize_unit(),
            OwnedValue::Bool(value) => serializer.serialize_bool(*value),
            OwnedValue::Int(value) => serializer.serialize_i64(*value),
            OwnedValue::Float(value) => serializer.serialize_f64(*value),
            OwnedValue::String(text) | OwnedValue::StringName(text) => serializer.serialize_str(text),
            OwnedValue::NodePath { names, subnames, absolute } => {
                let root = if *absolute { "/" } else { "" };
                let subnames = subnames.iter().flat_map(|name| [":", name]).collect::<String>();
                serializer.collect_str(&format_args!("{root}{}{subnames}", names.join("/")))
            }
            OwnedValue::Rid(id) | OwnedValue::ObjectId(id) => serializer.serialize_u64(*id),
            OwnedValue::Object { properties, .. } => {
                serializer.collect_map(properties.iter().map(|(name, value)| (name, value)))
            }
            OwnedValue::Dictionary { entries, .. } => {
                serializer.collect_map(entries.iter().map(|(key, value)| (key, value)))
            }
            OwnedValue::Array { elements, .. } => serializer.collect_seq(elements),
            OwnedValue::PackedByteArray(bytes) => serializer.serialize_bytes(bytes),
            OwnedValue::PackedStringArray(texts) => serializer.collect_seq(texts),
            OwnedValue::Callable | OwnedValue::Signal { .. } => Err(S::Error::custom(unsaid(self.0.kind()).kind())),
            plain => plain.serialize_plain(serializer),
        }
    }
}
