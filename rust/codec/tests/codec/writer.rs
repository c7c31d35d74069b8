//! Guards: events in a wrong order never make a value, other writers give what is due alone, depth has its limit, and
//! values are whole or none. That any value comes back, and is written to the rules, is looked at in `dialects`.

use proptest::prelude::*;
use varbatch_codec::{
    CodecError, CodecErrorKind, Copied, Dialect, ElementType, Event, Kind, Mark, Plain, Shape, Text, Width, Writer,
    frames, limits,
};

use crate::support::steps::{read, write};
use crate::support::value::{Element, Value, any_value, cases};
use crate::support::wire::{A, ANY, ARRAY, DICTIONARY, NODE_PATH, OBJECT, STRINGS, after, then};

/// What was expected instead, of an error that says so.
#[track_caller]
fn order(result: Result<(), CodecError>) -> &'static str {
    match result.expect_err("events in a wrong order").kind() {
        CodecErrorKind::Order { expected } => expected,
        reason => panic!("{reason}"),
    }
}

/// At each event of a value: another one is refused, and what was written so far is no value, which is dropped.
fn assert_in_order(events: &[Event<'_>]) {
    for at in 0..=events.len() {
        let before = &events[..at];
        let is_text = events.get(at).is_some_and(|event| matches!(event, Event::Text(_)));
        let (wrong, expected) = match is_text {
            true => (Event::String(Text::Utf8("a")), "a text"),
            false if at < events.len() => (A, "a value"),
            false => (A, "the end of the value"),
        };
        for now in [false, true] {
            let mut writer = after(before);
            let len = writer.mark().position();
            let result = if now { writer.write_as(wrong, Copied) } else { writer.write(wrong) };
            assert_eq!(result.as_ref().map_err(CodecError::at), Err(len), "{before:?}");
            assert_eq!(order(result), expected, "{before:?}");
        }
        let mut writer = after(&[Event::Int(1)]);
        writer.end_value(Mark::default()).expect("a value");
        let start = writer.mark();
        let mut writer = then(writer, before);
        if at < events.len() {
            let expected = if at == 0 { "a value" } else { "the rest of the value" };
            assert_eq!(order(writer.end_value(start)), expected, "{before:?}");
            assert_eq!(writer.mark(), start, "{before:?}");
            // What was begun is forgotten.
            assert_eq!((writer.write(Event::Nil), writer.depth()), (Ok(()), 0));
            writer.end_value(start).expect("a value");
            assert_eq!(writer.into_plan().to_vec(), [2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
        }
    }
}

#[test]
fn an_event_that_is_not_due_is_refused_and_what_is_not_complete_is_dropped() {
    // Each kind of container, alone and in each other.
    let parts = [vec![Event::Nil], vec![STRINGS, A], vec![NODE_PATH, A, A]];
    let array = |value: &[Event<'static>]| [&[ARRAY, Event::Int(1)][..], value].concat();
    let dictionary = |value: &[Event<'static>]| [value, value].concat();
    let object = |value: &[Event<'static>]| [&[OBJECT, A][..], value, &[A], value].concat();
    let mut all = parts.to_vec();
    for _ in 0..2 {
        let outer = |value: &Vec<_>| [array(value), [&[DICTIONARY][..], &dictionary(value)].concat(), object(value)];
        all.extend(all.iter().flat_map(outer).collect::<Vec<_>>());
    }
    all.iter().for_each(|events| assert_in_order(events));
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn events_of_any_value_are_taken_in_order(value in any_value(Width::Single)) {
        assert_in_order(&value.events());
    }
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
        for (outside, depth) in [0, 1, 1000, 1024].into_iter().flat_map(|outside| [(outside, 1024), (outside, 1025)]) {
            let mut writer = arrays(Writer::new(Dialect::GODOT_4).with_depth(outside), depth - outside);
            assert_eq!(writer.depth(), depth);
            let (len, result) = (writer.mark().position(), writer.write(event));
            let error = result.err().map(|error| (error.kind().clone(), error.at()));
            let expected = if depth > 1024 { Some((CodecErrorKind::TooDeep, len)) } else { None };
            assert_eq!(error, expected, "{outside} outside");
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

/// A writer of so many ints.
fn ints(count: usize) -> Writer<'static> {
    then(Writer::new(Dialect::GODOT_4).with_depth(1), &vec![Event::Int(1); count])
}

/// A writer of `count` texts that has written some.
fn texts(count: usize, written: usize) -> Writer<'static> {
    then(Writer::for_texts(Dialect::GODOT_4, count), &[A, A, A][..written])
}

/// Appends another writer, whose values or texts are not due.
#[track_caller]
fn assert_not_due(events: &[Event<'_>], other: Writer<'static>, count: usize, are_texts: bool) {
    let mut writer = after(events);
    let before = (writer.mark(), writer.depth());
    let result = if are_texts { writer.append_texts(other, count) } else { writer.append(other, count) };
    assert_eq!(result.as_ref().map_err(CodecError::at), Err(before.0.position()), "{events:?}");
    let what = if are_texts { "texts" } else { "values" };
    assert_eq!(order(result), format!("as many {what} as were announced"), "{events:?}");
    assert_eq!((writer.mark(), writer.depth()), before, "{events:?}: something was taken");
}

#[test]
fn other_writers_give_what_is_due_and_no_more() {
    let two = Event::PackedStrings { count: 2 };
    for (events, count) in [
        // Nothing is open.
        (&[][..], 1),
        (&[ARRAY], 3),
        (&[ARRAY, Event::Nil], 2),
        (&[ARRAY, Event::Nil, Event::Nil], 1),
        (&[DICTIONARY], 3),
        (&[STRINGS], 1),
        (&[OBJECT], 1),
        (&[ARRAY, ARRAY], 3),
        (&[ARRAY, STRINGS], 1),
        (&[ARRAY, STRINGS], 2),
        (&[ARRAY, Event::Nil, STRINGS], 1),
        (&[OBJECT], 2),
        // The writer would not know that a name is due behind it.
        (&[OBJECT, A], 1),
    ] {
        assert_not_due(events, ints(count), count, false);
    }
    // The other one is in the middle of a value.
    for begun in [&[ARRAY][..], &[STRINGS], &[OBJECT]] {
        assert_not_due(&[ARRAY], then(ints(0), begun), 1, false);
        assert_not_due(&[two], after(begun), 1, true);
    }
    for (events, count, written, appended) in [
        // Too many, or not all of its own.
        (&[two][..], 3, 3, 3),
        (&[two, A], 2, 2, 2),
        (&[two], 2, 1, 2),
        (&[two], 2, 1, 1),
        (&[two], 1, 0, 1),
        // No text is due, or a name is, or one of a NodePath.
        (&[], 1, 1, 1),
        (&[], 0, 0, 0),
        (&[ARRAY], 1, 1, 1),
        (&[two, A, A], 1, 1, 1),
        (&[OBJECT], 1, 1, 1),
        (&[NODE_PATH], 1, 1, 1),
        (&[NODE_PATH], 2, 2, 2),
        (&[ARRAY, two, A, A, NODE_PATH], 1, 1, 1),
    ] {
        assert_not_due(events, texts(count, written), appended, true);
    }
    // A writer for texts takes nothing else, and no more than its own.
    for event in [Event::Int(1), ARRAY, STRINGS] {
        texts(2, 1).write(event).expect_err("a text is due");
    }
    texts(2, 2).write(A).expect_err("they were all");
    // The last value or text ends all containers around it, and none is none.
    let mut writer = after(&[ARRAY, Event::Nil, ARRAY]);
    writer.append(ints(0), 0).expect("nothing");
    writer.append(ints(1), 1).expect("one of two");
    assert_eq!(writer.depth(), 2);
    writer = then(writer, &[two, A]);
    writer.append_texts(texts(1, 1), 1).expect("the last");
    assert_eq!(writer.depth(), 0);
    writer.end_value(Mark::default()).expect("complete");
    let events = [ARRAY, Event::Nil, ARRAY, Event::Int(1), two, A, A];
    assert_eq!(writer.into_plan().to_vec(), write(&events).expect("writes"));
    let mut writer = then(after(&[ARRAY]), &[ARRAY]);
    writer.append(ints(2), 2).expect("the inner ones");
    writer.append(ints(1), 1).expect("the last");
    writer.end_value(Mark::default()).expect("complete");
}

#[test]
fn what_comes_back_as_something_else_does_so_as_with_the_engine() {
    // A null object is no object; a type of null is none.
    let (key, value) = (Element::Builtin(Kind::Nil), Element::Any);
    let dictionary = Value::Dictionary { key, value, entries: vec![(Value::ObjectId(0), Value::Nil)] };
    let bytes = write(&dictionary.events()).expect("writes");
    assert_eq!(bytes[..8], [27, 0, 1, 0, 0, 0, 0, 0], "form 1, type 0");
    let (found, _) = read(&bytes).expect("reads");
    let any = ElementType::Any;
    assert_eq!(found, [Event::Dictionary { key: any, value: any, count: 1 }, Event::Nil, Event::Nil]);
}

#[test]
fn a_second_root_is_refused() {
    let roots = [vec![Event::Int(1)], vec![ARRAY, Event::Nil, Event::Nil], vec![STRINGS, A], vec![Event::Callable]];
    for (one, two) in roots.iter().flat_map(|one| roots.iter().map(move |two| (one, two))) {
        let mut writer = then(Writer::new(Dialect::GODOT_4), one);
        assert_eq!(order(writer.write(two[0])), "the end of the value", "{one:?}, {two:?}");
        assert_eq!(order(writer.encoded(&[0; 4], Copied)), "the end of the value");
        writer.end_value(Mark::default()).expect("one value");
        // The next value may begin.
        let start = writer.mark();
        let mut writer = then(writer, two);
        writer.end_value(start).expect("another value");
    }
    let mut writer = Writer::new(Dialect::GODOT_4);
    let both = |writer: &mut Writer<'_>| writer.write(Event::Int(1)).and_then(|()| writer.write(Event::Int(2)));
    assert_eq!(order(frames::write(&mut writer, both)), "the end of the value");
    assert!(writer.plan().is_empty());
    // Behind a value that has not ended, too, nothing is no value.
    writer.write(Event::Int(1)).expect("a value");
    assert_eq!(order(frames::write(&mut writer, |_| Ok::<_, CodecError>(()))), "a value");
}
