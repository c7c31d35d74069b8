//! A value that owns all its data, for programs that keep values rather than pass events on, such as a game server.

mod convert;
mod elements;
mod events;

pub use self::convert::ValueError;
#[cfg(feature = "serde")]
pub(crate) use self::elements::Element;
pub use self::elements::Real;
use crate::dialect::{Dialect, Engine};
use crate::error::CodecError;
use crate::frames;
use crate::kind::Kind;
use crate::reader::Reader;
use crate::writer::Writer;

/// A value of an official build of Godot, whose vectors have 32-bit components.
pub type Value = OwnedValue<f32>;

/// A value of a build with `precision=double`, whose vectors have 64-bit components.
pub type DoubleValue = OwnedValue<f64>;

/// A value of any of the engine's types. Use it as [`Value`] or as [`DoubleValue`].
///
/// Components are in the order in which they are encoded: `Transform2D` and `Projection` by columns, `Basis` and the
/// basis of `Transform3D` by rows, with the origin last. `Rect2` and `AABB` are position and size, `Plane` is normal
/// and distance.
///
/// A value takes up to 80 bytes of memory where the shortest one takes 4 encoded bytes. Clone, comparison and drop are
/// recursive; a value from [`Self::decode`] has at most [`MAX_DEPTH`](crate::limits::MAX_DEPTH) levels.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum OwnedValue<R> {
    /// `null`.
    #[default]
    Nil,
    /// `bool`.
    Bool(bool),
    /// `int`.
    Int(i64),
    /// `float`.
    Float(f64),
    /// `String`.
    String(String),
    /// `Vector2`: x, y.
    Vector2([R; 2]),
    /// `Vector2i`: x, y.
    Vector2i([i32; 2]),
    /// `Rect2`: x, y, width, height.
    Rect2([R; 4]),
    /// `Rect2i`: x, y, width, height.
    Rect2i([i32; 4]),
    /// `Vector3`: x, y, z.
    Vector3([R; 3]),
    /// `Vector3i`: x, y, z.
    Vector3i([i32; 3]),
    /// `Transform2D`: x axis, y axis, origin.
    Transform2D([R; 6]),
    /// `Vector4`: x, y, z, w.
    Vector4([R; 4]),
    /// `Vector4i`: x, y, z, w.
    Vector4i([i32; 4]),
    /// `Plane`: normal, distance from the origin.
    Plane([R; 4]),
    /// `Quaternion`: x, y, z, w.
    Quaternion([R; 4]),
    /// `AABB`: position, size.
    Aabb([R; 6]),
    /// `Basis`: three rows.
    Basis([R; 9]),
    /// `Transform3D`: three rows of the basis, origin.
    Transform3D([R; 12]),
    /// `Projection`: four columns.
    Projection([R; 16]),
    /// `Color`: red, green, blue, alpha.
    Color([f32; 4]),
    /// `StringName`.
    StringName(String),
    /// `NodePath`.
    NodePath {
        /// The parts between slashes.
        names: Vec<String>,
        /// The parts after colons.
        subnames: Vec<String>,
        /// True if the path begins with a slash.
        absolute: bool,
    },
    /// `RID`, by its id. It is only valid in the process that sent it.
    Rid(u64),
    /// An object by its instance id, 0 for null: what the engine encodes without full objects.
    ObjectId(u64),
    /// An object with its class and its stored properties, in order.
    Object {
        /// The class.
        class: String,
        /// Names and values.
        properties: Vec<(String, Self)>,
    },
    /// `Callable`, of which the encoding keeps nothing.
    Callable,
    /// `Signal`.
    Signal {
        /// Its name.
        name: String,
        /// The instance id of its object, 0 for none.
        object: u64,
    },
    /// `Dictionary`: its entries in their order. Duplicate keys are kept.
    Dictionary {
        /// The type of the keys.
        key: OwnedType,
        /// The type of the values.
        value: OwnedType,
        /// Keys and values.
        entries: Vec<(Self, Self)>,
    },
    /// `Array`.
    Array {
        /// The type of the elements.
        element: OwnedType,
        /// The elements.
        elements: Vec<Self>,
    },
    /// `PackedByteArray`.
    PackedByteArray(Vec<u8>),
    /// `PackedInt32Array`.
    PackedInt32Array(Vec<i32>),
    /// `PackedInt64Array`.
    PackedInt64Array(Vec<i64>),
    /// `PackedFloat32Array`.
    PackedFloat32Array(Vec<f32>),
    /// `PackedFloat64Array`.
    PackedFloat64Array(Vec<f64>),
    /// `PackedStringArray`.
    PackedStringArray(Vec<String>),
    /// `PackedVector2Array`.
    PackedVector2Array(Vec<[R; 2]>),
    /// `PackedVector3Array`.
    PackedVector3Array(Vec<[R; 3]>),
    /// `PackedColorArray`.
    PackedColorArray(Vec<[f32; 4]>),
    /// `PackedVector4Array`.
    PackedVector4Array(Vec<[R; 4]>),
}

/// The type of a container's elements, keys or values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OwnedType {
    /// Anything: the container is not typed.
    #[default]
    Any,
    /// A type of the engine.
    Builtin(Kind),
    /// Objects of this class.
    Class(Box<str>),
    /// Objects with the script at this path.
    Script(Box<str>),
}

impl<R: Real> OwnedValue<R> {
    /// Returns an untyped `Array`.
    pub fn array(elements: impl IntoIterator<Item: Into<Self>>) -> Self {
        let elements = elements.into_iter().map(Into::into).collect();
        Self::Array { element: OwnedType::Any, elements }
    }

    /// Returns an untyped `Dictionary` with these entries, in their order.
    pub fn dictionary<K: Into<Self>>(entries: impl IntoIterator<Item = (K, Self)>) -> Self {
        let entries = entries.into_iter().map(|(key, value)| (key.into(), value)).collect();
        Self::Dictionary { key: OwnedType::Any, value: OwnedType::Any, entries }
    }

    /// Returns the type.
    pub fn kind(&self) -> Kind {
        if let Some(kind) = self.plain_kind() {
            return kind;
        }
        match self {
            Self::Bool(_) => Kind::Bool,
            Self::Int(_) => Kind::Int,
            Self::Float(_) => Kind::Float,
            Self::String(_) => Kind::String,
            Self::StringName(_) => Kind::StringName,
            Self::NodePath { .. } => Kind::NodePath,
            Self::Rid(_) => Kind::Rid,
            Self::ObjectId(_) | Self::Object { .. } => Kind::Object,
            Self::Callable => Kind::Callable,
            Self::Signal { .. } => Kind::Signal,
            Self::Dictionary { .. } => Kind::Dictionary,
            Self::Array { .. } => Kind::Array,
            Self::PackedStringArray(_) => Kind::PackedStringArray,
            _ => Kind::Nil,
        }
    }

    /// Decodes the value at the start of `bytes`, like `bytes_to_var`: bytes after it are ignored.
    ///
    /// Components of the other width are converted, as in the engine.
    ///
    /// # Errors
    /// If there is no such value, or it contains an object with properties: see [`Self::read`] for those.
    pub fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        Self::read(&mut Reader::new(bytes))
    }

    /// Encodes the value like `var_to_bytes`, and objects with properties like `var_to_bytes_with_objects`.
    ///
    /// # Errors
    /// If it is nested too deep or takes too many bytes (see [`limits`](crate::limits)), or an object has no class.
    pub fn encode(&self) -> Result<Vec<u8>, CodecError> {
        let mut writer = Self::writer();
        let start = writer.mark();
        self.write(&mut writer)?;
        writer.end_value(start)?;
        Ok(writer.into_plan().into_vec())
    }

    /// Encodes the value after its length, like `StreamPeer.put_var` and `FileAccess.store_var`. [`frames::read`] finds
    /// the values again.
    ///
    /// # Errors
    /// In the same cases as [`Self::encode`].
    pub fn encode_frame(&self) -> Result<Vec<u8>, CodecError> {
        let mut writer = Self::writer();
        frames::write(&mut writer, |writer| self.write(writer))?;
        Ok(writer.into_plan().into_vec())
    }

    fn writer<'a>() -> Writer<'a> {
        Writer::new(Dialect { engine: Engine::Godot4, real: R::WIDTH })
    }
}
