//! Writes the bytes of each event: headers, widths, counts, texts and padding.

use super::{WriteForm, WriteNext, WriteOpen, Writer};
use crate::kind::{ENCODED_OBJECT, FLAG_64};
use crate::text;
use crate::{CodecError, CodecErrorKind, Copied, ElementType, Event, Keep, Kind, MAX_VALUE_LEN, Plain, Text, Width};

impl<'a> Writer<'a> {
    /// Like [`Self::write`], but `keep` decides how the payload is kept: [`Copied`](crate::Copied) if the plan outlives
    /// it. Fails, and the value must be dropped, if it is nested too deep, the engine has no such type, the width of
    /// plain data differs from the dialect's, its length does not match its count, or the event is not due.
    // Always inlined: callers name the event, so the compiler removes its construction and the branch on it.
    #[inline(always)]
    pub fn write_as<'e, K: Keep<'e, 'a>>(&mut self, event: Event<'e>, keep: K) -> Result<(), CodecError> {
        if let Event::Text(text) = event {
            return self.text(text, keep);
        }
        self.begin_value()?;
        match event {
            Event::Nil => self.plan.words([self.header(Kind::Nil, 0)?]),
            Event::Bool(value) => self.plan.words([self.header(Kind::Bool, 0)?, u32::from(value)]),
            Event::Int(value) => match i32::try_from(value) {
                Ok(short) => self.plan.words([self.header(Kind::Int, 0)?, short as u32]),
                Err(_) => self.wide(self.header(Kind::Int, FLAG_64)?, value as u64),
            },
            // False for NaNs, which the engine writes in 64 bits.
            Event::Float(value) if f64::from(value as f32) == value => {
                self.plan.words([self.header(Kind::Float, 0)?, (value as f32).to_bits()]);
            }
            Event::Float(value) => self.wide(self.header(Kind::Float, FLAG_64)?, value.to_bits()),
            Event::Components(plain) => {
                let header = self.plain_header(plain)?;
                self.plan.words([header]);
                self.plan.bytes(plain.bytes, keep);
            }
            Event::Packed(plain) => {
                let header = self.plain_header(plain)?;
                let count = self.count(plain.count)?;
                self.plan.words([header, count]);
                self.plan.bytes(plain.bytes, keep);
                // Only a PackedByteArray can need padding.
                if !plain.bytes.len().is_multiple_of(4) {
                    self.plan.pad(plain.bytes.len());
                }
                // Else it takes little memory and time.
                if K::COPIED_LEN == usize::MAX {
                    self.check_len()?;
                }
            }
            Event::String(text) => self.headed_string(self.header(Kind::String, 0)?, text, keep)?,
            Event::StringName(text) => self.headed_string(self.header(Kind::StringName, 0)?, text, keep)?,
            // Other engines write no id for a RID.
            Event::Rid(_) if self.is_foreign => {
                let header = self.header(Kind::Rid, 0)?;
                self.plan.words([header]);
            }
            Event::Rid(id) => self.wide(self.header(Kind::Rid, 0)?, id),
            Event::Callable => self.plan.words([self.header(Kind::Callable, 0)?]),
            Event::Signal { name, object } => {
                self.headed_string(self.header(Kind::Signal, 0)?, name, keep)?;
                self.plan.words([object as u32, (object >> 32) as u32]);
            }
            // Like the engine, which writes a null object as Nil.
            Event::ObjectId(0) => self.plan.words([self.header(Kind::Nil, 0)?]),
            Event::ObjectId(id) => self.wide(self.header(Kind::Object, FLAG_64)?, id),
            // It would be read back as null, without properties.
            Event::Object { class, .. } if class.is_empty() => {
                return Err(self.out_of_order("the name of a class"));
            }
            Event::Object { class, count } => {
                self.headed_string(self.header(Kind::Object, 0)?, class, keep)?;
                return self.open(count, count, WriteForm::Properties);
            }
            Event::Dictionary { key, value, count } => {
                if !matches!((key, value), (ElementType::Any, ElementType::Any)) && self.is_foreign {
                    return Err(self.no_such_type("typed Dictionary"));
                }
                let header = self.header(Kind::Dictionary, form(key) << 16 | form(value) << 18)?;
                self.plan.words([header]);
                self.element_type(key)?;
                self.element_type(value)?;
                return self.open(count, count.saturating_mul(2), WriteForm::Values);
            }
            Event::Array { element, count } => {
                if self.is_foreign {
                    let form = self.foreign_array(element)?;
                    return self.open(count, count, form);
                }
                self.plan.words([u32::from(Kind::Array.id()) | form(element) << 16]);
                self.element_type(element)?;
                return self.open(count, count, WriteForm::Values);
            }
            Event::PackedStrings { count } => {
                let word = self.count(count)?;
                self.plan.words([self.header(Kind::PackedStringArray, 0)?, word]);
                self.begin_texts(count, true);
                return Ok(());
            }
            Event::NodePath { names, subnames, absolute } => {
                let (name_count, subname_count) = (self.count(names)?, self.count(subnames)?);
                let head = [self.header(Kind::NodePath, 0)?, name_count | 1 << 31, subname_count, u32::from(absolute)];
                self.plan.words(head);
                self.begin_texts(names.saturating_add(subnames), false);
                return Ok(());
            }
            Event::Text(_) => unreachable!("dealt with above"),
        }
        self.close_value();
        Ok(())
    }

    #[inline]
    fn text<'e>(&mut self, text: Text<'e>, keep: impl Keep<'e, 'a>) -> Result<(), CodecError> {
        match self.next {
            WriteNext::Value => return Err(self.out_of_order("a value")),
            WriteNext::End => return Err(self.out_of_order("the end of the value")),
            WriteNext::Name => {
                self.next = WriteNext::Value;
                return self.string(text, false, keep);
            }
            WriteNext::Text => {}
        }
        self.string(text, self.texts_have_nul, keep)?;
        self.texts_left -= 1;
        if self.texts_left == 0 {
            self.close_value();
        }
        Ok(())
    }

    #[inline]
    fn headed_string<'e>(&mut self, header: u32, text: Text<'e>, keep: impl Keep<'e, 'a>) -> Result<(), CodecError> {
        self.plan.words([header]);
        self.string(text, false, keep)
    }

    /// Writes a length and a text, padded. The length counts the NUL after the text if there is one.
    #[inline]
    fn string<'e>(&mut self, text: Text<'e>, nul: bool, keep: impl Keep<'e, 'a>) -> Result<(), CodecError> {
        let nul = usize::from(nul);
        let len = match text {
            Text::Utf32(chars) if chars.len() <= text::SHORT_CHARS => {
                self.plan.short_text(chars, nul);
                return Ok(());
            }
            Text::Utf32(chars) => {
                let len = text::utf8_len(chars);
                let word = self.count(len + nul)?;
                self.plan.words([word]);
                self.plan.utf32(chars, len as u32, keep);
                len
            }
            Text::Loose(text) => {
                let start = self.plan.mark();
                self.plan.words([0]);
                let len = self.plan.chars(text.chars());
                let word = self.count(len + nul)?;
                self.plan.patch(start.small, word);
                len
            }
            Text::Utf8(text) => {
                let word = self.count(text.len() + nul)?;
                self.plan.words([word]);
                self.plan.bytes(text.as_bytes(), keep);
                text.len()
            }
        };
        if nul == 1 {
            self.plan.small(&[0]);
        }
        self.plan.pad(len + nul);
        self.check_len()
    }

    fn element_type(&mut self, element: ElementType<'_>) -> Result<(), CodecError> {
        match element {
            ElementType::Any => Ok(()),
            ElementType::Builtin(kind) => {
                self.plan.words([u32::from(kind.id())]);
                Ok(())
            }
            ElementType::Class(text) | ElementType::Script(text) => self.string(text, false, Copied),
        }
    }

    #[inline]
    fn wide(&mut self, header: u32, bits: u64) {
        self.plan.words([header, bits as u32, (bits >> 32) as u32]);
    }

    #[inline(always)]
    fn plain_header(&self, plain: Plain<'_>) -> Result<u32, CodecError> {
        let shape = plain.kind.shape();
        let len = shape.element_len(plain.width).and_then(|len| len.checked_mul(plain.count));
        if len != Some(plain.bytes.len()) {
            return Err(self.out_of_order("as many bytes as the count says"));
        }
        if shape.is_real() && plain.width != self.dialect.real {
            return Err(self.out_of_order("components of the dialect's width"));
        }
        self.header(plain.kind, if shape.is_real() && plain.width == Width::Double { FLAG_64 } else { 0 })
    }

    /// Returns the first word of a value. For Godot 4 it is a constant if the caller names the kind.
    #[inline(always)]
    fn header(&self, kind: Kind, flags: u32) -> Result<u32, CodecError> {
        if self.is_foreign { self.foreign_header(kind, flags) } else { Ok(u32::from(kind.id()) | flags) }
    }

    #[cold]
    fn foreign_header(&self, kind: Kind, flags: u32) -> Result<u32, CodecError> {
        let id = self.dialect.engine.id(kind).ok_or_else(|| self.no_such_type(kind.name()))?;
        Ok(u32::from(id) | flags)
    }

    #[cold]
    fn no_such_type(&self, what: &'static str) -> CodecError {
        CodecError::new(self.plan.len(), CodecErrorKind::NoSuchType { engine: self.dialect.engine, what })
    }

    /// Writes the head of an Array of another engine, without its count. Returns the form of its elements.
    #[inline(never)]
    fn foreign_array(&mut self, element: ElementType<'_>) -> Result<WriteForm, CodecError> {
        let is_typed = element != ElementType::Any;
        self.next_of_arrays(is_typed)?;
        if is_typed {
            self.typed_array(element)?;
        } else {
            let header = self.header(Kind::Array, 0)?;
            self.plan.words([header]);
        }
        if element != ElementType::Builtin(Kind::Array) {
            return Ok(WriteForm::Values);
        }
        Ok(WriteForm::Arrays { are_typed: None, element: self.plan.mark().small - 4 })
    }

    /// Prepares for an Array in an Array of Arrays of Pandemonium, which has two types for what is one in Godot 4, and
    /// drops each element that is not of the element type. The first element decides on that.
    pub(super) fn next_of_arrays(&mut self, is_typed: bool) -> Result<(), CodecError> {
        let Some(WriteOpen { form: WriteForm::Arrays { are_typed, element }, .. }) = self.open.last_mut() else {
            return Ok(());
        };
        if *are_typed.get_or_insert(is_typed) != is_typed {
            return Err(self.no_such_type("Array of typed and untyped Arrays"));
        }
        if let (true, Some(id)) = (is_typed, self.dialect.engine.rules().typed_array) {
            self.plan.patch(*element, id.into());
        }
        Ok(())
    }

    /// Writes the head of a typed array of Pandemonium, without its count.
    fn typed_array(&mut self, element: ElementType<'_>) -> Result<(), CodecError> {
        let Some(id) = self.dialect.engine.rules().typed_array else {
            return Err(self.no_such_type("typed Array"));
        };
        let object = self.foreign_header(Kind::Object, 0)?;
        let class = match element {
            ElementType::Any => unreachable!("it is typed"),
            ElementType::Script(_) => return Err(self.no_such_type("Array typed with a script")),
            ElementType::Class(class) if class.to_utf8() == ENCODED_OBJECT => {
                self.plan.words([u32::from(id) | FLAG_64, object]);
                return Ok(());
            }
            // The engine takes no object for one of a class without a name.
            ElementType::Class(class) if !class.is_empty() => class,
            ElementType::Class(_) | ElementType::Builtin(Kind::Object) => Text::Utf8("Object"),
            ElementType::Builtin(kind) => {
                let element = self.foreign_header(kind, 0)?;
                self.plan.words([u32::from(id), element]);
                return Ok(());
            }
        };
        let name = self.foreign_header(Kind::StringName, 0)?;
        self.plan.words([u32::from(id), object, name]);
        self.string(class, false, Copied)
    }

    /// Returns a count as a word. One that is too large implies a value that is too long: each element takes a byte.
    #[inline]
    pub(super) fn count(&self, count: usize) -> Result<u32, CodecError> {
        if count > MAX_VALUE_LEN {
            return Err(CodecError::new(self.plan.len(), CodecErrorKind::TooLarge { found: count }));
        }
        Ok(count as u32)
    }
}

/// Returns the two bits of a container's header that give the form of an element type.
#[inline]
fn form(element: ElementType<'_>) -> u32 {
    match element {
        ElementType::Any => 0,
        ElementType::Builtin(_) => 1,
        ElementType::Class(_) => 2,
        ElementType::Script(_) => 3,
    }
}
