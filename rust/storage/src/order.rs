//! The order of saves to one file: the last call wins, whichever save is complete first.
//!
//! A save takes a [`Ticket`] when it is called. When it is complete it is put in place, unless a save with a later ticket is
//! in that place already: then it was overtaken, and is dropped. Nobody waits for anybody, and a save that was only begun,
//! was cancelled or failed overtakes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::replace::folder_of;

static ORDER: Mutex<Order> = Mutex::new(Order::new());

/// When a save was called, among all of this process. Keep it until the save has ended.
#[derive(Debug)]
pub struct Ticket(u64);

impl Ticket {
    /// That of a save that is called now.
    #[must_use]
    pub fn take() -> Self {
        Self(order().take())
    }

    /// Calls `put`, which puts a file at `path`, unless a later save is there. Returns whether it did so.
    pub(super) fn put_in_place(&self, path: &Path, put: impl FnOnce() -> io::Result<()>) -> io::Result<bool> {
        // Held meanwhile, so that no other save comes between the look and the rename.
        let mut order = order();
        if order.is_overtaken(self.0, &place(path)) {
            return Ok(false);
        }
        put()?;
        order.note(self.0, || place(path));
        Ok(true)
    }

    /// Whether a later save is at `path`.
    pub(super) fn is_overtaken(&self, path: &Path) -> bool {
        // Most of the time there is none at any path, so that the system is not asked.
        let is_any = order().placed.values().any(|&ticket| ticket > self.0);
        is_any && {
            let place = place(path);
            order().is_overtaken(self.0, &place)
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        order().give_back(self.0);
    }
}

fn order() -> MutexGuard<'static, Order> {
    // Nothing panics while it is held.
    ORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The name that a rename to `path` replaces, however it was spelled: the folder without links, and the file as the file
/// system has it where cases are the same to it.
fn place(path: &Path) -> PathBuf {
    let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    if !is_link && let Ok(place) = fs::canonicalize(path) {
        return place;
    }
    match (fs::canonicalize(folder_of(path)), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// Which saves are under way, and what they must not replace.
struct Order {
    last: u64,
    /// Tickets of saves that have not ended.
    open: BTreeSet<u64>,
    /// The latest save that is in each place, where an earlier one is under way.
    placed: BTreeMap<PathBuf, u64>,
}

impl Order {
    const fn new() -> Self {
        Self { last: 0, open: BTreeSet::new(), placed: BTreeMap::new() }
    }

    fn take(&mut self) -> u64 {
        self.last += 1;
        self.open.insert(self.last);
        self.last
    }

    fn is_overtaken(&self, ticket: u64, place: &Path) -> bool {
        self.placed.get(place).is_some_and(|&placed| placed > ticket)
    }

    fn note(&mut self, ticket: u64, place: impl FnOnce() -> PathBuf) {
        if self.open.first().is_some_and(|&oldest| oldest < ticket) {
            self.placed.insert(place(), ticket);
        }
    }

    fn give_back(&mut self, ticket: u64) {
        let was_oldest = self.open.first() == Some(&ticket);
        self.open.remove(&ticket);
        if was_oldest {
            // What only those that have ended could have replaced.
            let oldest = self.open.first().copied().unwrap_or(u64::MAX);
            self.placed.retain(|_, placed| *placed > oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards: memory that grows with each save of a game.
    #[test]
    fn no_more_is_kept_than_saves_under_way_need() {
        let mut order = Order::new();
        for round in 0..3 {
            let oldest = order.take();
            for index in 0..100 {
                let ticket = order.take();
                order.note(ticket, || PathBuf::from(format!("{}", index % 10)));
                order.give_back(ticket);
            }
            let younger = order.take();
            order.note(order.last + 1, || PathBuf::from("newest"));
            assert_eq!((order.placed.len(), order.open.len()), (11, 2), "{round}");
            assert!(order.is_overtaken(oldest, Path::new("9")));
            assert!(!order.is_overtaken(younger, Path::new("9")));
            order.give_back(oldest);
            assert_eq!((order.placed.len(), order.open.len()), (1, 1), "{round}");
            order.give_back(younger);
            assert_eq!((order.placed.len(), order.open.len()), (0, 0), "{round}");
            // Nobody is older: there is nobody to keep it for.
            let alone = order.take();
            order.note(alone, || unreachable!("nobody asks"));
            order.give_back(alone);
        }
    }
}
