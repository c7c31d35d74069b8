//! Guards: a plan borrows what is long, copies what must not be borrowed, and begins anew when it is cleared.

use varbatch_codec::{Borrowed, CodecErrorKind, Copied, Dialect, ElementType, Event, Mark, Text, Writer, limits};

use crate::support::events::{A, ARRAY, STRINGS, after, packed, texts, then};
use crate::support::naive;
use crate::support::value::{Value, chars};

const LONG: usize = 10 << 20;

#[test]
fn a_plan_holds_long_payloads_by_reference() {
    let bytes = vec![b'a'; LONG];
    let chars = vec![u32::from('é'); LONG / 4];
    let text = std::str::from_utf8(&bytes).expect("ASCII");
    let texts = texts(Text::Utf8(text)).into_iter().chain(texts(Text::Utf32(&chars)));
    for events in texts.chain([vec![packed(&bytes)]]) {
        let plan = after(&events).into_plan();
        assert!(plan.len() > LONG / 2 && !plan.is_empty());
        assert!(plan.overhead() < 4096, "{} bytes for {:?}", plan.overhead(), events[0]);
    }
}

#[test]
fn a_plan_that_is_written_now_borrows_nothing() {
    let count = texts(Text::Utf8("")).len();
    for index in 0..=count {
        let mut writer = Writer::new(Dialect::GODOT_4);
        let mut by_reference = Writer::new(Dialect::GODOT_4);
        let (bytes, chars) = (vec![b'a'; LONG], vec![u32::from('é'); LONG / 4]);
        for text in [Text::Utf8(std::str::from_utf8(&bytes).expect("ASCII")), Text::Utf32(&chars)] {
            let events = texts(text).into_iter().nth(index).unwrap_or_else(|| vec![packed(&bytes)]);
            events.iter().try_for_each(|&event| writer.write_as(event, Copied)).expect("fits");
            events.iter().try_for_each(|&event| by_reference.write(event)).expect("fits");
        }
        let expected = by_reference.into_plan().to_vec();
        // The plan is used when what was written is no more: this would not compile if it were borrowed.
        drop((bytes, chars));
        let plan = writer.into_plan();
        assert!(plan.overhead() >= plan.len(), "{} of {} bytes", plan.overhead(), plan.len());
        assert!(plan.to_vec() == expected, "{index}");
    }
}

#[test]
fn payloads_up_to_a_limit_are_copied() {
    for (len, borrowed) in [(limits::INLINE_LEN, false), (limits::INLINE_LEN + 1, true)] {
        let (bytes, chars) = (vec![b'a'; len], vec![u32::from('a'); len]);
        let text = std::str::from_utf8(&bytes).expect("ASCII");
        for event in [packed(&bytes), Event::String(Text::Utf8(text)), Event::String(Text::Utf32(&chars))] {
            let mut writer = Writer::new(Dialect::GODOT_4);
            // A cleared writer keeps its memory: after two rounds it does not grow for small bytes any more.
            for _ in 0..2 {
                writer.clear();
                (0..1000).try_for_each(|_| writer.write(event)).expect("fits");
            }
            let per_value = writer.plan().overhead() / 1000;
            assert_eq!(per_value < len, borrowed, "{per_value} bytes a value of {len}");
        }
    }
}

#[test]
fn values_that_are_encoded_already_are_values() {
    let nil = [0; 4];
    let mut writer = after(&[Event::Object { class: Text::Utf8("A"), count: 1 }]);
    assert!(writer.encoded(&nil, Borrowed).is_err(), "a name is due");
    let mut writer = then(writer, &[A, ARRAY]);
    writer.encoded(&nil, Borrowed).expect("an element");
    assert!(writer.plan().len() > 8 && writer.depth() == 2);
    writer.encoded(&nil, Borrowed).expect("the last");
    writer.end_value(Mark::default()).expect("complete");
    // Nor deeper than other values.
    let mut writer = Writer::new(Dialect::GODOT_4).with_depth(limits::MAX_DEPTH + 1);
    assert!(writer.encoded(&nil, Borrowed).is_err(), "too deep");
    let mut writer = Writer::new(Dialect::GODOT_4).with_depth(limits::MAX_DEPTH);
    assert!(writer.encoded(&nil, Borrowed).is_ok());
}

#[test]
fn a_cleared_writer_begins_anew() {
    let long = "long ".repeat(20);
    let text = Event::Text(Text::Utf8(&long));
    let in_the_middle = [
        vec![Event::PackedStrings { count: 2 }, text],
        vec![ARRAY, Event::String(Text::Utf8(&long))],
        vec![Event::Object { class: Text::Utf8(&long), count: 2 }],
        vec![Event::Object { class: Text::Utf8(&long), count: 2 }, text, Event::PackedStrings { count: 1 }],
    ];
    let mut writer = Writer::new(Dialect::GODOT_4);
    for (round, events) in in_the_middle.into_iter().enumerate() {
        events.iter().try_for_each(|&event| writer.write(event)).expect("writes");
        // What was due is no longer.
        writer.clear();
        assert!(writer.plan().is_empty() && writer.depth() == 0);
        writer.write(Event::Int(round as i64)).expect("writes");
        writer.reserve(100);
        writer.write(STRINGS).expect("writes");
        writer.write(text).expect("writes");
        let values = [Value::Int(round as i64), Value::Texts(vec![chars(&long)])];
        let expected: Vec<_> = values.iter().flat_map(naive::value).collect();
        assert_eq!(writer.plan().to_vec(), expected, "round {round}");
        writer.clear();
    }
    assert!(writer.into_plan().is_empty());
}

/// On 32-bit platforms its length does not fit in a `usize`, and on others it can be written.
#[test]
fn the_same_bytes_often_are_too_large_a_value() {
    let (bytes, count) = (vec![7; 1 << 20], 4097);
    let mut writer = Writer::new(Dialect::GODOT_4);
    let first = writer.mark();
    writer.write(Event::Bool(true)).expect("a value is due");
    writer.end_value(first).expect("complete");
    let start = writer.mark();
    writer.write(Event::Array { element: ElementType::Any, count }).expect("a value is due");
    for _ in 0..count {
        writer.write(packed(&bytes)).expect("a value is due");
    }
    let error = writer.end_value(start).expect_err("more than 2 GiB");
    assert!(matches!(error.kind(), CodecErrorKind::TooLarge { found } if *found > limits::MAX_VALUE_LEN), "{error}");
    assert_eq!(writer.mark(), start, "dropped");
    writer.write(Event::Bool(true)).expect("a value is due");
    writer.end_value(start).expect("the plan has room again");
}
