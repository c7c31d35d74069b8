//! Floats some of which move: what deltas are measured with, by the bench and by the test of their sizes.

use varbatch_codec::change::Edit;

/// Floats of the array: 1 MiB.
pub const COUNT: usize = 1 << 18;

/// What becomes of a float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// It moves by up to a thousandth of itself.
    Small,
    /// Another takes its place.
    New,
}

/// A PackedFloat32Array as its bytes lie in a value, and what it becomes when `percent` of its floats move.
pub fn moved(motion: Motion, percent: usize) -> (Vec<u8>, Vec<u8>) {
    let mut state = 7_u64;
    // From 0 up to, without, 1.
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    let before: Vec<_> = (0..COUNT).map(|_| (random() - 0.5) * 2000.0).collect();
    let move_one = |&float: &f32| {
        if random() * 100.0 >= percent as f32 {
            return float;
        }
        match motion {
            Motion::Small => float + float * (random() - 0.5) * 2e-3,
            Motion::New => (random() - 0.5) * 2000.0,
        }
    };
    let after: Vec<_> = before.iter().map(move_one).collect();
    (bytes(&before), bytes(&after))
}

fn bytes(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|float| float.to_le_bytes()).collect()
}

/// One edit of the whole array: what `diff` says of arrays that differ somewhere.
pub fn whole(bytes: &[u8]) -> [Edit; 1] {
    [Edit { before: 0..bytes.len(), after: 0..bytes.len() }]
}
