//! Defines the events that describe a value. They borrow their data and never copy it.

use std::borrow::Cow;

use crate::Element;
use crate::kind::{Kind, Width};
use crate::text::Loose;

/// A value or a part of one, in wire order. Each value is one event and those that it announces: the [`Event::Text`]s
/// of a `PackedStrings` or `NodePath`, the values of a container, name and value of each property of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Event<'a> {
    /// `null`.
    Nil,
    /// A `bool`.
    Bool(bool),
    /// An `int`.
    Int(i64),
    /// A `float`.
    Float(f64),
    /// A vector, matrix, plane, color or similar: its components in wire order.
    Components(Plain<'a>),
    /// A packed array of numbers, vectors or colors.
    Packed(Plain<'a>),
    /// A `String`.
    String(Text<'a>),
    /// A `StringName`.
    StringName(Text<'a>),
    /// The head of a `NodePath`: a text follows for each of its names and subnames. Absolute if it begins with a slash.
    NodePath { names: usize, subnames: usize, absolute: bool },
    /// A `RID`, by its id.
    Rid(u64),
    /// A `Callable`, without any content.
    Callable,
    /// A `Signal`: its name, and the instance id of its object, 0 for none.
    Signal { name: Text<'a>, object: u64 },
    /// An object by its instance id; 0 is null.
    ObjectId(u64),
    /// The head of an object of a class with `count` properties. For each, its name as text and then its value follow.
    Object { class: Text<'a>, count: usize },
    /// The head of a `Dictionary` with the required types of keys and values. For each entry, a key and a value follow.
    Dictionary { key: ElementType<'a>, value: ElementType<'a>, count: usize },
    /// The head of an `Array`, with the required type of its `count` elements, which follow.
    Array { element: ElementType<'a>, count: usize },
    /// The head of a `PackedStringArray`. A text for each of its `count` elements follows.
    PackedStrings { count: usize },
    /// An element of a `PackedStringArray`, a name of a `NodePath` or the name of a property.
    Text(Text<'a>),
}

/// The required type of a typed container's elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ElementType<'a> {
    /// Anything.
    Any,
    /// A Variant type.
    Builtin(Kind),
    /// An object of this class.
    Class(Text<'a>),
    /// An object with the script at this path.
    Script(Text<'a>),
}

impl ElementType<'_> {
    /// Returns the kind of the elements, unless it may be any.
    pub(crate) fn kind(self) -> Option<Kind> {
        match self {
            Self::Any => None,
            Self::Builtin(kind) => Some(kind),
            Self::Class(_) | Self::Script(_) => Some(Kind::Object),
        }
    }

    /// Returns the only kind that elements may have: `None` for any, and for objects, as bytes do not show the class.
    pub(crate) fn builtin(self) -> Option<Kind> {
        match self {
            Self::Builtin(kind) if kind != Kind::Object => Some(kind),
            _ => None,
        }
    }
}

/// The kinds of values that a container of Godot 4 takes without converting them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kinds(u64);

impl Kinds {
    pub const ANY: Self = Self(u64::MAX);
    pub const TEXTS: Self = Self(1 << Kind::String.id() | 1 << Kind::StringName.id());

    /// Returns those of elements or keys of a kind.
    pub fn of(kind: Option<Kind>) -> Self {
        match kind {
            None => Self::ANY,
            Some(Kind::Object) => Self(1 << Kind::Object.id() | 1 << Kind::Nil.id()),
            Some(kind) => Self(1 << kind.id()),
        }
    }

    /// True if the value that begins with this byte is one of them, or if there is no byte.
    #[inline]
    pub fn has(self, byte: Option<&u8>) -> bool {
        self.0 == u64::MAX
            || byte.is_none_or(|&byte| self.0.checked_shr(byte.into()).is_some_and(|kinds| kinds % 2 == 1))
    }
}

/// Little-endian scalars, on the wire as in memory: `Basis` by rows, `Transform2D` and `Projection` by columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plain<'a> {
    /// The type of the value.
    pub kind: Kind,
    /// The width of its components, if they are `real_t`.
    pub width: Width,
    /// The number of elements of a packed array; 1 for components.
    pub count: usize,
    /// The scalars: `count` times [`crate::Shape::element_len`] bytes.
    pub bytes: &'a [u8],
}

impl<'a> Plain<'a> {
    /// Returns the floats that the data is made of, if it is made of floats.
    pub(crate) fn floats(self) -> Option<impl Iterator<Item = f64> + 'a> {
        let size = self.kind.shape().float()?.size(self.width);
        Some(self.bytes.chunks_exact(size).map(f64::read))
    }

    /// True if the data needs no conversion to components of `width`: it has no `real_t`, or `real_t` of that width.
    #[inline]
    pub fn has_width(&self, width: Width) -> bool {
        self.width == width || !self.kind.shape().is_real()
    }
}

/// Text in the form that its source has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text<'a> {
    /// From the wire: valid UTF-8, without byte-order mark and without NUL.
    Utf8(&'a str),
    /// From the wire of Godot 3, or of Pandemonium up to 3.7: checked as well, but not UTF-8.
    Loose(Loose<'a>),
    /// From the engine: any 32-bit value may occur, including lone surrogates.
    Utf32(&'a [u32]),
}

impl<'a> Text<'a> {
    /// Returns the text as UTF-8. Invalid characters become U+FFFD.
    pub fn to_utf8(self) -> Cow<'a, str> {
        match self {
            Self::Utf8(text) => Cow::Borrowed(text),
            Self::Loose(text) => Cow::Owned(text.chars().collect()),
            Self::Utf32(chars) => {
                let char = |&c| char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER);
                Cow::Owned(chars.iter().map(char).collect())
            }
        }
    }

    /// True if there are no characters.
    pub fn is_empty(self) -> bool {
        matches!(self, Self::Utf8("") | Self::Utf32([]))
    }
}
