//! The engine's types that serde has no form for, as Rust types: those of the table in `value/mod.rs`.

use ::serde::de::{self, DeserializeOwned};

use super::from_value;
use crate::{Kind, Value};

macro_rules! natives {
    ($($name:ident $inner:ty;)*) => {
        use ::serde::{Deserialize, Deserializer, Serialize, Serializer};
        use $crate::{Kind, Value};

        /// The component of a vector.
        type R = f32;

        $(#[doc = concat!("A `", stringify!($name), "` in a type: its content is that of [`Value::", stringify!($name), "`].")]
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name(pub $inner);

        impl From<$name> for Value {
            fn from(native: $name) -> Self {
                Self::$name(native.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                Value::from(self.clone()).serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                match Value::deserialize(deserializer)? {
                    Value::$name(inner) => Ok(Self(inner)),
                    other => $crate::serde::parts(other, Kind::$name).map(Self),
                }
            }
        })*
    };
}

/// Reads the content from a value of the types that serde has.
pub(crate) fn parts<T: DeserializeOwned, E: de::Error>(value: Value, expected: Kind) -> Result<T, E> {
    if matches!(value, Value::Array { .. } | Value::String(_)) {
        return from_value(&value).map_err(|error| E::custom(error.kind()));
    }
    Err(E::custom(format_args!("expected {}, found {}", expected.name(), value.kind().name())))
}

pub(crate) use natives;
