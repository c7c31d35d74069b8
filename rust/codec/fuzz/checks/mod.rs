//! What must hold for any input: one function for each fuzz target.
//!
//! The targets call them with what the fuzzer makes up, `tests/corpus.rs` with the inputs that are kept in `corpus/`.
//! They panic where something does not hold. The first byte of an input says how the rest is to be taken.

mod compressed;
mod decode;
mod frames;
mod grammar;
#[path = "../../tests/codec/support/model.rs"]
mod model;
mod pieces;
mod roundtrip;
mod steps;
mod validate;

pub use compressed::compressed;
pub use decode::decode;
pub use frames::frames;
pub use roundtrip::roundtrip;
pub use validate::validate;

/// How an input is to be taken: its first byte.
#[derive(Clone, Copy, Debug)]
struct Options(u8);

impl Options {
    /// The options of an input, and the rest of it.
    fn split(data: &[u8]) -> (Self, &[u8]) {
        data.split_first().map_or((Self(0), data), |(&first, rest)| (Self(first), rest))
    }

    fn allow_objects(self) -> bool {
        self.0 & 1 != 0
    }

    /// A number that the fuzzer chooses, below 128.
    fn pick(self) -> usize {
        usize::from(self.0 >> 1)
    }
}
