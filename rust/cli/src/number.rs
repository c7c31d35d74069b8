//! Numbers as they are printed and as they stand in JSON, with all of their digits.

use serde::{Serialize, Serializer};
use varbatch_codec::{Plain, Scalar, Shape};

/// An element of plain data: a number, or as many as it has components.
pub struct Element<'a>(Plain<'a>);

impl<'a> Element<'a> {
    pub fn numbers(&self) -> impl ExactSizeIterator<Item = Number> + use<'a> {
        let Plain { kind, width, bytes, .. } = self.0;
        let (Shape::Components { scalar, .. } | Shape::Packed { scalar, .. }) = kind.shape() else {
            unreachable!("no plain data is of {}", kind.name())
        };
        bytes.chunks_exact(scalar.size(width)).map(move |bytes| Number::of(scalar, bytes))
    }
}

impl Serialize for Element<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut numbers = self.numbers();
        if numbers.len() > 1 { out.collect_seq(numbers) } else { numbers.next().serialize(out) }
    }
}

/// The elements of plain data.
pub fn elements(plain: Plain<'_>) -> impl Iterator<Item = Element<'_>> {
    let len = plain.kind.shape().element_len(plain.width).expect("plain data has elements");
    plain.bytes.chunks_exact(len).map(move |bytes| Element(Plain { bytes, ..plain }))
}

/// A number with all of its digits.
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
