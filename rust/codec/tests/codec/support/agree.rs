//! The Reader beside the model.

use varbatch_codec::{Error, Event, Reader, Reason, Text, Width, validate};

use super::model::{self, Verdict};
use super::steps::{announced, assert_same, plain_of, read, texts_of, write, write_single};

/// Reads `bytes` and fails unless all is as the model says.
#[track_caller]
pub fn assert_agrees(bytes: &[u8], allow_objects: bool) -> Verdict {
    let verdict = model::verdict(bytes, allow_objects);
    let mut reader = Reader::new(bytes).allow_objects(allow_objects);
    let (mut events, mut parts) = (Vec::new(), 0);
    let end = loop {
        match reader.next_event() {
            Ok(Some(event)) => {
                parts += announced(&event);
                assert!(4 * parts <= bytes.len(), "{parts} parts announced in {bytes:02x?}");
                events.push(event);
            }
            Ok(None) => break Ok(reader.position()),
            Err(error) => break Err(error),
        }
    };
    match (verdict, &end) {
        (Verdict::Accepted(expected), Ok(consumed)) => {
            assert_eq!(*consumed, expected, "consumed of {bytes:02x?}");
            assert!(expected <= bytes.len() + 3, "past the padding of {bytes:02x?}");
            for plain in events.iter().filter_map(plain_of) {
                let element_len = plain.kind.shape().element_len(plain.width).expect("plain data");
                assert_eq!(plain.bytes.len(), plain.count * element_len, "payload in {bytes:02x?}");
            }
            assert_comes_back(&events);
        }
        (Verdict::Refused, Err(error)) => {
            // Behind a padding that is missing: see `hostile`.
            assert!(error.at <= bytes.len() + 3, "{error}: {bytes:02x?}");
            assert_eq!(reader.next_event().as_ref(), Err(error), "not the same error again: {bytes:02x?}");
        }
        (verdict, end) => panic!("{verdict:?} by the model, found {end:?}: {bytes:02x?}"),
    }
    let reader = || Reader::new(bytes).allow_objects(allow_objects);
    let trusting = validate(reader().trust_counts());
    assert_eq!(trusting.as_ref().ok(), end.as_ref().ok(), "counts are trusted, of {bytes:02x?}");
    let is_count = |error: &Error| matches!(error.reason, Reason::ShortCount { .. });
    assert!(!trusting.as_ref().is_err_and(is_count), "{trusting:?} of {bytes:02x?}");
    if !end.as_ref().is_err_and(is_count) {
        assert_eq!(trusting, end, "counts are trusted, of {bytes:02x?}");
    }
    assert_eq!(validate(reader()), end, "validate, of {bytes:02x?}");
    verdict
}

/// What was read can be written, and is then read whole and as the same but for a second byte-order mark.
#[track_caller]
fn assert_comes_back(events: &[Event<'_>]) {
    let written = write_single(events);
    let is_marked = |text| matches!(text, Text::Utf8(text) if text.starts_with('\u{feff}'));
    if events.iter().flat_map(texts_of).any(is_marked) {
        return;
    }
    let (again, consumed) = read(&written).expect("reads what it has written");
    assert_eq!(consumed, written.len());
    assert_eq!(write(&again).expect("writes what it has read"), written);
    if events.iter().filter_map(plain_of).any(|plain| plain.width == Width::Double) {
        return;
    }
    // A null object is null.
    let plainly = |event: &Event<'_>| matches!(event, Event::ObjectId(0));
    let events: Vec<_> = events.iter().map(|event| if plainly(event) { Event::Nil } else { *event }).collect();
    assert_same(&again, &events);
}
