//! Guards: random, cut, changed and spliced buffers of every kind, nested ones too, are read as the model of their engine
//! reads them.

use varbatch_codec::{Engine, frames};

use crate::support::agree::{assert_agrees, assert_agrees_of};
use crate::support::model::Verdict;
use crate::support::nearly;
use crate::support::random::Random;
use crate::support::vectors;

/// Fails unless `rounds` buffers agree, and neither most are good nor most are bad, or this would test little. A quarter
/// of them are enough for engines other than Godot 4.
#[track_caller]
fn assert_all_agree(engine: Engine, rounds: usize, mut next: impl FnMut() -> Vec<u8>) {
    let rounds = if engine == Engine::Godot4 { rounds } else { rounds / 4 };
    let mut accepted = 0;
    for round in 0..rounds {
        let verdict = assert_agrees_of(engine, &next(), round % 4 != 0);
        accepted += usize::from(matches!(verdict, Verdict::Accepted(_)));
    }
    let some = rounds / 5..rounds * 19 / 20;
    assert!(some.contains(&accepted), "{accepted} of {rounds} accepted of {}", engine.name());
}

#[test]
fn values_of_each_kind_with_slips_agree() {
    for engine in Engine::ALL {
        let mut random = Random::new(20_260_101);
        assert_all_agree(engine, 300_000, || nearly::value_of(engine, &mut random, 0, 1000));
    }
}

#[test]
fn nested_values_with_few_or_many_slips_agree() {
    for engine in Engine::ALL {
        let mut random = Random::new(1);
        assert_all_agree(engine, 120_000, || nearly::value_of(engine, &mut random, 4, 10));
        assert_all_agree(engine, 120_000, || nearly::value_of(engine, &mut random, 3, 100));
    }
}

#[test]
fn damaged_nested_values_agree() {
    for engine in Engine::ALL {
        let mut random = Random::new(3);
        assert_all_agree(engine, 160_000, || {
            let depth = random.below(4);
            let mut bytes = nearly::value_of(engine, &mut random, depth, 2);
            let other = nearly::value_of(engine, &mut random, 2, 2);
            (0..1 + random.below(2)).for_each(|_| nearly::damage(&mut random, &mut bytes, &other));
            bytes
        });
    }
}

#[test]
fn damaged_vectors_agree() {
    for engine in [Engine::Godot4, Engine::Godot3, Engine::Pandemonium] {
        let mut random = Random::new(4);
        let mine = vectors::all().filter(|vector| vector.engine == engine && vector.bytes.len() < 400);
        let all: Vec<_> = mine.map(|vector| vector.bytes).collect();
        assert_all_agree(engine, 400_000, || {
            let (mut bytes, other) = (all[random.below(all.len())].clone(), &all[random.below(all.len())]);
            (0..random.below(3)).for_each(|_| nearly::damage(&mut random, &mut bytes, other));
            bytes
        });
    }
}

#[test]
fn every_truncation_of_nested_values_agrees() {
    let mut random = Random::new(5);
    for round in 0..2000 {
        let engine = if round % 4 == 0 { random.pick(&Engine::ALL) } else { Engine::Godot4 };
        let bytes = nearly::value_of(engine, &mut random, 2, 0);
        (0..bytes.len().min(400)).for_each(|len| _ = assert_agrees_of(engine, &bytes[..len], true));
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
        let word = |random: &mut Random| {
            let id = random.pick(&[0, 1, 2, 3, 4, 22, 24, 24, 27, 28, 28, 29, 34]) as u32;
            (id | (random.pick(&[0, 0, 1, 5]) as u32) << 16).to_le_bytes()
        };
        let bytes: Vec<_> = (0..random.below(24)).flat_map(|_| word(&mut random)).collect();
        assert_agrees(&bytes, true);
    }
}
