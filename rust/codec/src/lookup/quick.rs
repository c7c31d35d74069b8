//! Follows a step in what Godot 4 usually writes, without a Reader: a Dictionary whose keys are texts, or an Array.
//!
//! Says so if it cannot tell, and leaves the step to the follower that knows all shapes.

use crate::kind::{Kind, padded};
use crate::reader::Skim;

/// Where a step leads.
pub(super) enum Quick {
    /// To the value that begins at this offset.
    To(usize),
    /// Nowhere.
    Nowhere,
    /// This module cannot tell.
    Unsure,
}

/// The header and the second word of a value without flags: its length or count.
fn head(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let words = u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
    Some((words as u32, (words >> 32) as usize))
}

/// Follows a step to the encoded `key` from the value at `at`. In a Dictionary the first such key counts.
pub(super) fn step(bytes: &[u8], at: usize, key: &[u8], skim: &mut Skim<'_>) -> Quick {
    const ARRAY: u32 = Kind::Array.id() as u32;
    const DICTIONARY: u32 = Kind::Dictionary.id() as u32;
    let found = match head(bytes, at) {
        // The top bit of a count is no part of it.
        Some((_, count)) if count > i32::MAX as usize => None,
        Some((ARRAY, count)) => element(at + 8, count, key, skim),
        Some((DICTIONARY, count)) => entry(bytes, at + 8, count, key, skim),
        _ => None,
    };
    found.unwrap_or(Quick::Unsure)
}

fn element(at: usize, count: usize, key: &[u8], skim: &mut Skim<'_>) -> Option<Quick> {
    const INT: u32 = Kind::Int.id() as u32;
    let index = match head(key, 0)? {
        (INT, index) if index < count => index,
        _ => return None,
    };
    if index > 0 {
        skim.start(at, 0);
        skim.search(usize::MAX, index).ok()?;
        return Some(Quick::To(skim.end));
    }
    Some(Quick::To(at))
}

fn entry(bytes: &[u8], start: usize, count: usize, key: &[u8], skim: &mut Skim<'_>) -> Option<Quick> {
    let wanted = text(key, 0)?;
    let mut at = start;
    for _ in 0..count {
        let (header, _) = head(bytes, at)?;
        let value = if is_text(header) {
            let found = text(bytes, at)?;
            let value = at + 8 + padded(found.len());
            if found == wanted {
                return Some(Quick::To(value));
            }
            value
        } else if header as u8 == Kind::String.id() || header as u8 == Kind::StringName.id() {
            return None;
        } else {
            // Another type is another key.
            skim.end_of(at).ok()?
        };
        at = skim.end_of(value).ok()?;
    }
    Some(Quick::Nowhere)
}

fn is_text(header: u32) -> bool {
    header == Kind::String.id().into() || header == Kind::StringName.id().into()
}

/// Returns the bytes of a text; `None` if there is none, or one that may be read as other bytes.
fn text(bytes: &[u8], at: usize) -> Option<&[u8]> {
    const BYTE_ORDER_MARK: u8 = 0xef;
    let (header, len) = head(bytes, at)?;
    let text = bytes.get(at + 8..)?.get(..padded(len))?.get(..len)?;
    // A Reader takes away a byte-order mark and ends a text at its NUL, and refuses what is no UTF-8.
    let is_plain = text.first() != Some(&BYTE_ORDER_MARK) && text.iter().all(|byte| (1..0x80).contains(byte));
    (is_text(header) && len <= i32::MAX as usize && is_plain).then_some(text)
}
