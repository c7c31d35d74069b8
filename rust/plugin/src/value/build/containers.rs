//! Builds the elements and entries of containers, and the texts of PackedStringArrays, over threads if they have many
//! bytes; checks those of typed ones. Builds values that are rare in games: ids of objects, Signals, NodePaths.

use std::sync::atomic::{AtomicBool, Ordering};

use godot::global::bytes_to_var;
use varbatch_codec::{CodecError, CodecErrorKind, ElementType, Event, Kind, Reader};
use varbatch_workers::Threads;

use super::{Build, Left, MayAsk, Refused, Stop, utf8};
use crate::engine::{self, Slot, SlotType, StringSlot, byte_array_of};
use crate::jobs::pool::Runs;
use crate::value::string_cache::Texts;

/// Bytes of elements in a run for one thread, and min bytes of an Array that is built over threads.
const RUN: usize = 64 << 10;
const SPLIT_FROM: usize = 256 << 10;

/// Elements between two progress checks.
const LOOK: usize = 16;

/// Min bytes of a PackedStringArray that is built over threads, and texts between two progress checks.
const SPLIT_TEXTS_FROM: usize = 512 << 10;
const LOOK_TEXTS: usize = 64;

/// Elements that are measured to estimate the length of an Array.
const SAMPLE: usize = 16;

impl<'a> Build<'a, '_> {
    /// Does the same as [`Self::begin`] for rare values.
    #[inline(never)]
    pub(super) fn begin_rare(&mut self, slot: &mut Slot, event: Event<'a>, start: usize) -> Result<Left, Stop> {
        match event {
            Event::PackedStrings { count } => self.packed_strings(slot, count)?,
            Event::Array { element: ElementType::Builtin(kind), count } if kind != Kind::Object => {
                return Ok(Left::ElementsOf(kind, count));
            }
            Event::Array { element, count } => {
                let Some(element) = self.slot_type(element)? else { return self.leave_null(slot, count) };
                return Ok(Left::TypedElements(Box::new((element, count))));
            }
            Event::Dictionary { key, value, count } => {
                let Some(key) = self.slot_type(key)? else { return self.leave_null(slot, count) };
                let Some(value) = self.slot_type(value)? else { return self.leave_null(slot, count) };
                return Ok(Left::TypedEntries(Box::new((key, value, count))));
            }
            Event::ObjectId(id) => match self.kept.next() {
                Some(object) if object.object_id() != 0 => slot.set_copy(object),
                Some(_) => slot.clear(),
                None => slot.set_object_id(id),
            },
            Event::Signal { name, object } => {
                if !slot.set_signal(utf8(name), object) {
                    let bytes = self.reader.bytes(start, self.reader.position());
                    slot.set_variant(bytes_to_var(&byte_array_of(bytes)));
                }
            }
            Event::NodePath { .. } => {
                while self.reader.next_text()?.is_some() {}
                self.texts.set_node_path(slot, self.reader.bytes(start, self.reader.position()));
            }
            Event::Object { class, count } => self.object(slot, utf8(class), count, start)?,
            _ => unreachable!("handled by the caller"),
        }
        Ok(Left::Nothing)
    }

    #[inline(never)]
    pub(super) fn elements(&mut self, slot: &mut Slot, count: usize) -> Result<(), Stop> {
        let elements = slot.set_array(count);
        if self.split(elements)? {
            return Ok(());
        }
        if elements.len() < LOOK {
            return elements.iter_mut().try_for_each(|element| self.value(element));
        }
        for elements in elements.chunks_mut(LOOK) {
            elements.iter_mut().try_for_each(|element| self.value(element))?;
            self.look();
        }
        Ok(())
    }

    /// Builds the elements over threads if they have many bytes. Returns `false`, and builds nothing, if they do not.
    // Not inlined, so that it uses no stack at each nesting level.
    #[inline(never)]
    fn split(&mut self, elements: &mut [Slot]) -> Result<bool, Stop> {
        let is_small = elements.len() < SAMPLE || self.reader.left() < SPLIT_FROM;
        if self.threads.count() == 1 || is_small || self.reader.position() < self.sampled_to {
            return Ok(false);
        }
        let mut sample = self.reader.clone();
        (0..SAMPLE).try_for_each(|_| sample.skip_value())?;
        if (sample.position() - self.reader.position()) / SAMPLE * elements.len() < SPLIT_FROM {
            // These bytes are fewer than that, and so is all that is nested in them.
            self.sampled_to = sample.position();
            return Ok(false);
        }
        let (alone, on_built) = (Threads::alone(), self.progress.on_built);
        let (may_ask, may_go_on) = (self.may_ask.min(MayAsk::Conversions), AtomicBool::new(true));
        // Of each thread: cached texts, what was refused, and why it stopped.
        let begin = || (Texts::for_bytes(RUN), Refused::default(), None);
        let build = |(reader, slots): (_, &mut [Slot]), (texts, refused, stop): &mut (_, Refused, Option<Stop>)| {
            let mut build = Build::new(reader, texts, &alone, may_ask).reporting(on_built);
            let built = slots.iter_mut().try_for_each(|slot| build.value(slot));
            build.progress.report(build.reader.position());
            refused.add(build.refused);
            if matches!(built, Err(Stop::MayNotAsk)) {
                may_go_on.store(false, Ordering::Relaxed);
            }
            *stop = stop.take().or(built.err());
        };
        let skip = |scan: &mut Reader<'a>| match may_go_on.load(Ordering::Relaxed) {
            true => scan.skip_value(),
            // The value is built again, so nobody reads this error.
            false => Err(CodecError::new(scan.position(), CodecErrorKind::TooDeep)),
        };
        let (built, scanned) = self.in_runs(elements, skip, begin, build);
        if !may_go_on.into_inner() {
            return Err(Stop::MayNotAsk);
        }
        // An error in the bytes comes first, whatever was built before it.
        scanned?;
        for (_, refused, stop) in built {
            stop.map_or(Ok(()), Err)?;
            self.refused.add(refused);
        }
        Ok(true)
    }

    /// Builds items over threads, which take runs of about [`RUN`] bytes, and moves the reader behind them with `skip`.
    /// Returns the state of each thread, which `begin` makes, and the error that ended the skipping.
    fn in_runs<T: Send, S: Send>(
        &mut self,
        items: &mut [T],
        skip: impl Fn(&mut Reader<'a>) -> Result<(), CodecError> + Sync,
        begin: impl Fn() -> S + Sync,
        build: impl Fn((Reader<'a>, &mut [T]), &mut S) + Sync,
    ) -> (Vec<S>, Result<(), CodecError>) {
        let mut skipped = Ok(());
        let mut runs = Runs::new(self.reader.clone(), items, RUN, |scan: &mut Reader<'a>| {
            let start = scan.position();
            if skipped.is_ok() {
                skipped = skip(scan);
            }
            skipped.is_ok().then(|| scan.position() - start)
        });
        let states = self.threads.for_each_with(&mut runs, begin, build);
        let scan = runs.scan;
        self.progress.skip(scan.position() - self.reader.position());
        self.reader = scan;
        (states, skipped)
    }

    /// Builds a typed Array in `slot`, with elements checked and converted as the engine's `Array::push_back` does.
    #[inline(never)]
    pub(super) fn typed_elements(&mut self, slot: &mut Slot, expected: &SlotType, count: usize) -> Result<(), Stop> {
        let array = slot.set_typed_array(expected);
        let (elements, mut kept) = (array.grow(count), 0);
        for _ in 0..count {
            let at = self.reader.position();
            self.look();
            let is_of_kind = self.is_of_kind(expected)?;
            // The next one takes the place of one that is refused.
            let element = &mut elements[kept];
            self.value(element)?;
            if is_of_kind || self.fits(element, expected)? {
                kept += 1;
            } else {
                self.refused.add(Refused { count: 1, first: at });
            }
        }
        if kept < count {
            array.resize(kept);
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn entries(&mut self, slot: &mut Slot, count: usize) -> Result<(), Stop> {
        let (mut dictionary, mut own_key) = (slot.set_dictionary(), Slot::new());
        for _ in 0..count {
            let entry = dictionary.entry(self.key(&mut own_key)?);
            self.value(entry)?;
            self.look();
        }
        Ok(())
    }

    /// Builds a typed Dictionary in `slot`. Keys are checked and converted as the engine does; values are not.
    #[inline(never)]
    pub(super) fn typed_entries(&mut self, slot: &mut Slot, typed: &(SlotType, SlotType, usize)) -> Result<(), Stop> {
        let (expected, value, count) = (&typed.0, &typed.1, typed.2);
        let mut dictionary = slot.set_dictionary();
        dictionary.set_types(expected, value);
        let mut key = Slot::new();
        for _ in 0..count {
            let at = self.reader.position();
            self.look();
            if expected.kind == Kind::Nil || self.is_of_kind(expected)? {
                let entry = dictionary.entry(self.key(&mut key)?);
                self.value(entry)?;
                continue;
            }
            self.value(&mut key)?;
            if self.fits(&mut key, expected)? {
                self.value(dictionary.entry(&key))?;
            } else {
                // The engine decodes the value anyway.
                self.value(&mut Slot::new())?;
                self.refused.add(Refused { count: 1, first: at });
            }
        }
        Ok(())
    }

    /// Builds the next value as a key: in `own`, or a cached text.
    #[inline]
    fn key<'k>(&'k mut self, own: &'k mut Slot) -> Result<&'k Slot, Stop> {
        match self.reader.peek_kind() {
            Ok(Kind::String | Kind::StringName) => {}
            Ok(Kind::Array | Kind::Dictionary) if self.may_ask == MayAsk::Nothing && self.is_loud_key() => {
                return Err(Stop::MayNotAsk);
            }
            _ => {
                self.value(own)?;
                return Ok(own);
            }
        }
        match self.event()? {
            Some(Event::String(text)) => Ok(self.texts.get(own, Kind::String, utf8(text))),
            Some(Event::StringName(text)) => Ok(self.texts.get(own, Kind::StringName, utf8(text))),
            _ => unreachable!("the header has the kind"),
        }
    }

    /// True if the engine would print when it hashes the next value, a key: it does from 100 nesting levels on.
    #[cold]
    fn is_loud_key(&mut self) -> bool {
        if self.reader.position() < self.quiet_to {
            return false;
        }
        let (mut scan, depth) = (self.reader.clone(), self.reader.depth());
        // Broken bytes are no key; building them reports the error.
        while let Ok(Some(_)) = scan.next_event()
            && scan.is_inside(depth)
        {
            if scan.depth() >= depth + 100 {
                return true;
            }
        }
        self.quiet_to = scan.position();
        false
    }

    /// True if the next value fits the container by its kind alone.
    fn is_of_kind(&self, expected: &SlotType) -> Result<bool, Stop> {
        // Objects also have a class.
        Ok(expected.kind != Kind::Object && self.reader.peek_kind()? == expected.kind)
    }

    /// Converts the element if needed, as `ContainerTypeValidate` does. Returns true if it then fits the container.
    fn fits(&self, element: &mut Slot, expected: &SlotType) -> Result<bool, Stop> {
        match (element.value().view().kind(), expected.kind) {
            (Kind::Nil, Kind::Object) => Ok(true),
            (Kind::Object, Kind::Object) => Ok(engine::is_of_class(element.value(), expected)),
            (found, kind) if found == kind => Ok(true),
            _ if self.may_ask == MayAsk::Nothing => Err(Stop::MayNotAsk),
            (_, kind) => Ok(element.convert(kind)),
        }
    }

    fn packed_strings(&mut self, slot: &mut Slot, count: usize) -> Result<(), CodecError> {
        let strings = slot.set_strings(count);
        // `left` counts the rest of the input, so the count must be large too: each text has at least 4 bytes.
        let is_large = self.reader.left() >= SPLIT_TEXTS_FROM && count >= SPLIT_TEXTS_FROM / 64;
        if is_large && self.threads.count() > 1 && engine::allocates_in_parallel() {
            return self.split_texts(strings);
        }
        for strings in strings.chunks_mut(LOOK_TEXTS) {
            read_texts(&mut self.reader, strings)?;
            self.look();
        }
        Ok(())
    }

    fn split_texts(&mut self, strings: &mut [StringSlot]) -> Result<(), CodecError> {
        let on_built = self.progress.on_built;
        let build = |(mut reader, strings): (Reader<'a>, &mut [StringSlot]), first: &mut Option<CodecError>| {
            let (start, built) = (reader.position(), read_texts(&mut reader, strings));
            if let Some(on_built) = on_built {
                on_built(reader.position() - start);
            }
            // A thread gets its runs in order.
            *first = first.take().or(built.err());
        };
        let (errors, scanned) = self.in_runs(strings, |scan| scan.pass_text().map(drop), || None, build);
        // An error in a built text is before the one that stopped the scan.
        errors.into_iter().flatten().min_by_key(CodecError::at).map_or(scanned, Err)
    }
}

fn read_texts(reader: &mut Reader<'_>, strings: &mut [StringSlot]) -> Result<(), CodecError> {
    for string in strings {
        if let Some(text) = reader.next_text()? {
            string.set(utf8(text));
        }
    }
    Ok(())
}
