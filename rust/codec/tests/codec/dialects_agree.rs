//! Guards: in each dialect the Reader accepts what the engine accepts where that is another rule than Godot 4's.
//! Damage is looked at in `hostile` and `nested`.

use varbatch_codec::{CodecErrorKind, Dialect, Engine, Kind, Reader, validate};

use crate::support::agree::assert_agrees_of;
use crate::support::model::Verdict;
use crate::support::steps::read_of;
use crate::support::vectors::{self, Buffer, hex};
use crate::support::wire::string;

#[test]
fn the_model_knows_the_text_of_godot_3_byte_by_byte() {
    // Each sequence of three bytes behind some leads, with what may end it, in all engines.
    let (leads, next) = ([0xed, 0xe0, 0xf0, 0xf4, 0xf8, 0xfc, 0xc1, 0xc2, 0xef], [0x80, 0x8f, 0x90, 0xa0, 0xb8, 0xbf]);
    let mut accepted = 0;
    for lead in leads {
        for a in next {
            for b in next.into_iter().chain([0x00, 0x41, 0x82, 0x84, 0x87, 0x88]) {
                for behind in [&[][..], &[0x80], &[0xbf, 0x80], &[0x80, 0x80, 0x80], &[0xed, 0xb8, 0x80], &[0]] {
                    let bytes = string([&[lead, a, b][..], behind].concat());
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
fn each_type_is_named_before_it_is_read() {
    for Buffer { engine, allow_objects, bytes, .. } in vectors::all() {
        let reader = Reader::new(&bytes).with_dialect(Dialect::of(engine)).with_objects(allow_objects);
        let number = bytes.first().copied().filter(|_| bytes.len() >= 4);
        assert_eq!(reader.peek_kind().ok(), number.and_then(|number| engine.kind(number)), "{bytes:02x?}");
    }
    // An element without a header as well.
    let bytes = hex("22000000 02000000 01000000 02000000 03000000 04000000");
    let mut reader = Reader::new(&bytes).with_dialect(Dialect::PANDEMONIUM);
    for expected in [Kind::Array, Kind::Vector2i, Kind::Vector2i] {
        assert_eq!(reader.peek_kind(), Ok(expected));
        reader.next_event().expect("reads");
    }
}
