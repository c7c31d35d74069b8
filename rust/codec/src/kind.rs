//! THE table: one row a Variant type, with its Godot name, its id on the wire and its wire shape.
//!
//! Everything that differs between types is a column here; the code branches on the [`Shape`].
//! The ids are those of Godot 4.3 and later (`core/variant/variant.h`, `Variant::Type`).

use crate::dialect::Width;

/// The scalar that a vector, a matrix or a packed array is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// One byte.
    U8,
    /// A 32-bit signed integer.
    I32,
    /// A 64-bit signed integer.
    I64,
    /// A 32-bit float in every build of the engine.
    F32,
    /// A 64-bit float in every build of the engine.
    F64,
    /// The engine's `real_t`: 32-bit, or 64-bit where the header says so.
    Real,
}

impl Scalar {
    /// Bytes that one scalar takes when `real_t` has `width`.
    pub const fn size(self, width: Width) -> usize {
        match (self, width) {
            (Self::U8, _) => 1,
            (Self::I32 | Self::F32, _) | (Self::Real, Width::Single) => 4,
            (Self::I64 | Self::F64, _) | (Self::Real, Width::Double) => 8,
        }
    }
}

/// What a value looks like on the wire, behind its four-byte header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing.
    Nil,
    /// A 32-bit word, zero or not.
    Bool,
    /// A 32-bit or, flagged, 64-bit signed integer.
    Int,
    /// A 32-bit or, flagged, 64-bit float.
    Float,
    /// A byte length and UTF-8, padded to four bytes.
    Text,
    /// Exactly `count` scalars.
    Components {
        /// What each component is.
        scalar: Scalar,
        /// How many there are.
        count: u8,
    },
    /// Name count, subname count, flags, then the names as text.
    NodePath,
    /// A 64-bit id.
    Rid,
    /// An instance id, or class name and properties.
    Object,
    /// Nothing: a Callable never survives.
    Callable,
    /// A name as text and an object id.
    Signal,
    /// An entry count, then keys and values.
    Dictionary,
    /// An element count, then the elements.
    Array,
    /// An element count, then the elements as plain data, padded to four bytes.
    Packed {
        /// What each element is made of.
        scalar: Scalar,
        /// Scalars in one element.
        count: u8,
    },
    /// An element count, then texts that include a NUL.
    PackedStrings,
}

impl Shape {
    /// Bytes of one element of plain data (of the whole value for `Components`), `None` for other shapes.
    #[inline]
    pub const fn element_len(self, width: Width) -> Option<usize> {
        match self {
            Self::Components { scalar, count } | Self::Packed { scalar, count } => {
                Some(scalar.size(width) * count as usize)
            }
            _ => None,
        }
    }

    /// Whether the value is made of `real_t`, so that the header says how wide its components are.
    #[inline]
    pub const fn is_real(self) -> bool {
        matches!(self, Self::Components { scalar: Scalar::Real, .. } | Self::Packed { scalar: Scalar::Real, .. })
    }
}

const fn components(scalar: Scalar, count: u8) -> Shape {
    Shape::Components { scalar, count }
}

const fn packed(scalar: Scalar, count: u8) -> Shape {
    Shape::Packed { scalar, count }
}

macro_rules! kinds {
    ($($id:literal $kind:ident $name:literal $shape:expr;)*) => {
        /// A Variant type of Godot 4, in the order of `Variant.Type`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Kind {
            $(#[doc = concat!("`", $name, "`")] $kind = $id,)*
        }

        impl Kind {
            /// Every kind, in the order of its id.
            pub const ALL: [Self; [$($id),*].len()] = [$(Self::$kind),*];

            /// The kind with this id, if there is one.
            #[inline]
            pub const fn from_id(id: u8) -> Option<Self> {
                match id {
                    $($id => Some(Self::$kind),)*
                    _ => None,
                }
            }

            // References, as an array by value would be copied to the stack for each look-up.
            const SHAPES: &[Shape; Self::ALL.len()] = &[$($shape),*];
            const NAMES: &[&str; Self::ALL.len()] = &[$($name),*];
        }
    };
}

kinds! {
     0 Nil                "Nil"                Shape::Nil;
     1 Bool               "bool"               Shape::Bool;
     2 Int                "int"                Shape::Int;
     3 Float              "float"              Shape::Float;
     4 String             "String"             Shape::Text;
     5 Vector2            "Vector2"            components(Scalar::Real, 2);
     6 Vector2i           "Vector2i"           components(Scalar::I32, 2);
     7 Rect2              "Rect2"              components(Scalar::Real, 4);
     8 Rect2i             "Rect2i"             components(Scalar::I32, 4);
     9 Vector3            "Vector3"            components(Scalar::Real, 3);
    10 Vector3i           "Vector3i"           components(Scalar::I32, 3);
    11 Transform2D        "Transform2D"        components(Scalar::Real, 6);
    12 Vector4            "Vector4"            components(Scalar::Real, 4);
    13 Vector4i           "Vector4i"           components(Scalar::I32, 4);
    14 Plane              "Plane"              components(Scalar::Real, 4);
    15 Quaternion         "Quaternion"         components(Scalar::Real, 4);
    16 Aabb               "AABB"               components(Scalar::Real, 6);
    17 Basis              "Basis"              components(Scalar::Real, 9);
    18 Transform3D        "Transform3D"        components(Scalar::Real, 12);
    19 Projection         "Projection"         components(Scalar::Real, 16);
    20 Color              "Color"              components(Scalar::F32, 4);
    21 StringName         "StringName"         Shape::Text;
    22 NodePath           "NodePath"           Shape::NodePath;
    23 Rid                "RID"                Shape::Rid;
    24 Object             "Object"             Shape::Object;
    25 Callable           "Callable"           Shape::Callable;
    26 Signal             "Signal"             Shape::Signal;
    27 Dictionary         "Dictionary"         Shape::Dictionary;
    28 Array              "Array"              Shape::Array;
    29 PackedByteArray    "PackedByteArray"    packed(Scalar::U8, 1);
    30 PackedInt32Array   "PackedInt32Array"   packed(Scalar::I32, 1);
    31 PackedInt64Array   "PackedInt64Array"   packed(Scalar::I64, 1);
    32 PackedFloat32Array "PackedFloat32Array" packed(Scalar::F32, 1);
    33 PackedFloat64Array "PackedFloat64Array" packed(Scalar::F64, 1);
    34 PackedStringArray  "PackedStringArray"  Shape::PackedStrings;
    35 PackedVector2Array "PackedVector2Array" packed(Scalar::Real, 2);
    36 PackedVector3Array "PackedVector3Array" packed(Scalar::Real, 3);
    37 PackedColorArray   "PackedColorArray"   packed(Scalar::F32, 4);
    38 PackedVector4Array "PackedVector4Array" packed(Scalar::Real, 4);
}

impl Kind {
    /// The id: the low byte of the header, and the value of the engine's `TYPE_*` constant.
    #[inline]
    pub const fn id(self) -> u8 {
        self as u8
    }

    /// The engine's name for the type, as `type_string()` gives it.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// What a value of this kind looks like on the wire.
    #[inline]
    pub const fn shape(self) -> Shape {
        Self::SHAPES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_count_up_from_zero() {
        for (index, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(kind.id()), index, "{}", kind.name());
            assert_eq!(Kind::from_id(kind.id()), Some(kind));
        }
        assert_eq!(Kind::from_id(39), None);
    }

    #[test]
    fn widths_change_only_reals() {
        for kind in Kind::ALL {
            let (single, double) = (kind.shape().element_len(Width::Single), kind.shape().element_len(Width::Double));
            assert_eq!(single != double, kind.shape().is_real(), "{}", kind.name());
        }
    }
}
