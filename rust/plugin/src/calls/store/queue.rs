//! What saves in the background will change, in the order of their calls: loads find it here, and need not wait for the disk.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound::{Included, Unbounded};
use std::sync::Arc;

use varbatch_codec::fill::to_vec;

use super::StoreFile;
use super::changes::Changes;
use super::ranges::{Erased, KeyBytes};
use crate::calls::line;
use crate::report::Failure;
use crate::value::walk::Held;

/// Values to save and keys to erase, held until they are on the disk.
pub type HeldChanges = Changes<'static, Held>;

/// Saves that end and keys that are removed at a time, as loads and calls wait meanwhile.
const REMOVED: usize = 16;

/// A save that waits.
pub type Queued = line::Queued<HeldChanges>;

/// What is queued for a key: a value, by its index, or that it is erased.
pub enum Found {
    Value(Arc<Queued>, usize),
    Erased,
}

impl Found {
    pub fn is_value(&self) -> bool {
        matches!(self, Self::Value(..))
    }

    /// Returns the bytes of the value, if there will be one.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Value(save, index) => save.changes.plans.part(*index).map(to_vec),
            Self::Erased => None,
        }
    }
}

#[derive(Default)]
pub struct Queue {
    saves: BTreeMap<u64, Arc<Queued>>,
    /// For each key the saves that change it, by their tickets, with the index of the value.
    keys: BTreeMap<Vec<u8>, VecDeque<(u64, Option<usize>)>>,
    erased: Erased,
    /// True if `erased` is to be found out anew, as what a save would have erased has been hidden by it.
    is_stale: bool,
    /// The last save of those that could not be saved together: each of them is saved alone.
    pub alone_to: u64,
}

impl StoreFile {
    /// Ends saves, and removes them from the queue.
    pub fn end_queued(&self, saves: &[Arc<Queued>], result: &Result<(), Failure>) {
        for some in saves.chunks(REMOVED) {
            let mut queue = self.queue();
            some.iter().for_each(|save| queue.end(save, result.clone()));
        }
        self.remove_queued(saves);
    }

    /// Removes saves that have ended from the queue.
    pub fn remove_queued(&self, saves: &[Arc<Queued>]) {
        let mut at = (0, 0);
        while at.0 < saves.len() {
            self.queue().remove_some(saves, &mut at);
        }
    }
}

impl Queue {
    pub fn is_empty(&self) -> bool {
        self.saves.is_empty()
    }

    pub fn add(&mut self, ticket: u64, changes: HeldChanges) -> Arc<Queued> {
        let save = Queued::new(ticket, changes);
        for (key, index) in save.changes.keys(0) {
            let row = (ticket, index);
            let of_key = self.keys.entry(key.to_vec()).or_default();
            // Calls of several threads may come here in another order than that of their tickets.
            let at = of_key.partition_point(|(other, _)| *other < ticket);
            of_key.insert(at, row);
        }
        let is_last = self.saves.last_key_value().is_none_or(|(last, _)| *last < ticket);
        self.saves.insert(ticket, Arc::clone(&save));
        match &save.changes.range {
            Some(range) if is_last && !self.is_stale => self.erased.add(range, ticket),
            Some(_) => self.is_stale = true,
            None => {}
        }
        save
    }

    /// Returns a save that waits.
    pub fn waiting(&self, ticket: u64) -> Option<Arc<Queued>> {
        self.saves.get(&ticket).filter(|save| save.is_waiting()).cloned()
    }

    /// Ends a save. Its keys stay until they are [removed](Self::remove_some).
    fn end(&mut self, save: &Queued, result: Result<(), Failure>) {
        let has_failed = result.is_err();
        save.set_end(result);
        self.is_stale |= has_failed && save.changes.range.is_some();
    }

    /// Cancels a save, unless it has ended.
    pub fn cancel(&mut self, save: &Queued) {
        self.is_stale |= save.cancel() && save.changes.range.is_some();
    }

    /// Finds out which ranges are erased, if that has changed.
    fn erase_again(&mut self) {
        if std::mem::take(&mut self.is_stale) {
            self.erased = Erased::default();
            for (ticket, save) in self.saves.iter().filter(|(_, save)| save.is_valid()) {
                save.changes.range.iter().for_each(|range| self.erased.add(range, *ticket));
            }
        }
    }

    /// Removes some keys of saves that have ended, from one of them and an index of its keys on.
    fn remove_some(&mut self, saves: &[Arc<Queued>], (at, from): &mut (usize, usize)) {
        for _ in 0..REMOVED {
            let Some(save) = saves.get(*at) else { break };
            let Some((key, _)) = save.changes.keys(*from).next() else {
                self.saves.remove(&save.ticket);
                (*at, *from) = (*at + 1, 0);
                continue;
            };
            *from += 1;
            let Some(of_key) = self.keys.get_mut(key) else { continue };
            // Mostly the first.
            if let Some(at) = of_key.iter().position(|(ticket, _)| *ticket == save.ticket) {
                of_key.remove(at);
            }
            if of_key.is_empty() {
                self.keys.remove(key);
            }
        }
        if self.saves.is_empty() {
            self.erased = Erased::default();
        }
    }

    /// Returns what is queued for a key.
    pub fn find(&mut self, key: &[u8]) -> Option<Found> {
        self.erase_again();
        self.found(key)
    }

    fn found(&self, key: &[u8]) -> Option<Found> {
        let valid = |ticket| self.saves.get(&ticket).filter(|save| save.is_valid());
        let of_key = self.keys.get(key).into_iter().flatten().rev();
        let found = of_key.filter_map(|(ticket, index)| Some((valid(*ticket)?, index))).next();
        let after = found.as_ref().map_or(0, |(save, _)| save.ticket);
        let erased = self.erased.at(key).filter(|ticket| *ticket > after);
        match found {
            _ if erased.is_some_and(|ticket| valid(ticket).is_some()) => Some(Found::Erased),
            Some((_, None)) => Some(Found::Erased),
            Some((save, Some(index))) => Some(Found::Value(Arc::clone(save), *index)),
            None => None,
        }
    }

    /// Returns the keys of a range that are queued, in order, each with whether it will have a value; and, in order, the ranges that
    /// will be erased of what is on the disk.
    pub fn keys_in(&mut self, range: &KeyBytes) -> (Vec<(Vec<u8>, bool)>, Vec<KeyBytes>) {
        self.erase_again();
        let all = self.keys.range::<[u8], _>((Included(&*range.from), Unbounded));
        let queued = all.take_while(|(key, _)| range.has(key));
        let keys = queued.filter_map(|(key, _)| Some((key.clone(), self.found(key)?.is_value())));
        let is_queued = |ticket| self.saves.get(&ticket).is_some_and(|save| save.is_valid());
        (keys.collect(), self.erased.all(is_queued))
    }
}
