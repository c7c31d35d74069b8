//! Events to a plan: every layout rule of encoding.
//!
//! Counterpart of `encode_variant` in the engine's `core/io/marshalls.cpp`, in one pass instead of two.

use crate::dialect::{Dialect, FLAG_64, Width};
use crate::error::{Error, Reason};
use crate::event::{Event, Plain, Text};
use crate::kind::Kind;
use crate::limits::MAX_VALUE_LEN;
use crate::plan::{Mark, Plan};
use crate::text;

const ZEROS: [u8; 4] = [0; 4];

/// Writes values, one after the other, into a [`Plan`].
///
/// A value is what is written between [`Self::mark`] and [`Self::end_value`].
#[derive(Debug)]
pub struct Writer<'a> {
    plan: Plan<'a>,
    dialect: Dialect,
    /// Texts that are still to come.
    strings: usize,
}

impl<'a> Writer<'a> {
    /// A writer of an empty plan.
    pub fn new(dialect: Dialect) -> Self {
        Self { plan: Plan::new(), dialect, strings: 0 }
    }

    /// The end of what was written so far: the start of the next value.
    #[inline]
    pub fn mark(&self) -> Mark {
        self.plan.mark()
    }

    /// Adds one event to the value at hand.
    ///
    /// # Errors
    /// If plain data has another width than the dialect or another length than its count says, or a text stands where none is due. The value must then be
    /// dropped.
    // Always inlined: callers name the event, and its construction and the branch on it then fall away.
    #[inline(always)]
    pub fn write(&mut self, event: Event<'a>) -> Result<(), Error> {
        match event {
            Event::Text(text) => return self.text(text),
            _ if self.strings > 0 => return Err(self.out_of_order("the texts of the array")),
            Event::Nil => self.plan.words([header(Kind::Nil, 0)]),
            Event::Bool(value) => self.plan.words([header(Kind::Bool, 0), u32::from(value)]),
            Event::Int(value) => match i32::try_from(value) {
                Ok(short) => self.plan.words([header(Kind::Int, 0), short as u32]),
                Err(_) => self.wide(Kind::Int, value as u64),
            },
            // Not for a NaN, which equals nothing: the engine writes those in 64 bits.
            Event::Float(value) if f64::from(value as f32) == value => {
                self.plan.words([header(Kind::Float, 0), (value as f32).to_bits()]);
            }
            Event::Float(value) => self.wide(Kind::Float, value.to_bits()),
            Event::Components(plain) => {
                let header = self.plain_header(plain)?;
                self.plan.words([header]);
                self.plan.bytes(plain.bytes);
            }
            Event::Packed(plain) => {
                let header = self.plain_header(plain)?;
                let count = self.count(plain.count)?;
                self.plan.words([header, count]);
                self.plan.bytes(plain.bytes);
                self.pad(plain.bytes.len());
            }
            Event::PackedStrings { count } => {
                let word = self.count(count)?;
                self.plan.words([header(Kind::PackedStringArray, 0), word]);
                self.strings = count;
            }
        }
        Ok(())
    }

    /// Ends the value that began at `start`.
    ///
    /// # Errors
    /// If the value is longer than the engine can count, or not complete. It is then dropped.
    #[inline]
    pub fn end_value(&mut self, start: Mark) -> Result<(), Error> {
        let len = self.plan.len() - start.position();
        if self.strings == 0 && len > 0 && len <= MAX_VALUE_LEN {
            return Ok(());
        }
        let error = match (self.strings, len) {
            (0, 0) => self.out_of_order("a value"),
            (0, _) => Error::new(MAX_VALUE_LEN, Reason::TooLarge { found: len }),
            _ => self.out_of_order("the texts of the array"),
        };
        self.drop_value(start);
        Err(error)
    }

    /// Takes back what was written since `start`.
    pub fn drop_value(&mut self, start: Mark) {
        self.plan.rollback(start);
        self.strings = 0;
    }

    /// Takes a value that is already encoded.
    pub fn encoded(&mut self, bytes: &'a [u8]) {
        self.plan.bytes(bytes);
    }

    /// What was written.
    pub fn plan(&self) -> &Plan<'a> {
        &self.plan
    }

    /// Makes room for as much again as was written, `times` times.
    pub fn reserve(&mut self, times: usize) {
        self.plan.reserve(times);
    }

    /// Starts again, with the memory of what was written.
    pub fn clear(&mut self) {
        self.drop_value(Mark::default());
    }

    /// What was written.
    pub fn into_plan(self) -> Plan<'a> {
        self.plan
    }

    /// A word that is set later, with [`Self::set_word`] and the mark before it.
    #[inline]
    pub(crate) fn reserve_word(&mut self) {
        self.plan.words([0]);
    }

    #[inline]
    pub(crate) fn set_word(&mut self, at: Mark, word: u32) {
        self.plan.patch(at, word);
    }

    fn wide(&mut self, kind: Kind, bits: u64) {
        self.plan.words([header(kind, FLAG_64), bits as u32, (bits >> 32) as u32]);
    }

    #[inline]
    fn plain_header(&self, plain: Plain<'_>) -> Result<u32, Error> {
        let shape = plain.kind.shape();
        let len = shape.element_len(plain.width).and_then(|len| len.checked_mul(plain.count));
        if len != Some(plain.bytes.len()) {
            return Err(self.out_of_order("as many bytes as the count says"));
        }
        if !shape.is_real() {
            return Ok(header(plain.kind, 0));
        }
        match plain.width {
            width if width != self.dialect.real => Err(self.out_of_order("components of the dialect's width")),
            Width::Single => Ok(header(plain.kind, 0)),
            Width::Double => Ok(header(plain.kind, FLAG_64)),
        }
    }

    /// A count that does not fit cannot belong to a value that does: each element takes a byte or more.
    #[inline]
    fn count(&self, count: usize) -> Result<u32, Error> {
        if count > MAX_VALUE_LEN {
            return Err(Error::new(self.plan.len(), Reason::TooLarge { found: count }));
        }
        Ok(count as u32)
    }

    fn text(&mut self, text: Text<'a>) -> Result<(), Error> {
        self.strings = self.strings.checked_sub(1).ok_or_else(|| self.out_of_order("a value"))?;
        let len = match text {
            Text::Utf8(text) => text.len(),
            Text::Utf32(chars) => text::utf8_len(chars),
        };
        // The length counts a NUL, in a PackedStringArray only.
        let word = self.count(len + 1)?;
        self.plan.words([word]);
        match text {
            Text::Utf8(text) => self.plan.bytes(text.as_bytes()),
            Text::Utf32(chars) => self.plan.utf32(chars, len as u32),
        }
        self.plan.small(&ZEROS[..1]);
        self.pad(len + 1);
        Ok(())
    }

    /// Fills up to a multiple of four bytes.
    #[inline]
    fn pad(&mut self, len: usize) {
        if !len.is_multiple_of(4) {
            self.plan.small(&ZEROS[len % 4..]);
        }
    }

    #[cold]
    fn out_of_order(&self, expected: &'static str) -> Error {
        Error::new(self.plan.len(), Reason::Order { expected })
    }
}

#[inline]
fn header(kind: Kind, flags: u32) -> u32 {
    u32::from(kind.id()) | flags
}
