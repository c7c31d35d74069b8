//! Events to a plan: every layout rule of encoding.
//!
//! Counterpart of `encode_variant` in the engine's `core/io/marshalls.cpp`, in one pass instead of two.

mod payload;

use crate::dialect::{Dialect, Engine};
use crate::error::{CodecError, CodecErrorKind};
use crate::event::Event;
use crate::limits::{MAX_DEPTH, MAX_VALUE_LEN};
use crate::plan::{Borrowed, Keep, Mark, Plan};

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
    open: Vec<WriteOpen>,
    next: WriteNext,
    /// Whether the dialect is another than that of Godot 4.
    is_foreign: bool,
    /// The texts that are due, if any.
    texts: WriteTexts,
}

/// What has to come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriteNext {
    Value,
    Text,
    /// The name of a property.
    Name,
}

#[derive(Clone, Copy, Debug)]
struct WriteOpen {
    /// Values that are still to come. Of a dictionary, keys and values count.
    left: usize,
    /// Whether each is a property, with its name before it.
    named: bool,
}

#[derive(Clone, Copy, Debug)]
struct WriteTexts {
    left: usize,
    /// Whether their lengths count a NUL: in a PackedStringArray only.
    nul: bool,
}

impl<'a> Writer<'a> {
    /// A writer of an empty plan.
    pub fn new(dialect: Dialect) -> Self {
        let texts = WriteTexts { left: 0, nul: false };
        let is_foreign = dialect.engine != Engine::Godot4;
        Self { plan: Plan::new(), dialect, depth: 0, open: Vec::new(), next: WriteNext::Value, is_foreign, texts }
    }

    /// For values that lie `depth` containers deep in what another writer writes.
    #[must_use]
    pub fn with_depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// A writer of `count` texts of a PackedStringArray that another writer is in the middle of: see
    /// [`Self::append_texts`].
    pub fn for_texts(dialect: Dialect, count: usize) -> Self {
        let mut writer = Self::new(dialect);
        if count > 0 {
            writer.texts = WriteTexts { left: count, nul: true };
            writer.next = WriteNext::Text;
        }
        writer
    }

    /// The end of what was written so far: the start of the next value.
    #[inline]
    pub fn mark(&self) -> Mark {
        self.plan.mark()
    }

    /// Adds one event to the value at hand. Long payloads are borrowed.
    ///
    /// # Errors
    /// As [`Self::write_as`].
    #[inline(always)]
    pub fn write(&mut self, event: Event<'a>) -> Result<(), CodecError> {
        self.write_as(event, Borrowed)
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
    pub fn append(&mut self, other: Self, count: usize) -> Result<(), CodecError> {
        let is_complete = other.open.is_empty() && other.next == WriteNext::Value;
        let is_due = is_complete && self.next == WriteNext::Value;
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

    /// Takes over what a writer [`for_texts`](Self::for_texts) has written: the next `count` texts of the PackedStringArray at
    /// hand.
    ///
    /// # Errors
    /// If that many are not due, or the other writer has not written all of its own.
    pub fn append_texts(&mut self, other: Self, count: usize) -> Result<(), CodecError> {
        let is_complete = other.open.is_empty() && other.next == WriteNext::Value;
        if !is_complete || self.next != WriteNext::Text || !self.texts.nul || count > self.texts.left {
            return Err(self.out_of_order("as many texts as were announced"));
        }
        self.texts.left -= count;
        if self.texts.left == 0 {
            self.close_value();
        }
        self.plan.append(other.plan);
        Ok(())
    }

    /// Takes a value that is already encoded.
    ///
    /// # Errors
    /// If no value is due.
    pub fn encoded<'e>(&mut self, bytes: &'e [u8], keep: impl Keep<'e, 'a>) -> Result<(), CodecError> {
        self.begin_value()?;
        self.plan.bytes(bytes, keep);
        self.close_value();
        Ok(())
    }

    /// Ends the value that began at `start`.
    ///
    /// # Errors
    /// If the value is longer than the engine can count, or not complete. It is then dropped.
    #[inline]
    pub fn end_value(&mut self, start: Mark) -> Result<(), CodecError> {
        let len = self.plan.len() - start.position();
        let is_complete = self.open.is_empty() && self.next == WriteNext::Value;
        if is_complete && len > 0 && len <= MAX_VALUE_LEN {
            return Ok(());
        }
        let error = match (is_complete, len) {
            (true, 0) => self.out_of_order("a value"),
            (true, _) => CodecError::new(MAX_VALUE_LEN, CodecErrorKind::TooLarge { found: len }),
            _ => self.out_of_order("the rest of the value"),
        };
        self.drop_value(start);
        Err(error)
    }

    /// Takes back what was written since `start`.
    pub fn drop_value(&mut self, start: Mark) {
        self.plan.rollback(start);
        self.open.clear();
        self.next = WriteNext::Value;
        self.texts.left = 0;
    }

    /// What was written.
    pub fn plan(&self) -> &Plan<'a> {
        &self.plan
    }

    /// Makes room for as much again as was written, `times` times, or for some of it if that is much.
    pub fn reserve(&mut self, times: usize) {
        self.plan.reserve(times);
    }

    /// Bytes so far that are not borrowed.
    pub fn inline_len(&self) -> usize {
        self.plan.inline_len()
    }

    /// Makes room for `len` bytes that are not borrowed, or for some of them if they are many.
    pub fn reserve_bytes(&mut self, len: usize) {
        self.plan.reserve_bytes(len);
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
    fn begin_value(&mut self) -> Result<(), CodecError> {
        if self.next != WriteNext::Value {
            return Err(self.out_of_order("a text"));
        }
        if self.depth() > MAX_DEPTH {
            return Err(CodecError::new(self.plan.len(), CodecErrorKind::TooDeep));
        }
        Ok(())
    }

    #[inline]
    fn close_value(&mut self) {
        self.next = WriteNext::Value;
        while let Some(top) = self.open.last_mut() {
            top.left -= 1;
            if top.left > 0 {
                if top.named {
                    self.next = WriteNext::Name;
                }
                return;
            }
            self.open.pop();
        }
    }

    /// Ends the head of a container with its count; `left` values are to come.
    #[inline]
    fn open(&mut self, count: usize, left: usize, named: bool) -> Result<(), CodecError> {
        let word = self.count(count)?;
        self.plan.words([word]);
        if left == 0 {
            self.close_value();
            return Ok(());
        }
        self.open.push(WriteOpen { left, named });
        self.next = if named { WriteNext::Name } else { WriteNext::Value };
        Ok(())
    }

    #[inline]
    fn begin_texts(&mut self, left: usize, nul: bool) -> Result<(), CodecError> {
        if left == 0 {
            self.close_value();
            return Ok(());
        }
        self.texts = WriteTexts { left, nul };
        self.next = WriteNext::Text;
        Ok(())
    }

    #[cold]
    fn out_of_order(&self, expected: &'static str) -> CodecError {
        CodecError::new(self.plan.len(), CodecErrorKind::Order { expected })
    }
}
