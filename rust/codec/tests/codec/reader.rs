//! Guards: at each event the Reader knows where it is and how deep, and passes over whole values, and over texts as they
//! are read.

use proptest::prelude::*;
use varbatch_codec::{CodecErrorKind, Dialect, Event, Kind, Reader, Step, Width, Writer, validate};

use crate::support::random::Random;
use crate::support::steps::{assert_same, parts, rest};
use crate::support::value::{any_value, cases};
use crate::support::vectors::{self, hex};
use crate::support::{naive, nearly, times};

/// Where a value lies among the events of another.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    end: usize,
    depth: usize,
    is_property: bool,
}

/// The value whose first event is at `start`, and those in it; gives the event behind the last of them.
fn spans(events: &[Event<'_>], start: usize, depth: usize, is_property: bool, spans_: &mut Vec<Span>) -> usize {
    let (texts, values, names) = parts(&events[start]);
    let mut end = start + 1 + texts;
    (0..values).for_each(|_| end = spans(events, end + names, depth + 1, names == 1, spans_));
    spans_.push(Span { start, end, depth, is_property });
    end
}

/// A reader that has read so many events.
fn reader(bytes: &[u8], events: usize) -> Reader<'_> {
    let mut reader = Reader::new(bytes).with_objects(true);
    for _ in 0..events {
        reader.next_event().expect("reads").expect("an event");
    }
    reader
}

proptest! {
    #![proptest_config(cases(80))]

    #[test]
    fn position_and_depth_are_right_at_each_event(value in any_value(Width::Single)) {
        let (events, bytes) = (value.events(), naive::value(&value));
        let mut all = Vec::new();
        prop_assert_eq!(spans(&events, 0, 0, false, &mut all), events.len());
        // The Writer has as much behind each event as the Reader has read.
        let mut writer = Writer::new(Dialect::GODOT_4);
        let mut positions = vec![0];
        for &event in &events {
            writer.write(event).expect("writes");
            positions.push(writer.mark().position());
        }
        for (index, &position) in positions.iter().enumerate() {
            let reader = reader(&bytes, index);
            prop_assert_eq!(reader.position(), position);
            prop_assert_eq!(reader.left(), bytes.len() - position);
            prop_assert_eq!(reader.bytes(0, position), &bytes[..position]);
        }
        for Span { start, end, depth, is_property } in all {
            let mut begun = reader(&bytes, start);
            prop_assert_eq!(begun.depth(), depth);
            let path = begun.path_at(positions[start]);
            prop_assert_eq!(matches!(path.steps().last(), Some(Step::Property(_))), is_property);
            let header = bytes[positions[start]];
            prop_assert_eq!(begun.peek_kind().map(Kind::id), Ok(header));
            let (texts, ..) = parts(&events[start]);
            // Skipped from its start or from one of its texts, finished from anywhere inside of it, and once more.
            for index in start..end {
                if index <= start + texts {
                    let mut skipped = begun.clone();
                    skipped.skip_value().expect("skips");
                    prop_assert_eq!(skipped.position(), positions[end]);
                }
                begun.next_event().expect("reads");
                let mut finished = begun.clone();
                finished.finish_value(depth).expect("finishes");
                prop_assert_eq!(finished.position(), positions[end]);
                finished.finish_value(depth).expect("nothing is left of it");
                prop_assert_eq!(finished.position(), positions[end]);
            }
        }
        let mut ended = reader(&bytes, events.len());
        prop_assert_eq!((ended.depth(), ended.next_event()), (0, Ok(None)));
        prop_assert_eq!((ended.skip_value(), ended.position()), (Ok(()), bytes.len()));
    }
}

#[test]
fn flags_without_a_meaning_leave_no_trace_in_an_event() {
    for kind in Kind::ALL {
        // Bit 16 has a meaning for these.
        let known = matches!(kind, Kind::Int | Kind::Float | Kind::Object | Kind::Array | Kind::Dictionary);
        if known || kind.shape().is_real() {
            continue;
        }
        let mut bytes = [0; 80];
        bytes[0] = kind.id();
        // No NodePath is without bit 31.
        bytes[7] = if kind == Kind::NodePath { 0x80 } else { 0 };
        let mut flagged = bytes;
        flagged[1..4].fill(0xff);
        let [plain, flagged] = [&bytes, &flagged].map(|bytes| Reader::new(bytes).next_event());
        assert!(plain.is_ok(), "{}: {plain:?}", kind.name());
        assert_eq!(plain, flagged, "{}", kind.name());
    }
}

#[test]
fn where_counts_are_trusted_reading_ends_at_the_first_part_that_is_missing() {
    for (bytes, what, found, at) in [
        ("1c000000 ffffff7f 00000000", "a header", 0, "12 inside [1]"),
        ("1b000000 02000000 (00000000)x3", "a header", 0, "20 inside [null]"),
        ("22000000 ffffff7f 00000000", "the length of PackedStringArray element 1 of 2147483647", 0, "12"),
        ("16000000 03000080 00000000 00000000 00000000 00", "the length of NodePath name 1 of 3", 1, "20"),
        (
            "18000000 01000000 41000000 02000000 01000000 61000000 00000000",
            "the length of the property name of Object",
            0,
            "28",
        ),
        ("1c000000 02000000 1c000000 02000000 00000000 00000000", "a header", 0, "24 inside [1]"),
    ] {
        let bytes = hex(bytes);
        let reader = || Reader::new(&bytes).with_objects(true);
        let expected = format!("expected 4 more bytes for {what}, found {found}, at byte {at}");
        assert_eq!(validate(reader().with_trusted_counts()).expect_err("too short").to_string(), expected);
        let error = validate(reader()).expect_err("too short");
        assert!(matches!(error.kind(), CodecErrorKind::ShortCount { .. }), "{error}");
    }
}

#[test]
fn the_rest_of_a_value_is_skipped_with_its_errors() {
    // [[0, broken], 1]
    let bytes = hex("1c000000 02000000 1c000000 02000000 00000000 27000000 02000000 01000000");
    let mut reader = reader(&bytes, 1);
    let error = reader.skip_value().expect_err("broken");
    assert_eq!(error.to_string(), "expected a type from 0 to 38, found 39, at byte 20 inside [0][1]");
    assert_eq!(reader.skip_value(), Err(error.clone()));
    assert_eq!(reader.finish_value(0), Err(error.clone()));
    assert_eq!(validate(Reader::new(&bytes)), Err(error));
}

/// Compares what follows, up to the end or to the error, with its path.
#[track_caller]
fn assert_same_rest(mut passed: Reader<'_>, mut read: Reader<'_>) {
    match (rest(&mut passed), rest(&mut read)) {
        (Ok(found), Ok(expected)) => assert_same(&found, &expected),
        (found, expected) => assert_eq!(found, expected, "not the same"),
    }
}

/// Passes each text of a value, beside a reader that reads it; counts those that pass, malformed ones and errors.
#[track_caller]
fn assert_passes(bytes: &[u8], base: usize, seen: &mut [usize; 3]) {
    let mut reader = Reader::new(bytes).with_base(base).with_objects(true);
    loop {
        let start = reader.position();
        let (mut passed, mut read) = (reader.clone(), reader.clone());
        match (passed.pass_text(), read.next_text()) {
            (Ok(false), Ok(None)) => {
                assert_eq!(passed.position(), start, "{bytes:02x?}");
                match reader.next_event() {
                    Ok(Some(_)) => continue,
                    _ => return,
                }
            }
            (Ok(true), Ok(Some(_))) => {
                seen[0] += 1;
                assert_eq!(passed.position(), read.position(), "{bytes:02x?}");
                assert_eq!((passed.depth(), passed.is_inside(0)), (read.depth(), read.is_inside(0)), "{bytes:02x?}");
                assert_same_rest(passed.clone(), read);
            }
            (Ok(true), Err(error)) => {
                seen[1] += 1;
                assert!(matches!(error.kind(), CodecErrorKind::Malformed { .. }), "{error}: {bytes:02x?}");
            }
            (Err(by_passing), Err(by_reading)) => {
                seen[2] += 1;
                assert!(!matches!(by_reading.kind(), CodecErrorKind::Malformed { .. }), "{by_reading}: {bytes:02x?}");
                assert_eq!(by_passing, by_reading, "{bytes:02x?}");
                assert_eq!(by_passing.to_string(), by_reading.to_string());
                assert_eq!(passed.position(), start, "passed on behind an error: {bytes:02x?}");
                assert_eq!(passed.pass_text(), Err(by_passing), "not the same error again: {bytes:02x?}");
                return;
            }
            (pass, text) => panic!("passing gives {pass:?}, reading {text:?}, at {start} of {bytes:02x?}"),
        }
        let len = u32::from_le_bytes(bytes[start..start + 4].try_into().expect("a length")) as usize;
        assert_eq!(passed.position(), start + 4 + len.next_multiple_of(4), "{bytes:02x?}");
        reader = passed;
    }
}

/// Passes each name of a property, and each property of which the value is one event, beside a reader that reads them;
/// counts both. Other bytes are not passed.
#[track_caller]
fn assert_passes_names(bytes: &[u8], seen: &mut [usize; 2]) {
    let mut reader = Reader::new(bytes).with_objects(true);
    loop {
        let (start, mut passed, mut read) = (reader.position(), reader.clone(), reader.clone());
        let is_name = reader.is_at_name();
        let Ok(Some(event)) = read.next_event() else { return };
        let name = reader.bytes(start, read.position());
        assert!(!passed.pass_name(&[name, &[1; 4096]].concat()), "passed other bytes: {bytes:02x?}");
        assert_eq!(passed.pass_name(name), is_name, "{event:?} of {bytes:02x?}");
        if is_name {
            seen[0] += 1;
            assert_same_rest(passed, read.clone());
            let (mut passed, mut behind, depth) = (reader.clone(), read.clone(), read.depth());
            if behind.next_event().is_ok() && !behind.is_inside(depth) && behind.position() <= bytes.len() {
                seen[1] += 1;
                assert!(passed.pass_property(reader.bytes(start, behind.position())), "{bytes:02x?}");
                assert_eq!(passed.position(), behind.position(), "{bytes:02x?}");
                assert_same_rest(passed, behind);
            }
            // One property, two, and so on.
            let (mut behind, mut count) = (reader.clone(), 0);
            while behind.is_at_name() && behind.depth() == reader.depth() {
                if behind.next_event().is_err() || behind.skip_value().is_err() {
                    break;
                }
                (passed, count) = (reader.clone(), count + 1);
                passed.pass_properties(count, behind.position() - start);
                assert_same_rest(passed, behind.clone());
            }
        }
        reader = read;
    }
}

#[test]
fn names_and_properties_are_passed_as_they_are_read() {
    let (mut random, mut seen) = (Random::new(3), [0; 2]);
    for vector in vectors::buffers().filter(|vector| vector.bytes.len() < 4000) {
        assert_passes_names(&vector.bytes, &mut seen);
    }
    for _ in 0..times(20_000, 20) {
        let depth = random.below(3);
        assert_passes_names(&nearly::value(&mut random, depth, 300), &mut seen);
    }
    assert!(seen.iter().all(|&count| count > 20), "too few: {seen:?}");
}

/// A value may not lie deeper in an object than elsewhere.
#[test]
fn properties_are_not_passed_where_values_are_too_deep() {
    let property = hex("01000000 78000000 01000000 00000000");
    for (depth, expected) in [(1023, true), (1024, false)] {
        let mut bytes = hex("1c000000 01000000").repeat(depth);
        bytes.extend(hex("18000000 01000000 4f000000 01000000"));
        bytes.extend(&property);
        let mut reader = Reader::new(&bytes).with_objects(true);
        (0..=depth).for_each(|_| _ = reader.next_event().expect("arrays, and an object"));
        assert_eq!(reader.clone().pass_property(&property), expected, "at {depth}");
        assert_eq!(rest(&mut reader).is_ok(), expected, "at {depth}");
    }
}

#[test]
fn texts_are_passed_as_they_are_read() {
    let (mut random, mut seen) = (Random::new(2), [0; 3]);
    for vector in vectors::buffers().filter(|vector| vector.bytes.len() < 4000) {
        assert_passes(&vector.bytes, 0, &mut seen);
        (0..vector.bytes.len().min(300)).for_each(|len| assert_passes(&vector.bytes[..len], 1000, &mut seen));
    }
    for round in 0..times(60_000, 20) {
        let depth = random.below(3);
        let mut bytes = nearly::value(&mut random, depth, 300);
        if round % 2 == 0 {
            let other = nearly::value(&mut random, 1, 0);
            nearly::damage(&mut random, &mut bytes, &other);
        }
        assert_passes(&bytes, round, &mut seen);
    }
    assert!(seen.iter().all(|&count| count > times(400, 0)), "{seen:?}: this tested little");
}
