//! The order of saves to one file: the last call wins, whichever save completes first.
//!
//! A save takes a [`Ticket`] when it is called. When its file is complete, the file replaces the old one, unless a save
//! with a later ticket did so already: then the earlier save was overtaken, and its file is dropped. No save waits for
//! another, and a save that was cancelled or failed overtakes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static ORDER: Mutex<Order> = Mutex::new(Order::new());

/// The position of a save among all saves of this process, by the time of its call. Keep it until the save has ended.
#[derive(Debug)]
pub struct Ticket(u64);

impl Ticket {
    /// Takes the ticket of a save that is called now.
    #[must_use]
    pub fn take() -> Self {
        Self(order().take())
    }

    /// Calls `put`, which puts a file at `path`, unless a later save is there. Returns true if it called it.
    pub(super) fn put_in_place(&self, path: &Path, put: impl FnOnce() -> io::Result<()>) -> io::Result<bool> {
        // Held throughout, so that no other save comes between the check and the rename.
        let mut order = order();
        if order.is_overtaken(self.0, &place(path)) {
            return Ok(false);
        }
        put()?;
        order.note(self.0, || place(path));
        Ok(true)
    }

    /// True if a later save is at `path`.
    pub(super) fn is_overtaken(&self, path: &Path) -> bool {
        // Usually there is none at any path, and the system need not be asked.
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

/// Returns the folder that contains a file.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn order() -> MutexGuard<'static, Order> {
    // Nothing panics while it is held.
    ORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the name that a rename to `path` replaces, however it is spelled: the folder without links, and the file's
/// name as the file system stores it if it ignores case.
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

/// The saves in progress, and the files that they must not replace.
struct Order {
    last: u64,
    /// Tickets of saves that have not ended.
    open: BTreeSet<u64>,
    /// The latest save at each path, while an earlier one is in progress.
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
            // Drops entries that only ended saves could have replaced.
            let oldest = self.open.first().copied().unwrap_or(u64::MAX);
            self.placed.retain(|_, placed| *placed > oldest);
        }
    }
}

#[cfg(test)]
#[path = "../tests/unit/order.rs"]
mod tests;
