//! The reading half of the format once more, as plainly as it can be said: what the Reader must accept.
//!
//! Follows `decode_variant` of Godot 4.6.3, and of Godot 3.6.2, check by check, call by call, with `numbers` instead of
//! the crate's table. Like the engines it counts nothing in advance: it fails at the first part that is missing. Of
//! Pandemonium it follows the encoder, as the decoder there does not read all that is written.
//!
//! Only what the engine alone can know is not asked: whether a class can be instantiated and a script be loaded.

use varbatch_codec::Engine;

use super::numbers::{self, TYPED_ARRAY};

/// What becomes of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Read, and this many bytes consumed.
    Accepted(usize),
    Refused,
}

/// By the rules of Godot 4.
pub fn verdict(bytes: &[u8], allow_objects: bool) -> Verdict {
    verdict_of(Engine::Godot4, bytes, allow_objects)
}

pub fn verdict_of(engine: Engine, bytes: &[u8], allow_objects: bool) -> Verdict {
    Model { engine, bytes, allow_objects }.value(0, 0).map_or(Verdict::Refused, Verdict::Accepted)
}

struct Model<'a> {
    engine: Engine,
    bytes: &'a [u8],
    allow_objects: bool,
}

/// Each function gives the place behind what it looks at; `None` where the engine fails.
///
/// A place may lie behind the end of the bytes, by the padding that a PackedByteArray lacks.
impl<'a> Model<'a> {
    fn value(&self, at: usize, depth: usize) -> Option<usize> {
        if depth > 1024 {
            return None;
        }
        let header = self.u32(at)?;
        let at = at + 4;
        let number = (header % 256) as u8;
        let kind = *numbers::types(self.engine).get(usize::from(number))?;
        let is_godot_4 = self.engine == Engine::Godot4;
        let flagged = header / 0x10000 % 2 == 1;
        let real = if flagged && is_godot_4 { 8 } else { 4 };
        match kind {
            0 | 25 => Some(at),
            1 => self.fixed(at, 4),
            2 | 3 => self.fixed(at, if flagged { 8 } else { 4 }),
            4 | 21 => self.string(at).map(|(_, end)| end),
            5 => self.fixed(at, 2 * real),
            6 => self.fixed(at, 2 * 4),
            7 | 12 | 14 | 15 => self.fixed(at, 4 * real),
            8 | 13 | 20 => self.fixed(at, 4 * 4),
            9 => self.fixed(at, 3 * real),
            10 => self.fixed(at, 3 * 4),
            11 | 16 => self.fixed(at, 6 * real),
            17 => self.fixed(at, 9 * real),
            18 => self.fixed(at, 12 * real),
            19 => self.fixed(at, 16 * real),
            22 => self.node_path(at),
            23 => self.fixed(at, if is_godot_4 { 8 } else { 0 }),
            24 if flagged => self.fixed(at, 8),
            24 => self.object(at, depth),
            26 => {
                let (_name, at) = self.string(at)?;
                self.fixed(at, 8)
            }
            27 => {
                let forms = if is_godot_4 { header / 0x10000 % 16 } else { 0 };
                let at = self.element_type(at, forms % 4)?;
                let at = self.element_type(at, forms / 4)?;
                let count = self.u32(at)? % 0x8000_0000;
                self.values(at + 4, 2 * u64::from(count), depth + 1)
            }
            28 => {
                let at = self.element_type(at, if is_godot_4 { header / 0x10000 % 4 } else { 0 })?;
                let count = self.u32(at)? % 0x8000_0000;
                self.values(at + 4, count.into(), depth + 1)
            }
            29 => self.packed(at, 1),
            30 | 32 => self.packed(at, 4),
            31 | 33 => self.packed(at, 8),
            34 => {
                let count = self.u32(at)? as i32;
                self.strings(at + 4, count.max(0) as u32)
            }
            35 => self.packed(at, 2 * real),
            36 => self.packed(at, 3 * real),
            37 => self.packed(at, 4 * 4),
            38 => self.packed(at, 4 * real),
            TYPED_ARRAY => {
                let at = self.typed_array(at, flagged)?;
                let count = self.u32(at)? % 0x8000_0000;
                self.values(at + 4, count.into(), depth + 1)
            }
            _ => {
                // An Array of vectors in Godot 4: each of them lies one deeper there.
                let (_, len) = numbers::bare(self.engine, number)?;
                let end = self.packed(at, len)?;
                (depth < 1024 || end == at + 4).then_some(end)
            }
        }
    }

    fn values(&self, at: usize, count: u64, depth: usize) -> Option<usize> {
        (0..count).try_fold(at, |at, _| self.value(at, depth))
    }

    fn object(&self, at: usize, depth: usize) -> Option<usize> {
        if !self.allow_objects {
            return None;
        }
        let (class, at) = self.string(at)?;
        if class.is_empty() {
            return Some(at);
        }
        let count = self.u32(at)? as i32;
        (0..count).try_fold(at + 4, |at, _| self.string(at).and_then(|(_name, value)| self.value(value, depth + 1)))
    }

    fn node_path(&self, at: usize) -> Option<usize> {
        let names = self.u32(at)?;
        if names < 0x8000_0000 {
            return None;
        }
        let mut subnames = self.u32(at + 4)?;
        let flags = self.u32(at + 8)?;
        if flags / 2 % 2 == 1 {
            subnames = subnames.wrapping_add(1);
        }
        self.strings(at + 12, (names - 0x8000_0000).wrapping_add(subnames))
    }

    fn element_type(&self, at: usize, form: u32) -> Option<usize> {
        match form {
            0 => Some(at),
            1 => (self.u32(at)? < 39).then_some(at + 4),
            _ => self.string(at).map(|(_, end)| end),
        }
    }

    /// The type of the elements of Pandemonium's arrays: of objects that are no ids, the class as a value.
    fn typed_array(&self, at: usize, flagged: bool) -> Option<usize> {
        let types = numbers::types(self.engine);
        // Only its low byte is read.
        let element = *types.get(self.u32(at)? as usize % 256)?;
        let at = at + 4;
        if element != 24 || flagged {
            return Some(at);
        }
        let header = self.u32(at)?;
        if types.get(header as usize % 256) != Some(&21) {
            return None;
        }
        self.string(at + 4).map(|(_, end)| end)
    }

    fn u32(&self, at: usize) -> Option<u32> {
        self.bytes.get(at..at + 4).map(|bytes| u32::from_le_bytes(bytes.try_into().expect("four bytes")))
    }

    fn fixed(&self, at: usize, len: usize) -> Option<usize> {
        (at + len <= self.bytes.len()).then_some(at + len)
    }

    fn packed(&self, at: usize, element_len: usize) -> Option<usize> {
        let count = self.u32(at)? as i32;
        if count < 0 {
            return None;
        }
        let at = at + 4;
        let len = count as u64 * element_len as u64;
        if len > (self.bytes.len() - at) as u64 {
            return None;
        }
        // The padding is counted, there or not.
        Some(at + padded(len as usize))
    }

    fn strings(&self, at: usize, count: u32) -> Option<usize> {
        (0..count).try_fold(at, |at, _| self.string(at).map(|(_, end)| end))
    }

    fn string(&self, at: usize) -> Option<(&'a [u8], usize)> {
        let len = self.u32(at)? as i32;
        if len < 0 {
            return None;
        }
        let len = len as usize;
        let at = at + 4;
        if padded(len) > self.bytes.len() - at {
            return None;
        }
        let mut text = &self.bytes[at..at + len];
        if text.len() >= 3 && text[..3] == [0xef, 0xbb, 0xbf] {
            text = &text[3..];
        }
        if let Some(nul) = text.iter().position(|&byte| byte == 0) {
            text = &text[..nul];
        }
        let is_read = match self.engine {
            Engine::Godot3 | Engine::Pandemonium35 => godot_3_reads(text),
            _ => std::str::from_utf8(text).is_ok(),
        };
        is_read.then_some((text, at + padded(len)))
    }
}

/// `String::parse_utf8` of Godot 3 and of Pandemonium up to 3.7: surrogates, long forms and characters of up to 31 bits pass.
fn godot_3_reads(mut text: &[u8]) -> bool {
    while let [lead, rest @ ..] = text {
        let behind = match lead {
            0x00..=0x7f => 0,
            0xc2..=0xdf => 1,
            0xe0..=0xef => 2,
            0xf0..=0xf7 => 3,
            0xf8..=0xfb => 4,
            0xfc..=0xfd => 5,
            _ => return false,
        };
        if rest.len() < behind || rest[..behind].iter().any(|byte| !(0x80..=0xbf).contains(byte)) {
            return false;
        }
        // The only long forms that it finds.
        match text {
            [0xe0, 0x80, 0x80..=0x8f, ..]
            | [0xf0, 0x80, 0x80..=0x87, ..]
            | [0xf8, 0x80, 0x80..=0x83, ..]
            | [0xfc, 0x80, 0x80..=0x81, ..] => return false,
            _ => text = &rest[behind..],
        }
    }
    true
}

fn padded(len: usize) -> usize {
    len.div_ceil(4) * 4
}
