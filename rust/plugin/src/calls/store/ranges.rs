//! Ranges of keys, as bytes that sort as the keys do, and those that saves will erase.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::ops::Range;

/// Ranges that saves erase, none over another: the first key of each, where it ends, and the last save that erases it. One that has
/// ended is only removed with all others.
#[derive(Default)]
pub struct Erased(BTreeMap<Vec<u8>, (Option<Vec<u8>>, u64)>);

impl Erased {
    /// Adds what a save erases after all others.
    pub fn add(&mut self, range: &KeyBytes, ticket: u64) {
        let KeyBytes { from, to } = range;
        if to.as_ref().is_some_and(|to| to <= from) {
            return;
        }
        let ends_after = |end: &Option<Vec<u8>>, key: &[u8]| end.as_ref().is_none_or(|end| **end > *key);
        // What begins before keeps its start, and what ends behind its end.
        let before = self.0.range_mut::<[u8], _>((Unbounded, Excluded(&**from))).next_back();
        let cut = before.filter(|(_, (end, _))| ends_after(end, from));
        let mut rest = cut.map(|(_, (end, ticket))| (end.replace(from.clone()), *ticket));
        while let Some((start, _)) = self.0.range::<[u8], _>((Included(&**from), Unbounded)).next()
            && to.as_ref().is_none_or(|to| start < to)
        {
            let start = start.clone();
            rest = self.0.remove(&start);
        }
        if let (Some(to), Some((end, ticket))) = (to, rest)
            && ends_after(&end, to)
        {
            self.0.insert(to.clone(), (end, ticket));
        }
        self.0.insert(from.clone(), (to.clone(), ticket));
    }

    /// Returns the last save that erases a key.
    pub fn at(&self, key: &[u8]) -> Option<u64> {
        let (_, (end, ticket)) = self.0.range::<[u8], _>((Unbounded, Included(key))).next_back()?;
        end.as_ref().is_none_or(|end| key < &**end).then_some(*ticket)
    }

    pub fn all(&self, is_queued: impl Fn(u64) -> bool) -> Vec<KeyBytes> {
        let queued = self.0.iter().filter(|(_, (_, ticket))| is_queued(*ticket));
        queued.map(|(from, (to, _))| KeyBytes { from: from.clone(), to: to.clone() }).collect()
    }
}

/// Keys from `from` to before `to`, or to the last.
#[derive(Clone, Default)]
pub struct KeyBytes {
    pub from: Vec<u8>,
    pub to: Option<Vec<u8>>,
}

impl KeyBytes {
    pub fn has(&self, key: &[u8]) -> bool {
        *self.from <= *key && self.to.as_ref().is_none_or(|to| *key < **to)
    }
}

impl From<Range<Vec<u8>>> for KeyBytes {
    fn from(range: Range<Vec<u8>>) -> Self {
        Self { from: range.start, to: Some(range.end) }
    }
}
