//! Guards: each error's text, to the letter, and the byte that it names. Users read these in the engine's log.

use varbatch_codec::{Dialect, Error, Event, Kind, Plain, Reader, Reason, Text, Width, Writer, frames, limits};

use crate::support::steps::rest;
use crate::support::vectors::hex;

/// The error of reading these bytes, which stand at byte 100 of a larger buffer.
fn of_reading(bytes: &str) -> Error {
    let bytes = hex(bytes);
    rest(&mut Reader::at(&bytes, 100)).expect_err("a bad value")
}

fn of_frames(bytes: &str) -> Error {
    frames::read(&hex(bytes)).find_map(Result::err).expect("a bad frame")
}

fn of_writing(events: &[Event<'_>]) -> Error {
    let mut writer = Writer::new(Dialect::GODOT_4);
    let start = writer.mark();
    let mut events = events.iter();
    events.try_for_each(|&event| writer.write(event)).and_then(|()| writer.end_value(start)).expect_err("no value")
}

/// The longest value that the engine can count, and as many bytes more as `longer` says.
fn of_length(longer: usize) -> Result<(), Error> {
    // A text of 16 MiB many times over: with its length and its NUL, `ELEMENT` bytes.
    const ELEMENT: usize = 1 << 24;
    let whole = "x".repeat(ELEMENT - 5);
    // The longest multiple of four below 2^31, as FORMAT.md has it for the engine.
    let left = 2_147_483_644 - 8;
    let last = "x".repeat(left % ELEMENT - 5 + longer);
    let count = left / ELEMENT + 1;
    let mut writer = Writer::new(Dialect::GODOT_4);
    let start = writer.mark();
    writer.write(Event::PackedStrings { count })?;
    (1..count).try_for_each(|_| writer.write(Event::Text(Text::Utf8(&whole))))?;
    writer.write(Event::Text(Text::Utf8(&last)))?;
    let result = writer.end_value(start);
    assert_eq!(writer.mark().position(), if result.is_ok() { 2_147_483_644 } else { 0 });
    result
}

/// How many reasons there are. A new one fails to compile here until it has its text below.
const REASONS: usize = 11;

fn number(reason: &Reason) -> usize {
    match reason {
        Reason::Short { .. } => 0,
        Reason::NoHeader { .. } => 1,
        Reason::UnknownType { .. } => 2,
        Reason::Negative { .. } => 3,
        Reason::ShortArray { .. } => 4,
        Reason::ShortElement { .. } => 5,
        Reason::Malformed { .. } => 6,
        Reason::TooLarge { .. } => 7,
        Reason::ShortFrame { .. } => 8,
        Reason::NotNative { .. } => 9,
        Reason::Order { .. } => 10,
    }
}

#[test]
fn every_error_says_what_was_expected_what_was_found_and_where() {
    let texts = [
        (of_reading("09000000 0000803f 0000"), "expected 12 bytes for the components of Vector3, found 6, at byte 104"),
        (of_reading("02000100 00000000"), "expected 8 bytes for the value of int, found 4, at byte 104"),
        (of_reading("1e000000 00"), "expected 4 bytes for the count of PackedInt32Array, found 1, at byte 104"),
        (of_reading(""), "expected a header of 4 bytes, found 0, at byte 100"),
        (of_reading("27000000"), "expected a type from 0 to 38, found 39, at byte 100"),
        (
            of_reading("20000000 feffffff"),
            "expected a count of 0 or more for PackedFloat32Array, found -2, at byte 104",
        ),
        (
            of_reading("22000000 01000000 ffffffff"),
            "expected a text length of 0 or more for PackedStringArray, found -1, at byte 108",
        ),
        (
            of_reading("24000100 03000000 00000000"),
            "expected 72 bytes for the 3 elements of PackedVector3Array, found 4, at byte 108",
        ),
        (
            of_reading("22000000 ffffff7f 00000000"),
            "expected 8589934588 bytes for the 2147483647 elements of PackedStringArray, found 4, at byte 108",
        ),
        (
            of_reading("22000000 02000000 04000000 61626300 00"),
            "expected 4 bytes for the length of element 1 of 2 of PackedStringArray, found 1, at byte 116",
        ),
        (
            of_reading("22000000 01000000 06000000 61626300 00"),
            "expected 8 bytes for the text of element 0 of 1 of PackedStringArray, found 5, at byte 112",
        ),
        (
            of_reading("22000000 01000000 03000000 61ff6200"),
            "expected UTF-8 for element 0 of 1 of PackedStringArray, found byte 0xff, at byte 113",
        ),
        (
            of_reading("22000000 01000000 04000000 efbbbfc3"),
            "expected UTF-8 for element 0 of 1 of PackedStringArray, found byte 0xc3, at byte 115",
        ),
        (
            of_length(1).expect_err("one byte too many"),
            "expected at most 2147483647 bytes in one value, found 2147483648, at byte 2147483647",
        ),
        (of_frames("0800"), "expected 4 bytes for the length of a frame, found 2, at byte 0"),
        (
            of_frames("04000000 00000000 08000000 0200"),
            "expected 8 bytes for the payload of a frame, found 2, at byte 12",
        ),
        (of_reading("04000000"), "expected a type that is read without the engine, found String, at byte 100"),
        (of_writing(&[Event::Text(Text::Utf8(""))]), "expected a value, found another event, at byte 0"),
        (
            of_writing(&[Event::PackedStrings { count: 1 }, Event::Nil]),
            "expected the texts of the array, found another event, at byte 8",
        ),
    ];
    let mut seen = [false; REASONS];
    for (error, text) in texts {
        assert_eq!(error.to_string(), text);
        seen[number(&error.reason)] = true;
    }
    assert_eq!(seen, [true; REASONS], "a reason without a text here");
}

#[test]
fn the_longest_value_is_the_engines() {
    assert_eq!(limits::MAX_VALUE_LEN, 0x7fff_ffff);
    assert_eq!(of_length(0), Ok(()));
    assert!(of_length(1).is_err());
}

#[test]
fn counts_beyond_the_longest_value_are_refused() {
    let count = limits::MAX_VALUE_LEN + 1;
    assert_eq!(*of_writing(&[Event::PackedStrings { count }]).reason, Reason::TooLarge { found: count });
}

#[test]
fn data_of_another_length_than_its_count_says_is_refused() {
    for (kind, count, len) in [
        (Kind::PackedByteArray, limits::MAX_VALUE_LEN + 1, 0),
        (Kind::PackedInt64Array, 2, 3),
        (Kind::PackedInt64Array, usize::MAX, 8),
        (Kind::PackedVector3Array, 1, 13),
        (Kind::Vector3, 1, 8),
        (Kind::Color, 2, 16),
    ] {
        let plain = Plain { kind, width: Width::Single, count, bytes: &[0; 16][..len] };
        for event in [Event::Packed(plain), Event::Components(plain)] {
            assert!(matches!(*of_writing(&[event]).reason, Reason::Order { .. }), "{count} of {}", kind.name());
        }
    }
}

#[test]
fn a_value_without_events_is_refused() {
    let mut writer = Writer::new(Dialect::GODOT_4);
    let start = writer.mark();
    assert!(matches!(*writer.end_value(start).expect_err("nothing was written").reason, Reason::Order { .. }));
    assert!(frames::write(&mut writer, |_| Ok::<(), Error>(())).is_err());
    assert!(writer.into_plan().is_empty());
}

#[test]
#[cfg(target_pointer_width = "64")]
fn buffers_beyond_the_longest_value_are_refused() {
    // Zeros that nothing touches take no memory, where the system gives them at all.
    let layout = std::alloc::Layout::array::<u8>(limits::MAX_VALUE_LEN + 1).expect("fits");
    // SAFETY: the layout is not empty.
    let memory = unsafe { std::alloc::alloc_zeroed(layout) };
    if memory.is_null() {
        return;
    }
    // SAFETY: so many zeros are there, until they are given back below.
    let bytes = unsafe { std::slice::from_raw_parts(memory, layout.size()) };
    let found = [bytes, &bytes[..limits::MAX_VALUE_LEN]].map(|bytes| Reader::at(bytes, 100).next_event());
    // SAFETY: taken above with this layout; no event of Nil borrows from it.
    unsafe { std::alloc::dealloc(memory, layout) };
    let reason = Box::new(Reason::TooLarge { found: 0x8000_0000 });
    assert_eq!(found, [Err(Error { at: 100, reason }), Ok(Some(Event::Nil))]);
}
