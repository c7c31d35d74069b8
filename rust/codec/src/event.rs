//! One step of a value. Events borrow from what they describe and never copy it.

use std::borrow::Cow;

use crate::kind::{Kind, Width};
use crate::text::Loose;

/// One step of a value, in the order of the wire.
///
/// A value is one event and what that event says must follow: the [`Event::Text`]s of a `PackedStrings` or `NodePath`,
/// the values of a container, a text and a value for each property of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<'a> {
    /// `null`.
    Nil,
    /// A `bool`.
    Bool(bool),
    /// An `int`.
    Int(i64),
    /// A `float`.
    Float(f64),
    /// A vector, matrix, plane, color and the like: its components in wire order.
    Components(Plain<'a>),
    /// A packed array of numbers, vectors or colors.
    Packed(Plain<'a>),
    /// A `String`.
    String(Text<'a>),
    /// A `StringName`.
    StringName(Text<'a>),
    /// The head of a `NodePath`; a text for each name and subname follows.
    NodePath {
        /// Names: the parts between slashes.
        names: usize,
        /// Subnames: the parts behind colons.
        subnames: usize,
        /// Whether the path begins with a slash.
        absolute: bool,
    },
    /// A `RID`, by its id.
    Rid(u64),
    /// A `Callable`, of which nothing is kept.
    Callable,
    /// A `Signal`.
    Signal {
        /// Its name.
        name: Text<'a>,
        /// The instance id of its object, 0 for none.
        object: u64,
    },
    /// An object by its instance id; 0 is null.
    ObjectId(u64),
    /// The head of an object with its properties; for each, its name as text and then its value follow.
    Object {
        /// The class.
        class: Text<'a>,
        /// How many properties follow.
        count: usize,
    },
    /// The head of a `Dictionary`; for each entry, its key and then its value follow.
    Dictionary {
        /// What the keys must be.
        key: ElementType<'a>,
        /// What the values must be.
        value: ElementType<'a>,
        /// How many entries follow.
        count: usize,
    },
    /// The head of an `Array`; its elements follow.
    Array {
        /// What the elements must be.
        element: ElementType<'a>,
        /// How many follow.
        count: usize,
    },
    /// The head of a `PackedStringArray`; a text for each element follows.
    PackedStrings {
        /// How many texts follow.
        count: usize,
    },
    /// An element of a `PackedStringArray`, a name of a `NodePath` or the name of a property.
    Text(Text<'a>),
}

/// What the elements of a typed container must be.
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
    /// Returns the only type that elements may have, as far as their bytes show it: `None` for any type, and for objects, whose bytes do
    /// not show their class.
    pub(crate) fn builtin(self) -> Option<Kind> {
        match self {
            Self::Builtin(kind) if kind != Kind::Object => Some(kind),
            _ => None,
        }
    }
}

/// Plain data as both the wire and the engine's memory hold it: little-endian scalars, one after the other.
///
/// The engine keeps every such type in wire order (`Basis` by rows, `Transform2D` and `Projection` by columns), so
/// that a value is its own wire form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plain<'a> {
    /// The type of the value.
    pub kind: Kind,
    /// The width of its components, where they are `real_t`.
    pub width: Width,
    /// Elements of a packed array; 1 for components.
    pub count: usize,
    /// The scalars: `count` times [`crate::Shape::element_len`] bytes.
    pub bytes: &'a [u8],
}

impl Plain<'_> {
    /// Whether the data is as it is where components are `width` wide: it has no `real_t`, or `real_t` of that width.
    #[inline]
    pub fn has_width(&self, width: Width) -> bool {
        self.width == width || !self.kind.shape().is_real()
    }
}

/// Text, as the side that it comes from holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text<'a> {
    /// From the wire: checked, without byte-order mark and without NUL.
    Utf8(&'a str),
    /// From the wire of Godot 3: checked as well, but no UTF-8.
    Loose(Loose<'a>),
    /// From the engine: any 32-bit value may occur, lone surrogates too.
    Utf32(&'a [u32]),
}

impl<'a> Text<'a> {
    /// The text as UTF-8. What is no character is U+FFFD.
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

    /// Whether there is no character.
    pub fn is_empty(self) -> bool {
        matches!(self, Self::Utf8("") | Self::Utf32([]))
    }
}
