//! Which keys a store has, and how they are. At once as after all calls before, without waiting for these; or as a task.

use std::iter::Peekable;
use std::sync::Arc;

use godot::builtin::{AnyArray, GString, PackedByteArray, VarArray, Variant};
use varbatch_codec::key;
use varbatch_store::{Budget, Walk};
use varbatch_workers::Threads;
use varbatch_workers::tasks::NextStep;

use super::StoreFile;
use super::call::{StoreCall, StoreWork, Turn};
use super::ranges::KeyBytes;
use crate::calls::decode::{Input, decode_only};
use crate::engine::{self, OwnArray, Slot};
use crate::jobs::task::{Job, STEP};
use crate::report::{Failure, Outcome};

/// `VarBatchStore.KEY_MISSING`, `KEY_FOUND` and `KEY_DAMAGED`.
const MISSING: u8 = 0;
const FOUND: u8 = 1;
const DAMAGED: u8 = 2;

/// Which keys a script asks for.
pub enum KeyRange<'a> {
    /// From a key to before another one; `null` for the first, and for all that follow.
    Between(&'a Variant, &'a Variant),
    /// Strings that begin with this.
    Prefix(&'a GString),
}

impl KeyRange<'_> {
    pub fn of(&self, file: &StoreFile) -> Result<KeyBytes, Failure> {
        Ok(match *self {
            Self::Prefix(prefix) => key::prefix_range(&prefix.to_string()).into(),
            Self::Between(from, to) => KeyBytes {
                from: if from.is_nil() { Vec::new() } else { file.key(engine::value(from))? },
                to: if to.is_nil() { None } else { Some(file.key(engine::value(to))?) },
            },
        })
    }
}

impl StoreFile {
    pub fn has_key(&self, key: &Variant) -> Outcome<bool> {
        let has = |key: Vec<u8>| {
            let mut reader = self.reader()?;
            if let Some(found) = self.queue().find(&key) {
                return Ok(found.is_value());
            }
            reader.hold()?;
            reader.get().has(&key).map_err(|error| self.failure_of(&error, &key))
        };
        Outcome::from(self.key(engine::value(key)).and_then(has).map(|has| Outcome::new(has, Vec::new())))
    }

    /// Returns for each key if it is there, and whole.
    pub fn check_keys(&self, keys: &AnyArray) -> Outcome<PackedByteArray> {
        Outcome::from(self.states_of(keys).map(|states| Outcome::new(PackedByteArray::from(states), Vec::new())))
    }

    fn states_of(&self, keys: &AnyArray) -> Result<Vec<u8>, Failure> {
        let keys = self.sorted_keys_of(engine::values(keys))?;
        let mut reader = self.reader()?;
        let mut queue = self.queue();
        let queued: Vec<_> = keys.iter().map(|(key, _)| queue.find(key).map(|found| found.is_value())).collect();
        reader.hold()?;
        drop(queue);
        let (mut found, mut memory, mut budget) = (Vec::with_capacity(keys.len()), Vec::new(), Budget::default());
        let asked = keys.iter().zip(&queued).map(|((key, _), queued)| if queued.is_some() { &[][..] } else { key });
        let mut left = asked.collect::<Vec<_>>().into_iter();
        while left.len() > 0 {
            let rows = reader.get().get_some(&mut left, 1 << 20, memory, &mut budget);
            let checked = rows.values(&[]).zip(rows.are_found()).map(|(value, is_found)| match value {
                Err(_) => DAMAGED,
                Ok(_) if is_found => FOUND,
                Ok(_) => MISSING,
            });
            found.extend(checked);
            memory = rows.memory;
        }
        let mut states = vec![MISSING; keys.len()];
        for (((_, index), queued), found) in keys.into_iter().zip(queued).zip(found) {
            states[index] = queued.map_or(found, u8::from);
        }
        Ok(states)
    }

    pub fn key_count(&self, range: &KeyRange<'_>) -> Outcome<i64> {
        let mut count = 0;
        let counted = self.each_key(range, |_| count += 1);
        Outcome::from(counted.map(|()| Outcome::new(count, Vec::new())))
    }

    /// Returns the keys that are found, also if some are missing.
    pub fn keys(&self, range: &KeyRange<'_>) -> Outcome<VarArray> {
        let mut found = Vec::new();
        let end = self.each_key(range, |key| found.push(key.to_vec()));
        keys_found(found, end)
    }

    /// Calls `each` with the keys of a range as they are after all calls before.
    fn each_key(&self, range: &KeyRange<'_>, mut each: impl FnMut(&[u8])) -> Result<(), Failure> {
        let range = range.of(self)?;
        let mut reader = self.reader()?;
        let mut queue = self.queue();
        let (queued, erased) = if queue.is_empty() { Default::default() } else { queue.keys_in(&range) };
        reader.hold()?;
        drop(queue);
        let (mut queued, mut erased) = (queued.iter().peekable(), erased.iter().peekable());
        let ended = reader.get().keys(&mut Walk::new(range.from, range.to), usize::MAX, |key| {
            while let Some((other, is_value)) = queued.next_if(|(other, _)| **other < *key) {
                if *is_value {
                    each(other);
                }
            }
            match queued.next_if(|(other, _)| **other == *key) {
                Some((_, false)) => {}
                None if is_in(&mut erased, key) => {}
                _ => each(key),
            }
        });
        queued.filter(|(_, is_value)| *is_value).for_each(|(key, _)| each(key));
        ended.map(|_| ()).map_err(|error| self.failure(&error))
    }
}

/// True if a key is in one of some ranges in order. Those that end before it are skipped.
fn is_in<'r>(ranges: &mut Peekable<impl Iterator<Item = &'r KeyBytes>>, key: &[u8]) -> bool {
    while ranges.next_if(|range| range.to.as_ref().is_some_and(|to| **to <= *key)).is_some() {}
    ranges.peek().is_some_and(|range| range.has(key))
}

/// Ends a call that returns keys: also those that are found if some are missing. In a damaged file they may be anywhere, and twice.
fn keys_found(mut found: Vec<Vec<u8>>, result: Result<(), Failure>) -> Outcome<VarArray> {
    if let Err(failure) = result {
        found.sort();
        found.dedup();
        return Outcome::failed(array_of(&found), failure);
    }
    Outcome::new(array_of(&found), Vec::new())
}

/// Returns the values of keys. One that is damaged has another sum, and is reported by that.
fn array_of(found: &[Vec<u8>]) -> VarArray {
    let mut keys = OwnArray::new(found.len());
    for (slot, key) in keys.elements().iter_mut().zip(found) {
        if let Some(bytes) = key::from_key(key) {
            decode_only(Input { at: 0, bytes: &bytes }, None, slot);
        }
    }
    keys.take()
}

/// The keys of a range, found in the background.
pub struct Finding {
    walk: Walk,
    found: Vec<Vec<u8>>,
}

impl Finding {
    pub fn held(file: &Arc<StoreFile>, range: &KeyRange<'_>) -> impl Job + 'static {
        match range.of(file) {
            Ok(KeyBytes { from, to }) => {
                StoreCall::new(file, Some(Self { walk: Walk::new(from, to), found: Vec::new() }))
            }
            Err(failure) => StoreCall::in_turn(None, Err(failure)),
        }
    }
}

impl StoreWork for Finding {
    fn step(&mut self, turn: &Turn, _: &Threads) -> Result<NextStep, Failure> {
        let mut reader = turn.file.reader()?;
        reader.hold()?;
        let Self { walk, found } = self;
        let is_more = reader.get().keys(walk, STEP, |key| found.push(key.to_vec()));
        Ok(if is_more.map_err(|error| turn.file.failure(&error))? { NextStep::More } else { NextStep::Done })
    }

    fn progress(&self) -> f32 {
        0.0
    }

    fn outcome(&mut self, result: Result<(), Failure>) -> Outcome<Slot> {
        keys_found(std::mem::take(&mut self.found), result).into_slot()
    }
}
