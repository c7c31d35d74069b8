//! Batches of pairs of buffers.

use std::fmt;

use godot::builtin::AnyArray;
use varbatch_codec::Kind;

use crate::engine::{self, HeldBytes, Value};
use crate::jobs::pool;
use crate::jobs::tuning::PAIRS_PARALLEL_FROM;
use crate::report::Reports;

/// Two buffers, held by references of our own, so that no script can change them.
pub struct Pair(HeldBytes, HeldBytes);

impl Pair {
    /// Returns the bytes of both buffers.
    pub fn bytes(&self) -> (&[u8], &[u8]) {
        (self.0.bytes(), self.1.bytes())
    }
}

/// The reason why an element of a batch is not a pair.
#[derive(Debug)]
pub enum NoPair {
    /// It is not an Array, but of this type.
    Other(Kind),
    /// It is an Array of this size.
    Size(usize),
    /// The element at this index is not a PackedByteArray, but of this type.
    Element(usize, Kind),
}

impl fmt::Display for NoPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected an Array of two PackedByteArrays, found ")?;
        match self {
            Self::Other(kind) => f.write_str(kind.name()),
            Self::Size(size) => write!(f, "an Array of size {size}"),
            Self::Element(index, kind) => write!(f, "{} as element {index}", kind.name()),
        }
    }
}

/// Returns the pairs of a batch, with an error for each element that is not a pair.
pub fn held(pairs: &AnyArray) -> Vec<Result<Pair, NoPair>> {
    engine::values(pairs).iter().map(pair).collect()
}

/// Returns the two elements of a pair.
pub fn parts(value: &Value) -> Result<[&Value; 2], NoPair> {
    let view = value.view();
    match view.kind() {
        Kind::Array => match view.elements() {
            [first, second] => Ok([first, second]),
            others => Err(NoPair::Size(others.len())),
        },
        kind => Err(NoPair::Other(kind)),
    }
}

fn pair(value: &Value) -> Result<Pair, NoPair> {
    let [first, second] = parts(value)?;
    let bytes = |index, value: &Value| match value.view().kind() {
        Kind::PackedByteArray => Ok(HeldBytes::new(value.view().byte_array().clone())),
        kind => Err(NoPair::Element(index, kind)),
    };
    Ok(Pair(bytes(0, first)?, bytes(1, second)?))
}

/// Calls `work` with the bytes of each pair and its slot, on several threads if there are many bytes. Reports failures,
/// and elements that are not pairs.
pub fn each<'p, S: Send>(
    pairs: &'p [Result<Pair, NoPair>],
    slots: &mut [S],
    work: impl Fn((&'p [u8], &'p [u8]), &mut S) -> Result<(), String> + Sync,
) -> Reports {
    let total: usize = pairs.iter().flatten().map(|pair| pair.bytes().0.len() + pair.bytes().1.len()).sum();
    let all = pairs.iter().zip(slots).enumerate();
    let states = pool::with(total >= PAIRS_PARALLEL_FROM, |threads| {
        threads.for_each_with(all, Reports::default, |(index, (pair, slot)), reports| {
            let done = match pair {
                Ok(pair) => work(pair.bytes(), slot),
                Err(no_pair) => Err(no_pair.to_string()),
            };
            if let Err(error) = done {
                reports.push_error(index, || error);
            }
        })
    });
    Reports::join(states)
}
