//! Encodes values: plans some, allocates their outputs, and fills these. A plain call is a loop of that; a task plans all
//! values first, so that they may be changed or dropped afterwards.

mod run;
mod to_bytes;
mod to_frames;

use std::marker::PhantomData;
use std::sync::atomic::AtomicBool;

use godot::builtin::{AnyArray, PackedByteArray};
use varbatch_codec::{Borrowed, CodecError, Plan, Writer};

pub use self::to_bytes::{ToBytes, vars_to_bytes};
pub use self::to_frames::{FramePlans, ToFrames, vars_to_frames};
use crate::engine::{self, BytesOut, DIALECT, HeldBytes, Value};
use crate::jobs::pool;
use crate::jobs::tuning::CONTAINERS_PARALLEL_FROM;
use crate::report::Reports;
use crate::value::full_objects;
use crate::value::walk::{Copying, Lost, Planning, mostly_containers, walk};
use varbatch_storage::fill::{self, PARALLEL_FROM};

/// Encodes one value. Writes nothing to `out` if that fails.
pub fn encode(value: &Value, full_objects: bool, out: &mut impl BytesOut) -> Result<(), CodecError> {
    if full_objects && full_objects::is_in(value) {
        out.set_bytes(full_objects::encode(value)?);
        return Ok(());
    }
    let mut writer = Writer::new(DIALECT);
    let start = writer.mark();
    let is_lossy = &AtomicBool::new(false);
    let keep = PhantomData::<Borrowed>;
    walk(value, &mut Planning { writer: &mut writer, full_objects, may_split: true, is_lossy, keep })?;
    writer.end_value(start)?;
    put(writer.plan(), out);
    Ok(())
}

/// Encodes a value of a change or a step of a path. Objects that were decoded from bytes keep the ids that they had
/// there.
pub fn encode_part(value: &Value, full_objects: bool) -> Result<Vec<u8>, CodecError> {
    if full_objects {
        let mut bytes = PackedByteArray::new();
        encode(value, true, &mut bytes)?;
        return Ok(bytes.to_vec());
    }
    let (plan, objects) = Copying::of(value, false)?;
    // From here on, nothing of the value is borrowed.
    let mut bytes = plan.into_vec();
    for (mark, object) in objects {
        if let Some(id) = engine::encoded_id(engine::value(&object)) {
            let at = mark.position() + 4;
            bytes[at..at + 8].copy_from_slice(&id.to_le_bytes());
        }
    }
    Ok(bytes)
}

/// Writes a plan to `out`, on several threads if it is long.
pub fn put(plan: &Plan<'_>, out: &mut impl BytesOut) {
    let dest = out.allocate(plan.len());
    pool::with(plan.len() >= PARALLEL_FROM, |threads| fill::fill_parallel(plan.whole(), dest, threads));
}

/// Returns a plan as a byte array.
pub fn to_bytes(plan: &Plan<'_>) -> PackedByteArray {
    let mut bytes = PackedByteArray::new();
    put(plan, &mut bytes);
    bytes
}

/// The values of a call.
pub enum Batch<'a> {
    /// Values to walk.
    Values(&'a [Value]),
    /// Values that were encoded one by one; empty if that failed.
    Encoded(Vec<HeldBytes>),
}

impl<'a> Batch<'a> {
    /// Encodes all values if one of them holds an object to be written in full, which only the engine can do. Returns the
    /// reports about them.
    pub fn of(values: &'a AnyArray, full_objects: bool) -> (Self, Reports) {
        let mut reports = Reports::default();
        if !full_objects || !engine::values(values).iter().any(full_objects::is_in) {
            return (Self::Values(engine::values(values)), reports);
        }
        // A script that the engine runs may change the caller's array, but not this copy. It may still change the
        // containers in it, so values are encoded one by one, and nothing stays borrowed after each.
        let values = values.duplicate_shallow();
        let mut encoded = Vec::with_capacity(values.len());
        for index in 0..values.len() {
            let value = values.at(index);
            let mut bytes = PackedByteArray::new();
            if let Err(error) = encode(engine::value(&value), full_objects, &mut bytes) {
                reports.push_error(index, || error.to_string());
            }
            encoded.push(HeldBytes::new(bytes));
        }
        (Self::Encoded(encoded), reports)
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Encoded(encoded) => encoded.len(),
        }
    }

    /// True if there are enough containers for several threads to walk them.
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::Values(values) if is_shared(values))
    }

    /// Finds what is lost if these values are saved. Only walks them again if their plan is lossy.
    pub fn lost(&self, is_lossy: bool) -> Option<Lost> {
        match self {
            Self::Values(values) => is_lossy.then(|| Lost::of_values(values)).flatten(),
            Self::Encoded(encoded) => Lost::of_bytes(encoded.iter().map(HeldBytes::bytes)),
        }
    }
}

/// True if there are enough containers for several threads to walk them.
fn is_shared(values: &[Value]) -> bool {
    values.len() >= CONTAINERS_PARALLEL_FROM && mostly_containers(values)
}
