//! One step of a value. Events borrow from what they describe and never copy it.

use crate::dialect::Width;
use crate::kind::Kind;

/// One step of a value, in the order of the wire.
///
/// A value is one event; a `PackedStrings` is followed by as many [`Event::Text`] as it has elements.
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
    /// The head of a `PackedStringArray`.
    PackedStrings {
        /// How many texts follow.
        count: usize,
    },
    /// One element of a `PackedStringArray`.
    Text(Text<'a>),
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

/// Text, as the side that it comes from holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text<'a> {
    /// From the wire: checked, without byte-order mark and without NUL.
    Utf8(&'a str),
    /// From the engine: any 32-bit value may occur, lone surrogates too.
    Utf32(&'a [u32]),
}
