//! Reads a value at once: any value to its end, a flat one without the state that a [`Reader`] keeps for containers, texts
//! and errors.

use super::{HIGH_BIT, Reader, width};
use crate::dialect::Dialect;
use crate::error::CodecError;
use crate::event::{ElementType, Event, Plain, Text};
use crate::kind::{ARRAY_TYPE, DICTIONARY_TYPES, Kind, Row, Shape, WORD, Width, padded};
use crate::limits::MAX_VALUE_LEN;
use crate::text;

/// Reads a value to its end, and returns its length in bytes, including its last padding even if that is missing.
///
/// Builds nothing, and allocates only the [`Reader`]'s stack of open containers.
///
/// # Errors
/// If there is no valid value; see [`Reader::next_event`].
pub fn validate(mut reader: Reader<'_>) -> Result<usize, CodecError> {
    reader.skip_value()?;
    Ok(reader.position())
}

impl<'a> Reader<'a> {
    /// Returns the only event of a flat value at the start of `bytes`, by the rules of Godot 4: nil, a bool, a number,
    /// a math type, a packed array of these, a text, a RID, an object's id, a Callable, a Signal, an empty untyped container,
    /// or the beginning of a PackedStringArray: see [`Self::flat_text`]. Returns `None` for any other value and for a
    /// malformed one, which a Reader must read. It takes a fraction of a Reader's time, which matters for values of a few
    /// bytes.
    #[doc(hidden)]
    #[inline(always)]
    pub fn flat(bytes: &'a [u8]) -> Option<Event<'a>> {
        let (&header, rest) = bytes.split_first_chunk()?;
        if bytes.len() > MAX_VALUE_LEN {
            return None;
        }
        let word = u32::from_le_bytes(header);
        let Row { kind, shape, flags, .. } = Dialect::GODOT_4.engine.rules().rows[usize::from(word as u8)];
        Some(match (shape, width(word & flags)) {
            (Shape::Nil, _) => Event::Nil,
            (Shape::Callable, _) => Event::Callable,
            (Shape::Object, Width::Double) => Event::ObjectId(u64::from_le_bytes(*rest.first_chunk()?)),
            (Shape::Signal, _) => {
                let (name, rest) = Self::flat_text(rest)?;
                Event::Signal { name: Text::Utf8(name), object: u64::from_le_bytes(*rest.first_chunk()?) }
            }
            (Shape::Rid, _) => Event::Rid(u64::from_le_bytes(*rest.first_chunk()?)),
            // Bit 31 of a count means nothing in a container.
            (Shape::Array, _) if word & flags & ARRAY_TYPE == 0 && is_empty(rest)? => {
                Event::Array { element: ElementType::Any, count: 0 }
            }
            (Shape::Dictionary, _) if word & flags & DICTIONARY_TYPES == 0 && is_empty(rest)? => {
                Event::Dictionary { key: ElementType::Any, value: ElementType::Any, count: 0 }
            }
            (Shape::Bool, _) => Event::Bool(*rest.first_chunk()? != [0; WORD]),
            (Shape::Int, Width::Single) => Event::Int(i32::from_le_bytes(*rest.first_chunk()?).into()),
            (Shape::Int, Width::Double) => Event::Int(i64::from_le_bytes(*rest.first_chunk()?)),
            (Shape::Float, Width::Single) => Event::Float(f32::from_le_bytes(*rest.first_chunk()?).into()),
            (Shape::Float, Width::Double) => Event::Float(f64::from_le_bytes(*rest.first_chunk()?)),
            (Shape::Components { scalar, count }, width) => {
                let bytes = rest.get(..scalar.size_of(count, width))?;
                Event::Components(Plain { kind, width, count: 1, bytes })
            }
            (Shape::Packed { scalar, count }, width) => {
                let (&count_word, rest) = rest.split_first_chunk()?;
                let element_len = scalar.size_of(count, width);
                let count = usize::try_from(i32::from_le_bytes(count_word)).ok()?;
                let bytes = rest.get(..count.saturating_mul(element_len))?;
                Event::Packed(Plain { kind, width, count, bytes })
            }
            (Shape::Text, _) => {
                let text = Text::Utf8(Self::flat_text(rest)?.0);
                if kind == Kind::StringName { Event::StringName(text) } else { Event::String(text) }
            }
            (Shape::PackedStrings, _) => {
                let count = usize::try_from(i32::from_le_bytes(*rest.first_chunk()?)).unwrap_or(0);
                Event::PackedStrings { count: Some(count).filter(|count| *count <= rest.len() / WORD)? }
            }
            _ => return None,
        })
    }

    /// Returns a text of a flat value, and the bytes after it.
    #[doc(hidden)]
    #[inline(always)]
    pub fn flat_text(bytes: &'a [u8]) -> Option<(&'a str, &'a [u8])> {
        let (&length, rest) = bytes.split_first_chunk()?;
        let len = usize::try_from(i32::from_le_bytes(length)).ok()?;
        let (text, rest) = rest.split_at_checked(padded(len))?;
        Some((text::decode(&text[..len]).ok()?, rest))
    }
}

/// Returns `None` if there is no count.
#[inline(always)]
fn is_empty(rest: &[u8]) -> Option<bool> {
    rest.first_chunk().map(|count| u32::from_le_bytes(*count) & !HIGH_BIT == 0)
}
