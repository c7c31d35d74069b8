//! Bytes to events: every bounds check of decoding.
//!
//! Counterpart of `decode_variant` in the engine's `core/io/marshalls.cpp`: what it accepts is accepted here, what it
//! refuses is refused here, and what it does not look at (unknown flags, padding, what follows a value) is not looked
//! at. Nothing is allocated.

use crate::dialect::{FLAG_64, Width};
use crate::error::{Error, Reason};
use crate::event::{Event, Plain, Text};
use crate::kind::{Kind, Shape};
use crate::limits::MAX_VALUE_LEN;
use crate::text;

const HEADER_LEN: usize = 4;

/// Reads one value.
///
/// Invariant: `at` never passes the end of `bytes` but for the padding that a last PackedByteArray may lack.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    /// What is added to offsets in errors.
    base: usize,
    at: usize,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Value,
    /// Within a PackedStringArray.
    Strings {
        index: usize,
        count: usize,
    },
    End,
}

impl<'a> Reader<'a> {
    /// A reader of the value at the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::at(bytes, 0)
    }

    /// As [`Self::new`], for bytes that begin at `base` of a larger buffer: offsets in errors count from its start.
    pub fn at(bytes: &'a [u8], base: usize) -> Self {
        Self { bytes, base, at: 0, state: State::Value }
    }

    /// Bytes read so far. After the last event: what the value takes, with the last padding though it may be missing.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The next event of the value, `None` behind its last.
    ///
    /// # Errors
    /// If the value ends early, or is malformed. Reading on is then pointless: the same error comes again.
    pub fn next_event(&mut self) -> Result<Option<Event<'a>>, Error> {
        match self.state {
            State::Value => self.value().map(Some),
            State::Strings { index, count } => self.string(index, count).map(Some),
            State::End => Ok(None),
        }
    }

    /// The kind of the value, from its header, without reading on. To be called before the first event.
    ///
    /// # Errors
    /// If there is no header, or it names no type.
    pub fn peek_kind(&self) -> Result<Kind, Error> {
        self.header().map(|(kind, _)| kind)
    }

    fn value(&mut self) -> Result<Event<'a>, Error> {
        if self.bytes.len() > MAX_VALUE_LEN {
            // The engine takes the length modulo 2^32, as a signed number.
            return Err(self.error(Reason::TooLarge { found: self.bytes.len() }));
        }
        let (kind, flags) = self.header()?;
        let start = self.at;
        self.at += HEADER_LEN;
        self.state = State::End;
        let width = if flags & FLAG_64 == 0 { Width::Single } else { Width::Double };
        let event = self.payload(kind, width);
        if event.is_err() {
            (self.at, self.state) = (start, State::Value);
        }
        event
    }

    fn header(&self) -> Result<(Kind, u32), Error> {
        let rest = self.rest();
        let Some(&bytes) = rest.first_chunk() else {
            return Err(self.error(Reason::NoHeader { found: rest.len() }));
        };
        let word = u32::from_le_bytes(bytes);
        let id = word as u8;
        let kind = Kind::from_id(id).ok_or_else(|| self.error(Reason::UnknownType { id }))?;
        Ok((kind, word))
    }

    fn payload(&mut self, kind: Kind, width: Width) -> Result<Event<'a>, Error> {
        match (kind.shape(), width) {
            (Shape::Nil, _) => Ok(Event::Nil),
            (Shape::Bool, _) => Ok(Event::Bool(self.array(kind)? != [0; 4])),
            (Shape::Int, Width::Single) => Ok(Event::Int(i32::from_le_bytes(self.array(kind)?).into())),
            (Shape::Int, Width::Double) => Ok(Event::Int(i64::from_le_bytes(self.array(kind)?))),
            (Shape::Float, Width::Single) => Ok(Event::Float(f32::from_le_bytes(self.array(kind)?).into())),
            (Shape::Float, Width::Double) => Ok(Event::Float(f64::from_le_bytes(self.array(kind)?))),
            (shape @ Shape::Components { scalar, count }, _) => {
                let width = if shape.is_real() { width } else { Width::Single };
                let bytes = self.take(kind, "components", scalar.size(width) * usize::from(count))?;
                Ok(Event::Components(Plain { kind, width, count: 1, bytes }))
            }
            (shape @ Shape::Packed { scalar, count }, _) => {
                let width = if shape.is_real() { width } else { Width::Single };
                self.packed(kind, width, scalar.size(width) * usize::from(count))
            }
            (Shape::PackedStrings, _) => self.packed_strings(),
            (
                Shape::Text
                | Shape::NodePath
                | Shape::Rid
                | Shape::Object
                | Shape::Callable
                | Shape::Signal
                | Shape::Dictionary
                | Shape::Array,
                _,
            ) => Err(Error::new(self.base + self.at - HEADER_LEN, Reason::NotNative { kind })),
        }
    }

    fn packed(&mut self, kind: Kind, width: Width, element_len: usize) -> Result<Event<'a>, Error> {
        let found = i32::from_le_bytes(self.take_array(kind, "count")?);
        let Ok(count) = usize::try_from(found) else {
            self.at -= 4;
            return Err(self.error(Reason::Negative { kind, what: "count", found }));
        };
        // On 32-bit platforms the product may not fit; no buffer is that long.
        let expected = count.saturating_mul(element_len);
        let found = self.rest().len();
        let Some(bytes) = self.rest().get(..expected) else {
            return Err(self.error(Reason::ShortArray { kind, count, expected, found }));
        };
        self.at += expected.next_multiple_of(4);
        Ok(Event::Packed(Plain { kind, width, count, bytes }))
    }

    fn packed_strings(&mut self) -> Result<Event<'a>, Error> {
        let kind = Kind::PackedStringArray;
        // The engine counts from 0 up to a signed count: a negative one is an empty array.
        let count = usize::try_from(i32::from_le_bytes(self.take_array(kind, "count")?)).unwrap_or(0);
        let (expected, found) = (count.saturating_mul(4), self.rest().len());
        if expected > found {
            // The engine fails as well, at the first length that is missing, with the strings before it allocated.
            return Err(self.error(Reason::ShortArray { kind, count, expected, found }));
        }
        if count > 0 {
            self.state = State::Strings { index: 0, count };
        }
        Ok(Event::PackedStrings { count })
    }

    fn string(&mut self, index: usize, count: usize) -> Result<Event<'a>, Error> {
        let kind = Kind::PackedStringArray;
        let short = |part, expected, found| Reason::ShortElement { kind, part, index, count, expected, found };
        let rest = self.rest();
        let Some((&prefix, rest)) = rest.split_first_chunk() else {
            return Err(self.error(short("length", 4, rest.len())));
        };
        let found = i32::from_le_bytes(prefix);
        let Ok(len) = usize::try_from(found) else {
            return Err(self.error(Reason::Negative { kind, what: "text length", found }));
        };
        // Unlike that of a PackedByteArray, this padding has to be there.
        let padded = len.checked_next_multiple_of(4).unwrap_or(usize::MAX);
        if padded > rest.len() {
            return Err(Error::new(self.base + self.at + 4, short("text", padded, rest.len())));
        }
        let text = text::decode(&rest[..len]).map_err(|offset| {
            Error::new(self.base + self.at + 4 + offset, Reason::Malformed { kind, index, count, found: rest[offset] })
        })?;
        self.at += 4 + padded;
        let index = index + 1;
        self.state = if index == count { State::End } else { State::Strings { index, count } };
        Ok(Event::Text(Text::Utf8(text)))
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, kind: Kind, part: &'static str, expected: usize) -> Result<&'a [u8], Error> {
        let rest = self.rest();
        let Some(bytes) = rest.get(..expected) else {
            return Err(self.error(Reason::Short { kind, part, expected, found: rest.len() }));
        };
        self.at += expected;
        Ok(bytes)
    }

    fn take_array<const N: usize>(&mut self, kind: Kind, part: &'static str) -> Result<[u8; N], Error> {
        let bytes = self.take(kind, part, N)?;
        Ok(bytes.try_into().expect("taken with this length"))
    }

    fn array<const N: usize>(&mut self, kind: Kind) -> Result<[u8; N], Error> {
        self.take_array(kind, "value")
    }

    fn error(&self, reason: Reason) -> Error {
        Error::new(self.base + self.at, reason)
    }
}
