//! Text that only Godot 3 takes for UTF-8.
//!
//! Its `String::parse_utf8` (`core/ustring.cpp`, 3.2.3 and 3.6.2) accepts surrogates, characters beyond U+10FFFF in
//! four to six bytes, and most characters in more bytes than they need. Its encoder writes the first two kinds: up to
//! 3.4, a String on Windows held each character beyond U+FFFF as a pair of surrogates.

/// Text that Godot 3 accepts and that is not UTF-8, hence not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loose<'a>(&'a [u8]);

impl<'a> Loose<'a> {
    /// Returns the text in `bytes` up to the first NUL.
    ///
    /// # Errors
    /// Returns the offset of the first sequence that Godot 3 refuses.
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Self, usize> {
        let mut at = 0;
        while bytes.get(at).is_some_and(|&byte| byte != 0) {
            let (_, len) = sequence(&bytes[at..]).ok_or(at)?;
            at += len;
        }
        Ok(Self(&bytes[..at]))
    }

    /// True if [`Self::chars`] replaces a part of it by U+FFFD.
    pub fn is_lossy(self) -> bool {
        let units = Units { rest: self.0, low: None };
        char::decode_utf16(units).any(|char| char.is_err()) || self.values().any(|value| value > char::MAX.into())
    }

    /// Returns the numbers that its sequences encode.
    fn values(self) -> impl Iterator<Item = u32> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let (value, len) = sequence(rest)?;
            rest = &rest[len..];
            Some(value)
        })
    }

    /// Returns its characters. A pair of surrogates is one character; numbers that are no character become U+FFFD.
    pub fn chars(self) -> impl Iterator<Item = char> {
        char::decode_utf16(Units { rest: self.0, low: None }).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}

/// Returns the number that the first sequence of `bytes` encodes, and its length. `None` if Godot 3 refuses it.
fn sequence(bytes: &[u8]) -> Option<(u32, usize)> {
    let lead = *bytes.first()?;
    let len = match lead {
        0..=0x7f => return Some((lead.into(), 1)),
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        0xf8..=0xfb => 5,
        0xfc..=0xfd => 6,
        _ => return None,
    };
    let sequence = bytes.get(..len)?;
    let mut value = u32::from(lead) & (0xff >> (len + 1));
    for (index, &byte) in sequence.iter().enumerate().skip(1) {
        let bits = u32::from(byte) & 0x3f;
        // Of overlong forms, Godot 3 refuses only those that are two bytes or more too long.
        if byte & 0xc0 != 0x80 || index == 2 && value == 0 && bits >> (7 - len) == 0 {
            return None;
        }
        value = value << 6 | bits;
    }
    Some((value, len))
}

/// Gives text as UTF-16, so that pairs of surrogates can be joined. Numbers beyond UTF-16 become U+FFFD.
struct Units<'a> {
    rest: &'a [u8],
    /// The second half of a pair whose first half was given.
    low: Option<u16>,
}

impl Iterator for Units<'_> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        if let Some(low) = self.low.take() {
            return Some(low);
        }
        let (value, len) = sequence(self.rest)?;
        self.rest = &self.rest[len..];
        if let Ok(unit) = u16::try_from(value) {
            return Some(unit);
        }
        let mut pair = [0; 2];
        let units = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf16(&mut pair);
        self.low = units.get(1).copied();
        Some(units[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(bytes: &[u8], expected: Option<&str>) {
        let found = Loose::new(bytes).ok().map(|text| text.chars().collect::<String>());
        assert_eq!(found.as_deref(), expected, "{bytes:02x?}");
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
        let is_lossy = |bytes| Loose::new(bytes).expect("read by Godot 3").is_lossy();
        assert!(is_lossy(b"a\xed\xa0\xbd") && is_lossy(b"\xf4\x90\x80\x80") && is_lossy(b"\xed\xb8\x80\xed\xa0\xbd"));
        assert!(!is_lossy(b"\xed\xa0\xbd\xed\xb8\x80\xef\xbf\xbd") && !is_lossy(b"\xe0\x80\xaf"));
    }

    #[test]
    fn forms_that_are_too_long_are_read_as_godot_3_does() {
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
            assert_eq!(Loose::new(bytes).unwrap_err(), at, "{bytes:02x?}");
        }
    }

    #[test]
    fn text_ends_at_a_nul() {
        reads(b"a\xed\xa0\xbd\0\xff", Some("a\u{fffd}"));
    }
}
