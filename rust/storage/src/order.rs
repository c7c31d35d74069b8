//! The order of saves to one file: the last call wins, whichever save completes first.
//!
//! A save takes a [`Ticket`] when it is called. When its file is complete, the file replaces the old one, unless a save
//! with a later ticket did so already: then the earlier save was overtaken, and its file is dropped. No save waits for
//! another, and a save that was cancelled or failed overtakes nothing.
//!
//! An append waits until all calls with an earlier ticket for the same file have ended: then it is the first in line. So
//! waiting only ever goes from later calls to earlier ones. Like a save, it can be overtaken.
//!
//! The file system can take seconds to answer, as with a virus scanner or a folder on a network. So nothing here is
//! locked while it is asked, but the line of the one file: calls for other files go on.
//!
//! A game may start tens of thousands of calls in a frame. So each question here costs the logarithm of their number.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::io;
use std::ops::Bound::{Excluded, Unbounded};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use varbatch_workers::lock;

static ORDER: Mutex<Order> = Mutex::new(Order::new());

/// Woken when a call has ended, and when a line is free.
static CHANGED: Condvar = Condvar::new();

/// Where calls wait for each other: the file that they write, or something else that they have in common.
pub type LineName = Arc<str>;

/// The position of a save or append among all of this process, by the time of its call. Keep it until the call ends.
#[derive(Debug)]
pub struct Ticket {
    number: u64,
    has_ended: AtomicBool,
}

impl Ticket {
    /// Takes the ticket of a save or append to `path` that is called now.
    #[must_use]
    pub fn take_for(path: &Path) -> Self {
        Self::take_in(Self::line(path))
    }

    /// Takes the ticket of a call in a line.
    #[must_use]
    pub fn take_in(line: LineName) -> Self {
        Self::of(lock(&ORDER).take(line))
    }

    /// Takes the tickets of a call that stands in several lines: behind the same calls in each.
    pub fn take_all(lines: impl IntoIterator<Item = LineName>) -> Vec<Self> {
        let mut order = lock(&ORDER);
        lines.into_iter().map(|line| Self::of(order.take(line))).collect()
    }

    fn of(number: u64) -> Self {
        Self { number, has_ended: AtomicBool::new(false) }
    }

    /// Returns the line of a file, for calls that need not ask the system each time.
    #[must_use]
    pub fn line(path: &Path) -> LineName {
        // Names that differ only in case are in one line: until a file exists, nothing says whether they are two.
        folded(&crate::open::target(path).map_or_else(|_| path.to_owned(), |path| place(&path)))
    }

    /// Returns a number that no other ticket of this process has.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns whether the ticket of this number is the first in its line. `None` if its call has ended.
    #[must_use]
    pub fn is_first(number: u64) -> Option<bool> {
        let order = lock(&ORDER);
        order.open.contains_key(&number).then(|| order.first_before(number).is_none())
    }

    /// Returns the numbers of some tickets right behind that of this number, which has not ended, in the same line.
    #[must_use]
    pub fn behind(number: u64, max: usize) -> Vec<u64> {
        lock(&ORDER).behind(number, max)
    }

    /// Returns the number of the first ticket in line for the same file, unless that is this one.
    pub fn first_before(&self) -> Option<u64> {
        lock(&ORDER).first_before(self.number)
    }

    /// Waits until this ticket is the first in line for its file, for up to `max`. Returns true if it is.
    pub fn wait(&self, max: std::time::Duration) -> bool {
        let is_behind = |order: &mut Order| order.first_before(self.number).is_some();
        let waited = CHANGED.wait_timeout_while(lock(&ORDER), max, is_behind).unwrap_or_else(PoisonError::into_inner);
        !waited.1.timed_out()
    }

    /// Ends the call before the ticket is dropped. Returns the number of the ticket that is first in its line now.
    pub fn end(&self) -> Option<u64> {
        if self.has_ended.swap(true, Ordering::Relaxed) {
            return None;
        }
        let next = lock(&ORDER).give_back(self.number);
        // Waking asks the system, even if nobody waits.
        next.inspect(|_| CHANGED.notify_all())
    }

    /// Calls `put`, which puts a file at `path`, unless a later save is there. Returns true if it called it.
    pub(super) fn put_in_place(&self, path: &Path, put: impl FnOnce() -> io::Result<()>) -> io::Result<bool> {
        let done = unless_overtaken(self.number, path, || {
            put()?;
            if lock(&ORDER).has_older(self.number) {
                let place = place(path);
                lock(&ORDER).note_placed(self.number, &place);
            }
            Ok(())
        });
        done.transpose().map(|done| done.is_some())
    }

    /// True if a later save is at `path`.
    pub(super) fn is_overtaken(&self, path: &Path) -> bool {
        // Usually there is none at any path, and the system need not be asked.
        let is_any = lock(&ORDER).has_placed_later(self.number);
        is_any && {
            let place = place(path);
            lock(&ORDER).is_overtaken(self.number, &place)
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.end();
    }
}

/// Calls `act` unless a later save is at `path`, where none comes meanwhile. The call with this ticket has not ended.
pub(super) fn unless_overtaken<T>(ticket: u64, path: &Path, act: impl FnOnce() -> T) -> Option<T> {
    let line = folded(&place(path));
    let is_held = |order: &mut Order| order.held.contains(&line);
    let mut order = CHANGED.wait_while(lock(&ORDER), is_held).unwrap_or_else(PoisonError::into_inner);
    order.held.insert(line.clone());
    drop(order);
    let _held = HeldLine(line);
    // Asked again, as another file may have come there.
    let place = place(path);
    let is_overtaken = lock(&ORDER).is_overtaken(ticket, &place);
    (!is_overtaken).then(act)
}

/// The line of a file. While it is held, no other call puts a file there.
struct HeldLine(LineName);

impl Drop for HeldLine {
    fn drop(&mut self) {
        lock(&ORDER).held.remove(&self.0);
        CHANGED.notify_all();
    }
}

pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns the name that a rename to `path` replaces: the folder without links, the name as stored, of whatever case.
pub(super) fn place(path: &Path) -> PathBuf {
    // On Linux a name is stored as it was given.
    let may_differ = cfg!(not(target_os = "linux")) && path.symlink_metadata().is_ok_and(|file| !file.is_symlink());
    if may_differ && let Ok(place) = fs::canonicalize(path) {
        return place;
    }
    match (fs::canonicalize(folder_of(path)), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

fn folded(place: &Path) -> LineName {
    place.to_string_lossy().to_lowercase().into()
}

/// The saves in progress, and the files that they must not replace.
struct Order {
    last: u64,
    /// Tickets of calls that have not ended, and their line.
    open: BTreeMap<u64, LineName>,
    /// The same by line: none is empty.
    lines: HashMap<LineName, BTreeSet<u64>, BuildHasherDefault<DefaultHasher>>,
    /// The latest save at each path, while an earlier one is in progress.
    placed: BTreeMap<Arc<Path>, u64>,
    /// The same by ticket.
    placed_by: BTreeSet<(u64, Arc<Path>)>,
    /// Lines in which a call is putting or opening a file.
    held: BTreeSet<LineName>,
}

impl Order {
    const fn new() -> Self {
        Self {
            last: 0,
            open: BTreeMap::new(),
            lines: HashMap::with_hasher(BuildHasherDefault::new()),
            placed: BTreeMap::new(),
            placed_by: BTreeSet::new(),
            held: BTreeSet::new(),
        }
    }

    fn take(&mut self, line: LineName) -> u64 {
        self.last += 1;
        self.lines.entry(Arc::clone(&line)).or_default().insert(self.last);
        self.open.insert(self.last, line);
        self.last
    }

    fn note_placed(&mut self, ticket: u64, place: &Path) {
        let place: Arc<Path> = place.into();
        if let Some(earlier) = self.placed.insert(Arc::clone(&place), ticket) {
            self.placed_by.remove(&(earlier, Arc::clone(&place)));
        }
        self.placed_by.insert((ticket, place));
    }

    fn has_placed_later(&self, ticket: u64) -> bool {
        self.placed_by.last().is_some_and(|(latest, _)| *latest > ticket)
    }

    fn is_overtaken(&self, ticket: u64, place: &Path) -> bool {
        self.placed.get(place).is_some_and(|&placed| placed > ticket)
    }

    /// True if a call with an earlier ticket has not ended.
    fn has_older(&self, ticket: u64) -> bool {
        self.open.first_key_value().is_some_and(|(&oldest, _)| oldest < ticket)
    }

    fn first_before(&self, ticket: u64) -> Option<u64> {
        let line = self.lines.get(self.open.get(&ticket)?)?;
        line.first().copied().filter(|&first| first != ticket)
    }

    fn behind(&self, ticket: u64, max: usize) -> Vec<u64> {
        let line = self.open.get(&ticket).and_then(|line| self.lines.get(line));
        line.into_iter().flat_map(|line| line.range((Excluded(ticket), Unbounded))).take(max).copied().collect()
    }

    /// Returns the ticket that is the first in the line of this one now. A second time this does nothing.
    fn give_back(&mut self, ticket: u64) -> Option<u64> {
        let line = self.open.remove(&ticket)?;
        let in_line = self.lines.get_mut(&line)?;
        in_line.remove(&ticket);
        let first = in_line.first().copied();
        if first.is_none() {
            self.lines.remove(&line);
        }
        // Drops entries that only ended saves could have replaced.
        let oldest = self.open.first_key_value().map_or(u64::MAX, |(&oldest, _)| oldest);
        while self.placed_by.first().is_some_and(|(placed, _)| *placed <= oldest) {
            let dropped = self.placed_by.pop_first();
            dropped.into_iter().for_each(|(_, place)| _ = self.placed.remove(&place));
        }
        first
    }
}

#[cfg(test)]
#[path = "../tests/unit/order.rs"]
mod tests;
