//! Guards: events in a wrong order never make a value, and depth has its limit.

use varbatch_codec::{
    CodecError, CodecErrorKind, Copied, Dialect, Event, Kind, Mark, Plain, Shape, Text, Width, Writer, limits,
};

use crate::support::events::{A, ANY, ARRAY, DICTIONARY, NODE_PATH, OBJECT, STRINGS, after, then};

/// What was expected instead, of an error that says so.
#[track_caller]
fn order(result: Result<(), CodecError>) -> &'static str {
    match result.expect_err("events in a wrong order").kind() {
        CodecErrorKind::Order { expected } => expected,
        reason => panic!("{reason}"),
    }
}

#[test]
fn an_event_that_is_not_due_is_refused() {
    let (value, text) = (Event::Nil, A);
    for (before, wrong, expected) in [
        (&[][..], text, "a value"),
        (&[ARRAY], text, "a value"),
        (&[ARRAY, Event::Int(1)], text, "a value"),
        (&[ARRAY, Event::Int(1), Event::Int(2)], text, "a value"),
        (&[DICTIONARY], text, "a value"),
        (&[DICTIONARY, Event::Int(1)], text, "a value"),
        (&[OBJECT], value, "a text"),
        (&[OBJECT], ARRAY, "a text"),
        (&[OBJECT, A], text, "a value"),
        (&[OBJECT, A, Event::Nil], value, "a text"),
        (&[OBJECT, A, ARRAY], text, "a value"),
        (&[OBJECT, A, ARRAY, Event::Nil, Event::Nil], value, "a text"),
        (&[OBJECT, A, Event::Nil, A, Event::Nil], text, "a value"),
        (&[STRINGS], value, "a text"),
        (&[STRINGS, A], text, "a value"),
        (&[NODE_PATH], value, "a text"),
        (&[NODE_PATH, A], Event::String(Text::Utf8("a")), "a text"),
        (&[NODE_PATH, A, A], text, "a value"),
        (&[ARRAY, STRINGS], value, "a text"),
        (&[ARRAY, STRINGS, A], text, "a value"),
        (&[OBJECT, A, NODE_PATH, A, A], value, "a text"),
    ] {
        for now in [false, true] {
            let mut writer = after(before);
            let len = writer.mark().position();
            let result = if now { writer.write_as(wrong, Copied) } else { writer.write(wrong) };
            let at = result.as_ref().map_err(CodecError::at);
            assert_eq!(at, Err(len), "{before:?}");
            assert_eq!(order(result), expected, "{before:?}, {wrong:?}");
        }
    }
}

#[test]
fn a_value_that_is_not_complete_is_refused_and_dropped() {
    for events in [
        &[ARRAY][..],
        &[ARRAY, Event::Nil],
        &[ARRAY, Event::Nil, ARRAY, Event::Nil],
        &[DICTIONARY],
        &[DICTIONARY, Event::Nil],
        &[OBJECT],
        &[OBJECT, A],
        &[OBJECT, A, Event::Nil],
        &[OBJECT, A, Event::Nil, A],
        &[STRINGS],
        &[NODE_PATH],
        &[NODE_PATH, A],
    ] {
        let writer = after(&[Event::Int(1)]);
        let start = writer.mark();
        let mut writer = then(writer, events);
        assert_eq!(order(writer.end_value(start)), "the rest of the value", "{events:?}");
        assert_eq!(writer.mark(), start, "{events:?}");
        // What was begun is forgotten.
        assert_eq!((writer.write(Event::Nil), writer.depth()), (Ok(()), 0));
        writer.end_value(start).expect("a value");
        assert_eq!(writer.into_plan().to_vec(), [2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    }
    assert_eq!(order(after(&[]).end_value(Mark::default())), "a value", "no event");
}

#[test]
fn a_count_that_no_value_can_have_is_refused() {
    let count = limits::MAX_VALUE_LEN + 1;
    for event in [
        Event::PackedStrings { count },
        Event::Array { element: ANY, count },
        Event::Dictionary { key: ANY, value: ANY, count },
        Event::Object { class: Text::Utf8("A"), count },
        Event::NodePath { names: count, subnames: 0, absolute: false },
        Event::NodePath { names: 0, subnames: count, absolute: false },
    ] {
        let error = Writer::new(Dialect::GODOT_4).write(event).expect_err("too many");
        assert_eq!(*error.kind(), CodecErrorKind::TooLarge { found: count }, "{event:?}");
    }
}

#[test]
fn components_of_another_width_than_the_dialects_are_refused() {
    for kind in Kind::ALL {
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

/// A writer that has written `depth` arrays of one element in one another, the innermost still to come.
fn arrays(writer: Writer<'static>, depth: usize) -> Writer<'static> {
    then(writer, &vec![Event::Array { element: ANY, count: 1 }; depth])
}

#[test]
fn a_value_lies_at_most_as_deep_as_the_engine_goes() {
    for event in [Event::Nil, Event::Array { element: ANY, count: 0 }, STRINGS, OBJECT] {
        for outside in [0, 1, 1000, 1024] {
            let mut writer = arrays(Writer::new(Dialect::GODOT_4).with_depth(outside), 1024 - outside);
            assert_eq!(writer.depth(), 1024);
            writer.write(event).expect("the deepest");
        }
        for outside in [0, 1, 1024, 1025] {
            let mut writer = arrays(Writer::new(Dialect::GODOT_4).with_depth(outside), 1025 - outside);
            assert_eq!(writer.depth(), 1025);
            let (len, error) = (writer.mark().position(), writer.write(event).expect_err("too deep"));
            assert_eq!((error.kind().clone(), error.at()), (CodecErrorKind::TooDeep, len), "{outside} outside");
        }
    }
    // Names and texts are no values.
    let mut writer = then(arrays(after(&[]), 1024), &[OBJECT, A]);
    assert_eq!(*writer.write(Event::Nil).expect_err("too deep").kind(), CodecErrorKind::TooDeep);
}

#[test]
fn an_object_without_a_class_is_refused_as_it_would_be_read_as_null() {
    for class in [Text::Utf8(""), Text::Utf32(&[])] {
        let mut writer = Writer::new(Dialect::GODOT_4);
        let error = writer.write(Event::Object { class, count: 1 }).expect_err("no class");
        assert_eq!(*error.kind(), CodecErrorKind::Order { expected: "the name of a class" });
        assert!(writer.plan().is_empty());
    }
}
