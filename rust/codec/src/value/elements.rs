//! Vectors, matrices, colors and packed arrays: plain data to and from numbers.

use super::OwnedValue;
use crate::event::{Event, Plain};
use crate::kind::{Kind, Width};

/// The component of a vector: `f32`, or `f64` for builds with `precision=double`.
pub trait Real: Element {
    /// The width of the component in encoded values.
    const WIDTH: Width;
}

impl Real for f32 {
    const WIDTH: Width = Width::Single;
}

impl Real for f64 {
    const WIDTH: Width = Width::Double;
}

/// A scalar, or an array of scalars, as it is encoded. Private: [`Real`] is only for the two types above.
pub trait Element: Sized {
    /// Reads it from its bytes. Those of a float may have the other width.
    fn read(bytes: &[u8]) -> Self;
    fn write(&self, out: &mut Vec<u8>);
}

macro_rules! integers {
    ($($scalar:ty),*) => {
        $(impl Element for $scalar {
            fn read(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().expect("the bytes of one scalar"))
            }

            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        })*
    };
}

integers!(u8, i32, i64);

macro_rules! floats {
    ($($float:ty, $other:ty, $convert:expr;)*) => {
        $(impl Element for $float {
            fn read(bytes: &[u8]) -> Self {
                match bytes.try_into() {
                    Ok(bytes) => Self::from_le_bytes(bytes),
                    Err(_) => $convert(<$other>::from_le_bytes(bytes.try_into().expect("the bytes of one float"))),
                }
            }

            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        })*
    };
}

floats! {
    f32, f64, |wide| wide as f32;
    f64, f32, f64::from;
}

impl<T: Element, const N: usize> Element for [T; N] {
    fn read(bytes: &[u8]) -> Self {
        let len = bytes.len() / N;
        std::array::from_fn(|index| T::read(&bytes[index * len..][..len]))
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|scalar| scalar.write(out));
    }
}

fn elements<T: Element>(plain: Plain<'_>) -> Vec<T> {
    let len = plain.bytes.len().checked_div(plain.count).unwrap_or(1);
    plain.bytes.chunks_exact(len).map(T::read).collect()
}

macro_rules! plain {
    ($($components:ident)* ; $($packed:ident)*) => {
        impl<R: Real> OwnedValue<R> {
            pub(super) fn of_plain(plain: Plain<'_>) -> Self {
                match plain.kind {
                    $(Kind::$components => Self::$components(Element::read(plain.bytes)),)*
                    $(Kind::$packed => Self::$packed(elements(plain)),)*
                    _ => unreachable!("no other kind is plain data"),
                }
            }

            /// Returns the type, if the value is plain data.
            pub(super) fn plain_kind(&self) -> Option<Kind> {
                match self {
                    $(Self::$components(_) => Some(Kind::$components),)*
                    $(Self::$packed(_) => Some(Kind::$packed),)*
                    _ => None,
                }
            }

            /// Returns the event of plain data. Its bytes go to `out`, which must be empty.
            pub(super) fn plain_event<'b>(&self, out: &'b mut Vec<u8>) -> Option<Event<'b>> {
                let width = R::WIDTH;
                match self {
                    $(Self::$components(value) => {
                        value.write(out);
                        Some(Event::Components(Plain { kind: Kind::$components, width, count: 1, bytes: out }))
                    })*
                    $(Self::$packed(values) => {
                        values.iter().for_each(|value| value.write(out));
                        Some(Event::Packed(Plain { kind: Kind::$packed, width, count: values.len(), bytes: out }))
                    })*
                    _ => None,
                }
            }
        }
    };
}

plain! {
    Vector2 Vector2i Rect2 Rect2i Vector3 Vector3i Transform2D Vector4 Vector4i Plane Quaternion Aabb Basis Transform3D
    Projection Color;
    PackedByteArray PackedInt32Array PackedInt64Array PackedFloat32Array PackedFloat64Array PackedVector2Array
    PackedVector3Array PackedColorArray PackedVector4Array
}
