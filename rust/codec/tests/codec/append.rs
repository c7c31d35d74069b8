//! Guards: other writers give the values that are due, and nothing of what is not. What they give is looked at in
//! `plan_nested`.

use varbatch_codec::{CodecError, CodecErrorKind, Dialect, Event, Mark, Writer};

use crate::support::events::{A, ARRAY, DICTIONARY, OBJECT, STRINGS, after, then};
use crate::support::steps::write;

/// Whether an error says that so many values are not due.
#[track_caller]
fn assert_not_due(result: Result<(), CodecError>, what: &[Event<'_>]) {
    let expected = "as many values as were announced";
    assert_eq!(result.expect_err("not due").kind().clone(), CodecErrorKind::Order { expected }, "{what:?}");
}

/// A writer of so many ints.
fn ints(count: usize) -> Writer<'static> {
    then(Writer::new(Dialect::GODOT_4).with_depth(1), &vec![Event::Int(1); count])
}

#[test]
fn other_writers_give_what_is_due_and_no_more() {
    // Nothing is open.
    assert_not_due(Writer::new(Dialect::GODOT_4).append(ints(1), 1), &[]);
    for (events, count) in [
        (&[ARRAY][..], 3),
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
    ] {
        let mut writer = after(events);
        let before = writer.mark();
        assert_not_due(writer.append(ints(count), count), events);
        assert_eq!(writer.mark(), before, "nothing is taken");
    }
    // The other one is in the middle of a value.
    for events in [&[ARRAY][..], &[STRINGS], &[OBJECT]] {
        assert_not_due(after(&[ARRAY]).append(then(ints(0), events), 1), events);
    }
    // The last value ends all containers around it, and none is none.
    let mut writer = after(&[ARRAY, Event::Nil, ARRAY]);
    writer.append(ints(0), 0).expect("nothing");
    writer.append(ints(1), 1).expect("one of two");
    assert_eq!(writer.depth(), 2);
    writer.append(ints(1), 1).expect("the last");
    assert_eq!(writer.depth(), 0);
    writer.end_value(Mark::default()).expect("complete");
}

#[test]
fn the_value_of_a_property_is_refused_from_another_writer_or_its_next_name_is_due() {
    let mut writer = after(&[OBJECT, A]);
    let before = writer.mark();
    if writer.append(ints(1), 1).is_err() {
        assert_eq!(writer.mark(), before, "nothing is taken");
        writer.write(Event::Int(1)).expect("the value is due as before");
    }
    writer.write(A).expect("the next name");
    // Two values would be one without a name.
    writer.append(ints(2), 2).expect_err("one is due");
    if writer.append(ints(1), 1).is_err() {
        writer.write(Event::Int(1)).expect("the value is due as before");
    }
    writer.end_value(Mark::default()).expect("complete");
    let bytes = writer.into_plan().to_vec();
    assert_eq!(bytes, write(&[OBJECT, A, Event::Int(1), A, Event::Int(1)]).expect("writes"));
}
