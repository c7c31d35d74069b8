//! Turns events into a plan. Holds every layout rule of encoding, as `encode_variant` of `core/io/marshalls.cpp`.

#[cfg(feature = "internals")]
mod flat;
mod payload;

use crate::{
    Borrowed, CodecError, CodecErrorKind, Dialect, Engine, Event, Keep, MAX_DEPTH, MAX_VALUE_LEN, Mark, Plan, Text,
};

#[cfg(feature = "internals")]
pub use self::flat::Flat;

/// Writes values one after another into a [`Plan`], each between [`Self::mark`] and [`Self::end_value`].
#[derive(Debug)]
pub struct Writer<'a> {
    pub(crate) plan: Plan<'a>,
    dialect: Dialect,
    /// The depth of values that are in no container of this writer.
    depth: usize,
    /// The max length of the output while the outermost container is open.
    end: usize,
    /// The containers around the next value, outermost first. Each has values still to come.
    open: Vec<WriteOpen>,
    next: WriteNext,
    /// What comes after a value that is in no container: for another writer's container, more values.
    after: WriteNext,
    /// True if the engine is not Godot 4.
    is_foreign: bool,
    /// The texts still to come.
    texts_left: usize,
    /// True if their lengths count a NUL, as in a PackedStringArray.
    texts_have_nul: bool,
}

/// The part that must come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriteNext {
    Value,
    Text,
    Name,
    /// Nothing until [`Writer::end_value`], as a value is complete.
    End,
}

#[derive(Clone, Copy, Debug)]
struct WriteOpen {
    /// Values still to come. In a dictionary, keys and values both count.
    left: usize,
    form: WriteForm,
}

#[derive(Clone, Copy, Debug)]
enum WriteForm {
    /// Each is a value, a key too.
    Values,
    /// Each is a property, with its name before it.
    Properties,
    /// Elements of an Array of Arrays of Pandemonium, and the offset of their type in the small bytes.
    Arrays { are_typed: Option<bool>, element: usize },
}

impl<'a> Writer<'a> {
    /// Creates a writer with an empty plan.
    pub fn new(dialect: Dialect) -> Self {
        Self::within(dialect, Plan::default())
    }

    /// Creates a writer that adds to `plan`, whose values are complete.
    pub fn within(dialect: Dialect, plan: Plan<'a>) -> Self {
        Self {
            plan,
            dialect,
            depth: 0,
            end: 0,
            open: Vec::new(),
            next: WriteNext::Value,
            after: WriteNext::End,
            is_foreign: dialect.engine != Engine::Godot4,
            texts_left: 0,
            texts_have_nul: false,
        }
    }

    /// Sets the depth of the values: how many containers of another writer enclose them, all of which are too large if
    /// these are together.
    #[must_use]
    pub fn with_depth(self, depth: usize) -> Self {
        let after = if depth == 0 { WriteNext::End } else { WriteNext::Value };
        Self { depth, end: MAX_VALUE_LEN, after, ..self }
    }

    /// Returns the end of the output so far, where the next value starts.
    #[inline]
    pub fn mark(&self) -> Mark {
        self.plan.mark()
    }

    /// Returns a text of the caller's as one to write. Fails if no reader gives it back: it would end at its first NUL, and
    /// lose a byte-order mark at its start.
    pub(crate) fn checked<'t>(&self, text: &'t str) -> Result<Text<'t>, CodecError> {
        if text.as_bytes().contains(&0) || text.starts_with('\u{feff}') {
            return Err(CodecError::new(self.plan.len(), CodecErrorKind::Unreadable { found: text.into() }));
        }
        Ok(Text::Utf8(text))
    }

    /// Adds one event to the current value. Borrows long payloads. Fails like [`Self::write_as`].
    #[inline(always)]
    pub fn write(&mut self, event: Event<'a>) -> Result<(), CodecError> {
        self.write_as(event, Borrowed)
    }

    /// Returns how many containers enclose the next value, including those of other writers.
    pub fn depth(&self) -> usize {
        self.depth + self.open.len()
    }

    /// Appends the next `count` values of the current container, which another writer has written at this
    /// [`depth`](Self::depth). Fails if fewer are due, that writer's last value is incomplete, or the container is an
    /// Array of Arrays of Pandemonium, whose type depends on its values.
    pub fn append(&mut self, other: Self, count: usize) -> Result<(), CodecError> {
        let is_due = other.is_complete() && self.next == WriteNext::Value;
        match self.open.last_mut().filter(|top| is_due && matches!(top.form, WriteForm::Values)) {
            Some(top) if top.left > count => top.left -= count,
            // The last value ends the container, and perhaps those around it.
            Some(top) if top.left == count && count > 0 => {
                top.left = 1;
                self.close_value();
            }
            _ => return Err(self.out_of_order("as many values as were announced")),
        }
        self.plan.append(other.plan);
        self.check_len()
    }

    /// Adds an encoded value. Fails if none is due, or it does not fit into an Array of Arrays of Pandemonium.
    pub fn encoded<'e>(&mut self, bytes: &'e [u8], keep: impl Keep<'e, 'a>) -> Result<(), CodecError> {
        self.begin_value()?;
        if self.is_foreign {
            self.next_of_arrays(bytes.first().copied() == self.dialect.engine.rules().typed_array)?;
        }
        self.plan.bytes(bytes, keep);
        self.close_value();
        Ok(())
    }

    /// Ends the value that began at `start`. Drops it and fails if it is longer than [`MAX_VALUE_LEN`] or incomplete.
    #[inline]
    pub fn end_value(&mut self, start: Mark) -> Result<(), CodecError> {
        let len = self.plan.len() - start.position();
        if self.next == WriteNext::End && (1..=MAX_VALUE_LEN).contains(&len) && !self.plan.is_full() {
            self.next = WriteNext::Value;
            return Ok(());
        }
        self.end_part(start, len)
    }

    /// Ends values for another writer's container. Drops what cannot end.
    #[cold]
    fn end_part(&mut self, start: Mark, len: usize) -> Result<(), CodecError> {
        let error = match (self.is_complete(), len) {
            (true, 0) => self.out_of_order("a value"),
            (true, ..=MAX_VALUE_LEN) if !self.plan.is_full() => return Ok(()),
            (true, _) => too_large(len),
            _ => self.out_of_order("the rest of the value"),
        };
        self.drop_value(start);
        Err(error)
    }

    /// Removes everything written since `start`.
    pub fn drop_value(&mut self, start: Mark) {
        self.plan.rollback(start);
        self.open.clear();
        self.next = WriteNext::Value;
        self.texts_left = 0;
    }

    /// Returns the plan of what was written.
    pub fn plan(&self) -> &Plan<'a> {
        &self.plan
    }

    /// Removes everything written, and keeps the memory for reuse.
    pub fn clear(&mut self) {
        self.drop_value(Mark::default());
    }

    /// Returns the plan of what was written.
    pub fn into_plan(self) -> Plan<'a> {
        self.plan
    }

    #[inline]
    fn begin_value(&mut self) -> Result<(), CodecError> {
        if self.next != WriteNext::Value {
            return Err(self.out_of_order(if self.next == WriteNext::End { "the end of the value" } else { "a text" }));
        }
        if self.depth() > MAX_DEPTH {
            return Err(CodecError::new(self.plan.len(), CodecErrorKind::TooDeep));
        }
        Ok(())
    }

    #[inline]
    fn close_value(&mut self) {
        while let Some(top) = self.open.last_mut() {
            top.left -= 1;
            if top.left > 0 {
                let is_property = matches!(top.form, WriteForm::Properties);
                self.next = if is_property { WriteNext::Name } else { WriteNext::Value };
                return;
            }
            self.open.pop();
        }
        self.next = self.after;
    }

    #[inline]
    fn is_complete(&self) -> bool {
        matches!(self.next, WriteNext::Value | WriteNext::End) && self.open.is_empty()
    }

    /// Fails if the current value is too large already: where containers share others, it could outgrow all memory.
    #[inline]
    fn check_len(&self) -> Result<(), CodecError> {
        if self.plan.len() > self.end { self.too_long() } else { Ok(()) }
    }

    #[cold]
    fn too_long(&self) -> Result<(), CodecError> {
        // Of a value without parts, only `end_value` knows the start.
        let is_part = self.depth() > 0 || self.texts_left > 0;
        if is_part { Err(too_large(self.plan.len() - self.end + MAX_VALUE_LEN)) } else { Ok(()) }
    }

    /// Ends the head of a container with its count; `left` values follow.
    #[inline]
    fn open(&mut self, count: usize, left: usize, form: WriteForm) -> Result<(), CodecError> {
        if self.depth() == 0 {
            self.end = self.plan.max_end();
        }
        self.check_len()?;
        let word = self.count(count)?;
        self.plan.words([word]);
        if left == 0 {
            self.close_value();
            return Ok(());
        }
        self.open.push(WriteOpen { left, form });
        self.next = if matches!(form, WriteForm::Properties) { WriteNext::Name } else { WriteNext::Value };
        Ok(())
    }

    #[inline]
    fn begin_texts(&mut self, count: usize, have_nul: bool) {
        if count == 0 {
            return self.close_value();
        }
        if self.depth() == 0 {
            self.end = self.plan.max_end();
        }
        (self.texts_left, self.texts_have_nul) = (count, have_nul);
        self.next = WriteNext::Text;
    }

    #[cold]
    fn out_of_order(&self, expected: &'static str) -> CodecError {
        CodecError::new(self.plan.len(), CodecErrorKind::Order { expected })
    }
}

#[cold]
fn too_large(found: usize) -> CodecError {
    CodecError::new(MAX_VALUE_LEN, CodecErrorKind::TooLarge { found: found.max(MAX_VALUE_LEN + 1) })
}
