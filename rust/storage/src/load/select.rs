//! Finds the frames that a caller asked for, so that no others are read.

use super::LoadError;
use super::source::Source;
use super::walk::{Walk, Walked};
use varbatch_workers::Threads;

/// A search for `count` frames from frame `from` on, or for all from there on.
pub(super) struct Select {
    /// Counts from the end if it is negative.
    from: i64,
    count: Option<u64>,
    walk: Walk,
    whole_len: u64,
    /// What a walk to the end has found, which only a negative `from` needs.
    counted: Option<Counted>,
    /// The index and the offset of the first frame asked for.
    start: Option<(u64, u64)>,
}

/// All whole frames of a stream.
struct Counted {
    count: u64,
    end: u64,
    /// The error after them.
    damage: Option<LoadError>,
}

/// Where the frames asked for are in the stream.
pub(super) struct Found {
    /// The index of the first one, and its offset. If there is none, those of the end.
    pub(super) index: u64,
    pub(super) at: u64,
    /// The offset behind the last one; `None` if that is the end of the stream, or reading meets an error before.
    pub(super) end: Option<u64>,
    /// The error after the last whole frame, if the search has met it, and the index of that frame.
    pub(super) behind: Option<(u64, LoadError)>,
}

impl Select {
    /// Begins a search in a stream of which the file has `whole_len` bytes.
    pub(super) fn new(from: i64, count: Option<u64>, whole_len: u64) -> Self {
        Self { from, count, walk: Walk::new(whole_len), whole_len, counted: None, start: None }
    }

    /// Returns the number of whole frames that are known to lie before what was not searched yet.
    pub(super) fn index(&self) -> u64 {
        self.walk.index()
    }

    /// Returns how many bytes were passed, and the max to pass.
    pub(super) fn passed(&self) -> (u64, u64) {
        let before = if self.counted.is_some() { self.whole_len } else { 0 };
        (before + self.walk.at(), self.whole_len.saturating_mul(if self.from < 0 { 2 } else { 1 }))
    }

    /// Does a part of the search. `None` if there is more to search.
    ///
    /// # Errors
    /// If the frames before those asked for cannot be passed.
    pub(super) fn step(&mut self, source: &mut Source, threads: &Threads) -> Result<Option<Found>, LoadError> {
        let Some(first) = self.first() else {
            self.count_all(source, threads);
            return Ok(None);
        };
        if self.start.is_none() {
            match self.walk.step(source, first, threads, |_, _| ())? {
                Walked::Part => return Ok(None),
                Walked::There => self.start = Some((first, self.walk.at())),
                Walked::End => {
                    let (index, at) = (self.walk.index(), self.walk.at());
                    return Ok(Some(Found { index, at, end: Some(at), behind: None }));
                }
            }
        }
        let last = self.count.map(|count| first.saturating_add(count.saturating_sub(self.missing())));
        let end = match (last, &self.counted) {
            (None, None) => None,
            (last, Some(counted)) if last.is_none_or(|last| last >= counted.count) => Some(counted.end),
            (last, _) => match self.walk.step(source, last.unwrap_or(u64::MAX), threads, |_, _| ()) {
                Ok(Walked::Part) => return Ok(None),
                Ok(Walked::There) => Some(self.walk.at()),
                // Reading the frames asked for ends there too.
                Ok(Walked::End) | Err(_) => None,
            },
        };
        let behind = self.counted.take().and_then(|counted| Some((counted.count, counted.damage?)));
        Ok(self.start.map(|(index, at)| Found { index, at, end, behind }))
    }

    /// Returns the index of the first frame asked for, if it is known. If all of them lie before the first frame, that
    /// of the end.
    fn first(&self) -> Option<u64> {
        let first_of = |all: u64| match self.count {
            Some(count) if count <= self.missing() => all,
            _ => all.saturating_sub(self.from.unsigned_abs()),
        };
        let counted = || Some(first_of(self.counted.as_ref()?.count));
        u64::try_from(self.from).ok().or_else(counted)
    }

    /// Returns how many of the frames asked for lie before the first frame.
    fn missing(&self) -> u64 {
        self.counted.as_ref().map_or(0, |counted| self.from.unsigned_abs().saturating_sub(counted.count))
    }

    /// Does a part of the walk to the end.
    fn count_all(&mut self, source: &mut Source, threads: &Threads) {
        let damage = match self.walk.step(source, u64::MAX, threads, |_, _| ()) {
            Ok(Walked::Part) => return,
            Ok(Walked::There | Walked::End) => None,
            Err(error) => Some(error),
        };
        let (count, end) = (self.walk.index(), self.walk.at());
        self.counted = Some(Counted { count, end, damage });
        self.walk.go_back(self.first().unwrap_or(0));
    }
}
