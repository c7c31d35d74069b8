//! Converts between values and Rust types, looks into values, changes and shows them.

use std::fmt;
use std::ops::Index;

use super::{OwnedType, OwnedValue, Real};
use crate::Text;
use crate::kind::Kind;
use crate::quote::quoted;

/// A value that does not convert to a Rust type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found}")]
#[non_exhaustive]
pub struct ValueError {
    /// The type of values that converts, or the Rust type of ints.
    pub expected: &'static str,
    /// The type of the value, or the int that the Rust type does not hold.
    pub found: String,
}

impl ValueError {
    fn new(expected: Kind, found: Kind) -> Self {
        Self { expected: expected.name(), found: found.name().into() }
    }
}

macro_rules! try_from {
    ($value:ty, $rust:ty, $kind:ident, $pattern:pat => $inner:expr) => {
        impl<R: Real> TryFrom<$value> for $rust {
            type Error = ValueError;

            fn try_from(value: $value) -> Result<Self, ValueError> {
                match value {
                    $pattern => Ok($inner),
                    other => Err(ValueError::new(Kind::$kind, other.kind())),
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

try_from!(OwnedValue<R>, [R; 2], Vector2, OwnedValue::Vector2(value) => value);
try_from!(OwnedValue<R>, [R; 3], Vector3, OwnedValue::Vector3(value) => value);
try_from!(OwnedValue<R>, [i32; 2], Vector2i, OwnedValue::Vector2i(value) => value);
try_from!(OwnedValue<R>, [i32; 3], Vector3i, OwnedValue::Vector3i(value) => value);

macro_rules! try_from_int {
    ($($short:ty)*) => {
        $(impl<R: Real> TryFrom<&OwnedValue<R>> for $short {
            type Error = ValueError;

            fn try_from(value: &OwnedValue<R>) -> Result<Self, ValueError> {
                let int = i64::try_from(value)?;
                int.try_into().map_err(|_| ValueError { expected: stringify!($short), found: int.to_string() })
            }
        })*
    };
}

try_from_int! { u8 u16 u32 u64 usize i8 i16 i32 isize }

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

    /// Returns the elements of an `Array`. Nothing checks that those of a typed one stay of its type.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Self>> {
        if let Self::Array { elements, .. } = self { Some(elements) } else { None }
    }

    /// Returns the entries of a `Dictionary`. Nothing checks that those of a typed one stay of its types.
    pub fn as_dictionary_mut(&mut self) -> Option<&mut Vec<(Self, Self)>> {
        if let Self::Dictionary { entries, .. } = self { Some(entries) } else { None }
    }

    /// Returns the value of [`Self::get`], to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        let mut entries = self.as_dictionary_mut()?.iter_mut().rev();
        entries.find(|(found, _)| found.as_str() == Some(key)).map(|(_, value)| value)
    }

    /// Returns the value of [`Self::get_mut`]; that of a new key is null. The key is a `StringName` where the type of the
    /// keys says so, else a `String`. Fails if this is no `Dictionary`.
    pub fn entry(&mut self, key: &str) -> Result<&mut Self, ValueError> {
        let found = self.kind();
        let Self::Dictionary { key: keys, entries, .. } = self else {
            return Err(ValueError::new(Kind::Dictionary, found));
        };
        let at = entries.iter().rposition(|(found, _)| found.as_str() == Some(key)).unwrap_or_else(|| {
            let is_name = *keys == OwnedType::Builtin(Kind::StringName);
            let key = if is_name { Self::StringName(key.into()) } else { Self::String(key.into()) };
            entries.push((key, Self::Nil));
            entries.len() - 1
        });
        Ok(&mut entries[at].1)
    }

    /// Sets the value of a key, as [`Self::entry`] finds or adds it. Returns what it was.
    pub fn insert(&mut self, key: &str, value: impl Into<Self>) -> Result<Self, ValueError> {
        Ok(std::mem::replace(self.entry(key)?, value.into()))
    }
}

/// As GDScript writes it: `{"hp": 12, "at": Vector3([1.0, 2.5, -3.0])}`.
impl<R: Real> fmt::Display for OwnedValue<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &str| quoted(Text::Utf8(text), usize::MAX);
        match self {
            Self::Nil => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::String(text) => f.write_str(&quoted(text)),
            Self::StringName(text) => write!(f, "&{}", quoted(text)),
            Self::Array { elements, .. } => f.debug_list().entries(elements.iter().map(Shown)).finish(),
            Self::Dictionary { entries, .. } => {
                f.debug_map().entries(entries.iter().map(|(key, value)| (Shown(key), Shown(value)))).finish()
            }
            Self::Object { class, properties } => {
                f.write_str(class)?;
                f.debug_map().entries(properties.iter().map(|(name, value)| (name, Shown(value)))).finish()
            }
            other => write!(f, "{other:?}"),
        }
    }
}

struct Shown<'a, R>(&'a OwnedValue<R>);

impl<R: Real> fmt::Debug for Shown<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.0, f)
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
