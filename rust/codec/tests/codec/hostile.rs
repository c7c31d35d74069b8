//! Guards: no damage to a vector, and no random, cut, changed or spliced buffer of any kind, panics; the Reader accepts
//! exactly what each engine accepts, to the last byte. No depth of a buffer costs a thread its stack.

use varbatch_codec::{CodecErrorKind, Engine, Event, Kind, Reader, frames, validate};

use crate::support::agree::{assert_agrees, assert_agrees_of};
use crate::support::model::{self, Verdict};
use crate::support::random::Random;
use crate::support::steps::{read_of, rest, write};
use crate::support::vectors::{self, Buffer, hex};
use crate::support::{nearly, on_a_stack};

/// Longer ones are the same again and again.
const SHORT: usize = 400;

fn short_buffers(most: usize) -> impl Iterator<Item = Buffer> {
    vectors::all().filter(move |vector| vector.bytes.len() <= most)
}

impl Buffer {
    #[track_caller]
    fn agrees(&self, bytes: &[u8]) -> bool {
        matches!(assert_agrees_of(self.engine, bytes, self.allow_objects), Verdict::Accepted(_))
    }
}

#[test]
fn every_truncation_is_refused_but_for_a_last_padding() {
    let mut whole = 0;
    for vector in vectors::all() {
        let Buffer { engine, name, allow_objects, ref bytes } = vector;
        assert_agrees_of(engine, bytes, !allow_objects);
        let is_whole = model::verdict_of(engine, bytes, allow_objects) == Verdict::Accepted(bytes.len());
        whole += usize::from(is_whole);
        let padding = match read_of(engine, bytes).ok().and_then(|(events, _)| events.last().copied()) {
            Some(Event::Packed(plain)) if plain.kind == Kind::PackedByteArray => (4 - plain.count % 4) % 4,
            _ => 0,
        };
        let step = if bytes.len() > SHORT { 97 } else { 1 };
        for len in (0..bytes.len()).step_by(step).chain(bytes.len().saturating_sub(16)..=bytes.len()) {
            let accepted = vector.agrees(&bytes[..len]);
            // What is broken, or has more behind it, has no such end.
            assert!(!is_whole || accepted == (len + padding >= bytes.len()), "{name}, {len} bytes");
        }
    }
    assert!(whole > 800, "{whole} are whole");
}

#[test]
fn every_changed_word_agrees() {
    // Counts, lengths, headers and types are all words, and what is none is changed as well.
    for vector in short_buffers(SHORT) {
        let mut bytes = vector.bytes.clone();
        for at in (0..bytes.len().saturating_sub(3)).step_by(4) {
            let old = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            let near = [1, 2, 4, u32::MAX, u32::MAX - 3].map(|step| old.wrapping_add(step));
            let far = [0, 1 << 30, 1 << 31, 0x7fff_ffff, 0x7fff_fffc, 0x7fff_fffb, 0x8000_0001, u32::MAX, u32::MAX - 3];
            // As a count of elements of 8, 12 or 16 bytes, or of two of them, more than 32 bits hold.
            let wrapped = [0x2000_0000, 0x1555_5556, 0x1000_0001, 0x0aaa_aaab, 0x0800_0001];
            let flags = (16..20).map(|bit| old ^ 1 << bit);
            for word in near.into_iter().chain(far).chain(wrapped).chain(flags).chain([old ^ 1 << 31]) {
                bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
                vector.agrees(&bytes);
            }
            bytes[at..at + 4].copy_from_slice(&old.to_le_bytes());
        }
    }
}

#[test]
fn every_changed_byte_agrees() {
    for vector in short_buffers(80) {
        let mut bytes = vector.bytes.clone();
        for at in 0..bytes.len() {
            let old = bytes[at];
            let some = [0, 1, 2, 3, 5, 0x17, 0x18, 0x1b, 0x7f, 0x80, 0xbf, 0xff, old ^ 1, old ^ 0x80, !old];
            let new = if vector.engine == Engine::Godot4 { (0..=u8::MAX).collect() } else { some.to_vec() };
            for new in new {
                bytes[at] = new;
                vector.agrees(&bytes);
            }
            bytes[at] = old;
        }
    }
}

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
fn values_and_nested_ones_with_few_or_many_slips_agree() {
    for engine in Engine::ALL {
        for (seed, rounds, depth, slips) in [(20_260_101, 300_000, 0, 1000), (1, 120_000, 4, 10), (2, 120_000, 3, 100)]
        {
            let mut random = Random::new(seed);
            assert_all_agree(engine, rounds, || nearly::value_of(engine, &mut random, depth, slips));
        }
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
fn random_bytes_and_words_agree() {
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
        // Headers of containers and small counts, in any order.
        let mut word = || {
            let id: u32 = random.pick(&[0, 1, 2, 3, 4, 22, 24, 24, 27, 28, 28, 29, 34]);
            id | random.pick(&[0, 0, 1, 5]) << 16
        };
        let words: Vec<_> = (0..len / 2).flat_map(|_| word().to_le_bytes()).collect();
        assert_agrees(&words, true);
    }
}

/// Much less than the smallest stack of a thread of the engine.
const STACK: usize = 64 << 10;

#[test]
fn the_deepest_vectors_are_read_written_and_validated_on_a_small_stack() {
    let deep: Vec<_> = vectors::buffers().filter(|vector| vector.name.contains("_deep")).collect();
    assert!(deep.len() > 12, "{} vectors", deep.len());
    let read = on_a_stack(STACK, || {
        let mut read = 0;
        for vector in &deep {
            let reader = || Reader::new(&vector.bytes).with_objects(vector.allow_objects);
            let events = rest(&mut reader());
            assert_eq!(validate(reader()).is_ok(), events.is_ok(), "{}", vector.name);
            match events {
                Ok(events) => {
                    assert_eq!(write(&events).as_ref(), Ok(&vector.bytes), "{}", vector.name);
                    // A place inside, found again by reading once more.
                    let path = reader().path_at(vector.bytes.len() / 8 * 4).to_string();
                    assert!(path.contains(" more..."), "{}: {path}", vector.name);
                    read += 1;
                }
                Err(error) => assert_eq!(*error.kind(), CodecErrorKind::TooDeep, "{}", vector.name),
            }
        }
        read
    });
    assert!(read > 8 && read < deep.len(), "{read} of {} are read", deep.len());
}

#[test]
fn however_deep_a_buffer_goes_it_is_left_at_the_limit() {
    // A megabyte of each kind of container, one in the other.
    for head in [
        "1c000000 01000000",
        "1c000100 1c000000 01000000",
        "1b000000 01000000",
        "1b000000 01000000 00000000",
        "18000000 01000000 41000000 01000000 01000000 61000000",
    ] {
        let level = hex(head);
        let bytes = level.repeat((1 << 20) / level.len());
        let error = on_a_stack(STACK, || {
            let error = validate(Reader::new(&bytes).with_base(5).with_objects(true)).expect_err("too deep");
            assert!(error.to_string().len() < 1000, "{error}");
            error
        });
        // Keys and values of one entry lie equally deep, so the key before a value is what fails first.
        let extra = if head.ends_with("01000000 00000000") { 4 } else { 0 };
        assert_eq!(
            (error.kind().clone(), error.at()),
            (CodecErrorKind::TooDeep, 5 + 1025 * level.len() - extra),
            "{head}"
        );
        assert_eq!(error.path().steps().len(), 1025, "{head}");
    }
}

#[test]
fn the_last_level_may_hold_anything_but_a_value_in_a_container() {
    const GODOT_4: &str = "1c000000 01000000";
    // Of Pandemonium 5: 26 is an Array, 27 one of a type, 34 a pool of Vector2i, whose vectors lie one deeper.
    const PANDEMONIUM: &str = "1a000000 01000000";
    for (array, inner, fails) in [
        (GODOT_4, "00000000", false),
        (GODOT_4, "1c000000 00000000", false),
        (GODOT_4, "1b000000 00000000", false),
        (GODOT_4, "22000000 02000000 01000000 00000000 01000000 00000000", false),
        (GODOT_4, "16000000 01000080 00000000 00000000 01000000 61000000", false),
        (GODOT_4, "18000000 01000000 41000000 00000000", false),
        (GODOT_4, "1c000000 01000000 00000000", true),
        (GODOT_4, "1b000000 01000000 00000000 00000000", true),
        (GODOT_4, "18000000 01000000 41000000 01000000 01000000 61000000 00000000", true),
        (PANDEMONIUM, "22000000 00000000", false),
        (PANDEMONIUM, "22000000 01000000 01000000 02000000", true),
        (PANDEMONIUM, "21000000 01000000 0000803f 00000040", false),
        (PANDEMONIUM, "1b000000 02000000 00000000", false),
        (PANDEMONIUM, "1b000000 02000000 01000000 02000000 07000000", true),
        (PANDEMONIUM, "1a000000 01000000 00000000", true),
    ] {
        let engine = if array == GODOT_4 { Engine::Godot4 } else { Engine::Pandemonium };
        let nested = |depth: usize| [hex(array).repeat(depth), hex(inner)].concat();
        let (less, deepest, more) = (nested(1023), nested(1024), nested(1025));
        assert_eq!(assert_agrees_of(engine, &less, true), Verdict::Accepted(less.len()), "{inner}");
        assert_eq!(assert_agrees_of(engine, &deepest, true) == Verdict::Refused, fails, "{inner}");
        let error = |bytes: &[u8]| read_of(engine, bytes).expect_err("too deep");
        assert_eq!((error(&more).kind().clone(), error(&more).at()), (CodecErrorKind::TooDeep, 1025 * 8), "{inner}");
        if fails {
            let error = error(&deepest);
            assert_eq!((error.kind(), error.path().steps().len()), (&CodecErrorKind::TooDeep, 1025), "{inner}");
            // Where the first value is: behind the head of what holds it, and before its count of bytes ends.
            assert!((1024 * 8 + 8..1024 * 8 + hex(inner).len()).contains(&error.at()), "{inner}: {error}");
        }
    }
}
