//! Reads the heads of containers. Passes properties of known bytes, as objects of a class mostly have the same names.

use super::{HIGH_BIT, ReadForm, ReadNext, Reader};
use crate::kind::ENCODED_OBJECT;
use crate::{
    CodecError, CodecErrorKind, ElementType, Event, Kind, MAX_DEPTH, Plain, Text, ValuePart, WORD, Width, count_of,
};

impl<'a> Reader<'a> {
    pub(super) fn object(&mut self) -> Result<Event<'a>, CodecError> {
        let kind = Kind::Object;
        if !self.allow_objects {
            self.at -= WORD;
            return Err(self.error(CodecErrorKind::ObjectRefused));
        }
        let class = self.string(|| ValuePart::of(kind).part("class name"))?;
        if class.is_empty() {
            // Another form of null: nothing follows.
            self.end_value();
            return Ok(Event::ObjectId(0));
        }
        let found = i32::from_le_bytes(self.array(|| ValuePart::of(kind).part("property count"))?);
        let count = usize::try_from(found).unwrap_or(0);
        self.expect_parts(kind, "properties", count, 2 * WORD)?;
        self.open(ReadForm::Object, count);
        Ok(Event::Object { class, count })
    }

    #[inline]
    pub(super) fn array_count(&mut self) -> Result<usize, CodecError> {
        let kind = Kind::Array;
        let count = (self.word(|| ValuePart::of(kind).part("count"))? & !HIGH_BIT) as usize;
        self.expect_parts(kind, "elements", count, WORD)?;
        self.open(ReadForm::Array, count);
        Ok(count)
    }

    #[inline]
    pub(super) fn dictionary_count(&mut self) -> Result<usize, CodecError> {
        let kind = Kind::Dictionary;
        let count = (self.word(|| ValuePart::of(kind).part("count"))? & !HIGH_BIT) as usize;
        self.expect_parts(kind, "entries", count, 2 * WORD)?;
        self.open(ReadForm::Dictionary, count.saturating_mul(2));
        Ok(count)
    }

    /// Reads the element type that the two low bits of `form` announce.
    pub(super) fn element_type(&mut self, kind: Kind, form: u32) -> Result<ElementType<'a>, CodecError> {
        Ok(match form & 3 {
            0 => ElementType::Any,
            1 => match self.element_kind(kind, u32::MAX)? {
                Kind::Nil => ElementType::Any,
                element => ElementType::Builtin(element),
            },
            2 => ElementType::Class(self.string(|| ValuePart::of(kind).part("element class"))?),
            _ => ElementType::Script(self.string(|| ValuePart::of(kind).part("element script"))?),
        })
    }

    /// Reads the type id of a container's elements, of which the engine reads these bits.
    fn element_kind(&mut self, kind: Kind, bits: u32) -> Result<Kind, CodecError> {
        let found = (self.word(|| ValuePart::of(kind).part("element type"))? & bits) as i32;
        let row = u8::try_from(found).map(|id| self.rules.rows[usize::from(id)]).ok().filter(|row| row.is_some());
        row.map(|row| row.kind).ok_or_else(|| {
            self.at -= WORD;
            self.error(CodecErrorKind::UnknownElementType { kind, found, last: count_of(&self.rules.rows) - 1 })
        })
    }

    /// Reads a typed array of Pandemonium. With [`Width::Double`], its objects are encoded as ids.
    pub(super) fn typed_array(&mut self, width: Width) -> Result<Event<'a>, CodecError> {
        let kind = Kind::Array;
        let element = match (self.element_kind(kind, 0xff)?, width) {
            (Kind::Nil, _) => ElementType::Any,
            (Kind::Object, Width::Double) => ElementType::Class(Text::Utf8(ENCODED_OBJECT)),
            (Kind::Object, Width::Single) => {
                let class = self.class_value()?;
                if class.is_empty() { ElementType::Builtin(Kind::Object) } else { ElementType::Class(class) }
            }
            (element, _) => ElementType::Builtin(element),
        };
        Ok(Event::Array { element, count: self.array_count()? })
    }

    /// Reads a StringName with its header.
    fn class_value(&mut self) -> Result<Text<'a>, CodecError> {
        let place = || ValuePart::of(Kind::Array).part("element class");
        let word = self.word(place)?;
        if self.rules.rows[usize::from(word as u8)].kind != Kind::StringName {
            self.at -= WORD;
            return Err(self.error(CodecErrorKind::NoStringName { place: place(), id: word as u8 }));
        }
        self.string(place)
    }

    /// Reads the head of an array whose elements have no headers. Fails if any of them is missing.
    pub(super) fn bare_array(&mut self, element: Kind) -> Result<Event<'a>, CodecError> {
        let kind = Kind::Array;
        let element_len = element.shape().element_len(Width::Single).expect("made of components");
        let start = self.at;
        let count = self.packed(kind, Width::Single, element_len)?.count;
        self.at = start + WORD;
        self.expect_parts(kind, "elements", count, element_len)?;
        self.bare = element;
        self.open(ReadForm::Bare, count);
        Ok(Event::Array { element: ElementType::Builtin(element), count })
    }

    /// Reads the next element without a header.
    pub(super) fn bare(&mut self) -> Result<Event<'a>, CodecError> {
        if self.open.len() > MAX_DEPTH {
            return Err(self.error(CodecErrorKind::TooDeep));
        }
        let kind = self.bare;
        let len = kind.shape().element_len(Width::Single).expect("made of components");
        let bytes = self.take(|| ValuePart::of(kind), len)?;
        self.due -= len;
        Ok(self.ends(Event::Components(Plain { kind, width: Width::Single, count: 1, bytes })))
    }

    /// True if the name of a property comes next.
    pub fn is_at_name(&self) -> bool {
        self.next == ReadNext::Name
    }
}
