//! Bytes to values: reads the inputs and builds the values in place.

use std::sync::Mutex;

use godot::builtin::{AnyArray, PackedByteArray, VarArray};
use varbatch_codec::frames::{self, Frame};
use varbatch_codec::{Kind, Reader, Threads};

use crate::batch::{Report, Reports, each_run};
use crate::build::{Build, Dropped, MayAsk, Stop};
use crate::engine::{self, Slot};
use crate::texts::Texts;
use crate::{objects, pool};

/// Inputs of this many bytes together are built over threads.
const PARALLEL_FROM: usize = 256 << 10;

/// Inputs shorter than this on average are not worth a second thread, where they hold no containers: allocating them is
/// most of the work, and the allocator lets one thread at a time through. In bytes.
const PARALLEL_VALUE: usize = 1 << 10;

/// Inputs that are looked at to tell the two apart.
const SAMPLE: usize = 16;

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
        Reader::at(self.bytes, self.at).allow_objects(allow_objects)
    }
}

/// Bytes to one value. Nothing is put out if it fails.
pub fn decode(bytes: &PackedByteArray, allow_objects: bool, out: &mut Slot) -> Result<Option<Dropped>, Report> {
    let input = Input { at: 0, bytes: engine::bytes_of(bytes) };
    match build(input, allow_objects, MayAsk::Nothing, out) {
        Ok(dropped) => Ok(dropped),
        Err(Stop::Error(error)) => Err(error.into()),
        Err(Stop::MayNotAsk) => decode_held(bytes.clone(), allow_objects, out),
    }
}

/// As [`decode`], of bytes that have a reference of their own: a script that the engine runs, or that hears what it prints, may
/// change the caller's array, but not these.
#[cold]
fn decode_held(bytes: PackedByteArray, allow_objects: bool, out: &mut Slot) -> Result<Option<Dropped>, Report> {
    let input = Input { at: 0, bytes: engine::bytes_of(&bytes) };
    match build(input, allow_objects, MayAsk::Conversions, out) {
        Ok(dropped) => Ok(dropped),
        Err(Stop::Error(error)) => Err(error.into()),
        Err(Stop::MayNotAsk) => decode_with_objects(input, out),
    }
}

#[inline]
fn build(input: Input<'_>, allow_objects: bool, may_ask: MayAsk, out: &mut Slot) -> Result<Option<Dropped>, Stop> {
    let mut texts = Texts::for_bytes(input.bytes.len());
    pool::with(input.bytes.len() >= PARALLEL_FROM, |threads| {
        Build::new(input.reader(allow_objects), &mut texts, threads, may_ask).build(out)
    })
}

/// As [`decode`], where there are objects for the engine to make. The bytes must be such that no script can change them.
fn decode_with_objects(input: Input<'_>, out: &mut Slot) -> Result<Option<Dropped>, Report> {
    objects::check(input.reader(true))?;
    let mut texts = Texts::for_bytes(input.bytes.len());
    match Build::new(input.reader(true), &mut texts, &Threads::alone(), MayAsk::Objects).build(out) {
        Ok(dropped) => Ok(dropped),
        Err(Stop::Error(error)) => Err(error.into()),
        Err(Stop::MayNotAsk) => unreachable!("they are made here"),
    }
}

/// The inputs of a batch: what is no buffer is reported.
pub fn inputs<'a>(buffers: &'a AnyArray, reports: &mut Reports) -> Vec<Option<Input<'a>>> {
    let input = |(index, value): (usize, &'a engine::Value)| match value.view().kind() {
        Kind::PackedByteArray => Some(Input { at: 0, bytes: value.view().plain().bytes }),
        kind => {
            reports.push((index, Report::NoBuffer(kind)));
            None
        }
    };
    engine::values(buffers).iter().enumerate().map(input).collect()
}

/// Each buffer to a value; null where a buffer is bad.
pub fn decode_each(buffers: &AnyArray, allow_objects: bool) -> (VarArray, Reports) {
    // Scripts that the engine may run cannot change this copy, and so not the buffers in it.
    let buffers = buffers.duplicate_shallow();
    let mut reports = Reports::new();
    let inputs = inputs(&buffers, &mut reports);
    let values = build_all(&inputs, allow_objects, &mut reports);
    reports.sort_by_key(|(index, _)| *index);
    (values, reports)
}

/// Frames to values, as many as there are whole ones; null where a payload is bad.
pub fn decode_frames(stream: &PackedByteArray, allow_objects: bool) -> (VarArray, Reports) {
    let mut reports = Reports::new();
    let mut inputs = Vec::new();
    let mut damage = None;
    for (index, frame) in frames::read(engine::bytes_of(stream)).enumerate() {
        match frame {
            Ok(Frame { at, payload }) => inputs.push(Some(Input { at, bytes: payload })),
            Err(error) => damage = Some((index, error.into())),
        }
    }
    let values = build_all(&inputs, allow_objects, &mut reports);
    reports.sort_by_key(|(index, _)| *index);
    reports.extend(damage);
    (values, reports)
}

/// Builds `inputs`, one element of the result each. The bytes must be such that no script can change them.
fn build_all(inputs: &[Option<Input<'_>>], allow_objects: bool, reports: &mut Reports) -> VarArray {
    let len = |input: &Option<Input<'_>>| input.map_or(0, |input| input.bytes.len());
    let total: usize = inputs.iter().map(len).sum();
    // Most calls put nothing in here, so that a lock does not slow the threads down.
    let reported = Mutex::new(Reports::new());
    let left = Mutex::new(Vec::new());
    let report = |index, report| reported.lock().expect(UNPOISONED).push((index, report));
    let mut values = engine::new_array(inputs.len(), |slots| {
        pool::with(total >= PARALLEL_FROM, |threads| {
            let items = inputs.iter().enumerate();
            let least = if mostly_containers(inputs) { 0 } else { PARALLEL_VALUE };
            let texts = || Texts::for_bytes(total);
            each_run(
                items,
                |(_, input)| len(input),
                slots,
                (threads, least),
                texts,
                |(index, input), slot, texts| {
                    let Some(input) = *input else { return };
                    match Build::new(input.reader(allow_objects), texts, threads, MayAsk::Conversions).build(slot) {
                        Ok(None) => {}
                        Ok(Some(dropped)) => report(index, Report::Dropped(dropped)),
                        Err(Stop::Error(error)) => report(index, error.into()),
                        Err(Stop::MayNotAsk) => left.lock().expect(UNPOISONED).push(index),
                    }
                },
            );
        });
    });
    let mut left = left.into_inner().expect(UNPOISONED);
    left.sort_unstable();
    for index in left {
        let mut slot = Slot::new();
        let input = inputs[index].expect("only buffers are built");
        match decode_with_objects(input, &mut slot) {
            Ok(None) => {}
            Ok(Some(dropped)) => report(index, Report::Dropped(dropped)),
            Err(error) => report(index, error),
        }
        values.set(index, slot.value().variant());
    }
    reports.append(&mut reported.into_inner().expect(UNPOISONED));
    values
}

/// Whether most of the first inputs are containers: building one is worth a second thread, however small it is.
fn mostly_containers(inputs: &[Option<Input<'_>>]) -> bool {
    let sample = &inputs[..inputs.len().min(SAMPLE)];
    let is_container =
        |input: &&Input<'_>| matches!(input.reader(false).peek_kind(), Ok(Kind::Array | Kind::Dictionary));
    sample.iter().flatten().filter(is_container).count() * 2 > sample.len()
}

const UNPOISONED: &str = "nothing panics while it is held";
