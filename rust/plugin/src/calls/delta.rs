//! Makes and applies deltas.

use std::sync::Mutex;

use godot::builtin::{AnyArray, Array, PackedByteArray};
use varbatch_codec::Plan;
use varbatch_codec::change::delta::{self, DeltaError};
use varbatch_codec::change::edits;
use varbatch_codec::fill::fill;
use varbatch_codec::limits::MAX_VALUE_LEN;
use varbatch_storage::fill;

use crate::calls::pairs;
use crate::engine::{self, BytesOut};
use crate::jobs::pool;
use crate::report::{Line, PAIRS, Reports};

/// Returns the delta that makes `after` of `before`; empty if that fails.
pub fn make(before: &PackedByteArray, after: &PackedByteArray) -> (PackedByteArray, Option<Line>) {
    put(plan_delta(engine::bytes_of(before), engine::bytes_of(after)))
}

/// Returns what a delta makes of `before`; empty if that fails.
pub fn apply(before: &PackedByteArray, delta: &PackedByteArray) -> (PackedByteArray, Option<Line>) {
    put(delta::apply(engine::bytes_of(before), engine::bytes_of(delta)))
}

/// Makes a delta for each pair of buffers.
pub fn make_each(pairs: &AnyArray) -> (Array<PackedByteArray>, Vec<Line>) {
    each(pairs, plan_delta)
}

/// Applies the delta of each pair of a buffer and a delta.
pub fn apply_each(pairs: &AnyArray) -> (Array<PackedByteArray>, Vec<Line>) {
    each(pairs, delta::apply)
}

fn plan_delta<'a>(before: &'a [u8], after: &'a [u8]) -> Result<Plan<'a>, DeltaError> {
    if after.len() > MAX_VALUE_LEN {
        // It could not be applied.
        return Err(DeltaError::too_large(after.len() as u64));
    }
    Ok(delta::make(before, after, edits(before, after)))
}

fn put(plan: Result<Plan<'_>, DeltaError>) -> (PackedByteArray, Option<Line>) {
    let mut bytes = PackedByteArray::new();
    match plan {
        Ok(plan) => pool::with(plan.len() >= fill::PARALLEL_FROM, |threads| {
            fill::fill_parallel(plan.whole(), bytes.allocate(plan.len()), threads);
        }),
        Err(error) => return (bytes, Some(Line::error(error))),
    }
    (bytes, None)
}

fn each(
    pairs: &AnyArray,
    plan: impl for<'a> Fn(&'a [u8], &'a [u8]) -> Result<Plan<'a>, DeltaError> + Sync,
) -> (Array<PackedByteArray>, Vec<Line>) {
    let pairs = pairs::held(pairs);
    let mut reports = Reports::default();
    let mut bytes = Vec::with_capacity(pairs.len());
    for (index, pair) in pairs.iter().enumerate() {
        match pair {
            Ok(pair) => bytes.push(Some(pair.bytes())),
            Err(no_pair) => {
                bytes.push(None);
                reports.push_error(index, || no_pair.to_string());
            }
        }
    }
    let total = bytes.iter().flatten().map(|(first, second)| first.len() + second.len()).sum();
    let failed = Mutex::new(reports);
    let result = engine::new_byte_arrays(pairs.len(), |slots| {
        pairs::over_threads(total, |threads| {
            threads.for_each(bytes.iter().zip(slots).enumerate(), |(index, (bytes, slot))| {
                let Some((first, second)) = *bytes else { return };
                match plan(first, second) {
                    Ok(plan) => fill(plan.whole(), slot.allocate(plan.len())),
                    Err(error) => {
                        let mut failed = failed.lock().expect("nothing panics while it is held");
                        failed.push_error(index, || error.to_string());
                    }
                }
            });
        });
    });
    let reports = failed.into_inner().expect("nothing panics while it is held");
    (result, reports.lines(&PAIRS))
}
