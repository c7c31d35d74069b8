//! Guards: any value comes back as it was, whatever its type, and events in a wrong order never make a value.

use proptest::collection::vec;
use proptest::prelude::*;
use varbatch_codec::{Dialect, Event, Kind, Plain, Reader, Reason, Shape, Text, Width, Writer};

use crate::support::naive;
use crate::support::steps::{assert_same, read, rest, write};
use crate::support::value::{Value, any_of, any_value, cases, native_kinds};

fn any_width() -> impl Strategy<Value = Width> {
    prop_oneof![Just(Width::Single), Just(Width::Double)]
}

/// The events that a Reader gives for a value: text as UTF-8.
fn assert_read_as(bytes: &[u8], value: &Value) {
    let (found, consumed) = read(bytes).expect("reads what it has written");
    assert_eq!(consumed, bytes.len());
    let Value::Texts(texts) = value else { return assert_same(&found, &value.events()) };
    let texts: Vec<_> = texts.iter().map(|chars| String::from_utf8(naive::utf8(chars)).expect("text")).collect();
    let head = Event::PackedStrings { count: texts.len() };
    let texts = texts.iter().map(|text| Event::Text(Text::Utf8(text)));
    assert_same(&found, &std::iter::once(head).chain(texts).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn a_value_of_each_kind_is_written_to_the_rules_and_comes_back(
        values in native_kinds().into_iter().map(|kind| any_of(kind, Width::Single)).collect::<Vec<_>>(),
    ) {
        for value in values {
            let bytes = write(&value.events()).expect("writes");
            prop_assert_eq!(&bytes, &naive::value(&value));
            assert_read_as(&bytes, &value);
        }
    }

    #[test]
    fn a_value_of_each_kind_comes_back_from_a_double_build(
        values in native_kinds().into_iter().map(|kind| any_of(kind, Width::Double)).collect::<Vec<_>>(),
    ) {
        for value in values {
            let bytes = write(&value.events()).expect("writes");
            prop_assert_eq!(&bytes, &naive::value(&value));
            assert_read_as(&bytes, &value);
        }
    }

    #[test]
    fn values_one_after_the_other_come_back_one_by_one(
        (dialect, values) in any_width().prop_flat_map(|width| {
            (Just(Dialect { real: width }), vec(any_value(width), 0..20))
        }),
    ) {
        let mut writer = Writer::new(dialect);
        for value in &values {
            let start = writer.mark();
            value.events().into_iter().try_for_each(|event| writer.write(event)).expect("writes");
            writer.end_value(start).expect("ends");
        }
        let bytes = writer.into_plan().to_vec();
        let mut at = 0;
        for value in &values {
            let mut reader = Reader::at(&bytes[at..], at);
            let len = naive::value(value).len();
            prop_assert_eq!(reader.peek_kind().map(Kind::id), Ok(bytes[at]));
            rest(&mut reader).expect("reads");
            prop_assert_eq!(reader.position(), len);
            assert_read_as(&bytes[at..at + len], value);
            at += len;
        }
        prop_assert_eq!(at, bytes.len());
    }

    #[test]
    fn text_is_written_alike_from_utf8_and_utf32(text in "\\PC{0,100}") {
        let chars: Vec<_> = text.chars().map(u32::from).collect();
        let head = Event::PackedStrings { count: 1 };
        let from_utf8 = write(&[head, Event::Text(Text::Utf8(&text))]);
        prop_assert_eq!(from_utf8, write(&[head, Event::Text(Text::Utf32(&chars))]));
    }

    #[test]
    fn a_dropped_value_leaves_the_others_as_they_are(values in vec((any_value(Width::Single), any::<bool>()), 1..20)) {
        let mut writer = Writer::new(Dialect::GODOT_4);
        let mut expected = Vec::new();
        for (value, keep) in &values {
            let start = writer.mark();
            let events = value.events();
            // A value to be dropped misses its last event, where it has several.
            let count = if *keep || events.len() == 1 { events.len() } else { events.len() - 1 };
            events[..count].iter().try_for_each(|&event| writer.write(event)).expect("writes");
            if *keep {
                writer.end_value(start).expect("ends");
                expected.extend(naive::value(value));
            } else {
                writer.drop_value(start);
            }
            prop_assert_eq!(writer.mark().position(), expected.len());
        }
        prop_assert_eq!(writer.into_plan().to_vec(), expected);
    }
}

#[test]
fn kinds_that_need_the_engine_are_named_and_left_alone() {
    for kind in Kind::ALL.into_iter().filter(|kind| !kind.is_native()) {
        let bytes = [kind.id(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let mut reader = Reader::at(&bytes, 100);
        assert_eq!(reader.peek_kind(), Ok(kind));
        let error = reader.next_event().expect_err(kind.name());
        assert_eq!((error.at, *error.reason), (100, Reason::NotNative { kind }));
        assert_eq!(reader.position(), 0);
    }
    let native = native_kinds().len();
    assert_eq!((native, Kind::ALL.len() - native), (30, 9));
}

#[test]
fn components_of_another_width_than_the_dialects_are_refused() {
    for kind in native_kinds() {
        for width in [Width::Single, Width::Double] {
            let other = if width == Width::Single { Dialect::GODOT_4_DOUBLE } else { Dialect::GODOT_4 };
            let Some(len) = kind.shape().element_len(width) else { continue };
            let bytes = vec![0; len];
            let plain = Plain { kind, width, count: 1, bytes: &bytes };
            let packed = matches!(kind.shape(), Shape::Packed { .. });
            let event = if packed { Event::Packed(plain) } else { Event::Components(plain) };
            let result = Writer::new(other).write(event);
            assert_eq!(result.is_err(), kind.shape().is_real(), "{}", kind.name());
        }
    }
}

#[test]
fn texts_that_are_missing_or_too_many_make_no_value() {
    let order = |result: Result<(), varbatch_codec::Error>| {
        matches!(*result.expect_err("events in a wrong order").reason, Reason::Order { .. })
    };
    let mut writer = Writer::new(Dialect::GODOT_4);
    let start = writer.mark();
    assert!(order(writer.write(Event::Text(Text::Utf8("no array")))));
    writer.drop_value(start);
    writer.write(Event::PackedStrings { count: 1 }).expect("a head");
    assert!(order(writer.write(Event::Nil)));
    assert!(order(writer.end_value(start)));
    assert_eq!(writer.mark(), start, "an incomplete value is dropped");
    writer.write(Event::PackedStrings { count: 1 }).expect("a head");
    writer.write(Event::Text(Text::Utf8("a"))).expect("a text");
    assert!(order(writer.write(Event::Text(Text::Utf8("one too many")))));
    writer.drop_value(start);
    writer.write(Event::PackedStrings { count: 0 }).expect("a head");
    writer.end_value(start).expect("an empty array is complete");
    assert_eq!(writer.into_plan().to_vec(), [34, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn values_that_are_encoded_already_are_taken_as_they_are() {
    for len in [0, 1, 63, 64, 65, 1000] {
        let bytes = vec![7; len];
        let mut writer = Writer::new(Dialect::GODOT_4);
        writer.encoded(&bytes);
        assert_eq!(writer.mark().position(), len);
        assert_eq!(writer.into_plan().to_vec(), bytes);
    }
}

#[test]
fn a_cleared_writer_begins_anew() {
    let long = "long ".repeat(20);
    let mut writer = Writer::new(Dialect::GODOT_4);
    for round in 0..3 {
        let events = [Event::PackedStrings { count: 2 }, Event::Text(Text::Utf8(&long)), Event::Int(round)];
        events[..2].iter().try_for_each(|&event| writer.write(event)).expect("writes");
        // In the middle of an array: its texts are no longer due.
        writer.clear();
        assert!(writer.plan().is_empty());
        writer.write(events[2]).expect("writes");
        writer.reserve(100);
        writer.write(Event::PackedStrings { count: 1 }).expect("writes");
        writer.write(events[1]).expect("writes");
        let texts = Value::Texts(vec![long.chars().map(u32::from).collect()]);
        let expected = [naive::value(&Value::Int(round)), naive::value(&texts)].concat();
        assert_eq!(writer.plan().to_vec(), expected, "round {round}");
        writer.clear();
    }
    assert!(writer.into_plan().is_empty());
}

#[test]
fn a_plan_holds_long_payloads_by_reference() {
    let bytes = vec![1; 10 << 20];
    let mut writer = Writer::new(Dialect::GODOT_4);
    let kind = Kind::PackedByteArray;
    writer.write(Event::Packed(Plain { kind, width: Width::Single, count: bytes.len(), bytes: &bytes })).expect("fits");
    let plan = writer.into_plan();
    assert_eq!((plan.len(), plan.is_empty()), (8 + bytes.len(), false));
    assert!(plan.overhead() < 4096, "{} bytes for one array", plan.overhead());
}
