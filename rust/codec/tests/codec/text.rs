//! Guards: the text kernels agree with plain code for every length and every 32-bit value.

use std::mem::MaybeUninit;

use varbatch_codec::{Event, Text, text};

use crate::support::canary::filled;
use crate::support::naive;
use crate::support::random::Random;
use crate::support::steps::write;
use crate::support::value::Value;

/// Where the length of a character or its validity changes, and what lies around.
const EDGES: [u32; 12] =
    [0x0, 0x80, 0x800, 0xd800, 0xdc00, 0xe000, 0xfeff, 0x1_0000, 0x11_0000, 0x20_0000, 0x400_0000, 0x8000_0000];

/// A character around an edge, or any at all.
fn character(random: &mut Random) -> u32 {
    match random.below(4) {
        0 => random.pick(&EDGES).wrapping_add(random.below(5) as u32).wrapping_sub(2),
        1 => random.below(0x80) as u32,
        2 => random.below(0x11_0000) as u32,
        _ => random.next() as u32,
    }
}

/// Lengths that are tried: fewer where each step is interpreted.
const LENGTHS: usize = if cfg!(miri) { 80 } else { 300 };
const STEP: usize = if cfg!(miri) { 7 } else { 1 };

#[track_caller]
fn assert_encodes(chars: &[u32]) {
    let expected = naive::utf8(chars);
    assert_eq!(text::utf8_len(chars), expected.len(), "length of {chars:x?}");
    assert_eq!(filled(expected.len(), |dest| text::encode(chars, dest)), expected, "{chars:x?}");
    // Short text is encoded by the Writer, long text when the plan is filled.
    let events = [Event::PackedStrings { count: 1 }, Event::Text(Text::Utf32(chars))];
    assert_eq!(write(&events).expect("writes"), naive::value(&Value::Texts(vec![chars.to_vec()])), "{chars:x?}");
}

#[test]
fn every_length_encodes_as_plain_code_does() {
    let mut random = Random::new(1);
    for len in (0..LENGTHS).step_by(STEP) {
        let ascii: Vec<_> = (0..len).map(|_| random.below(0x80) as u32).collect();
        let wide: Vec<_> = (0..len).map(|_| character(&mut random)).collect();
        let mut one_wide = ascii.clone();
        if let Some(at) = len.checked_sub(1).map(|last| random.below(last + 1)) {
            one_wide[at] = character(&mut random);
        }
        [ascii, wide, one_wide].iter().for_each(|chars| assert_encodes(chars));
    }
}

#[test]
fn every_edge_encodes_as_plain_code_does() {
    for edge in EDGES {
        (-2..=2).for_each(|step| assert_encodes(&[edge.wrapping_add_signed(step)]));
    }
    assert_encodes(&[0x7fff_ffff, 0xffff_ffff]);
}

#[test]
fn every_character_encodes_as_rust_does() {
    for c in ('\0'..=char::MAX).step_by(if cfg!(miri) { 9973 } else { 1 }) {
        let mut buffer = [0; 4];
        let expected = c.encode_utf8(&mut buffer).as_bytes();
        let mut out = [MaybeUninit::new(0); 4];
        text::encode(&[u32::from(c)], &mut out[..expected.len()]);
        // SAFETY: the array was made of values.
        let out = out.map(|byte| unsafe { byte.assume_init() });
        assert_eq!(&out[..expected.len()], expected, "{c:?}");
    }
}

#[test]
fn random_characters_encode_as_plain_code_does() {
    let mut random = Random::new(2);
    for _ in 0..if cfg!(miri) { 30 } else { 20_000 } {
        let len = random.below(12);
        let chars: Vec<_> = (0..len).map(|_| character(&mut random)).collect();
        assert_encodes(&chars);
    }
}

/// The rules of the engine, step by step.
fn naive_decode(bytes: &[u8]) -> Result<&str, usize> {
    let marked = bytes.len() >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf;
    let start = if marked { 3 } else { 0 };
    let mut end = start;
    while end < bytes.len() && bytes[end] != 0 {
        end += 1;
    }
    std::str::from_utf8(&bytes[start..end]).map_err(|error| start + error.valid_up_to())
}

#[test]
fn every_three_bytes_decode_to_the_rules() {
    for word in (0..1_u32 << 24).step_by(if cfg!(miri) { 65_521 } else { 1 }) {
        let bytes = &word.to_le_bytes()[..3];
        assert_eq!(text::decode(bytes), naive_decode(bytes), "{bytes:02x?}");
    }
}

#[test]
fn random_bytes_decode_to_the_rules() {
    const PARTS: [&[u8]; 14] = [
        b"a",
        b"0123456789abcdef",
        b"\0",
        b"\xef\xbb\xbf",
        b"\xef\xbb",
        "é".as_bytes(),
        "日".as_bytes(),
        "😀".as_bytes(),
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xe2\x82",
        b"\x80",
        b"\xff",
    ];
    let mut random = Random::new(3);
    for _ in 0..if cfg!(miri) { 100 } else { 100_000 } {
        // Mostly good parts, so that what comes late is looked at as well.
        let good = [0, 1, 5, 6, 7];
        let count = random.below(12);
        let index = |random: &mut Random| if random.percent(85) { random.pick(&good) } else { random.below(14) };
        let bytes: Vec<_> = (0..count).flat_map(|_| PARTS[index(&mut random)]).copied().collect();
        assert_eq!(text::decode(&bytes), naive_decode(&bytes), "{bytes:02x?}");
    }
}

#[test]
fn an_odd_byte_at_every_place_of_short_text_is_seen() {
    for len in (0..80_usize).step_by(2 * STEP - 1) {
        let ascii: Vec<_> = (0..len).map(|index| b'a' + (index % 26) as u8).collect();
        assert_eq!(text::decode(&ascii), naive_decode(&ascii));
        for at in (0..len).step_by(STEP) {
            for odd in [0, 1, 0x7f, 0x80, 0xc3, 0xff] {
                let mut bytes = ascii.clone();
                bytes[at] = odd;
                assert_eq!(text::decode(&bytes), naive_decode(&bytes), "{odd:#x} at {at} of {len}");
                bytes.push(0);
                assert_eq!(text::decode(&bytes), naive_decode(&bytes), "{odd:#x} at {at} of {len}, and a NUL");
            }
            for odd in ["é", "日", "😀", "\u{feff}"] {
                let (before, behind) = ascii.split_at(at);
                let bytes = [before, odd.as_bytes(), behind].concat();
                let decoded = text::decode(&bytes);
                assert_eq!(decoded, naive_decode(&bytes), "{odd} at {at} of {len}");
                assert_eq!(text::utf32_len(decoded.expect("text")), decoded.expect("text").chars().count());
            }
        }
    }
}

#[test]
fn a_byte_order_mark_and_a_nul_are_where_the_engine_looks_for_them() {
    assert_eq!(text::decode(b""), Ok(""));
    assert_eq!(text::decode(b"\xef\xbb\xbf"), Ok(""));
    assert_eq!(text::decode(b"\xef\xbb\xbf\xef\xbb\xbfa"), Ok("\u{feff}a"));
    assert_eq!(text::decode(b"a\xef\xbb\xbf"), Ok("a\u{feff}"));
    assert_eq!(text::decode(b"\0\xef\xbb\xbf"), Ok(""));
    assert_eq!(text::decode(b"ab\0\xff"), Ok("ab"));
    assert_eq!(text::decode(b"\xef\xbb\xbfa\xff"), Err(4));
    assert_eq!(text::decode(b"ab\xc3\0"), Err(2));
    assert_eq!(text::decode(b"\xef\xbb"), Err(0));
}

#[test]
fn utf32_is_written_character_by_character() {
    let mut random = Random::new(4);
    for len in (0..LENGTHS).step_by(STEP) {
        let ascii: String = (0..len).map(|_| char::from(random.below(0x80) as u8)).collect();
        let mixed: String = (0..len).map(|_| random.pick(&['a', 'é', '日', '😀', '\0', char::MAX])).collect();
        for text in [ascii, mixed] {
            let expected: Vec<_> = text.chars().map(u32::from).collect();
            assert_eq!(text::utf32_len(&text), expected.len());
            let mut memory = vec![MaybeUninit::new(0xc5c5_c5c5_u32); len + 2];
            text::write_utf32(&text, &mut memory[1..=len]);
            // SAFETY: the vector was made of values.
            let memory: Vec<_> = memory.iter().map(|slot| unsafe { slot.assume_init() }).collect();
            assert_eq!(memory[1..=len], expected);
            assert_eq!((memory[0], memory[len + 1]), (0xc5c5_c5c5, 0xc5c5_c5c5), "a neighbour was written");
        }
    }
}

#[test]
fn a_destination_of_another_length_is_refused() {
    let refused = |work: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err();
    let chars = ['a', 'é', '日'].map(u32::from);
    // As many bytes as characters, and as many slots as bytes, are right for ASCII only.
    for len in [0, 1, 2, 3, 4, 5, 7, 100] {
        assert!(refused(&|| text::encode(&chars, &mut vec![MaybeUninit::uninit(); len])), "{len} bytes");
    }
    for len in [0, 1, 2, 4, 5, 6, 7, 100] {
        assert!(refused(&|| text::write_utf32("aé日", &mut vec![MaybeUninit::uninit(); len])), "{len} characters");
    }
}
