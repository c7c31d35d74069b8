//! Which keys a store has, and how they are. At once as after all calls before, without waiting for these; or as a task.

use std::iter::Peekable;
use std::sync::Arc;

use godot::builtin::{AnyArray, GString, PackedByteArray, VarArray, Variant};
use varbatch_codec::key;
use varbatch_store::{Reader, StoreError};
use varbatch_workers::Threads;
use varbatch_workers::tasks::NextStep;

use super::call::{StoreCall, StoreWork, Turn};
use super::queue::KeyBytes;
use super::{BorrowedReader, StoreFile};
use crate::calls::decode::{Input, decode_only};
use crate::engine::{self, OwnArray, Slot};
use crate::jobs::task::Job;
use crate::report::{Failure, Outcome};

/// Ranges of keys that a step of a task looks at.
const RANGES: usize = 64;

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
        let keys = self.keys_of(engine::values(keys))?;
        let mut reader = self.reader()?;
        let queue = self.queue();
        let queued: Vec<_> = keys.iter().map(|key| queue.find(key).map(|found| found.is_value())).collect();
        reader.hold()?;
        drop(queue);
        let (mut states, mut memory) = (Vec::with_capacity(keys.len()), Vec::new());
        let asked = keys.iter().zip(&queued).map(|(key, queued)| if queued.is_some() { &[][..] } else { key });
        let mut left = asked.collect::<Vec<_>>().into_iter();
        while left.len() > 0 {
            let rows = reader.get().get_some(&mut left, 1 << 20, memory);
            let checked = rows.values(&[]).zip(rows.are_found()).map(|(value, is_found)| match value {
                Err(_) => DAMAGED,
                Ok(_) if is_found => FOUND,
                Ok(_) => MISSING,
            });
            states.extend(checked);
            memory = rows.memory;
        }
        for (state, queued) in states.iter_mut().zip(queued) {
            *state = queued.map_or(*state, u8::from);
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
        let keys = array_of(&found);
        match end {
            Ok(()) => Outcome::new(keys, Vec::new()),
            Err(failure) => Outcome::failed(keys, failure),
        }
    }

    /// Calls `each` with the keys of a range as they are after all calls before.
    fn each_key(&self, range: &KeyRange<'_>, mut each: impl FnMut(&[u8])) -> Result<(), Failure> {
        let range = range.of(self)?;
        let mut reader = self.reader()?;
        let queue = self.queue();
        let (queued, erased) = if queue.is_empty() { Default::default() } else { queue.keys_in(&range) };
        reader.hold()?;
        drop(queue);
        let (mut queued, mut erased) = (queued.iter().peekable(), erased.iter().peekable());
        let ended = reader.get().keys(&range.from, range.to.as_deref(), usize::MAX, |key| {
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
    next: Option<Vec<u8>>,
    range: KeyBytes,
    found: Vec<Vec<u8>>,
}

impl Finding {
    pub fn held(file: &Arc<StoreFile>, range: &KeyRange<'_>) -> impl Job + 'static {
        match range.of(file) {
            Ok(range) => {
                let next = Some(range.from.clone());
                StoreCall::new(file, Some(Self { next, range, found: Vec::new() }))
            }
            Err(failure) => StoreCall::in_turn(None, Err(failure)),
        }
    }

    fn find_some(&mut self, mut reader: BorrowedReader<'_>) -> Result<(), StoreError> {
        let Self { next, range, found } = self;
        let mut find = |reader: &mut Reader, from: &[u8]| {
            // Where it goes on, all keys before were found.
            found.truncate(found.partition_point(|key| **key < *from));
            reader.keys(from, range.to.as_deref(), RANGES, |key| found.push(key.to_vec()))
        };
        *next = next.take().map_or(Ok(None), |from| find(reader.get(), &from))?;
        Ok(())
    }
}

impl StoreWork for Finding {
    fn step(&mut self, turn: &Turn, _: &Threads) -> Result<NextStep, Failure> {
        let mut reader = turn.file.reader()?;
        reader.hold()?;
        self.find_some(reader).map_err(|error| turn.file.failure(&error))?;
        Ok(if self.next.is_some() { NextStep::More } else { NextStep::Done })
    }

    fn progress(&self) -> f32 {
        0.0
    }

    fn outcome(&mut self, result: Result<(), Failure>) -> Outcome<Slot> {
        let keys = array_of(&std::mem::take(&mut self.found));
        match result {
            Ok(()) => Outcome::new(keys, Vec::new()).into_slot(),
            Err(failure) => Outcome::failed(keys, failure).into_slot(),
        }
    }
}
