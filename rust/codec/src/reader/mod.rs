//! Turns bytes into events. Holds every bounds check of decoding.
//!
//! Accepts, refuses and ignores the same bytes as `decode_variant` in the engine's `core/io/marshalls.cpp`, without
//! recursion. A count is accepted only if the remaining bytes could hold its parts and the rest of the containers
//! around: so all counts together are bounded by the bytes, and callers may allocate for them.

#[cfg(feature = "internals")]
mod at_once;
mod containers;
mod path;
mod payload;
mod skim;

use crate::{
    CodecError, CodecErrorKind, Dialect, Event, Extent, Kind, MAX_DEPTH, MAX_VALUE_LEN, Row, Rules, Text, WORD,
    count_of,
};

use self::payload::width;
pub(crate) use self::skim::Skim;

/// Bit 31 of a count: once "shared" for containers, "not the old format" for a NodePath.
const HIGH_BIT: u32 = 0x8000_0000;

/// Reads a value to its end, and returns its length in bytes, with missing padding. Fails like [`Reader::next_event`].
pub fn validate(mut reader: Reader<'_>) -> Result<usize, CodecError> {
    reader.skip_value()?;
    Ok(reader.position())
}

/// Reads one value. Invariants: `at` never passes the end of `bytes`, except by the padding that a last PackedByteArray
/// may lack. Every container in `open` has parts still to come.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    /// Added to offsets in errors.
    base: usize,
    at: usize,
    rules: &'static Rules,
    allow_objects: bool,
    trust_counts: bool,
    next: ReadNext,
    /// The containers around the next value, outermost first.
    open: Vec<ReadOpen>,
    /// The texts of the current value.
    texts: ReadTexts,
    /// The kind of the next elements, if they have no headers.
    bare: Kind,
    /// Min bytes of all headers, names and texts that are known to come.
    due: usize,
}

/// The part that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadNext {
    Value,
    /// A text of the current value.
    Text,
    Name,
    /// An element without a header.
    Bare,
    End,
}

#[derive(Clone, Copy, Debug)]
struct ReadOpen {
    form: ReadForm,
    /// The index of the next value. In a dictionary, keys and values both count.
    index: usize,
    count: usize,
    /// The offset of the latest key or property name.
    key_at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadForm {
    Array,
    Dictionary,
    Object,
    /// An array whose elements have no headers.
    Bare,
}

#[derive(Clone, Copy, Debug)]
struct ReadTexts {
    kind: Kind,
    index: usize,
    count: usize,
}

impl<'a> Reader<'a> {
    /// Creates a reader of the value at the start of `bytes`, of Godot 4 and without objects with properties.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            base: 0,
            at: 0,
            rules: Dialect::GODOT_4.engine.rules(),
            allow_objects: false,
            trust_counts: false,
            next: ReadNext::Value,
            open: Vec::new(),
            texts: ReadTexts { kind: Kind::Nil, index: 0, count: 0 },
            bare: Kind::Nil,
            due: WORD,
        }
    }

    /// Sets the offset of `bytes` in a larger buffer: offsets in errors then count from the start of that buffer.
    #[inline]
    #[must_use]
    pub fn with_base(self, base: usize) -> Self {
        Self { base, ..self }
    }

    /// Follows the rules of this dialect.
    #[must_use]
    pub fn with_dialect(self, dialect: Dialect) -> Self {
        self.with_rules(dialect.engine.rules())
    }

    fn with_rules(self, rules: &'static Rules) -> Self {
        Self { rules, ..self }
    }

    /// With `true`, reads objects with class and properties as [`Event::Object`]. No object is created.
    #[must_use]
    pub fn with_objects(self, allow_objects: bool) -> Self {
        Self { allow_objects, ..self }
    }

    /// Accepts counts that the bytes cannot hold, as the engine does. Only for callers that do not allocate by count.
    #[must_use]
    pub fn with_trusted_counts(self) -> Self {
        Self { trust_counts: true, ..self }
    }

    /// True if objects with properties are accepted.
    pub fn allows_objects(&self) -> bool {
        self.allow_objects
    }

    /// Returns the bytes read so far. After the last event: the value's length, with its last padding even if missing.
    pub fn position(&self) -> usize {
        self.at
    }

    /// True if a text or the name of a property comes next, and no value.
    #[cfg(feature = "serde")]
    pub(crate) fn is_at_text(&self) -> bool {
        matches!(self.next, ReadNext::Text | ReadNext::Name)
    }

    /// True after the last event.
    #[cfg(feature = "serde")]
    pub(crate) fn has_ended(&self) -> bool {
        self.next == ReadNext::End
    }

    #[cfg(feature = "serde")]
    pub(crate) fn is_of_godot_4(&self) -> bool {
        self.rules.is_godot_4
    }

    /// Returns the bytes from one position to another. Panics if `from` is greater than `to`.
    pub fn bytes(&self, from: usize, to: usize) -> &'a [u8] {
        &self.bytes[from..to.min(self.bytes.len())]
    }

    /// Returns how many bytes remain after the position: the rest of the value, and perhaps bytes after it.
    pub fn left(&self) -> usize {
        self.rest().len()
    }

    /// Checks that nothing follows the value, which was read.
    pub(crate) fn check_end(&self) -> Result<(), CodecError> {
        match self.left() {
            0 => Ok(()),
            found => Err(CodecError::new(self.at, CodecErrorKind::Behind { found })),
        }
    }

    /// Returns how many containers enclose the next value. Containers that are complete do not count.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Returns the next event, `None` after the last. Fails if the value is cut off or malformed, as do further calls.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<Event<'a>>, CodecError> {
        self.next_event_to(|event| event)
    }

    /// Like [`Self::next_event`], but passes the event to `take`, whose match merges with the Reader's: that is faster.
    #[inline(always)]
    pub fn next_event_to<R>(&mut self, take: impl FnOnce(Event<'a>) -> R) -> Result<Option<R>, CodecError> {
        match self.next {
            ReadNext::Value => self.value(take).map(Some),
            ReadNext::Text => self.text().map(|text| Some(take(Event::Text(text)))),
            ReadNext::Name => self.next_name().map(|name| Some(take(Event::Text(name)))),
            ReadNext::Bare => self.bare().map(|event| Some(take(event))),
            ReadNext::End => Ok(None),
        }
    }

    /// Returns the next text of a PackedStringArray or NodePath, if one comes next. Fails like [`Self::next_event`].
    #[inline]
    pub fn next_text(&mut self) -> Result<Option<Text<'a>>, CodecError> {
        if self.next == ReadNext::Text { self.text().map(Some) } else { Ok(None) }
    }

    /// True if the value that began at this [`depth`](Self::depth) has not ended.
    #[inline]
    pub fn is_inside(&self, depth: usize) -> bool {
        self.next == ReadNext::Text || self.open.len() > depth
    }

    /// Reads to the end of the value that began at this [`depth`](Self::depth). Fails like [`Self::next_event`].
    pub fn finish_value(&mut self, depth: usize) -> Result<(), CodecError> {
        while self.is_inside(depth) {
            self.next_event()?;
        }
        Ok(())
    }

    /// Reads the next value to its end. The name of a property must not come next. Fails like [`Self::next_event`].
    pub fn skip_value(&mut self) -> Result<(), CodecError> {
        let depth = self.open.len();
        loop {
            self.next_event()?;
            // An inner loop for texts is faster than `next_event`, which branches on what comes next.
            while self.next_text()?.is_some() {}
            if !self.is_inside(depth) {
                return Ok(());
            }
        }
    }

    /// Returns the kind of the value before its first event. Fails if there is no header, or its type is unknown.
    #[inline]
    pub fn peek_kind(&self) -> Result<Kind, CodecError> {
        if self.next == ReadNext::Bare {
            return Ok(self.bare);
        }
        let (row, word) = self.header()?;
        if row.is_some() { Ok(row.kind) } else { Err(self.unknown_type(word)) }
    }

    /// Returns the kind of the next elements, if they have no headers.
    pub(crate) fn bare_kind(&self) -> Option<Kind> {
        (self.next == ReadNext::Bare).then_some(self.bare)
    }

    #[inline(always)]
    fn value<R>(&mut self, take: impl FnOnce(Event<'a>) -> R) -> Result<R, CodecError> {
        let start = self.at;
        let (row, word) = self.header()?;
        if self.open.len() > MAX_DEPTH {
            return Err(self.error(CodecErrorKind::TooDeep));
        }
        self.at = start + WORD;
        self.due -= WORD;
        let taken = self.payload(row, word, take);
        if cfg!(debug_assertions)
            && taken.is_ok()
            && let Extent::Fixed(len) = row.shape.extent(width(word & row.flags))
        {
            assert_eq!(self.at, start + WORD + len, "a {:?} is as long as its extent", row.shape);
        }
        if taken.is_err() {
            self.at = start;
            self.due += WORD;
        }
        taken
    }

    /// Returns the first word of a value and its row, which is `Row::NONE` for an unknown type.
    #[inline]
    fn header(&self) -> Result<(Row, u32), CodecError> {
        let rest = self.rest();
        let Some(&bytes) = rest.first_chunk() else {
            return Err(self.error(CodecErrorKind::NoHeader { found: rest.len() }));
        };
        if self.bytes.len() > MAX_VALUE_LEN {
            // The engine takes the length modulo 2^32, as a signed number.
            return Err(self.error(CodecErrorKind::TooLarge { found: self.bytes.len() }));
        }
        let word = u32::from_le_bytes(bytes);
        Ok((self.rules.rows[usize::from(word as u8)], word))
    }

    /// Moves on to the next part. Must be called after the last byte of each value.
    #[inline(always)]
    fn end_value(&mut self) {
        while let Some(top) = self.open.last_mut() {
            top.index += 1;
            if top.index < top.count {
                return self.begin_value();
            }
            self.open.pop();
        }
        self.next = ReadNext::End;
    }

    /// Must be called before the first byte of each value in a container.
    #[inline(always)]
    fn begin_value(&mut self) {
        let Some(top) = self.open.last_mut() else { return };
        if top.index.is_multiple_of(2) || top.form == ReadForm::Object {
            top.key_at = self.at;
        }
        self.next = match top.form {
            ReadForm::Array | ReadForm::Dictionary => ReadNext::Value,
            ReadForm::Object => ReadNext::Name,
            ReadForm::Bare => ReadNext::Bare,
        };
    }

    #[inline]
    fn open(&mut self, form: ReadForm, count: usize) {
        if count == 0 {
            return self.end_value();
        }
        self.open.push(ReadOpen { form, index: 0, count, key_at: self.at });
        self.begin_value();
    }

    #[inline]
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    #[cold]
    fn unknown_type(&self, word: u32) -> CodecError {
        self.error(CodecErrorKind::UnknownType { id: word as u8, last: count_of(&self.rules.rows) - 1 })
    }
}
