//! Makes and applies deltas.

use godot::builtin::{AnyArray, Array, PackedByteArray};
use varbatch_codec::Plan;
use varbatch_codec::change::delta::{self, DeltaError};
use varbatch_codec::change::edits;
use varbatch_codec::fill::fill;
use varbatch_codec::limits::MAX_VALUE_LEN;

use crate::calls::{encode, pairs};
use crate::engine::{self, BytesOut, OwnArray};
use crate::jobs::outcome::Outcome;
use crate::report::PAIRS;

/// Returns the delta that turns `before` into `after`; empty if that fails.
pub fn make(before: &PackedByteArray, after: &PackedByteArray) -> Outcome<PackedByteArray> {
    of(plan_delta(engine::bytes_of(before), engine::bytes_of(after)))
}

/// Returns `before` with a delta applied; empty if that fails.
pub fn apply(before: &PackedByteArray, delta: &PackedByteArray) -> Outcome<PackedByteArray> {
    of(delta::apply(engine::bytes_of(before), engine::bytes_of(delta)))
}

/// Makes a delta for each pair of buffers.
pub fn make_each(pairs: &AnyArray) -> Outcome<Array<PackedByteArray>> {
    each(pairs, plan_delta)
}

/// Applies a delta to a buffer, for each pair of a buffer and a delta.
pub fn apply_each(pairs: &AnyArray) -> Outcome<Array<PackedByteArray>> {
    each(pairs, delta::apply)
}

fn plan_delta<'a>(before: &'a [u8], after: &'a [u8]) -> Result<Plan<'a>, DeltaError> {
    if after.len() > MAX_VALUE_LEN {
        // Such a delta could not be applied.
        return Err(DeltaError::too_large(after.len() as u64));
    }
    Ok(delta::make(before, after, edits(before, after)))
}

fn of(plan: Result<Plan<'_>, DeltaError>) -> Outcome<PackedByteArray> {
    Outcome::of(plan.map(|plan| encode::to_bytes(&plan)))
}

fn each(
    pairs: &AnyArray,
    plan: impl for<'a> Fn(&'a [u8], &'a [u8]) -> Result<Plan<'a>, DeltaError> + Sync,
) -> Outcome<Array<PackedByteArray>> {
    let pairs = pairs::held(pairs);
    let mut result = OwnArray::byte_arrays(pairs.len());
    let reports = pairs::each(&pairs, result.elements(), |(first, second), slot| {
        let plan = plan(first, second).map_err(|error| error.to_string())?;
        fill(plan.whole(), slot.allocate(plan.len()));
        Ok(())
    });
    Outcome::new(result.take(), reports.lines(&PAIRS))
}
