//! Bytes to events: every bounds check of decoding.
//!
//! Counterpart of `decode_variant` in the engine's `core/io/marshalls.cpp`: what it accepts is accepted here, what it
//! refuses is refused here, and what it does not look at (unknown flags, padding, what follows a value) is not looked
//! at. Containers are a stack here where the engine calls itself, so that no input costs a thread its own stack.
//!
//! A count is only believed if the bytes that are left could hold as many parts, and the rest of what the container is
//! inside of: all counts of a value together are then no larger than its bytes allow, and a caller may allocate for them.

mod containers;
mod path;
mod payload;
mod skim;
mod template;

use crate::dialect::{Dialect, Rules};
use crate::error::{CodecError, CodecErrorKind};
use crate::event::{Event, Text};
use crate::kind::{Extent, FLAG_64, Kind, Row, Rows, WORD, Width};
use crate::limits::{MAX_DEPTH, MAX_VALUE_LEN};
use crate::path::Path;

pub(crate) use self::skim::Skim;

/// Bit 31 of a count: once "shared" for containers, "not the old format" for a NodePath.
const HIGH_BIT: u32 = 0x8000_0000;

/// Reads one value.
///
/// Invariants: `at` never passes the end of `bytes` but for the padding that a last PackedByteArray may lack. `open`
/// holds only containers with something still to come.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    /// What is added to offsets in errors.
    base: usize,
    at: usize,
    rules: &'static Rules,
    /// Those of the rules, at hand.
    rows: &'static Rows,
    allow_objects: bool,
    trust_counts: bool,
    next: ReadNext,
    /// The containers around the next value, outermost first.
    open: Vec<ReadOpen>,
    /// The texts of the value at hand.
    texts: ReadTexts,
    /// What the elements without headers are that come next.
    bare: Kind,
    /// Bytes that all headers, names and texts take at least that are known to come.
    due: usize,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadNext {
    Value,
    /// A text of the value at hand.
    Text,
    /// The name of a property.
    Name,
    /// An element without a header.
    Bare,
    End,
}

/// A container with values still to come.
#[derive(Clone, Copy, Debug)]
struct ReadOpen {
    form: ReadForm,
    /// Which value comes next. Of a dictionary, keys and values count.
    index: usize,
    count: usize,
    /// Where the latest key, or the latest property's name, begins.
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
    /// A reader of the value at the start of `bytes`, by the rules of Godot 4. Objects with properties are refused.
    ///
    /// The `with_...` methods change that. Call them before the first event.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        let rules = Dialect::GODOT_4.engine.rules();
        Self {
            bytes,
            base: 0,
            at: 0,
            rules,
            rows: rules.rows,
            allow_objects: false,
            trust_counts: false,
            next: ReadNext::Value,
            open: Vec::new(),
            texts: ReadTexts { kind: Kind::Nil, index: 0, count: 0 },
            bare: Kind::Nil,
            due: WORD,
        }
    }

    /// For bytes that begin at byte `base` of a larger buffer: offsets in errors count from its start.
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
        Self { rules, rows: rules.rows, ..self }
    }

    /// With `true`, reads objects with class and properties instead of refusing them. None is made: see [`Event::Object`].
    #[must_use]
    pub fn with_objects(self, allow_objects: bool) -> Self {
        Self { allow_objects, ..self }
    }

    /// Lets counts pass that the bytes cannot hold: reading then fails at the first part that is missing, as in the engine.
    /// Only for callers that do not allocate by count, such as [`describe`](crate::describe).
    #[must_use]
    pub fn with_trusted_counts(self) -> Self {
        Self { trust_counts: true, ..self }
    }

    /// Whether objects with properties are read.
    pub fn allows_objects(&self) -> bool {
        self.allow_objects
    }

    /// Bytes read so far: where the next event begins. After the last: what the value takes, with the last padding
    /// though it may be missing.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Whether the next value is that of a property of an object.
    pub fn is_in_object(&self) -> bool {
        self.next == ReadNext::Value && self.open.last().is_some_and(|top| top.form == ReadForm::Object)
    }

    /// Whether the name of a property comes next.
    pub fn is_at_name(&self) -> bool {
        self.next == ReadNext::Name
    }

    /// The bytes from one position to another.
    ///
    /// # Panics
    /// If `from` lies behind `to`.
    pub fn bytes(&self, from: usize, to: usize) -> &'a [u8] {
        &self.bytes[from..to.min(self.bytes.len())]
    }

    /// Bytes behind the position: those of the rest of the value, and perhaps more.
    pub fn left(&self) -> usize {
        self.rest().len()
    }

    /// How many containers with something still to come the next value is inside of.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// The next event of the value, `None` behind its last.
    ///
    /// # Errors
    /// If the value ends early, or is malformed. Reading on is then pointless: the same error comes again.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<Event<'a>>, CodecError> {
        self.next_event_to(|event| event)
    }

    /// As [`Self::next_event`], which it gives to `take`: faster for who branches on it, as the Reader has done so already.
    ///
    /// # Errors
    /// As [`Self::next_event`].
    #[inline(always)]
    pub fn next_event_to<R>(&mut self, take: impl FnOnce(Event<'a>) -> R) -> Result<Option<R>, CodecError> {
        match self.next {
            ReadNext::Value => self.value(take).map(Some),
            ReadNext::Text => self.text().map(|text| Some(take(Event::Text(text)))),
            ReadNext::Name => self.name().map(|event| Some(take(event))),
            ReadNext::Bare => self.bare().map(|event| Some(take(event))),
            ReadNext::End => Ok(None),
        }
    }

    /// As [`Self::next_event`], where a text of a PackedStringArray or NodePath is due; `None` where none is.
    ///
    /// # Errors
    /// As [`Self::next_event`].
    #[inline]
    pub fn next_text(&mut self) -> Result<Option<Text<'a>>, CodecError> {
        if self.next == ReadNext::Text { self.text().map(Some) } else { Ok(None) }
    }

    /// Passes the next text of a PackedStringArray or NodePath without a look at its characters, so that another reader can be
    /// sent to it; `false` where none is due.
    ///
    /// # Errors
    /// If the value ends early. That a text is not UTF-8 is no error here.
    #[inline]
    pub fn pass_text(&mut self) -> Result<bool, CodecError> {
        if self.next == ReadNext::Text { self.pass().map(|()| true) } else { Ok(false) }
    }

    /// Whether something is still to come of the value that began at this [`depth`](Self::depth).
    #[inline]
    pub fn is_inside(&self, depth: usize) -> bool {
        self.next == ReadNext::Text || self.open.len() > depth
    }

    /// Reads on until the value that began at this [`depth`](Self::depth) has ended.
    ///
    /// # Errors
    /// As [`Self::next_event`].
    pub fn finish_value(&mut self, depth: usize) -> Result<(), CodecError> {
        while self.is_inside(depth) {
            self.next_event()?;
        }
        Ok(())
    }

    /// Reads a value to its end: the next one, or all of it if none was begun. Not to be called where the name of a property
    /// comes next.
    ///
    /// # Errors
    /// As [`Self::next_event`].
    pub fn skip_value(&mut self) -> Result<(), CodecError> {
        let depth = self.open.len();
        loop {
            self.next_event()?;
            // The texts of one value, without asking each time what comes next.
            while self.next_text()?.is_some() {}
            if !self.is_inside(depth) {
                return Ok(());
            }
        }
    }

    /// The kind of the value, from its header, without reading on. To be called before its first event.
    ///
    /// # Errors
    /// If there is no header, or it names no type.
    pub fn peek_kind(&self) -> Result<Kind, CodecError> {
        if self.next == ReadNext::Bare {
            return Ok(self.bare);
        }
        let (row, word) = self.header()?;
        if row.is_some() { Ok(row.kind) } else { Err(self.unknown_type(word)) }
    }

    /// The kind of the elements that come next, if they have no headers.
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

    /// The first word of a value, and its row, of which there may be none.
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
        Ok((self.rows[usize::from(word as u8)], word))
    }

    /// To be called behind the last byte of a value.
    #[inline]
    fn end_value(&mut self) {
        loop {
            let Some(top) = self.open.last_mut() else {
                self.next = ReadNext::End;
                return;
            };
            top.index += 1;
            if top.index < top.count {
                return self.begin_value();
            }
            self.open.pop();
        }
    }

    /// To be called before the first byte of a value in a container.
    #[inline]
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

    /// Opens a container whose `count` values come next.
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
        self.error(CodecErrorKind::UnknownType { id: word as u8, last: self.rules.types - 1 })
    }

    #[cold]
    fn error(&self, kind: CodecErrorKind) -> CodecError {
        // A missing padding may have put `at` behind the end.
        let at = self.base + self.at.min(self.bytes.len());
        CodecError::new(at, kind).with_path(self.path())
    }

    /// An error of the caller's about the value that begins at `at`, with its path.
    pub fn error_at(&self, at: usize, kind: CodecErrorKind) -> CodecError {
        CodecError::new(self.base + at, kind).with_path(self.path_at(at))
    }

    /// Where what begins at `at` is in the buffer, and the path to it. It was read already.
    pub(crate) fn place_of(&self, at: usize) -> (usize, Path) {
        (self.base + at, self.path_at(at))
    }

    /// The path to the value that begins at `at`, which was read already.
    pub fn path_at(&self, at: usize) -> Path {
        let mut again =
            Reader::new(self.bytes).with_base(self.base).with_objects(self.allow_objects).with_rules(self.rules);
        while again.at < at && matches!(again.next_event(), Ok(Some(_))) {}
        again.path()
    }
}

/// The width that a header announces.
#[inline]
fn width(flags: u32) -> Width {
    if flags & FLAG_64 == 0 { Width::Single } else { Width::Double }
}
