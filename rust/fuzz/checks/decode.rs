//! Any bytes through the Reader, in any dialect: it never panics, never leaves its input, judges as the engine does.

use varbatch_codec::{CodecError, CodecErrorKind, Engine, Event, Reader, Text};

use super::Options;
use super::grammar::{Due, Grammar};
use super::model::{self, Verdict};
use super::steps::{announced, is_bare, plain_of, reader, same, texts_of, validated};

/// The error line of any input stays a line that one can read. In bytes.
const LONGEST_TEXT: usize = 10_000;

/// `path_at` reads from the start again, so that not every place of a long input is asked for.
const PLACES: usize = 64;

/// Reads a value event by event. Bit 0 of the options: objects are allowed; the next three are the engine.
///
/// # Panics
/// If something does not hold.
pub fn decode(data: &[u8]) {
    let (options, bytes) = Options::split(data);
    let (engine, allow_objects) = (options.engine(), options.allow_objects());
    let mut reader = reader(bytes, engine, allow_objects);
    let mut grammar = Grammar::default();
    // Headers, texts and names that are announced, and bytes that are borrowed.
    let (mut parts, mut borrowed) = (1, 0);
    let mut count = 0;
    let result = loop {
        let (at, due) = (reader.position(), grammar.due());
        assert_eq!(reader.depth(), grammar.depth(), "depth at byte {at}");
        if count < PLACES || count.is_multiple_of(PLACES) {
            let path = reader.path_at(at);
            assert!(grammar.is_at(&path), "{path} at byte {at}, where {due:?} is due");
        }
        assert_eq!(reader.left(), bytes.len().saturating_sub(at), "bytes left at byte {at}");
        match due {
            Due::Value => peek(&reader),
            Due::Text | Due::Name | Due::Nothing => peek_text(&reader, due),
        }
        let event = match reader.next_event() {
            Ok(Some(event)) => event,
            Ok(None) => break Ok(at),
            Err(error) => break Err(error),
        };
        assert!(reader.position() >= at + 4, "{event:?} takes no bytes");
        assert!(reader.position() <= bytes.len().next_multiple_of(4), "read past the end");
        assert!(reader.position().is_multiple_of(4), "read on at byte {}", reader.position());
        let is_bare = is_bare(bytes, engine, at, &event);
        grammar.take_of(&event, is_bare);
        parts += announced(&event);
        borrowed += borrows(bytes, &event);
        // So that a caller may allocate for every count at once.
        assert!(parts * 4 <= bytes.len(), "{parts} parts announced up to byte {at}");
        assert!(borrowed <= bytes.len(), "{borrowed} bytes borrowed up to byte {at}");
        count += 1;
    };
    assert_eq!(result.is_ok(), grammar.due() == Due::Nothing, "{result:?} where {:?} is due", grammar.due());
    match &result {
        Ok(_) => assert_eq!(reader.next_event(), Ok(None), "an event came after the last"),
        Err(error) => failed(&mut reader, error, bytes),
    }
    assert_eq!(validated(bytes, engine, allow_objects), result);
    trusting(bytes, engine, allow_objects, &result);
    let verdict = result.map_or(Verdict::Refused, Verdict::Accepted);
    assert_eq!(verdict, model::verdict_of(engine, bytes, allow_objects), "the engine's verdict");
}

/// The kind is known in advance exactly where the header is good.
fn peek(reader: &Reader<'_>) {
    let kind = reader.peek_kind();
    match (reader.clone().next_event(), kind) {
        (Ok(event), kind) => assert!(kind.is_ok() && event.is_some(), "{kind:?} before {event:?}"),
        (Err(error), Err(peeked)) => assert_eq!(error, peeked),
        (Err(_), Ok(_)) => {}
    }
}

/// `next_text` gives a text exactly where one of the value at hand is due.
fn peek_text(reader: &Reader<'_>, due: Due) {
    let mut texts = reader.clone();
    let expected = match due {
        Due::Text => reader.clone().next_event(),
        _ => Ok(None),
    };
    let found = texts.next_text();
    assert_eq!(found.map(|text| text.map(Event::Text)), expected);
}

/// A Reader that trusts counts comes to the same end, or further before it fails.
fn trusting(bytes: &[u8], engine: Engine, allow_objects: bool, expected: &Result<usize, CodecError>) {
    let mut careful = reader(bytes, engine, allow_objects);
    let mut trusting = careful.clone().with_trusted_counts();
    let found = loop {
        let event = trusting.next_event();
        assert!(trusting.position() <= bytes.len().next_multiple_of(4), "read past the end");
        if let (Ok(Some(expected)), Ok(Some(found))) = (careful.next_event(), &event) {
            assert!(same(&[expected], &[*found]), "trusting {found:?}, else {expected:?}");
        }
        match event {
            Ok(Some(_)) => {}
            Ok(None) => break Ok(trusting.position()),
            Err(error) => break Err(error),
        }
    };
    let is_count = |error: &CodecError| matches!(error.kind(), CodecErrorKind::ShortCount { .. });
    match (expected, &found) {
        (Err(error), Err(found)) if is_count(error) => {
            assert!(found.at() >= error.at() && !is_count(found), "trusting {found}, else {error}");
            failed(&mut trusting, found, bytes);
        }
        _ => assert_eq!(found, *expected, "trusting"),
    }
}

/// How many bytes an event borrows, all of which must lie in the input.
fn borrows(bytes: &[u8], event: &Event<'_>) -> usize {
    let within = bytes.as_ptr_range();
    let inside = |part: &[u8]| {
        let part = part.as_ptr_range();
        assert!(within.start <= part.start && part.end <= within.end, "{event:?} borrows from elsewhere");
    };
    let texts = texts_of(event);
    let mut len = 0;
    for text in texts {
        match text {
            // What bit 16 of an array of Pandemonium stands for.
            Text::Utf8("EncodedObjectAsID") if matches!(event, Event::Array { .. }) => continue,
            Text::Utf8(text) => inside(text.as_bytes()),
            // What it borrows is hidden: no character takes less than it does in the end, but pairs of surrogates.
            Text::Loose(text) => assert!(text.chars().next().is_some(), "no text in {event:?}"),
            Text::Utf32(_) => panic!("a Reader gave {event:?}"),
        }
        let text = text.to_utf8();
        assert!(!text.contains('\0'), "a NUL in {event:?}");
        len += text.chars().count();
    }
    let plain = plain_of(event);
    if let Some(plain) = plain {
        inside(plain.bytes);
        let element_len = plain.kind.shape().element_len(plain.width);
        assert_eq!(element_len.map(|len| len * plain.count), Some(plain.bytes.len()), "{event:?}");
    }
    len + plain.map_or(0, |plain| plain.bytes.len())
}

fn failed(reader: &mut Reader<'_>, error: &CodecError, bytes: &[u8]) {
    assert!(error.at() <= bytes.len(), "{error} in {} bytes", bytes.len());
    let text = error.to_string();
    assert!(text.len() <= LONGEST_TEXT, "{} bytes: {text}", text.len());
    assert!(!text.contains(char::is_control), "not one line: {text:?}");
    assert!(text.contains(&format!(", at byte {}", error.at())), "{text}");
    let at = reader.position();
    assert_eq!(reader.next_event().as_ref(), Err(error), "another error");
    assert_eq!(reader.position(), at, "read on behind an error");
}
