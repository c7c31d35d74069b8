//! Converts between values and Rust types.

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

macro_rules! conversions {
    ($($rust:ty, $kind:ident;)*) => {
        $(impl<R> From<$rust> for OwnedValue<R> {
            fn from(value: $rust) -> Self {
                Self::$kind(value)
            }
        }

        impl<R: Real> TryFrom<OwnedValue<R>> for $rust {
            type Error = ValueError;

            fn try_from(value: OwnedValue<R>) -> Result<Self, ValueError> {
                match value {
                    OwnedValue::$kind(value) => Ok(value),
                    other => Err(other.is_not(Kind::$kind)),
                }
            }
        }

        impl<R: Real> TryFrom<&OwnedValue<R>> for $rust {
            type Error = ValueError;

            fn try_from(value: &OwnedValue<R>) -> Result<Self, ValueError> {
                match value {
                    OwnedValue::$kind(value) => Ok(value.clone()),
                    other => Err(other.is_not(Kind::$kind)),
                }
            }
        })*
    };
}

conversions! {
    bool, Bool;
    i64, Int;
    f64, Float;
    String, String;
    Vec<u8>, PackedByteArray;
    Vec<i32>, PackedInt32Array;
    Vec<i64>, PackedInt64Array;
    Vec<f32>, PackedFloat32Array;
    Vec<f64>, PackedFloat64Array;
    Vec<String>, PackedStringArray;
}

macro_rules! widened {
    ($($rust:ty, $kind:ident;)*) => {
        $(impl<R> From<$rust> for OwnedValue<R> {
            fn from(value: $rust) -> Self {
                Self::$kind(value.into())
            }
        })*
    };
}

widened! {
    u8, Int;
    i16, Int;
    u16, Int;
    i32, Int;
    u32, Int;
    f32, Float;
    &str, String;
}

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

impl<R: Real> TryFrom<OwnedValue<R>> for Vec<OwnedValue<R>> {
    type Error = ValueError;

    fn try_from(value: OwnedValue<R>) -> Result<Self, ValueError> {
        match value {
            OwnedValue::Array { elements, .. } => Ok(elements),
            other => Err(other.is_not(Kind::Array)),
        }
    }
}

/// An untyped Dictionary.
impl<R> From<Vec<(Self, Self)>> for OwnedValue<R> {
    fn from(entries: Vec<(Self, Self)>) -> Self {
        Self::Dictionary { key: OwnedType::Any, value: OwnedType::Any, entries }
    }
}

impl<R: Real> TryFrom<OwnedValue<R>> for Vec<(OwnedValue<R>, OwnedValue<R>)> {
    type Error = ValueError;

    fn try_from(value: OwnedValue<R>) -> Result<Self, ValueError> {
        match value {
            OwnedValue::Dictionary { entries, .. } => Ok(entries),
            other => Err(other.is_not(Kind::Dictionary)),
        }
    }
}

impl<R: Real> OwnedValue<R> {
    fn is_not(&self, expected: Kind) -> ValueError {
        ValueError { expected, found: self.kind() }
    }
}
