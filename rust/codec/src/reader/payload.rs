//! Reads the bytes after a header, by wire shape. Each function makes the engine's checks in the engine's order.

use super::{HIGH_BIT, ReadNext, ReadTexts, Reader};
use crate::error::{CodecError, CodecErrorKind, ValuePart};
use crate::event::{ElementType, Event, Plain, Text};
use crate::kind::{ARRAY_TYPE, DICTIONARY_TYPES, FLAG_64, Foreign, Kind, Row, Shape, WORD, Width, padded};
use crate::text;

impl<'a> Reader<'a> {
    /// Passes the event to `take`, with a call for each shape: the compiler drops its branches for all other events.
    #[inline(always)]
    pub(super) fn payload<R>(
        &mut self,
        row: Row,
        word: u32,
        take: impl FnOnce(Event<'a>) -> R,
    ) -> Result<R, CodecError> {
        let Row { kind, shape, .. } = row;
        let flags = word & row.flags;
        // Made where something is missing: in the hot path it would be written to memory for each value.
        let place = move || ValuePart::of(kind);
        match (shape, width(flags)) {
            (Shape::Nil, _) => Ok(take(self.ends(Event::Nil))),
            (Shape::Bool, _) => {
                let value = self.array(place)? != [0; WORD];
                Ok(take(self.ends(Event::Bool(value))))
            }
            (Shape::Int, Width::Single) => {
                let value = i32::from_le_bytes(self.array(place)?);
                Ok(take(self.ends(Event::Int(value.into()))))
            }
            (Shape::Int, Width::Double) => {
                let value = i64::from_le_bytes(self.array(place)?);
                Ok(take(self.ends(Event::Int(value))))
            }
            (Shape::Float, Width::Single) => {
                let value = f32::from_le_bytes(self.array(place)?);
                Ok(take(self.ends(Event::Float(value.into()))))
            }
            (Shape::Float, Width::Double) => {
                let value = f64::from_le_bytes(self.array(place)?);
                Ok(take(self.ends(Event::Float(value))))
            }
            (Shape::Components { scalar, count }, width) => {
                let bytes = self.take(place, scalar.size_of(count, width))?;
                Ok(take(self.ends(Event::Components(Plain { kind, width, count: 1, bytes }))))
            }
            (Shape::Packed { scalar, count }, width) => {
                let plain = self.packed(kind, width, scalar.size_of(count, width))?;
                Ok(take(self.ends(Event::Packed(plain))))
            }
            (Shape::Text, _) => {
                let text = self.string(place)?;
                let event = if kind == Kind::StringName { Event::StringName(text) } else { Event::String(text) };
                Ok(take(self.ends(event)))
            }
            (Shape::Rid, _) => {
                let id = u64::from_le_bytes(self.array(place)?);
                Ok(take(self.ends(Event::Rid(id))))
            }
            (Shape::Callable, _) => Ok(take(self.ends(Event::Callable))),
            (Shape::Array, _) if flags & ARRAY_TYPE == 0 => {
                let count = self.array_count()?;
                Ok(take(Event::Array { element: ElementType::Any, count }))
            }
            (Shape::Dictionary, _) if flags & DICTIONARY_TYPES == 0 => {
                let count = self.dictionary_count()?;
                Ok(take(Event::Dictionary { key: ElementType::Any, value: ElementType::Any, count }))
            }
            (shape, _) => Ok(take(self.rare(kind, shape, flags, word)?)),
        }
    }

    /// Reads the shapes that are rare in games.
    #[inline(never)]
    fn rare(&mut self, kind: Kind, shape: Shape, flags: u32, word: u32) -> Result<Event<'a>, CodecError> {
        let part = move |part| move || ValuePart::of(kind).part(part);
        match (shape, width(flags)) {
            (Shape::Array, _) => {
                let element = self.element_type(kind, flags >> 16)?;
                Ok(Event::Array { element, count: self.array_count()? })
            }
            (Shape::Dictionary, _) => {
                let key = self.element_type(kind, flags >> 16)?;
                let value = self.element_type(kind, flags >> 18)?;
                Ok(Event::Dictionary { key, value, count: self.dictionary_count()? })
            }
            (Shape::Signal, _) => {
                let name = self.string(part("name"))?;
                let object = u64::from_le_bytes(self.array(part("object id"))?);
                Ok(self.ends(Event::Signal { name, object }))
            }
            (Shape::Object, Width::Double) => {
                let id = u64::from_le_bytes(self.array(part("instance id"))?);
                Ok(self.ends(Event::ObjectId(id)))
            }
            (Shape::Object, Width::Single) => self.object(),
            (Shape::PackedStrings, _) => self.packed_strings(),
            (Shape::NodePath, _) => self.node_path(),
            (Shape::Foreign(Foreign::None), _) => {
                self.at -= WORD;
                Err(self.unknown_type(word))
            }
            (Shape::Foreign(Foreign::EmptyRid), _) => Ok(self.ends(Event::Rid(0))),
            (Shape::Foreign(Foreign::TypedArray), width) => self.typed_array(width),
            (Shape::Foreign(Foreign::Bare(element)), _) => self.bare_array(element),
            _ => unreachable!("dealt with by the caller"),
        }
    }

    /// Ends a value that consists of this one event.
    #[inline(always)]
    pub(super) fn ends(&mut self, event: Event<'a>) -> Event<'a> {
        self.end_value();
        event
    }

    #[inline(always)]
    pub(super) fn packed(&mut self, kind: Kind, width: Width, element_len: usize) -> Result<Plain<'a>, CodecError> {
        let place = move || ValuePart::of(kind).part("count");
        let found = i32::from_le_bytes(self.array(place)?);
        let Ok(count) = usize::try_from(found) else {
            self.at -= WORD;
            return Err(self.error(CodecErrorKind::Negative { place: place(), found }));
        };
        // On 32-bit platforms the product may overflow; no buffer is that long.
        let len = count.saturating_mul(element_len);
        let Some(bytes) = self.rest().get(..len) else {
            return Err(self.short_packed(ValuePart::of(kind), element_len, count));
        };
        // The padding of a PackedByteArray may be missing.
        self.at += padded(len);
        Ok(Plain { kind, width, count, bytes })
    }

    #[cold]
    fn short_packed(&mut self, place: ValuePart, element_len: usize, count: usize) -> CodecError {
        let left = self.rest().len();
        self.at += left / element_len * element_len;
        let place = ValuePart { element: Some(("element", left / element_len, count)), ..place };
        self.error(CodecErrorKind::Short { place, expected: element_len, found: left % element_len })
    }

    fn packed_strings(&mut self) -> Result<Event<'a>, CodecError> {
        let kind = Kind::PackedStringArray;
        // The engine counts from 0 up to a signed count: a negative one is an empty array.
        let found = i32::from_le_bytes(self.array(|| ValuePart::of(kind).part("count"))?);
        let count = usize::try_from(found).unwrap_or(0);
        self.expect_parts(kind, "elements", count, WORD)?;
        self.begin_texts(kind, count);
        Ok(Event::PackedStrings { count })
    }

    fn node_path(&mut self) -> Result<Event<'a>, CodecError> {
        let kind = Kind::NodePath;
        let word = self.word(|| ValuePart::of(kind).part("name count"))?;
        if word & HIGH_BIT == 0 {
            self.at -= WORD;
            return Err(self.error(CodecErrorKind::OldNodePath));
        }
        let names = word & !HIGH_BIT;
        let subnames = self.word(|| ValuePart::of(kind).part("subname count"))?;
        let flags = self.word(|| ValuePart::of(kind).part("flags"))?;
        // The obsolete flag 2 adds a subname. The engine's sum may wrap; it then reads only the wrapped count.
        let subnames = if flags & 2 == 0 { subnames } else { subnames.wrapping_add(1) };
        let count = names.wrapping_add(subnames) as usize;
        let names = count.min(names as usize);
        self.expect_parts(kind, "names", count, WORD)?;
        self.begin_texts(kind, count);
        let absolute = flags & 1 != 0 && (count > 0 || self.rules.is_godot_4);
        Ok(Event::NodePath { names, subnames: count - names, absolute })
    }

    #[inline(always)]
    pub(super) fn text(&mut self) -> Result<Text<'a>, CodecError> {
        let texts = self.texts;
        let text = self.whole_string(|| texts.place())?;
        self.text_is_over();
        Ok(text)
    }

    /// Skips the next text of a value, which may not be UTF-8. Returns `false` without one. Fails if it is cut off.
    #[inline]
    pub fn pass_text(&mut self) -> Result<bool, CodecError> {
        if self.next != ReadNext::Text {
            return Ok(false);
        }
        let (texts, start) = (self.texts, self.at);
        let bytes = self.text_bytes(|| texts.place()).inspect_err(|_| self.at = start)?;
        self.at += padded(bytes.len());
        self.due -= WORD;
        self.text_is_over();
        Ok(true)
    }

    #[inline]
    fn text_is_over(&mut self) {
        self.texts.index += 1;
        if self.texts.index == self.texts.count {
            self.end_value();
        }
    }

    pub(crate) fn next_name(&mut self) -> Result<Text<'a>, CodecError> {
        let name = self.whole_string(|| ValuePart::of(Kind::Object).part("property name"))?;
        self.next = ReadNext::Value;
        Ok(name)
    }

    fn begin_texts(&mut self, kind: Kind, count: usize) {
        if count == 0 {
            return self.end_value();
        }
        self.texts = ReadTexts { kind, index: 0, count };
        self.next = ReadNext::Text;
    }

    /// Adds `count` parts of at least `part_len` bytes to those due. The engine fails only at the first missing part.
    #[inline]
    pub(super) fn expect_parts(
        &mut self,
        kind: Kind,
        parts: &'static str,
        count: usize,
        part_len: usize,
    ) -> Result<(), CodecError> {
        let (due, found) = (self.due, self.rest().len());
        let expected = count.saturating_mul(part_len).saturating_add(due);
        if count > 0 && expected > found && !self.trust_counts {
            // The same text on 32-bit platforms.
            let expected = count as u64 * part_len as u64 + due as u64;
            return Err(self.error(CodecErrorKind::ShortCount { kind, parts, count, expected, due, found }));
        }
        self.due = expected;
        Ok(())
    }

    /// Reads a text that is an event of its own. Consumes nothing on error.
    #[inline(always)]
    fn whole_string(&mut self, place: impl Fn() -> ValuePart) -> Result<Text<'a>, CodecError> {
        let start = self.at;
        let text = self.string(place);
        match text {
            Ok(_) => self.due -= WORD,
            Err(_) => self.at = start,
        }
        text
    }

    /// Reads a length, a text and its padding. Only on error, `place` is called, and `at` is the offset of that.
    #[inline(always)]
    pub(super) fn string(&mut self, place: impl Fn() -> ValuePart) -> Result<Text<'a>, CodecError> {
        let bytes = self.text_bytes(&place)?;
        let text = match text::decode(bytes) {
            Ok(text) => Text::Utf8(text),
            Err(offset) => self.loose_string(bytes, offset, place)?,
        };
        self.at += padded(bytes.len());
        Ok(text)
    }

    /// Reads a text that is not UTF-8 at `offset`, if the engine accepts it nevertheless.
    #[cold]
    fn loose_string(
        &mut self,
        bytes: &'a [u8],
        offset: usize,
        place: impl Fn() -> ValuePart,
    ) -> Result<Text<'a>, CodecError> {
        let loose = if self.rules.loose_text { text::decode_loose(bytes) } else { Err(offset) };
        loose.map(Text::Loose).map_err(|offset| {
            self.at += offset;
            self.error(CodecErrorKind::Malformed { place: place(), found: bytes[offset] })
        })
    }

    /// Returns the bytes of a text. Consumes its length, but not these bytes.
    #[inline(always)]
    fn text_bytes(&mut self, place: impl Fn() -> ValuePart) -> Result<&'a [u8], CodecError> {
        let rest = self.rest();
        let Some((&length, rest)) = rest.split_first_chunk() else {
            return Err(self.short(ValuePart { length: true, ..place() }, WORD, rest.len()));
        };
        let found = i32::from_le_bytes(length);
        let Ok(len) = usize::try_from(found) else {
            let place = ValuePart { length: true, ..place() };
            return Err(self.error(CodecErrorKind::Negative { place, found }));
        };
        self.at += WORD;
        // Unlike that of a PackedByteArray, this padding is required.
        let expected = padded(len);
        if expected > rest.len() {
            return Err(self.short(place(), expected, rest.len()));
        }
        Ok(&rest[..len])
    }

    #[cold]
    fn short(&self, place: ValuePart, expected: usize, found: usize) -> CodecError {
        self.error(CodecErrorKind::Short { place, expected, found })
    }

    #[inline]
    pub(super) fn take(&mut self, place: impl FnOnce() -> ValuePart, len: usize) -> Result<&'a [u8], CodecError> {
        let Some(bytes) = self.rest().get(..len) else {
            return Err(self.short(place(), len, self.left()));
        };
        self.at += len;
        Ok(bytes)
    }

    #[inline]
    pub(super) fn array<const N: usize>(&mut self, place: impl FnOnce() -> ValuePart) -> Result<[u8; N], CodecError> {
        let bytes = self.take(place, N)?;
        Ok(bytes.try_into().expect("taken with this length"))
    }

    #[inline]
    pub(super) fn word(&mut self, place: impl FnOnce() -> ValuePart) -> Result<u32, CodecError> {
        self.array(place).map(u32::from_le_bytes)
    }
}

impl ReadTexts {
    #[cold]
    fn place(self) -> ValuePart {
        let what = if self.kind == Kind::NodePath { "name" } else { "element" };
        ValuePart { element: Some((what, self.index, self.count)), ..ValuePart::of(self.kind) }
    }
}

#[inline]
pub(super) fn width(flags: u32) -> Width {
    if flags & FLAG_64 == 0 { Width::Single } else { Width::Double }
}
