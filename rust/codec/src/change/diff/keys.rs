//! Checks that the keys in reported paths lead to what changed. The engine reads more than it writes, such as duplicate
//! keys or a small int in 64 bits: decoded and encoded again, such a key leads to another entry or to none.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{AFTER, BEFORE, DiffError, Lockstep, OpenPair, PairForm, of};
use crate::{Dialect, Event, Kind, Kinds, Plan, Reader, WORD, Width, Writer};

impl Lockstep<'_> {
    /// Returns true if each key in a reported path occurs at most once in either Dictionary, and has the bytes that the
    /// engine writes for it; and if each property of an object has a name of its own.
    pub fn lead_to_one_entry(&mut self, open: &mut OpenPair<'_>) -> Result<bool, DiffError> {
        if open.form == PairForm::Object {
            open.keys.sort_unstable();
            return Ok(open.keys.is_sorted_by(|one, next| one < next));
        }
        if open.keys.is_empty() {
            return Ok(true);
        }
        let allow_objects = self.readers[BEFORE].allows_objects();
        let real = self.options.map_or(Width::Single, |options| options.real);
        if !open.keys.iter().all(|key| is_as_written(key, allow_objects, real)) {
            return Ok(false);
        }
        let lens = open.keys.iter().fold(0, |lens, key| lens | len_bit(key));
        // Keys with one hash are taken for one, and all around is reported. With each is the side that had it last.
        let mut hashes: Vec<_> = open.keys.iter().map(|key| (name_hash(key), None)).collect();
        hashes.sort_unstable();
        // If neither Dictionary has an entry of its own, both have the same keys.
        let sides: &[usize] = if open.is_one_sided { &[BEFORE, AFTER] } else { &[BEFORE] };
        for &side in sides {
            let (bytes, lookahead) = (self.bytes[side], &mut self.lookahead[side]);
            let mut entered = open.entered.iter().map(|ranges| ranges[side].clone()).peekable();
            let mut at = open.first[side];
            for _ in 0..open.counts[side] {
                let value_at = lookahead.end_of(at).map_err(of(side))?;
                let key = &bytes[at..value_at];
                if lens & len_bit(key) != 0
                    && let Ok(index) = hashes.binary_search_by_key(&name_hash(key), |&(hash, _)| hash)
                    && hashes[index].1.replace(side) == Some(side)
                {
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

/// Returns a bit that few keys of other lengths share.
fn len_bit(key: &[u8]) -> u64 {
    1 << (key.len() / WORD % 64)
}

/// Returns a hash that a String and the StringName of the same text have in common, as both are the same key.
fn name_hash(key: &[u8]) -> u64 {
    let id = if key[0] == Kind::StringName.id() { Kind::String.id() } else { key[0] };
    xxh3_64_with_seed(&key[1..], id.into())
}

/// Max levels of a key, as the keys at each level are read once more.
const MAX_KEY_DEPTH: usize = 16;

/// True if the engine writes a key so. False for keys deeper than [`MAX_KEY_DEPTH`], with objects or typed by a class.
fn is_as_written(key: &[u8], allow_objects: bool, real: Width) -> bool {
    if key[..WORD] == [Kind::String.id(), 0, 0, 0] || key[..WORD] == [Kind::StringName.id(), 0, 0, 0] {
        return is_plain_text(&key[WORD..]);
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
            Event::Array { element, .. } => element.kind() == element.builtin(),
            Event::Dictionary { key, count, .. } => key.kind() == key.builtin() && are_different(reader.clone(), count),
            _ => true,
        };
        if !is_same || reader.depth() > MAX_KEY_DEPTH || writer.write(event).is_err() {
            return false;
        }
    }
    Plan::to_vec(writer.plan()) == key && crate::lookup::fits(&mut Reader::new(key), Kinds::ANY) == Ok(true)
}

/// Returns true if the keys of the next entries are all different.
fn are_different(mut reader: Reader<'_>, count: usize) -> bool {
    let mut seen = std::collections::HashSet::new();
    (0..count).all(|_| {
        let start = reader.position();
        let is_whole = reader.skip_value().is_ok();
        is_whole && seen.insert(name_hash(reader.bytes(start, reader.position()))) && reader.skip_value().is_ok()
    })
}

/// Returns true if the engine writes a text, which follows its length, with these bytes.
pub(super) fn is_plain_text(text: &[u8]) -> bool {
    let Some((len, rest)) = text.split_first_chunk::<WORD>() else { return false };
    let Some((chars, padding)) = rest.split_at_checked(u32::from_le_bytes(*len) as usize) else { return false };
    // Reading drops a byte order mark, and everything from a NUL on.
    !chars.starts_with("\u{feff}".as_bytes()) && !chars.contains(&0) && padding.iter().all(|&byte| byte == 0)
}
