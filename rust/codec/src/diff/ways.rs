//! Whether the keys that a change is told with lead to what changed.
//!
//! The engine reads more than it writes: a key that is there twice, a small int in 64 bits, a padding that is not zero.
//! Whoever is told such a key as a value writes other bytes for it, and finds another entry or none.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::found::Sink;
use super::lockstep::{Failed, Form, Frame, Lockstep, Side, WORD, of};
use crate::dialect::{Dialect, Width};
use crate::event::{ElementType, Event};
use crate::kind::Kind;
use crate::plan::Plan;
use crate::reader::Reader;
use crate::writer::Writer;

impl<'a, S: Sink<'a>> Lockstep<'a, S> {
    /// Whether each of these keys is there once in either Dictionary, and is written as it stands there. Other
    /// containers have no keys.
    pub fn are_ways(&mut self, frame: &Frame, keys: &[&'a [u8]]) -> Result<bool, Failed> {
        if frame.form != Form::Dictionary || keys.is_empty() {
            return Ok(true);
        }
        let (allow_objects, real) = (self.before.allows_objects(), self.sink.real());
        if !keys.iter().all(|key| is_as_written(key, allow_objects, real)) {
            return Ok(false);
        }
        let lens = keys.iter().fold(0, |lens, key| lens | len_bit(key));
        for side in [Side::Before, Side::After] {
            let mut seen = Seen::of(keys);
            let (bytes, scout, mut at, count) = match side {
                Side::Before => (self.bytes.0, &mut self.scouts.0, frame.first.0, frame.counts.0),
                Side::After => (self.bytes.1, &mut self.scouts.1, frame.first.1, frame.counts.1),
            };
            let entered = |(before, after): &(Range<usize>, Range<usize>)| {
                let of_side = if side == Side::Before { before } else { after };
                (of_side.start, of_side.end)
            };
            let mut entered = frame.entered.iter().map(entered).peekable();
            for _ in 0..count {
                let value_at = scout.end_of(at).map_err(of(side))?;
                let key = &bytes[at..value_at];
                if lens & len_bit(key) != 0 && seen.is_second(key) {
                    return Ok(false);
                }
                at = match entered.next_if(|&(start, _)| start == value_at) {
                    Some((_, end)) => end,
                    None => scout.end_of(value_at).map_err(of(side))?,
                };
            }
        }
        Ok(true)
    }
}

/// So few keys are compared one by one: hashing takes longer.
const FEW_KEYS: usize = 8;

/// Which of some keys were seen.
enum Seen<'k, 'a> {
    /// Of [`FEW_KEYS`] at most; a bit for each.
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

    /// Whether `key` is one of them, and was seen before.
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

/// Tells most keys of other lengths apart.
fn len_bit(key: &[u8]) -> u64 {
    1 << (key.len() / WORD % 64)
}

/// What is the same for a String and the StringName of the same text: one leads to the other.
fn name(key: &[u8]) -> (u8, &[u8]) {
    let id = match key[0] {
        id if id == Kind::StringName.id() => Kind::String.id(),
        id => id,
    };
    (id, &key[1..])
}

/// Bytes of a key up to which it is asked for what it holds, on each level of it.
const MAX_KEY_LEN: usize = 16 << 10;

/// Whether the value of a key is written as it was read. Keys that are longer, hold objects, or are typed by a class,
/// are not asked for.
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

/// Whether the next parts of a container are all of its type, and its keys all different.
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

/// Whether a text behind its length is written as it stands there.
pub(super) fn is_plain_text(text: &[u8]) -> bool {
    let Some((len, rest)) = text.split_first_chunk::<WORD>() else { return false };
    let Some((chars, padding)) = rest.split_at_checked(u32::from_le_bytes(*len) as usize) else { return false };
    // Byte order marks and what follows a NUL are not read.
    !chars.starts_with("\u{feff}".as_bytes()) && !chars.contains(&0) && padding.iter().all(|&byte| byte == 0)
}
