//! Guards: text is written for every character and read for every three bytes as plain code does. What the kernels do with
//! each length, alignment and odd character, the public functions among them, is looked at in `text_kernels`.

use std::mem::MaybeUninit;

use varbatch_codec::text;

use crate::support::random::Random;
use crate::support::times;
use crate::text_kernels::{BAD_PARTS, GOOD_PARTS, parts};

#[test]
fn every_character_encodes_as_rust_does() {
    for c in ('\0'..=char::MAX).step_by(times(1, 9973)) {
        let mut buffer = [0; 4];
        let expected = c.encode_utf8(&mut buffer).as_bytes();
        let mut out = [MaybeUninit::new(0); 4];
        text::encode(&[u32::from(c)], &mut out[..expected.len()]);
        // SAFETY: the array was made of values.
        let out = out.map(|byte| unsafe { byte.assume_init() });
        assert_eq!(&out[..expected.len()], expected, "{c:?}");
    }
}

/// Decodes beside the rules of the engine, step by step.
#[track_caller]
fn assert_decodes(bytes: &[u8]) {
    let marked = bytes.len() >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf;
    let start = if marked { 3 } else { 0 };
    let mut end = start;
    while end < bytes.len() && bytes[end] != 0 {
        end += 1;
    }
    let expected = std::str::from_utf8(&bytes[start..end]).map_err(|error| start + error.valid_up_to());
    let decoded = text::decode(bytes);
    assert_eq!(decoded, expected, "{bytes:02x?}");
    if let Ok(text) = decoded {
        assert_eq!(text::utf32_len(text), text.chars().count(), "{bytes:02x?}");
    }
}

#[test]
fn every_three_bytes_decode_to_the_rules() {
    (0..1_u32 << 24).step_by(times(1, 65_521)).for_each(|word| assert_decodes(&word.to_le_bytes()[..3]));
}

#[test]
fn random_bytes_decode_to_the_rules() {
    let (good, bad) = (parts(GOOD_PARTS), parts(BAD_PARTS));
    let mut random = Random::new(3);
    for _ in 0..times(100_000, 100) {
        // Mostly good parts, so that what comes late is looked at as well.
        let part = |random: &mut Random| {
            let of = if random.percent(90) { &good } else { &bad };
            of[random.below(of.len())].clone()
        };
        let count = random.below(12);
        assert_decodes(&(0..count).flat_map(|_| part(&mut random)).collect::<Vec<_>>());
    }
}

#[test]
fn an_odd_byte_at_every_place_of_short_text_is_seen() {
    for len in (0..80_usize).step_by(times(1, 13)) {
        let ascii: Vec<_> = (0..len).map(|index| b'a' + (index % 26) as u8).collect();
        assert_decodes(&ascii);
        for at in (0..len).step_by(times(1, 7)) {
            for odd in [0, 1, 0x7f, 0x80, 0xc3, 0xff] {
                let mut bytes = ascii.clone();
                bytes[at] = odd;
                assert_decodes(&bytes);
                bytes.push(0);
                assert_decodes(&bytes);
            }
            for odd in ["é", "日", "😀", "\u{feff}"] {
                let (before, behind) = ascii.split_at(at);
                assert_decodes(&[before, odd.as_bytes(), behind].concat());
            }
        }
    }
}

#[test]
fn a_byte_order_mark_and_a_nul_are_where_the_engine_looks_for_them() {
    for (bytes, expected) in [
        (&b""[..], Ok("")),
        (b"\xef\xbb\xbf", Ok("")),
        (b"\xef\xbb\xbf\xef\xbb\xbfa", Ok("\u{feff}a")),
        (b"a\xef\xbb\xbf", Ok("a\u{feff}")),
        (b"\0\xef\xbb\xbf", Ok("")),
        (b"ab\0\xff", Ok("ab")),
        (b"\xef\xbb\xbfa\xff", Err(4)),
        (b"ab\xc3\0", Err(2)),
        (b"\xef\xbb", Err(0)),
    ] {
        assert_eq!(text::decode(bytes), expected, "{bytes:02x?}");
    }
}
