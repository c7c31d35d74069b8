//! A value that owns all its data, for programs that keep values rather than pass events on, such as a game server.

mod convert;
mod events;

pub use self::convert::ValueError;
pub(crate) use self::events::Element;
pub use self::events::Real;
use crate::{CodecError, Dialect, Engine, Event, Kind, Plain, Reader, Writer, frames};

/// A value of an official build of Godot, whose vectors have 32-bit components.
pub type Value = OwnedValue<f32>;

/// A value of a build with `precision=double`, whose vectors have 64-bit components.
pub type DoubleValue = OwnedValue<f64>;

/// Adds a variant for each type of plain data, and what turns plain data into them and back.
macro_rules! with_plain_data {
    ($(#[$attribute:meta])* pub enum OwnedValue<R> { $($other:tt)* }
    components { $($components:ident $array:ty, $order:literal;)* }
    packed { $($packed:ident $element:ty;)* }
    others { $($same:ident)* }) => {
        $(#[$attribute])*
        pub enum OwnedValue<R> {
            $($other)*
            $(#[doc = concat!("`", stringify!($components), "`: ", $order)] $components($array),)*
            $(#[doc = concat!("`", stringify!($packed), "`.")] $packed(Vec<$element>),)*
        }

        impl<R: Real> OwnedValue<R> {
            fn of_plain(plain: Plain<'_>) -> Self {
                match plain.kind {
                    $(Kind::$components => Self::$components(events::Element::read(plain.bytes)),)*
                    $(Kind::$packed => Self::$packed(events::elements(plain)),)*
                    _ => unreachable!("no other kind is plain data"),
                }
            }

            /// Returns the type.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Self::$components(_) => Kind::$components,)*
                    $(Self::$packed(_) => Kind::$packed,)*
                    $(Self::$same { .. } => Kind::$same,)*
                    Self::ObjectId(_) => Kind::Object,
                }
            }

            /// Returns the event of plain data. Its bytes replace those of `out`.
            pub(crate) fn plain_event<'b>(&self, out: &'b mut Vec<u8>) -> Option<Event<'b>> {
                let width = R::WIDTH;
                match self {
                    $(Self::$components(value) => {
                        events::write_elements(std::slice::from_ref(value), out);
                        Some(Event::Components(Plain { kind: Kind::$components, width, count: 1, bytes: out }))
                    })*
                    $(Self::$packed(values) => {
                        events::write_elements(values, out);
                        Some(Event::Packed(Plain { kind: Kind::$packed, width, count: values.len(), bytes: out }))
                    })*
                    _ => None,
                }
            }
        }

        #[cfg(feature = "serde")]
        impl<R: Real + ::serde::Serialize> OwnedValue<R> {
            /// Serializes what plain data is made of, or nothing.
            pub(crate) fn serialize_plain<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$components(value) => ::serde::Serialize::serialize(value, serializer),)*
                    $(Self::$packed(value) => ::serde::Serialize::serialize(value, serializer),)*
                    _ => serializer.serialize_unit(),
                }
            }
        }

        #[cfg(feature = "serde")]
        pub(crate) mod native {
            crate::serde::natives! {
                StringName String;
                $($components $array;)*
                $($packed Vec<$element>;)*
                PackedStringArray Vec<String>;
            }
        }
    };
}

with_plain_data! {
    /// A value of any of the engine's types, as [`Value`] or [`DoubleValue`]. Components are in their encoded order.
    ///
    /// A value takes up to 80 bytes of memory where the shortest one takes 4 encoded bytes. Clone, comparison, `Debug` and
    /// drop are recursive; a value from [`Self::decode`] has at most [`Self::MAX_DEPTH`] levels.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[allow(missing_docs, reason = "each variant describes its fields")]
    pub enum OwnedValue<R> {
        /// `null`.
        #[default]
        Nil,
        Bool(bool),
        Int(i64),
        Float(f64),
        String(String),
        StringName(String),
        /// `NodePath`: the parts between slashes, those after colons, and whether it begins with a slash.
        NodePath { names: Vec<String>, subnames: Vec<String>, absolute: bool },
        /// `RID`, by its id. It is only valid in the process that sent it.
        Rid(u64),
        /// An object by its instance id, 0 for null: what the engine encodes without full objects.
        ObjectId(u64),
        /// An object with its class and the names and values of its stored properties, in order.
        Object { class: String, properties: Vec<(String, Self)> },
        /// `Callable`, of which the encoding keeps nothing.
        Callable,
        /// `Signal`: its name, and the instance id of its object, 0 for none.
        Signal { name: String, object: u64 },
        /// `Dictionary`: the types of its keys and values, and its entries in their order. Duplicate keys are kept.
        Dictionary { key: OwnedType, value: OwnedType, entries: Vec<(Self, Self)> },
        /// `Array`: the type of its elements, and these.
        Array { element: OwnedType, elements: Vec<Self> },
        PackedStringArray(Vec<String>),
    }
    components {
        Vector2     [R; 2],   "x, y.";
        Vector2i    [i32; 2], "x, y.";
        Rect2       [R; 4],   "x, y, width, height.";
        Rect2i      [i32; 4], "x, y, width, height.";
        Vector3     [R; 3],   "x, y, z.";
        Vector3i    [i32; 3], "x, y, z.";
        Transform2D [R; 6],   "x axis, y axis, origin.";
        Vector4     [R; 4],   "x, y, z, w.";
        Vector4i    [i32; 4], "x, y, z, w.";
        Plane       [R; 4],   "normal, distance from the origin.";
        Quaternion  [R; 4],   "x, y, z, w.";
        Aabb        [R; 6],   "position, size.";
        Basis       [R; 9],   "three rows.";
        Transform3D [R; 12],  "three rows of the basis, origin.";
        Projection  [R; 16],  "four columns.";
        Color       [f32; 4], "red, green, blue, alpha.";
    }
    packed {
        PackedByteArray    u8;
        PackedInt32Array   i32;
        PackedInt64Array   i64;
        PackedFloat32Array f32;
        PackedFloat64Array f64;
        PackedVector2Array [R; 2];
        PackedVector3Array [R; 3];
        PackedColorArray   [f32; 4];
        PackedVector4Array [R; 4];
    }
    // Those whose type has the same name.
    others {
        Nil Bool Int Float String StringName NodePath Rid Object Callable Signal Dictionary Array PackedStringArray
    }
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

    /// Decodes a value like `bytes_to_var`, of any width, and ignores bytes behind it, as that does. Fails if there is
    /// none, for objects and for more than [`Self::MAX_DEPTH`] levels: see [`Self::read`] and [`Self::read_nested`].
    pub fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        Self::read(&mut Reader::new(bytes))
    }

    /// Encodes the value like `var_to_bytes`, and objects with properties like `var_to_bytes_with_objects`. Fails if it
    /// is beyond the [`limits`](crate::limits), an object has no class, or for a text as [`Self::write`] says.
    pub fn encode(&self) -> Result<Vec<u8>, CodecError> {
        let mut writer = Self::writer();
        let start = writer.mark();
        self.write(&mut writer)?;
        writer.end_value(start)?;
        Ok(writer.into_plan().into_vec())
    }

    /// Encodes the value behind its length, like `store_var`, for [`frames::read`]. Fails like [`Self::encode`].
    pub fn encode_frame(&self) -> Result<Vec<u8>, CodecError> {
        let mut writer = Self::writer();
        frames::write(&mut writer, |writer| self.write(writer))?;
        Ok(writer.into_plan().into_vec())
    }

    fn writer<'a>() -> Writer<'a> {
        Writer::new(Dialect { engine: Engine::Godot4, real: R::WIDTH })
    }
}
