//! Guards: random, cut, changed and spliced buffers of every kind, nested ones too, are read as the model reads them.

use varbatch_codec::frames;

use crate::support::agree::assert_agrees;
use crate::support::model::Verdict;
use crate::support::nearly;
use crate::support::random::Random;
use crate::support::vectors;

/// Fails unless `rounds` buffers agree, and neither most are good nor most are bad, or this would test little.
#[track_caller]
fn assert_all_agree(rounds: usize, mut next: impl FnMut() -> Vec<u8>) {
    let mut accepted = 0;
    for round in 0..rounds {
        let verdict = assert_agrees(&next(), round % 4 != 0);
        accepted += usize::from(matches!(verdict, Verdict::Accepted(_)));
    }
    assert!((rounds / 5..rounds * 19 / 20).contains(&accepted), "{accepted} of {rounds} accepted");
}

#[test]
fn values_of_each_kind_with_slips_agree() {
    let mut random = Random::new(20_260_101);
    assert_all_agree(300_000, || nearly::value(&mut random, 0, 1000));
}

#[test]
fn nested_values_with_few_slips_agree() {
    let mut random = Random::new(1);
    assert_all_agree(100_000, || nearly::value(&mut random, 4, 10));
}

#[test]
fn nested_values_with_many_slips_agree() {
    let mut random = Random::new(2);
    assert_all_agree(100_000, || nearly::value(&mut random, 3, 100));
}

#[test]
fn damaged_nested_values_agree() {
    let mut random = Random::new(3);
    assert_all_agree(150_000, || {
        let depth = random.below(4);
        let (mut bytes, other) = (nearly::value(&mut random, depth, 2), nearly::value(&mut random, 2, 2));
        (0..1 + random.below(2)).for_each(|_| nearly::damage(&mut random, &mut bytes, &other));
        bytes
    });
}

#[test]
fn damaged_vectors_agree() {
    let mut random = Random::new(4);
    let all: Vec<_> = vectors::buffers().map(|vector| vector.bytes).filter(|bytes| bytes.len() < 400).collect();
    assert_all_agree(300_000, || {
        let (mut bytes, other) = (all[random.below(all.len())].clone(), &all[random.below(all.len())]);
        (0..random.below(3)).for_each(|_| nearly::damage(&mut random, &mut bytes, other));
        bytes
    });
}

#[test]
fn every_truncation_of_nested_values_agrees() {
    let mut random = Random::new(5);
    for _ in 0..1500 {
        let bytes = nearly::value(&mut random, 2, 0);
        (0..bytes.len().min(400)).for_each(|len| _ = assert_agrees(&bytes[..len], true));
    }
}

#[test]
fn random_bytes_agree() {
    let mut random = Random::new(6);
    for _ in 0..300_000 {
        let len = random.below(40);
        let mut bytes = random.bytes(len);
        assert_agrees(&bytes, true);
        // With a header of a type, most of them get further.
        if len > 3 {
            bytes[0] %= 39;
            assert_agrees(&bytes, true);
        }
        frames::read(&bytes).for_each(drop);
    }
}

#[test]
fn random_words_agree() {
    // Headers of containers and small counts, in any order.
    let mut random = Random::new(7);
    for _ in 0..300_000 {
        let words = random.below(24);
        let bytes: Vec<_> = (0..words)
            .flat_map(|_| {
                let id = random.pick(&[0, 1, 2, 3, 4, 22, 24, 24, 27, 28, 28, 29, 34]) as u32;
                let flags = random.pick(&[0, 0, 1, 5]) as u32;
                (id | flags << 16).to_le_bytes()
            })
            .collect();
        assert_agrees(&bytes, true);
    }
}
