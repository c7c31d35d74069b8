//! Finds the frames that a caller asked for, so that no others are read.

use super::source::Source;
use super::walk::{Walk, Walked};
use super::{LoadError, Loader, ReadStep};
use varbatch_workers::Threads;

/// A search for `count` frames from frame `from` on, or for all from there on.
pub(super) struct Select {
    /// Counts from the end if it is negative.
    from: i64,
    count: Option<u64>,
    walk: Walk,
    whole_len: u64,
    /// The number of whole frames and their end, which only a negative `from` needs.
    counted: Option<(u64, u64)>,
    /// The error after all whole frames, if the walk to the end has met one, and their number.
    behind: Option<(u64, LoadError)>,
    /// The index and the offset of the first frame asked for, and the end of the last one if that is known.
    start: Option<(u64, u64)>,
    end: Option<u64>,
}

impl Loader {
    /// Passes some of the frames before those asked for, and goes to the first of these.
    pub(super) fn pass(&mut self, mut select: Box<Select>, threads: &Threads) -> Result<ReadStep, LoadError> {
        match select.step(&mut self.source, threads) {
            Ok(Some((index, at))) => {
                let (end, stream_end) = (select.end, self.unread);
                (self.index, self.at, self.behind) = (index, at as usize, select.behind);
                self.is_cut = end.is_some_and(|end| end < stream_end || end == at) || self.behind.is_some();
                self.unread = end.unwrap_or(stream_end).saturating_sub(at);
            }
            Ok(None) => self.select = Some(select),
            Err(error) => {
                self.index = select.start.map_or(select.walk.index(), |(index, _)| index);
                (self.unread, self.ended) = (0, true);
                return Err(error);
            }
        }
        Ok(ReadStep::Part)
    }
}

impl Select {
    /// Begins a search in a stream of which the file has `whole_len` bytes.
    pub(super) fn new(from: i64, count: Option<u64>, whole_len: u64) -> Self {
        let walk = Walk::new(whole_len);
        Self { from, count, walk, whole_len, counted: None, behind: None, start: None, end: None }
    }

    /// Returns how many bytes were passed, and the max to pass.
    pub(super) fn passed(&self) -> (u64, u64) {
        let before = if self.counted.is_some() { self.whole_len } else { 0 };
        (before + self.walk.at(), self.whole_len.saturating_mul(if self.from < 0 { 2 } else { 1 }))
    }

    /// Does a part of the search. Returns the index and the offset of the first frame asked for, where `source` continues;
    /// `None` if there is more to search.
    ///
    /// # Errors
    /// If the frames before those asked for cannot be passed.
    fn step(&mut self, source: &mut Source, threads: &Threads) -> Result<Option<(u64, u64)>, LoadError> {
        let Some(first) = self.first() else {
            self.count_all(source, threads);
            return Ok(None);
        };
        let start = match self.start {
            Some(start) => start,
            None => match self.walk.step(source, first, threads, |_, _| ())? {
                Walked::Part => return Ok(None),
                Walked::There => *self.start.insert((first, self.walk.at())),
                Walked::End => {
                    self.end = Some(self.walk.at());
                    return Ok(Some((self.walk.index(), self.walk.at())));
                }
            },
        };
        let last = self.count.map(|count| first.saturating_add(count.saturating_sub(self.missing())));
        self.end = match (last, self.counted) {
            (None, None) => None,
            (last, Some((count, end))) if last.is_none_or(|last| last >= count) => Some(end),
            (last, _) => match self.walk.step(source, last.unwrap_or(u64::MAX), threads, |_, _| ()) {
                Ok(Walked::Part) => return Ok(None),
                Ok(Walked::There) => Some(self.walk.at()),
                // Reading the frames asked for ends there too.
                Ok(Walked::End) | Err(_) => None,
            },
        };
        if self.end != Some(start.1) {
            source.seek(start.1)?;
        }
        Ok(Some(start))
    }

    /// Returns the index of the first frame asked for, if it is known. If all of them lie before the first frame, that
    /// of the end.
    fn first(&self) -> Option<u64> {
        let first_of = |(all, _): (u64, u64)| match self.count {
            Some(count) if count <= self.missing() => all,
            _ => all.saturating_sub(self.from.unsigned_abs()),
        };
        u64::try_from(self.from).ok().or_else(|| self.counted.map(first_of))
    }

    /// Returns how many of the frames asked for lie before the first frame.
    fn missing(&self) -> u64 {
        self.counted.map_or(0, |(count, _)| self.from.unsigned_abs().saturating_sub(count))
    }

    /// Does a part of the walk to the end.
    fn count_all(&mut self, source: &mut Source, threads: &Threads) {
        let walked = self.walk.step(source, u64::MAX, threads, |_, _| ());
        if matches!(walked, Ok(Walked::Part)) {
            return;
        }
        self.behind = walked.err().map(|error| (self.walk.index(), error));
        self.counted = Some((self.walk.index(), self.walk.at()));
        self.walk.go_back(self.first().unwrap_or(0));
    }
}
