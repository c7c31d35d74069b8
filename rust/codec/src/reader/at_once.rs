//! What the addon reads at once: a small value without the state that a [`Reader`] keeps for containers and texts, and what
//! another Reader has read.

use super::{HIGH_BIT, ReadNext, Reader, width};
use crate::{
    Dialect, ElementType, Event, Kind, MAX_DEPTH, MAX_VALUE_LEN, Plain, Row, Shape, Text, WORD, Width, padded, text,
};

impl<'a> Reader<'a> {
    /// Skips the name of a property if it has these bytes, which a Reader has read. Returns `false` otherwise.
    #[inline]
    pub fn pass_name(&mut self, name: &[u8]) -> bool {
        let is_next = self.next == ReadNext::Name && self.has_next(name);
        if is_next {
            self.at += name.len();
            self.due -= WORD;
            self.next = ReadNext::Value;
        }
        is_next
    }

    /// Skips a property if it has these bytes: those of one that a Reader has read, whose value is a single event.
    #[inline]
    pub fn pass_property(&mut self, property: &[u8]) -> bool {
        let is_next = self.next == ReadNext::Name && self.open.len() <= MAX_DEPTH && self.has_next(property);
        if is_next {
            self.at += property.len();
            self.due -= 2 * WORD;
            self.end_value();
        }
        is_next
    }

    /// Skips so many properties, which take so many bytes: another Reader of the value has read them.
    #[inline]
    pub fn pass_properties(&mut self, count: usize, len: usize) {
        debug_assert!(self.next == ReadNext::Name || count == 0, "properties come next");
        if let Some(top) = self.open.last_mut().filter(|_| count > 0) {
            top.index += count - 1;
            self.at += len;
            self.due -= 2 * WORD * count;
            self.end_value();
        }
    }

    /// True if these words come next. They are so few that no call is worth it.
    #[inline]
    fn has_next(&self, words: &[u8]) -> bool {
        let next = self.rest().get(..words.len());
        next.is_some_and(|next| next.as_chunks::<WORD>().0.iter().eq(words.as_chunks::<WORD>().0))
    }

    /// Returns the first event of the value at the start of `bytes`, by the rules of Godot 4, and the bytes after it:
    /// the values or texts that the event announces, see [`Self::flat_text`]. `None` for what is malformed or only a
    /// Reader reads: full objects, containers of objects of a class or script, NodePaths that no engine writes.
    #[inline(always)]
    pub fn flat(bytes: &'a [u8]) -> Option<(Event<'a>, &'a [u8])> {
        let (&header, mut rest) = bytes.split_first_chunk()?;
        if bytes.len() > MAX_VALUE_LEN {
            return None;
        }
        let word = u32::from_le_bytes(header);
        let Row { kind, shape, flags, .. } = Dialect::GODOT_4.engine.rules().rows[usize::from(word as u8)];
        let flags = word & flags;
        let rest = &mut rest;
        let event = match (shape, width(flags)) {
            (Shape::Nil, _) => Event::Nil,
            (Shape::Callable, _) => Event::Callable,
            (Shape::Object, Width::Double) => Event::ObjectId(u64::from_le_bytes(first(rest)?)),
            (Shape::Signal, _) => {
                let name = Self::flat_text(rest)?;
                Event::Signal { name: Text::Utf8(name), object: u64::from_le_bytes(first(rest)?) }
            }
            (Shape::Rid, _) => Event::Rid(u64::from_le_bytes(first(rest)?)),
            (Shape::Array, _) => {
                let element = flat_type(flags >> 16, rest)?;
                Event::Array { element, count: flat_count(rest, WORD)? }
            }
            (Shape::Dictionary, _) => {
                let (key, value) = (flat_type(flags >> 16, rest)?, flat_type(flags >> 18, rest)?);
                Event::Dictionary { key, value, count: flat_count(rest, 2 * WORD)? }
            }
            (Shape::Bool, _) => Event::Bool(first(rest)? != [0; WORD]),
            (Shape::Int, Width::Single) => Event::Int(i32::from_le_bytes(first(rest)?).into()),
            (Shape::Int, Width::Double) => Event::Int(i64::from_le_bytes(first(rest)?)),
            (Shape::Float, Width::Single) => Event::Float(f32::from_le_bytes(first(rest)?).into()),
            (Shape::Float, Width::Double) => Event::Float(f64::from_le_bytes(first(rest)?)),
            (Shape::Components { scalar, count }, width) => {
                let bytes;
                (bytes, *rest) = rest.split_at_checked(scalar.size_of(count, width))?;
                Event::Components(Plain { kind, width, count: 1, bytes })
            }
            (Shape::Packed { scalar, count }, width) => {
                let element_len = scalar.size_of(count, width);
                let count = usize::try_from(i32::from_le_bytes(first(rest)?)).ok()?;
                let bytes = rest.get(..count.saturating_mul(element_len))?;
                // The padding of a PackedByteArray may be missing.
                *rest = rest.get(padded(bytes.len())..).unwrap_or_default();
                Event::Packed(Plain { kind, width, count, bytes })
            }
            (Shape::Text, _) => {
                let text = Text::Utf8(Self::flat_text(rest)?);
                if kind == Kind::StringName { Event::StringName(text) } else { Event::String(text) }
            }
            (Shape::PackedStrings, _) => {
                let count = usize::try_from(i32::from_le_bytes(first(rest)?)).unwrap_or(0);
                Event::PackedStrings { count: Some(count).filter(|count| *count <= rest.len() / WORD)? }
            }
            (Shape::NodePath, _) => {
                let [names, subnames, flags] = [first(rest)?, first(rest)?, first(rest)?].map(u32::from_le_bytes);
                // Without the first bit it has the old form, and the obsolete flag 2 adds a subname.
                if names & HIGH_BIT == 0 || flags & 2 != 0 {
                    return None;
                }
                let (names, subnames) = ((names & !HIGH_BIT) as usize, subnames as usize);
                names.checked_add(subnames).filter(|count| *count <= rest.len() / WORD)?;
                Event::NodePath { names, subnames, absolute: flags & 1 != 0 }
            }
            _ => return None,
        };
        Some((event, rest))
    }

    /// Returns the text at the start of the bytes after an event of [`Self::flat`], and moves on to what follows it.
    #[inline(always)]
    pub fn flat_text(rest: &mut &'a [u8]) -> Option<&'a str> {
        let len = usize::try_from(i32::from_le_bytes(first(rest)?)).ok()?;
        let text;
        (text, *rest) = rest.split_at_checked(padded(len))?;
        text::decode(&text[..len]).ok()
    }
}

#[inline(always)]
fn first<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let bytes;
    (bytes, *rest) = rest.split_first_chunk()?;
    Some(*bytes)
}

/// Takes the count of a container whose parts have at least `part_len` bytes.
#[inline(always)]
fn flat_count(rest: &mut &[u8], part_len: usize) -> Option<usize> {
    // Bit 31 means nothing.
    let count = (u32::from_le_bytes(first(rest)?) & !HIGH_BIT) as usize;
    (count <= rest.len() / part_len).then_some(count)
}

/// Takes the element type that the two low bits of `form` announce.
#[inline(always)]
fn flat_type<'a>(form: u32, rest: &mut &[u8]) -> Option<ElementType<'a>> {
    match form & 3 {
        0 => Some(ElementType::Any),
        1 => {
            let id = u8::try_from(i32::from_le_bytes(first(rest)?)).ok()?;
            let row = Dialect::GODOT_4.engine.rules().rows[usize::from(id)];
            Some(if row.kind == Kind::Nil { ElementType::Any } else { ElementType::Builtin(row.kind) })
                .filter(|_| row.is_some())
        }
        _ => None,
    }
}
