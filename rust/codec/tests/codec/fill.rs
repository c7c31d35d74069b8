//! Guards: however an output is cut into parts and over threads, every byte of it is written once and nothing beside
//! it; plain data reaches memory of either width with the right values.

use std::mem::MaybeUninit;

use varbatch_codec::{Kind, Plain, Shape, Width, fill};

use crate::support::memory::{fill_pieces, filled};
use crate::support::random::Random;
use crate::support::tree::{Batch, LARGE, PIECE, Tree};
use crate::support::wire::{doubles, floats};

/// Payloads of these lengths.
fn assert_fills(lens: &[usize]) {
    Batch::new(&lens.iter().map(|&len| Tree::bytes(len)).collect::<Vec<_>>()).assert_fills();
}

#[test]
fn one_array_around_the_threshold_and_the_edges_of_pieces() {
    for edge in [64, PIECE, 2 * PIECE, LARGE, LARGE + PIECE] {
        (edge - 12..edge + 5).for_each(|len| assert_fills(&[len]));
    }
}

#[test]
fn many_small_values() {
    // Those of 64 bytes and less are copied into the plan, longer ones are borrowed.
    for len in [4, 63, 64, 65, 200] {
        assert_fills(&vec![len; LARGE / (8 + len) + 1000]);
    }
    Batch::new(&vec![Tree::Int(-1); LARGE / 8 + 7]).assert_fills();
    Batch::new(&(0..LARGE / 64).map(|_| Tree::text(40)).collect::<Vec<_>>()).assert_fills();
}

fn plain(kind: Kind, width: Width, bytes: &[u8]) -> Plain<'_> {
    let count = bytes.len() / kind.shape().element_len(width).expect("plain data");
    Plain { kind, width, count, bytes }
}

fn kinds() -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(|kind| kind.shape().element_len(Width::Single).is_some())
}

#[test]
fn data_of_the_same_width_and_scalars_of_a_fixed_size_are_copied() {
    let mut random = Random::new(1);
    let widths = [Width::Single, Width::Double];
    for (kind, width) in kinds().flat_map(|kind| widths.map(|width| (kind, width))) {
        let packed = matches!(kind.shape(), Shape::Packed { .. });
        let counts: &[usize] = if packed { &[0, 1, 2, 3, 5, 100] } else { &[1] };
        for &count in counts {
            let bytes = random.bytes(count * kind.shape().element_len(width).expect("plain data"));
            let value = plain(kind, width, &bytes);
            for build in widths.into_iter().filter(|&build| value.has_width(build)) {
                let found = filled(bytes.len(), |dest| fill::plain(value, build, dest));
                assert_eq!(found, bytes, "{}", kind.name());
            }
        }
    }
}

#[test]
fn reals_are_widened_without_loss() {
    let values = [0.0, -0.0, 1.5, -2.25, 0.1, f32::MAX, f32::MIN_POSITIVE, 1e-45, f32::INFINITY, f32::NEG_INFINITY];
    for count in 0..values.len() / 2 {
        let from = floats(&values[..count * 2]);
        let to = doubles(&values[..count * 2].iter().copied().map(f64::from).collect::<Vec<_>>());
        let value = plain(Kind::PackedVector2Array, Width::Single, &from);
        assert_eq!(filled(to.len(), |dest| fill::plain(value, Width::Double, dest)), to);
    }
}

#[test]
fn reals_are_rounded_to_the_nearest_and_a_nan_stays_one() {
    // Inputs and results by hand: 1/10, 1/3, half-way cases (to even), beyond the range, below the range.
    let cases: [(u64, u32); 12] = [
        (0x3fb9_9999_9999_999a, 0x3dcc_cccd),
        (0x3fd5_5555_5555_5555, 0x3eaa_aaab),
        (0x3ff0_0000_1000_0000, 0x3f80_0000),
        (0x3ff0_0000_3000_0000, 0x3f80_0002),
        (0x47ef_ffff_e000_0000, 0x7f7f_ffff),
        (0x47ef_ffff_f000_0000, 0x7f80_0000),
        (0xc7ef_ffff_f000_0000, 0xff80_0000),
        (0x3690_0000_0000_0000, 0x0000_0000),
        (0x3690_0000_0000_0001, 0x0000_0001),
        (0x8000_0000_0000_0001, 0x8000_0000),
        (0x7ff0_0000_0000_0000, 0x7f80_0000),
        (0x8000_0000_0000_0000, 0x8000_0000),
    ];
    let from: Vec<_> = cases.iter().flat_map(|(from, _)| from.to_le_bytes()).collect();
    let to: Vec<_> = cases.iter().flat_map(|(_, to)| to.to_le_bytes()).collect();
    let value = plain(Kind::Transform3D, Width::Double, &from);
    assert_eq!(filled(to.len(), |dest| fill::plain(value, Width::Single, dest)), to);

    let nans = [f64::NAN, f64::from_bits(0x7ff0_0000_0000_0001), -f64::NAN].map(f64::to_le_bytes);
    let value = plain(Kind::Vector3, Width::Double, nans.as_flattened());
    let found = filled(12, |dest| fill::plain(value, Width::Single, dest));
    assert!(found.chunks_exact(4).all(|bytes| f32::from_le_bytes(bytes.try_into().expect("four bytes")).is_nan()));
}

#[test]
fn a_destination_of_another_length_is_refused() {
    let is_refused = |len: usize, work: &dyn Fn(&mut [MaybeUninit<u8>])| {
        let work = || work(&mut vec![MaybeUninit::uninit(); len]);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err()
    };
    for len in [100, LARGE] {
        let batch = Batch::new(&[Tree::bytes(len)]);
        for wrong in [0, batch.plan.len() - 1, batch.plan.len() + 1] {
            for fill in [fill::fill, fill_pieces] {
                assert!(is_refused(wrong, &|dest| fill(batch.plan.whole(), dest)), "{wrong} for {}", batch.plan.len());
            }
        }
    }
    let bytes = vec![0; 8 << 20];
    for (from, to) in [(24, 23), (24, 25), (24, 0), (bytes.len(), bytes.len() - 1), (bytes.len() - 1, bytes.len())] {
        let value = plain(Kind::PackedByteArray, Width::Single, &bytes[..from]);
        assert!(is_refused(to, &|dest| fill::plain(value, Width::Single, dest)), "{from} into {to}");
    }
    for to in [0, 8, 11, 13, 16] {
        let value = plain(Kind::Vector3, Width::Double, &bytes[..24]);
        assert!(is_refused(to, &|dest| fill::plain(value, Width::Single, dest)), "24 into {to}");
    }
}
