//! Encodes values: plans some, allocates their outputs, and fills these. A plain call is a loop of that; a task plans all
//! values first, so that they may be changed or dropped afterwards.

mod batch;
mod run;
mod to_bytes;
mod to_frames;

use std::marker::PhantomData;
use std::sync::atomic::AtomicBool;

use godot::builtin::PackedByteArray;
use varbatch_codec::{Borrowed, CodecError, Plan, Writer};

pub use self::batch::Batch;
pub use self::to_bytes::{ToBytes, vars_to_bytes};
pub use self::to_frames::{FramePlans, ToFrames, vars_to_frames};
use crate::engine::{self, BytesOut, DIALECT, Value};
use crate::jobs::pool;
use crate::value::full_objects;
use crate::value::walk::{Copying, Planning, walk};
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
