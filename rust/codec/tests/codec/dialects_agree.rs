//! Guards: in each dialect the Reader accepts what the engine accepts, to the last byte, whatever the damage; nothing
//! costs more than the input is worth.

use varbatch_codec::{CodecErrorKind, Dialect, Engine, Kind, Reader, validate};

use crate::support::agree::assert_agrees_of;
use crate::support::allocator::taken;
use crate::support::model::{self, Verdict};
use crate::support::random::Random;
use crate::support::steps::{read_of, rest};
use crate::support::vectors::{self, hex};
use crate::support::{nearly, numbers};

/// Longer ones are the same again and again.
const SHORT: usize = 400;

fn others() -> impl Iterator<Item = Engine> {
    Engine::ALL.into_iter().filter(|&engine| engine != Engine::Godot4)
}

/// Whose they are, and whether objects are allowed.
fn buffers() -> impl Iterator<Item = (Engine, bool, Vec<u8>)> {
    let is_objects = |name: &str| name.ends_with(" (objects)");
    let written = vectors::godot_3_encoded().into_iter().filter_map(|vector| Some((vector.name, vector.bytes?)));
    let read = vectors::godot_3_decoded().into_iter().map(|vector| (vector.name, vector.bytes));
    let godot_3 = written.chain(read).map(move |(name, bytes)| (Engine::Godot3, is_objects(name), bytes));
    godot_3.chain(vectors::pandemonium().into_iter().map(|vector| (vector.engine, true, vector.bytes)))
}

#[test]
fn every_truncation_agrees() {
    for (engine, allow_objects, bytes) in buffers() {
        let step = if bytes.len() > SHORT { 97 } else { 1 };
        (0..=bytes.len()).step_by(step).for_each(|len| _ = assert_agrees_of(engine, &bytes[..len], allow_objects));
        assert_agrees_of(engine, &bytes, allow_objects);
        assert_agrees_of(engine, &bytes, !allow_objects);
    }
}

#[test]
fn every_changed_byte_agrees() {
    let short = |bytes: &[u8]| bytes.len() <= 64;
    for (engine, allow_objects, mut bytes) in buffers().filter(|(_, _, bytes)| short(bytes)) {
        for at in 0..bytes.len() {
            let old = bytes[at];
            for new in [0, 1, 2, 3, 5, 0x17, 0x18, 0x1b, 0x7f, 0x80, 0xbf, 0xff, old ^ 1, old ^ 0x80, !old] {
                bytes[at] = new;
                assert_agrees_of(engine, &bytes, allow_objects);
            }
            bytes[at] = old;
        }
    }
}

#[test]
fn every_error_lies_inside_of_the_bytes_and_counts_from_the_base() {
    for (engine, allow_objects, bytes) in buffers().filter(|(_, _, bytes)| bytes.len() <= SHORT) {
        for len in 0..bytes.len() {
            let reader = |reader: Reader<'_>| {
                let mut reader = reader.with_dialect(Dialect::of(engine)).with_objects(allow_objects);
                rest(&mut reader).map(|events| events.len())
            };
            let (here, there) =
                (reader(Reader::new(&bytes[..len])), reader(Reader::new(&bytes[..len]).with_base(1000)));
            match (here, there) {
                (Err(here), Err(there)) => {
                    assert!(here.at() <= len, "{len} bytes: {here}");
                    assert_eq!((1000 + here.at(), here.kind(), here.path()), (there.at(), there.kind(), there.path()));
                }
                (here, there) => assert_eq!(here, there),
            }
        }
    }
}

/// Fails unless `rounds` buffers agree, and neither most are good nor most are bad, or this would test little.
#[track_caller]
fn assert_all_agree(engine: Engine, rounds: usize, mut next: impl FnMut() -> Vec<u8>) {
    let mut accepted = 0;
    for round in 0..rounds {
        let verdict = assert_agrees_of(engine, &next(), round % 4 != 0);
        accepted += usize::from(matches!(verdict, Verdict::Accepted(_)));
    }
    let some = rounds / 5..rounds * 19 / 20;
    assert!(some.contains(&accepted), "{accepted} of {rounds} accepted of {}", engine.name());
}

#[test]
fn values_of_each_type_with_slips_agree() {
    for engine in others() {
        let mut random = Random::new(20_260_102);
        assert_all_agree(engine, 60_000, || nearly::value_of(engine, &mut random, 0, 1000));
    }
}

#[test]
fn nested_values_with_slips_agree() {
    for engine in others() {
        let mut random = Random::new(11);
        assert_all_agree(engine, 30_000, || nearly::value_of(engine, &mut random, 4, 10));
        assert_all_agree(engine, 30_000, || nearly::value_of(engine, &mut random, 3, 100));
    }
}

#[test]
fn damaged_nested_values_agree() {
    for engine in others() {
        let mut random = Random::new(13);
        assert_all_agree(engine, 40_000, || {
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
    for engine in [Engine::Godot3, Engine::Pandemonium] {
        let mut random = Random::new(14);
        let mine = buffers().filter(|(of, _, bytes)| *of == engine && bytes.len() < SHORT);
        let all: Vec<_> = mine.map(|(_, _, bytes)| bytes).collect();
        assert_all_agree(engine, 100_000, || {
            let (mut bytes, other) = (all[random.below(all.len())].clone(), &all[random.below(all.len())]);
            (0..random.below(3)).for_each(|_| nearly::damage(&mut random, &mut bytes, other));
            bytes
        });
    }
}

#[test]
fn the_model_knows_the_text_of_godot_3_byte_by_byte() {
    // Each sequence of three bytes behind some leads, with what may end it, in all engines.
    let (leads, next) = ([0xed, 0xe0, 0xf0, 0xf4, 0xf8, 0xfc, 0xc1, 0xc2, 0xef], [0x80, 0x8f, 0x90, 0xa0, 0xb8, 0xbf]);
    let mut accepted = 0;
    for lead in leads {
        for a in next {
            for b in next.into_iter().chain([0x00, 0x41, 0x82, 0x84, 0x87, 0x88]) {
                for behind in [&[][..], &[0x80], &[0xbf, 0x80], &[0x80, 0x80, 0x80], &[0xed, 0xb8, 0x80], &[0]] {
                    let text = [&[lead, a, b][..], behind].concat();
                    let mut bytes = [4, 0, 0, 0, text.len() as u8, 0, 0, 0].to_vec();
                    bytes.extend(text);
                    bytes.resize(bytes.len().next_multiple_of(4), 0);
                    for engine in Engine::ALL {
                        accepted += usize::from(assert_agrees_of(engine, &bytes, false) != Verdict::Refused);
                    }
                }
            }
        }
    }
    assert!(accepted > 1000, "{accepted} accepted");
}

/// 1024 arrays around `inner`.
fn deep(array: &str, levels: usize, inner: &str) -> Vec<u8> {
    [hex(&format!("{array} 01000000")).repeat(levels), hex(inner)].concat()
}

#[test]
fn vectors_in_an_array_lie_one_deeper_than_it() {
    // Pandemonium 5: 26 is an Array, 34 a pool of Vector2i.
    for (inner, fails) in [
        ("22000000 00000000", false),
        ("22000000 01000000 01000000 02000000", true),
        ("21000000 01000000 0000803f 00000040", false),
        ("1b000000 02000000 00000000", false),
        ("1b000000 02000000 01000000 02000000 07000000", true),
        ("1a000000 01000000 00000000", true),
    ] {
        let deepest = deep("1a000000", 1024, inner);
        let verdict = assert_agrees_of(Engine::Pandemonium, &deepest, false);
        assert_eq!(verdict == Verdict::Refused, fails, "{inner}");
        let found = read_of(Engine::Pandemonium, &deepest).map(|(events, _)| events.len());
        match found {
            Ok(_) => assert!(!fails, "{inner}"),
            Err(error) => {
                assert_eq!(*error.kind(), CodecErrorKind::TooDeep, "{inner}");
                assert_eq!(error.path().steps().len(), 1025, "{inner}");
                // Behind the head of the array, where the first element is.
                let head = if inner.starts_with("1b") { 12 } else { 8 };
                assert_eq!(error.at(), 1024 * 8 + head, "{inner}");
            }
        }
        let less = deep("1a000000", 1023, inner);
        assert_eq!(read_of(Engine::Pandemonium, &less).map(|(_, len)| len), Ok(less.len()), "{inner}");
    }
}

#[test]
fn vectors_are_only_believed_with_what_has_to_follow_them() {
    // Three elements: a pool of two Vector2i takes all that is left.
    let bytes = hex("1a000000 03000000 22000000 02000000 01000000 02000000 03000000 04000000");
    let error = read_of(Engine::Pandemonium, &bytes).expect_err("two are missing");
    let (kind, parts) = (Kind::Array, "elements");
    assert_eq!(*error.kind(), CodecErrorKind::ShortCount { kind, parts, count: 2, expected: 24, due: 8, found: 16 });
    assert_eq!((error.at(), error.path().to_string().as_str()), (16, " inside [0]"));
    let trusting = Reader::new(&bytes).with_dialect(Dialect::PANDEMONIUM).with_trusted_counts();
    let error = validate(trusting).expect_err("two are missing");
    assert_eq!((error.kind(), error.at()), (&CodecErrorKind::NoHeader { found: 0 }, 32));
    assert_agrees_of(Engine::Pandemonium, &bytes, false);
}

#[test]
fn a_huge_count_allocates_nothing_but_its_error() {
    for engine in others() {
        for id in 0..numbers::types(engine).len() as u8 {
            for (flag, count) in [(0, 0x7fff_ffff), (1, 0x7fff_ffff_u32), (0, 0xffff_ffff), (0, 0x1fff_ffff)] {
                let bytes: Vec<_> = [u32::from(id) | flag << 16, count, 2, count].map(u32::to_le_bytes).concat();
                let reader = || Reader::new(&bytes).with_dialect(Dialect::of(engine)).with_objects(true);
                let ((calls, len), result) = taken(|| validate(reader()));
                assert!(len < 2000 && calls < 20, "type {id} of {}: {len} bytes, {result:?}", engine.name());
                let verdict = result.map_or(Verdict::Refused, Verdict::Accepted);
                assert_eq!(verdict, model::verdict_of(engine, &bytes, true), "type {id} of {}", engine.name());
            }
        }
    }
}

#[test]
fn each_type_is_named_before_it_is_read() {
    for (engine, allow_objects, bytes) in buffers() {
        let reader = || Reader::new(&bytes).with_dialect(Dialect::of(engine)).with_objects(allow_objects);
        let number = bytes.first().copied().filter(|_| bytes.len() >= 4);
        let expected = number.and_then(|number| engine.kind(number));
        assert_eq!(reader().peek_kind().ok(), expected, "{bytes:02x?}");
    }
    // An element without a header as well.
    let bytes = hex("22000000 02000000 01000000 02000000 03000000 04000000");
    let mut reader = Reader::new(&bytes).with_dialect(Dialect::PANDEMONIUM);
    for expected in [Kind::Array, Kind::Vector2i, Kind::Vector2i] {
        assert_eq!(reader.peek_kind(), Ok(expected));
        reader.next_event().expect("reads");
    }
}
