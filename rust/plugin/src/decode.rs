//! Bytes to values: reads the inputs and builds the values in place.

use std::ops::Range;
use std::sync::Mutex;

use godot::builtin::{AnyArray, PackedByteArray, VarArray, Variant};
use godot::global::{bytes_to_var, bytes_to_var_with_objects};
use varbatch_codec::frames::{self, Frame};
use varbatch_codec::{Kind, Reader, fill};

use crate::batch::{Failure, Failures, each_run};
use crate::build::build;
use crate::engine::{self, Slot};
use crate::pool;

/// Bytes to one value. Nothing is put out if it fails.
pub fn decode(bytes: &PackedByteArray, allow_objects: bool, out: &mut Slot) -> Result<(), Failure> {
    let data = engine::bytes_of(bytes);
    let mut reader = Reader::new(data);
    match reader.peek_kind() {
        Ok(kind) if !kind.is_native() => {
            out.set(engine_decode(bytes, kind, allow_objects)?);
            Ok(())
        }
        _ => pool::with(data.len() >= fill::PARALLEL_FROM, |threads| build(&mut reader, out, threads))
            .map_err(Failure::Codec),
    }
}

/// Each buffer to a value; null where a buffer is bad.
pub fn decode_each(buffers: &AnyArray, allow_objects: bool) -> (VarArray, Failures) {
    // Scripts that the engine may run cannot change this copy, and so not the buffers in it.
    let buffers = buffers.duplicate_shallow();
    let mut failures = Failures::new();
    let mut inputs = Vec::with_capacity(buffers.len());
    for (index, value) in engine::values(&buffers).iter().enumerate() {
        let view = value.view();
        inputs.push(match view.kind() {
            Kind::PackedByteArray => Some(Input { at: 0, bytes: view.plain().bytes }),
            kind => {
                failures.push((index, Failure::NoBuffer(kind)));
                None
            }
        });
    }
    let (mut result, left) = build_all(&inputs, &mut failures);
    drop(inputs);
    for Left { index, kind, .. } in left {
        let bytes = buffers.at(index).to();
        finish(index, engine_decode(&bytes, kind, allow_objects), &mut result, &mut failures);
    }
    failures.sort_by_key(|(index, _)| *index);
    (result, failures)
}

/// Frames to values, as many as there are whole ones; null where a payload is bad.
pub fn decode_frames(stream: &PackedByteArray, allow_objects: bool) -> (VarArray, Failures) {
    let mut failures = Failures::new();
    let mut inputs = Vec::new();
    let mut damage = None;
    for (index, frame) in frames::read(engine::bytes_of(stream)).enumerate() {
        match frame {
            Ok(Frame { at, payload }) => inputs.push(Some(Input { at, bytes: payload })),
            Err(error) => damage = Some((index, Failure::Codec(error))),
        }
    }
    let (mut result, left) = build_all(&inputs, &mut failures);
    for Left { index, kind, range } in left {
        let bytes = stream.subarray(range);
        finish(index, engine_decode(&bytes, kind, allow_objects), &mut result, &mut failures);
    }
    failures.sort_by_key(|(index, _)| *index);
    failures.extend(damage);
    (result, failures)
}

/// Bytes that hold a value.
#[derive(Clone, Copy)]
struct Input<'a> {
    /// Where the bytes begin in the buffer of the call.
    at: usize,
    bytes: &'a [u8],
}

/// A value that is left to the engine.
struct Left {
    index: usize,
    kind: Kind,
    /// Where its bytes are in the buffer of the call.
    range: Range<usize>,
}

/// Builds what is native of `inputs`, one element of the result each, and returns what is left to the engine.
fn build_all(inputs: &[Option<Input<'_>>], failures: &mut Failures) -> (VarArray, Vec<Left>) {
    let len = |input: &Option<Input<'_>>| input.map_or(0, |input| input.bytes.len());
    let total: usize = inputs.iter().map(len).sum();
    // Most calls put nothing in here, so that a lock does not slow the threads down.
    let failed = Mutex::new(Failures::new());
    let left = Mutex::new(Vec::new());
    let result = engine::new_array(inputs.len(), |slots| {
        pool::with(total >= fill::PARALLEL_FROM, |threads| {
            each_run(
                inputs.iter().enumerate(),
                |(_, input)| len(input),
                slots,
                threads,
                |(index, input), slot| {
                    let Some(Input { at, bytes }) = *input else { return };
                    let mut reader = Reader::at(bytes, at);
                    match reader.peek_kind() {
                        Ok(kind) if !kind.is_native() => {
                            left.lock().expect(UNPOISONED).push(Left { index, kind, range: at..at + bytes.len() });
                        }
                        _ => {
                            if let Err(error) = build(&mut reader, slot, threads) {
                                failed.lock().expect(UNPOISONED).push((index, Failure::Codec(error)));
                            }
                        }
                    }
                },
            );
        });
    });
    let mut left = left.into_inner().expect(UNPOISONED);
    left.sort_by_key(|left| left.index);
    failures.append(&mut failed.into_inner().expect(UNPOISONED));
    (result, left)
}

const UNPOISONED: &str = "nothing panics while it is held";

fn finish(index: usize, decoded: Result<Variant, Failure>, result: &mut VarArray, failures: &mut Failures) {
    match decoded {
        Ok(value) => result.set(index, &value),
        Err(failure) => failures.push((index, failure)),
    }
}

fn engine_decode(bytes: &PackedByteArray, kind: Kind, allow_objects: bool) -> Result<Variant, Failure> {
    let value = if allow_objects { bytes_to_var_with_objects(bytes) } else { bytes_to_var(bytes) };
    let failed = match kind {
        // The engine returns null for a failure, and for an object that is null.
        Kind::Object if value.is_nil() => bytes.decode_var_allow_nil(0, allow_objects).1 == 0,
        _ => value.is_nil(),
    };
    if failed { Err(Failure::Engine(kind)) } else { Ok(value) }
}
