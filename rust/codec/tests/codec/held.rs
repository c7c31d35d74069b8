//! Guards: a plan that holds its payloads gives what one that borrows them gives, outlives them and goes to other threads;
//! what keeps a payload is made once, for a long one, and dropped as soon as nobody needs it.

use varbatch_codec::limits::{HELD_LEN, INLINE_LEN};
use varbatch_codec::{Dialect, ElementType, Event, Kind, Mark, Plan, Text, Width, Writer, fill};

use crate::support::keeper::Keeper;
use crate::support::memory::filled;
use crate::support::random::Random;
use crate::support::wire::{after, packed, packed_of, texts};

/// Values with a payload each, and its bytes where it may be held.
fn values<'e>(bytes: &'e [u8], text: &'e str, chars: &'e [u32]) -> Vec<(Vec<Event<'e>>, usize)> {
    let mut values = Vec::new();
    for kind in [Kind::PackedByteArray, Kind::PackedVector3Array, Kind::PackedFloat64Array] {
        let len = kind.shape().element_len(Width::Single).expect("plain data");
        let bytes = &bytes[..bytes.len() / len * len];
        values.push((vec![packed_of(kind, bytes)], bytes.len()));
    }
    let chars_len = varbatch_codec::text::utf8_len(chars);
    for (text, len) in [(Text::Utf8(text), text.len()), (Text::Utf32(chars), chars_len)] {
        for events in texts(text) {
            match events[0] {
                // These are never held.
                Event::Array { .. } | Event::Dictionary { .. } => values.push((events, 0)),
                // No class is without a name.
                Event::Object { count: 0, .. } if len == 0 => {}
                _ => values.push((events, len)),
            }
        }
    }
    values
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn what_is_held_is_written_as_what_is_borrowed() {
    let mut random = Random::new(1);
    let around = |edge: usize| edge.saturating_sub(5)..edge + 6;
    // A text of three bytes a character has the limit elsewhere.
    for len in [0, INLINE_LEN, HELD_LEN / 3, HELD_LEN, 3 * HELD_LEN].into_iter().flat_map(around) {
        let bytes = random.bytes(len);
        let text = "a".repeat(len);
        for c in [0x61, 0x65e5] {
            let chars = vec![c; len];
            for (events, len) in values(&bytes, &text, &chars) {
                let borrowing = after(&events);
                let (keeper, mut writer) = (Keeper::new(), Writer::new(Dialect::GODOT_4));
                events.iter().try_for_each(|&event| keeper.write(&mut writer, event)).expect("writes");
                // A NodePath has two names.
                let names = events.iter().filter(|event| matches!(event, Event::Text(_))).count();
                let held = if len > HELD_LEN { names.max(1) } else { 0 };
                assert_eq!((keeper.asked.get(), keeper.live()), (held, held), "{len} bytes of {:?}", events[0]);
                assert_eq!(writer.mark().position(), borrowing.mark().position());
                let plan = writer.into_plan();
                assert!(plan.to_vec() == borrowing.into_plan().to_vec(), "{len} bytes of {:?}", events[0]);
                drop(plan);
                assert_eq!(keeper.live(), 0);
            }
        }
    }
}

#[test]
fn what_is_taken_back_is_let_go() {
    let keeper = Keeper::new();
    let bytes = vec![7; 2 * HELD_LEN];
    let long = packed(&bytes);
    let mut writer = Writer::new(Dialect::GODOT_4);
    keeper.write(&mut writer, long).expect("writes");
    writer.end_value(Mark::default()).expect("a value");
    let start = writer.mark();
    writer.write(Event::Array { element: ElementType::Any, count: 3 }).expect("writes");
    keeper.write(&mut writer, long).expect("writes");
    // One in a plan of another writer.
    let mut other = Writer::new(Dialect::GODOT_4).with_depth(writer.depth());
    keeper.write(&mut other, long).expect("writes");
    writer.append(other, 1).expect("is due");
    assert_eq!(keeper.live(), 3);
    writer.end_value(start).expect_err("not complete");
    assert_eq!(keeper.live(), 1, "the value was not complete");
    keeper.write(&mut writer, long).expect("writes");
    writer.drop_value(start);
    assert_eq!(keeper.live(), 1, "the value was dropped");
    // Nothing is asked for where nothing is due.
    let asked = keeper.asked.get();
    writer.write(Event::PackedStrings { count: 1 }).expect("writes");
    keeper.write(&mut writer, long).expect_err("a text is due");
    assert_eq!((keeper.asked.get(), keeper.live()), (asked, 1));
    writer.clear();
    assert_eq!(keeper.live(), 0, "all was dropped");
    keeper.write(&mut writer, long).expect("writes");
    drop(writer.into_plan());
    assert_eq!((keeper.asked.get(), keeper.live()), (5, 0));
}

#[test]
fn a_plan_that_holds_goes_where_its_values_do_not() {
    const fn is_sent<T: Send + Sync + 'static>() {}
    const { is_sent::<Plan<'static>>() };
    const { is_sent::<Writer<'static>>() };
    let keeper = Keeper::new();
    let mut writer: Writer<'static> = Writer::new(Dialect::GODOT_4);
    let mut expected = Vec::new();
    writer.write(Event::Array { element: ElementType::Any, count: 6 }).expect("writes");
    expected.extend([[28, 0, 0, 0], [6, 0, 0, 0]].as_flattened());
    for seed in 0..3 {
        let mut other: Writer<'static> = Writer::new(Dialect::GODOT_4).with_depth(1);
        let bytes = Random::new(seed).bytes(4 * HELD_LEN);
        let chars = vec![0x65e5; HELD_LEN];
        let both = [packed(&bytes), Event::String(Text::Utf32(&chars))];
        both.iter().try_for_each(|&event| keeper.write(&mut other, event)).expect("writes");
        writer.append(other, 2).expect("so many are due");
        expected.extend(after(&both).into_plan().to_vec());
    }
    let plan = writer.into_plan();
    let text = format!("{plan:?}");
    assert!(text.contains("held payload of 4096 bytes") && text.len() < 4000, "{text}");
    assert_eq!(keeper.live(), 6);
    let found = std::thread::spawn(move || {
        let filled_there = filled(plan.len(), |dest| fill::fill(plan.whole(), dest));
        assert!(plan.to_vec() == filled_there, "other bytes there");
        drop(plan);
        filled_there
    });
    assert!(found.join().expect("no panic") == expected);
    assert_eq!(keeper.live(), 0, "dropped there");
}
