//! Checks that the keys in reported paths lead to what changed.
//!
//! The engine reads more than it writes: duplicate keys, a small int in 64 bits, padding that is not zero. A caller
//! that decodes such a key and encodes it again gets other bytes, which lead to another entry or to none.

use std::collections::{HashMap, HashSet};

use super::lockstep::{AFTER, BEFORE, DiffError, Lockstep, OpenPair, PairForm, of};
use super::sink::Sink;
use crate::dialect::Dialect;
use crate::event::{ElementType, Event};
use crate::kind::WORD;
use crate::kind::{Kind, Width};
use crate::plan::Plan;
use crate::reader::Reader;
use crate::writer::Writer;

impl<'a, S: Sink<'a>> Lockstep<'a, S> {
    /// Returns true if each of these keys occurs at most once in either Dictionary, and has the bytes that the engine
    /// writes for it. Other containers have no keys.
    pub fn lead_to_one_entry(&mut self, open: &OpenPair, keys: &[&'a [u8]]) -> Result<bool, DiffError> {
        if open.form != PairForm::Dictionary || keys.is_empty() {
            return Ok(true);
        }
        let (allow_objects, real) = (self.readers[BEFORE].allows_objects(), self.sink.real().unwrap_or(Width::Single));
        if !keys.iter().all(|key| is_as_written(key, allow_objects, real)) {
            return Ok(false);
        }
        let lens = keys.iter().fold(0, |lens, key| lens | len_bit(key));
        // If neither Dictionary has an entry of its own, both have the same keys.
        let sides: &[usize] = if open.is_one_sided { &[BEFORE, AFTER] } else { &[BEFORE] };
        for &side in sides {
            let mut seen = Seen::of(keys);
            let (bytes, lookahead) = (self.bytes[side], &mut self.lookahead[side]);
            let mut entered = open.entered.iter().map(|ranges| ranges[side].clone()).peekable();
            let mut at = open.first[side];
            for _ in 0..open.counts[side] {
                let value_at = lookahead.end_of(at).map_err(of(side))?;
                let key = &bytes[at..value_at];
                if lens & len_bit(key) != 0 && seen.is_second(key) {
                    return Ok(false);
                }
                at = match entered.next_if(|range| range.start == value_at) {
                    Some(range) => range.end,
                    None => lookahead.end_of(value_at).map_err(of(side))?,
                };
            }
        }
        Ok(true)
    }
}

/// Max keys that are compared one by one: for this few, hashing takes longer.
const FEW_KEYS: usize = 8;

/// Remembers which keys were seen.
enum Seen<'k, 'a> {
    /// At most [`FEW_KEYS`], with a bit for each.
    Few(&'k [&'a [u8]], u32),
    Many(HashMap<(u8, &'a [u8]), bool>),
}

impl<'k, 'a> Seen<'k, 'a> {
    fn of(keys: &'k [&'a [u8]]) -> Self {
        match keys.len() {
            ..=FEW_KEYS => Self::Few(keys, 0),
            _ => Self::Many(keys.iter().map(|key| (name(key), false)).collect()),
        }
    }

    /// Returns true if `key` is one of the keys and was seen before.
    fn is_second(&mut self, key: &'a [u8]) -> bool {
        match self {
            Self::Few(keys, seen) => {
                let is_same = |other: &&[u8]| other.len() == key.len() && name(other) == name(key);
                keys.iter().position(is_same).is_some_and(|index| {
                    let before = std::mem::replace(seen, *seen | 1 << index);
                    before == *seen
                })
            }
            Self::Many(seen) => seen.get_mut(&name(key)).is_some_and(|is_there| std::mem::replace(is_there, true)),
        }
    }
}

/// Returns a bit that few keys of other lengths share.
fn len_bit(key: &[u8]) -> u64 {
    1 << (key.len() / WORD % 64)
}

/// Returns what a String and the StringName of the same text have in common, as both are the same key.
fn name(key: &[u8]) -> (u8, &[u8]) {
    let id = match key[0] {
        id if id == Kind::StringName.id() => Kind::String.id(),
        id => id,
    };
    (id, &key[1..])
}

/// The max length of a key whose parts are read, in bytes: each level of nesting is read once more.
const MAX_KEY_LEN: usize = 16 << 10;

/// Returns true if the engine writes a key with these bytes. Returns false for keys that are longer than
/// [`MAX_KEY_LEN`], hold objects or are typed by a class.
fn is_as_written(key: &[u8], allow_objects: bool, real: Width) -> bool {
    if key[..WORD] == [Kind::String.id(), 0, 0, 0] || key[..WORD] == [Kind::StringName.id(), 0, 0, 0] {
        return is_plain_text(&key[WORD..]);
    }
    if key.len() > MAX_KEY_LEN {
        return false;
    }
    let mut reader = Reader::new(key);
    let mut writer = Writer::new(if real == Width::Double { Dialect::GODOT_4_DOUBLE } else { Dialect::GODOT_4 });
    loop {
        let event = match reader.next_event() {
            Ok(Some(event)) => event,
            Ok(None) => break,
            Err(_) => return false,
        };
        let is_same = match event {
            Event::ObjectId(id) => !allow_objects && id != 0,
            Event::Array { element, count } => holds(reader.clone(), element, count, false),
            Event::Dictionary { key, count, .. } => holds(reader.clone(), key, count, true),
            _ => true,
        };
        if !is_same || writer.write(event).is_err() {
            return false;
        }
    }
    Plan::to_vec(writer.plan()) == key
}

/// Returns true if the next parts of a container are all of its type and, for keys, all different.
fn holds(mut reader: Reader<'_>, of: ElementType<'_>, count: usize, are_keys: bool) -> bool {
    let of = match of {
        ElementType::Any => None,
        ElementType::Builtin(kind) if kind != Kind::Object => Some(kind),
        _ => return false,
    };
    let mut seen = HashSet::new();
    (0..count).all(|_| {
        let start = reader.position();
        let is_of = of.is_none_or(|of| reader.peek_kind() == Ok(of));
        let is_whole = reader.skip_value().is_ok();
        let part = reader.bytes(start, reader.position());
        is_of && is_whole && (!are_keys || seen.insert(name(part)) && reader.skip_value().is_ok())
    })
}

/// Returns true if the engine writes a text, which follows its length, with these bytes.
pub(super) fn is_plain_text(text: &[u8]) -> bool {
    let Some((len, rest)) = text.split_first_chunk::<WORD>() else { return false };
    let Some((chars, padding)) = rest.split_at_checked(u32::from_le_bytes(*len) as usize) else { return false };
    // Reading drops a byte order mark, and everything from a NUL on.
    !chars.starts_with("\u{feff}".as_bytes()) && !chars.contains(&0) && padding.iter().all(|&byte| byte == 0)
}
