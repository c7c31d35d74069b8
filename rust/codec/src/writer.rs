//! Events to a plan: every layout rule of encoding.
//!
//! Counterpart of `encode_variant` in the engine's `core/io/marshalls.cpp`, in one pass instead of two.

use crate::dialect::{Dialect, FLAG_64, Width};
use crate::error::{Error, Reason};
use crate::event::{ElementType, Event, Plain, Text};
use crate::kind::Kind;
use crate::limits::{MAX_DEPTH, MAX_VALUE_LEN};
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
    /// How deep the values lie that are written outside of any container of this writer.
    depth: usize,
    /// The containers around the next value, outermost first, each with something still to come.
    open: Vec<Open>,
    next: Next,
    /// The texts that are due, if any.
    texts: Texts,
}

/// What has to come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Value,
    Text,
    /// The name of a property.
    Name,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    /// Values that are still to come. Of a dictionary, keys and values count.
    left: usize,
    /// Whether each is a property, with its name before it.
    named: bool,
}

#[derive(Clone, Copy, Debug)]
struct Texts {
    left: usize,
    /// Whether their lengths count a NUL: in a PackedStringArray only.
    nul: bool,
}

impl<'a> Writer<'a> {
    /// A writer of an empty plan.
    pub fn new(dialect: Dialect) -> Self {
        Self::at_depth(dialect, 0)
    }

    /// As [`Self::new`], for values that lie `depth` containers deep in what another writer writes.
    pub fn at_depth(dialect: Dialect, depth: usize) -> Self {
        let texts = Texts { left: 0, nul: false };
        Self { plan: Plan::new(), dialect, depth, open: Vec::new(), next: Next::Value, texts }
    }

    /// The end of what was written so far: the start of the next value.
    #[inline]
    pub fn mark(&self) -> Mark {
        self.plan.mark()
    }

    /// Adds one event to the value at hand. Long payloads are borrowed.
    ///
    /// # Errors
    /// If the value lies too deep, plain data has another width than the dialect or another length than its count says,
    /// or the event is not due. The value must then be dropped.
    // Always inlined: callers name the event, and its construction and the branch on it then fall away.
    #[inline(always)]
    pub fn write(&mut self, event: Event<'a>) -> Result<(), Error> {
        self.put::<Borrow>(event)
    }

    /// As [`Self::write`], for an event that does not live as long as the plan: all of it is copied.
    ///
    /// # Errors
    /// As [`Self::write`].
    #[inline(always)]
    pub fn write_now(&mut self, event: Event<'_>) -> Result<(), Error> {
        self.put::<Copy>(event)
    }

    #[inline(always)]
    fn put<'e, T: Take<'e, 'a>>(&mut self, event: Event<'e>) -> Result<(), Error> {
        if let Event::Text(text) = event {
            return self.text::<T>(text);
        }
        self.begin_value()?;
        match event {
            Event::Nil => self.plan.words([header(Kind::Nil, 0)]),
            Event::Bool(value) => self.plan.words([header(Kind::Bool, 0), u32::from(value)]),
            Event::Int(value) => match i32::try_from(value) {
                Ok(short) => self.plan.words([header(Kind::Int, 0), short as u32]),
                Err(_) => self.wide(header(Kind::Int, FLAG_64), value as u64),
            },
            // Not for a NaN, which equals nothing: the engine writes those in 64 bits.
            Event::Float(value) if f64::from(value as f32) == value => {
                self.plan.words([header(Kind::Float, 0), (value as f32).to_bits()]);
            }
            Event::Float(value) => self.wide(header(Kind::Float, FLAG_64), value.to_bits()),
            Event::Components(plain) => {
                let header = self.plain_header(plain)?;
                self.plan.words([header]);
                T::bytes(&mut self.plan, plain.bytes);
            }
            Event::Packed(plain) => {
                let header = self.plain_header(plain)?;
                let count = self.count(plain.count)?;
                self.plan.words([header, count]);
                T::bytes(&mut self.plan, plain.bytes);
                self.pad(plain.bytes.len());
            }
            Event::String(text) => self.headed_string::<T>(header(Kind::String, 0), text)?,
            Event::StringName(text) => self.headed_string::<T>(header(Kind::StringName, 0), text)?,
            Event::Rid(id) => self.wide(header(Kind::Rid, 0), id),
            Event::Callable => self.plan.words([header(Kind::Callable, 0)]),
            Event::Signal { name, object } => {
                self.headed_string::<T>(header(Kind::Signal, 0), name)?;
                self.plan.words([object as u32, (object >> 32) as u32]);
            }
            // As the engine: a null object is no object at all.
            Event::ObjectId(0) => self.plan.words([header(Kind::Nil, 0)]),
            Event::ObjectId(id) => self.wide(header(Kind::Object, FLAG_64), id),
            // Read back, it would be null, with nothing behind it.
            Event::Object { class: Text::Utf8("") | Text::Utf32([]), .. } => {
                return Err(self.out_of_order("the name of a class"));
            }
            Event::Object { class, count } => {
                self.headed_string::<T>(header(Kind::Object, 0), class)?;
                return self.open(count, count, true);
            }
            Event::Dictionary { key, value, count } => {
                self.plan.words([header(Kind::Dictionary, form(key) << 16 | form(value) << 18)]);
                self.element_type::<T>(key)?;
                self.element_type::<T>(value)?;
                return self.open(count, count.saturating_mul(2), false);
            }
            Event::Array { element, count } => {
                self.plan.words([header(Kind::Array, form(element) << 16)]);
                self.element_type::<T>(element)?;
                return self.open(count, count, false);
            }
            Event::PackedStrings { count } => {
                let word = self.count(count)?;
                self.plan.words([header(Kind::PackedStringArray, 0), word]);
                return self.begin_texts(count, true);
            }
            Event::NodePath { names, subnames, absolute } => {
                let (name_count, subname_count) = (self.count(names)?, self.count(subnames)?);
                let head = [header(Kind::NodePath, 0), name_count | 1 << 31, subname_count, u32::from(absolute)];
                self.plan.words(head);
                return self.begin_texts(names.saturating_add(subnames), false);
            }
            Event::Text(_) => unreachable!("dealt with above"),
        }
        self.close_value();
        Ok(())
    }

    /// How many containers the next value lies in, those of other writers included.
    pub fn depth(&self) -> usize {
        self.depth + self.open.len()
    }

    /// Takes over what another writer has written at this [`depth`](Self::depth): the next `count` values of the container
    /// at hand.
    ///
    /// # Errors
    /// If that many are not due, or the other writer is in the middle of a value.
    pub fn append(&mut self, other: Self, count: usize) -> Result<(), Error> {
        let is_complete = other.open.is_empty() && other.next == Next::Value;
        let is_due = is_complete && self.next == Next::Value;
        match self.open.last_mut().filter(|top| is_due && !top.named) {
            Some(top) if top.left > count => top.left -= count,
            // The last value ends the container, and perhaps those around it.
            Some(top) if top.left == count && count > 0 => {
                top.left = 1;
                self.close_value();
            }
            _ => return Err(self.out_of_order("as many values as were announced")),
        }
        self.plan.append(other.plan);
        Ok(())
    }

    /// Takes a value that is already encoded.
    ///
    /// # Errors
    /// If no value is due.
    pub fn encoded(&mut self, bytes: &'a [u8]) -> Result<(), Error> {
        self.begin_value()?;
        self.plan.bytes(bytes);
        self.close_value();
        Ok(())
    }

    /// Ends the value that began at `start`.
    ///
    /// # Errors
    /// If the value is longer than the engine can count, or not complete. It is then dropped.
    #[inline]
    pub fn end_value(&mut self, start: Mark) -> Result<(), Error> {
        let len = self.plan.len() - start.position();
        let is_complete = self.open.is_empty() && self.next == Next::Value;
        if is_complete && len > 0 && len <= MAX_VALUE_LEN {
            return Ok(());
        }
        let error = match (is_complete, len) {
            (true, 0) => self.out_of_order("a value"),
            (true, _) => Error::new(MAX_VALUE_LEN, Reason::TooLarge { found: len }),
            _ => self.out_of_order("the rest of the value"),
        };
        self.drop_value(start);
        Err(error)
    }

    /// Takes back what was written since `start`.
    pub fn drop_value(&mut self, start: Mark) {
        self.plan.rollback(start);
        self.open.clear();
        self.next = Next::Value;
        self.texts.left = 0;
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

    #[inline]
    fn begin_value(&mut self) -> Result<(), Error> {
        if self.next != Next::Value {
            return Err(self.out_of_order("a text"));
        }
        if self.depth() > MAX_DEPTH {
            return Err(Error::new(self.plan.len(), Reason::TooDeep));
        }
        Ok(())
    }

    #[inline]
    fn close_value(&mut self) {
        self.next = Next::Value;
        while let Some(top) = self.open.last_mut() {
            top.left -= 1;
            if top.left > 0 {
                if top.named {
                    self.next = Next::Name;
                }
                return;
            }
            self.open.pop();
        }
    }

    /// Ends the head of a container with its count; `left` values are to come.
    #[inline]
    fn open(&mut self, count: usize, left: usize, named: bool) -> Result<(), Error> {
        let word = self.count(count)?;
        self.plan.words([word]);
        if left == 0 {
            self.close_value();
            return Ok(());
        }
        self.open.push(Open { left, named });
        self.next = if named { Next::Name } else { Next::Value };
        Ok(())
    }

    #[inline]
    fn begin_texts(&mut self, left: usize, nul: bool) -> Result<(), Error> {
        if left == 0 {
            self.close_value();
            return Ok(());
        }
        self.texts = Texts { left, nul };
        self.next = Next::Text;
        Ok(())
    }

    #[inline]
    fn text<'e, T: Take<'e, 'a>>(&mut self, text: Text<'e>) -> Result<(), Error> {
        match self.next {
            Next::Value => return Err(self.out_of_order("a value")),
            Next::Name => {
                self.next = Next::Value;
                return self.string::<T>(text, false);
            }
            Next::Text => {}
        }
        self.string::<T>(text, self.texts.nul)?;
        self.texts.left -= 1;
        if self.texts.left == 0 {
            self.close_value();
        }
        Ok(())
    }

    #[inline]
    fn headed_string<'e, T: Take<'e, 'a>>(&mut self, header: u32, text: Text<'e>) -> Result<(), Error> {
        self.plan.words([header]);
        self.string::<T>(text, false)
    }

    /// A length and a text, padded. The length counts a NUL behind the text if there is one.
    #[inline]
    fn string<'e, T: Take<'e, 'a>>(&mut self, text: Text<'e>, nul: bool) -> Result<(), Error> {
        let len = match text {
            Text::Utf8(text) => text.len(),
            Text::Utf32(chars) => text::utf8_len(chars),
        };
        let with_nul = len + usize::from(nul);
        let word = self.count(with_nul)?;
        self.plan.words([word]);
        match text {
            Text::Utf8(text) => T::bytes(&mut self.plan, text.as_bytes()),
            Text::Utf32(chars) => T::utf32(&mut self.plan, chars, len as u32),
        }
        if nul {
            self.plan.small(&ZEROS[..1]);
        }
        self.pad(with_nul);
        Ok(())
    }

    fn element_type<'e, T: Take<'e, 'a>>(&mut self, element: ElementType<'e>) -> Result<(), Error> {
        match element {
            ElementType::Any => Ok(()),
            ElementType::Builtin(kind) => {
                self.plan.words([u32::from(kind.id())]);
                Ok(())
            }
            ElementType::Class(text) | ElementType::Script(text) => self.string::<T>(text, false),
        }
    }

    #[inline]
    fn wide(&mut self, header: u32, bits: u64) {
        self.plan.words([header, bits as u32, (bits >> 32) as u32]);
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

/// How a plan takes payloads that live as long as `'e`.
trait Take<'e, 'a> {
    fn bytes(plan: &mut Plan<'a>, bytes: &'e [u8]);
    fn utf32(plan: &mut Plan<'a>, chars: &'e [u32], len: u32);
}

/// Long ones by reference.
struct Borrow;

impl<'a> Take<'a, 'a> for Borrow {
    #[inline]
    fn bytes(plan: &mut Plan<'a>, bytes: &'a [u8]) {
        plan.bytes(bytes);
    }

    #[inline]
    fn utf32(plan: &mut Plan<'a>, chars: &'a [u32], len: u32) {
        plan.utf32(chars, len);
    }
}

/// All at once.
struct Copy;

impl<'a> Take<'_, 'a> for Copy {
    #[inline]
    fn bytes(plan: &mut Plan<'a>, bytes: &[u8]) {
        plan.small(bytes);
    }

    #[inline]
    fn utf32(plan: &mut Plan<'a>, chars: &[u32], len: u32) {
        plan.utf32_now(chars, len);
    }
}

#[inline]
fn header(kind: Kind, flags: u32) -> u32 {
    u32::from(kind.id()) | flags
}

/// The two bits of a container's header that say what describes its element type.
#[inline]
fn form(element: ElementType<'_>) -> u32 {
    match element {
        ElementType::Any => 0,
        ElementType::Builtin(_) => 1,
        ElementType::Class(_) => 2,
        ElementType::Script(_) => 3,
    }
}
