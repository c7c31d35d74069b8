//! THE table: one row for each Variant type, with its Godot name, its ids on the wire and its wire shape.
//!
//! What differs between types is a column; the code branches on the [`Shape`]. The first ids are of Godot 4.3 and
//! later, and Redot before its structs (`core/variant/variant.h`), the rest of each [`Engine`](crate::Engine).

/// The width of the engine's `real_t`: the component of vectors, matrices and their packed arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    /// 32-bit: every official build of Godot.
    #[default]
    Single,
    /// 64-bit: a build with `precision=double`.
    Double,
}

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
    /// Returns the bytes of one scalar when `real_t` has `width`.
    pub const fn size(self, width: Width) -> usize {
        match (self, width) {
            (Self::U8, _) => 1,
            (Self::I32 | Self::F32, _) | (Self::Real, Width::Single) => 4,
            (Self::I64 | Self::F64, _) | (Self::Real, Width::Double) => 8,
        }
    }

    /// Returns the bytes of `count` scalars.
    #[inline]
    pub(crate) const fn size_of(self, count: u8, width: Width) -> usize {
        self.size(width) * count as usize
    }
}

/// The layout of a value on the wire, after its four-byte header.
// `repr(u8)` gives the discriminant its own byte, which is read faster than one packed into other fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "each variant describes its fields")]
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
    /// Exactly `count` scalars of a type.
    Components { scalar: Scalar, count: u8 },
    /// Name count, subname count, flags, then the names as text.
    NodePath,
    /// A 64-bit id.
    Rid,
    /// An instance id, or class name and properties.
    Object,
    /// Nothing: Callables are not serialized.
    Callable,
    /// A name as text and an object id.
    Signal,
    /// An entry count, then keys and values.
    Dictionary,
    /// An element count, then the elements.
    Array,
    /// An element count, then the elements of `count` scalars each as plain data, padded to four bytes.
    Packed { scalar: Scalar, count: u8 },
    /// An element count, then texts that include a NUL.
    PackedStrings,
    /// A shape that Godot 4 never writes.
    Foreign(Foreign),
}

/// Shapes that only other engines write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// No such type.
    None,
    /// Nothing: a RID whose id was not written.
    EmptyRid,
    /// An element type, then a class name as a `StringName` value if that is Object, an element count and the elements.
    TypedArray,
    /// An element count, then values of this kind without headers: read as an Array of that kind.
    Bare(Kind),
}

/// The length of a payload. The Reader and `Skim` both follow this rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// This many bytes.
    Fixed(usize),
    /// A count, then elements of this many bytes each, together padded to a multiple of [`WORD`].
    Counted(usize),
    /// Parts with their own lengths.
    Parts,
}

/// Returns the length of a text or of packed data, with padding. Cannot overflow: lengths on the wire have 31 bits.
#[inline(always)]
pub(crate) const fn padded(len: usize) -> usize {
    len.next_multiple_of(WORD)
}

impl Shape {
    /// Returns the length of a payload whose header announces `width`.
    #[inline(always)]
    pub(crate) const fn extent(self, width: Width) -> Extent {
        match self {
            Self::Nil | Self::Callable | Self::Foreign(Foreign::EmptyRid) => Extent::Fixed(0),
            Self::Bool => Extent::Fixed(WORD),
            Self::Int | Self::Float => Extent::Fixed(Scalar::Real.size(width)),
            Self::Rid => Extent::Fixed(2 * WORD),
            Self::Components { scalar, count } => Extent::Fixed(scalar.size_of(count, width)),
            Self::Text => Extent::Counted(1),
            Self::Packed { scalar, count } => Extent::Counted(scalar.size_of(count, width)),
            _ => Extent::Parts,
        }
    }

    /// Returns the bytes of one element of plain data (of the whole value for `Components`), `None` for other shapes.
    #[inline]
    pub const fn element_len(self, width: Width) -> Option<usize> {
        match self {
            Self::Components { scalar, count } | Self::Packed { scalar, count } => Some(scalar.size_of(count, width)),
            _ => None,
        }
    }

    /// Returns the scalar that plain data is made of, if it is a float.
    pub(crate) fn float(self) -> Option<Scalar> {
        let (Self::Components { scalar, .. } | Self::Packed { scalar, .. }) = self else { return None };
        matches!(scalar, Scalar::F32 | Scalar::F64 | Scalar::Real).then_some(scalar)
    }

    /// True if the value is made of `real_t`, whose width the header announces.
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

/// An id, or `-` for none.
macro_rules! id {
    (-) => {
        None
    };
    ($id:literal) => {
        Some($id)
    };
}

macro_rules! kinds {
    ($($id:literal $godot3:tt $p50:tt $p38:tt $p35:tt $kind:ident $name:literal $shape:expr;)*) => {
        /// A Variant type of Godot 4, in the order of `Variant.Type`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Kind {
            $(#[doc = concat!("`", $name, "`")] $kind = $id,)*
        }

        impl Kind {
            /// Every kind, in the order of its id.
            pub const ALL: [Self; [$($id),*].len()] = [$(Self::$kind),*];

            /// Returns the kind with this id, if there is one.
            #[inline]
            pub const fn from_id(id: u8) -> Option<Self> {
                match id {
                    $($id => Some(Self::$kind),)*
                    _ => None,
                }
            }

            // References: an array by value would be copied to the stack for each look-up.
            const SHAPES: &[Shape; Self::ALL.len()] = &[$($shape),*];
            const NAMES: &[&str; Self::ALL.len()] = &[$($name),*];
        }

        /// The ids of each kind in each engine, the first in Godot 4.
        pub(crate) const IDS: &[[Option<u8>; 5]; Kind::ALL.len()] =
            &[$([id!($id), id!($godot3), id!($p50), id!($p38), id!($p35)]),*];
    };
}

kinds! {
//   4  3 P5 P38 P35: Godot 4 and Redot, Godot 3, Pandemonium from 5.0, from 3.8 and from 3.5 on. "-": no such type.
     0  0  0  0  0  Nil                "Nil"                Shape::Nil;
     1  1  1  1  1  Bool               "bool"               Shape::Bool;
     2  2  2  2  2  Int                "int"                Shape::Int;
     3  3  3  3  3  Float              "float"              Shape::Float;
     4  4  4  4  4  String             "String"             Shape::Text;
     5  5  7  7  5  Vector2            "Vector2"            components(Scalar::Real, 2);
     6  -  8  8  6  Vector2i           "Vector2i"           components(Scalar::I32, 2);
     7  6  5  5  7  Rect2              "Rect2"              components(Scalar::Real, 4);
     8  -  6  6  8  Rect2i             "Rect2i"             components(Scalar::I32, 4);
     9  7  9  9  9  Vector3            "Vector3"            components(Scalar::Real, 3);
    10  - 10 10 10  Vector3i           "Vector3i"           components(Scalar::I32, 3);
    11  8 18 18 11  Transform2D        "Transform2D"        components(Scalar::Real, 6);
    12  - 11 11  -  Vector4            "Vector4"            components(Scalar::Real, 4);
    13  - 12 12  -  Vector4i           "Vector4i"           components(Scalar::I32, 4);
    14  9 13 13 12  Plane              "Plane"              components(Scalar::Real, 4);
    15 10 14 14 13  Quaternion         "Quaternion"         components(Scalar::Real, 4);
    16 11 15 15 14  Aabb               "AABB"               components(Scalar::Real, 6);
    17 12 16 16 15  Basis              "Basis"              components(Scalar::Real, 9);
    18 13 17 17 16  Transform3D        "Transform3D"        components(Scalar::Real, 12);
    19  - 19 19  -  Projection         "Projection"         components(Scalar::Real, 16);
    20 14 20 20 17  Color              "Color"              components(Scalar::F32, 4);
    21  - 24 24 21  StringName         "StringName"         Shape::Text;
    22 15 21 21 18  NodePath           "NodePath"           Shape::NodePath;
    23 16 22 22 19  Rid                "RID"                Shape::Rid;
    24 17 23 23 20  Object             "Object"             Shape::Object;
    25  -  -  -  -  Callable           "Callable"           Shape::Callable;
    26  -  -  -  -  Signal             "Signal"             Shape::Signal;
    27 18 25 25 22  Dictionary         "Dictionary"         Shape::Dictionary;
    28 19 26 26 23  Array              "Array"              Shape::Array;
    29 20 29 27 24  PackedByteArray    "PackedByteArray"    packed(Scalar::U8, 1);
    30 21 30 28 25  PackedInt32Array   "PackedInt32Array"   packed(Scalar::I32, 1);
    31  -  -  -  -  PackedInt64Array   "PackedInt64Array"   packed(Scalar::I64, 1);
    32 22 31 29 26  PackedFloat32Array "PackedFloat32Array" packed(Scalar::F32, 1);
    33  -  -  -  -  PackedFloat64Array "PackedFloat64Array" packed(Scalar::F64, 1);
    34 23 32 30 27  PackedStringArray  "PackedStringArray"  Shape::PackedStrings;
    35 24 33 31 28  PackedVector2Array "PackedVector2Array" packed(Scalar::Real, 2);
    36 25 35 33 30  PackedVector3Array "PackedVector3Array" packed(Scalar::Real, 3);
    37 26 39 37 32  PackedColorArray   "PackedColorArray"   packed(Scalar::F32, 4);
    38  - 37 35  -  PackedVector4Array "PackedVector4Array" packed(Scalar::Real, 4);
}

/// Types that only Pandemonium has: their ids from 5.0, from 3.8 and from 3.5 on, and their shapes.
const PANDEMONIUM_ONLY: [([Option<u8>; 3], Foreign); 5] = [
    ([id!(27), id!(-), id!(-)], Foreign::TypedArray),
    ([id!(28), id!(-), id!(-)], Foreign::TypedArray), // its packed form, on the wire the same
    ([id!(34), id!(32), id!(29)], Foreign::Bare(Kind::Vector2i)),
    ([id!(36), id!(34), id!(31)], Foreign::Bare(Kind::Vector3i)),
    ([id!(38), id!(36), id!(-)], Foreign::Bare(Kind::Vector4i)),
];

impl Kind {
    /// Returns the id: the low byte of the header, and the value of the engine's `TYPE_*` constant.
    #[inline]
    pub const fn id(self) -> u8 {
        self as u8
    }

    /// Returns the engine's name for the type, as `type_string()` does.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Returns the layout of this kind on the wire.
    #[inline]
    pub const fn shape(self) -> Shape {
        Self::SHAPES[self as usize]
    }
}

/// The encoding of one of an engine's types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The kind that it is read as.
    pub kind: Kind,
    pub shape: Shape,
    /// The bits of the header, besides the id, that the engine reads.
    pub flags: u32,
}

impl Row {
    const NONE: Self = Self { kind: Kind::Nil, shape: Shape::Foreign(Foreign::None), flags: 0 };

    /// True if the engine has such a type.
    #[inline]
    pub const fn is_some(self) -> bool {
        !matches!(self.shape, Shape::Foreign(Foreign::None))
    }

    /// The row of a kind. Only Godot 4 has 64-bit components, element types and the ids of RIDs.
    const fn of(kind: Kind, is_godot_4: bool) -> Self {
        let shape = kind.shape();
        let (shape, flags) = match shape {
            Shape::Int | Shape::Float | Shape::Object => (shape, FLAG_64),
            Shape::Rid if !is_godot_4 => (Shape::Foreign(Foreign::EmptyRid), 0),
            Shape::Array if is_godot_4 => (shape, ARRAY_TYPE),
            Shape::Dictionary if is_godot_4 => (shape, DICTIONARY_TYPES),
            _ if is_godot_4 && shape.is_real() => (shape, FLAG_64),
            _ => (shape, 0),
        };
        Self { kind, shape, flags }
    }

    const fn foreign(foreign: Foreign) -> Self {
        let flags = if matches!(foreign, Foreign::TypedArray) { FLAG_64 } else { 0 };
        Self { kind: Kind::Array, shape: Shape::Foreign(foreign), flags }
    }
}

/// A row for each value of the id's byte, so that look-ups need no bounds check.
pub(crate) type Rows = [Row; 256];

/// Returns the types, by id, of the engine in this column of the table.
pub(crate) const fn rows(column: usize) -> Rows {
    let mut rows = [Row::NONE; 256];
    let (mut kind, mut count) = (0, 0);
    while kind < Kind::ALL.len() {
        if let Some(id) = IDS[kind][column] {
            rows[id as usize] = Row::of(Kind::ALL[kind], column == 0);
            count += 1;
        }
        kind += 1;
    }
    let mut own = 0;
    while column > 1 && own < PANDEMONIUM_ONLY.len() {
        let (ids, foreign) = PANDEMONIUM_ONLY[own];
        if let Some(id) = ids[column - 2] {
            rows[id as usize] = Row::foreign(foreign);
            count += 1;
        }
        own += 1;
    }
    assert!(count_of(&rows) == count, "each id is that of a type, and none that of two");
    rows
}

/// Returns the number of types, whose ids begin at 0 and have no gaps.
pub(crate) const fn count_of(rows: &Rows) -> usize {
    let mut count = 0;
    while rows[count].is_some() {
        count += 1;
    }
    count
}

/// The class of objects that stand for another object by its id.
pub(crate) const ENCODED_OBJECT: &str = "EncodedObjectAsID";

/// Bytes of a header, a count or a length. Every value and text takes at least this; payloads are padded to a multiple.
pub(crate) const WORD: usize = 4;

/// Bit 16 of the header: the payload, or each of its components, has eight bytes.
pub(crate) const FLAG_64: u32 = 1 << 16;

/// The bits of a header that give the form of an Array's element type, and of a Dictionary's key and value types.
pub(crate) const ARRAY_TYPE: u32 = 3 << 16;
pub(crate) const DICTIONARY_TYPES: u32 = 15 << 16;
