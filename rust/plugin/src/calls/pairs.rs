//! Batches of pairs of buffers.

use std::fmt;

use godot::builtin::{AnyArray, PackedByteArray};
use varbatch_codec::Kind;
use varbatch_workers::Threads;

use crate::engine::{self, Value};
use crate::jobs::pool;

/// From this many bytes on, pairs are worked on over threads.
const PARALLEL_FROM: usize = 256 << 10;

/// Two buffers, by references of our own, so that no script can change them.
pub struct Pair(PackedByteArray, PackedByteArray);

impl Pair {
    /// Returns the bytes of both.
    pub fn bytes(&self) -> (&[u8], &[u8]) {
        (engine::bytes_of(&self.0), engine::bytes_of(&self.1))
    }
}

/// An element of a batch that is no pair.
#[derive(Debug)]
pub enum NoPair {
    /// It is no Array.
    Other(Kind),
    /// It has another size.
    Size(usize),
    /// It holds something else at this index.
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

/// Returns the pairs of a batch, or what else its elements are.
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

/// Runs `work`, with all threads if there are [`PARALLEL_FROM`] bytes to work on.
pub fn over_threads<R>(bytes: usize, work: impl FnOnce(&Threads) -> R) -> R {
    pool::with(bytes >= PARALLEL_FROM, work)
}
