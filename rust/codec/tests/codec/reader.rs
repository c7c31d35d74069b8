//! Guards: at each event the Reader knows where it is and how deep, and passes over whole values.

use proptest::prelude::*;
use varbatch_codec::{CodecErrorKind, Dialect, Event, Kind, Reader, Width, Writer, validate};

use crate::support::naive;
use crate::support::value::{Value, any_value, cases};
use crate::support::vectors::{self, hex};

/// Where a value lies among the events of another.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    end: usize,
    depth: usize,
}

/// The values from the event at `at` on, one level below `depth`; gives the event behind the last of them.
fn spans(events: &[Event<'_>], at: usize, depth: usize, spans_: &mut Vec<Span>) -> usize {
    let mut end = at + 1;
    match events[at] {
        Event::Array { count, .. } => (0..count).for_each(|_| end = spans(events, end, depth + 1, spans_)),
        Event::Dictionary { count, .. } => (0..2 * count).for_each(|_| end = spans(events, end, depth + 1, spans_)),
        Event::Object { count, .. } => (0..count).for_each(|_| end = spans(events, end + 1, depth + 1, spans_)),
        Event::PackedStrings { count } => end += count,
        Event::NodePath { names, subnames, .. } => end += names + subnames,
        _ => {}
    }
    spans_.push(Span { start: at, end, depth });
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
        prop_assert_eq!(spans(&events, 0, 0, &mut all), events.len());
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
        for Span { start, end, depth } in all {
            let mut begun = reader(&bytes, start);
            prop_assert_eq!(begun.depth(), depth);
            let header = bytes[positions[start]];
            prop_assert_eq!(begun.peek_kind().map(Kind::id), Ok(header));
            let mut skipped = begun.clone();
            skipped.skip_value().expect("skips");
            prop_assert_eq!(skipped.position(), positions[end]);
            // Finished from anywhere inside of it, and once more.
            for _ in start..end {
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

/// The value of a property is told from all other values.
#[test]
fn a_reader_knows_where_the_value_of_a_property_comes() {
    // A with a: [1], b: "".
    let bytes = hex(concat!(
        "18000000 01000000 41000000 02000000 01000000 61000000 1c000000 01000000 02000000 01000000 ",
        "01000000 62000000 04000000 00000000",
    ));
    let mut reader = Reader::new(&bytes);
    assert!(!reader.allows_objects());
    reader = reader.with_objects(true);
    assert!(reader.allows_objects());
    let mut found = Vec::new();
    loop {
        found.push(reader.is_in_object());
        if reader.next_event().expect("reads").is_none() {
            break;
        }
    }
    // Before: the object, a, its array, the array's int, b, its string, the end.
    assert_eq!(found, [false, false, true, false, false, true, false]);
}

#[test]
fn what_is_no_kind_is_refused_before_its_value_is_read() {
    for (bytes, reason) in [
        (&[][..], CodecErrorKind::NoHeader { found: 0 }),
        (&[2, 0, 0], CodecErrorKind::NoHeader { found: 3 }),
        (&[39, 0, 0, 0], CodecErrorKind::UnknownType { id: 39, last: 38 }),
    ] {
        let error = Reader::new(bytes).with_base(100).peek_kind().expect_err("no kind");
        assert_eq!((error.at(), error.kind().clone()), (100, reason));
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
fn objects_with_properties_are_refused_unless_they_are_allowed() {
    for vector in vectors::buffers().filter(|vector| vector.allow_objects) {
        let mut allowed = Reader::new(&vector.bytes).with_objects(true);
        let mut has_objects = false;
        while let Ok(Some(event)) = allowed.next_event() {
            // A null in the form of an object is refused as well.
            has_objects |= matches!(event, Event::Object { .. } | Event::ObjectId(0));
        }
        if !has_objects {
            continue;
        }
        let error = validate(Reader::new(&vector.bytes)).expect_err(vector.name);
        assert_eq!(*error.kind(), CodecErrorKind::ObjectRefused, "{}", vector.name);
        assert_eq!(vector.bytes[error.at()], 24, "{}: not at its header", vector.name);
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

#[test]
fn values_of_one_event_are_skipped_by_it() {
    let value = Value::array(vec![Value::Int(1), Value::Texts(vec![vec![]; 3]), Value::Nil]);
    let bytes = naive::value(&value);
    // At the head of the texts, and behind one of them.
    for (before, position) in [(1, 16), (2, 48), (3, 48), (5, 48), (6, 52)] {
        let mut reader = reader(&bytes, before);
        reader.skip_value().expect("skips");
        assert_eq!(reader.position(), position, "{before} events before");
    }
}
