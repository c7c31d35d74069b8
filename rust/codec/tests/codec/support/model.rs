//! The reading half of the format once more, as plainly as it can be said: what the Reader must accept.
//!
//! Follows `decode_variant` of Godot 4.6.3 check by check, with numbers of its own instead of the crate's table. The
//! same rules in Python were compared with the engine on 450,000 inputs; see `rust/FORMAT.md`.

/// What becomes of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Read, and this many bytes consumed.
    Accepted(usize),
    Refused,
    /// A type that goes through the engine.
    NotNative,
}

pub fn verdict(bytes: &[u8]) -> Verdict {
    let Some(header) = u32_at(bytes, 0) else { return Verdict::Refused };
    let id = header % 256;
    let flagged = header / 0x10000 % 2 == 1;
    let real = if flagged { 8 } else { 4 };
    let consumed = match id {
        0 => Some(4),
        1 => fixed(bytes, 4),
        2 | 3 => fixed(bytes, real),
        5 => fixed(bytes, 2 * real),
        6 => fixed(bytes, 2 * 4),
        7 | 12 | 14 | 15 => fixed(bytes, 4 * real),
        8 | 13 | 20 => fixed(bytes, 4 * 4),
        9 => fixed(bytes, 3 * real),
        10 => fixed(bytes, 3 * 4),
        11 | 16 => fixed(bytes, 6 * real),
        17 => fixed(bytes, 9 * real),
        18 => fixed(bytes, 12 * real),
        19 => fixed(bytes, 16 * real),
        29 => packed(bytes, 1),
        30 | 32 => packed(bytes, 4),
        31 | 33 => packed(bytes, 8),
        34 => packed_strings(bytes),
        35 => packed(bytes, 2 * real),
        36 => packed(bytes, 3 * real),
        37 => packed(bytes, 4 * 4),
        38 => packed(bytes, 4 * real),
        4 | 21..=28 => return Verdict::NotNative,
        39.. => None,
    };
    consumed.map_or(Verdict::Refused, Verdict::Accepted)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    if at + 4 > bytes.len() {
        return None;
    }
    Some(u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]))
}

fn fixed(bytes: &[u8], len: usize) -> Option<usize> {
    (bytes.len() >= 4 + len).then_some(4 + len)
}

fn packed(bytes: &[u8], element_len: usize) -> Option<usize> {
    let count = u32_at(bytes, 4)? as i32;
    if count < 0 {
        return None;
    }
    let len = count as u64 * element_len as u64;
    if len > bytes.len() as u64 - 8 {
        return None;
    }
    // The padding is counted, there or not.
    Some(8 + padded(len as usize))
}

fn packed_strings(bytes: &[u8]) -> Option<usize> {
    let count = u32_at(bytes, 4)? as i32;
    let mut at = 8;
    let mut index = 0;
    while index < count {
        at = string(bytes, at)?;
        index += 1;
    }
    Some(at)
}

/// The end of the string at `at`.
fn string(bytes: &[u8], at: usize) -> Option<usize> {
    let len = u32_at(bytes, at)? as i32;
    if len < 0 {
        return None;
    }
    let len = len as usize;
    let start = at + 4;
    if padded(len) > bytes.len() - start {
        return None;
    }
    let mut text = &bytes[start..start + len];
    if text.len() >= 3 && text[..3] == [0xef, 0xbb, 0xbf] {
        text = &text[3..];
    }
    if let Some(nul) = text.iter().position(|&byte| byte == 0) {
        text = &text[..nul];
    }
    std::str::from_utf8(text).ok()?;
    Some(start + padded(len))
}

fn padded(len: usize) -> usize {
    len.div_ceil(4) * 4
}
