//! Guards: however an output is cut into parts and over threads, every byte of it is written once and nothing beside it.

use std::mem::MaybeUninit;

use varbatch_codec::fill;

use crate::support::canary::fill_pieces;
use crate::support::random::Random;
use crate::support::tree::{Batch, LARGE, PIECE, Tree, bytes};

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

#[test]
fn huge_values_alone_and_between_small_ones() {
    assert_fills(&[LARGE; 3]);
    assert_fills(&[PIECE; 7]);
    assert_fills(&[PIECE + 1; 7]);
    assert_fills(&[PIECE - 8; 9]);
    let (small, huge, text) = (Tree::Int(1 << 40), || Tree::bytes(LARGE + 1), Tree::text);
    let encoded = |len| Tree::Encoded(bytes(len));
    for values in [
        vec![encoded(PIECE + 3), encoded(PIECE + 3), encoded(PIECE + 3)],
        vec![small.clone(), huge()],
        vec![huge(), small.clone()],
        vec![small.clone(), huge(), small.clone()],
        vec![huge(), small.clone(), huge()],
        vec![small.clone(), small.clone(), huge(), huge(), small.clone(), small.clone(), huge()],
        vec![Tree::bytes(65), huge(), Tree::bytes(1), Tree::bytes(PIECE), text(3), huge(), encoded(5)],
        vec![text(LARGE / 2)],
        vec![text(PIECE), text(1), Tree::bytes(PIECE + 5), text(PIECE / 2)],
        vec![Tree::Int(7), text(PIECE), Tree::Int(8), text(PIECE), Tree::Int(9)],
        vec![],
    ] {
        Batch::new(&values).assert_fills();
    }
}

#[test]
fn parts_between_marks_are_the_whole() {
    let piece = || Tree::bytes(PIECE + 7);
    let text = Tree::text(PIECE);
    let batch = Batch::new(
        &[
            [Tree::Int(1), piece(), piece(), piece()],
            [piece(), text, Tree::Int(2), piece()],
            [piece(), Tree::bytes(3), Tree::Int(4), Tree::Int(5)],
        ]
        .concat(),
    );
    (0..12).for_each(|from| batch.assert_part(from, from + 1));
    // Long parts that do not begin where the plan begins.
    for (from, to) in [(0, 0), (0, 1), (1, 12), (2, 12), (3, 12), (1, 9), (9, 12)] {
        batch.assert_part(from, to);
    }
}

#[test]
fn any_batch_is_filled_alike_in_pieces_and_cut_anywhere() {
    let mut random = Random::new(3);
    for round in 0..60 {
        let edge = PIECE - 12 + random.below(17);
        let long = [edge, edge, random.below(3 * PIECE)];
        let count = random.below(if round % 5 == 0 { 40 } else { 8 });
        let batch = Batch::new(&(0..count).map(|_| Tree::any(&mut random, 0, &long)).collect::<Vec<_>>());
        batch.assert_fills();
        (0..4).for_each(|_| batch.assert_part(random.below(count + 1), random.below(count + 1)));
    }
}

#[test]
fn a_destination_of_another_length_is_refused() {
    for len in [100, LARGE] {
        let batch = Batch::new(&[Tree::bytes(len)]);
        for wrong in [0, batch.plan.len() - 1, batch.plan.len() + 1] {
            for fill in [fill::fill, fill_pieces] {
                let mut dest = vec![MaybeUninit::uninit(); wrong];
                let work = || fill(batch.plan.whole(), &mut dest);
                let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err();
                assert!(refused, "{wrong} for {}", batch.plan.len());
            }
        }
    }
}
