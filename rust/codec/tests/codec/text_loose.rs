//! Guards: text that only Godot 3 takes for UTF-8 is read as Godot 3 reads it, and refused at the byte where it refuses it.

use varbatch_codec::{CodecError, Dialect, Event, Reader, Text};

/// Reads a String of these bytes as Godot 3 does, and gives what it holds to `look`.
fn read<T>(bytes: &[u8], look: impl FnOnce(Text<'_>) -> T) -> Result<T, CodecError> {
    let mut buffer = [[4, 0, 0, 0], (bytes.len() as u32).to_le_bytes()].concat();
    buffer.extend(bytes);
    buffer.resize(buffer.len().next_multiple_of(4), 0);
    match Reader::new(&buffer).with_dialect(Dialect::GODOT_3).next_event()? {
        Some(Event::String(text)) => Ok(look(text)),
        event => panic!("a String, not {event:?}"),
    }
}

#[track_caller]
fn reads(bytes: &[u8], expected: Option<&str>) {
    let found = read(bytes, |text| text.to_utf8().into_owned()).ok();
    assert_eq!(found.as_deref(), expected, "{bytes:02x?}");
}

fn is_lossy(bytes: &[u8]) -> bool {
    read(bytes, |text| matches!(text, Text::Loose(text) if text.is_lossy())).expect("read by Godot 3")
}

#[test]
fn surrogates_are_joined_or_replaced() {
    reads(b"\xed\xa0\xbd\xed\xb8\x80!", Some("\u{1f600}!"));
    reads(b"a\xed\xa0\xbd", Some("a\u{fffd}"));
    reads(b"\xed\xb8\x80\xed\xa0\xbd", Some("\u{fffd}\u{fffd}"));
    reads("\u{1f600}\u{e9}".as_bytes(), Some("\u{1f600}\u{e9}"));
}

#[test]
fn what_is_no_character_is_replaced() {
    reads(b"\xf4\x90\x80\x80.", Some("\u{fffd}."));
    reads(b"\xf9\x80\x80\x80\x80", Some("\u{fffd}"));
    reads(b"\xfd\xbf\xbf\xbf\xbf\xbf", Some("\u{fffd}"));
}

#[test]
fn only_what_is_replaced_is_lost() {
    assert!(is_lossy(b"a\xed\xa0\xbd") && is_lossy(b"\xf4\x90\x80\x80") && is_lossy(b"\xed\xb8\x80\xed\xa0\xbd"));
    assert!(!is_lossy(b"\xed\xa0\xbd\xed\xb8\x80\xef\xbf\xbd") && !is_lossy(b"\xe0\x80\xaf"));
}

#[test]
fn overlong_forms_are_read_as_godot_3_does() {
    reads(b"\xe0\x80\xaf", Some("/"));
    reads(b"\xe0\x80\x90", Some("\u{10}"));
    reads(b"\xe0\x80\x8f", None);
    reads(b"\xe0\x81\x81", Some("A"));
    reads(b"\xf0\x80\x87\xbf", None);
    reads(b"\xf0\x80\x88\x80", Some("\u{200}"));
    reads(b"\xf8\x80\x83\xbf\xbf", None);
    reads(b"\xf8\x80\x84\x80\x80", Some("\u{4000}"));
    reads(b"\xfc\x80\x81\xbf\xbf\xbf", None);
    reads(b"\xfc\x80\x82\x80\x80\x80", Some("\u{80000}"));
    reads(b"\xc0\x80", None);
    reads(b"\xc1\xbf", None);
}

#[test]
fn damage_is_found_where_it_is() {
    for (bytes, at) in [
        (&b"ab\xff"[..], 2),
        (b"\x80", 0),
        (b"a\xc3", 1),
        (b"a\xc3(", 1),
        (b"\xed\xa0\xbd\xe2\x82", 3),
        (b"\xe2\x82\0", 0),
        (b"\xfe\x80\x80\x80\x80\x80\x80", 0),
    ] {
        assert_eq!(read(bytes, |_| ()).expect_err("refused").at(), 8 + at, "{bytes:02x?}");
    }
}

#[test]
fn text_ends_at_a_nul() {
    reads(b"a\xed\xa0\xbd\0\xff", Some("a\u{fffd}"));
}
