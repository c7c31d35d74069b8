//! Events to Variant.

mod containers;
mod rare;
mod strings;
mod told;

use varbatch_codec::{CodecError, CodecErrorKind, ElementType, Event, Kind, Reader, Text};
use varbatch_storage::fill;
use varbatch_workers::Threads;

use crate::engine::{REAL, Slot, SlotType, Value};
use crate::value::string_cache::Texts;

pub use self::told::Tell;
use self::told::Told;

/// What the engine may be asked for, from little to much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MayAsk {
    /// Nothing that it could have something to print about.
    Nothing,
    /// Conversions for typed containers, and hashes of keys that are containers themselves.
    Conversions,
    /// Objects with class and properties, and scripts. Only by the thread of the call.
    Objects,
}

/// Why no value was built.
#[derive(Debug)]
pub enum Stop {
    /// The bytes are no value.
    Error(CodecError),
    /// They hold something that the engine may not be asked for here.
    MayNotAsk,
}

impl From<CodecError> for Stop {
    fn from(error: CodecError) -> Self {
        Self::Error(error)
    }
}

/// Elements and entries that typed containers did not take. The value is good without them, as the engine has it.
#[derive(Debug)]
pub struct Dropped {
    /// How many.
    pub count: usize,
    /// Where the first is, and inside what.
    pub first: String,
}

/// Builds one value.
pub struct Build<'a, 't> {
    reader: Reader<'a>,
    threads: &'t Threads,
    may_ask: MayAsk,
    texts: &'t mut Texts<'a>,
    /// What was kept of the value, see [`Self::keeping`].
    kept: std::slice::Iter<'t, Value>,
    /// How many elements were dropped, and where the first begins.
    dropped: usize,
    first_dropped: usize,
    told: Told<'t>,
}

/// What is left to build of a value, and how many there are.
// No larger than two registers, in which it is returned.
enum Left {
    Nothing,
    /// The elements of an Array.
    Elements(usize),
    /// The entries of a Dictionary.
    Entries(usize),
    TypedElements(Box<(SlotType, usize)>),
    /// Of a Dictionary whose keys are typed.
    TypedEntries(Box<(SlotType, usize)>),
}

impl<'a, 't> Build<'a, 't> {
    /// A build of what `reader` reads, over `threads` where it is large, with the texts of what was built before.
    #[inline]
    pub fn new(reader: Reader<'a>, texts: &'t mut Texts<'a>, threads: &'t Threads, may_ask: MayAsk) -> Self {
        Self { reader, threads, may_ask, texts, kept: [].iter(), dropped: 0, first_dropped: 0, told: Told::nobody() }
    }

    /// Puts back what [`crate::value::walk::Keeping`] kept of the value, its objects as far as they are alive. Only for a build on one
    /// thread.
    pub fn keeping(self, kept: &'t [Value]) -> Self {
        debug_assert_eq!(self.threads.count(), 1, "they are put back in order");
        Self { kept: kept.iter(), ..self }
    }

    /// Says how far the value is built.
    #[inline]
    pub fn telling(self, tell: Option<Tell<'t>>) -> Self {
        let told = Told::new(tell, self.reader.position());
        Self { told, ..self }
    }

    /// Builds the next value in `slot`, which is empty if it fails.
    // Inlined: a small value costs as much as the calls on the way to it.
    #[inline(always)]
    pub fn build(&mut self, slot: &mut Slot) -> Result<Option<Box<Dropped>>, Stop> {
        let built = match self.begin_here(slot) {
            Ok(Left::Nothing) => Ok(()),
            Ok(left) => self.finish(slot, left),
            Err(stop) => Err(stop),
        };
        match built {
            Ok(()) if self.dropped == 0 => Ok(None),
            Ok(()) => Ok(Some(self.dropped())),
            Err(stop) => {
                slot.clear();
                Err(stop)
            }
        }
    }

    #[cold]
    fn dropped(&self) -> Box<Dropped> {
        let first = self.reader.error_at(self.first_dropped, CodecErrorKind::Dropped).to_string();
        Box::new(Dropped { count: self.dropped, first })
    }

    /// The next event, where speed does not ask for a copy of the Reader's code.
    #[inline(never)]
    fn event(&mut self) -> Result<Option<Event<'a>>, CodecError> {
        self.reader.next_event()
    }

    /// Builds the next value. What it needs of the stack is taken at each level of nesting, so `begin` has returned before
    /// `finish` goes deeper.
    #[inline]
    fn value(&mut self, slot: &mut Slot) -> Result<(), Stop> {
        let left = self.begin(slot)?;
        self.finish(slot, left)
    }

    #[inline]
    fn finish(&mut self, slot: &mut Slot, left: Left) -> Result<(), Stop> {
        match left {
            Left::Nothing => Ok(()),
            Left::Elements(count) => self.elements(slot, count),
            Left::Entries(count) => self.entries(slot, count),
            Left::TypedElements(typed) => self.typed_elements(slot, &typed.0, typed.1),
            Left::TypedEntries(typed) => self.typed_entries(slot, &typed.0, typed.1),
        }
    }

    /// Builds all of the next value but what is in it.
    #[inline(never)]
    fn begin(&mut self, slot: &mut Slot) -> Result<Left, Stop> {
        self.begin_here(slot)
    }

    #[inline(always)]
    fn begin_here(&mut self, slot: &mut Slot) -> Result<Left, Stop> {
        let start = self.reader.position();
        let depth = self.reader.depth();
        let (texts, threads, kept, told) = (&mut *self.texts, self.threads, &mut self.kept, &mut self.told);
        // What needs no more of the Reader is made at once, the rest is left.
        let left = self.reader.next_event_to(
            #[inline(always)]
            |event| {
                match event {
                    Event::Nil => slot.clear(),
                    Event::Bool(value) => slot.set_bool(value),
                    Event::Int(value) => slot.set_int(value),
                    Event::Float(value) => slot.set_float(value),
                    Event::Components(plain) => {
                        slot.set_components(plain.kind, |dest| fill::plain(plain, REAL, dest, threads));
                    }
                    Event::Packed(plain) => {
                        told.fill(plain, slot.set_packed(plain.kind, plain.count), threads);
                    }
                    Event::String(text) => texts.set(slot, Kind::String, utf8(text)),
                    Event::StringName(text) => texts.set(slot, Kind::StringName, utf8(text)),
                    Event::Rid(id) => slot.set_rid(id),
                    Event::Callable => match kept.next() {
                        Some(kept) => slot.set_own(kept),
                        None => slot.set_callable(),
                    },
                    Event::Array { element: ElementType::Any, count } => {
                        slot.set_array();
                        return Ok(Left::Elements(count));
                    }
                    Event::Dictionary { key: ElementType::Any, value: ElementType::Any, count } => {
                        slot.set_dictionary();
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
            Some(Err(event)) => self.begin_rare(slot, event, start, depth),
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
