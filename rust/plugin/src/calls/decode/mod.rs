//! Decodes bytes: reads the inputs and builds the values in place, those of many inputs over threads.

mod batch;

use std::ops::Range;

use godot::builtin::{AnyArray, PackedByteArray, PackedStringArray};
use varbatch_codec::{CodecError, CodecErrorKind, Event, Kind, Reader, validate};
use varbatch_storage::fill::Fills;
use varbatch_workers::Threads;

pub use self::batch::{Decode, Decoded, Deferred, bytes_to_vars, frames_to_vars, hold};
use crate::engine::{self, HeldBytes, Pages, REAL, Slot, Value};
use crate::jobs::pool::{self, each_run};
use crate::jobs::tuning::{
    COUNTED_VALUE, DECODE_PARALLEL_FROM, FLAT_PARALLEL_FROM, LARGE_VALUE, VALIDATE_PARALLEL_FROM, VALUE_WORK,
};
use crate::objects::{Makers, has_any};
use crate::report::{Cause, Dropped, Failure, Outcome, Reports, no_buffer, text_of};
use crate::value::build::{Build, MOST_NESTED, MayAsk, OnBuilt, Stop, build_flat};
use crate::value::string_cache::Texts;

#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Offset of the bytes in the buffer of the call.
    pub at: usize,
    /// The bytes of the value; more bytes may follow.
    pub bytes: &'a [u8],
}

impl<'a> Input<'a> {
    #[inline(always)]
    pub fn of(bytes: &'a PackedByteArray) -> Self {
        Self { at: 0, bytes: engine::bytes_of(bytes) }
    }

    /// The bytes of a buffer from an offset on. Fails if it has no such offset.
    pub fn from(bytes: &'a PackedByteArray, offset: i64) -> Result<Self, Failure> {
        let Self { bytes, .. } = Self::of(bytes);
        let at = usize::try_from(offset).ok().filter(|at| *at <= bytes.len());
        let refused = || Failure::invalid(format_args!("expected an offset from 0 to {}, found {offset}", bytes.len()));
        let at = at.ok_or_else(refused)?;
        if at == bytes.len() {
            return Err(Failure::new(Cause::Ended, CodecError::new(at, CodecErrorKind::NoHeader { found: 0 })));
        }
        Ok(Self { at, bytes: &bytes[at..] })
    }

    /// Without what follows the value, as the work that building it takes is guessed from the number of bytes.
    pub fn alone(self) -> Self {
        let end = validate(self.reader(true)).ok().and_then(|end| self.bytes.get(..end));
        Self { bytes: end.unwrap_or(self.bytes), ..self }
    }

    pub fn reader(self, allow_objects: bool) -> Reader<'a> {
        Reader::new(self.bytes).with_base(self.at).with_objects(allow_objects)
    }
}

/// Returns the bytes of a buffer, or the type of a value that is not a buffer.
pub fn input(buffer: &Value) -> Result<Input<'_>, Kind> {
    match buffer.view().kind() {
        Kind::PackedByteArray => Ok(Input { at: 0, bytes: buffer.view().plain().bytes }),
        kind => Err(kind),
    }
}

pub fn len_of(input: &Result<Input<'_>, Kind>) -> usize {
    input.as_ref().map_or(0, |input| input.bytes.len())
}

/// Decodes the only value of a call, like [`decode_held`]. The slot stays empty if that fails.
pub fn decode_only(input: Input<'_>, makers: Option<Makers>, out: &mut Slot) -> Outcome<()> {
    match build_flat(input.bytes, out, MOST_NESTED, None) {
        true => Outcome::new((), Vec::new()),
        false => decode_deep(input, makers, out),
    }
}

/// Does the rest of [`decode_only`].
pub fn decode_deep(input: Input<'_>, makers: Option<Makers>, out: &mut Slot) -> Outcome<()> {
    let found = match makers {
        None => build(input, false, MayAsk::Conversions, out).map_err(CodecError::from),
        Some(mut makers) => {
            let decoded = decode_held(input, &mut makers, out);
            makers.made.keep_all();
            decoded
        }
    };
    if found.is_err() {
        out.clear();
    }
    let lines = |dropped: Option<Box<Dropped>>| dropped.map(|dropped| dropped.lines(input.bytes)).unwrap_or_default();
    Outcome::from(found.map(|dropped| Outcome::new((), lines(dropped))))
}

/// Decodes one value. May run scripts and Loggers: the caller must hold the bytes by a reference of its own.
#[inline(never)]
pub fn decode_held(input: Input<'_>, makers: &mut Makers, out: &mut Slot) -> Result<Option<Box<Dropped>>, CodecError> {
    match build(input, makers.allow_objects(), MayAsk::Conversions, out) {
        Err(Stop::MayNotAsk) => decode_asking(input, makers, out),
        built => Ok(built?),
    }
}

/// Does the same for a value that needs more of the engine than [`MayAsk::Nothing`].
#[inline(never)]
pub fn decode_asking(
    input: Input<'_>,
    makers: &mut Makers,
    out: &mut Slot,
) -> Result<Option<Box<Dropped>>, CodecError> {
    if !makers.allow_objects() {
        return Ok(build(input, false, MayAsk::Conversions, out)?);
    }
    makers.check(input.reader(true))?;
    let (mut texts, threads) = (Texts::for_bytes(input.bytes.len()), Threads::alone());
    Ok(Build::new(input.reader(true), &mut texts, &threads, MayAsk::Objects).making(makers).build(out)?)
}

/// Builds a value in a slot, over threads if it is long and scripts do not run.
pub fn build(
    input: Input<'_>,
    allow_objects: bool,
    may_ask: MayAsk,
    out: &mut Slot,
) -> Result<Option<Box<Dropped>>, Stop> {
    let mut texts = Texts::for_bytes(input.bytes.len());
    let is_large = input.bytes.len() >= DECODE_PARALLEL_FROM;
    pool::with(is_large, |threads| Build::new(input.reader(allow_objects), &mut texts, threads, may_ask).build(out))
}

/// An input with its index in the batch; or the type of an element that is not a buffer.
type Indexed<'a> = (usize, Result<Input<'a>, Kind>);

/// Properties of a batch that decide how its values are built.
pub struct Effort<'t> {
    /// Approximate bytes per input.
    average: usize,
    /// True if most inputs are containers: building these is worth a second thread, however small they are.
    containers: bool,
    allow_objects: bool,
    may_ask: MayAsk,
    on_built: Option<OnBuilt<'t>>,
}

impl<'t> Effort<'t> {
    /// Estimates the work of `count` inputs of `total` bytes from a sample. Reports the progress of long ones.
    pub fn of<'a>(
        sample: impl Iterator<Item = Result<Input<'a>, Kind>>,
        total: usize,
        count: usize,
        (allow_objects, may_ask): (bool, MayAsk),
        on_built: Option<OnBuilt<'t>>,
    ) -> Self {
        let (mut sampled, mut containers) = (0, 0);
        for input in sample.flatten() {
            sampled += 1;
            containers += usize::from(matches!(input.reader(false).peek_kind(), Ok(Kind::Array | Kind::Dictionary)));
        }
        let average = total / count.max(1);
        Self { average, containers: containers * 2 > sampled, allow_objects, may_ask, on_built }
    }

    fn is_large(&self, count: usize) -> bool {
        let total = self.average * count;
        if self.containers {
            return total >= DECODE_PARALLEL_FROM;
        }
        let is_worth_it = self.average >= COUNTED_VALUE || engine::allocates_in_parallel();
        is_worth_it && total + count * VALUE_WORK >= FLAT_PARALLEL_FROM
    }
}

/// Builds the value of each input in its slot. Returns the reports, and in order the values that need the engine more
/// than `effort` allows, with the bytes that `hold` returns for the index and the input.
pub fn build_slots<'a>(
    inputs: impl Iterator<Item = Result<Input<'a>, Kind>> + Clone + Send,
    slots: &mut [Slot],
    effort: &Effort<'_>,
    hold: impl Fn(usize, Input<'a>) -> (HeldBytes, Range<usize>),
    threads: &Threads,
) -> (Reports, Vec<Deferred>) {
    let inputs = inputs.enumerate();
    if !effort.is_large(slots.len()) {
        return build_runs(inputs, slots, effort, hold, &Threads::alone(), threads);
    }
    if threads.count() == 1 || effort.containers || effort.average < LARGE_VALUE || !engine::makes_blocks() {
        return build_runs(inputs, slots, effort, hold, threads, threads);
    }
    let (inputs, mut slots): (Vec<_>, Vec<_>) = fill_packed(inputs, slots, effort, threads).into_iter().unzip();
    build_runs(inputs.into_iter(), &mut slots, effort, hold, threads, threads)
}

/// Builds the values that are long packed arrays. Returns the other inputs, with their slots.
fn fill_packed<'a, 's>(
    inputs: impl Iterator<Item = Indexed<'a>>,
    slots: &'s mut [Slot],
    effort: &Effort<'_>,
    threads: &Threads,
) -> Vec<(Indexed<'a>, &'s mut Slot)> {
    let (mut fills, mut pages, mut len, mut others) = (Fills::default(), Pages::default(), 0, Vec::new());
    for ((index, input), slot) in inputs.zip(slots) {
        match input.map(|input| input.reader(effort.allow_objects).next_event()) {
            Ok(Ok(Some(Event::Packed(plain)))) if plain.bytes.len() >= LARGE_VALUE => {
                // All by this thread, so that they reuse what it has freed: other threads have memory of their own.
                let dest = slot.set_packed(plain.kind, plain.count);
                pages.add(dest);
                fills.plain(plain, REAL, dest);
                len += plain.bytes.len();
            }
            _ => others.push(((index, input), slot)),
        }
    }
    pages.prepare();
    fills.fill(threads);
    if let Some(on_built) = effort.on_built {
        on_built(len);
    }
    others
}

/// Builds each value, in runs over `runners`, and a large one over `threads`. The inputs have their indices in the batch.
fn build_runs<'a>(
    inputs: impl Iterator<Item = Indexed<'a>> + Clone + Send,
    slots: &mut [impl std::borrow::BorrowMut<Slot> + Send],
    effort: &Effort<'_>,
    hold: impl Fn(usize, Input<'a>) -> (HeldBytes, Range<usize>),
    runners: &Threads,
    threads: &Threads,
) -> (Reports, Vec<Deferred>) {
    let &Effort { average, allow_objects, may_ask, on_built, .. } = effort;
    let total = average * slots.len();
    let states = each_run(
        inputs,
        |(_, input)| len_of(input),
        slots,
        runners,
        || (Texts::for_bytes(total), Reports::default(), Vec::new()),
        |(index, input), slot, (texts, reports, asking)| {
            let input = match input {
                Ok(input) => input,
                Err(kind) => return reports.push_error(index, || no_buffer(kind)),
            };
            // 4 MiB of zeros are a million empty frames: do not build an error for each.
            if input.bytes.is_empty() && reports.count_error(index) {
                return;
            }
            if build_flat(input.bytes, slot.borrow_mut(), 0, Some(texts)) {
                return;
            }
            let build = Build::new(input.reader(allow_objects), texts, threads, may_ask);
            match build.reporting(on_built).build(slot.borrow_mut()) {
                Ok(None) => {}
                Ok(Some(dropped)) => reports.push_dropped(index, dropped),
                Err(Stop::Error(error)) => reports.push_error(index, || error),
                Err(Stop::MayNotAsk) => asking.push((index, input)),
            }
        },
    );
    let (mut reports, mut asking): (_, Vec<(usize, Input<'_>)>) = (Reports::default(), Vec::new());
    for (_, mut more, mut others) in states {
        reports.append(&mut more);
        asking.append(&mut others);
    }
    asking.sort_unstable_by_key(|(index, _)| *index);
    let deferred = asking.into_iter().map(|(index, input)| {
        let (bytes, range) = hold(index, input);
        Deferred { index, at: input.at, bytes, range }
    });
    (reports, deferred.collect())
}

pub fn size(bytes: &PackedByteArray, offset: i64, mut makers: Makers) -> Result<i64, Failure> {
    let input = Input::from(bytes, offset)?;
    let mut read = || {
        if makers.allow_objects() {
            makers.check(input.reader(true))?;
        }
        validate(input.reader(makers.allow_objects()))
    };
    // At most 31 bits.
    Ok(read()? as i64)
}

/// Returns the error of each buffer; an empty text if the engine would decode it.
pub fn validate_each(buffers: &AnyArray, mut makers: Makers) -> PackedStringArray {
    let allow_objects = makers.allow_objects();
    let inputs = engine::values(buffers).iter().map(input);
    let total: usize = inputs.clone().map(|input| len_of(&input)).sum();
    let mut texts = vec![String::new(); buffers.len()];
    pool::with(total >= VALIDATE_PARALLEL_FROM, |threads| {
        let look = |input: Result<Input<'_>, _>, text: &mut String, (): &mut ()| match input {
            Ok(input) => {
                if let Err(error) = validate(input.reader(allow_objects)) {
                    *text = text_of(&error);
                }
            }
            Err(kind) => *text = no_buffer(kind),
        };
        each_run(inputs.clone(), len_of, &mut texts, threads, || (), look);
    });
    if allow_objects {
        // These checks ask the engine, which may run scripts. They cannot change buffers to which we hold a reference.
        let sound = inputs.enumerate().filter_map(|(index, input)| Some((index, input.ok()?)));
        let sound = sound.filter(|(index, _)| texts[*index].is_empty());
        let asking = sound.filter(|(_, input)| has_any(input.reader(true)).unwrap_or(false));
        let held: Vec<_> =
            asking.filter_map(|(index, _)| Some((index, engine::byte_array_at(buffers, index)?))).collect();
        for (index, buffer) in held {
            let input = Input { at: 0, bytes: engine::bytes_of(&buffer) };
            if let Err(error) = makers.check(input.reader(true)) {
                texts[index] = error.to_string();
            }
        }
    }
    let mut result = PackedStringArray::new();
    result.resize(texts.len());
    for (place, text) in result.as_mut_slice().iter_mut().zip(&texts).filter(|(_, text)| !text.is_empty()) {
        *place = text.as_str().into();
    }
    result
}
