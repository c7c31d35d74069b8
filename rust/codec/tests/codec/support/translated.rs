//! Values through a translation, with what it says.

use varbatch_codec::Dialect;
use varbatch_codec::transcode::Translation;

pub const GODOT_3: Dialect = Dialect::GODOT_3;
pub const GODOT_4: Dialect = Dialect::GODOT_4;
pub const DOUBLE: Dialect = Dialect::GODOT_4_DOUBLE;
pub const PANDEMONIUM: Dialect = Dialect::PANDEMONIUM;

/// The bytes, and the lines about what was lost, with "; " between them.
pub fn translate(from: Dialect, to: Dialect, bytes: &[u8]) -> (Vec<u8>, String) {
    let translated = Translation::new(from, to).bytes(bytes);
    let (bytes, losses) = translated.unwrap_or_else(|error| panic!("{error}: {bytes:02x?}"));
    (bytes, losses.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
}

/// Translates and compares the bytes and the lines.
#[track_caller]
pub fn assert_becomes(from: Dialect, to: Dialect, bytes: &[u8], expected: &[u8], lines: &str) {
    assert_eq!(translate(from, to, bytes), (expected.to_vec(), lines.to_owned()));
}
