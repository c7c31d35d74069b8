//! Guards: no input panics, and the Reader accepts exactly what the engine accepts, to the last byte.

use varbatch_codec::{Event, Kind, Reader, Reason, Text, frames};

use crate::support::model::{self, Verdict};
use crate::support::random::Random;
use crate::support::steps::{assert_same, plain_of, read, rest, write};
use crate::support::vectors;

/// Reads `bytes` and fails unless all is as the model says.
#[track_caller]
fn assert_agrees(bytes: &[u8]) -> Verdict {
    let verdict = model::verdict(bytes);
    match (verdict, read(bytes)) {
        (Verdict::Accepted(expected), Ok((events, consumed))) => {
            assert_eq!(consumed, expected, "consumed of {bytes:02x?}");
            assert!(consumed <= bytes.len().next_multiple_of(4), "past the padding of {bytes:02x?}");
            for plain in events.iter().filter_map(plain_of) {
                let element_len = plain.kind.shape().element_len(plain.width).expect("plain data");
                assert_eq!(plain.bytes.len(), plain.count * element_len, "payload in {bytes:02x?}");
            }
            // What was read can be written, and is then read whole and as the same but for a second byte-order mark.
            let again = write(&events).expect("writes what it has read");
            let (once_more, consumed) = read(&again).expect("reads what it has written");
            assert_eq!(consumed, again.len(), "written for {bytes:02x?}");
            let marked =
                |event: &Event<'_>| matches!(event, Event::Text(Text::Utf8(text)) if text.starts_with('\u{feff}'));
            if !events.iter().any(marked) {
                assert_same(&once_more, &events);
            }
        }
        (Verdict::Refused | Verdict::NotNative, Err(error)) => {
            let left = matches!(*error.reason, Reason::NotNative { .. });
            assert_eq!(left, verdict == Verdict::NotNative, "{error}: {bytes:02x?}");
            assert!(error.at <= bytes.len(), "{error}: {bytes:02x?}");
        }
        (verdict, found) => panic!("{verdict:?} by the model, found {found:?}: {bytes:02x?}"),
    }
    verdict
}

/// All vectors, both those that the engine writes and those that it reads.
fn buffers() -> impl Iterator<Item = Vec<u8>> {
    let encoded = vectors::encoded().into_iter().map(|vector| vector.bytes);
    encoded.chain(vectors::decoded().into_iter().map(|vector| vector.bytes))
}

#[test]
fn the_model_is_right_about_what_the_engine_reads() {
    for vector in vectors::decoded() {
        let expected = vector.verdict.map_or(Verdict::Refused, |accepted| Verdict::Accepted(accepted.consumed));
        assert_eq!(model::verdict(&vector.bytes), expected, "{}", vector.name);
    }
}

#[test]
fn every_truncation_is_refused_but_for_a_last_padding() {
    for vector in vectors::encoded() {
        let whole = &vector.bytes;
        let needed = match Kind::from_id(whole[0]) {
            Some(Kind::PackedByteArray) => 8 + usize::from(whole[4]),
            _ => whole.len(),
        };
        for len in 0..whole.len() {
            let accepted = matches!(assert_agrees(&whole[..len]), Verdict::Accepted(_));
            assert_eq!(accepted, len >= needed, "{}, {len} bytes", vector.name);
        }
    }
}

#[test]
fn every_truncation_of_what_the_engine_reads_agrees() {
    for bytes in buffers() {
        (0..=bytes.len()).for_each(|len| _ = assert_agrees(&bytes[..len]));
    }
}

#[test]
fn a_wrong_count_is_refused() {
    let is_packed = |bytes: &[u8]| bytes[0] >= Kind::PackedByteArray.id();
    for vector in vectors::encoded().iter().filter(|vector| is_packed(&vector.bytes)) {
        let mut bytes = vector.bytes.clone();
        let count = i32::from_le_bytes(bytes[4..8].try_into().expect("four bytes"));
        let is = |kind: Kind| bytes[0] == kind.id();
        let (strings, padded) = (is(Kind::PackedStringArray), is(Kind::PackedByteArray) && count % 4 != 0);
        let mut verdict = |count: i32| {
            bytes[4..8].copy_from_slice(&count.to_le_bytes());
            matches!(assert_agrees(&bytes), Verdict::Accepted(_))
        };
        for huge in [i32::MAX, 0x4000_0000, 0x2000_0000, 0x1555_5556, 0x1000_0001, 0x0aaa_aaab, 0x0800_0001] {
            assert!(!verdict(huge), "{}: {huge}", vector.name);
        }
        // Where there is padding, one byte more is a byte of it.
        assert_eq!(verdict(count + 1), padded, "{}: one more", vector.name);
        for negative in [-1, -count - 1, i32::MIN, i32::MIN + 1] {
            // The engine takes it for an empty array of strings.
            assert_eq!(verdict(negative), strings, "{}: {negative}", vector.name);
        }
    }
}

#[test]
fn a_wrong_length_of_a_text_agrees() {
    let is_strings = |bytes: &[u8]| bytes.first() == Some(&Kind::PackedStringArray.id());
    for bytes in buffers().filter(|bytes| is_strings(bytes)) {
        // Words that are no length are replaced as well, which does no harm.
        for at in (8..bytes.len().saturating_sub(3)).step_by(4) {
            let mut bytes = bytes.clone();
            let len = i32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            let near = [len.wrapping_add(1), len.wrapping_sub(1), len.wrapping_add(4), len.wrapping_neg()];
            let far = [i32::MAX, i32::MAX - 3, i32::MAX - 4, i32::MIN, -1, -4, 0, 1 << 30];
            for len in near.into_iter().chain(far) {
                bytes[at..at + 4].copy_from_slice(&len.to_le_bytes());
                assert_agrees(&bytes);
            }
        }
    }
}

#[test]
fn every_changed_byte_agrees() {
    for mut bytes in buffers() {
        for at in 0..bytes.len() {
            let old = bytes[at];
            for new in 0..=u8::MAX {
                bytes[at] = new;
                assert_agrees(&bytes);
            }
            bytes[at] = old;
        }
    }
}

const WORDS: [u32; 16] = [
    0,
    1,
    2,
    3,
    4,
    5,
    8,
    0xff,
    0x8000_0000,
    0x8000_0001,
    0xffff_ffff,
    0x7fff_ffff,
    0x7fff_fffc,
    0x4000_0000,
    0x1fff_ffff,
    0x1555_5556,
];

const TEXTS: [&[u8]; 12] = [
    b"",
    b"a\0",
    b"abc\0",
    b"ab",
    b"\xc3\xa9\0",
    b"\xef\xbb\xbf",
    b"\xef\xbb\xbf\0",
    b"a\0\xff",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xe2\x82",
    b"\xf0\x9f\x98\x80",
];

/// A buffer that is nearly a value: a header with any flags, a count that is mostly right, and a payload.
fn nearly_a_value(random: &mut Random) -> Vec<u8> {
    let id = if random.percent(5) { random.below(256) } else { random.below(40) } as u32;
    let flags = random.pick(&[0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 8, 0xffff]);
    let ignored = random.pick(&[0, 0, 0, 0xff]);
    let mut bytes = (id | ignored << 8 | flags << 16).to_le_bytes().to_vec();
    let count = random.below(6);
    let around = |random: &mut Random, right: usize| match random.below(20) {
        0 => random.pick(&WORDS),
        1 => right as u32 + 1,
        2 => (right as u32).wrapping_sub(1),
        _ => right as u32,
    };
    if id >= 29 {
        bytes.extend(around(random, count).to_le_bytes());
    }
    if id == 34 {
        for _ in 0..count {
            let text = random.pick(&TEXTS);
            bytes.extend(around(random, text.len()).to_le_bytes());
            bytes.extend(text);
            bytes.resize(bytes.len().next_multiple_of(4), random.pick(&[0, 0, 0, 7]));
        }
    } else {
        let element_len =
            Kind::from_id(id as u8).and_then(|kind| kind.shape().element_len(varbatch_codec::Width::Single));
        let len = element_len.unwrap_or(4) * if id >= 29 { count } else { 1 } * random.pick(&[1, 1, 1, 2]);
        bytes.extend((0..len).map(|_| random.pick(&[0, 0, 1, 0x3f, 0x80, 0xff])));
    }
    match random.below(10) {
        0 | 1 => bytes.truncate(random.below(bytes.len() + 1)),
        2 => {
            let at = random.below(bytes.len());
            bytes[at] = random.next() as u8;
        }
        3 => bytes.resize(bytes.len() + random.below(8), 0),
        _ => {}
    }
    bytes
}

#[test]
fn random_buffers_agree() {
    let mut random = Random::new(20_260_101);
    let mut accepted = 0;
    for _ in 0..200_000 {
        let bytes = nearly_a_value(&mut random);
        accepted += usize::from(matches!(assert_agrees(&bytes), Verdict::Accepted(_)));
    }
    // Neither all bad nor all good, or this would test little.
    assert!((60_000..140_000).contains(&accepted), "{accepted} accepted");
}

#[test]
fn random_bytes_agree() {
    let mut random = Random::new(2);
    for _ in 0..100_000 {
        let len = random.below(40);
        let mut bytes = random.bytes(len);
        assert_agrees(&bytes);
        // With a header of a type, most of them get further.
        if len > 3 {
            bytes[0] %= 39;
            assert_agrees(&bytes);
        }
        frames::read(&bytes).for_each(drop);
    }
}

#[test]
fn the_same_error_comes_again_and_counts_from_the_base() {
    for bytes in buffers() {
        let (mut reader, mut moved) = (Reader::new(&bytes), Reader::at(&bytes, 1000));
        let Err(error) = rest(&mut reader) else { continue };
        let position = reader.position();
        assert_eq!(reader.next_event(), Err(error.clone()));
        assert_eq!(reader.position(), position, "read on behind an error");
        assert_eq!(rest(&mut moved).map_err(|error| error.at), Err(1000 + error.at));
    }
}

#[test]
fn a_missing_padding_ends_the_value_and_nothing_follows() {
    let mut reader = Reader::new(&[29, 0, 0, 0, 1, 0, 0, 0, 0xff]);
    let event = reader.next_event().expect("reads").expect("an event");
    assert!(matches!(event, Event::Packed(plain) if plain.bytes == [0xff]));
    assert_eq!((reader.position(), reader.next_event()), (12, Ok(None)));
}
