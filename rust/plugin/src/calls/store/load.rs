//! Loads the values of keys.

use std::sync::Arc;

use godot::builtin::{AnyArray, Variant};
use godot::global::Error as EngineError;
use varbatch_store::{Rows, Store};
use varbatch_workers::Threads;
use varbatch_workers::tasks::NextStep;

use super::{PARALLEL_FROM, StoreCall, StoreFile, StoreWork, shown};
use crate::calls::decode::{Decoded, Deferred, Effort, Input, build_slots};
use crate::engine::{self, HeldBytes, Slot, byte_array_of};
use crate::jobs::task::Job;
use crate::jobs::tuning::KIND_SAMPLE;
use crate::jobs::{lock, pool};
use crate::objects::Makers;
use crate::report::{Failure, Outcome, Reports, Subject};
use crate::value::build::MayAsk;

/// Bytes that a thread reads at a time, as many as make up for waking another one, and how many of these make a step of each.
const PIECE: usize = 1 << 20;
const PIECES: usize = 4;

/// The bytes of null.
const NULL: &[u8] = &[0; 4];

/// The values of some keys: null for each that is not there, or damaged.
pub struct Loading {
    shown: String,
    keys: Vec<Vec<u8>>,
    next: usize,
    decoded: Decoded,
    /// Returned if the only value is missing or damaged; `None` to load an array.
    default: Option<Slot>,
    is_found: bool,
    is_damaged: bool,
}

impl Loading {
    /// Loads an array of values, or one value if there is a default for it.
    pub fn new(file: &Arc<StoreFile>, keys: &AnyArray, default: Option<&Variant>, makers: Made) -> StoreCall<Self> {
        let read = makers.and_then(|makers| Ok((file.keys_of(engine::values(keys))?, makers)));
        let (result, (keys, makers)) = match read {
            Ok(read) => (Ok(()), read),
            Err(failure) => (Err(failure), Default::default()),
        };
        let (shown, decoded) = (file.shown.clone(), Decoded::new(makers));
        let default = default.map(|default| Slot::of(engine::value(default)));
        let loading = Self { shown, keys, next: 0, decoded, default, is_found: false, is_damaged: false };
        StoreCall::new(file, loading, result)
    }

    pub fn at_once(mut call: StoreCall<Self>) -> Outcome<Slot> {
        pool::with(call.work.keys.len() >= PARALLEL_FROM, |threads| call.run(threads));
        call.outcome()
    }

    /// Reads and decodes some values: threads take turns to read, and each decodes what it has read while the next reads.
    fn load_some(&mut self, file: &StoreFile, store: &mut Store, threads: &Threads) {
        let mut keys = self.keys[self.next..].iter().map(Vec::as_slice);
        let is_many = keys.len() > 1;
        if is_many {
            store.hold_reads(true);
        }
        let pieces = std::iter::from_fn(|| {
            let memory = || lock(&file.memory).pop().unwrap_or_default();
            (keys.len() > 0).then(|| store.get_some(&mut keys, PIECE, memory()))
        });
        let may = (self.decoded.allow_objects(), MayAsk::Nothing);
        for Built { mut values, reports, is_found, is_damaged } in
            threads.map(pieces.take(PIECES * threads.count()), |rows| {
                let built = Built::of(&rows, may);
                if rows.memory.len() <= 2 * PIECE {
                    lock(&file.memory).push(rows.memory);
                }
                built
            })
        {
            self.is_found = is_found;
            self.is_damaged |= is_damaged;
            self.next += values.len();
            self.decoded.add(values.len(), |slots| {
                slots.swap_with_slice(&mut values);
                reports
            });
        }
        if is_many {
            store.hold_reads(false);
        }
    }
}

type Made = Result<Makers, Failure>;

struct Built {
    values: Vec<Slot>,
    /// What is reported, and the values that need the engine.
    reports: (Reports, Vec<Deferred>),
    is_found: bool,
    is_damaged: bool,
}

impl Built {
    /// Builds the values, but for those of damaged rows, which it reports.
    fn of(rows: &Rows<'_>, may: (bool, MayAsk)) -> Self {
        let found: Vec<_> = rows.values(NULL).collect();
        let inputs = found.iter().map(|value| Ok(Input { at: 0, bytes: value.as_deref().unwrap_or(NULL) }));
        let hold = |_, input: Input<'_>| (HeldBytes::new(byte_array_of(input.bytes)), 0..input.bytes.len());
        let (mut values, alone) = (found.iter().map(|_| Slot::new()).collect::<Vec<_>>(), Threads::alone());
        let effort = Effort::of(inputs.clone().take(KIND_SAMPLE), 0, found.len(), may, None);
        let mut reports = build_slots(inputs, &mut values, &effort, hold, &alone);
        let is_damaged = found.iter().any(Result::is_err);
        for (index, value) in found.into_iter().enumerate() {
            if let Err(text) = value {
                reports.0.push_error(index, || text);
            }
        }
        Self { values, reports, is_found: rows.has_first(), is_damaged }
    }
}

impl StoreWork for Loading {
    fn step(&mut self, file: &StoreFile, store: &mut Store, threads: &Threads) -> Result<NextStep, Failure> {
        self.load_some(file, store, threads);
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
            let name = |index: usize| shown(&self.keys[index]);
            let lines = self.decoded.reports.lines(&Subject::keys(&self.shown, &name));
            let code = match self.decoded.reports.has_errors() {
                _ if self.is_damaged => EngineError::ERR_FILE_CORRUPT,
                true => EngineError::ERR_INVALID_DATA,
                false => EngineError::OK,
            };
            Outcome { code, ..Outcome::new(self.decoded.take(), lines) }
        }));
        match default {
            None => outcome.into_slot(),
            Some(default) if !self.is_found || outcome.code != EngineError::OK => outcome.map(|_| default),
            Some(_) => outcome.map(|values| Slot::from(values.at(0))),
        }
    }
}
