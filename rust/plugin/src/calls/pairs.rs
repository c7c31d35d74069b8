//! Batches of pairs of buffers.

use std::fmt;

use godot::builtin::{AnyArray, PackedByteArray};
use varbatch_codec::Kind;
use varbatch_workers::Threads;

use crate::engine::{self, Value};
use crate::jobs::pool;

/// Pairs of so many bytes together are worked on over threads.
const PARALLEL_FROM: usize = 256 << 10;

/// Two buffers, by references of our own: no script can change them.
pub struct Pair(PackedByteArray, PackedByteArray);

impl Pair {
    /// What both hold.
    pub fn bytes(&self) -> (&[u8], &[u8]) {
        (engine::bytes_of(&self.0), engine::bytes_of(&self.1))
    }
}

/// What stands in the place of a pair.
#[derive(Debug)]
pub enum NoPair {
    /// No array.
    Other(Kind),
    /// An array of another size.
    Size(usize),
    /// An array with something else in it.
    Element(usize, Kind),
}

impl fmt::Display for NoPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected an Array of two PackedByteArrays, found ")?;
        match self {
            Self::Other(kind) => f.write_str(kind.name()),
            Self::Size(size) => write!(f, "one of {size} elements"),
            Self::Element(index, kind) => write!(f, "{} as element {index}", kind.name()),
        }
    }
}

/// Each element of a batch, or what is in its place.
pub fn held(pairs: &AnyArray) -> Vec<Result<Pair, NoPair>> {
    engine::values(pairs).iter().map(pair).collect()
}

fn pair(value: &Value) -> Result<Pair, NoPair> {
    let view = value.view();
    if view.kind() != Kind::Array {
        return Err(NoPair::Other(view.kind()));
    }
    let [first, second] = view.elements() else { return Err(NoPair::Size(view.elements().len())) };
    let bytes = |index, value: &Value| match value.view().kind() {
        Kind::PackedByteArray => Ok(value.view().byte_array().clone()),
        kind => Err(NoPair::Element(index, kind)),
    };
    Ok(Pair(bytes(0, first)?, bytes(1, second)?))
}

/// Runs `work` with all threads, if there are so many bytes to work on.
pub fn over_threads<R>(bytes: usize, work: impl FnOnce(&Threads) -> R) -> R {
    pool::with(bytes >= PARALLEL_FROM, work)
}
