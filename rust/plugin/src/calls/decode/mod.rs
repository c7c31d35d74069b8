//! Bytes to values: reads the inputs and builds the values in place.

pub mod steps;

use std::sync::Mutex;

use godot::builtin::{AnyArray, PackedByteArray, VarArray};
use varbatch_codec::frames::{self, Frame};
use varbatch_codec::{Kind, Reader};
use varbatch_workers::Threads;

use crate::engine::{self, HeldBytes, Slot, Value};
use crate::jobs::pool;
use crate::jobs::runs::each_run;
use crate::report::{Report, Reports};
use crate::value::build::{Build, Dropped, MayAsk, Stop, Tell};
use crate::value::full_objects;
use crate::value::string_cache::Texts;

/// From this many bytes on, one value is built over threads, and so are inputs that are mostly containers.
const PARALLEL_FROM: usize = 256 << 10;

/// From this much work on, other inputs are: each is as much as copying [`VALUE_WORK`] bytes. On two cores it takes 0.25 ms.
const FLAT_PARALLEL_FROM: usize = 5 << 20;
const VALUE_WORK: usize = 1 << 10;

/// In engines that count their allocations, inputs shorter than this on average are not worth a second thread, as that is
/// most of the work then. In bytes.
const COUNTED_VALUE: usize = 1 << 10;

/// Inputs that are looked at to tell the two apart.
pub const SAMPLE: usize = 16;

/// Bytes that hold a value.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Where the bytes begin in the buffer of the call.
    pub at: usize,
    /// The bytes, and perhaps others behind them.
    pub bytes: &'a [u8],
}

impl<'a> Input<'a> {
    /// A reader of the value.
    pub fn reader(self, allow_objects: bool) -> Reader<'a> {
        Reader::new(self.bytes).with_base(self.at).with_objects(allow_objects)
    }
}

/// Bytes to one value. Nothing is put out if it fails.
#[inline(always)]
pub fn decode(bytes: &PackedByteArray, allow_objects: bool, out: &mut Slot) -> Result<Option<Box<Dropped>>, Report> {
    let input = Input { at: 0, bytes: engine::bytes_of(bytes) };
    match build(input, allow_objects, MayAsk::Nothing, out) {
        Ok(dropped) => Ok(dropped),
        Err(Stop::Error(error)) => Err(error.into()),
        Err(Stop::MayNotAsk) => decode_held(bytes.clone(), allow_objects, out),
    }
}

#[cold]
fn decode_held(bytes: PackedByteArray, allow_objects: bool, out: &mut Slot) -> Result<Option<Box<Dropped>>, Report> {
    decode_kept(Input { at: 0, bytes: engine::bytes_of(&bytes) }, allow_objects, out)
}

/// As [`decode`], of bytes that stay as they are: a script that the engine runs, or that hears what it prints, may change the
/// caller's array, but not these.
pub fn decode_kept(input: Input<'_>, allow_objects: bool, out: &mut Slot) -> Result<Option<Box<Dropped>>, Report> {
    match build(input, allow_objects, MayAsk::Conversions, out) {
        Ok(dropped) => Ok(dropped),
        Err(Stop::Error(error)) => Err(error.into()),
        Err(Stop::MayNotAsk) => decode_with_objects(input, out),
    }
}

#[inline(always)]
fn build(input: Input<'_>, allow_objects: bool, may_ask: MayAsk, out: &mut Slot) -> Result<Option<Box<Dropped>>, Stop> {
    let mut texts = Texts::for_bytes(input.bytes.len());
    pool::with(input.bytes.len() >= PARALLEL_FROM, |threads| {
        Build::new(input.reader(allow_objects), &mut texts, threads, may_ask).build(out)
    })
}

/// As [`decode`], where there are objects for the engine to make. The bytes must be such that no script can change them.
fn decode_with_objects(input: Input<'_>, out: &mut Slot) -> Result<Option<Box<Dropped>>, Report> {
    full_objects::check(input.reader(true))?;
    let mut texts = Texts::for_bytes(input.bytes.len());
    match Build::new(input.reader(true), &mut texts, &Threads::alone(), MayAsk::Objects).build(out) {
        Ok(dropped) => Ok(dropped),
        Err(Stop::Error(error)) => Err(error.into()),
        Err(Stop::MayNotAsk) => unreachable!("they are made here"),
    }
}

/// The bytes of a buffer, or what else it is.
pub fn input(buffer: &Value) -> Result<Input<'_>, Kind> {
    match buffer.view().kind() {
        Kind::PackedByteArray => Ok(Input { at: 0, bytes: buffer.view().plain().bytes }),
        kind => Err(kind),
    }
}

/// Buffers by references of our own, or what else there is: a script that the engine runs may change the caller's, but not
/// these. A copy of the array would not do, as it shares its packed arrays.
pub fn held(buffers: &AnyArray) -> Vec<Result<HeldBytes, Kind>> {
    let held = |buffer: &Value| match buffer.view().kind() {
        Kind::PackedByteArray => Ok(HeldBytes::new(buffer.view().byte_array().clone())),
        kind => Err(kind),
    };
    engine::values(buffers).iter().map(held).collect()
}

/// The bytes of one of these.
pub fn held_input(buffer: &Result<HeldBytes, Kind>) -> Result<Input<'_>, Kind> {
    match buffer {
        Ok(buffer) => Ok(Input { at: 0, bytes: buffer.bytes() }),
        Err(kind) => Err(*kind),
    }
}

/// Each buffer to a value; null where a buffer is bad.
pub fn decode_each(buffers: &AnyArray, allow_objects: bool) -> (VarArray, Reports) {
    let values = engine::values(buffers);
    let step = values.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<_> = values.iter().step_by(step).filter_map(|buffer| input(buffer).ok()).collect();
    let sampled = sample.iter().map(|input| input.bytes.len()).sum();
    let work = Work::of(&sample, sampled, sample.len(), allow_objects, MayAsk::Nothing);
    let (mut result, mut reports, left) = build_all(values.iter().map(input), values.len(), &work);
    // For these the engine has to be asked. Scripts that it may run cannot change buffers that have a reference of ours.
    let held = |index| Some((index, engine::byte_array_at(buffers, index)?));
    let left: Vec<_> = left.into_iter().filter_map(held).collect();
    for (index, buffer) in left {
        let mut slot = Slot::new();
        match decode_held(buffer, allow_objects, &mut slot) {
            Ok(None) => {}
            Ok(Some(dropped)) => reports.push(index, dropped),
            Err(report) => reports.push(index, report),
        }
        result.set(index, slot.value().variant());
    }
    (result, reports)
}

/// Frames to values, as many as there are whole ones; null where a payload is bad. The caller holds a reference to the
/// stream, so that no script can change it.
pub fn decode_frames(stream: &PackedByteArray, allow_objects: bool) -> (VarArray, Reports) {
    let bytes = engine::bytes_of(stream);
    let (mut count, mut damage) = (0, None);
    for frame in frames::read(bytes) {
        match frame {
            Ok(_) => count += 1,
            Err(error) => damage = Some(error),
        }
    }
    let payload = |Frame { at, payload }| Input { at, bytes: payload };
    let inputs = frames::read(bytes).map_while(Result::ok).map(payload);
    let sample: Vec<_> = inputs.clone().take(SAMPLE).collect();
    let work = Work::of(&sample, bytes.len(), count, allow_objects, MayAsk::Conversions);
    let (mut result, mut reports, left) = build_all(inputs.clone().map(Ok), count, &work);
    let mut frames = inputs.enumerate();
    for index in left {
        let (_, input) = frames.find(|(at, _)| *at == index).expect("it was there before");
        let mut slot = Slot::new();
        match decode_with_objects(input, &mut slot) {
            Ok(None) => {}
            Ok(Some(dropped)) => reports.push(index, dropped),
            Err(report) => reports.push(index, report),
        }
        result.set(index, slot.value().variant());
    }
    if let Some(damage) = damage {
        reports.set_end(count, damage);
    }
    (result, reports)
}

/// What is known of the inputs of a batch.
pub struct Work<'t> {
    /// Bytes of an input, about.
    average: usize,
    /// Whether most are containers: building one is worth a second thread, however small it is.
    containers: bool,
    allow_objects: bool,
    may_ask: MayAsk,
    tell: Option<Tell<'t>>,
}

impl<'t> Work<'t> {
    /// What is known from some of `count` inputs of `total` bytes.
    pub fn of(sample: &[Input<'_>], total: usize, count: usize, allow_objects: bool, may_ask: MayAsk) -> Self {
        Self {
            average: total / count.max(1),
            containers: mostly_containers(sample),
            allow_objects,
            may_ask,
            tell: None,
        }
    }

    /// Says how far long inputs are built.
    pub fn telling(self, tell: Tell<'t>) -> Self {
        Self { tell: Some(tell), ..self }
    }

    /// Whether more than one thread is worth it.
    fn is_large(&self, count: usize) -> bool {
        let total = self.average * count;
        if self.containers {
            return total >= PARALLEL_FROM;
        }
        let is_worth_it = self.average >= COUNTED_VALUE || engine::allocates_in_parallel();
        is_worth_it && total + count * VALUE_WORK >= FLAT_PARALLEL_FROM
    }
}

/// Builds `count` inputs, one element of the result each. Also gives the indices of those that ask for more than they may.
fn build_all<'a>(
    inputs: impl Iterator<Item = Result<Input<'a>, Kind>> + Clone + Send,
    count: usize,
    work: &Work<'_>,
) -> (VarArray, Reports, Vec<usize>) {
    let mut built = (Reports::default(), Vec::new());
    let values = engine::new_array(count, |slots| {
        pool::with(work.average * count >= PARALLEL_FROM, |threads| built = build_slots(inputs, slots, work, threads));
    });
    (values, built.0, built.1)
}

/// Builds an input in each slot. Gives the reports, and the indices of inputs that ask for more than they may.
pub fn build_slots<'a>(
    inputs: impl Iterator<Item = Result<Input<'a>, Kind>> + Clone + Send,
    slots: &mut [Slot],
    work: &Work<'_>,
    threads: &Threads,
) -> (Reports, Vec<usize>) {
    let &Work { average, allow_objects, may_ask, tell, .. } = work;
    let found = Mutex::new((Reports::default(), Vec::new()));
    let alone = Threads::alone();
    let total = average * slots.len();
    each_run(
        inputs.enumerate(),
        |(_, input)| input.map_or(0, |input| input.bytes.len()),
        slots,
        if work.is_large(slots.len()) { threads } else { &alone },
        || (Texts::for_bytes(total), Reports::default(), Vec::new()),
        |(index, input), slot, (texts, reports, left)| {
            let input = match input {
                Ok(input) => input,
                Err(kind) => return reports.push(index, Report::NoBuffer(kind)),
            };
            // Zeros are empty frames: a million of them is 4 MiB.
            if input.bytes.is_empty() && reports.count_error(index) {
                return;
            }
            match Build::new(input.reader(allow_objects), texts, threads, may_ask).telling(tell).build(slot) {
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
