//! Whole values through the Reader and the Writer.

use varbatch_codec::{Dialect, Error, Event, Plain, Reader, Width, Writer};

/// All events of the value at the start of `bytes`, and the bytes that it took.
pub fn read(bytes: &[u8]) -> Result<(Vec<Event<'_>>, usize), Error> {
    let mut reader = Reader::new(bytes);
    let events = rest(&mut reader)?;
    Ok((events, reader.position()))
}

/// All events that `reader` has left.
pub fn rest<'a>(reader: &mut Reader<'a>) -> Result<Vec<Event<'a>>, Error> {
    let mut events = Vec::new();
    while let Some(event) = reader.next_event()? {
        events.push(event);
    }
    assert_eq!(reader.next_event()?, None, "an event came after the last");
    Ok(events)
}

/// One value from its events, in the dialect of its components.
pub fn write(events: &[Event<'_>]) -> Result<Vec<u8>, Error> {
    let mut writer = Writer::new(dialect(events));
    let start = writer.mark();
    for &event in events {
        writer.write(event)?;
    }
    writer.end_value(start)?;
    let plan = writer.into_plan();
    let bytes = plan.to_vec();
    assert_eq!(bytes.len(), plan.len(), "planned and filled length differ");
    Ok(bytes)
}

/// The dialect that writes components as wide as these.
pub fn dialect(events: &[Event<'_>]) -> Dialect {
    let double = events.iter().any(|event| match event {
        Event::Components(plain) | Event::Packed(plain) => plain.width == Width::Double,
        _ => false,
    });
    if double { Dialect::GODOT_4_DOUBLE } else { Dialect::GODOT_4 }
}

/// Fails unless two runs of events are the same. Floats are compared bit by bit: a NaN is itself, 0.0 is not -0.0.
#[track_caller]
pub fn assert_same(found: &[Event<'_>], expected: &[Event<'_>]) {
    let same = |pair: (&Event<'_>, &Event<'_>)| match pair {
        (Event::Float(a), Event::Float(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    };
    let all = found.len() == expected.len() && found.iter().zip(expected).all(same);
    assert!(all, "found {found:?}\nexpected {expected:?}");
}

/// The plain data of an event that has some.
pub fn plain_of<'a>(event: &Event<'a>) -> Option<Plain<'a>> {
    match event {
        Event::Components(plain) | Event::Packed(plain) => Some(*plain),
        _ => None,
    }
}
