//! Encodes values: plans them, then fills the outputs.

mod run;
mod to_bytes;
mod to_frames;

use std::marker::PhantomData;
use std::sync::atomic::AtomicBool;

use godot::builtin::PackedByteArray;
use varbatch_codec::{Borrowed, CodecError, Plan, Writer};
use varbatch_storage::fill;

pub use self::run::{Source, with_engine};
pub use self::to_bytes::{ToBytes, vars_to_bytes};
pub use self::to_frames::{FramePlans, ToFrames, vars_to_frames};
use crate::engine::{BytesOut, DIALECT, Value};
use crate::jobs::pool;
use crate::value::full_objects;
use crate::value::walk::{NotWalked, Planning, walk};

/// Encodes one value. Writes nothing to `out` if that fails.
pub fn encode(value: &Value, full_objects: bool, out: &mut impl BytesOut) -> Result<(), CodecError> {
    let mut writer = Writer::new(DIALECT);
    let start = writer.mark();
    let is_lossy = &AtomicBool::new(false);
    let keep = PhantomData::<Borrowed>;
    let mut target = Planning { writer: &mut writer, full_objects, may_split: true, is_lossy, keep };
    match walk(value, &mut target) {
        Ok(()) => writer.end_value(start)?,
        Err(NotWalked::Error(error)) => return Err(error),
        Err(NotWalked::FullObject) => {
            out.set_bytes(full_objects::encode(value)?);
            return Ok(());
        }
    }
    put(writer.plan(), out);
    Ok(())
}

/// Writes a plan to `out`, on several threads if it is long.
pub fn put(plan: &Plan<'_>, out: &mut impl BytesOut) {
    let dest = out.allocate(plan.len());
    pool::with(plan.len() >= fill::PARALLEL_FROM, |threads| fill::fill_parallel(plan.whole(), dest, threads));
}

/// Returns a plan as a byte array.
pub fn to_bytes(plan: &Plan<'_>) -> PackedByteArray {
    let mut bytes = PackedByteArray::new();
    put(plan, &mut bytes);
    bytes
}
