//! Decodes bytes: reads the inputs and builds the values in place.

mod batch;
mod decoded;

use std::borrow::BorrowMut;
use std::sync::Mutex;

use godot::builtin::PackedByteArray;
use varbatch_codec::{Event, Kind, Reader};
use varbatch_storage::fill::Fills;
use varbatch_workers::Threads;

pub use self::batch::{Decode, bytes_to_vars, frames_to_vars};
pub use self::decoded::{Decoded, Deferred};
use crate::engine::{self, Pages, REAL, Slot, Value};
use crate::jobs::pool;
use crate::jobs::runs::each_run;
use crate::jobs::tuning::{
    COUNTED_VALUE, DECODE_PARALLEL_FROM, FLAT_PARALLEL_FROM, LARGE_VALUE, SMALL_VALUE, VALUE_WORK,
};
use crate::report::{Dropped, Report, Reports};
use crate::value::build::{Build, MayAsk, Stop, Tell, build_flat};
use crate::value::full_objects;
use crate::value::string_cache::Texts;

/// Bytes that hold a value.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Offset of the bytes in the buffer of the call.
    pub at: usize,
    /// The bytes of the value; more bytes may follow.
    pub bytes: &'a [u8],
}

impl<'a> Input<'a> {
    /// Returns a reader of the value.
    pub fn reader(self, allow_objects: bool) -> Reader<'a> {
        Reader::new(self.bytes).with_base(self.at).with_objects(allow_objects)
    }
}

/// Decodes one value. The slot stays empty if that fails.
#[inline(always)]
pub fn decode(bytes: &PackedByteArray, allow_objects: bool, out: &mut Slot) -> Result<Option<Box<Dropped>>, Report> {
    let input = Input { at: 0, bytes: engine::bytes_of(bytes) };
    if input.bytes.len() < SMALL_VALUE && build_flat(input.bytes, &mut Texts::for_bytes(input.bytes.len()), out) {
        return Ok(None);
    }
    decode_whole(bytes, allow_objects, out)
}

/// Does the rest of [`decode`]. Not inlined, as its stack would cost a flat value time.
#[inline(never)]
fn decode_whole(bytes: &PackedByteArray, allow_objects: bool, out: &mut Slot) -> Result<Option<Box<Dropped>>, Report> {
    match build(Input { at: 0, bytes: engine::bytes_of(bytes) }, allow_objects, MayAsk::Nothing, out) {
        Ok(dropped) => Ok(dropped),
        Err(Stop::Error(error)) => Err(error.into()),
        Err(Stop::MayNotAsk) => decode_held(bytes.clone(), allow_objects, out),
    }
}

#[cold]
fn decode_held(bytes: PackedByteArray, allow_objects: bool, out: &mut Slot) -> Result<Option<Box<Dropped>>, Report> {
    decode_kept(Input { at: 0, bytes: engine::bytes_of(&bytes) }, allow_objects, out)
}

/// Like [`decode`], but may run scripts: the caller must hold the bytes by its own reference, so that neither a script
/// nor a Logger can change them.
pub fn decode_kept(input: Input<'_>, allow_objects: bool, out: &mut Slot) -> Result<Option<Box<Dropped>>, Report> {
    match build(input, allow_objects, MayAsk::Conversions, out) {
        Ok(dropped) => Ok(dropped),
        Err(Stop::Error(error)) => Err(error.into()),
        Err(Stop::MayNotAsk) => decode_with_objects(input, out),
    }
}

/// Builds a value in a slot, over threads if it is long.
#[inline(always)]
pub fn build(
    input: Input<'_>,
    allow_objects: bool,
    may_ask: MayAsk,
    out: &mut Slot,
) -> Result<Option<Box<Dropped>>, Stop> {
    let mut texts = Texts::for_bytes(input.bytes.len());
    pool::with(input.bytes.len() >= DECODE_PARALLEL_FROM, |threads| {
        Build::new(input.reader(allow_objects), &mut texts, threads, may_ask).build(out)
    })
}

/// Like [`decode`], for values with objects, which the engine has to create. No script may be able to change the bytes.
fn decode_with_objects(input: Input<'_>, out: &mut Slot) -> Result<Option<Box<Dropped>>, Report> {
    full_objects::check(input.reader(true))?;
    let mut texts = Texts::for_bytes(input.bytes.len());
    match Build::new(input.reader(true), &mut texts, &Threads::alone(), MayAsk::Objects).build(out) {
        Ok(dropped) => Ok(dropped),
        Err(Stop::Error(error)) => Err(error.into()),
        Err(Stop::MayNotAsk) => unreachable!("they are made here"),
    }
}

/// Returns the bytes of a buffer, or the type of a value that is not a buffer.
pub fn input(buffer: &Value) -> Result<Input<'_>, Kind> {
    match buffer.view().kind() {
        Kind::PackedByteArray => Ok(Input { at: 0, bytes: buffer.view().plain().bytes }),
        kind => Err(kind),
    }
}

/// An input with its index in the batch; or the type of an element that is not a buffer.
type Indexed<'a> = (usize, Result<Input<'a>, Kind>);

/// Properties of a batch that decide how its values are built.
pub struct Work<'t> {
    /// Approximate bytes per input.
    average: usize,
    /// True if most inputs are containers: building these is worth a second thread, however small they are.
    containers: bool,
    allow_objects: bool,
    may_ask: MayAsk,
    tell: Option<Tell<'t>>,
}

impl<'t> Work<'t> {
    /// Estimates the work of `count` inputs of `total` bytes from a sample.
    pub fn of(sample: &[Input<'_>], total: usize, count: usize, allow_objects: bool, may_ask: MayAsk) -> Self {
        Self {
            average: total / count.max(1),
            containers: mostly_containers(sample),
            allow_objects,
            may_ask,
            tell: None,
        }
    }

    /// Reports the progress of long inputs to `tell`.
    pub fn telling(self, tell: Option<Tell<'t>>) -> Self {
        Self { tell, ..self }
    }

    /// True if several threads are worth it.
    fn is_large(&self, count: usize) -> bool {
        let total = self.average * count;
        if self.containers {
            return total >= DECODE_PARALLEL_FROM;
        }
        let is_worth_it = self.average >= COUNTED_VALUE || engine::allocates_in_parallel();
        is_worth_it && total + count * VALUE_WORK >= FLAT_PARALLEL_FROM
    }
}

/// Builds the value of each input in its slot. Returns the reports, and the sorted indices of inputs that need the
/// engine more than `work` allows.
pub fn build_slots<'a>(
    inputs: impl Iterator<Item = Result<Input<'a>, Kind>> + Clone + Send,
    slots: &mut [Slot],
    work: &Work<'_>,
    threads: &Threads,
) -> (Reports, Vec<usize>) {
    let inputs = inputs.enumerate();
    if !work.is_large(slots.len()) {
        return build_runs(inputs, slots, work, &Threads::alone(), threads);
    }
    if threads.count() == 1 || work.containers || work.average < LARGE_VALUE || !engine::makes_blocks() {
        return build_runs(inputs, slots, work, threads, threads);
    }
    let (inputs, mut slots): (Vec<_>, Vec<_>) = fill_packed(inputs, slots, work, threads).into_iter().unzip();
    build_runs(inputs.into_iter(), &mut slots, work, threads, threads)
}

/// Builds the values that are long packed arrays. Returns the other inputs, with their slots.
fn fill_packed<'a, 's>(
    inputs: impl Iterator<Item = Indexed<'a>>,
    slots: &'s mut [Slot],
    work: &Work<'_>,
    threads: &Threads,
) -> Vec<(Indexed<'a>, &'s mut Slot)> {
    let (mut fills, mut pages, mut len, mut others) = (Fills::default(), Pages::default(), 0, Vec::new());
    for ((index, input), slot) in inputs.zip(slots) {
        match input.map(|input| input.reader(work.allow_objects).next_event()) {
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
    if let Some(tell) = work.tell {
        tell(len);
    }
    others
}

/// Builds each value, in runs over `runners`, and a large one over `threads`. The inputs have their indices in the batch.
fn build_runs<'a>(
    inputs: impl Iterator<Item = Indexed<'a>> + Clone + Send,
    slots: &mut [impl BorrowMut<Slot> + Send],
    work: &Work<'_>,
    runners: &Threads,
    threads: &Threads,
) -> (Reports, Vec<usize>) {
    let &Work { average, allow_objects, may_ask, tell, .. } = work;
    let found = Mutex::new((Reports::default(), Vec::new()));
    let total = average * slots.len();
    each_run(
        inputs,
        |(_, input)| input.map_or(0, |input| input.bytes.len()),
        slots,
        runners,
        || (Texts::for_bytes(total), Reports::default(), Vec::new()),
        |(index, input), slot, (texts, reports, left)| {
            let input = match input {
                Ok(input) => input,
                Err(kind) => return reports.push(index, Report::NoBuffer(kind)),
            };
            // 4 MiB of zeros are a million empty frames: do not build an error for each.
            if input.bytes.is_empty() && reports.count_error(index) {
                return;
            }
            if input.bytes.len() < SMALL_VALUE && build_flat(input.bytes, texts, slot.borrow_mut()) {
                return;
            }
            let build = Build::new(input.reader(allow_objects), texts, threads, may_ask);
            match build.telling(tell).build(slot.borrow_mut()) {
                Ok(None) => {}
                Ok(Some(dropped)) => reports.push(index, dropped),
                Err(Stop::Error(error)) => reports.push(index, error),
                Err(Stop::MayNotAsk) => left.push(index),
            }
        },
        |(_, mut reports, mut left)| {
            let mut found = found.lock().expect(UNPOISONED);
            found.0.append(&mut reports);
            found.1.append(&mut left);
        },
    );
    let (reports, mut left) = found.into_inner().expect(UNPOISONED);
    left.sort_unstable();
    (reports, left)
}

fn mostly_containers(sample: &[Input<'_>]) -> bool {
    let is_container =
        |input: &&Input<'_>| matches!(input.reader(false).peek_kind(), Ok(Kind::Array | Kind::Dictionary));
    sample.iter().filter(is_container).count() * 2 > sample.len()
}

const UNPOISONED: &str = "nothing panics while it is held";
