//! The walk itself.

use std::collections::HashSet;
use std::ops::Range;

use super::changes::Step;
use super::found::{Found, Mark, Sink, Slice, Trail, What};
use super::order::Run;
use super::same::Same;
use super::ways::is_plain_text;
use super::{DiffError, DiffErrorKind};
use crate::error::CodecError;
use crate::event::{Event, Text};
use crate::kind::Kind;
use crate::patch::{Op, builtin};
use crate::reader::{Reader, Skim};
use crate::validate::validate;

/// How many times the bytes of both are read in vain at most: to see whether a value is the same, or what was inserted. Beyond it
/// the walk only goes straight on.
const EFFORT: usize = 4;

/// Bytes of a header, and of a count.
pub(super) const WORD: usize = 4;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

/// An error of a Reader, and whose.
pub(super) type Failed = (Side, CodecError);

pub(super) struct Lockstep<'a, S> {
    pub before: Reader<'a>,
    pub after: Reader<'a>,
    /// Look ahead, in `before` and in `after`.
    pub scouts: (Skim<'a>, Skim<'a>),
    pub bytes: (&'a [u8], &'a [u8]),
    pub same: Same<'a>,
    pub frames: Vec<Frame>,
    pub trail: Trail<'a>,
    pub sink: S,
    /// Bytes that may still be read in vain.
    pub effort: usize,
}

/// A container that both have entered.
pub(super) struct Frame {
    pub form: Form,
    /// Elements, entries or properties that are still to come.
    pub left: (usize, usize),
    /// Which comes next, of what was patched so far.
    pub index: usize,
    /// What to do with those to come, last first. When there is nothing more, they are taken in pairs.
    pub runs: Vec<Run>,
    /// Whether `runs` says all about those to come.
    pub is_ordered: bool,
    /// Where the container begins, and the first value in it.
    pub start: (usize, usize),
    pub first: (usize, usize),
    /// How many elements, entries or properties there are.
    pub counts: (usize, usize),
    /// What the elements of an Array or the keys of a Dictionary have to be.
    pub of: Option<Kind>,
    /// Whether a change was found that patching would refuse.
    pub is_unfit: bool,
    /// What had been told before.
    pub told: Mark,
    /// The containers in it that were entered.
    pub entered: Vec<(Range<usize>, Range<usize>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Array,
    Dictionary,
    Object,
}

pub(super) fn of(side: Side) -> impl Fn(CodecError) -> Failed {
    move |error| (side, error)
}

impl<'a, S: Sink<'a>> Lockstep<'a, S> {
    pub fn new(before: &'a [u8], after: &'a [u8], allow_objects: bool, sink: S) -> Self {
        let reader = |bytes| Reader::new(bytes).with_objects(allow_objects);
        Self {
            before: reader(before),
            after: reader(after),
            scouts: (reader(before).skim(), reader(after).skim()),
            bytes: (before, after),
            same: Same::new(before, after),
            frames: Vec::new(),
            trail: Trail::default(),
            sink,
            effort: (before.len() + after.len()).saturating_mul(EFFORT),
        }
    }

    /// Walks over all. Also gives where each value ends.
    pub fn run(mut self) -> Result<(S, (usize, usize)), DiffError> {
        match self.walk() {
            Ok(()) => Ok((self.sink, (self.before.position(), self.after.position()))),
            Err((side, error)) => Err(self.invalid(side, error)),
        }
    }

    /// The walk ends at some error; told is the first one of that value.
    #[cold]
    fn invalid(&self, side: Side, error: CodecError) -> DiffError {
        let (bytes, reader) = match side {
            Side::Before => (self.bytes.0, &self.before),
            Side::After => (self.bytes.1, &self.after),
        };
        let whole = Reader::new(bytes).with_objects(reader.allows_objects());
        let error = validate(whole).err().unwrap_or(error);
        let kind = if side == Side::Before { DiffErrorKind::Before } else { DiffErrorKind::After };
        DiffError::new(kind, error)
    }

    fn walk(&mut self) -> Result<(), Failed> {
        self.value()?;
        while let Some(frame) = self.frames.last() {
            if self.sink.is_full() {
                return self.finish();
            }
            if frame.left == (0, 0) {
                self.close()?;
                continue;
            }
            match frame.form {
                Form::Array => self.element()?,
                Form::Dictionary => self.entry()?,
                Form::Object => self.property()?,
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Failed> {
        self.before.finish_value(0).map_err(of(Side::Before))?;
        self.after.finish_value(0).map_err(of(Side::After))
    }

    /// Where both are. The padding at the very end may not be there.
    pub fn at(&self) -> (usize, usize) {
        (self.before.position().min(self.bytes.0.len()), self.after.position().min(self.bytes.1.len()))
    }

    /// The next value of both: passed where it is the same, or entered, or told.
    pub fn value(&mut self) -> Result<(), Failed> {
        match self.same_values(1)? {
            (1, len) => self.pass(1, len),
            _ => self.differing_value()?,
        }
        Ok(())
    }

    pub fn pass(&mut self, count: usize, len: usize) {
        self.before.pass_values(count, len);
        self.after.pass_values(count, len);
    }

    /// How many of the next values, of which the container has as many as `most`, are the same in both, and how long they are
    /// together. That the one behind them differs is not sure.
    pub fn same_values(&mut self, most: usize) -> Result<(usize, usize), Failed> {
        let (before, after) = self.at();
        let mut run = self.same.run(before, after, WORD);
        if run < WORD || self.effort == 0 {
            return Ok((0, 0));
        }
        let scout = &mut self.scouts.0;
        scout.start(before, self.frames.len());
        loop {
            scout.search(before + run, most).map_err(of(Side::Before))?;
            if scout.count == most {
                break;
            }
            let len = scout.position() - before;
            run = self.same.run(before, after, len);
            if run < len {
                self.effort = self.effort.saturating_sub(scout.position() - scout.end);
                break;
            }
        }
        Ok((scout.count, scout.end - before))
    }

    pub fn differing_value(&mut self) -> Result<(), Failed> {
        let start = self.at();
        let depths = (self.before.depth(), self.after.depth());
        let old = self.before.next_event().map_err(of(Side::Before))?;
        let new = self.after.next_event().map_err(of(Side::After))?;
        let (Some(old), Some(new)) = (old, new) else { return Ok(()) };
        let end = self.at();
        let heads = (start.0..end.0, start.1..end.1);
        match (old, new) {
            (Event::Array { element, count: old }, Event::Array { count: new, .. }) if self.is_same_head(&heads) => {
                self.enter(Form::Array, builtin(element), (old, new), &heads);
                return Ok(());
            }
            (Event::Dictionary { key, count: old, .. }, Event::Dictionary { count: new, .. })
                if self.is_same_head(&heads) =>
            {
                self.enter(Form::Dictionary, builtin(key), (old, new), &heads);
                return Ok(());
            }
            (Event::Object { count, .. }, Event::Object { count: new, .. })
                if count == new && self.is_same_head(&heads) && self.has_same_names(count)? =>
            {
                self.enter(Form::Object, None, (count, new), &heads);
                return Ok(());
            }
            (Event::PackedStrings { count: old }, Event::PackedStrings { count: new }) if self.is_same_head(&heads) => {
                return self.texts((old, new), start);
            }
            (Event::Packed(old), Event::Packed(new))
                if self.is_same_head(&(start.0..start.0 + 2 * WORD, start.1..start.1 + 2 * WORD))
                    && (!old.kind.shape().is_real() || self.sink.takes(old.width)) =>
            {
                let slice = |plain: crate::event::Plain<'a>, start: usize| Slice {
                    kind: plain.kind,
                    width: plain.width,
                    at: start + 2 * WORD,
                    bytes: plain.bytes,
                };
                self.packed(slice(old, start.0), slice(new, start.1));
                return Ok(());
            }
            _ => {}
        }
        self.before.finish_value(depths.0).map_err(of(Side::Before))?;
        self.after.finish_value(depths.1).map_err(of(Side::After))?;
        let end = self.at();
        let (before, after) = (start.0..end.0, start.1..end.1);
        if self.bytes.0[before.clone()] != self.bytes.1[after.clone()] {
            self.tell(Found { op: Op::Set, what: What::Value, before, after });
        }
        Ok(())
    }

    /// Tells a change of a part of the innermost container.
    pub fn tell(&mut self, found: Found) {
        if let Some(frame) = self.frames.last_mut() {
            // It begins with the element, or with the key.
            let is_checked = match frame.form {
                Form::Array => found.op != Op::Remove,
                Form::Dictionary => found.op == Op::Insert,
                Form::Object => false,
            };
            let id = self.bytes.1.get(found.after.start);
            frame.is_unfit |= is_checked && frame.of.is_some_and(|of| id != Some(&of.id()));
        }
        self.sink.change(&mut self.trail, found);
    }

    /// Whether two heads differ in nothing but the count at their end, which patching makes anew: so it must be a plain one.
    fn is_same_head(&self, (before, after): &(Range<usize>, Range<usize>)) -> bool {
        let old = self.before.bytes(before.start, before.end).split_last_chunk::<WORD>();
        let new = self.after.bytes(after.start, after.end).split_last_chunk::<WORD>();
        let (Some((old, &old_count)), Some((new, &new_count))) = (old, new) else { return false };
        let is_plain = |count| u32::from_le_bytes(count) <= i32::MAX as u32;
        old == new && (old_count == new_count || is_plain(old_count) && is_plain(new_count))
    }

    fn enter(
        &mut self,
        form: Form,
        of: Option<Kind>,
        counts: (usize, usize),
        (before, after): &(Range<usize>, Range<usize>),
    ) {
        if counts.0 != counts.1 {
            self.sink.derived(before.end - WORD..before.end, after.end - WORD..after.end);
        }
        self.frames.push(Frame {
            form,
            left: counts,
            index: 0,
            runs: Vec::new(),
            is_ordered: false,
            start: (before.start, after.start),
            first: (before.end, after.end),
            counts,
            of,
            is_unfit: false,
            told: self.sink.mark(),
            entered: Vec::new(),
        });
        self.trail.enter();
    }

    /// Leaves the innermost container, of which nothing is to come. It is told as a whole if patching would refuse what was told of
    /// its parts, or take it for something else.
    fn close(&mut self) -> Result<(), Failed> {
        let (Some(frame), keys) = (self.frames.pop(), self.trail.leave()) else { return Ok(()) };
        if !self.sink.needs_ways() {
            return Ok(());
        }
        let end = self.at();
        let (before, after) = (frame.start.0..end.0, frame.start.1..end.1);
        if self.sink.mark() != frame.told && (frame.is_unfit || !self.are_ways(&frame, &keys)?) {
            self.sink.forget(&mut self.trail, frame.told);
            self.tell(Found { op: Op::Set, what: What::Value, before: before.clone(), after: after.clone() });
        }
        if let Some(outer) = self.frames.last_mut() {
            outer.entered.push((before, after));
        }
        Ok(())
    }

    /// Whether two objects have the same properties in the same order, each of which its name leads to. Both have been entered.
    fn has_same_names(&mut self, count: usize) -> Result<bool, Failed> {
        let (mut before, mut after) = (self.before.clone(), self.after.clone());
        let (start, mut is_same) = (before.position(), true);
        let mut seen = HashSet::new();
        for _ in 0..count {
            let names = (before.position(), after.position());
            before.next_event().map_err(of(Side::Before))?;
            after.next_event().map_err(of(Side::After))?;
            let (old, new) = (before.bytes(names.0, before.position()), after.bytes(names.1, after.position()));
            let is_way = !self.sink.needs_ways() || is_plain_text(old) && seen.insert(old);
            if old != new || !is_way || before.position() - start > self.effort {
                is_same = false;
                break;
            }
            before.skip_value().map_err(of(Side::Before))?;
            after.skip_value().map_err(of(Side::After))?;
        }
        self.effort = self.effort.saturating_sub(before.position() - start);
        Ok(is_same)
    }

    /// The next property of both objects, whose names are the same.
    fn property(&mut self) -> Result<(), Failed> {
        let name = self.before.next_event().map_err(of(Side::Before))?;
        self.after.next_event().map_err(of(Side::After))?;
        let name = if let Some(Event::Text(name)) = name { name } else { Text::Utf8("") };
        self.trail.to(Step::Property(name));
        self.take_pairs(1);
        self.value()
    }

    /// Takes note that so many of the next parts of both containers are dealt with.
    pub fn take_pairs(&mut self, count: usize) {
        self.take((count, count), count);
        if let Some(frame) = self.frames.last_mut()
            && let Some(Run::Pairs(left)) = frame.runs.last_mut()
        {
            *left -= count;
            if *left == 0 {
                frame.runs.pop();
            }
        }
    }

    /// The same, for as many of either, which leave this many behind.
    pub fn take(&mut self, count: (usize, usize), result: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.left = (frame.left.0 - count.0, frame.left.1 - count.1);
            frame.index += result;
        }
    }
}
