//! Guards: values are whole or none, whatever is dropped between them. That any value comes back, and is written to the
//! rules, is looked at in `dialects`.

use proptest::collection::vec;
use proptest::prelude::*;
use varbatch_codec::{Dialect, ElementType, Event, Kind, Text, Width, Writer};

use crate::support::events::texts;
use crate::support::naive;
use crate::support::steps::{read, write};
use crate::support::value::{Element, Value, any_value, cases, chars};

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn a_dropped_value_leaves_the_others_as_they_are(
        values in vec((any_value(Width::Single), any::<Option<prop::sample::Index>>()), 1..12),
    ) {
        let mut writer = Writer::new(Dialect::GODOT_4);
        let mut expected = Vec::new();
        for (value, dropped_after) in &values {
            let start = writer.mark();
            let events = value.events();
            // A value to be dropped is dropped anywhere in the middle.
            let count = dropped_after.map_or(events.len(), |index| index.index(events.len()) + 1);
            events[..count].iter().try_for_each(|&event| writer.write(event)).expect("writes");
            if dropped_after.is_none() {
                writer.end_value(start).expect("ends");
                expected.extend(naive::value(value));
            } else {
                writer.drop_value(start);
            }
            prop_assert_eq!(writer.mark().position(), expected.len());
        }
        prop_assert_eq!(writer.into_plan().to_vec(), expected);
    }

    #[test]
    fn a_value_without_its_last_events_or_with_one_more_is_none(
        value in any_value(Width::Single),
        cut in any::<prop::sample::Index>(),
    ) {
        let events = value.events();
        let mut writer = Writer::new(Dialect::GODOT_4);
        let start = writer.mark();
        // Nothing may be cut off.
        events[..cut.index(events.len())].iter().try_for_each(|&event| writer.write(event)).expect("writes");
        prop_assert!(writer.end_value(start).is_err());
        prop_assert_eq!(writer.mark(), start, "an incomplete value is dropped");
        // Nothing may follow that is not a value of its own.
        events.iter().try_for_each(|&event| writer.write(event)).expect("writes");
        prop_assert!(writer.write(Event::Text(Text::Utf8(""))).is_err());
    }

    // Not an empty text: no class has that name.
    #[test]
    fn text_is_written_alike_from_utf8_and_utf32(text in "\\PC{1,100}") {
        let chars = chars(&text);
        for (utf8, utf32) in texts(Text::Utf8(&text)).iter().zip(texts(Text::Utf32(&chars))) {
            prop_assert_eq!(write(utf8), write(&utf32));
        }
    }
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
