//! Guards: no damage to a vector panics, and the Reader accepts exactly what the engine accepts, to the last byte.

use varbatch_codec::{Event, Kind, Reader};

use crate::support::agree::assert_agrees;
use crate::support::model::{self, Verdict};
use crate::support::steps::{read, rest};
use crate::support::vectors::{self, Buffer};

/// Longer ones are the same again and again.
const SHORT: usize = 400;

#[track_caller]
fn is_accepted(bytes: &[u8], allow_objects: bool) -> bool {
    matches!(assert_agrees(bytes, allow_objects), Verdict::Accepted(_))
}

fn short_buffers() -> impl Iterator<Item = Buffer> {
    vectors::buffers().filter(|vector| vector.bytes.len() <= SHORT)
}

#[test]
fn the_model_is_right_about_what_the_engine_reads() {
    for vector in vectors::decoded() {
        let expected = vector.verdict.map_or(Verdict::Refused, |accepted| Verdict::Accepted(accepted.consumed));
        assert_eq!(model::verdict(&vector.bytes, vector.allow_objects), expected, "{}", vector.name);
    }
}

#[test]
fn every_truncation_is_refused_but_for_a_last_padding() {
    for Buffer { name, allow_objects, bytes } in vectors::written() {
        let padding = match read(&bytes).map(|(events, _)| events.last().copied()) {
            Ok(Some(Event::Packed(plain))) if plain.kind == Kind::PackedByteArray => (4 - plain.count % 4) % 4,
            _ => 0,
        };
        let step = if bytes.len() > SHORT { 97 } else { 1 };
        for len in (0..bytes.len()).step_by(step).chain(bytes.len().saturating_sub(16)..bytes.len()) {
            let accepted = is_accepted(&bytes[..len], allow_objects);
            assert_eq!(accepted, len + padding >= bytes.len(), "{name}, {len} bytes");
        }
    }
}

#[test]
fn every_truncation_of_what_the_engine_reads_agrees() {
    for Buffer { allow_objects, bytes, .. } in vectors::buffers() {
        let step = if bytes.len() > SHORT { 97 } else { 1 };
        (0..=bytes.len()).step_by(step).for_each(|len| _ = assert_agrees(&bytes[..len], allow_objects));
        assert_agrees(&bytes, allow_objects);
    }
}

#[test]
fn every_error_lies_inside_of_the_bytes() {
    let mut behind = 0;
    for Buffer { name, allow_objects, bytes } in short_buffers() {
        for len in 0..=bytes.len() {
            let mut reader = Reader::new(&bytes[..len]).with_base(1000).with_objects(allow_objects);
            let Err(error) = rest(&mut reader) else { continue };
            // The padding that is missing is counted, but no byte.
            behind += usize::from(reader.position() > len);
            assert!((1000..=1000 + len).contains(&error.at()), "{name}, {len} bytes: {error}");
        }
    }
    assert!(behind > 5, "{behind} errors behind a missing padding");
}

#[test]
fn objects_allowed_or_not_agrees() {
    for Buffer { allow_objects, bytes, .. } in vectors::buffers() {
        assert_agrees(&bytes, !allow_objects);
    }
}

#[test]
fn a_wrong_count_of_a_packed_array_is_refused() {
    for Buffer { name, bytes, .. } in vectors::written().filter(|vector| vector.bytes[0] >= 29) {
        let mut bytes = bytes.clone();
        let count = i32::from_le_bytes(bytes[4..8].try_into().expect("four bytes"));
        let is = |kind: Kind| bytes[0] == kind.id();
        let (strings, padded) = (is(Kind::PackedStringArray), is(Kind::PackedByteArray) && count % 4 != 0);
        let mut verdict = |count: i32| {
            bytes[4..8].copy_from_slice(&count.to_le_bytes());
            is_accepted(&bytes, false)
        };
        for huge in [i32::MAX, 0x4000_0000, 0x2000_0000, 0x1555_5556, 0x1000_0001, 0x0aaa_aaab, 0x0800_0001] {
            assert!(!verdict(huge), "{name}: {huge}");
        }
        // Where there is padding, one byte more is a byte of it.
        assert_eq!(verdict(count + 1), padded, "{name}: one more");
        for negative in [-1, -count - 1, i32::MIN, i32::MIN + 1] {
            // The engine takes it for an empty array of strings.
            assert_eq!(verdict(negative), strings, "{name}: {negative}");
        }
    }
}

#[test]
fn every_changed_word_agrees() {
    // Counts, lengths, headers and types are all words, and what is none is changed as well.
    for Buffer { allow_objects, mut bytes, .. } in short_buffers() {
        for at in (0..bytes.len().saturating_sub(3)).step_by(4) {
            let old = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            let near = [1, 2, 4, u32::MAX, u32::MAX - 3].map(|step| old.wrapping_add(step));
            let far = [0, 1 << 30, 1 << 31, 0x7fff_ffff, 0x7fff_fffc, 0x7fff_fffb, 0x8000_0001, u32::MAX, u32::MAX - 3];
            let flags = (16..20).map(|bit| old ^ 1 << bit);
            for word in near.into_iter().chain(far).chain(flags).chain([old ^ 1 << 31]) {
                bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
                assert_agrees(&bytes, allow_objects);
            }
            bytes[at..at + 4].copy_from_slice(&old.to_le_bytes());
        }
    }
}

#[test]
fn every_changed_byte_agrees() {
    for Buffer { allow_objects, mut bytes, .. } in vectors::buffers().filter(|vector| vector.bytes.len() <= 80) {
        for at in 0..bytes.len() {
            let old = bytes[at];
            for new in 0..=u8::MAX {
                bytes[at] = new;
                assert_agrees(&bytes, allow_objects);
            }
            bytes[at] = old;
        }
    }
}

#[test]
fn the_same_error_comes_again_and_counts_from_the_base() {
    for Buffer { allow_objects, bytes, .. } in vectors::buffers() {
        let (reader, moved) = (Reader::new(&bytes), Reader::new(&bytes).with_base(1000));
        let (mut reader, mut moved) = (reader.with_objects(allow_objects), moved.with_objects(allow_objects));
        let Err(error) = rest(&mut reader) else { continue };
        let position = reader.position();
        assert_eq!(reader.next_event(), Err(error.clone()));
        assert_eq!(reader.next_event(), Err(error.clone()));
        assert_eq!(reader.position(), position, "read on behind an error");
        let again = rest(&mut moved).expect_err("the same bytes");
        assert_eq!((again.at(), again.kind(), again.path()), (1000 + error.at(), error.kind(), error.path()));
    }
}

#[test]
fn a_missing_padding_ends_the_value_and_nothing_follows() {
    let mut reader = Reader::new(&[29, 0, 0, 0, 1, 0, 0, 0, 0xff]);
    let event = reader.next_event().expect("reads").expect("an event");
    assert!(matches!(event, Event::Packed(plain) if plain.bytes == [0xff]));
    assert_eq!((reader.position(), reader.next_event()), (12, Ok(None)));
}
