//! Guards: each error's text, to the letter, and the byte that it names. Users read these in the engine's log.

use std::collections::BTreeSet;

use varbatch_codec::{
    CodecError, CodecErrorKind, Dialect, Event, Kind, Plain, Reader, Text, Value, Width, Writer, frames, limits,
    validate,
};

use crate::support::steps::rest;
use crate::support::vectors::{self, hex};

/// The error of reading these bytes, which stand at byte 100 of a larger buffer. Objects are allowed.
fn of_reading(bytes: &str) -> CodecError {
    let bytes = hex(bytes);
    rest(&mut Reader::new(&bytes).with_base(100).with_objects(true)).expect_err("a bad value")
}

fn of_frames(bytes: &str) -> CodecError {
    frames::read(&hex(bytes)).find_map(Result::err).expect("a bad frame")
}

fn of_writing(events: &[Event<'_>]) -> CodecError {
    let mut writer = Writer::new(Dialect::GODOT_4);
    let start = writer.mark();
    let mut events = events.iter();
    events.try_for_each(|&event| writer.write(event)).and_then(|()| writer.end_value(start)).expect_err("no value")
}

/// The longest value that the engine can count, and as many bytes more as `longer` says.
fn of_length(longer: usize) -> Result<(), CodecError> {
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

/// Bytes, and the error of reading them where they stand at byte 100, with objects allowed: what is expected, what is
/// found, and at which byte.
const READING: [(&str, &str, &str, usize); 47] = [
    ("", "4 more bytes for a header", "0", 100),
    ("020000", "4 more bytes for a header", "3", 100),
    ("27000000", "a type from 0 to 38", "39", 100),
    ("ffffffff", "a type from 0 to 38", "255", 100),
    // numbers and math types
    ("01000000 000000", "4 more bytes for bool", "3", 104),
    ("02000100 00000000", "8 more bytes for int", "4", 104),
    ("03000000", "4 more bytes for float", "0", 104),
    ("09000000 0000803f 0000", "12 more bytes for Vector3", "6", 104),
    ("09000100 0000803f 0000", "24 more bytes for Vector3", "6", 104),
    ("17000000 00000000", "8 more bytes for RID", "4", 104),
    // packed arrays: the first element that is not whole
    ("1e000000 00", "4 more bytes for the count of PackedInt32Array", "1", 104),
    ("20000000 feffffff", "0 or more for the count of PackedFloat32Array", "-2", 104),
    ("24000100 03000000 00000000", "24 more bytes for PackedVector3Array element 0 of 3", "4", 108),
    ("24000000 03000000 (00000000)x7 0000", "12 more bytes for PackedVector3Array element 2 of 3", "6", 132),
    ("1f000000 02000000 (00000000)x2", "8 more bytes for PackedInt64Array element 1 of 2", "0", 116),
    ("1d000000 05000000 00000000", "1 more byte for PackedByteArray element 4 of 5", "0", 112),
    // texts: the place of the length, of the text, of the first bad byte
    ("04000000 0000", "4 more bytes for the length of String", "2", 104),
    ("04000000 05000000 00000000", "8 more bytes for String", "4", 108),
    ("04000000 fdffff7f 00000000", "2147483648 more bytes for String", "4", 108),
    ("15000000 ffffffff", "0 or more for the length of StringName", "-1", 104),
    ("15000000 03000000 61ff6200", "UTF-8 for StringName", "byte 0xff", 109),
    ("04000000 04000000 efbbbfc3", "UTF-8 for String", "byte 0xc3", 111),
    ("22000000", "4 more bytes for the count of PackedStringArray", "0", 104),
    (
        "22000000 ffffff7f 00000000",
        "at least 8589934588 more bytes for 2147483647 elements of PackedStringArray",
        "4",
        108,
    ),
    ("22000000 02000000 04000000 61626300 05000000", "8 more bytes for PackedStringArray element 1 of 2", "0", 120),
    (
        "22000000 02000000 04000000 61626300 fbffffff",
        "0 or more for the length of PackedStringArray element 1 of 2",
        "-5",
        116,
    ),
    ("22000000 01000000 03000000 61ff6200", "UTF-8 for PackedStringArray element 0 of 1", "byte 0xff", 113),
    // NodePath
    ("16000000", "4 more bytes for the name count of NodePath", "0", 104),
    ("16000000 01000000 61000000", "bit 31 in the name count of NodePath", "the format before Godot 3", 104),
    ("16000000 00000080 00", "4 more bytes for the subname count of NodePath", "1", 108),
    ("16000000 00000080 00000000", "4 more bytes for the flags of NodePath", "0", 112),
    ("16000000 01000080 01000000 00000000 00000000", "at least 8 more bytes for 2 names of NodePath", "4", 116),
    ("16000000 01000080 01000000 00000000 00000000 ffffff00", "16777216 more bytes for NodePath name 1 of 2", "0", 124),
    // Signal
    ("1a000000 01000000", "4 more bytes for the name of Signal", "0", 108),
    ("1a000000", "4 more bytes for the length of the name of Signal", "0", 104),
    ("1a000000 00000000 00000000", "8 more bytes for the object id of Signal", "4", 108),
    // Object
    ("18000100 000000", "8 more bytes for the instance id of Object", "3", 104),
    ("18000000 02000000 c3000000", "UTF-8 for the class name of Object", "byte 0xc3", 108),
    ("18000000 01000000 41000000", "4 more bytes for the property count of Object", "0", 112),
    (
        "18000000 01000000 41000000 02000000 (00000000)x3",
        "at least 16 more bytes for 2 properties of Object",
        "12",
        116,
    ),
    (
        "18000000 01000000 41000000 01000000 00000080 00000000",
        "0 or more for the length of the property name of Object",
        "-2147483648",
        116,
    ),
    // containers
    ("1c000000", "4 more bytes for the count of Array", "0", 104),
    ("1c000100 27000000", "an element type from 0 to 38 for Array", "39", 104),
    ("1b000500 04000000 ffffffff", "an element type from 0 to 38 for Dictionary", "-1", 108),
    ("1c000200 01000000 ff000000", "UTF-8 for the element class of Array", "byte 0xff", 108),
    ("1b000300 ffffffff", "0 or more for the length of the element script of Dictionary", "-1", 104),
    ("1b000000 03000080 (00000000)x5", "at least 24 more bytes for 3 entries of Dictionary", "20", 108),
];

#[test]
fn every_error_says_what_was_expected_what_was_found_and_where() {
    for (bytes, expected, found, at) in READING {
        let text = format!("expected {expected}, found {found}, at byte {at}");
        assert_eq!(of_reading(bytes).to_string(), text, "{bytes}");
    }
}

#[test]
fn no_reason_is_without_a_text() {
    assert_eq!((limits::MAX_VALUE_LEN, of_length(0)), (0x7fff_ffff, Ok(())));
    let of_caller = |reason| Reader::new(&[0; 4]).with_base(100).error_at(0, reason);
    let pandemonium = hex("1b000000 17000000 04000000");
    let pandemonium = Reader::new(&pandemonium).with_base(100).with_dialect(Dialect::PANDEMONIUM);
    let object = hex("18000000 00000000");
    let signal = Event::Signal { name: Text::Utf8(""), object: 0 };
    let texts = [
        (of_reading("(1c000000 01000000)x1025 00000000"), DEEP),
        (
            validate(pandemonium).expect_err("no class"),
            "expected a StringName for the element class of Array, found type 4, at byte 108",
        ),
        (
            Writer::new(Dialect::GODOT_3).write(signal).expect_err("new"),
            "expected a type that Godot 3 has, found Signal, at byte 0",
        ),
        (
            validate(Reader::new(&object).with_base(100)).expect_err("an object"),
            "expected no object with properties, as objects are not allowed, found one, at byte 100",
        ),
        (of_caller(CodecErrorKind::Refused("expected a, found b".into())), "expected a, found b, at byte 100"),
        (of_caller(CodecErrorKind::Behind { found: 1 }), "expected nothing after the value, found 1 byte, at byte 100"),
        (
            of_length(1).expect_err("one byte too many"),
            "expected at most 2147483647 bytes in one value, found 2147483648, at byte 2147483647",
        ),
        (of_frames("0800"), "expected 4 more bytes for the length of a frame, found 2, at byte 0"),
        (
            of_frames("04000000 00000000 08000000 0200"),
            "expected 8 more bytes for the payload of a frame, found 2, at byte 12",
        ),
        (of_writing(&[Event::Text(Text::Utf8(""))]), "expected a value, found another event, at byte 0"),
        (
            of_writing(&[Event::PackedStrings { count: 1 }, Event::Nil]),
            "expected a text, found another event, at byte 8",
        ),
        (
            Value::from("a\0b").encode().expect_err("a NUL"),
            "expected a text without NUL that begins with no byte-order mark, found \"a\\u0000b\", at byte 0",
        ),
    ];
    let name = |error: &CodecError| {
        format!("{:?}", error.kind()).split([' ', '(']).next().expect("the name of a variant").to_owned()
    };
    let mut seen: BTreeSet<_> = READING.iter().map(|(bytes, ..)| name(&of_reading(bytes))).collect();
    for (error, text) in texts {
        assert_eq!(error.to_string(), text);
        seen.insert(name(&error));
    }
    // Each kind has such a line, and the error itself.
    let kinds = include_str!("../../src/error.rs").matches("#[error(").count() - 1;
    assert_eq!(seen.len(), kinds, "a kind without a text here: {seen:?}");
}

const DEEP: &str = "expected at most 1024 levels of nesting, found one more, at byte 8300 inside \
    [0][0][0][0][0][0][0][0]...1009 more...[0][0][0][0][0][0][0][0]";

#[test]
fn a_count_is_refused_at_once_where_what_follows_has_no_room() {
    // An array of 4, with an array of 2 in it: the engine would fail at the last null.
    let error = of_reading("1c000000 04000000 1c000000 02000000 (00000000)x4");
    let expected = "expected at least 20 more bytes for 2 elements of Array and what follows, found 16, \
        at byte 116 inside [0]";
    assert_eq!(error.to_string(), expected);
    // A container of nothing takes no room: what follows it is what is missing.
    let error = of_reading("1c000000 02000000 1c000000 00000000");
    assert_eq!(error.to_string(), "expected 4 more bytes for a header, found 0, at byte 116 inside [1]");
    // With one word more there is room.
    let bytes = hex("1c000000 04000000 1c000000 02000000 (00000000)x5");
    assert_eq!(validate(Reader::new(&bytes)), Ok(bytes.len()));
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
            assert!(matches!(of_writing(&[event]).kind(), CodecErrorKind::Order { .. }), "{count} of {}", kind.name());
        }
    }
}

/// An append cuts off a record if what is missing is more than the file has.
#[test]
fn what_is_missing_is_never_more_than_the_rest() {
    for value in vectors::encoded().into_iter().filter_map(|value| value.bytes) {
        let of = |bytes| validate(Reader::new(bytes).with_objects(true));
        if of(&value).is_ok() {
            for (end, error) in (0..value.len()).filter_map(|end| Some((end, of(&value[..end]).err()?))) {
                let missing = error.kind().missing().unwrap_or_else(|| panic!("{error}: {end} bytes of {value:?}"));
                assert!((1..=(value.len() - end) as u64).contains(&missing), "{missing} at {end} of {value:?}");
            }
        } else {
            assert_eq!(of(&value).map_err(|error| error.kind().missing()), Err(None), "{value:?}");
        }
    }
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
    let found = [bytes, &bytes[..limits::MAX_VALUE_LEN]].map(|bytes| Reader::new(bytes).with_base(100).next_event());
    // SAFETY: taken above with this layout; no event of Nil borrows from it.
    unsafe { std::alloc::dealloc(memory, layout) };
    let reason = CodecErrorKind::TooLarge { found: 0x8000_0000 };
    assert_eq!(found, [Err(CodecError::new(100, reason)), Ok(Some(Event::Nil))]);
}
