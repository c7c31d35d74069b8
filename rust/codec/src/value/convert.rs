//! Converts between values and Rust types, and looks into values.

use std::ops::Index;

use super::{OwnedType, OwnedValue, Real};
use crate::kind::Kind;

/// A value that does not convert to a Rust type, as it is of another type than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {}, found {}", .expected.name(), .found.name())]
#[non_exhaustive]
pub struct ValueError {
    /// The type that converts.
    pub expected: Kind,
    /// The type of the value.
    pub found: Kind,
}

macro_rules! try_from {
    ($value:ty, $rust:ty, $kind:ident, $pattern:pat => $inner:expr) => {
        impl<R: Real> TryFrom<$value> for $rust {
            type Error = ValueError;

            fn try_from(value: $value) -> Result<Self, ValueError> {
                match value {
                    $pattern => Ok($inner),
                    other => Err(ValueError { expected: Kind::$kind, found: other.kind() }),
                }
            }
        }
    };
}

/// From a Rust type and shorter ones to a type of the engine, and back to the first.
macro_rules! conversions {
    ($($kind:ident: $rust:ty $(, $shorter:ty)*;)*) => {
        $(impl<R> From<$rust> for OwnedValue<R> {
            fn from(value: $rust) -> Self {
                Self::$kind(value)
            }
        }

        $(impl<R> From<$shorter> for OwnedValue<R> {
            fn from(value: $shorter) -> Self {
                Self::$kind(value.into())
            }
        })*

        try_from!(OwnedValue<R>, $rust, $kind, OwnedValue::$kind(value) => value);
        try_from!(&OwnedValue<R>, $rust, $kind, OwnedValue::$kind(value) => value.clone());)*
    };
}

conversions! {
    Bool: bool;
    Int: i64, u8, i16, u16, i32, u32;
    Float: f64, f32;
    String: String, &str;
    PackedByteArray: Vec<u8>;
    PackedInt32Array: Vec<i32>;
    PackedInt64Array: Vec<i64>;
    PackedFloat32Array: Vec<f32>;
    PackedFloat64Array: Vec<f64>;
    PackedStringArray: Vec<String>;
}

try_from!(OwnedValue<R>, Vec<OwnedValue<R>>, Array, OwnedValue::Array { elements, .. } => elements);
try_from!(OwnedValue<R>, Vec<(OwnedValue<R>, OwnedValue<R>)>, Dictionary, OwnedValue::Dictionary { entries, .. } => entries);

impl<R> From<()> for OwnedValue<R> {
    fn from((): ()) -> Self {
        Self::Nil
    }
}

/// `None` is null.
impl<R, T: Into<Self>> From<Option<T>> for OwnedValue<R> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nil, Into::into)
    }
}

/// An untyped Array.
impl<R> From<Vec<Self>> for OwnedValue<R> {
    fn from(elements: Vec<Self>) -> Self {
        Self::Array { element: OwnedType::Any, elements }
    }
}

/// An untyped Dictionary.
impl<R> From<Vec<(Self, Self)>> for OwnedValue<R> {
    fn from(entries: Vec<(Self, Self)>) -> Self {
        Self::Dictionary { key: OwnedType::Any, value: OwnedType::Any, entries }
    }
}

impl<R: Real> OwnedValue<R> {
    /// Returns a `bool`.
    pub fn as_bool(&self) -> Option<bool> {
        bool::try_from(self).ok()
    }

    /// Returns an `int`.
    pub fn as_i64(&self) -> Option<i64> {
        i64::try_from(self).ok()
    }

    /// Returns a `float`, or an `int` as the engine converts it.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(*value),
            Self::Int(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// Returns the text of a `String` or a `StringName`.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) | Self::StringName(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the elements of an `Array`.
    pub fn as_array(&self) -> Option<&[Self]> {
        if let Self::Array { elements, .. } = self { Some(elements) } else { None }
    }

    /// Returns the keys and values of a `Dictionary`, in their order.
    pub fn as_dictionary(&self) -> Option<&[(Self, Self)]> {
        if let Self::Dictionary { entries, .. } = self { Some(entries) } else { None }
    }

    /// Returns the value of this `String` or `StringName` key in a `Dictionary`, in linear time; of several, the last.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let entry = self.as_dictionary()?.iter().rev().find(|(found, _)| found.as_str() == Some(key));
        entry.map(|(_, value)| value)
    }
}

/// The value of [`OwnedValue::get`], or `Nil`.
impl<R: Real> Index<&str> for OwnedValue<R> {
    type Output = Self;

    fn index(&self, key: &str) -> &Self {
        self.get(key).unwrap_or(const { &Self::Nil })
    }
}

/// The element of an `Array`, or `Nil`.
impl<R: Real> Index<usize> for OwnedValue<R> {
    type Output = Self;

    fn index(&self, index: usize) -> &Self {
        self.as_array().and_then(|elements| elements.get(index)).unwrap_or(const { &Self::Nil })
    }
}
