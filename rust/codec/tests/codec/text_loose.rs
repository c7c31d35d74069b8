//! Guards: text that only Godot 3 takes for UTF-8 is read as Godot 3 reads it, and refused at the byte where it refuses it.

use varbatch_codec::{Dialect, Event, Reader, Text};

use crate::support::wire::string;

/// The text, and whether some of it was replaced; or where it is refused.
type Repaired = Result<(&'static str, bool), usize>;

/// Bytes, and what Godot 3 reads.
pub const ROWS: [(&[u8], Repaired); 30] = [
    // Surrogates are joined or replaced.
    (b"\xed\xa0\xbd\xed\xb8\x80!", Ok(("\u{1f600}!", false))),
    (b"a\xed\xa0\xbd", Ok(("a\u{fffd}", true))),
    (b"\xed\xb8\x80\xed\xa0\xbd", Ok(("\u{fffd}\u{fffd}", true))),
    (b"\xed\xa0\xbd\xed\xb8\x80\xef\xbf\xbd", Ok(("\u{1f600}\u{fffd}", false))),
    ("\u{1f600}\u{e9}".as_bytes(), Ok(("\u{1f600}\u{e9}", false))),
    // What is no character is replaced.
    (b"\xf4\x90\x80\x80.", Ok(("\u{fffd}.", true))),
    (b"\xf9\x80\x80\x80\x80", Ok(("\u{fffd}", true))),
    (b"\xfd\xbf\xbf\xbf\xbf\xbf", Ok(("\u{fffd}", true))),
    ("\u{fffd}".as_bytes(), Ok(("\u{fffd}", false))),
    // Overlong forms are read, but for those that Godot 3 finds.
    (b"\xe0\x80\xaf", Ok(("/", false))),
    (b"\xe0\x80\x90", Ok(("\u{10}", false))),
    (b"\xe0\x80\x8f", Err(0)),
    (b"\xe0\x81\x81", Ok(("A", false))),
    (b"\xf0\x80\x87\xbf", Err(0)),
    (b"\xf0\x80\x88\x80", Ok(("\u{200}", false))),
    (b"\xf8\x80\x83\xbf\xbf", Err(0)),
    (b"\xf8\x80\x84\x80\x80", Ok(("\u{4000}", false))),
    (b"\xfc\x80\x81\xbf\xbf\xbf", Err(0)),
    (b"\xfc\x80\x82\x80\x80\x80", Ok(("\u{80000}", false))),
    (b"\xc0\x80", Err(0)),
    (b"\xc1\xbf", Err(0)),
    // Damage is found where it is.
    (b"ab\xff", Err(2)),
    (b"\x80", Err(0)),
    (b"a\xc3", Err(1)),
    (b"a\xc3(", Err(1)),
    (b"\xed\xa0\xbd\xe2\x82", Err(3)),
    (b"\xe2\x82\0", Err(0)),
    (b"\xfe\x80\x80\x80\x80\x80\x80", Err(0)),
    // Text ends at a NUL.
    (b"a\xed\xa0\xbd\0\xff", Ok(("a\u{fffd}", true))),
    (b"a\0\xff", Ok(("a", false))),
];

#[test]
fn text_of_godot_3_is_read_repaired_or_refused_as_godot_3_does() {
    for (bytes, expected) in ROWS {
        let buffer = string(bytes);
        match (Reader::new(&buffer).with_dialect(Dialect::GODOT_3).next_event(), expected) {
            (Ok(Some(Event::String(text))), Ok((expected, is_lossy))) => {
                assert_eq!(text.to_utf8(), expected, "{bytes:02x?}");
                let lossy = matches!(text, Text::Loose(text) if text.is_lossy());
                assert_eq!(lossy, is_lossy, "{bytes:02x?}");
            }
            (Err(error), Err(at)) => assert_eq!(error.at(), 8 + at, "{bytes:02x?}"),
            (found, _) => panic!("{found:?}, expected {expected:?}: {bytes:02x?}"),
        }
    }
}
