//! Builds Variants from events.

mod containers;
mod flat;
mod objects;

use std::mem::MaybeUninit;

use varbatch_codec::{CodecError, CodecErrorKind, ElementType, Event, Kind, Plain, Reader, Text, fill};
use varbatch_storage::fill as parallel;
use varbatch_workers::Threads;

pub use self::flat::{MOST_NESTED, build_flat};
use crate::engine::{REAL, Slot, SlotType, Value};
use crate::objects::Makers;
use crate::report::{Dropped, Rest};
use crate::value::refused;
use crate::value::string_cache::Texts;

/// The engine functions that a build may call, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MayAsk {
    /// Nothing that could make the engine print.
    Nothing,
    /// Also conversions for typed containers, and hashes of keys that are containers.
    Conversions,
    /// Also objects with class and properties, and scripts. Only on the calling thread.
    Objects,
}

/// The reason why no value was built.
#[derive(Debug)]
pub enum Stop {
    /// The bytes are no value.
    Error(CodecError),
    /// The bytes need an engine function that [`MayAsk`] does not allow here.
    MayNotAsk,
}

impl From<CodecError> for Stop {
    fn from(error: CodecError) -> Self {
        Self::Error(error)
    }
}

/// Only for builds that may ask for everything they need.
impl From<Stop> for CodecError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Error(error) => error,
            Stop::MayNotAsk => unreachable!("it may ask"),
        }
    }
}

/// Takes how many more bytes of values were built. Called on any thread.
pub type OnBuilt<'t> = &'t (dyn Fn(usize) + Sync);

/// Bytes between reports, approximately: about a millisecond of work.
const STEP: usize = 1 << 20;

/// Plain data of at least `LONG` bytes is reported separately, and filled in pieces of `PIECE` bytes.
const LONG: usize = 64 << 10;
const PIECE: usize = 8 << 20;

#[inline(always)]
pub fn components(slot: &mut Slot, plain: Plain<'_>) {
    if !plain.has_width(REAL) || !slot.set_plain(plain.kind, plain.bytes) {
        slot.set_components(plain.kind, |dest| fill::plain(plain, REAL, dest));
    }
}

pub fn number(slot: &mut Slot, is_int: bool, bytes: &[u8]) {
    match (is_int, bytes) {
        (true, &[byte]) => slot.set_int(byte.into()),
        (true, &[a, b, c, d]) => slot.set_int(i32::from_le_bytes([a, b, c, d]).into()),
        (true, bytes) => slot.set_int(i64::from_le_bytes(bytes.try_into().expect("8 bytes"))),
        (false, &[a, b, c, d]) => slot.set_float(f32::from_le_bytes([a, b, c, d]).into()),
        (false, bytes) => slot.set_float(f64::from_le_bytes(bytes.try_into().expect("8 bytes"))),
    }
}

/// What was left out: how many parts, and the offset of the first.
#[derive(Clone, Copy, Default)]
pub struct Refused {
    pub count: usize,
    pub first: usize,
}

impl Refused {
    pub fn add(&mut self, other: Self) {
        if other.count > 0 {
            self.first = if self.count == 0 { other.first } else { self.first.min(other.first) };
            self.count += other.count;
        }
    }
}
pub struct Build<'a, 't> {
    reader: Reader<'a>,
    threads: &'t Threads,
    may_ask: MayAsk,
    texts: &'t mut Texts,
    kept: std::slice::Iter<'t, Value>,
    makers: Option<&'t mut Makers>,
    refused: Refused,
    progress: Progress<'t>,
    /// The end of the bytes that are known to have no Array that is built over threads.
    sampled_to: usize,
    /// The end of the bytes that are known to have no key at which the engine would print.
    quiet_to: usize,
}

/// The rest of a value that is still to be built, with its count.
// Fits in two registers, in which it is returned.
enum Left {
    Nothing,
    Elements(usize),
    Entries(usize),
    /// An Array of a type that has no class.
    ElementsOf(Kind, usize),
    TypedElements(Box<(SlotType, usize)>),
    TypedEntries(Box<(SlotType, SlotType, usize)>),
}

impl<'a, 't> Build<'a, 't> {
    /// Creates a build of the next value of `reader`; a large one over `threads`. `texts` caches texts between values.
    #[inline]
    pub fn new(reader: Reader<'a>, texts: &'t mut Texts, threads: &'t Threads, may_ask: MayAsk) -> Self {
        let (kept, progress) = ([].iter(), Progress::new(None, 0));
        let (makers, refused) = (None, Refused::default());
        Self { reader, threads, may_ask, texts, kept, makers, refused, progress, sampled_to: 0, quiet_to: 0 }
    }

    /// Makes objects with class and properties, which must have been checked.
    pub fn making(self, makers: &'t mut Makers) -> Self {
        Self { makers: Some(makers), ..self }
    }

    /// Restores what was kept beside the bytes, in walk order; freed objects become null. Only for one thread.
    pub fn keeping(self, kept: &'t [Value]) -> Self {
        debug_assert_eq!(self.threads.count(), 1, "kept values are restored in order");
        Self { kept: kept.iter(), ..self }
    }

    #[inline]
    pub fn reporting(self, on_built: Option<OnBuilt<'t>>) -> Self {
        let progress = Progress::new(on_built, self.reader.position());
        Self { progress, ..self }
    }

    /// Builds the value in `slot`, which is cleared on an error. It should be the last of the reader.
    pub fn build(&mut self, slot: &mut Slot) -> Result<Option<Box<Dropped>>, Stop> {
        let built = self.value(slot);
        if let (Ok(()), Some(makers)) = (&built, &mut self.makers) {
            makers.made.free_unreached(slot.value());
        }
        match built {
            Ok(()) if self.refused.count + self.reader.left() + self.left_out() == 0 => Ok(None),
            Ok(()) => Ok(Some(self.dropped())),
            Err(stop) => {
                slot.clear();
                self.makers.iter_mut().for_each(|makers| makers.made.free_value());
                Err(stop)
            }
        }
    }

    /// Returns how many objects and properties are not there.
    #[inline(always)]
    fn left_out(&self) -> usize {
        self.makers.as_ref().map_or(0, |makers| makers.left_out.objects.count + makers.left_out.properties.count)
    }

    #[cold]
    fn dropped(&mut self) -> Box<Dropped> {
        let left_out = |makers: &mut &mut Makers| (makers.left_out, makers.why.take());
        let (left_out, why) = self.makers.as_mut().map(left_out).unwrap_or_default();
        let first = |of: Refused, kind| (of.count, self.reader.error_at(of.first, kind).to_string());
        let not_stored = CodecErrorKind::Refused("expected a property that the class stores, found another".into());
        Box::new(Dropped {
            elements: first(self.refused, refused::dropped()),
            objects: first(left_out.objects, why.unwrap_or_else(refused::dropped)),
            properties: first(left_out.properties, not_stored),
            rest: Rest::after(&self.reader),
        })
    }

    #[inline(always)]
    fn look(&mut self) {
        self.progress.look(self.reader.position());
    }

    /// Returns the next event. Not inlined, for callers where speed does not need a copy of the Reader's code.
    #[inline(never)]
    fn event(&mut self) -> Result<Option<Event<'a>>, CodecError> {
        self.reader.next_event()
    }

    /// Builds the next value. Its stack is used at each nesting level, so `begin` returns before `finish` recurses.
    #[inline]
    fn value(&mut self, slot: &mut Slot) -> Result<(), Stop> {
        match self.begin(slot)? {
            Left::Nothing => Ok(()),
            left => self.finish(slot, left),
        }
    }

    #[inline(never)]
    fn finish(&mut self, slot: &mut Slot, left: Left) -> Result<(), Stop> {
        match left {
            Left::Nothing => Ok(()),
            Left::Elements(count) => self.elements(slot, count),
            Left::Entries(count) => self.entries(slot, count),
            Left::ElementsOf(kind, count) => self.typed_elements(slot, &SlotType::of(kind), count),
            Left::TypedElements(typed) => self.typed_elements(slot, &typed.0, typed.1),
            Left::TypedEntries(typed) => self.typed_entries(slot, &typed),
        }
    }

    /// Builds the next value without its elements or entries.
    #[inline(never)]
    fn begin(&mut self, slot: &mut Slot) -> Result<Left, Stop> {
        let start = self.reader.position();
        let (texts, threads, kept, progress) = (&mut *self.texts, self.threads, &mut self.kept, &mut self.progress);
        // Values that need no further events are made here; the rest is returned.
        let left = self.reader.next_event_to(
            #[inline(always)]
            |event| {
                match event {
                    Event::Nil => slot.clear(),
                    Event::Bool(value) => slot.set_bool(value),
                    Event::Int(value) => slot.set_int(value),
                    Event::Float(value) => slot.set_float(value),
                    Event::Components(plain) => components(slot, plain),
                    Event::Packed(plain) => progress.fill(plain, slot.set_packed(plain.kind, plain.count), threads),
                    Event::String(text) => texts.set(slot, Kind::String, utf8(text)),
                    Event::StringName(text) => texts.set(slot, Kind::StringName, utf8(text)),
                    Event::Rid(id) => slot.set_rid(id),
                    Event::Callable => match kept.next() {
                        Some(kept) => slot.set_own(kept),
                        None => slot.set_callable(),
                    },
                    Event::Array { element: ElementType::Any, count } => return Ok(Left::Elements(count)),
                    Event::Dictionary { key: ElementType::Any, value: ElementType::Any, count } => {
                        return Ok(Left::Entries(count));
                    }
                    other => return Err(other),
                }
                Ok(Left::Nothing)
            },
        )?;
        match left {
            None => Ok(Left::Nothing),
            Some(Ok(left)) => Ok(left),
            Some(Err(event)) => self.begin_rare(slot, event, start),
        }
    }
}

#[inline]
fn utf8(text: Text<'_>) -> &str {
    match text {
        Text::Utf8(text) => text,
        Text::Loose(_) | Text::Utf32(_) => unreachable!("a Reader of Godot 4 gives UTF-8"),
    }
}

struct Progress<'t> {
    on_built: Option<OnBuilt<'t>>,
    /// The position of the next report; unreachable if there is nothing to report to.
    next: usize,
}

impl<'t> Progress<'t> {
    #[inline]
    fn new(on_built: Option<OnBuilt<'t>>, start: usize) -> Self {
        Self { on_built, next: on_built.map_or(usize::MAX, |_| start.saturating_add(STEP)) }
    }

    /// Reports if the build, now at `position`, has reached the next step.
    #[inline(always)]
    fn look(&mut self, position: usize) {
        if position >= self.next {
            self.report(position);
        }
    }

    #[cold]
    fn report(&mut self, position: usize) {
        if let Some(on_built) = self.on_built {
            on_built((position + STEP).saturating_sub(self.next));
            self.next = position.saturating_add(STEP);
        }
    }

    /// Skips `len` bytes that were already reported.
    fn skip(&mut self, len: usize) {
        self.next = self.next.saturating_add(len);
    }

    /// Fills in plain data like [`parallel::plain`], and reports it if it is long.
    #[inline(always)]
    fn fill(&mut self, plain: Plain<'_>, dest: &mut [MaybeUninit<u8>], threads: &Threads) {
        match self.on_built {
            Some(on_built) if plain.bytes.len() >= LONG => self.fill_long(on_built, plain, dest, threads),
            _ => parallel::plain(plain, REAL, dest, threads),
        }
    }

    #[cold]
    fn fill_long(&mut self, on_built: OnBuilt<'_>, plain: Plain<'_>, dest: &mut [MaybeUninit<u8>], threads: &Threads) {
        let len = plain.bytes.len();
        // If the width of components changes, source and destination differ in length, so there is one piece.
        let piece = if len == dest.len() { PIECE } else { len };
        let dest_piece = if len == dest.len() { PIECE } else { dest.len() };
        for (bytes, dest) in plain.bytes.chunks(piece).zip(dest.chunks_mut(dest_piece)) {
            parallel::plain(Plain { bytes, ..plain }, REAL, dest, threads);
            on_built(bytes.len());
        }
        self.skip(len);
    }
}
