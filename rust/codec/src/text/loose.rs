//! Reads text that only Godot 3, and Pandemonium up to 3.7, accept as UTF-8.
//!
//! Its `String::parse_utf8` (`core/ustring.cpp`, 3.2.3 and 3.6.2) accepts surrogates, characters beyond U+10FFFF in
//! four to six bytes, and most characters in more bytes than they need. Its encoder writes the first two kinds: up to
//! 3.4, a String on Windows held each character beyond U+FFFF as a pair of surrogates.

/// Text that Godot 3 accepts and that is not UTF-8, hence not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loose<'a>(&'a [u8]);

impl<'a> Loose<'a> {
    /// Returns the text in `bytes` up to the first NUL, or the offset of the first sequence that Godot 3 refuses.
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Self, usize> {
        let mut at = 0;
        while bytes.get(at).is_some_and(|&byte| byte != 0) {
            let (_, len) = sequence(&bytes[at..]).ok_or(at)?;
            at += len;
        }
        Ok(Self(&bytes[..at]))
    }

    /// True if [`Self::chars`] replaces any part of it with U+FFFD.
    pub fn is_lossy(self) -> bool {
        self.decoded().any(|char| char.is_none())
    }

    /// Returns its characters. A pair of surrogates is one character; numbers that are no character become U+FFFD.
    pub fn chars(self) -> impl Iterator<Item = char> {
        self.decoded().map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// Returns its characters, pairs of surrogates joined, and `None` for each number that is no character.
    fn decoded(self) -> impl Iterator<Item = Option<char>> {
        let mut values = self.values().peekable();
        std::iter::from_fn(move || {
            let value = values.next()?;
            let is_high = matches!(value, 0xd800..0xdc00);
            let low = values.next_if(|&low| is_high && matches!(low, 0xdc00..0xe000));
            Some(char::from_u32(low.map_or(value, |low| 0x1_0000 + ((value & 0x3ff) << 10 | low & 0x3ff))))
        })
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
