//! Loads the values of keys: those that are queued from the queue, the others from the file, beside whoever writes it.

use std::collections::BTreeMap;
use std::sync::Arc;

use godot::builtin::{AnyArray, Variant};
use godot::global::Error as EngineError;
use varbatch_store::{Budget, Reader, Rows};
use varbatch_workers::Threads;
use varbatch_workers::tasks::NextStep;

use super::call::{StoreCall, StoreWork, Turn};
use super::queue::Found;
use super::{PARALLEL_FROM, StoreFile, shown};
use crate::calls::decode::{Decoded, Deferred, Effort, Input, build_slots};
use crate::engine::{self, HeldBytes, Slot, byte_array_of};
use crate::jobs::task::Job;
use crate::jobs::tuning::KIND_SAMPLE;
use crate::jobs::{lock, pool};
use crate::objects::Makers;
use crate::report::{Failure, Outcome, Reports, Subject, store_code};
use crate::value::build::MayAsk;

/// Bytes that a thread reads at a time, as many as make up for waking another one, and how many of these make a step of each.
const PIECE: usize = 1 << 20;
const PIECES: usize = 4;

/// The bytes of null.
const NULL: &[u8] = &[0; 4];

type Made = Result<Makers, Failure>;

/// The values of some keys: null for each that is not there, or damaged.
pub struct Loading {
    shown: String,
    /// In the order of the tree, each with the index of its value.
    keys: Vec<(Vec<u8>, usize)>,
    /// What is queued for some of them, by their index in this order.
    queued: BTreeMap<usize, Found>,
    next: usize,
    budget: Budget,
    decoded: Decoded,
    /// Returned if the only value is missing or damaged; `None` to load an array.
    default: Option<Slot>,
    is_found: bool,
}

impl Loading {
    /// Reads the keys of an array of values, or of one value if there is a default for it.
    fn new(file: &StoreFile, keys: &AnyArray, default: Option<&Variant>, makers: Made) -> Result<Self, Failure> {
        let makers = makers?;
        let keys = file.sorted_keys_of(engine::values(keys))?;
        let (shown, decoded) = (file.shown.clone(), Decoded::new(makers));
        let default = default.map(|default| Slot::of(engine::value(default)));
        let (queued, budget) = (BTreeMap::new(), Budget::default());
        Ok(Self { shown, keys, queued, next: 0, budget, decoded, default, is_found: false })
    }

    /// Loads values as they are after all calls before, without waiting for these.
    pub fn at_once(file: &StoreFile, keys: &AnyArray, default: Option<&Variant>, makers: Made) -> Outcome<Slot> {
        let fallback = || default.map(|default| Slot::of(engine::value(default)));
        let loaded = Self::new(file, keys, default, makers).and_then(|mut loading| {
            pool::with(loading.keys.len() >= PARALLEL_FROM, |threads| loading.load_all(file, threads))?;
            loading.decoded.finish();
            Ok(loading)
        });
        match loaded {
            Ok(mut loading) => loading.outcome(Ok(())),
            Err(failure) => Outcome::failed(fallback().unwrap_or_else(no_values), failure),
        }
    }

    pub fn held(file: &Arc<StoreFile>, keys: &AnyArray, makers: Made) -> impl Job + 'static {
        match Self::new(file, keys, None, makers) {
            Ok(loading) => StoreCall::new(file, Some(loading)),
            Err(failure) => StoreCall::in_turn(None, Err(failure)),
        }
    }

    fn load_all(&mut self, file: &StoreFile, threads: &Threads) -> Result<(), Failure> {
        let mut reader = file.reader()?;
        let mut queue = file.queue();
        let some = if queue.is_empty() { 0 } else { self.keys.len() };
        for (index, (key, _)) in self.keys[..some].iter().enumerate() {
            self.queued.extend(queue.find(key).map(|found| (index, found)));
        }
        // With the queue locked: all that leaves it is in the file, and nothing that is called from now on.
        reader.hold()?;
        drop(queue);
        while self.next < self.keys.len() {
            self.load_some(file, reader.get(), threads);
        }
        Ok(())
    }

    /// Reads and decodes some values: threads take turns to read, and each decodes what it has read while the next reads.
    fn load_some(&mut self, file: &StoreFile, reader: &mut Reader, threads: &Threads) {
        let Self { keys, queued, next, budget, .. } = self;
        let first = *next;
        let mut left = keys[first..].iter().enumerate().map(|(index, (key, _))| {
            // A key without bytes is not looked for.
            if queued.contains_key(&(first + index)) { &[][..] } else { key.as_slice() }
        });
        let mut at = first;
        let pieces = std::iter::from_fn(|| {
            let memory = || lock(&file.memory).pop().unwrap_or_default();
            (left.len() > 0).then(|| {
                let rows = reader.get_some(&mut left, PIECE, memory(), budget);
                let from = at;
                at += rows.are_found().count();
                (from, rows)
            })
        });
        let may = (self.decoded.allow_objects(), MayAsk::Nothing);
        let built = threads.map(pieces.take(PIECES * threads.count()), |(from, rows)| {
            let built = Built::of(&rows, from, queued, may);
            if rows.memory.len() <= 2 * PIECE {
                lock(&file.memory).push(rows.memory);
            }
            built
        });
        for Built { values, reports, is_found } in built {
            self.is_found = is_found;
            let indices = &keys[*next..*next + values.len()];
            *next += values.len();
            self.decoded.add_at(keys.len(), |index| indices[index].1, values, reports);
        }
    }
}

fn no_values() -> Slot {
    Slot::from(godot::meta::ToGodot::to_variant(&godot::builtin::VarArray::new()))
}

struct Built {
    values: Vec<Slot>,
    /// What is reported, and the values that need the engine.
    reports: (Reports, Vec<Deferred>),
    /// True if the first key has a value.
    is_found: bool,
}

impl Built {
    /// Builds the values, but for those of damaged rows, which it reports. Those that are queued are not in the rows.
    fn of(rows: &Rows<'_>, from: usize, queued: &BTreeMap<usize, Found>, may: (bool, MayAsk)) -> Self {
        let mut found: Vec<_> = rows.values(NULL).collect();
        let mut are_found: Vec<_> = rows.are_found().collect();
        for (index, queued) in queued.range(from..from + found.len()) {
            let bytes = queued.bytes();
            are_found[index - from] = bytes.is_some();
            found[index - from] = Ok(bytes.map_or(NULL.into(), Into::into));
        }
        let inputs = found.iter().map(|value| Ok(Input { at: 0, bytes: value.as_deref().unwrap_or(NULL) }));
        let hold = |_, input: Input<'_>| (HeldBytes::new(byte_array_of(input.bytes)), 0..input.bytes.len());
        let (mut values, alone) = (found.iter().map(|_| Slot::new()).collect::<Vec<_>>(), Threads::alone());
        let effort = Effort::of(inputs.clone().take(KIND_SAMPLE), 0, found.len(), may, None);
        let mut reports = build_slots(inputs, &mut values, &effort, hold, &alone);
        for (index, value) in found.into_iter().enumerate() {
            if let Err(error) = value {
                reports.0.push_error(index, || Failure::new(store_code(&error), error));
            }
        }
        Self { values, reports, is_found: are_found.first() == Some(&true) }
    }
}

impl StoreWork for Loading {
    fn step(&mut self, turn: &Turn, threads: &Threads) -> Result<NextStep, Failure> {
        // In its turn nothing is queued before it, and nothing is changed between its steps.
        let mut reader = turn.file.reader()?;
        reader.hold()?;
        self.load_some(&turn.file, reader.get(), threads);
        drop(reader);
        Ok(if self.next < self.keys.len() { NextStep::More } else { self.decoded.end() })
    }

    fn step_with_engine(&mut self) -> NextStep {
        self.decoded.step_with_engine()
    }

    fn progress(&self) -> f32 {
        self.next as f32 / self.keys.len().max(1) as f32
    }

    fn outcome(&mut self, result: Result<(), Failure>) -> Outcome<Slot> {
        let default = self.default.take();
        let outcome = Outcome::from(result.map(|()| {
            let key = |index: usize| self.keys.iter().find(|(_, other)| *other == index);
            let name = |index: usize| key(index).map_or_else(String::new, |(key, _)| shown(key));
            let lines = self.decoded.reports.lines(&Subject::keys(&self.shown, &name));
            Outcome::new(self.decoded.take(), lines)
        }));
        match default {
            None => outcome.into_slot(),
            Some(default) if !self.is_found || outcome.code != EngineError::OK => outcome.map(|_| default),
            Some(_) => outcome.map(|values| Slot::from(values.at(0))),
        }
    }
}
