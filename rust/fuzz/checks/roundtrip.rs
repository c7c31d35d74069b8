//! What was read is written, in the dialects of its engine and by every way to write, and is then read as the same.

use varbatch_codec::{CodecErrorKind, Copied, Dialect, ElementType, Engine, Event, Plain, Text, Width, Writer, text};
use varbatch_storage::fill;
use varbatch_workers::Threads;

use super::Options;
use super::arrays;
use super::pieces;
use super::steps::{filled, is_any_object, is_marked, is_written, map_texts, plain_of, read, same, texts_of, write};

/// Reads a value, writes it, and reads it again. Bit 0 of the options: objects are allowed; the next three are the
/// engine; all but the first choose which values are written elsewhere.
///
/// # Panics
/// If something does not hold.
pub fn roundtrip(data: &[u8]) {
    let (options, bytes) = Options::split(data);
    let engine = options.engine();
    let Ok((events, _)) = read(bytes, engine, options.allow_objects()) else { return };
    if let Some(typed) = events.iter().find(|event| !is_written(engine, event)) {
        return refused(typed, engine);
    }
    if engine == Engine::Pandemonium && !arrays::mixed(&events, &|_| true).is_empty() {
        return refused_mixed(&events);
    }
    let dialects = match engine {
        Engine::Godot4 => &[Dialect::GODOT_4, Dialect::GODOT_4_DOUBLE][..],
        _ => &[Dialect::of(engine)],
    };
    for &dialect in dialects {
        let memory: Vec<_> = events.iter().map(|event| converted(event, dialect.real)).collect();
        let events: Vec<_> = events.iter().zip(&memory).map(|(event, memory)| fitted(event, memory)).collect();
        let once = write(&events, dialect);
        assert!(once.len().is_multiple_of(4), "{} bytes written", once.len());
        assert_eq!(once, copied(&events, dialect), "written at once");
        assert_eq!(once, from_utf32(&events, dialect), "written from UTF-32");
        pieces::check(&events, dialect, options.pick(), &once);
        // The engine drops a byte-order mark: a text that begins with one changes each time that it is read.
        if is_marked(&events) {
            continue;
        }
        let (again, consumed) = read(&once, engine, options.allow_objects()).expect("reads what it has written");
        let expected: Vec<_> = events.iter().map(|event| as_written(engine, event)).collect();
        assert!(same(&again, &expected), "read {again:?}\nexpected {expected:?}");
        assert_eq!(consumed, once.len(), "written and read length differ");
        assert_eq!(write(&again, dialect), once, "written again");
    }
}

/// A pool of vectors of an engine that has no arrays that say what is in them.
fn refused(event: &Event<'_>, engine: Engine) {
    let error = Writer::new(Dialect::of(engine)).write(*event).expect_err("has no such type");
    assert_eq!(*error.kind(), CodecErrorKind::NoSuchType { engine, what: "typed Array" }, "{event:?}");
}

/// Typed and untyped Arrays in an Array of Arrays, which are of two types.
fn refused_mixed(events: &[Event<'_>]) {
    let mut writer = Writer::new(Dialect::PANDEMONIUM);
    let error = events.iter().find_map(|&event| writer.write(event).err()).expect("has no such type");
    let what = "Array of typed and untyped Arrays";
    assert_eq!(*error.kind(), CodecErrorKind::NoSuchType { engine: Engine::Pandemonium, what });
}

/// The plain data of an event with components of `width`, where it has another.
fn converted(event: &Event<'_>, width: Width) -> Option<(Width, Vec<u8>)> {
    let plain = plain_of(event).filter(|plain| plain.kind.shape().is_real() && plain.width != width)?;
    let len = plain.kind.shape().element_len(width).expect("plain data") * plain.count;
    let bytes = filled(len, 0xa5, |dest| fill::plain(plain, width, dest, &Threads::alone()));
    assert_eq!(bytes, plainly(plain), "converted {plain:?}");
    Some((width, bytes))
}

/// The components of `plain` in the other width.
fn plainly(plain: Plain<'_>) -> Vec<u8> {
    match plain.width {
        Width::Single => {
            let wide = |bytes: &[u8; 4]| f64::from(f32::from_le_bytes(*bytes)).to_le_bytes();
            plain.bytes.as_chunks().0.iter().flat_map(wide).collect()
        }
        Width::Double => {
            let narrow = |bytes: &[u8; 8]| (f64::from_le_bytes(*bytes) as f32).to_le_bytes();
            plain.bytes.as_chunks().0.iter().flat_map(narrow).collect()
        }
    }
}

fn fitted<'a>(event: &Event<'a>, converted: &'a Option<(Width, Vec<u8>)>) -> Event<'a> {
    let Some((width, bytes)) = converted else { return *event };
    match *event {
        Event::Components(plain) => Event::Components(Plain { width: *width, bytes, ..plain }),
        Event::Packed(plain) => Event::Packed(Plain { width: *width, bytes, ..plain }),
        other => other,
    }
}

/// What an event is read as after it was written.
fn as_written<'a>(engine: Engine, event: &Event<'a>) -> Event<'a> {
    match *event {
        Event::Array { element, count } if engine == Engine::Pandemonium && is_any_object(element) => {
            Event::Array { element: ElementType::Class(Text::Utf8("Object")), count }
        }
        Event::ObjectId(0) => Event::Nil,
        other => other,
    }
}

fn copied(events: &[Event<'_>], dialect: Dialect) -> Vec<u8> {
    let mut writer = Writer::new(dialect);
    let start = writer.mark();
    for &event in events {
        writer.write_as(event, Copied).expect("writes what the Reader gave");
    }
    writer.end_value(start).expect("ends what it has written");
    writer.into_plan().to_vec()
}

/// The same value with its texts as an engine holds them.
fn from_utf32(events: &[Event<'_>], dialect: Dialect) -> Vec<u8> {
    let memory: Vec<_> = events.iter().flat_map(texts_of).map(|text| utf32(&text.to_utf8())).collect();
    let mut texts = memory.iter().map(|chars| Text::Utf32(chars));
    let mut next = |_| texts.next().expect("as many texts as before");
    let events: Vec<_> = events.iter().map(|event| map_texts(event, &mut next)).collect();
    let bytes = copied(&events, dialect);
    assert_eq!(bytes, write(&events, dialect), "written at once from UTF-32");
    bytes
}

fn utf32(text: &str) -> Vec<u32> {
    let chars = filled(text::utf32_len(text), 0xa5a5_a5a5, |dest| text::write_utf32(text, dest));
    assert!(chars.iter().copied().eq(text.chars().map(u32::from)), "{text:?} as UTF-32");
    assert_eq!(text::utf8_len(&chars), text.len(), "{text:?} as UTF-8");
    chars
}
