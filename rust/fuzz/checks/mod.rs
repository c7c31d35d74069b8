//! Properties that hold for any input: one function for each fuzz target, which panics where its property fails.
//!
//! The targets pass the inputs that the fuzzer generates, `rust/storage/tests/corpus.rs` those that `corpus/` keeps. The
//! first byte of an input holds its options.

#[path = "../../codec/tests/codec/support/arrays.rs"]
mod arrays;
mod changes;
mod compressed;
mod converted;
mod decode;
mod delta;
mod described;
mod fastlz;
mod frames;
mod grammar;
#[path = "../../codec/tests/codec/support/looked_up.rs"]
mod looked_up;
#[path = "../../codec/tests/codec/support/model.rs"]
#[allow(dead_code)] // The tests use more of it.
mod model;
#[path = "../../codec/tests/codec/support/numbers.rs"]
#[allow(dead_code)]
mod numbers;
mod pieces;
mod roundtrip;
mod states;
mod steps;
mod transcode;
mod validate;
mod values;

use varbatch_codec::Engine;

/// Runs the check of a target on an input.
///
/// # Panics
/// If the property fails, or there is no such target.
pub fn check(target: &str, data: &[u8]) {
    match target {
        "changes" => changes::changes(data),
        "compressed" => compressed::compressed(data),
        "decode" => decode::decode(data),
        "delta" => delta::delta(data),
        "fastlz" => fastlz::fastlz(data),
        "frames" => frames::frames(data),
        "roundtrip" => roundtrip::roundtrip(data),
        "states" => states::states(data),
        "transcode" => transcode::transcode(data),
        "validate" => validate::validate(data),
        "values" => values::values(data),
        _ => panic!("no target {target}"),
    }
}

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

    /// Whose the bytes are: what the three bits behind the first say, Godot 4 for most.
    fn engine(self) -> Engine {
        match self.pick() & 7 {
            number @ 1..=4 => Engine::ALL[number],
            _ => Engine::Godot4,
        }
    }

    /// A number that the fuzzer chooses, below 128.
    fn pick(self) -> usize {
        usize::from(self.0 >> 1)
    }
}
